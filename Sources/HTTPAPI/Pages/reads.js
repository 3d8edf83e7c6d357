// What is known of a read, shown: its characters, why it is not surer, what was tried.
import { el, percent } from "./dom.js";

/** Below this a character is marked as doubtful. */
const doubtful = 0.9;

/** The characters of a serial with how sure each is; doubtful ones are marked, with what else they may be. */
export function characters(read, onChoose) {
  if (!read.characters?.length) return null;
  const cells = read.characters.map((item, index) => {
    const isDoubtful = item.confidence < doubtful;
    const others = item.alternatives ?? [];
    const meter = el("meter", { min: 0, max: 1, low: 0.5, high: doubtful, optimum: 1, value: item.confidence,
      "aria-label": `${item.character}: ${percent(item.confidence)}` });
    return el("li", { class: isDoubtful ? "doubtful" : null },
      el("span", { class: "glyph" }, item.character), meter,
      el("span", { class: "quiet" }, percent(item.confidence)),
      others.length ? el("span", { class: "others" }, others.map((other) => (onChoose
        ? el("button", { type: "button", class: "small", title: percent(other.confidence),
          onclick: () => onChoose(index, other.character) }, `${other.character}?`)
        : el("span", { title: percent(other.confidence) }, `${other.character}?`)))) : null);
  });
  return el("ol", { class: "characters", "aria-label": `Characters of ${read.serial}` }, cells);
}

/** Why a read is not surer. */
export function doubts(read) {
  if (!read.doubts?.length) return null;
  return el("ul", { class: "doubts" }, read.doubts.map((doubt) => el("li", {}, doubt.sentence)));
}

/** What was tried, with its time, as a table. */
export function trace(results) {
  const longest = Math.max(...results.trace.map((step) => step.seconds), 0.001);
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "What was tried" },
    el("table", {},
      el("thead", {}, el("tr", {}, ["Strategy", "Time", "What it saw"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, results.trace.map((step) => el("tr", {},
        el("th", { scope: "row" }, step.strategy),
        el("td", { class: "number" }, `${step.seconds.toFixed(2)} s `,
          el("progress", { max: longest, value: step.seconds, "aria-label": `${step.strategy}: ${step.seconds.toFixed(2)} s` })),
        el("td", {}, step.outcome, step.serial && !step.outcome.includes(step.serial)
          ? el("code", {}, ` ${step.serial}`) : null))))));
}
