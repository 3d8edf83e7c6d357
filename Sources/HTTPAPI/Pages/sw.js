// Shows a page that says the server can't be reached, in place of the browser's own; the page leaves it in the cache, in its
// language. Nothing of people's data is kept.
const shell = "serialscan-offline-3";
const style = new URL("app.css", location).href;
const icon = new URL("icon.svg", location).href;
const away = new URL("away", location).href;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll([style, icon])).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name !== shell).map((name) => caches.delete(name)))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(async () => await caches.match(away) ?? Response.error()));
  } else if ([style, icon].includes(event.request.url)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
  }
});
