// The queue of doubtful reads: one after the other, with the picture, until nothing is left to check.
import { api } from "./api.js";
import { badge, download, el, percent, toast } from "./dom.js";
import { picture } from "./detail.js";
import { editor } from "./editor.js";
import { characters, doubts } from "./reads.js";

const pageSize = 50;

export async function view(main) {
  const kinds = [["uncertain", "Not sure"], ["refused", "Nothing read"]];
  let verdict = "uncertain";
  let jobs = [];
  let cursor = null;
  let at = 0;
  let isLeft = false;
  const place = el("div", { class: "stack" });
  const count = el("p", { class: "quiet", role: "status" });
  const tabs = el("div", { class: "segments", role: "group", "aria-label": "Which" }, kinds.map(([value, title]) => el("button", {
    type: "button", "aria-pressed": String(value === verdict), onclick: () => { verdict = value; begin(); } }, title)));
  main.append(
    el("div", { class: "row spread" }, el("h1", {}, "Check"),
      el("button", { type: "button", onclick: pictures }, "Confirmed pictures as a folder")),
    el("p", { class: "quiet" }, "Photos that wait for a person’s word. Enter confirms, Alt and the arrows move on."),
    tabs, count, place);

  async function more() {
    const query = new URLSearchParams({ verdict, confirmed: "false", limit: pageSize, ...(cursor ? { cursor } : {}) });
    const page = await api.get(`/jobs?${query}`);
    jobs.push(...page.items);
    cursor = page.next_cursor;
  }

  async function begin() {
    [...tabs.children].forEach((tab, index) => tab.setAttribute("aria-pressed", String(kinds[index][0] === verdict)));
    jobs = [];
    cursor = null;
    at = 0;
    await more();
    await show();
  }

  async function show() {
    if (isLeft) return;
    if (at >= jobs.length - 1 && cursor) await more();
    at = Math.max(0, Math.min(at, jobs.length - 1));
    count.textContent = jobs.length === 0 ? "" : `${at + 1} of ${jobs.length}${cursor ? " and more" : ""}`;
    if (jobs.length === 0) {
      place.replaceChildren(el("div", { class: "empty" }, el("p", { class: "big" }, "✓"), el("p", {}, "Nothing to check.")));
      return;
    }
    const job = await api.get(`/result/${jobs[at].job_id}`);
    if (isLeft) return;
    const top = job.results?.serials[0];
    const pictures = el("div", { class: "pictures stack" });
    // Below the field: what has to be compared stands beside each other without scrolling.
    const whole = el("div", { class: "pictures stack" });
    const edit = editor(job, () => { jobs.splice(at, 1); show(); });
    place.replaceChildren(el("article", { class: "card stack" },
      el("div", { class: "row spread" }, el("h2", {}, job.filename ?? "Photo"), badge(job.verdict, job.confirmed_serial)),
      pictures,
      top ? el("p", { class: "quiet" }, `Read as ${top.serial} with ${percent(top.confidence)}`) : el("p", { class: "quiet" }, job.error ?? ""),
      top ? doubts(top) : null,
      edit.node,
      top?.characters ? el("details", {}, el("summary", {}, "Character by character"), characters(top)) : null,
      el("div", { class: "row" },
        el("button", { type: "button", onclick: () => go(-1), disabled: at === 0 }, "← Before"),
        el("button", { type: "button", onclick: () => go(1), disabled: at + 1 >= jobs.length && !cursor }, "Next →"),
        el("a", { href: `#/result/${job.job_id}` }, "Why?")), whole));
    picture(job, pictures, whole);
    edit.input.focus({ preventScroll: true });
  }

  function go(step) { at += step; show().catch((error) => toast(error.message, "bad")); }

  async function pictures(event) {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      download(await api.blob("/export/pictures"), "confirmed-pictures.tar");
    } catch (error) {
      toast(error.message, "bad");
    } finally {
      button.disabled = false;
    }
  }

  const keys = (event) => {
    if (!event.altKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    go(event.key === "ArrowRight" ? 1 : -1);
  };
  addEventListener("keydown", keys);
  await begin();
  return { leave() { isLeft = true; removeEventListener("keydown", keys); } };
}
