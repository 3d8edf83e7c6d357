// The queue of reads that need review: one after the other, with the photo, until nothing is left.
import { api, sentence } from "./api.js";
import { badge, download, el, toast } from "./dom.js";
import { picture } from "./detail.js";
import { editor } from "./editor.js";
import { characters, doubts } from "./reads.js";
import { percent, t } from "./strings.js";

const pageSize = 50;

export async function view(main) {
  const kinds = ["uncertain", "refused"].map((name) => [name, t(`verdict.${name}`)]);
  const scopes = await api.scopes();
  let verdict = "uncertain";
  let jobs = [];
  let cursor = null;
  let at = 0;
  let isLeft = false;
  const place = el("div", { class: "stack" });
  const count = el("p", { class: "quiet", role: "status" });
  const tabs = el("div", { class: "segments", role: "group", "aria-label": t("check.which") }, kinds.map(([value, title]) => el("button", {
    type: "button", "aria-pressed": String(value === verdict), onclick: () => { verdict = value; begin(); } }, title)));
  main.append(
    el("div", { class: "row spread" }, el("h1", {}, t("check.title")),
      scopes.has("admin") ? el("button", { type: "button", title: t("check.downloadHint"), onclick: pictures }, t("check.download")) : null),
    el("p", { class: "quiet" }, t("check.intro")),
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
    count.textContent = jobs.length === 0 ? "" : t(cursor ? "outOfMore" : "outOf", { some: at + 1, all: jobs.length });
    if (jobs.length === 0) {
      place.replaceChildren(el("div", { class: "empty" }, el("p", { class: "big" }, "✓"), el("p", {}, t("check.empty"))));
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
      el("div", { class: "row spread" }, el("h2", {}, job.filename ?? t("photo")), badge(job.verdict, job.confirmed_serial)),
      pictures,
      top ? el("p", { class: "quiet" }, t("check.readAs", { serial: top.serial, confidence: percent(top.confidence) }))
        : el("p", { class: "quiet" }, sentence(job.error_code, job.error)),
      top ? doubts(top) : null,
      edit.node,
      top?.characters ? el("details", {}, el("summary", {}, t("check.characters")), characters(top)) : null,
      el("div", { class: "row" },
        el("button", { type: "button", onclick: () => go(-1), disabled: at === 0 }, `← ${t("check.previous")}`),
        el("button", { type: "button", onclick: () => go(1), disabled: at + 1 >= jobs.length && !cursor }, `${t("check.next")} →`),
        el("a", { href: `#/result/${job.job_id}` }, t("details"))), whole));
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
    // From nowhere in particular, as after a look at the photo.
    if (event.key === "Enter" && [document.body, document.getElementById("main")].includes(event.target)) {
      event.preventDefault();
      place.querySelector("form.editor .primary:enabled")?.click();
    }
    if (!event.altKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    go(event.key === "ArrowRight" ? 1 : -1);
  };
  addEventListener("keydown", keys);
  await begin();
  return { leave() { isLeft = true; removeEventListener("keydown", keys); } };
}
