// Receives events (`GET /events`) of all jobs or those of a batch. Browsers limit the connections to a server, and
// uploads need them, so only one tab listens and passes the events on to the others.
import { api, pause, uuid, whenBack } from "./api.js";

/** Milliseconds of the listening tab's lease, between its renewals, and before listening is retried after a failure. */
const [lease, renewal, rest] = [6000, 2000, 10_000];
/** Milliseconds between polls for changes without events, such as entered values. */
const interval = 8000;
const tab = uuid();
const channel = globalThis.BroadcastChannel ? new BroadcastChannel("serialscan.heard") : null;
/** The listeners by batch; "" stands for all jobs that the key may see. */
const places = new Map();
channel?.addEventListener("message", ({ data }) => {
	const place = places.get(data.batch);
	if (data.isOpen) place?.miss();
	else place?.tell(data.name, data.job);
});

/**
 * Calls `heard` for each event (`progress`, `ended`, `changed`, `deleted`) of the jobs of a batch, or of all jobs if
 * `batch` is null; `opened` when the stream opens or breaks; and `missed` when events may have been lost, because the
 * server does not repeat them all: after each opening. Call it before loading what is shown. Returns a function that
 * stops this.
 */
export function hear(batch, { heard, opened = () => {}, missed = () => {} }) {
	const name = batch ?? "";
	if (!places.has(name)) places.set(name, listener(name));
	return places.get(name).add({ heard, opened, missed });
}

/**
 * Calls `look` a moment after the first of several events that change a list or may have been lost, as soon as the page
 * is visible. Only events of jobs that `concerns` count. Call it before loading the list. Returns a function that stops
 * this.
 */
export function follow(batch, look, concerns = () => true) {
	let timer = null;
	let isDue = false;
	const turn = () => {
		timer = null;
		if (document.hidden) {
			isDue = true;
			return;
		}
		isDue = false;
		look();
	};
	const seen = () => {
		if (isDue) turn();
	};
	document.addEventListener("visibilitychange", seen);
	const due = () => {
		timer ??= setTimeout(turn, 1000);
	};
	const stop = hear(batch, {
		heard: (name, job) => {
			if (name !== "progress" && concerns(job)) due();
		},
		missed: due,
	});
	return () => {
		stop();
		clearTimeout(timer);
		document.removeEventListener("visibilitychange", seen);
	};
}

/**
 * Calls `look` every few seconds while the page is visible, and when it becomes visible: for changes without events.
 * Returns a function that stops this.
 */
export function poll(look) {
	const turn = () => {
		if (!document.hidden) look();
	};
	const timer = setInterval(turn, interval);
	document.addEventListener("visibilitychange", turn);
	return () => {
		clearInterval(timer);
		document.removeEventListener("visibilitychange", turn);
	};
}

function listener(batch) {
	const hearers = new Set();
	const stored = `serialscan.listener.${batch}`;
	let listening = null;
	let isOpen = false;
	let restsUntil = 0;
	const over = new AbortController();
	const tell = (name, job) => {
		for (const { heard } of [...hearers]) heard(name, job);
	};
	const miss = () => {
		for (const { missed } of [...hearers]) missed();
	};

	function open(isNow) {
		if (isNow === isOpen) return;
		isOpen = isNow;
		for (const { opened } of [...hearers]) opened(isOpen);
	}

	// Without storage, every tab listens.
	function isMine() {
		try {
			const [owner, time] = (localStorage.getItem(stored) ?? "").split(" ");
			if (owner && owner !== tab && Math.abs(Date.now() - Number(time)) < lease) return false;
			localStorage.setItem(stored, `${tab} ${Date.now()}`);
		} catch { /* see above */ }
		return true;
	}

	function opened() {
		open(true);
		miss();
		channel?.postMessage({ batch, isOpen: true });
	}

	async function listen() {
		const stop = listening = new AbortController();
		const path = batch ? `/events?batch=${encodeURIComponent(batch)}` : "/events";
		try {
			for (let after = ""; !stop.signal.aborted;) {
				after = await api.listen({
					path,
					after,
					signal: stop.signal,
					onOpen: opened,
					onEvent: (name, job) => {
						tell(name, job);
						channel?.postMessage({ batch, name, job });
					},
				});
				open(false);
				await pause(1);
			}
		} catch {
			if (!stop.signal.aborted) restsUntil = Date.now() + rest;
		}
		if (listening !== stop) return;
		listening = null;
		open(false);
	}

	function turn() {
		// Another tab may succeed meanwhile.
		if (!listening && Date.now() < restsUntil) return;
		if (isMine()) {
			if (!listening) listen();
			return;
		}
		// Another tab took over while this one was suspended.
		if (listening) {
			listening.abort();
			listening = null;
			miss();
		}
		open(true);
	}

	// Lets another tab take over before the lease expires.
	function release() {
		try {
			if (localStorage.getItem(stored)?.startsWith(`${tab} `)) localStorage.removeItem(stored);
		} catch { /* see above */ }
	}

	function end() {
		clearInterval(timer);
		over.abort();
		places.delete(batch);
		release();
		listening?.abort();
	}

	whenBack(() => {
		restsUntil = 0;
		turn();
	}, { signal: over.signal });
	addEventListener("pagehide", release, { signal: over.signal });
	const timer = setInterval(turn, renewal);
	turn();
	return {
		tell,
		miss,
		add(hearer) {
			hearers.add(hearer);
			if (isOpen) hearer.opened(true);
			return () => {
				if (hearers.delete(hearer) && hearers.size === 0) end();
			};
		},
	};
}
