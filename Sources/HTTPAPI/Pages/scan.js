// Many photos at once: dropped, pasted, chosen or taken with the camera; each shows its way and its serial.
import { badge, copy, download, el, percent, remembered, set, toast } from "./dom.js";
import * as uploads from "./uploads.js";

const presets = [["", "The picture decides"], ["etched", "Etched on metal"], ["screen", "A screen"], ["sticker", "A sticker or box"]];
const deviceTypes = ["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch", "Accessory"];

export async function view(main) {
  const list = el("ul", { class: "results", "aria-label": "Photos" });
  const tally = el("p", { class: "tally", role: "status" });
  const actions = el("div", { class: "row" },
    el("button", { type: "button", onclick: copyAll }, "Copy all"),
    el("button", { type: "button", onclick: spreadsheet }, "Spreadsheet of these"),
    el("button", { type: "button", onclick: clear }, "Clear the list"));
  const empty = el("p", { class: "empty" }, "What you send appears here, newest on top.");
  const { drop, leave } = intake();
  main.append(el("h1", {}, "Scan"), drop, options(), el("div", { class: "row spread" }, tally, actions), empty, list);

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
      list.prepend(row.node);
    }
    row.update();
  }

  function count() {
    if (counting) return;
    counting = true;
    requestAnimationFrame(() => {
      counting = false;
      const all = uploads.items;
      const of = (verdict) => all.filter((item) => item.state === "done" && item.verdict === verdict).length;
      const rest = all.filter((item) => !["done", "failed"].includes(item.state)).length;
      const failed = all.filter((item) => item.state === "failed").length;
      tally.textContent = all.length === 0 ? "" : [`${of("accepted")} right`, `${of("uncertain")} to check`,
        `${of("refused")} without`, failed ? `${failed} not sent` : "", rest ? `${rest} on the way` : ""].filter(Boolean).join(", ");
      actions.hidden = all.length === 0;
      empty.hidden = all.length > 0;
    });
  }

  const paste = (event) => { if (event.clipboardData?.files.length) take([...event.clipboardData.files]); };
  addEventListener("paste", paste);
  const keys = (event) => move(event, list);
  addEventListener("keydown", keys);
  return { leave() { isLeft = true; stop(); leave(); removeEventListener("paste", paste); removeEventListener("keydown", keys); } };
}

function take(files) {
  const pictures = files.filter((file) => file.type.startsWith("image/") || /\.(heic|heif|tiff?|jpe?g|png|webp)$/i.test(file.name));
  if (pictures.length < files.length) toast(`${files.length - pictures.length} of ${files.length} files are no pictures`, "bad");
  if (pictures.length) {
    uploads.add(pictures, { preset: remembered.get("preset", ""), deviceType: remembered.get("deviceType", "") });
  }
}

function intake() {
  const chosen = (event) => { take([...event.target.files]); event.target.value = ""; };
  const file = el("input", { type: "file", id: "file", multiple: true, accept: "image/*,.heic,.heif,.tif,.tiff", class: "away", onchange: chosen });
  const camera = el("input", { type: "file", id: "camera", accept: "image/*", capture: "environment", class: "away", "aria-label": "Take a photo", onchange: chosen });
  const drop = el("div", { class: "drop" },
    el("p", { class: "big" }, "Drop photos here"),
    el("p", { class: "quiet" }, "JPEG, PNG, WebP, TIFF or HEIC; as many as you like. Pasting works too."),
    el("div", { class: "row center" },
      el("label", { class: "button primary", for: "file" }, "Choose photos"), file,
      el("label", { class: "button onlyTouch", for: "camera" }, "Take a photo"), camera));
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
  return el("div", { class: "row options" }, choice("preset", "What is on it?", presets),
    choice("deviceType", "Device", [["", "Not said"], ...deviceTypes.map((type) => [type, type])]),
    el("label", {}, sound, " Sound"));
}

function resultRow(item) {
  const serial = el("button", { type: "button", class: "serial", onclick: () => { if (item.serial) copy(item.serial); } });
  const name = el("span", { class: "name" }, item.name);
  const state = el("span", { class: "state" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": `Progress of ${item.name}` });
  const mark = el("span");
  const why = el("a", { class: "why", hidden: true }, "Why?");
  const again = el("button", { type: "button", class: "small", hidden: true, onclick: () => uploads.retry(item) }, "Try again");
  const remove = el("button", { type: "button", class: "small plain", "aria-label": `Take ${item.name} out of the list`, onclick: () => uploads.forget(item) }, "×");
  const node = el("li", { class: "result" }, el("div", { class: "who" }, name, state, bar), serial, mark, why, again, remove);
  let told = item.state === "done" || item.state === "failed" ? item.state : null;
  function update() {
    const isDone = item.state === "done";
    bar.hidden = isDone || item.state === "failed";
    bar.value = item.progress;
    serial.hidden = !isDone || !item.serial;
    serial.textContent = item.serial ?? "";
    set(serial, { "aria-label": item.serial ? `Copy ${[...item.serial].join(" ")}` : null });
    state.textContent = isDone
      ? [item.confidence === null || item.confidence === undefined ? null : percent(item.confidence), item.serial ? null : item.error,
        item.seenBefore ? "seen before" : null].filter(Boolean).join(" · ")
      : item.error ?? item.message;
    state.className = `state ${item.state === "failed" ? "bad" : ""}`;
    mark.replaceChildren(isDone ? badge(item.verdict, item.confirmed) : "");
    why.hidden = !(isDone && item.job);
    if (item.job) why.href = `#/result/${item.job}`;
    set(why, { "aria-label": `Why? ${item.name}` });
    again.hidden = !(item.state === "failed" && item.file);
    if (isDone && told !== "done") { told = "done"; if (remembered.get("sound", false)) play(item.verdict); }
  }
  return { node, update };
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

const done = () => uploads.items.filter((item) => item.state === "done");

function copyAll() {
  const serials = done().filter((item) => item.serial).map((item) => item.serial);
  if (serials.length) copy(serials.join("\n"), `${serials.length} serials`);
  else toast("There is no serial to copy yet.");
}

// Made here, because these are the photos of this list, unsaved and unread ones too.
function spreadsheet() {
  // What a spreadsheet would take for a formula begins with an apostrophe.
  const cell = (value) => {
    const text = String(value ?? "");
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${harmless.replaceAll("\"", "\"\"")}"`;
  };
  const head = ["File", "Serial", "Verdict", "Confidence", "Confirmed", "Seen before", "Job", "Note"];
  const lines = uploads.items.map((item) => [item.name, item.serial,
    item.verdict ?? item.state, item.confidence === null || item.confidence === undefined ? "" : Math.floor(item.confidence * 1e4) / 1e4,
    item.confirmed ? "yes" : "", item.seenBefore, item.job, item.error].map(cell).join(","));
  download(new Blob([`\u{FEFF}${[head.map(cell).join(","), ...lines].join("\r\n")}\r\n`], { type: "text/csv" }),
    `serials-${new Date().toISOString().slice(0, 10)}.csv`);
}

function clear() {
  uploads.forget(...uploads.items.filter((item) => ["done", "failed"].includes(item.state)));
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
