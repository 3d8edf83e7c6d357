// Says that the server can't be reached, in place of the browser's own page. Nothing of people's data is kept.
const shell = "serialscan-offline-2";
const style = new URL("app.css", location).href;
const icon = new URL("icon.svg", location).href;
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${style}"><title>SerialScan is out of reach</title>
<main class="empty"><h1>SerialScan is out of reach</h1><p>This device is offline, or the server is not running.</p>
<p><a class="button primary" href="${registration.scope}">Try again</a></p></main></html>`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll([style, icon])).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name !== shell).map((name) => caches.delete(name)))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } })));
  } else if ([style, icon].includes(event.request.url)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
  }
});
