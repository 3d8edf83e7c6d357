// Deletes photos and serials on the server after a few seconds, during which the user can undo it. Pending deletions
// are stored in this browser, so that they happen even if the page is closed meanwhile.
import { api, ApiError, Unreachable, uuid } from "./api.js";
import { remembered, toast } from "./dom.js";
import { t } from "./strings.js";

/** Milliseconds after which another page performs the pending deletions of a closed one, where they can no longer be undone. */
const grace = 30_000;
const restores = new Map();

const pending = () => remembered.get("removing", []);
const without = (id) => remembered.set("removing", pending().filter((entry) => entry.id !== id));

/**
 * Once the message has disappeared, deletes `paths` (`/jobs/ID`, `/serials/NUMBER`), the latest live read of each
 * serial in `live`, and the paths that `late` returns then. Calls `restore` if the user undoes it or the server
 * refuses. Returns a function that undoes it and removes the message.
 */
export function removeSoon({ paths = [], live = [], late = () => [] }, text, restore) {
  const entry = { id: uuid(), paths, live, at: Date.now() };
  remembered.set("removing", [...pending(), entry]);
  restores.set(entry.id, { restore, late });
  const undo = () => {
    if (!restores.has(entry.id)) return;
    without(entry.id);
    restores.delete(entry.id);
    restore();
  };
  const hide = toast(text, "", [t("undo"), undo], () => remove(entry.id));
  return () => { hide(); undo(); };
}

/** Performs the pending deletions of closed pages. */
export function resume() {
  for (const entry of pending()) if (!restores.has(entry.id) && Date.now() - entry.at > grace) remove(entry.id);
}

async function remove(id, options = {}) {
  const entry = pending().find((one) => one.id === id);
  if (!entry) return;
  try {
    for (const path of [...entry.paths, ...(restores.get(id)?.late() ?? [])]) await gone(api.request(path, { method: "DELETE", ...options }));
    for (const serial of entry.live) await removeLive(serial, options);
    without(id);
  } catch (error) {
    // Without a connection, the deletion stays pending until there is one.
    if (error instanceof Unreachable) return;
    without(id);
    toast(error.message, "bad");
    restores.get(id)?.restore();
  }
  restores.delete(id);
}

/** Treats items that no longer exist as deleted. */
async function gone(request) {
  try { await request; } catch (error) { if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error; }
}

async function removeLive(serial, options) {
  const { items } = await api.get(`/history?${new URLSearchParams({ search: serial, source: "live", limit: 1 })}`);
  if (items[0]?.serial === serial) await gone(api.request(`/serials/${items[0].id}`, { method: "DELETE", ...options }));
}

addEventListener("online", resume);
// A closing page can no longer undo and receives no response, so delete now. Without a connection, the next page
// deletes.
addEventListener("pagehide", () => {
  for (const id of [...restores.keys()]) {
    remove(id, { keepalive: true });
    if (navigator.onLine !== false) without(id);
  }
});
