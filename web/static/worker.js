// The app's worker keeps static files and the page that says that there is no connection. It never keeps a page with data.
const kept = "static-2";
const own = (url) => url.origin === location.origin;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  // A request that has to pass the worker may be lost with its page. What sends data does not pass it, where browsers can do that.
  event.addRoutes?.({ condition: { requestMethod: "POST" }, source: "network" });
  // Without cookies the page has nobody's name and menu in it: the next person at this device reads it too.
  const offline = new Request("/offline", { credentials: "omit" });
  event.waitUntil(caches.open(kept).then((cache) => cache.add(offline)));
});
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name !== kept);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
})()));

self.addEventListener("fetch", (event) => {
  const request = event.request;
  const url = new URL(request.url);
  if (request.method !== "GET" || !own(url)) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline")));
  } else if (url.pathname.startsWith("/static/")) {
    event.respondWith(caches.open(kept).then(async (cache) => {
      const found = await cache.match(request);
      if (found) return found;
      const answer = await fetch(request);
      if (answer.ok) cache.put(request, answer.clone());
      return answer;
    }));
  }
});

// What was confirmed on a page that is being left.
self.addEventListener("message", (event) => {
  const { url, body } = event.data;
  event.waitUntil(fetch(url, { method: "POST", body: new URLSearchParams(body) }));
});

self.addEventListener("push", (event) => {
  const said = event.data.json();
  event.waitUntil(self.registration.showNotification(said.title, {
    tag: said.tag, renotify: true, icon: "/app-192.png", data: said.path,
  }));
  // Of a trader it says how many payments are open, which the icon shows.
  if ("open" in said) event.waitUntil(navigator.setAppBadge?.(said.open));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data, location.origin);
  if (own(url)) event.waitUntil(self.clients.openWindow(url.href));
});
