// One device: its values, its identifiers, and its photos and reads.
import { api } from "./api.js";
import { fieldLabel, valueCell } from "./cells.js";
import { picture } from "./detail.js";
import { deleteLater, modelOf, statusBadge } from "./devicelist.js";
import { copy, el, refill, removeRow } from "./dom.js";
import { edit, sourceOf, statusOf } from "./edit.js";
import { deleteRead } from "./history.js";
import { fields } from "./reads.js";
import { day, percent, t, when } from "./strings.js";
import { tiny, titleOf } from "./thumbnail.js";

export async function view(main, serial) {
  const [scopes, custom] = await Promise.all([api.scopes(), api.customFields()]);
  const body = el("div", { class: "stack" });
  let isLeft = false;
  let shown = null;
  main.append(el("p", {}, el("a", { href: "#/devices", onclick: back }, `← ${t("detail.back")}`)), body);

  async function show() {
    const device = await api.get(`/devices/${encodeURIComponent(serial)}`);
    if (isLeft) return;
    const side = el("div", { class: "stack side" }, fields(device, null));
    body.replaceChildren(head(device), el("div", { class: "deviceBody" }, el("div", { class: "stack" }, values(device), reads(device)), side));
    if (device.best?.photo_url && device.best.job_id !== shown) photo(device.best.job_id, side);
  }

  function head(device) {
    const seen = device.times_seen === 0 ? t("device.imported")
      : device.times_seen === 1 ? t("device.seenOnce", { date: when(device.last_seen) })
        : t("device.seen", { n: device.times_seen, first: day(device.first_seen), last: when(device.last_seen) });
    return el("div", { class: "card deviceHead" }, tiny(device.best?.thumbnail_url),
      el("div", { class: "stack" },
        el("div", { class: "row" }, el("h1", { class: "serial big" }, device.serial), statusBadge(device.status), device.is_valid ? null : el("span", { class: "badge refused" }, `! ${t("history.invalidFormat")}`)),
        modelOf(device) ? el("p", {}, modelOf(device)) : null, el("p", { class: "quiet" }, seen),
        device.batches?.length ? el("p", {}, t("device.batches"), " ", device.batches.map((batch, index) => [index ? ", " : "", el("a", { href: `#/batches/${batch.id}`, dir: "auto" }, batch.name)])) : null,
        el("div", { class: "row" }, el("button", { type: "button", onclick: () => copy(device.serial) }, t("detail.copy")),
          scopes.has("admin") ? el("button", { type: "button", class: "danger", onclick: () => remove(device) }, t("device.delete")) : null)));
  }

  function values(device) {
    if (custom.length === 0) return null;
    const canEdit = scopes.has("scan") || scopes.has("admin");
    const cells = custom.map(({ name }, index) => valueCell({ device, name, canEdit, move: (direction) => go(index, direction) }));
    function go(index, direction) {
      const to = direction === "stay" ? index : index + (["down", "next"].includes(direction) ? 1 : -1);
      if (cells[to] && direction !== "stay") cells[to].edit(); else cells[index].node.firstChild.focus();
    }
    return el("section", { class: "stack" }, el("h2", {}, t("device.values")),
      el("dl", { class: "card valueList" }, custom.map(({ name }, index) => el("div", {}, el("dt", {}, fieldLabel(name)), el("dd", {}, cells[index].node)))));
  }

  function reads(device) {
    const list = el("ul", { class: "readList" });
    const count = el("h2");
    const tell = () => { count.textContent = t("device.reads", { n: device.times_seen }); };
    tell();
    list.append(...device.reads.map((item) => readRow(item)));
    return el("section", { class: "stack" }, count, device.reads.length === 0 ? el("p", { class: "quiet" }, t("device.noReads")) : list,
      device.times_seen > device.reads.length ? el("p", {}, el("a", { href: `#/history?search=${encodeURIComponent(device.serial)}` }, t("device.allReads"))) : null);

    /** The badge of a duplicate read, with a link to the earlier photo. */
    function duplicate(item) {
      if (!item.seen_before) return null;
      const earlier = device.reads.slice(device.reads.indexOf(item) + 1).find((one) => one.job_id)?.job_id;
      return el(earlier ? "a" : "span", { class: "badge waiting", href: earlier ? `#/result/${earlier}` : null, title: t("scan.duplicate", { date: day(item.seen_before) }) }, t("history.duplicate"));
    }

    function readRow(item) {
      const node = el("li");
      const title = item.job_id ? el("a", { href: `#/result/${item.job_id}` }, titleOf(item.filename, item.timestamp)) : el("span", {}, item.filename ?? sourceOf(item));
      const fill = () => refill(node, [tiny(item.thumbnail_url),
        el("div", { class: "readText" }, el("span", { class: "name" }, title),
          el("span", { class: "quiet" }, [when(item.timestamp), sourceOf(item), statusOf(item), percent(item.confidence)].join(" · ")),
          item.notes ? el("span", { class: "name" }, item.notes) : null),
        duplicate(item),
        scopes.has("admin") ? el("span", { class: "row" },
          el("button", { type: "button", class: "small", "aria-label": t("device.editRead", { date: when(item.timestamp) }), onclick: () => edit(item, changed) }, t("history.edit")),
          el("button", { type: "button", class: "small", "aria-label": t("device.deleteRead", { date: when(item.timestamp) }), onclick: remove }, t("history.delete"))) : null].filter(Boolean));
      // With a different serial, the read belongs to a different device.
      const changed = () => { if (item.serial === device.serial) fill(); else location.hash = `#/devices/${encodeURIComponent(item.serial)}`; };
      function remove() {
        const following = node.nextSibling;
        removeRow(node);
        device.times_seen -= 1;
        tell();
        deleteRead(item, () => { list.insertBefore(node, following?.parentNode === list ? following : null); device.times_seen += 1; tell(); });
      }
      fill();
      return node;
    }
  }

  // The best photo, with the serial marked.
  async function photo(job, side) {
    shown = job;
    const place = el("div", { class: "pictures stack" });
    const section = el("section", { class: "stack" }, el("h2", {}, t("device.bestPhoto")), place);
    try {
      const result = await api.get(`/result/${job}`);
      if (isLeft) return;
      side.prepend(section);
      await picture(result, place);
    } catch { /* its photo or its job is gone: the list says so */ }
  }

  function remove(device) {
    deleteLater(device, () => { location.hash = `#/devices/${encodeURIComponent(device.serial)}`; });
    location.hash = "#/devices";
  }

  await show();
  return { leave() { isLeft = true; } };
}

function back(event) {
  if (history.length > 1) { event.preventDefault(); history.back(); }
}
