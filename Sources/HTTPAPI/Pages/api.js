// Talking to the server, as every client does: JSON, errors with their text, the key if one is needed.
import { has, t } from "./strings.js";

const root = new URL("..", import.meta.url);

/** The address of a path of the server, which a proxy may show below a path of its own (`/serialscan/`). */
export const at = (path) => new URL(path.replace(/^\//, ""), root);

/** The key: kept until the tab is closed, or on this device if the person asks for that. */
export const key = {
  get() { return sessionStorage.getItem("serialscan.key") ?? localStorage.getItem("serialscan.key") ?? ""; },
  get isRemembered() { return localStorage.getItem("serialscan.key") !== null; },
  set(text, { isRemembered = false } = {}) {
    key.forget();
    (isRemembered ? localStorage : sessionStorage).setItem("serialscan.key", text);
  },
  forget() { for (const store of [sessionStorage, localStorage]) store.removeItem("serialscan.key"); },
};

/** The sentence of an error: the page's own where its code says all, else the server's. */
export function sentence(code, detail) {
  if (!has(`error.${code}`)) return detail ?? "";
  const [, scope] = detail?.match(/`(\w+)`|\((\w+) needed\)/)?.filter(Boolean) ?? [];
  return code === "FORBIDDEN" && !scope ? detail : t(`error.${code}`, { scope });
}

/** An answer that is not a success: its sentence, its code, and when to come again. */
export class ApiError extends Error {
  constructor(status, body, retryAfter) {
    super(sentence(body.error_code, body.detail) || t("answered", { status: String(status) }));
    this.status = status;
    this.code = body.error_code ?? "";
    this.detail = body.detail ?? this.message;
    this.body = body;
    this.retryAfter = Number(retryAfter) || 0;
  }
}

/** The server can't be reached. */
export class Unreachable extends Error {
  constructor() { super(t("unreachable")); }
}

const headers = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

/** Whether a proxy answers for a server that is away: the server's own errors have a code. */
const isAway = (status, body) => [502, 503, 504].includes(status) && !body.error_code;

/** Milliseconds in which an upload has to get on; a phone that slept may never hear of its lost connection. */
const patience = 120_000;
/** Milliseconds of silence after which a stream of events is lost: the server says something every 15 seconds. */
const silence = 40_000;
const everything = new Set(["scan", "read", "admin"]);
// What was learned with a key goes with it.
let [settings, scopes, learnedWith] = [null, null, ""];
function forgetOfOthers() {
  if (learnedWith === key.get()) return;
  [settings, scopes, learnedWith] = [null, null, key.get()];
}

export const api = {
  /** Set by the frame: asks a person for a key, and says whether there is one now. */
  askForKey: async () => false,
  /** Set by the frame: hears whether the server answers. */
  onReachable() {},

  /** A request; asks for a key where one is needed, and tries once more with it. */
  async request(path, options = {}) {
    let response;
    try {
      response = await fetch(at(path), { ...options, headers: { ...headers(), ...options.headers } });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      api.onReachable(false);
      throw new Unreachable();
    }
    const body = response.ok ? null : await response.json().catch(() => ({}));
    if (body && isAway(response.status, body)) { api.onReachable(false); throw new Unreachable(); }
    api.onReachable(true);
    if (response.ok) return response;
    const error = new ApiError(response.status, body, response.headers.get("Retry-After"));
    if (response.status === 401 && await api.askForKey(error)) return api.request(path, options);
    throw error;
  },

  async get(path, options) { return (await api.request(path, options)).json(); },

  async send(method, path, value) {
    const response = await api.request(path, {
      method, ...(value === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }),
    });
    return response.status === 204 ? null : response.json();
  },

  /**
   * Hears of jobs (`GET /events`, by `fetch`, as an `EventSource` can't send a key) until the stream ends or `signal` aborts it.
   * Returns the id of the latest event, to continue after it. `path` may have a query.
   */
  async listen({ path = "/events", after, signal, onOpen, onEvent }) {
    const lost = new AbortController();
    const response = await fetch(at(path), {
      headers: { ...headers(), ...(after ? { "Last-Event-ID": after } : {}) }, signal: AbortSignal.any([signal, lost.signal]),
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
          if (event.data) onEvent(event.event, JSON.parse(event.data));
          after = event.id ?? after;
          event = {};
        }
      }
    } finally { clearTimeout(timer); }
  },

  /** A file: the picture of a job, an export. */
  async blob(path, options) { return (await api.request(path, options)).blob(); },

  /** What the server says of itself (`GET /config`); null while it can't be asked. */
  async config() {
    forgetOfOthers();
    const asked = settings ??= api.get("/config").catch(() => null);
    const known = await asked;
    if (known === null && settings === asked) settings = null;
    return known;
  },

  /** Bytes of the largest photo that the server takes; Infinity until it is known. */
  async largestUpload() { return (await api.config())?.limits.max_upload_bytes ?? Infinity; },

  /** The fields of one's own that devices have: {name, pattern}. None where the server has none. */
  async customFields() { return (await api.config())?.custom_fields ?? []; },

  /** What the key permits, as a set of `scan`, `read` and `admin`: all where the server is open or can't be asked. */
  async scopes() {
    forgetOfOthers();
    if (!key.get()) return everything;
    scopes ??= (async () => {
      const status = async (path, method = "GET") => (await fetch(at(path), { method, headers: headers() })).status;
      const managing = await status("/keys");
      if (managing !== 403) {
        // Anything but a yes or a no is asked again.
        if (managing !== 200) scopes = null;
        return everything;
      }
      // Sessions are ended by keys that may film; there is none of this name.
      const [read, scan] = await Promise.all([status("/stats?days=1"), status("/sessions/none", "DELETE")]);
      return new Set([read !== 403 ? "read" : "", scan !== 403 ? "scan" : ""]);
    })().catch(() => { scopes = null; return everything; });
    return scopes;
  },

  /** Sends a form and tells how much of it has gone, which `fetch` does not. */
  upload(path, form, { idempotencyKey, signal, onProgress }) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", at(path));
      const all = { ...headers(), ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}) };
      for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
      const lost = () => { api.onReachable(false); reject(new Unreachable()); };
      let timer;
      const wait = () => { clearTimeout(timer); timer = setTimeout(() => { lost(); request.abort(); }, patience); };
      request.upload.onprogress = (event) => { wait(); if (event.lengthComputable) onProgress(event.loaded / event.total); };
      request.onerror = lost;
      request.onabort = () => reject(new DOMException("", "AbortError"));
      request.onloadend = () => clearTimeout(timer);
      request.onload = () => {
        let body = {};
        try { body = JSON.parse(request.responseText); } catch { /* no JSON: the status says enough */ }
        if (isAway(request.status, body)) { lost(); return; }
        api.onReachable(true);
        if (request.status === 200) resolve(body);
        else reject(new ApiError(request.status, body, request.getResponseHeader("Retry-After")));
      };
      signal.addEventListener("abort", () => request.abort());
      wait();
      request.send(form);
    });
  },
};

/** A random id, also where the page comes without HTTPS. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
