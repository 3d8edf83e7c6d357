// Talking to the server, as every client does: JSON, errors with a sentence, the key where one is needed.

const root = new URL("..", import.meta.url);

/** The address of a path of the server, which a proxy may show below a path of its own (`/serialscan/`). */
export const at = (path) => new URL(path.replace(/^\//, ""), root);

/** The key, kept until the tab is closed. */
export const key = {
  get() { return sessionStorage.getItem("serialscan.key") ?? ""; },
  set(text) { sessionStorage.setItem("serialscan.key", text); },
  forget() { sessionStorage.removeItem("serialscan.key"); },
};

/** An answer that is no success: its sentence, its code, and when to come again. */
export class ApiError extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || `The server answered ${status}.`);
    this.status = status;
    this.code = body.error_code ?? "";
    this.retryAfter = Number(retryAfter) || 0;
  }
}

/** The server can't be reached. */
export class Unreachable extends Error {
  constructor() { super("The server can’t be reached."); }
}

const headers = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

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
    api.onReachable(true);
    if (response.ok) return response;
    const body = await response.json().catch(() => ({}));
    if (response.status === 401 && await api.askForKey(body.detail)) return api.request(path, options);
    throw new ApiError(response.status, body, response.headers.get("Retry-After"));
  },

  async get(path, options) { return (await api.request(path, options)).json(); },

  async send(method, path, value) {
    const response = await api.request(path, {
      method, ...(value === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }),
    });
    return response.status === 204 ? null : response.json();
  },

  /** A file: the picture of a job, an export. */
  async blob(path, options) { return (await api.request(path, options)).blob(); },

  /** Sends a form and tells how much of it has gone, which `fetch` does not. */
  upload(path, form, { idempotencyKey, onProgress }) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", at(path));
      const all = { ...headers(), ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}) };
      for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => { if (event.lengthComputable) onProgress(event.loaded / event.total); };
      request.onerror = () => { api.onReachable(false); reject(new Unreachable()); };
      request.onload = () => {
        api.onReachable(true);
        let body = {};
        try { body = JSON.parse(request.responseText); } catch { /* no JSON: the status says enough */ }
        if (request.status === 200) resolve(body);
        else reject(new ApiError(request.status, body, request.getResponseHeader("Retry-After")));
      };
      request.send(form);
    });
  },
};

/** A random id, also where the page comes without HTTPS. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
