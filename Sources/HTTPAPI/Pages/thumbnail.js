// The small picture of a photo in a list, and what a photo is called.
import { api, at, key } from "./api.js";
import { el, svg } from "./dom.js";
import { t, when } from "./strings.js";

/** Small pictures that are held for all lists, a few KB each; further ones take the place of the oldest. */
const most = 1000;
/** Pictures that a key fetched: {url: address in this page, asked: the promise of it}, by the server's address of each. */
const pictures = new Map();

/** Names that cameras and browsers give to every photo. */
const generic = /^(image|photo|picture|foto|imagen|img|pasted|capture|camera|unnamed|untitled|blob|file|scan-\d{8}-\d{6}(-\d+)?)[ _-]?\(?\d{0,3}\)?(\.\w{2,5})?$/i;

/** What a photo is called: its name, or the time where the name says nothing. */
export function titleOf(name, time) {
  if (name && !generic.test(name.trim())) return name;
  const date = new Date(time ?? Date.now());
  const isToday = date.toDateString() === new Date().toDateString();
  return t("thumbnail.at", { time: when(date, isToday ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" }) });
}

/** A name for a photo that is taken now, which sorts by time. */
export function nameNow() {
  const two = (value) => String(value).padStart(2, "0");
  const now = new Date();
  return `scan-${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}.jpg`;
}

const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    target.fill?.();
  }
}, { rootMargin: "200px" });

/** What stands in the place of a picture: a photo, or a code that a scanner has read. */
const shapes = {
  photo: ["M4 7h3l2-2h6l2 2h3v12H4z", "M12 10a3.2 3.2 0 1 0 .01 0z"],
  code: ["M4 6v12M7 6v12M10.5 6v12M13 6v12M16.5 6v12M20 6v12"],
};

/** A drawn sign, by the paths of its strokes in a square of 24. */
export const icon = (paths) => svg("svg", { viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true", class: "icon" }, ...paths.map((d) => svg("path", { d })));

/**
 * The place of a small picture, of a fixed size, so that nothing moves when it comes. `update` takes the server's address of it, or
 * a picture that the page has itself. Without a title the text beside it says all.
 */
export function thumbnail(title, kind = "photo") {
  const node = el("span", { class: "thumb" }, icon(shapes[kind]));
  let shown = null;
  let wanted = null;
  // A picture that the browser can't decode, or that is gone, leaves the sign in its place.
  const show = (address) => node.replaceChildren(el("img", { src: address, alt: title ? t("thumbnail.of", { title }) : "", width: 56, height: 56, loading: "lazy",
    decoding: "async", draggable: "false", onerror: () => node.replaceChildren(icon(shapes[kind])) }));
  node.fill = async () => {
    const address = wanted;
    try {
      const picture = await load(address);
      if (wanted === address) show(picture);
    } catch { /* gone, or away: the empty place says so */ }
  };
  return {
    node,
    update(address, own = null) {
      const next = address ?? own;
      if (next === shown || !next) return;
      shown = next;
      // What the page has itself stays until the server's is there.
      if (!address) { show(own); return; }
      wanted = address;
      const known = key.get() ? pictures.get(address)?.url : at(address).href;
      if (known && !own) { show(known); return; }
      if (own && !node.querySelector("img")) show(own);
      // Loaded once the place comes near the window.
      watcher.observe(node);
    },
  };
}

/** A small picture in a list of rows, by the server's address of it; the sign if there is none. */
export function tiny(address) {
  const { node, update } = thumbnail(null);
  node.classList.add("tiny");
  update(address);
  return node;
}

/** A picture by its address at the server, as an address in this page. An `<img>` sends no key, so `fetch` loads it where there is one. */
async function load(address) {
  if (!key.get()) return at(address).href;
  const known = pictures.get(address);
  if (known) return known.asked;
  const picture = { url: null, asked: api.blob(address).then((blob) => { picture.url = URL.createObjectURL(blob); return picture.url; }) };
  pictures.set(address, picture);
  picture.asked.catch(() => pictures.delete(address));
  if (pictures.size > most) {
    const [oldest, { asked }] = pictures.entries().next().value;
    pictures.delete(oldest);
    asked.then(URL.revokeObjectURL, () => { /* there was none */ });
  }
  return picture.asked;
}
