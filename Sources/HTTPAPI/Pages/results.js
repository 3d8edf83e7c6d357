// What the lists of Scan and Live say of an item, and what is done with one: taken back, or opened to be changed.
import { sentence } from "./api.js";
import * as custom from "./custom.js";
import { badge, el, toast } from "./dom.js";
import { removeSoon } from "./removal.js";
import { day, number, percent, t } from "./strings.js";
import { titleOf } from "./thumbnail.js";
import * as uploads from "./uploads.js";

/** What an item is called: its file's name, or how and when it came. */
export function nameOf(item) {
  if (item.isLive) return t("upload.live");
  if (item.isTyped) return t("scanner.typed");
  return titleOf(item.name, item.at);
}

/** The verdict of an item, once a person has had the last word. */
export const verdictOf = (item) => (item.confirmed ? "accepted" : item.verdict);

/** The mark of an item: its verdict, or that it is a tag or a duplicate. */
export function markOf(item) {
  if (item.state === "failed") return el("span", { class: "badge refused" }, `! ${t("verdict.failed")}`);
  if (item.state !== "done") return el("span", { class: "badge waiting" }, t(item.isReading ? "upload.reading" : "verdict.waiting"));
  if (custom.isTag(item)) return el("span", { class: "badge confirmed" }, t("custom.tag"));
  return badge(item.verdict, item.confirmed);
}

/** How an item stands, in words; in few where there is little room. */
export function stateOf(item, isShort = false) {
  const confidence = item.confidence ?? null;
  switch (item.state) {
    case "done": return [confidence === null || item.confirmed || item.isTyped ? null : percent(confidence),
      item.serial || custom.isTag(item) || isShort ? null : reason(item), tagState(item),
      duplicateState(item, isShort)].filter(Boolean).join(" · ");
    case "failed": return reason(item);
    case "sending": return item.retryIn ? t("upload.retryIn", { reason: item.code ? reason(item) : t("unreachable"), n: item.retryIn })
      : t(item.attempt ? "upload.retrying" : "upload.sending");
    case "queued": return item.isReading ? t("upload.reading") : item.position > 0 ? t("upload.position", { n: item.position }) : t("upload.queued");
    default: return t("upload.waiting");
  }
}

function duplicateState(item, isShort) {
  if (item.duplicateOf) return t("recent.samePhoto");
  if (!item.seenBefore) return null;
  return isShort ? t("history.duplicate") : t("scan.duplicate", { date: day(item.seenBefore) });
}

function tagState(item) {
  if (!custom.isTag(item)) return null;
  if (item.target) return t("custom.belongs", { serial: item.target });
  return item.target === null && !item.targetKey ? t("custom.noDevice") : t("custom.waiting");
}

/** The values of a device's own fields beside its serial; those that are not saved yet are marked. */
export function valuesOf(item) {
  const values = [...Object.entries(item.custom ?? {}).filter(([name]) => !(name in (item.owed ?? {}))).map(([name, value]) => [name, value, false]),
    ...Object.entries(item.owed ?? {}).filter(([, value]) => value).map(([name, value]) => [name, value, true])];
  if (values.length === 0) return null;
  return el("span", { class: "values" }, values.map(([name, value, isOwed]) => el("span", { class: `value ${isOwed ? "owed" : ""}`,
    title: isOwed ? t("custom.waiting") : custom.label(name) }, el("span", { class: "away" }, `${custom.label(name)}: `), value, isOwed ? " …" : "")));
}

const megabytes = (bytes, round) => number(round(bytes / 104_857.6) / 10);

/** What an item says of itself in one word: its serial, its tag, or that there is none. */
export function wordOf(item) {
  if (item.serial) return item.serial;
  if (custom.isTag(item)) return Object.values(item.custom).join(", ");
  const hasFailed = item.state === "failed";
  return t(hasFailed ? "verdict.failed" : "verdict.refused");
}

/** Why an item has no serial. */
export function reason(item) {
  if (item.code === "TOO_LARGE") return t("upload.tooLarge", { size: megabytes(item.size, Math.ceil), limit: megabytes(item.limit, Math.floor) });
  if (item.code === "UNREADABLE") return t("upload.unreadable");
  return sentence(item.code, item.error);
}

/** Removes items from the list alone; their photos stay on the server. */
export function discard(...some) {
  if (some.length === 0) return;
  const undo = uploads.forget(...some);
  toast(t("scan.removed", { n: some.length }), "", [t("undo"), undo]);
}

/** Whether a person with these permissions may take a read back: what this page has sent is their own. */
export const canTakeBack = (item, scopes) => scopes.has("scan") || scopes.has("admin") || item.state !== "done";

/** Takes a read back: its photo, its result and its saved serial are deleted, and the value that it gave to another device. */
export function takeBack(item) {
  const title = item.serial ?? nameOf(item);
  const device = custom.isTag(item) && uploads.items.find((other) => other.key === item.targetKey);
  const back = device ? Object.keys(item.custom).map((name) => custom.attach(device, name, null)) : [];
  item.isUnwanted = true;
  const restore = uploads.forget(item);
  // A photo that was sent before has its serial from then, which stays.
  const ofJob = () => (item.job ? [`/jobs/${item.job}${item.duplicateOf ? "" : "?serial=true"}`] : []);
  const paths = [...ofJob(), ...(item.serialID ? [`/serials/${item.serialID}`] : [])];
  removeSoon({ paths, live: item.isLive ? [item.serial] : [], late: () => (paths.length > 0 ? [] : ofJob()) }, t("recent.deleted", { title }), () => {
    restore();
    back.forEach((undo) => undo());
  });
}

/** Deletes jobs and their photos, in the list of this browser too; serials that were saved of them stay. Returns how to take it back. */
export function removeJobs(ids, text, restore) {
  const listed = uploads.items.filter((item) => ids.includes(item.job));
  const relist = listed.length > 0 ? uploads.forget(...listed) : () => {};
  return removeSoon({ paths: ids.map((id) => `/jobs/${id}`) }, text, () => { relist(); restore(); });
}
