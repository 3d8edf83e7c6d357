// Small pictures of photos. A server that has keys gives them to requests with a key, which an `img` alone can't send.
import { at, key } from "./api.js";
import { el } from "./dom.js";
import { held, load } from "./thumbnail.js";

const atOnce = 4;
/** What waits to be loaded, the latest last: that is what is in sight. */
const waiting = [];
let loading = 0;

/** A picture of a photo, or the empty frame where there is none; `alt` is empty where the text beside it says all. */
export function thumbnail(path, alt = "") {
  const image = path ? el("img", { alt, decoding: "async", width: 160, height: 160, draggable: "false", onerror: () => image.remove() }) : null;
  if (image && !key.get()) image.src = at(path).href;
  else if (image && held(path)) show(image, path);
  else if (image) { waiting.push({ image, path }); setTimeout(pump, 60); }
  return el("span", { class: "tiny" }, image);
}

const show = (image, path) => load(path).then((address) => { image.src = address; }, () => image.remove());

function pump() {
  while (loading < atOnce && waiting.length > 0) {
    const { image, path } = waiting.pop();
    // Scrolled past.
    if (!image.isConnected) continue;
    loading += 1;
    show(image, path).finally(() => { loading -= 1; pump(); });
  }
}
