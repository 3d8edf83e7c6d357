// Small pictures of photos. A server that has keys gives them to requests with a key, which an `img` alone can't send.
import { api, at, key } from "./api.js";
import { el } from "./dom.js";

const atOnce = 4;
/** Pictures that are held, a few KB each. */
const most = 1000;
/** Addresses of pictures that were loaded with a key, by their path; the oldest first. */
const held = new Map();
/** What waits to be loaded, the latest last: that is what is in sight. */
const waiting = [];
let loading = 0;

/** A picture of a photo, or the empty frame where there is none; `alt` is empty where the text beside it says all. */
export function thumbnail(path, alt = "") {
  const image = path ? el("img", { alt, decoding: "async", width: 160, height: 160, draggable: "false", onerror: () => image.remove() }) : null;
  if (image && !key.get()) image.src = at(path).href;
  else if (image && held.has(path)) image.src = held.get(path);
  else if (image) { waiting.push({ image, path }); setTimeout(pump, 60); }
  return el("span", { class: "tiny" }, image);
}

function pump() {
  while (loading < atOnce && waiting.length > 0) {
    const { image, path } = waiting.pop();
    // Scrolled past.
    if (!image.isConnected) continue;
    loading += 1;
    load(path).then((address) => { image.src = address; }, () => image.remove()).finally(() => { loading -= 1; pump(); });
  }
}

async function load(path) {
  if (!held.has(path)) held.set(path, URL.createObjectURL(await api.blob(path)));
  if (held.size > most) {
    const [oldest, address] = held.entries().next().value;
    held.delete(oldest);
    URL.revokeObjectURL(address);
  }
  return held.get(path);
}
