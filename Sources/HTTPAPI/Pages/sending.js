// Sends this tab's photos and typed serials, a few at a time, and retries after connection errors. The Idempotency-Key
// ensures that each photo becomes one job, whichever tab sends it.
import { api, isPassing, key, whenBack } from "./api.js";
import { followNew } from "./following.js";
import { isMine, items, sent, tab, tell, update } from "./items.js";
import * as kept from "./kept.js";

const atOnce = 3;
/** Maximum seconds before a retry: without a connection, and if the server names the time. */
const [longestPause, longestWait] = [30, 300];

let sending = 0;

/** Sends the items that wait; without a valid key, none. */
export function pump() {
	while (sending < atOnce && !key.isRejected) {
		const next = items.find((item) => item.state === "waiting" && isMine(item));
		if (!next) return;
		sending += 1;
		next.state = "sending";
		send(next).finally(() => {
			sending -= 1;
			pump();
		});
	}
}

/**
 * A pause that ends early when the connection is back, the phone wakes up, or `signal` aborts it. Calls `left` each
 * second with the seconds that are left.
 */
const pauseUnlessAwoken = (seconds, signal, left) =>
	new Promise((resolve) => {
		const over = new AbortController();
		const until = Date.now() + 1000 * seconds;
		const timer = setInterval(() => {
			// Rounded, because timers are seldom exact.
			const rest = Math.round((until - Date.now()) / 1000);
			if (rest > 0) left(rest);
			else end();
		}, 1000);
		const end = () => {
			clearInterval(timer);
			over.abort();
			resolve();
		};
		whenBack(end, { signal: over.signal });
		addEventListener("visibilitychange", end, { signal: over.signal });
		signal.addEventListener("abort", end, { signal: over.signal });
	});

/** Whether the item still belongs to this tab: another may have taken it over while this one was suspended. */
async function isStillMine(item) {
	if (!item.isKept) return true;
	const current = await kept.get(item.key).catch(() => item);
	if (current?.tab === tab) return true;
	if (current) update(current);
	return false;
}

async function send(item) {
	const change = (values) => {
		Object.assign(item, values);
		tell(item);
	};
	const fail = (values) => {
		if (isOver()) return;
		if (values.isFinal) {
			delete item.file;
			kept.remove([item.key], { staysInList: true });
			item.isKept = false;
		}
		change({ state: "failed", progress: 1, ...values });
	};
	// If the item is removed and restored, another call sends it.
	const stop = item.stop = new AbortController();
	let sentKey = "";
	const isOver = () => stop.signal.aborted || item.state !== "sending";
	for (let attempt = 0; !isOver(); attempt += 1) {
		if (!await isStillMine(item)) return;
		change({ attempt, retryIn: 0, progress: 0, code: null, error: null });
		sentKey = key.get();
		if (item.isTyped) {
			try {
				const saved = await saveTyped(item, stop.signal);
				if (!isOver()) change({ state: "done", progress: 1, code: null, error: null, ...saved });
				return;
			} catch (error) {
				if (!await isWorthAnother(error)) return;
				continue;
			}
		}
		const file = item.file ?? await kept.photo(item.key).catch(() => undefined);
		if (!file || !await isReadable(file)) {
			fail({ code: "UNREADABLE", isFinal: true });
			return;
		}
		const limit = await api.largestUpload();
		if (file.size > limit) {
			fail({ code: "TOO_LARGE", limit, isFinal: true });
			return;
		}
		if (isOver()) return;
		const form = new FormData();
		for (const [name, value] of Object.entries(item.fields ?? {})) if (value) form.append(name, value);
		form.append("image", file, item.name);
		try {
			// The key ensures a single job, however often the photo is sent.
			const answer = await api.upload("/scan", form, {
				idempotencyKey: item.key,
				signal: stop.signal,
				onProgress: (share) => {
					if (!isOver()) change({ progress: sent * share });
				},
			});
			if (item.isUnwanted && item.state === "forgotten") item.job = answer.job_id;
			if (isOver()) return;
			change({ state: "queued", job: answer.job_id, position: answer.queue_position, progress: sent });
			followNew(item);
			return;
		} catch (error) {
			if (!await isWorthAnother(error)) return;
		}
	}

	/** Whether to retry an item after an error; waits for the delay first. */
	async function isWorthAnother(error) {
		if (error.name === "AbortError") return false;
		if (error.status === 401) {
			if (await api.askForKey(sentKey)) return true;
			// With this key, every other item would be rejected too: all wait for another one.
			if (!isOver()) change({ state: "waiting", progress: 0, code: "UNAUTHORIZED", error: error.detail });
			return false;
		}
		// Errors caused by the photo would repeat.
		if (!isPassing(error)) {
			fail({ code: error.code, error: error.detail, isFinal: [413, 415, 422].includes(error.status) });
			return false;
		}
		const seconds = Math.ceil(
			Math.max(Math.min(longestWait, error.retryAfter ?? 0), Math.min(longestPause, 2 ** item.attempt)),
		);
		change({ retryIn: seconds, code: error.code ?? null, error: error.detail ?? null });
		await pauseUnlessAwoken(seconds, stop.signal, (left) => {
			if (!isOver()) change({ retryIn: left });
		});
		if (isOver()) return false;
		change({ retryIn: 0, code: null, error: null });
		return true;
	}
}

/** Saves a typed serial under the item's idempotency key. Returns the item's new fields. */
async function saveTyped(item, signal) {
	const { batch, device_type: deviceType } = item.fields ?? {};
	const response = await api.request("/serials", {
		method: "POST",
		signal,
		headers: { "Content-Type": "application/json", "Idempotency-Key": item.key },
		body: JSON.stringify({
			serial: item.serial,
			confidence: 1,
			source: "scanner",
			...(batch ? { batch } : {}),
			...(deviceType ? { device_type: deviceType } : {}),
		}),
	});
	const answer = await response.json();
	// Finds out whether it was read before; servers without devices don't report that.
	const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`, { signal }).catch(() => null);
	return {
		serialID: answer.serial_id,
		verdict: answer.validation_passed && answer.confidence_acceptable ? "accepted" : "uncertain",
		seenBefore: device?.times_seen > 1 ? device.reads?.[1]?.timestamp ?? device.first_seen : null,
		custom: { ...device?.custom, ...item.custom },
	};
}

// A file that was deleted or changed since it was chosen fails like a lost connection and would be retried
// indefinitely.
export const isReadable = (file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false);
