// Follows this tab's photos on the server until they are read: by the event stream, or by polling without it.
import { api, ApiError, key, pause } from "./api.js";
import { hear } from "./hearing.js";
import { amend, isMine, items, mostEnded, own, sent, tell } from "./items.js";

const watchedAtOnce = 4;
/** Seconds between polls for missed events. */
const lookInterval = 10;
/** Items of a page of `GET /jobs`, and the most pages that are searched for changes whose events may have been lost. */
const [pageSize, mostPages] = [500, 4];
/** Number of the latest results that are asked for one by one if they are not on these pages. */
const lookedAgain = 20;

const isPending = (item) => item.state === "queued" && isMine(item);
const endWait = (resolve) => {
	wake = resolve;
};
let wake = () => {};

let watching = false;

/** Follows the photos that wait or are being read. */
export async function watch() {
	if (watching) return;
	watching = true;
	// The oldest first, because they are read first.
	for (let idle = 0;;) {
		const pending = items.filter(isPending).slice(0, watchedAtOnce);
		if (pending.length === 0 || key.isRejected) break;
		listenTo();
		const changed = await Promise.all(pending.map((item, index) => look(item, index === 0 && !isHearing)));
		idle = changed.some((hasChanged) => hasChanged) ? 0 : idle + 1;
		// With an event stream, polling only finds missed events.
		await (isHearing && idle > 0
			? Promise.race([pause(lookInterval), new Promise(endWait)])
			: pause(Math.min(2, 0.15 + 0.1 * idle)));
	}
	watching = false;
	leaveOff();
}

/** Whether the event stream is open; otherwise the server is polled. */
let isHearing = false;
let stopHearing = null;
/** Number of views that show changes made by others. */
let attending = 0;
/** Jobs that ended recently. */
const ended = new Set();

/** Follows a photo that the server has just accepted. */
export function followNew(item) {
	// Its end may have been reported before its id was known here.
	if (ended.has(item.job)) look(item, false);
	watch();
}

function listenTo() {
	stopHearing ??= hear(null, {
		heard: hearOf,
		opened(isNow) {
			isHearing = isNow;
			if (isNow) wake();
		},
		missed: catchUp,
	});
}

/** Looks for changes of results that were made while no events arrived. */
async function catchUp() {
	if (attending === 0) return;
	const left = new Map(
		items.filter((item) => item.state === "done" && item.job && isMine(item)).map((item) => [item.job, item]),
	);
	try {
		let cursor = "";
		for (let page = 0; page < mostPages && left.size > 0 && cursor !== null; page += 1) {
			const answer = await api.get(`/jobs?limit=${pageSize}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			for (const job of answer.items) {
				const item = left.get(job.job_id);
				if (item && left.delete(job.job_id) && isChanged(item, job)) await look(item, false);
			}
			cursor = answer.next_cursor;
		}
		for (const item of [...left.values()].slice(-lookedAgain)) await look(item, false);
	} catch { /* the next opening of the stream tries again */ }
}

/** Whether a person has decided differently about an item's job, or its end is not known here. */
const isChanged = (item, job) =>
	item.confirmed !== Boolean(job.confirmed_serial) || item.review !== job.review ||
	item.serial !== (job.confirmed_serial ?? job.serial);

function leaveOff() {
	if (watching || attending > 0) return;
	stopHearing?.();
	[stopHearing, isHearing] = [null, false];
}

/** Updates the list when others confirm or delete photos. Returns a function that stops this. */
export function attend() {
	attending += 1;
	listenTo();
	return () => {
		attending -= 1;
		leaveOff();
	};
}

function hearOf(name, job) {
	if (name === "changed" || name === "deleted") {
		const item = items.find((one) => one.job === job.job_id && one.state === "done" && isMine(one));
		if (item && name === "changed") look(item, false);
		else if (item) amend(item, { state: "failed", code: "JOB_NOT_FOUND", error: null, isFinal: true });
		return;
	}
	if (name === "ended") {
		ended.add(job.job_id);
		if (ended.size > mostEnded) ended.delete(ended.values().next().value);
	}
	const item = items.find((one) => one.job === job.job_id && isPending(one));
	if (!item) return;
	if (name !== "ended") {
		take(item, job);
		return;
	}
	look(item, false).then(() => {
		const pending = items.filter(isPending);
		for (const other of pending.slice(0, watchedAtOnce)) {
			if (!other.isReading) {
				moveUp(other);
				tell(other);
			}
		}
		if (pending.length === 0) wake();
	});
}

async function look(item, mayWait) {
	try {
		const wasPending = isPending(item);
		const before = [item.position, item.isReading, item.progress, item.state].join();
		const job = await api.result(item.job, mayWait ? 1 : 0);
		// A later request, sent at the event of the end, was answered first.
		if (wasPending && !isPending(item)) return true;
		take(item, job);
		return before !== [item.position, item.isReading, item.progress, item.state].join();
	} catch (error) {
		if (error instanceof ApiError && [404, 410].includes(error.status)) {
			Object.assign(item, { state: "failed", code: error.code, error: error.detail, isFinal: true, progress: 1 });
			tell(item);
			return true;
		}
		await pause(1);
		return false;
	}
}

function moveUp(item) {
	const before = items.filter((other) => other.state === "queued" && other.at < item.at).length;
	item.position = Math.min(item.position, before + 1 || item.position);
}

/** Updates an item from its job. */
function take(item, job) {
	if (item.state === "forgotten") return;
	const top = job.results?.top_result;
	const hasEnded = job.status === "completed" || job.status === "failed";
	const isWaiting = job.status === "queued" && item.position > 0;
	if (isWaiting) moveUp(item);
	Object.assign(item, {
		state: hasEnded ? "done" : "queued",
		progress: hasEnded ? 1 : Math.max(item.progress, sent + (1 - sent) * job.progress / 100),
		isReading: job.status === "processing",
		serial: job.confirmed_serial ?? top?.serial ?? null,
		confidence: top?.confidence ?? null,
		verdict: hasEnded ? job.verdict ?? job.results?.verdict ?? "refused" : null,
		confirmed: Boolean(job.confirmed_serial),
		review: job.review ?? null,
		seenBefore: job.seen_before ?? null,
		duplicateOf: job.duplicate_of ?? null,
		batch: job.batch_id ?? null,
		thumbnail: hasEnded ? job.thumbnail_url ?? null : null,
		codes: job.custom ?? {},
		custom: { ...item.custom, ...job.custom },
		code: hasEnded ? job.error_code ?? null : null,
		error: hasEnded ? job.error : null,
	});
	if (hasEnded && item.serial) removeReplaced(item);
	if (hasEnded) delete item.file;
	if (hasEnded && item.thumbnail) delete item.preview;
	tell(item);
}

/**
 * Deletes the photos that a photo with a serial replaces. Those that it doesn't replace, and those that may not be deleted,
 * keep their mark and stay out of the review.
 */
function removeReplaced(item) {
	for (const old of item.replaces ?? []) {
		api.request(`/jobs/${old}`, { method: "DELETE" }).catch(() => {/* it stays, marked */});
	}
	delete item.replaces;
}

/** Refreshes a job's item after a person confirmed or changed it. */
export async function refresh(job) {
	const item = items.find((one) => one.job && one.job === job);
	if (!item) return;
	own(item);
	take(item, await api.result(job));
}
