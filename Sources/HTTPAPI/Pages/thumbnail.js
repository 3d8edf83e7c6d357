// Thumbnails and titles of photos in lists.
import { api, at, key } from "./api.js";
import { el, svg } from "./dom.js";
import { t, when } from "./strings.js";

/** Maximum number of cached thumbnails, a few KB each; further ones replace the oldest. */
const most = 1000;
/** Thumbnails fetched with a key, by their server URL: {url: the blob URL, asked: its promise}. */
const pictures = new Map();

/** File names that cameras and browsers give to every photo. */
const generic =
	/^(image|photo|picture|foto|imagen|img|pasted|capture|camera|unnamed|untitled|blob|file|scan-\d{8}-\d{6}(-\d+)?)[ _-]?\(?\d{0,3}\)?(\.\w{2,5})?$/i;

/** Returns a photo's title: its file name, or its time if the name is generic. */
export function titleOf(name, time) {
	if (name && !generic.test(name.trim())) return name;
	const date = new Date(time ?? Date.now());
	const isToday = date.toDateString() === new Date().toDateString();
	return t("thumbnail.at", {
		time: when(date, isToday ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" }),
	});
}

/** Returns a file name for a photo taken now, sortable by time. */
export function nameNow() {
	const two = (value) => String(value).padStart(2, "0");
	const now = new Date();
	return `scan-${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}-${two(now.getHours())}${
		two(now.getMinutes())
	}${two(now.getSeconds())}.jpg`;
}

const watcher = new IntersectionObserver((entries) => {
	for (const { target, isIntersecting } of entries) {
		if (!isIntersecting) continue;
		watcher.unobserve(target);
		target.fill?.();
	}
}, { rootMargin: "200px" });

/** Placeholder icons: a photo, or a code read by a scanner. */
const shapes = {
	photo: ["M4 7h3l2-2h6l2 2h3v12H4z", "M12 10a3.2 3.2 0 1 0 .01 0z"],
	code: ["M4 6v12M7 6v12M10.5 6v12M13 6v12M16.5 6v12M20 6v12"],
};

/** Creates an icon from the paths of its strokes in a square of 24 units. */
export const icon = (paths) =>
	svg(
		"svg",
		{ viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true", class: "icon" },
		...paths.map((d) => svg("path", { d })),
	);

/**
 * Creates a thumbnail of a fixed size, so that the layout does not shift when it loads. `update` takes its server path,
 * or a preview made by the page. Without a title it is decorative.
 */
export function thumbnail(title, kind = "photo") {
	const node = el("span", { class: "thumb" }, icon(shapes[kind]));
	let shown = null;
	let wanted = null;
	// If the picture can't be decoded or loaded, show the icon.
	const show = (address) =>
		node.replaceChildren(
			el("img", {
				src: address,
				alt: title ? t("thumbnail.of", { title }) : "",
				width: 56,
				height: 56,
				loading: "lazy",
				decoding: "async",
				draggable: "false",
				onerror: () => node.replaceChildren(icon(shapes[kind])),
			}),
		);
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
			// Show the page's own preview until the server's thumbnail is loaded.
			if (!address) {
				show(own);
				return;
			}
			wanted = address;
			const known = key.get() ? pictures.get(address)?.url : at(address).href;
			if (known && !own) {
				show(known);
				return;
			}
			if (own && !node.querySelector("img")) show(own);
			// Load it once it is near the viewport.
			watcher.observe(node);
		},
	};
}

/** Creates a small thumbnail for a row from its server path; the icon if there is none. */
export function tiny(address) {
	const { node, update } = thumbnail(null);
	node.classList.add("tiny");
	update(address);
	return node;
}

/** Resolves a thumbnail's server path to a URL for `<img>`. An `<img>` sends no key, so with a key `fetch` loads it. */
async function load(address) {
	if (!key.get()) return at(address).href;
	const known = pictures.get(address);
	if (known) return known.asked;
	const picture = {
		url: null,
		asked: api.blob(address).then((blob) => {
			picture.url = URL.createObjectURL(blob);
			return picture.url;
		}),
	};
	pictures.set(address, picture);
	picture.asked.catch(() => pictures.delete(address));
	if (pictures.size > most) {
		const [oldest, { asked }] = pictures.entries().next().value;
		pictures.delete(oldest);
		asked.then(URL.revokeObjectURL, () => {/* there was none */});
	}
	return picture.asked;
}
