// The page's API client: JSON requests, errors with their messages, and the key if the server requires one.
import { has, t } from "./strings.js";

const root = new URL("..", import.meta.url);

/** Returns the URL of a path on the server. A proxy may serve it below a prefix such as `/serialscan/`. */
export const at = (path) => new URL(path.replace(/^\//, ""), root);

/** Returns text from users with a replacement for each character that would reverse the text beside it. */
export const plain = (text) => text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");

/** The API key: stored until the tab is closed, or on this device if the user chooses so. */
export const key = {
	get() {
		return sessionStorage.getItem("serialscan.key") ?? localStorage.getItem("serialscan.key") ?? "";
	},
	get isRemembered() {
		return localStorage.getItem("serialscan.key") !== null;
	},
	set(text, { isRemembered = false } = {}) {
		key.forget();
		(isRemembered ? localStorage : sessionStorage).setItem("serialscan.key", text);
	},
	forget() {
		for (const store of [sessionStorage, localStorage]) store.removeItem("serialscan.key");
	},
	/** Whether the server rejected the key and the user gave no other: requests would be rejected too. */
	get isRejected() {
		return rejected === key.get();
	},
};

let rejected = null;

/** Returns a sentence of the server with what it marks as code in quotation marks. */
export const quoted = (text) => text.replaceAll(/`([^`]*)`/g, "“$1”");

/** Returns why a photo has no serial. */
export function reason({ flaw, refusal, error_code, error }) {
	for (const { serial, doubts } of (!flaw && refusal?.refused) || []) {
		const other = doubts?.find(({ code }) => ["other_maker", "part", "placeholder"].includes(code));
		if (other) return `${serial}: ${t(`doubt.${other.code}`)}`;
	}
	return sentence(flaw ?? error_code, error);
}

/** Returns an error's message: the page's own if the code says everything, otherwise the server's. */
export function sentence(code, detail) {
	if (!has(`error.${code}`)) return quoted(detail ?? "");
	const [, scope] = detail?.match(/`(\w+)`|\((\w+) needed\)/)?.filter(Boolean) ?? [];
	return code === "FORBIDDEN" && !scope ? quoted(detail) : t(`error.${code}`, { scope });
}

/** An error response: its message, its code and the delay before a retry. */
export class ApiError extends Error {
	constructor(status, body, retryAfter) {
		super(sentence(body.error_code, body.detail) || t("answered", { status: String(status) }));
		this.status = status;
		this.code = body.error_code ?? "";
		this.detail = body.detail ?? this.message;
		this.body = body;
		this.retryAfter = secondsUntil(retryAfter);
	}
}

/** Returns the seconds of a `Retry-After` header: a number, or a date as proxies send it. */
const secondsUntil = (text) => Math.max(0, Number(text ?? 0) || Math.ceil((Date.parse(text) - Date.now()) / 1000) || 0);

/** The server can't be reached. */
export class Unreachable extends Error {
	constructor() {
		super(t("unreachable"));
	}
}

/** Whether the same request may succeed later: the server can't be reached, is busy, or can't store anything now. */
export const isPassing = (error) => error instanceof Unreachable || [429, 503, 507].includes(error.status);

const headers = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

/** Calls `resume` whenever the network or the server may be back; `options` are those of `addEventListener`. */
export function whenBack(resume, options) {
	for (const name of ["online", "reachable"]) addEventListener(name, resume, options);
}

/** Whether a proxy reports that the server is down: the server's own errors have a code. */
const isAway = (status, body) => [502, 503, 504].includes(status) && !body.error_code;

/** Milliseconds without progress after which an upload is aborted: after sleep, a phone may never detect its lost connection. */
const patience = 60_000;
/** Milliseconds without data after which an event stream counts as lost: the server sends a heartbeat every 15 seconds. */
const silence = 40_000;
const everything = new Set(["scan", "read", "admin"]);
// Cached for one key, and discarded when the key changes.
let [settings, scopes, learnedWith] = [null, null, ""];
function forgetOfOthers() {
	if (learnedWith === key.get()) return;
	[settings, scopes, learnedWith] = [null, null, key.get()];
}

export const api = {
	/** Set by app.js: shows the dialog for a key; resolves to whether the user gave one. */
	showKeyDialog: async () => false,
	/** Set by app.js: called with whether the server responds. The window gets a `reachable` event once it does again. */
	onReachable() {},

	/**
	 * Asks for a key in place of a rejected one; resolves to whether there is a different one now. A user who closed the
	 * dialog is not asked again until `askAgain`, because pages send requests unasked.
	 */
	async askForKey(rejectedKey) {
		if (key.get() !== rejectedKey) return true;
		if (key.isRejected) return false;
		if (await api.showKeyDialog()) return true;
		rejected = key.get();
		return false;
	},

	/** Lets the next rejected request ask for a key: the user opened a view or tries again. */
	askAgain() {
		rejected = null;
	},

	/** Sends a request. If a key is required, asks for it and retries once. */
	async request(path, options = {}) {
		let response;
		const sentKey = key.get();
		try {
			response = await fetch(at(path), { ...options, headers: { ...headers(), ...options.headers } });
		} catch (error) {
			if (error.name === "AbortError") throw error;
			api.onReachable(false);
			throw new Unreachable();
		}
		response.json = async () => JSON.parse(plain(await response.text()));
		const body = response.ok ? null : await response.json().catch(() => ({}));
		if (body && isAway(response.status, body)) {
			api.onReachable(false);
			throw new Unreachable();
		}
		api.onReachable(true);
		if (response.ok) return response;
		const error = new ApiError(response.status, body, response.headers.get("Retry-After"));
		if (response.status === 401 && await api.askForKey(sentKey)) return api.request(path, options);
		throw error;
	},

	async get(path, options) {
		return (await api.request(path, options)).json();
	},

	/** Returns a photo's result, after up to `wait` seconds. Fails after 30 s: a phone may never detect a lost connection. */
	result(id, wait = 0) {
		return api.get(`/result/${encodeURIComponent(id)}?wait=${wait}`, { signal: AbortSignal.timeout(30_000) });
	},

	async send(method, path, value) {
		const response = await api.request(path, {
			method,
			...(value === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }),
		});
		return response.status === 204 ? null : response.json();
	},

	/**
	 * Receives events of jobs (`GET /events`) until the stream ends or `signal` aborts it. Uses `fetch`, because an
	 * `EventSource` can't send a key. Returns the id of the latest event, for resuming. `path` may have a query.
	 */
	async listen({ path = "/events", after, signal, onOpen, onEvent }) {
		const lost = new AbortController();
		const response = await fetch(at(path), {
			headers: { ...headers(), ...(after ? { "Last-Event-ID": after } : {}) },
			signal: AbortSignal.any([signal, lost.signal]),
		});
		if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
		onOpen();
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		let [rest, event, timer] = ["", {}];
		try {
			for (;;) {
				clearTimeout(timer);
				timer = setTimeout(() => lost.abort(), silence);
				const { value, done } = await reader.read();
				if (done) return after;
				const lines = (rest + value).split("\n");
				rest = lines.pop();
				for (const line of lines) {
					const [, name, text] = line.match(/^([a-z]+): (.*)$/) ?? [];
					if (name) event[name] = text;
					if (line !== "") continue;
					if (event.data) onEvent(event.event, JSON.parse(plain(event.data)));
					after = event.id ?? after;
					event = {};
				}
			}
		} finally {
			clearTimeout(timer);
		}
	},

	/** Fetches a file: a job's picture or an export. */
	async blob(path, options) {
		return (await api.request(path, options)).blob();
	},

	/** The server's client configuration (`GET /config`); null while the server is unreachable. */
	async config() {
		forgetOfOthers();
		const asked = settings ??= api.get("/config").catch(() => null);
		const known = await asked;
		if (known === null && settings === asked) settings = null;
		return known;
	},

	/** Maximum bytes of a photo; Infinity until it is known. */
	async largestUpload() {
		return (await api.config())?.limits.max_upload_bytes ?? Infinity;
	},

	/** The custom fields of devices, as {name, pattern}; empty if none are configured. */
	async customFields() {
		return (await api.config())?.custom_fields ?? [];
	},

	/** The key's scopes, a set of `scan`, `read` and `admin`. All of them if the server requires no key or is unreachable. */
	async scopes() {
		forgetOfOthers();
		if (!key.get()) return everything;
		scopes ??= (async () => {
			const status = async (path, method = "GET") => (await fetch(at(path), { method, headers: headers() })).status;
			const managing = await status("/keys");
			if (managing !== 403) {
				// Any other status is not cached.
				if (managing !== 200) scopes = null;
				return everything;
			}
			// Ending a session requires `scan`; no session has this name.
			const [read, scan] = await Promise.all([status("/stats?days=1"), status("/sessions/none", "DELETE")]);
			return new Set([read !== 403 ? "read" : "", scan !== 403 ? "scan" : ""]);
		})().catch(() => {
			scopes = null;
			return everything;
		});
		return scopes;
	},

	/** Sends a form and reports its upload progress, which `fetch` can't do. */
	upload(path, form, { idempotencyKey, signal, onProgress }) {
		return new Promise((resolve, reject) => {
			const request = new XMLHttpRequest();
			request.open("POST", at(path));
			const all = { ...headers(), ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}) };
			for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
			const lost = () => {
				api.onReachable(false);
				reject(new Unreachable());
			};
			let timer;
			const wait = () => {
				clearTimeout(timer);
				timer = setTimeout(() => {
					lost();
					request.abort();
				}, patience);
			};
			request.upload.onprogress = (event) => {
				wait();
				if (event.lengthComputable) onProgress(event.loaded / event.total);
			};
			request.onerror = lost;
			request.onabort = () => reject(new DOMException("", "AbortError"));
			request.onloadend = () => {
				clearTimeout(timer);
				signal.removeEventListener("abort", abort);
			};
			request.onload = () => {
				let body = {};
				try {
					body = JSON.parse(plain(request.responseText));
				} catch { /* no JSON: the status says enough */ }
				if (isAway(request.status, body)) {
					lost();
					return;
				}
				api.onReachable(true);
				if (request.status === 200) resolve(body);
				else reject(new ApiError(request.status, body, request.getResponseHeader("Retry-After")));
			};
			const abort = () => request.abort();
			signal.addEventListener("abort", abort);
			wait();
			request.send(form);
		});
	},
};

/** Returns a random id. Works without HTTPS, unlike `crypto.randomUUID`. */
export function uuid() {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Resolves after some seconds. */
export const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
