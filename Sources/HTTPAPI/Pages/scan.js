// Many photos at once: dropped, pasted, chosen or taken with the camera; each shows its way and its serial.
import { api, sentence } from "./api.js";
import { badge, copy, download, el, remembered, set, toast } from "./dom.js";
import { day, has, number, percent, t } from "./strings.js";
import * as uploads from "./uploads.js";

const presets = () => [["", t("preset.auto")], ...["etched", "screen", "sticker"].map((name) => [name, t(`preset.${name}`)])];
const deviceTypes = () => [["", t("scan.deviceNone")],
  ...["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch"].map((type) => [type, type]), ["Accessory", t("scan.accessory")]];

export async function view(main) {
  await uploads.loaded;
  const list = el("ul", { class: "results", "aria-label": t("scan.photos") });
  const tally = el("p", { class: "tally", role: "status" });
  const actions = el("div", { class: "row" },
    el("button", { type: "button", onclick: copyAll }, t("scan.copyAll")),
    el("button", { type: "button", onclick: spreadsheet }, t("scan.spreadsheet")),
    el("button", { type: "button", onclick: clear }, t("scan.clear")));
  const empty = el("p", { class: "empty" }, t("scan.empty"));
  const { drop, leave } = intake();
  main.append(el("h1", {}, t("scan.title")), drop, options(), el("div", { class: "row spread" }, tally, actions), empty, list);

  const rows = new Map();
  let counting = false;
  // What is seen at once first, the rest frame by frame: a thousand rows take longer than a person waits.
  const undrawn = new Set([...uploads.items].reverse());
  let isLeft = false;
  draw(50);
  count();
  const stop = uploads.listen((item) => { show(item); count(); });

  function draw(most) {
    let left = most;
    for (const item of undrawn) {
      if (left-- === 0) break;
      undrawn.delete(item);
      const row = resultRow(item);
      rows.set(item, row);
      list.append(row.node);
      row.update();
    }
    if (undrawn.size > 0 && !isLeft) requestAnimationFrame(() => draw(250));
  }

  function show(item) {
    let row = rows.get(item);
    if (item.state === "forgotten") { undrawn.delete(item); row?.node.remove(); rows.delete(item); return; }
    if (undrawn.has(item)) return;
    if (!row) {
      row = resultRow(item);
      rows.set(item, row);
      const older = uploads.items.slice(0, uploads.items.indexOf(item)).findLast((other) => rows.has(other));
      list.insertBefore(row.node, rows.get(older)?.node ?? null);
    }
    row.update();
  }

  function count() {
    if (counting) return;
    counting = true;
    requestAnimationFrame(() => {
      counting = false;
      const all = uploads.items;
      const ended = all.filter((item) => item.state === "done");
      const of = (verdict) => ended.filter((item) => verdictOf(item) === verdict).length;
      const failed = all.filter((item) => item.state === "failed").length;
      const rest = all.length - ended.length - failed;
      tally.textContent = all.length === 0 ? "" : [t("tally.accepted", { n: of("accepted") }), t("tally.uncertain", { n: of("uncertain") }),
        t("tally.refused", { n: of("refused") }), rest ? t("tally.waiting", { n: rest }) : "", failed ? t("tally.failed", { n: failed }) : ""]
        .filter(Boolean).join(", ");
      actions.hidden = all.length === 0;
      empty.hidden = all.length > 0;
    });
  }

  // Whoever needs a key is asked for it before anything is chosen.
  api.largestUpload();
  const paste = (event) => { if (event.clipboardData?.files.length) take([...event.clipboardData.files]); };
  addEventListener("paste", paste);
  const keys = (event) => move(event, list);
  addEventListener("keydown", keys);
  return { leave() { isLeft = true; stop(); leave(); removeEventListener("paste", paste); removeEventListener("keydown", keys); } };
}

/** The verdict of an item, once a person has had the last word. */
const verdictOf = (item) => (item.confirmed ? "accepted" : item.verdict);

function take(files) {
  const pictures = files.filter((file) => file.type.startsWith("image/") || /\.(heic|heif|tiff?|jpe?g|png|webp)$/i.test(file.name));
  const others = files.length - pictures.length;
  if (others > 0) toast(t("scan.notImages", { n: others, total: files.length }), "bad");
  if (pictures.length) uploads.add(pictures, fields());
}

/** The fields of the form that go with each photo. */
const fields = () => ({
  preset: remembered.get("preset", ""), device_type: remembered.get("deviceType", ""), multiple: remembered.get("multiple", false) ? "true" : "",
});

function intake() {
  const chosen = (event) => { take([...event.target.files]); event.target.value = ""; };
  const file = el("input", { type: "file", id: "file", multiple: true, accept: "image/*,.heic,.heif,.tif,.tiff", class: "away", onchange: chosen });
  const camera = el("input", { type: "file", id: "camera", accept: "image/*", capture: "environment", class: "away", "aria-label": t("scan.take"), onchange: chosen });
  const drop = el("div", { class: "drop" },
    el("p", { class: "big" }, t("scan.drop")),
    el("p", { class: "quiet" }, t("scan.formats")),
    el("div", { class: "row center" },
      el("label", { class: "button primary", for: "file" }, t("scan.choose")), file,
      el("label", { class: "button onlyTouch", for: "camera" }, t("scan.take")), camera));
  // Wherever on the page they are dropped: beside the field the browser would open the first in place of the page.
  const over = (event) => drop.classList.toggle("over", event.type === "dragover" && hasFiles(event));
  const dropped = (event) => { over(event); if (hasFiles(event)) { event.preventDefault(); take([...event.dataTransfer.files]); } };
  const listeners = { dragover: over, dragleave: over, drop: dropped };
  for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
  return { drop, leave() { for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener); } };
}

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");

function options() {
  const choice = (name, label, pairs) => {
    const select = el("select", { onchange: () => remembered.set(name, select.value) },
      pairs.map(([value, title]) => el("option", { value }, title)));
    select.value = remembered.get(name, "");
    return el("label", {}, label, " ", select);
  };
  const sound = el("input", { type: "checkbox", onchange: () => { remembered.set("sound", sound.checked); if (sound.checked) play("accepted"); } });
  sound.checked = remembered.get("sound", false);
  const multiple = el("input", { type: "checkbox", onchange: () => remembered.set("multiple", multiple.checked) });
  multiple.checked = remembered.get("multiple", false) === true;
  return el("div", { class: "row options" }, choice("preset", t("scan.surface"), presets()),
    choice("deviceType", t("scan.device"), deviceTypes()),
    el("label", {}, multiple, ` ${t("scan.everySerial")}`), el("label", {}, sound, ` ${t("scan.sound")}`));
}

function resultRow(item) {
  const title = item.isLive ? t("upload.live") : item.name;
  const serial = el("button", { type: "button", class: "serial", onclick: () => { if (item.serial) copy(item.serial); } });
  const state = el("span", { class: "state" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": t("scan.progress", { name: title }) });
  const mark = el("span", { class: "mark" });
  const why = el("a", { class: "why", hidden: true, "aria-label": t("detailsOf", { name: title }) }, t("details"));
  const again = el("button", { type: "button", class: "small again", hidden: true, onclick: () => uploads.retry(item) }, t("tryAgain"));
  const remove = el("button", { type: "button", class: "plain remove", "aria-label": t("scan.remove", { name: title }), onclick: () => discard(item) }, "×");
  const node = el("li", { class: "result" }, el("div", { class: "who" }, el("span", { class: "name" }, title), state, bar), serial, mark, why, again, remove);
  let told = item.state === "done" || item.state === "failed" ? item.state : null;
  function update() {
    const isDone = item.state === "done";
    bar.hidden = isDone || item.state === "failed";
    bar.value = item.progress;
    serial.hidden = !isDone || !item.serial;
    serial.textContent = item.serial ?? "";
    set(serial, { "aria-label": item.serial ? t("scan.copy", { serial: [...item.serial].join(" ") }) : null });
    state.textContent = stateOf(item);
    state.className = `state ${item.state === "failed" ? "bad" : ""}`;
    mark.replaceChildren(isDone ? badge(item.verdict, item.confirmed) : "");
    why.hidden = !(isDone && item.job);
    if (item.job) why.href = `#/result/${item.job}`;
    again.hidden = !uploads.canRetry(item);
    if (isDone && told !== "done") { told = "done"; if (remembered.get("sound", false)) play(item.verdict); }
  }
  return { node, update };
}

/** How an item stands, in words. */
function stateOf(item) {
  const confidence = item.confidence ?? null;
  switch (item.state) {
    case "done": return [confidence === null || item.confirmed ? null : percent(confidence), item.serial ? null : reason(item),
      item.seenBefore ? t("scan.duplicate", { date: day(item.seenBefore) }) : null].filter(Boolean).join(" · ");
    case "failed": return reason(item);
    case "sending": return item.retryIn ? t("upload.retryIn", { reason: item.code ? reason(item) : t("unreachable"), n: item.retryIn })
      : t(item.attempt ? "upload.retrying" : "upload.sending");
    case "queued": return item.isReading ? t("upload.reading") : item.position > 0 ? t("upload.position", { n: item.position }) : t("upload.queued");
    default: return t("upload.waiting");
  }
}

const megabytes = (bytes, round) => number(round(bytes / 104_857.6) / 10);

function reason(item) {
  if (item.code === "TOO_LARGE") return t("upload.tooLarge", { size: megabytes(item.size, Math.ceil), limit: megabytes(item.limit, Math.floor) });
  if (item.code === "UNREADABLE") return t("upload.unreadable");
  return sentence(item.code, item.error);
}

function discard(...some) {
  if (some.length === 0) return;
  const undo = uploads.forget(...some);
  toast(t("scan.removed", { n: some.length }), "", [t("undo"), undo]);
}

// Up and down go from serial to serial; Enter copies, as on every button. From nowhere in particular they begin at the top.
function move(event, list) {
  const isNowhere = [document.body, document.getElementById("main")].includes(event.target);
  if (!(isNowhere ? ["ArrowDown", "Enter"] : ["ArrowUp", "ArrowDown", "Home", "End"]).includes(event.key)) return;
  const row = event.target.closest(".result");
  if (!isNowhere && !row) return;
  const stops = [...list.querySelectorAll(".serial:not([hidden])")];
  const here = row ? stops.indexOf(row.querySelector(".serial")) : -1;
  const next = { ArrowUp: here - 1, ArrowDown: here + 1, Home: 0, End: stops.length - 1, Enter: 0 }[event.key];
  if (!stops[next]) return;
  event.preventDefault();
  stops[next].focus();
  if (isNowhere && event.key === "Enter") stops[next].click();
}

function copyAll() {
  const sure = uploads.items.filter((item) => item.state === "done" && item.serial && verdictOf(item) === "accepted");
  const serials = [...new Set(sure.map((item) => item.serial))];
  if (serials.length) copy(serials.join("\n"), t("scan.serials", { n: serials.length }));
  else toast(t("scan.nothingToCopy"));
}

// Made here, because these are the photos of this list, unsaved and unread ones too.
function spreadsheet() {
  // What a spreadsheet would take for a formula begins with an apostrophe.
  const cell = (value) => {
    const text = String(value ?? "");
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${harmless.replaceAll("\"", "\"\"")}"`;
  };
  // Where decimals have a comma, spreadsheets expect semicolons between the columns.
  const separator = number(0.5).includes(",") ? ";" : ",";
  const result = (item) => {
    const verdict = item.state === "failed" ? "failed" : item.state === "done" ? item.verdict : "waiting";
    return has(`verdict.${verdict}`) ? t(`verdict.${verdict}`) : verdict;
  };
  const head = [t("file"), t("sheet.serial"), t("sheet.result"), t("confidence"), t("verdict.confirmed"), t("sheet.firstSeen"), t("sheet.job"), t("notes")];
  const lines = uploads.items.map((item) => [item.isLive ? t("upload.live") : item.name, item.serial, result(item),
    item.confidence === null || item.confidence === undefined ? "" : number(Math.floor(item.confidence * 1e3) / 1e3, 3),
    item.confirmed ? t("sheet.yes") : "", item.seenBefore, item.job, item.code || item.error ? reason(item) : ""]);
  download(new Blob([`\u{FEFF}${[head, ...lines].map((cells) => cells.map(cell).join(separator)).join("\r\n")}\r\n`], { type: "text/csv" }),
    `serials-${new Date().toISOString().slice(0, 10)}.csv`);
}

function clear() {
  discard(...uploads.items.filter((item) => ["done", "failed"].includes(item.state)));
}

let audio;
function play(verdict) {
  audio ??= new AudioContext();
  const tones = { accepted: [660, 880], uncertain: [440, 440], refused: [330, 220] }[verdict] ?? [440];
  tones.forEach((frequency, index) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const start = audio.currentTime + 0.12 * index;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.11);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.12);
  });
}
