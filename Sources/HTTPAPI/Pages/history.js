// Everything that was saved: searched, filtered, sorted, page by page; changed, deleted, exported.
import { api } from "./api.js";
import { copy, download, el, set, toast } from "./dom.js";
import { check, normal } from "./grammar.js";
import { day, has, percent, t, when } from "./strings.js";
import { refresh } from "./uploads.js";

const pageSize = 50;
const columns = () => [["serial", t("history.serial")], [null, t("file")], ["device_type", t("device")], ["confidence", t("confidence")],
  [null, t("history.status")], ["created_at", t("history.time")], [null, t("notes")]];
const filters = ["search", "device_type", "source", "date_from", "date_to", "validation_status"];

export async function view(main, { query }) {
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ""]));
  const order = { sort_by: query.get("sort_by") ?? "created_at", sort_order: query.get("sort_order") ?? "desc" };
  // Cursors of the pages so far: going on costs the same on the first page and on the thousandth.
  const scopes = await api.scopes();
  let cursors = [null];
  let next = null;
  let asked = 0;
  const count = el("p", { class: "quiet", role: "status" });
  const head = el("tr");
  const body = el("tbody");
  const before = el("button", { type: "button", onclick: () => { cursors.pop(); load(); } }, `← ${t("previousPage")}`);
  const after = el("button", { type: "button", onclick: () => { cursors.push(next); load(); } }, `${t("nextPage")} →`);
  const page = el("span", { class: "quiet" });
  main.append(el("div", { class: "row spread" }, el("h1", {}, t("history.title")),
    scopes.has("read") ? el("div", { class: "row" }, el("button", { type: "button", onclick: () => save("xlsx") }, t("history.download")),
      el("button", { type: "button", onclick: () => save("csv") }, "CSV")) : null),
    form(), count,
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": t("history.saved") }, el("table", { class: "history" }, el("thead", {}, head), body)),
    el("div", { class: "row center" }, before, page, after));

  function asQuery() {
    return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
  }

  // Days are those of the person who asks.
  function withZone() {
    const parameters = asQuery();
    if (wanted.date_from || wanted.date_to) parameters.set("tz", Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC");
    return parameters;
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
    const parameters = withZone();
    for (const [name, value] of Object.entries({ ...order, limit: pageSize })) parameters.set(name, value);
    const cursor = cursors.at(-1);
    if (cursor) parameters.set("cursor", cursor);
    try {
      const answer = await api.get(`/history?${parameters}`);
      if (mine !== asked) return;
      next = answer.next_cursor;
      count.textContent = t("history.count", { n: answer.total });
      heads();
      body.replaceChildren(...answer.items.map(row));
      if (answer.items.length === 0) body.append(el("tr", {}, el("td", { colspan: columns().length + 1, class: "empty" }, t("history.none"))));
      before.disabled = cursors.length < 2;
      after.disabled = !next;
      page.textContent = t("history.page", { page: cursors.length, pages: Math.max(1, Math.ceil(answer.total / pageSize)) });
    } catch (error) {
      if (mine !== asked) return;
      // Two days the wrong way round are what a person sees here; the names of parameters are not.
      count.textContent = wanted.date_from && wanted.date_to && wanted.date_from > wanted.date_to ? t("history.dates") : error.message;
    }
  }

  function heads() {
    head.replaceChildren(...columns().map(([name, title]) => {
      if (!name) return el("th", { scope: "col" }, title);
      const isHere = order.sort_by === name;
      const sort = isHere ? (order.sort_order === "asc" ? "ascending" : "descending") : null;
      return el("th", { scope: "col", "aria-sort": sort }, el("button", { type: "button", class: "plain", onclick: () => {
        order.sort_order = isHere && order.sort_order === "desc" ? "asc" : "desc";
        order.sort_by = name;
        restart();
      } }, title, isHere ? (sort === "ascending" ? " ↑" : " ↓") : ""));
    }), el("th", { scope: "col" }, el("span", { class: "away" }, t("actions"))));
  }

  function row(item) {
    const node = el("tr");
    const fill = () => node.replaceChildren(
      el("th", { scope: "row" }, el("button", { type: "button", class: "plain serial", "aria-label": t("scan.copy", { serial: item.serial }), onclick: () => copy(item.serial) }, item.serial),
        item.is_valid ? null : el("span", { class: "badge refused", title: t("history.invalidWhy") }, `! ${t("history.invalidFormat")}`),
        item.seen_before ? el("span", { class: "badge waiting", title: t("scan.duplicate", { date: day(item.seen_before) }) }, t("history.duplicate")) : null),
      el("td", { class: item.job_id || item.filename ? "name" : "name none" }, item.job_id ? el("a", { href: `#/result/${item.job_id}` }, item.filename ?? t("photo")) : item.filename ?? "—"),
      el("td", { class: item.device_type ? null : "none" }, item.device_type ?? "—"), el("td", { class: "number" }, percent(item.confidence)),
      el("td", {}, statusOf(item), el("span", { class: "quiet" }, ` ${has(`source.${item.source}`) ? t(`source.${item.source}`) : item.source}`)),
      el("td", { class: "nowrap" }, when(item.timestamp)), el("td", { class: "notes" }, item.notes ?? ""),
      scopes.has("admin") ? el("td", { class: "does" },
        el("button", { type: "button", class: "small", "aria-label": t("history.editOne", { serial: item.serial }), onclick: () => edit(item, fill) }, t("history.edit")), " ",
        el("button", { type: "button", class: "small", "aria-label": t("history.deleteOne", { serial: item.serial }), onclick: () => remove(item) }, t("history.delete"))) : el("td", { class: "does" }));
    fill();
    return node;
  }

  async function remove(item) {
    if (!confirm(t("history.deleteAsk", { serial: item.serial }))) return;
    try {
      await api.send("DELETE", `/serials/${item.id}`);
      toast(t("history.deleted", { serial: item.serial }));
      load();
    } catch (error) { toast(error.message, "bad"); }
  }

  async function save(format) {
    try {
      const parameters = withZone();
      parameters.set("format", format);
      toast(t("history.preparing"));
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
      field("search", t("history.search"), el("input", { type: "search", placeholder: t("history.searchHint") })),
      field("device_type", t("device"), el("input", { size: 12 })),
      field("source", t("history.source"), choice([["", t("history.all")], ...["scan", "live", "ios", "mac"].map((name) => [name, t(`source.${name}`)])])),
      field("validation_status", t("history.format"), choice([["", t("history.all")], ["valid", t("history.valid")], ["invalid", t("history.invalid")]])),
      field("date_from", t("history.from"), el("input", { type: "date" })), field("date_to", t("history.to"), el("input", { type: "date" })));
  }

  await load();
  return {};
}

/** A confirmed serial is that; any other has the verdict of its photo. */
function statusOf(item) {
  const name = item.confirmed_at ? "confirmed" : item.verdict;
  return has(`verdict.${name}`) ? t(`verdict.${name}`) : "—";
}

// Changing a saved serial, with its earlier values.
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
    el("form", { class: "stack", onsubmit: save }, el("h2", { id: title }, t("history.editOne", { serial: item.serial })),
      el("label", {}, t("serialNumber"), serial), hint, el("label", {}, t("history.deviceType"), device), el("label", {}, t("notes"), notes), earlier,
      el("div", { class: "row end" }, el("button", { type: "button", onclick: () => dialog.close() }, t("cancel")),
        el("button", { type: "submit", class: "primary" }, t("save")))));
  async function save(event) {
    event.preventDefault();
    try {
      const change = { device_type: device.value, notes: notes.value };
      if (normal(serial.value) !== item.serial) change.serial = normal(serial.value);
      Object.assign(item, await api.send("PATCH", `/serials/${item.id}`, change));
      done();
      dialog.close();
      toast(t("history.changed", { serial: item.serial }), "good");
      if (item.job_id) refresh(item.job_id).catch(() => { /* the list says what it knew */ });
    } catch (error) { toast(error.message, "bad"); }
  }
  document.body.append(dialog);
  dialog.showModal();
  api.get(`/serials/${item.id}/history`).then(({ items }) => earlier.replaceChildren(...items.map((state) => el("li", {},
    t("history.was", { date: when(state.changed_at), serial: state.serial, method: state.method ?? t("history.unknown"), confidence: percent(state.confidence) }))))).catch(() => {});
}
