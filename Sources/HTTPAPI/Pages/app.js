// The frame around the views: which one is shown, the navigation, the key's dialog, and whether the server is there.
import { api, at, key } from "./api.js";
import { el, toast } from "./dom.js";

const views = {
  scan: ["Scan", () => import("./scan.js")],
  live: ["Live", () => import("./live.js")],
  check: ["Check", () => import("./check.js")],
  history: ["History", () => import("./history.js")],
  numbers: ["Numbers", () => import("./numbers.js")],
  evaluate: ["Evaluate", () => import("./evaluate.js")],
  keys: ["Keys", () => import("./keys.js")],
};
const hidden = { result: () => import("./detail.js") };

const main = document.getElementById("main");
let shown = { leave() {} };
let turn = 0;

// `#/history?search=C02` → the view's name, what follows it, and its query.
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decodeURIComponent);
  return { name: name || "scan", rest, query: new URLSearchParams(query) };
}

async function show() {
  const { name, rest, query } = place();
  const load = views[name]?.[1] ?? hidden[name] ?? views.scan[1];
  const mine = ++turn;
  try {
    const { view } = await load();
    if (mine !== turn) return;
    shown.leave?.();
    main.replaceChildren();
    shown = {};
    shown = (await view(main, { rest, query })) ?? {};
    if (mine !== turn) shown.leave?.();
  } catch (error) {
    if (mine === turn) main.replaceChildren(el("p", { class: "bad" }, error.message));
  }
  for (const link of nav.children) {
    if (link.hash === `#/${name}`) {
      link.setAttribute("aria-current", "page");
      // Held upright, a phone shows a part of the names.
      nav.scrollTo({ left: link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2 });
    }
    else link.removeAttribute("aria-current");
  }
  document.title = `${views[name]?.[0] ?? "Photo"} · SerialScan`;
}

const nav = document.getElementById("nav");
nav.append(...Object.entries(views).map(([name, [title]]) => el("a", { href: `#/${name}`, hidden: name === "live" }, title)));
// Live is offered where the server can follow what is filmed.
fetch(at("/health")).then((response) => response.json()).then((health) => {
  if (health.predictor_loaded) nav.querySelector("[href='#/live']").hidden = false;
}).catch(() => api.onReachable(false));

// A key in the address (from a QR code) is taken out of it at once: it belongs neither into history nor into bookmarks.
function takeKeyFromAddress() {
  const match = location.hash.match(/^#key=([\w]+)$/);
  if (!match) return;
  key.set(match[1]);
  history.replaceState(null, "", `${location.pathname}#/scan`);
}

let asking = null;
api.askForKey = (why) => {
  asking ??= new Promise((resolve) => {
    const dialog = document.getElementById("keyDialog");
    const text = document.getElementById("keyText");
    document.getElementById("keyWhy").textContent = why;
    text.value = "";
    dialog.addEventListener("close", () => {
      asking = null;
      if (text.value.trim()) key.set(text.value.trim());
      resolve(Boolean(text.value.trim()));
      text.value = "";
    }, { once: true });
    dialog.showModal();
  });
  return asking;
};

const banner = document.getElementById("offline");
api.onReachable = (isReachable) => {
  if (isReachable === banner.hidden) return;
  banner.hidden = isReachable;
  banner.textContent = isReachable ? "" : "The server can’t be reached. What waits is sent as soon as it is back.";
  if (isReachable) toast("The server is back.");
};
addEventListener("offline", () => api.onReachable(false));
addEventListener("hashchange", () => { takeKeyFromAddress(); show().then(() => main.focus({ preventScroll: true })); });

// A photo that is dropped where none is taken must not open in place of the page, and what is under way with it.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });

takeKeyFromAddress();
show();
if ("serviceWorker" in navigator && isSecureContext) {
  navigator.serviceWorker.register(at("/page/sw.js"), { scope: at("/").pathname }).catch(() => { /* it works without */ });
}
