// The batch that photos and live reads of this browser go into: chosen on Scan and Live, or joined by a link, and remembered.
import { api } from "./api.js";
import { el, remembered, toast } from "./dom.js";
import { day, t } from "./strings.js";

const stored = "batch";
const listeners = new Set();
const tell = () => { for (const listener of listeners) listener(); };

/** The batch that is chosen, as {id, name}; null if none is. */
export const current = () => remembered.get(stored, null);

/** Chooses a batch, or none with null; all tabs of this browser follow. */
export function choose(batch) {
  remembered.set(stored, batch ? { id: batch.id, name: batch.name } : null);
  tell();
}

/** Hears when another batch is chosen, or its name changes; returns how to stop. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

addEventListener("storage", (event) => { if (event.key === `serialscan.${stored}`) tell(); });

/** Takes over what the server says of a batch: a chosen one that has ended is chosen no longer. */
export function update(batch) {
  const chosen = current();
  if (chosen?.id !== batch.id) return;
  if (batch.ended_at) { choose(null); toast(t("batch.ended", { name: batch.name }), "bad"); }
  else if (chosen.name !== batch.name) choose(batch);
}

/** Chooses the batch of a link (`#/scan?batch=ID`). */
export async function join(id) {
  try {
    const batch = await api.get(`/batches/${encodeURIComponent(id)}`);
    if (batch.ended_at) { toast(t("batch.ended", { name: batch.name }), "bad"); return; }
    choose(batch);
    toast(t("batch.joined", { name: batch.name }), "good");
  } catch (error) { toast(error.message, "bad"); }
}

/**
 * Asks for a name and sends it by `send`, until the server takes it or the person gives up. Resolves to what `send` returns, or
 * null.
 */
export function askForName({ title, action, value = "", send }) {
  return new Promise((resolve) => {
    let made = null;
    const input = el("input", { value, maxlength: 100, required: true, autocomplete: "off", dir: "auto", placeholder: t("batch.nameHint") });
    const problem = el("p", { class: "bad", role: "alert" });
    const button = el("button", { type: "submit", class: "primary" }, action);
    const dialog = el("dialog", { "aria-labelledby": "batchTitle", onclose: () => { dialog.remove(); resolve(made); } },
      el("form", { class: "stack", onsubmit: submit }, el("h2", { id: "batchTitle" }, title), el("label", {}, t("name"), input), problem,
        el("div", { class: "row end" }, el("button", { type: "button", onclick: () => dialog.close() }, t("cancel")), button)));
    async function submit(event) {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = "";
      try {
        made = await send(input.value.trim());
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        input.focus();
      } finally { button.disabled = false; }
    }
    document.body.append(dialog);
    dialog.showModal();
    input.select();
  });
}

/** Begins a batch under a name that the person gives, and chooses it; null if there is none. */
export async function begin() {
  const batch = await askForName({ title: t("batch.begin"), action: t("batch.beginShort"), value: t("batch.defaultName", { date: day(Date.now()) }), send: (name) => api.send("POST", "/batches", { name }) });
  if (batch) choose(batch);
  return batch;
}

/** The chooser of the batch, for views that send photos. It stands in a row of options; what is chosen is `current()`. */
export function element() {
  const link = el("a", { class: "batchLink" }, t("batch.open"));
  const select = el("select", { onchange: chosen });
  const node = el("span", { class: "batchChooser" }, el("label", {}, el("span", {}, t("batch.batch")), " ", select), link);
  let open = [];

  function show() {
    const batch = current();
    const known = batch && !open.some((one) => one.id === batch.id) ? [batch, ...open] : open;
    select.replaceChildren(el("option", { value: "" }, t("batch.none")), ...known.map((one) => el("option", { value: one.id }, one.name)), el("option", { value: "+" }, t("batch.new")));
    select.value = batch?.id ?? "";
    link.hidden = !batch;
    if (batch) link.href = `#/batches/${batch.id}`;
  }

  async function chosen() {
    if (select.value !== "+") { choose(open.find((one) => one.id === select.value) ?? null); return; }
    show();
    const batch = await begin();
    if (batch) await load();
    select.focus();
  }

  async function load() {
    try {
      open = (await api.get("/batches?open=true&limit=100")).items;
      const batch = current();
      if (batch) update(open.find((one) => one.id === batch.id) ?? await api.get(`/batches/${batch.id}`));
    } catch (error) {
      // A batch that was deleted takes no photos.
      if (error.code === "BATCH_NOT_FOUND") { choose(null); toast(error.message, "bad"); }
    }
    show();
  }

  // Views take the chooser away without a word; it hears nothing more then.
  let wasShown = false;
  const stop = listen(() => {
    if (node.isConnected) wasShown = true;
    else if (wasShown) { end(); return; }
    show();
  });
  const looked = () => { if (!document.hidden) { if (node.isConnected) load(); else end(); } };
  const end = () => { stop(); document.removeEventListener("visibilitychange", looked); };
  document.addEventListener("visibilitychange", looked);
  show();
  load();
  return node;
}
