// The keys of this server: made, with what they may do, and revoked; a new one also as a code for a phone's camera.
import { api, at, key } from "./api.js";
import { copy, el, toast, when } from "./dom.js";
import { qrPicture } from "./qr.js";

const scopes = [["scan", "Send photos, read their results, confirm them"], ["read", "Read and export results, history and figures"],
  ["admin", "Everything: evaluate, correct, delete, keys"]];

export async function view(main) {
  let wasOpen = false;
  const made = el("div");
  const list = el("tbody");
  const state = el("p", { class: "quiet", role: "status" });
  const name = el("input", { required: true, maxlength: 100, placeholder: "Bench 3", autocomplete: "off" });
  const boxes = scopes.map(([scope]) => el("input", { type: "checkbox", value: scope, checked: scope === "scan" }));
  // Shown to who may manage keys.
  const managing = el("div", { hidden: true },
    el("form", { class: "card stack", onsubmit: make }, el("h2", {}, "Make a key"),
      el("label", {}, "Whose it is", name),
      el("fieldset", { class: "plainSet stack" }, el("legend", {}, "What it may do"),
        scopes.map(([scope, sentence], index) => el("div", {}, el("label", {}, boxes[index], ` ${scope}: `, sentence)))),
      el("div", {}, el("button", { type: "submit", class: "primary" }, "Make it"))),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Keys" }, el("table", {},
      el("thead", {}, el("tr", {}, ["Name", "May", "Made", "Last used", ""].map((title) => el("th", { scope: "col" }, title || el("span", { class: "away" }, "Actions"))))), list)));
  main.append(el("h1", {}, "Keys"), state, made, managing,
    ...(key.get() ? [el("div", { class: "row" }, el("button", { type: "button", onclick: () => { key.forget(); toast("The key is forgotten in this tab."); location.reload(); } }, "Forget my key in this tab"))] : []));

  async function load() {
    try {
      const { items, is_open: isOpen } = await api.get("/keys");
      wasOpen = isOpen;
      managing.hidden = false;
      state.textContent = isOpen
        ? "There is no key yet: whoever reaches this server may use it. The first key closes it, so let the first one be for admin."
        : "Only who has a key may use this server.";
      if (isOpen) boxes[2].checked = true;
      list.replaceChildren(...items.map(row));
      if (items.length === 0) list.append(el("tr", {}, el("td", { colspan: 5, class: "empty" }, "None.")));
    } catch (error) {
      state.textContent = error.message;
    }
  }

  function row(item) {
    return el("tr", {}, el("th", { scope: "row" }, item.name), el("td", {}, item.scopes.join(", ")), el("td", { class: "nowrap" }, when(item.created_at)),
      el("td", { class: "nowrap" }, item.last_used_at ? `${when(item.last_used_at)}, ${item.use_count} times` : "never"),
      el("td", {}, item.revoked_at ? el("span", { class: "quiet" }, `revoked ${when(item.revoked_at)}`)
        : el("button", { type: "button", class: "small danger", "aria-label": `Revoke ${item.name}`, onclick: () => revoke(item) }, "Revoke")));
  }

  async function make(event) {
    event.preventDefault();
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    if (chosen.length === 0) { toast("Choose what it may do.", "bad"); return; }
    try {
      const answer = await api.send("POST", "/keys", { name: name.value.trim(), scopes: chosen });
      // The server is closed from now on: whoever made its first key goes on with it.
      if (wasOpen && chosen.includes("admin")) key.set(answer.key);
      // The next one is not for admin because this one was.
      boxes.forEach((box, index) => { box.checked = index === 0; });
      name.value = "";
      show(answer);
      await load();
    } catch (error) { toast(error.message, "bad"); }
  }

  function show(answer) {
    const address = `${at("/")}#key=${answer.key}`;
    made.replaceChildren(el("section", { class: "card stack" }, el("h2", {}, `The key of ${answer.name}`),
      el("p", {}, "It is shown this once. A phone’s camera opens the page with it."),
      el("code", { class: "name", id: "newKey" }, answer.key),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => copy(answer.key, "the key") }, "Copy the key"),
        el("button", { type: "button", onclick: () => copy(address, "the address") }, "Copy the address with it"),
        el("button", { type: "button", onclick: () => made.replaceChildren() }, "Done")),
      qrPicture(address, `A code with this server’s address and the key of ${answer.name}`)));
    made.scrollIntoView({ block: "nearest" });
  }

  async function revoke(item) {
    if (!confirm(`Revoke the key of ${item.name}? Whoever uses it is locked out at once.`)) return;
    try {
      await api.send("DELETE", `/keys/${item.id}`);
      toast(`Revoked the key of ${item.name}`);
      load();
    } catch (error) { toast(error.message, "bad"); }
  }

  await load();
  return {};
}
