// Hears of the jobs of a batch, for views. A browser has few connections to a server, and uploads need them: of several tabs one
// listens, and tells the others.
import { api, uuid } from "./api.js";

/** Milliseconds for which a tab that listens keeps others from it, and between its renewals. */
const [lease, renewal] = [6000, 2000];
const tab = uuid();
const channel = globalThis.BroadcastChannel ? new BroadcastChannel("serialscan.heard") : null;
const hearers = new Set();
channel?.addEventListener("message", ({ data }) => tell(data));

function tell(data) {
  for (const hearer of hearers) if (hearer.batch === data.batch) hearer.heard(data.name, data.job);
}

/** Calls `heard` with each event (`progress`, `ended`) of the jobs of a batch, by its id; returns how to stop. */
export function hear(batch, heard) {
  const hearer = { batch, heard };
  const name = `serialscan.listener.${batch}`;
  let listening = null;
  hearers.add(hearer);

  // Without storage each tab listens.
  function isMine() {
    try {
      const [owner, time] = (localStorage.getItem(name) ?? "").split(" ");
      if (owner && owner !== tab && Math.abs(Date.now() - Number(time)) < lease) return false;
      localStorage.setItem(name, `${tab} ${Date.now()}`);
    } catch { /* see above */ }
    return true;
  }

  async function listen() {
    const stop = listening = new AbortController();
    try {
      for (let after = ""; !stop.signal.aborted;) {
        after = await api.listen({ path: `/events?batch=${encodeURIComponent(batch)}`, after, signal: stop.signal, onOpen() {},
          onEvent: (event, job) => { tell({ batch, name: event, job }); channel?.postMessage({ batch, name: event, job }); } });
      }
    } catch { /* the next turn tries again; the view asks now and then, too */ }
    if (listening === stop) listening = null;
  }

  function turn() {
    if (!isMine()) listening?.abort();
    else if (!listening) listen();
  }

  turn();
  const timer = setInterval(turn, renewal);
  return () => {
    hearers.delete(hearer);
    clearInterval(timer);
    if (!listening) return;
    listening.abort();
    try { localStorage.removeItem(name); } catch { /* it runs out */ }
  };
}
