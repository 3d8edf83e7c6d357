// Texts and actions for the items in the lists of Scan and Live.
import { sentence } from "./api.js";
import * as custom from "./custom.js";
import { badge, el, tagBadge, toast } from "./dom.js";
import { removeSoon } from "./removal.js";
import { day, isolated, number, percent, t } from "./strings.js";
import { titleOf } from "./thumbnail.js";
import * as uploads from "./uploads.js";

/** Returns an item's title: its file's name, or its source and time. */
export function nameOf(item) {
	if (item.isLive) return t("nav.live");
	if (item.isTyped) return t("scanner.typed");
	return titleOf(item.name, item.at);
}

/** Returns an item's verdict, including a person's decision. Like the server, counts reviewed photos as without a serial. */
export const verdictOf = (item) => (item.confirmed ? "accepted" : item.review ? "refused" : item.verdict);

/** Creates an item's badge: its state, its verdict, or that it is a tag. */
export function markOf(item) {
	if (item.state === "failed") return badge("failed");
	if (item.state !== "done") {
		return el("span", { class: "badge waiting" }, t(item.isReading ? "upload.reading" : "verdict.waiting"));
	}
	if (custom.isTag(item)) return tagBadge();
	return badge(item.verdict, item.confirmed, item.review);
}

/** Returns an item's state in words, or in few words if `isShort`. */
export function stateOf(item, isShort = false) {
	const confidence = item.confidence ?? null;
	switch (item.state) {
		case "done":
			return [
				confidence === null || item.confirmed || item.isTyped ? null : percent(confidence),
				item.serial || custom.isTag(item) || isShort ? null : reason(item),
				tagState(item),
				duplicateState(item, isShort),
			].filter(Boolean).join(" · ");
		case "failed":
			return reason(item);
		case "sending":
			return item.retryIn
				? t("upload.retryIn", { reason: item.code ? reason(item) : t("unreachable"), n: item.retryIn })
				: t(item.attempt ? "upload.retrying" : "upload.sending");
		case "queued":
			return item.isReading
				? t("upload.reading")
				: item.position > 0
				? t("upload.position", { n: item.position })
				: t("upload.queued");
		default:
			return uploads.needsKey(item) ? reason(item) : t("upload.waiting");
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

/** Creates the list of an item's custom values; unsaved ones are marked. */
export function valuesOf(item) {
	const values = [
		...Object.entries(item.custom ?? {}).filter(([name]) => !(name in (item.owed ?? {}))).map((
			[name, value],
		) => [name, value, false]),
		...Object.entries(item.owed ?? {}).filter(([, value]) => value).map(([name, value]) => [name, value, true]),
	];
	if (values.length === 0) return null;
	return el(
		"span",
		{ class: "values" },
		values.map(([name, value, isOwed]) =>
			el(
				"span",
				{ class: `value ${isOwed ? "owed" : ""}`, title: isOwed ? t("custom.waiting") : custom.label(name) },
				el("span", { class: "away" }, `${custom.label(name)}: `),
				isolated(value),
				isOwed ? " …" : "",
			)
		),
	);
}

const megabytes = (bytes, round) => number(round(bytes / 104_857.6) / 10);

/** Returns the values of a tag. */
export const tagOf = (item) => Object.values(item.custom).map(isolated).join(", ");

/** Returns an item's serial, its tag, or the verdict if it has neither. */
export function wordOf(item) {
	if (item.serial) return item.serial;
	if (custom.isTag(item)) return tagOf(item);
	const hasFailed = item.state === "failed";
	return t(hasFailed ? "verdict.failed" : "verdict.refused");
}

/** Returns the reason why an item has no serial. */
export function reason(item) {
	if (item.code === "TOO_LARGE") {
		return t("upload.tooLarge", { size: megabytes(item.size, Math.ceil), limit: megabytes(item.limit, Math.floor) });
	}
	if (item.code === "UNREADABLE") return t("upload.unreadable");
	return sentence(item.code, item.error);
}

/** Removes items only from the list; their photos stay on the server. */
export function discard(...some) {
	if (some.length === 0) return;
	const undo = uploads.forget(...some);
	toast(t("scan.removed", { n: some.length }), "", [t("undo"), undo]);
}

/** Whether a user with these scopes may undo a read. Photos sent by this page are the user's own. */
export const canTakeBack = (item, scopes) => scopes.has("scan") || scopes.has("admin") || item.state !== "done";

/** Undoes a read: deletes its photo, its result, its saved serial, and the value it added to another device. */
export function takeBack(item) {
	const title = item.serial ?? nameOf(item);
	const device = custom.isTag(item) && uploads.items.find((other) => other.key === item.targetKey);
	const back = device ? Object.keys(item.custom).map((name) => custom.attach(device, name, null)) : [];
	item.isUnwanted = true;
	const restore = uploads.forget(item);
	// The serial of a duplicate photo was saved for the first one, so it is kept.
	const ofJob = () => (item.job ? [`/jobs/${item.job}${item.duplicateOf ? "" : "?serial=true"}`] : []);
	const paths = [...ofJob(), ...(item.serialID ? [`/serials/${item.serialID}`] : [])];
	removeSoon(
		{ paths, live: item.isLive ? [item.serial] : [], late: () => (paths.length > 0 ? [] : ofJob()) },
		t("recent.deleted", { title }),
		() => {
			restore();
			back.forEach((undo) => undo());
		},
	);
}

/** The path of a job. */
export const jobAt = ({ job_id: id }) => `/jobs/${id}`;

/** Deletes jobs and their photos, also from this browser's list; keeps their saved serials. Returns a function that undoes it. */
export function removeJobs(ids, text, restore) {
	const listed = uploads.items.filter((item) => ids.includes(item.job));
	const relist = listed.length > 0 ? uploads.forget(...listed) : () => {};
	return removeSoon({ paths: ids.map((id) => `/jobs/${id}`) }, text, () => {
		relist();
		restore();
	});
}
