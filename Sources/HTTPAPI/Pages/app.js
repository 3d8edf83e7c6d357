// The frame around the views: routing, navigation, signing in and out, the language, and the connection status.
import { api, at, key } from "./api.js";
import * as batch from "./batch.js";
import { el, fadeEdges, openDialog, remembered, toast } from "./dom.js";
import * as removal from "./removal.js";
import { language, languages, preferred, speak, t } from "./strings.js";
import * as uploads from "./uploads.js";

// Each view's required scope and its module. A module that failed to load is requested again under a different URL,
// because browsers cache the failure.
const retry = () => (failures ? `?retry=${failures}` : "");
const views = {
	scan: ["scan", () => import(`./scan.js${retry()}`)],
	live: ["scan", () => import(`./live.js${retry()}`)],
	check: ["scan", () => import(`./check.js${retry()}`)],
	devices: [null, () => import(`./devices.js${retry()}`)],
	batches: [null, () => import(`./batches.js${retry()}`)],
	numbers: ["read", () => import(`./numbers.js${retry()}`)],
	evaluate: ["admin", () => import(`./evaluate.js${retry()}`)],
	keys: ["admin", () => import(`./keys.js${retry()}`)],
};
const hidden = { result: () => import(`./detail.js${retry()}`), history: () => import(`./history.js${retry()}`) };
/** The modules loaded so far: they can be shown while the server is away. */
const loaded = {};
/** Views that are part of another view in the navigation. */
const parents = { history: "devices" };

const main = document.getElementById("main");
const nav = fadeEdges(document.getElementById("nav"));
let failures = 0;
let canTrack = false;
let shown = { leave() {} };
let turn = 0;
let isBroken = false;
let current = "";

// Parses the URL's fragment, such as `#/history?search=C02`: the view's name, the rest of the path, and the query.
function place() {
	const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
	const [name, ...rest] = path.split("/").map(decoded);
	return { name, rest, query: new URLSearchParams(query) };
}

/** Decodes a part of the URL's fragment; a malformed one stays as it is, and names nothing on the server. */
function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

async function show() {
	const mine = ++turn;
	api.askAgain();
	const scopes = await api.scopes();
	let { name, rest, query } = place();
	// Without permission to send photos, start with the devices.
	const needed = views[name]?.[0];
	if ((!views[name] && !hidden[name]) || (needed && !scopes.has(needed))) {
		name = scopes.has("scan") ? "scan" : "devices";
	}
	let module = null;
	// A link or QR code for joining a batch. The batch is removed from the URL, so that a reload does not join it again.
	if (["scan", "live"].includes(name) && query.has("batch")) {
		const id = query.get("batch");
		query.delete("batch");
		history.replaceState(null, "", `#/${name}${query.size ? `?${query}` : ""}`);
		await batch.join(id);
		if (mine !== turn) return;
	}
	try {
		module = loaded[name] ??= await (views[name]?.[1] ?? hidden[name])();
		if (mine !== turn) return;
		shown.leave?.();
		// A separate container: a view that is left while it loads adds nothing to the next one.
		const place = el("div", { class: "view" });
		main.replaceChildren(place);
		shown = {};
		const made = (await module.view(place, { rest, query })) ?? {};
		if (mine !== turn) {
			made.leave?.();
			return;
		}
		shown = made;
		isBroken = false;
	} catch (error) {
		if (mine === turn) broken(error, module !== null);
	}
	if (mine !== turn) return;
	current = parents[name] ?? name;
	markCurrent();
	// The view of a batch sets the title to the batch's name.
	if (name !== "batches" || !rest[0]) {
		document.title = `${views[current] ? t(`nav.${current}`) : t("photo")} · SerialScan`;
	}
}

function markCurrent() {
	for (const link of nav.children) {
		if (link.hash === `#/${current}`) {
			link.setAttribute("aria-current", "page");
			// In portrait, phones show only part of the navigation.
			nav.scrollTo({ left: link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2 });
		} else link.removeAttribute("aria-current");
	}
	nav.dispatchEvent(new Event("scroll"));
}

// Shows why a view can't be shown. The user can retry; the page retries when the server is back.
function broken(error, isLoaded) {
	if (!isLoaded) {
		shown.leave?.();
		shown = {};
		failures += 1;
		api.probe();
	}
	isBroken = true;
	main.replaceChildren(
		el(
			"div",
			{ class: "card stack" },
			el(
				"p",
				{ class: "bad", role: "alert" },
				isLoaded ? error.message : t(navigator.onLine === false || isAway ? "viewOffline" : "viewBroken"),
			),
			el("div", {}, el("button", { onclick: again }, t("tryAgain"))),
		),
	);
}

// If a module imported by others still can't be loaded, reloads the page; unsent photos are stored.
function again() {
	if (failures > 1 && !isAway) location.reload();
	else show();
}

async function navigation() {
	const scopes = await api.scopes();
	nav.replaceChildren(
		...Object.entries(views).map(([name, [scope]]) =>
			el("a", {
				href: `#/${name}`,
				hidden: (scope && !scopes.has(scope)) || (name === "live" && !canTrack),
			}, t(`nav.${name}`))
		),
	);
	markCurrent();
	document.getElementById("signOut").hidden = !key.get();
}

// Sets the texts in index.html.
function texts() {
	for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
	for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
}

const chooser = document.getElementById("language");
chooser.append(...Object.entries(languages).map(([tag, name]) => el("option", { value: tag, lang: tag }, name)));
chooser.addEventListener("change", async () => {
	try {
		await speak(chooser.value);
		remembered.set("language", language);
		await begin();
	} catch {
		toast(t("unreachable"), "bad");
		chooser.value = language;
	}
});

/** Shows the page in the current language. */
async function begin() {
	chooser.value = language;
	texts();
	awayPage();
	if (isAway) banner.textContent = t("offline");
	await navigation();
	await show();
}

// Removes a key (from a QR code) from the URL at once, so that it gets into neither history nor bookmarks.
function takeKeyFromAddress() {
	const match = location.hash.match(/^#key=([\w]+)$/);
	if (!match) return;
	key.set(match[1]);
	uploads.proceed();
	history.replaceState(null, "", `${location.pathname}#/scan`);
	offerToStay();
}

// After signing in by QR code, offers to keep the phone signed in.
function offerToStay() {
	const stay = document.getElementById("stay");
	const end = () => {
		stay.hidden = true;
	};
	stay.replaceChildren(
		el("span", {}, t("key.stay")),
		el("button", {
			class: "small",
			onclick: () => {
				key.set(key.get(), { isRemembered: true });
				end();
			},
		}, t("key.stayHere")),
		el("button", { class: "small", onclick: end }, t("key.notNow")),
	);
	stay.hidden = false;
}

document.getElementById("signOut").addEventListener("click", async () => {
	const left = uploads.unsent().length;
	if (left > 0 && !confirm(t("signOutUnsent", { n: left }))) return;
	await uploads.forgetAll();
	key.forget();
	document.getElementById("stay").hidden = true;
	toast(t("signedOut"));
	await navigation();
	await show();
});

let asking = null;
api.showKeyDialog = () => {
	asking ??= new Promise((resolve) => {
		const dialog = document.getElementById("keyDialog");
		const [text, remember] = [document.getElementById("keyText"), document.getElementById("keyRemember")];
		document.getElementById("keyWhy").textContent = t(key.get() ? "key.unknown" : "key.why");
		text.value = "";
		remember.checked = key.isRemembered;
		remember.onchange = () => {
			document.getElementById("keySession").hidden = remember.checked;
		};
		remember.onchange();
		dialog.addEventListener("close", () => {
			asking = null;
			const given = text.value.trim();
			if (given) key.set(given, { isRemembered: remember.checked });
			resolve(Boolean(given));
			text.value = "";
			if (given) {
				navigation();
				uploads.proceed();
			}
		}, { once: true });
		openDialog(dialog);
	});
	return asking;
};

const banner = document.getElementById("offline");
let isAway = false;
let probing = null;
api.onReachable = (isReachable) => {
	// A response that was still in transit may be outdated.
	if (isReachable && navigator.onLine === false) return;
	if (isReachable !== isAway) return;
	isAway = !isReachable;
	banner.hidden = !isAway;
	banner.textContent = isAway ? t("offline") : "";
	clearTimeout(probing);
	if (isAway) probing = setTimeout(api.probe, 3000);
	else {
		toast(t("online"));
		dispatchEvent(new Event("reachable"));
		if (isBroken) show();
	}
};

/** Polls the server until it responds. */
api.probe = async () => {
	clearTimeout(probing);
	let isThere = false;
	try {
		const response = await fetch(at("/health"), { cache: "no-store" });
		const health = await response.json();
		isThere = "status" in health;
		if (isThere && Boolean(health.predictor_loaded) !== canTrack) {
			canTrack = Boolean(health.predictor_loaded);
			navigation();
		}
	} catch { /* away */ }
	api.onReachable(isThere);
	if (isAway) probing = setTimeout(api.probe, 3000);
};
addEventListener("offline", () => api.onReachable(false));
addEventListener("online", () => api.probe());
addEventListener("hashchange", async () => {
	takeKeyFromAddress();
	clearTimeout(scrolled);
	const top = history.state?.top ?? 0;
	await show();
	// Keep the focus if the view has set it.
	if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
	if (top > 0) returnTo(top);
});

// Views are drawn again when the user returns to them, so the browser can't restore how far they were scrolled.
history.scrollRestoration = "manual";
let scrolled = null;
const keepTop = () => history.replaceState({ top: scrollY }, "");
addEventListener("scroll", () => {
	clearTimeout(scrolled);
	const place = location.hash;
	// On a slow device the timer may fire once the user is already in another view.
	scrolled = setTimeout(() => {
		if (location.hash === place) keepTop();
	}, 200);
}, { passive: true });
addEventListener("pagehide", keepTop);

/** Scrolls to where the user left a view. Long lists are drawn frame by frame: follows them until the user acts. */
function returnTo(top) {
	const mine = turn;
	const over = new AbortController();
	const watch = new ResizeObserver(() => {
		if (mine === turn) scrollTo({ top, behavior: "instant" });
		if (mine !== turn || scrollY >= top - 1) over.abort();
	});
	over.signal.addEventListener("abort", () => watch.disconnect());
	for (const name of ["wheel", "pointerdown", "keydown"]) {
		addEventListener(name, () => over.abort(), { passive: true, signal: over.signal });
	}
	watch.observe(main);
}

addEventListener("resize", markCurrent);
nav.addEventListener("focusin", ({ target }) => {
	if (target.matches(":focus-visible")) target.scrollIntoView({ block: "nearest", inline: "nearest" });
});

// A photo dropped outside a drop target must not replace the page and lose work in progress.
for (const name of ["dragover", "drop"]) {
	addEventListener(name, (event) => {
		if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
	});
}

// Caches the page that the service worker shows while the server is unreachable, in the current language.
async function awayPage() {
	if (!("serviceWorker" in navigator && isSecureContext)) return;
	try {
		const page = document.implementation.createHTMLDocument(t("away.title"));
		page.documentElement.lang = language;
		page.head.append(
			el("meta", { charset: "utf-8" }),
			el("meta", { name: "viewport", content: "width=device-width" }),
			el("link", { rel: "stylesheet", href: at("/page/app.css").href }),
		);
		page.body.append(
			el(
				"main",
				{ class: "empty" },
				el("h1", {}, t("away.title")),
				el("p", {}, t("away.text")),
				el("p", {}, el("a", { class: "button primary", href: at("/").href }, t("tryAgain"))),
			),
		);
		const cache = await caches.open("serialscan-offline-3");
		await cache.put(
			at("/page/away"),
			new Response(`<!doctype html>${new XMLSerializer().serializeToString(page.documentElement)}`, {
				headers: { "Content-Type": "text/html; charset=utf-8" },
			}),
		);
	} catch { /* it works without */ }
}

if ("serviceWorker" in navigator && isSecureContext) {
	navigator.serviceWorker.register(at("/page/sw.js"), { scope: at("/").pathname }).catch(
		() => {/* it works without */},
	);
}
document.querySelector(".skip").addEventListener("click", (event) => {
	event.preventDefault();
	main.focus();
});
// English is always available.
await speak(remembered.get("language", null) ?? preferred()).catch(() => {});
takeKeyFromAddress();
api.probe();
removal.resume();
uploads.resume().then((count) => {
	if (count > 0) toast(t("upload.resumed", { n: count }));
}).catch(() => {/* nothing is kept */});
const { top = 0 } = history.state ?? {};
await begin();
if (top > 0) returnTo(top);
