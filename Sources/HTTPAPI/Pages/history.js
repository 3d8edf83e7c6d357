// Everything that was saved: searched, filtered, sorted, page by page; changed, deleted, exported.
import { api } from "./api.js";
import { copy, download, el, percent, set, toast, when } from "./dom.js";
import { check, normal } from "./grammar.js";

const pageSize = 50;
const columns = [["serial", "Serial"], [null, "File"], ["device_type", "Device"], ["confidence", "Confidence"],
  [null, "Read as"], ["created_at", "Time"], [null, "Notes"]];
const filters = ["search", "device_type", "source", "date_from", "date_to", "validation_status"];

export async function view(main, { query }) {
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ""]));
  const order = { sort_by: query.get("sort_by") ?? "created_at", sort_order: query.get("sort_order") ?? "desc" };
  // Cursors of the pages so far: going on costs the same on the first page and on the thousandth.
  let cursors = [null];
  let next = null;
  let asked = 0;
  const count = el("p", { class: "quiet", role: "status" });
  const head = el("tr");
  const body = el("tbody");
  const before = el("button", { type: "button", onclick: () => { cursors.pop(); load(); } }, "← Newer");
  const after = el("button", { type: "button", onclick: () => { cursors.push(next); load(); } }, "Older →");
  const page = el("span", { class: "quiet" });
  main.append(el("div", { class: "row spread" }, el("h1", {}, "History"),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => save("xlsx") }, "Export as spreadsheet"),
      el("button", { type: "button", onclick: () => save("csv") }, "CSV"))),
    form(), count,
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Saved serials" }, el("table", { class: "history" }, el("thead", {}, head), body)),
    el("div", { class: "row center" }, before, page, after));

  function asQuery() {
    return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
  }

  function restart() {
    cursors = [null];
    const place = asQuery();
    for (const [name, value] of Object.entries(order)) place.set(name, value);
    history.replaceState(null, "", `#/history?${place}`);
    load();
  }

  async function load() {
    const mine = ++asked;
    const parameters = asQuery();
    for (const [name, value] of Object.entries({ ...order, limit: pageSize })) parameters.set(name, value);
    const cursor = cursors.at(-1);
    if (cursor) parameters.set("cursor", cursor);
    try {
      const answer = await api.get(`/history?${parameters}`);
      if (mine !== asked) return;
      next = answer.next_cursor;
      count.textContent = answer.total === 1 ? "1 serial" : `${answer.total.toLocaleString()} serials`;
      heads();
      body.replaceChildren(...answer.items.map(row));
      if (answer.items.length === 0) body.append(el("tr", {}, el("td", { colspan: columns.length + 1, class: "empty" }, "None.")));
      before.disabled = cursors.length < 2;
      after.disabled = !next;
      page.textContent = `Page ${cursors.length.toLocaleString()} of ${Math.max(1, Math.ceil(answer.total / pageSize)).toLocaleString()}`;
    } catch (error) {
      if (mine === asked) count.textContent = error.message;
    }
  }

  function heads() {
    head.replaceChildren(...columns.map(([name, title]) => {
      if (!name) return el("th", { scope: "col" }, title);
      const isHere = order.sort_by === name;
      const sort = isHere ? (order.sort_order === "asc" ? "ascending" : "descending") : null;
      return el("th", { scope: "col", "aria-sort": sort }, el("button", { type: "button", class: "plain", onclick: () => {
        order.sort_order = isHere && order.sort_order === "desc" ? "asc" : "desc";
        order.sort_by = name;
        restart();
      } }, title, isHere ? (sort === "ascending" ? " ↑" : " ↓") : ""));
    }), el("th", { scope: "col" }, el("span", { class: "away" }, "Actions")));
  }

  function row(item) {
    const node = el("tr");
    const fill = () => node.replaceChildren(
      el("th", { scope: "row" }, el("button", { type: "button", class: "plain serial", "aria-label": `Copy ${item.serial}`, onclick: () => copy(item.serial) }, item.serial),
        item.is_valid ? null : el("span", { class: "badge refused", title: "It has no form of an Apple serial number" }, "! form"),
        item.seen_before ? el("span", { class: "badge waiting", title: `Read before on ${when(item.seen_before)}` }, "seen before") : null),
      el("td", { class: "name" }, item.job_id ? el("a", { href: `#/result/${item.job_id}` }, item.filename ?? "photo") : item.filename ?? "—"),
      el("td", {}, item.device_type ?? "—"), el("td", { class: "number" }, percent(item.confidence)),
      el("td", {}, item.confirmed_at ? "confirmed" : item.verdict ?? "—", el("span", { class: "quiet" }, ` ${item.source}`)),
      el("td", { class: "nowrap" }, when(item.timestamp)), el("td", { class: "notes" }, item.notes ?? ""),
      el("td", { class: "nowrap" },
        el("button", { type: "button", class: "small", "aria-label": `Edit ${item.serial}`, onclick: () => edit(item, fill) }, "Edit"), " ",
        el("button", { type: "button", class: "small", "aria-label": `Delete ${item.serial}`, onclick: () => remove(item) }, "Delete")));
    fill();
    return node;
  }

  async function remove(item) {
    if (!confirm(`Delete ${item.serial}? Its change history is deleted too.`)) return;
    try {
      await api.send("DELETE", `/serials/${item.id}`);
      toast(`Deleted ${item.serial}`);
      load();
    } catch (error) { toast(error.message, "bad"); }
  }

  async function save(format) {
    try {
      const parameters = asQuery();
      parameters.set("format", format);
      toast("Making the file…");
      download(await api.blob(`/export?${parameters}`), `serials-${new Date().toISOString().slice(0, 10)}.${format}`);
    } catch (error) { toast(error.message, "bad"); }
  }

  function form() {
    let timer;
    const field = (name, label, input) => {
      set(input, { name, value: wanted[name], oninput: () => {
        wanted[name] = input.value.trim();
        clearTimeout(timer);
        timer = setTimeout(restart, 250);
      } });
      return el("label", {}, label, " ", input);
    };
    const choice = (pairs) => el("select", {}, pairs.map(([value, title]) => el("option", { value }, title)));
    return el("form", { class: "row options", role: "search", onsubmit: (event) => event.preventDefault() },
      field("search", "Search", el("input", { type: "search", placeholder: "serial, device, file" })),
      field("device_type", "Device", el("input", { size: 12 })),
      field("source", "From", choice([["", "all"], ["scan", "photos"], ["live", "live video"], ["ios", "iOS"], ["mac", "Mac"]])),
      field("validation_status", "Form", choice([["", "all"], ["valid", "fits"], ["invalid", "does not fit"]])),
      field("date_from", "From day", el("input", { type: "date" })), field("date_to", "to", el("input", { type: "date" })));
  }

  await load();
  return {};
}

// Changing a saved serial, with what it was before.
function edit(item, done) {
  const hint = el("p", { class: "hint", "aria-live": "polite" });
  const serial = el("input", { class: "serial", value: item.serial, maxlength: 32, autocomplete: "off", spellcheck: "false", oninput: tell });
  const device = el("input", { value: item.device_type ?? "", maxlength: 100 });
  const notes = el("textarea", { value: item.notes ?? "", maxlength: 2000, rows: 3 });
  const earlier = el("ul", { class: "quiet" });
  const title = `edit-${item.id}`;
  function tell() {
    const { fits, sentence } = check(normal(serial.value));
    hint.textContent = sentence;
    hint.className = `hint ${fits ? "good" : "doubt"}`;
  }
  tell();
  const dialog = el("dialog", { "aria-labelledby": title, onclose: () => dialog.remove() },
    el("form", { class: "stack", onsubmit: save }, el("h2", { id: title }, `Edit ${item.serial}`),
      el("label", {}, "Serial number", serial), hint, el("label", {}, "Device type", device), el("label", {}, "Notes", notes), earlier,
      el("div", { class: "row end" }, el("button", { type: "button", onclick: () => dialog.close() }, "Leave it"),
        el("button", { type: "submit", class: "primary" }, "Save"))));
  async function save(event) {
    event.preventDefault();
    try {
      const change = { device_type: device.value, notes: notes.value };
      if (normal(serial.value) !== item.serial) change.serial = normal(serial.value);
      Object.assign(item, await api.send("PATCH", `/serials/${item.id}`, change));
      done();
      dialog.close();
      toast(`Saved ${item.serial}`, "good");
    } catch (error) { toast(error.message, "bad"); }
  }
  document.body.append(dialog);
  dialog.showModal();
  api.get(`/serials/${item.id}/history`).then(({ items }) => earlier.replaceChildren(...items.map((state) => el("li", {},
    `${when(state.changed_at)}: was ${state.serial} (${state.method ?? "unknown"}, ${percent(state.confidence)})`)))).catch(() => {});
}
