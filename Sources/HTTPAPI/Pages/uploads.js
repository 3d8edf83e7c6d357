// This browser's uploads: photos and typed serials are sent, and followed until they are read. The list survives changes of
// view and reloads. All tabs share it: the items of a tab that closes are taken over by another one.
import { api, pause, plain } from "./api.js";
import { remembered } from "./dom.js";
import { watch } from "./following.js";
import {
	channel,
	fieldsOf,
	isMine,
	items,
	keep,
	keepOne,
	mostEnded,
	newItem,
	ofTab,
	own,
	rememberForTab,
	replace,
	sent,
	show,
	tab,
	tell,
	update,
} from "./items.js";
import * as kept from "./kept.js";
import { pump } from "./sending.js";
import { t } from "./strings.js";

export { attend, refresh } from "./following.js";
export { amend, isPhoto, items, listen } from "./items.js";

/** Seconds within which an open tab responds: at the start, when the user is waiting, and later, when tabs may be busy. */
const answerTime = { first: 0.4, later: 2 };
/** Milliseconds between checks for tabs that ended without notice. */
const lookTime = 10_000;

/** Adds photos with their form fields and further item fields in `more`. They are sent in order. */
export async function add(files, fields, more = {}) {
	const added = files.map((file) =>
		newItem({ file, name: plain(file.name) || t("upload.pasted"), size: file.size, fields, ...more })
	);
	added.forEach(tell);
	pump();
	await keep(added);
}

/** Adds a serial typed by a scanner or a person, with its form fields. It is sent in order. */
export async function addTyped(serial, fields) {
	const item = newItem({ name: "", isTyped: true, serial, size: 0, fields });
	tell(item);
	pump();
	await keepOne(item);
	return item;
}

/** Adds a serial from live reading to the list. */
export function addRead({ serial, confidence, verdict, seenBefore }) {
	const item = newItem({ name: "", isLive: true, serial, confidence, verdict, seenBefore, state: "done", progress: 1 });
	tell(item);
	return item;
}

/** Removes items from the list; their jobs stay on the server. Returns a function that undoes it. */
export function forget(...some) {
	const before = some.map((item) => [item, item.state]);
	for (const item of some) {
		// The server may already have stored the photo: wait for the response, which names the job to delete.
		const isOnlyAwaited = item.isUnwanted && item.state === "sending" && item.progress >= sent;
		item.state = "forgotten";
		if (!isOnlyAwaited) item.stop?.abort();
	}
	replace(items.filter((item) => item.state !== "forgotten"));
	some.forEach(tell);
	const keys = some.map((item) => item.key);
	channel?.postMessage({ forgotten: keys });
	// Keep unsent photos in memory until the removal can no longer be undone.
	const photos = Promise.all(before.map(async ([item]) => {
		item.file ??= item.isKept ? await kept.photo(item.key).catch(() => undefined) : undefined;
	}))
		.then(() => kept.remove(keys)).then(rememberForTab);
	return async () => {
		await photos;
		const back = before.filter(([item]) => !items.includes(item));
		for (const [item, state] of back) {
			own(item);
			Object.assign(item, {
				state: state === "sending" ? "waiting" : state,
				isKept: false,
				isUnwanted: false,
				shown: null,
			});
		}
		// Store the restored items again.
		if (await kept.isAvailable()) await kept.put(back.map(([item]) => item).filter((item) => !item.file).map(fieldsOf));
		replace([...items, ...back.map(([item]) => item)].sort((one, other) => one.at - other.at));
		back.forEach(([item]) => tell(item));
		proceed();
		await keep(back.map(([item]) => item));
	};
}

/** Empties the list and its storage, when the user signs out. */
export async function forgetAll() {
	const all = [...items];
	forget(...all);
	await kept.remove(all.map((item) => item.key));
}

/** Returns the photos of all tabs that have not reached the server. */
export const unsent = () => items.filter((item) => ["waiting", "sending"].includes(item.state));

/** Whether an item waits for a key, because the server rejected the one it was sent with. */
export const needsKey = (item) => item.state === "waiting" && item.code === "UNAUTHORIZED";

/** Whether retrying an item can succeed. */
export const canRetry = (item) =>
	(item.state === "failed" || needsKey(item)) && !item.isFinal && Boolean(item.file || item.isKept || item.isTyped);

/** Sends the items that wait, and follows those on the server. */
export function proceed() {
	pump();
	watch();
}

/** Retries an item whose upload failed. */
export function retry(item) {
	// The batch has ended, so use the current one.
	if (["BATCH_ENDED", "BATCH_NOT_FOUND"].includes(item.code)) {
		item.fields = { ...item.fields, batch: remembered.get("batch", null)?.id ?? "" };
	}
	own(item);
	Object.assign(item, { state: "waiting", code: null, error: null, attempt: 0, progress: 0 });
	tell(item);
	api.askAgain();
	proceed();
}

const answers = new Set();
if (channel) {
	channel.onmessage = ({ data }) => {
		if (data.item) update(data.item);
		else if (data.ask && data.ask !== tab) channel.postMessage({ here: tab });
		else if (data.here) answers.add(data.here);
		else if (data.gone) takeOver((name) => name === data.gone).catch(() => {});
		else if (data.forgotten) {
			const gone = items.filter((item) => data.forgotten.includes(item.key));
			for (const item of gone) {
				item.state = "forgotten";
				item.stop?.abort();
			}
			replace(items.filter((item) => item.state !== "forgotten"));
			gone.forEach(show);
		}
	};
}

/** Returns the other tabs that are open and not suspended. */
async function living(seconds) {
	answers.clear();
	if (!channel) return answers;
	channel.postMessage({ ask: tab });
	await pause(seconds);
	return new Set(answers);
}

/** Takes over the unfinished items of closed tabs. Returns the number of photos sent again. */
async function takeOver(isGone) {
	const adopted = await kept.adopt((name) => name !== tab && isGone(name), tab);
	for (const fields of adopted) {
		update({ ...fields, state: fields.state === "sending" ? "waiting" : fields.state, retryIn: 0, position: 0 });
	}
	proceed();
	return adopted.filter((item) => ["waiting", "sending"].includes(item.state)).length;
}

let hasLoaded;
/** Resolves once the list of a reloaded page is loaded, so that it is drawn at once. */
export const loaded = new Promise((resolve) => {
	hasLoaded = resolve;
});

/** Loads this browser's list and resumes it. Returns the number of photos sent again. */
export const resume = () => load().finally(hasLoaded);

async function load() {
	if (!await kept.isAvailable()) {
		try {
			for (const fields of JSON.parse(sessionStorage.getItem(ofTab) ?? "[]")) update({ ...fields, tab });
		} catch { /* nothing kept */ }
		watch();
		return 0;
	}
	const isReloaded = sessionStorage.getItem("serialscan.visit") !== null;
	try {
		sessionStorage.setItem("serialscan.visit", "1");
	} catch { /* then each load is a new visit */ }
	const found = await kept.all();
	if (isReloaded) found.forEach(update);
	hasLoaded();
	const awake = found.length > 0 ? await living(answerTime.first) : answers;
	// Results are shown while a tab of this browser is open; after that, a new tab shows none of them.
	const isOver = (item) =>
		!isReloaded && awake.size === 0 && (item.state === "done" || (item.state === "failed" && !item.isKept));
	const ended = found.filter((item) => item.state === "done");
	const left = new Set([...found.filter(isOver), ...ended.slice(0, -mostEnded)].map((item) => item.key));
	if (left.size > 0) kept.remove([...left]);
	if (!isReloaded) found.filter((item) => !left.has(item.key)).forEach(update);
	return takeOver((name) => !awake.has(name));
}

// Tabs that crash or are killed by the phone give no notice; the visible tab takes over their items, and catches up on
// those that another tab took over.
setInterval(async () => {
	if (
		document.hidden || !items.some((item) => !isMine(item) && ["waiting", "sending", "queued"].includes(item.state))
	) return;
	const awake = await living(answerTime.later);
	await takeOver((name) => !awake.has(name)).catch(() => {});
	(await kept.all().catch(() => [])).forEach(update);
}, lookTime);
addEventListener("pagehide", () => channel?.postMessage({ gone: tab }));
// Another tab may have taken over the items of a page restored from the back/forward cache.
addEventListener("pageshow", (event) => {
	if (event.persisted) resume().catch(() => {});
});
addEventListener("beforeunload", (event) => {
	if (unsent().some((item) => isMine(item) && !item.isKept)) event.preventDefault();
});
