// Deleting photos and serials on the server, a few seconds after a person has said so: until then one tap takes it back. What is to
// be deleted is kept in this browser, so that it is deleted also where the page is closed meanwhile.
import { api, ApiError, Unreachable, uuid } from "./api.js";
import { remembered, toast } from "./dom.js";
import { t } from "./strings.js";

/** Milliseconds after which another page deletes what the page that was asked has left: its person can't take it back any more. */
const grace = 30_000;
const restores = new Map();

const pending = () => remembered.get("removing", []);
const without = (id) => remembered.set("removing", pending().filter((entry) => entry.id !== id));

/**
 * Deletes what has these addresses (`/jobs/ID`, `/serials/NUMBER`), the latest read of each serial that the live view has saved, and
 * what `late` gives by then, once the message has gone. `restore` shows it again if the person takes it back, or if the server
 * refuses. Returns how to take it back without the message.
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

/** Deletes what an earlier page has left undone. */
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
    // Without a connection it waits for the next one.
    if (error instanceof Unreachable) return;
    without(id);
    toast(error.message, "bad");
    restores.get(id)?.restore();
  }
  restores.delete(id);
}

/** What is not there any more is deleted. */
async function gone(request) {
  try { await request; } catch (error) { if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error; }
}

async function removeLive(serial, options) {
  const { items } = await api.get(`/history?${new URLSearchParams({ search: serial, source: "live", limit: 1 })}`);
  if (items[0]?.serial === serial) await gone(api.request(`/serials/${items[0].id}`, { method: "DELETE", ...options }));
}

addEventListener("online", resume);
// A page that closes can't be asked any more, and hears no answer. Without a connection the next page deletes.
addEventListener("pagehide", () => {
  for (const id of [...restores.keys()]) {
    remove(id, { keepalive: true });
    if (navigator.onLine !== false) without(id);
  }
});
