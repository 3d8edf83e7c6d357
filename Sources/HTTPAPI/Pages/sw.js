// Shows a page in place of the browser's error page while the server is unreachable. app.js caches it in the current
// language. No user data is cached.
const shell = "serialscan-offline-3";
const style = new URL("app.css", location).href;
const icon = new URL("icon.svg", location).href;
const away = new URL("away", location).href;

addEventListener("install", (event) => {
	event.waitUntil(caches.open(shell).then((cache) => cache.addAll([style, icon])).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
	event.waitUntil(
		caches.keys().then((names) =>
			Promise.all(
				names.filter((name) => name !== shell).map((name) => caches.delete(name)),
			)
		).then(() => clients.claim()),
	);
});
addEventListener("fetch", (event) => {
	if (event.request.mode === "navigate") {
		event.respondWith(fetch(event.request).catch(async () => await caches.match(away) ?? Response.error()));
	} else if ([style, icon].includes(event.request.url)) {
		event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
	}
});
