// One photo: what was read in it, where, and why.
import { api } from "./api.js";
import { badge, copy, el, percent, when } from "./dom.js";
import { editor } from "./editor.js";
import { enlarged, load, marked } from "./photo.js";
import { characters, doubts, trace } from "./reads.js";

export async function view(main, { rest: [id] }) {
  const heading = el("h1", {}, "Photo");
  const body = el("div", { class: "stack" }, el("p", { class: "quiet" }, "Loading…"));
  main.append(el("p", {}, el("a", { href: "#/scan", onclick: back }, "← Back")), heading, body);
  let isLeft = false;
  const show = async () => {
    const job = await api.get(`/result/${encodeURIComponent(id)}?wait=20`);
    if (isLeft) return;
    heading.textContent = job.filename ?? "Photo";
    if (job.status === "queued" || job.status === "processing") {
      body.replaceChildren(el("p", {}, job.message), el("progress", { max: 100, value: job.progress, "aria-label": "Progress" }));
      show();
      return;
    }
    body.replaceChildren(...facts(job, show));
    picture(job, body.querySelector(".pictures"));
  };
  await show();
  return { leave() { isLeft = true; } };
}

function back(event) {
  if (history.length > 1) { event.preventDefault(); history.back(); }
}

function facts(job, again) {
  const results = job.results ?? job.refusal;
  const top = job.results?.serials[0];
  const serial = job.confirmed_serial ?? top?.serial;
  const told = [
    top ? `Confidence ${percent(top.confidence)}` : null, top ? `read by ${top.method}` : null,
    results ? `${results.preset}${results.preset_was_detected ? " (the picture decided)" : ""}` : null,
    results ? `${results.processing_time.toFixed(2)} s` : null, when(job.created_at),
  ].filter(Boolean).join(" · ");
  return [
    el("div", { class: "card stack" },
      el("div", { class: "row" },
        serial ? el("span", { class: "serial big" }, serial) : el("span", { class: "big quiet" }, "No serial"),
        badge(job.verdict, job.confirmed_serial),
        serial ? el("button", { type: "button", onclick: () => copy(serial) }, "Copy") : null),
      el("p", { class: "quiet" }, told),
      job.error && !job.confirmed_serial ? el("p", { class: "bad" }, job.error) : null,
      job.seen_before ? el("p", { class: "note" }, `The same serial was read before, on ${when(job.seen_before)}.`) : null,
      top ? doubts(top) : null),
    el("div", { class: "pictures stack" }),
    top?.characters ? el("section", { class: "stack" }, el("h2", {}, "Character by character"), characters(top)) : null,
    el("section", { class: "stack" }, el("h2", {}, "Say what it is"), editor(job, again).node),
    ...others(results),
    results?.trace.length ? el("section", { class: "stack" }, el("h2", {}, "What was tried"), trace(results)) : null,
  ].filter(Boolean);
}

function others(results) {
  const further = results?.serials?.slice(1) ?? [];
  const refused = results?.refused ?? [];
  const notes = results?.notes ?? [];
  const line = (read) => el("li", {}, el("code", {}, read.serial), ` ${percent(read.confidence)}`,
    read.doubts?.length ? el("span", { class: "quiet" }, ` ${read.doubts[0].sentence}`) : null);
  return [
    notes.length ? el("section", { class: "stack" }, el("h2", {}, "Notes"), el("ul", {}, notes.map((note) => el("li", {}, note)))) : null,
    further.length ? el("section", { class: "stack" }, el("h2", {}, "Also read"), el("ul", {}, further.map(line))) : null,
    refused.length ? el("section", { class: "stack" }, el("h2", {}, "Seen, and refused"), el("ul", {}, refused.map(line))) : null,
  ];
}

/** Puts the enlarged serial into a place and the whole photo there too, or into one further down. */
export async function picture(job, place, below = place) {
  try {
    const photo = await load(job.job_id);
    const results = job.results;
    const size = { width: results?.photo_width ?? 0, height: results?.photo_height ?? 0 };
    const close = results ? enlarged(photo, results.serials[0].region, size) : null;
    if (close) place.append(close);
    (close ? below : place).append(marked(photo, results?.serials ?? [], size));
  } catch (error) {
    place.append(el("p", { class: "quiet" }, error.message));
  }
}
