// Says that the server can't be reached, in place of the browser's own page. Nothing of people's data is kept.
const shell = "serialscan-offline-1";
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/page/app.css"><title>SerialScan is out of reach</title>
<main class="empty"><h1>SerialScan is out of reach</h1><p>This device is offline, or the server is not running.</p>
<p><a class="button primary" href="/">Try again</a></p></main></html>`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll(["/page/app.css", "/page/icon.svg"])).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name !== shell).map((name) => caches.delete(name)))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } })));
  } else if (["/page/app.css", "/page/icon.svg"].includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
  }
});
