// What the portals' pages do beside their forms, which work without it: remaining times, keys, copying, the desk's chime,
// confirming in place, passkeys. Nothing here acts for the user: a key opens a page or moves the focus.
"use strict";

const html = document.documentElement;
const ahead = html.dataset.now ? Date.parse(html.dataset.now) - Date.now() : 0; // the server's clock, before ours
const every = (selector, act, root = document) => root.querySelectorAll(selector).forEach(act);

// The page's own entry is brought into sight within the menu: the page itself stays where it is.
every(".nav [aria-current]", (entry) => {
  const menu = entry.closest(".nav");
  const [inner, outer] = [entry.getBoundingClientRect(), menu.getBoundingClientRect()];
  menu.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  menu.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
});

// The manual once was one page: alarms that were told then lead to a part of its index, which is one of the runbooks now.
if (location.pathname === "/operator/manual" && location.hash && !document.getElementById(location.hash.slice(1))) {
  location.replace("/operator/manual/runbooks" + location.hash);
}

// Remaining times.
function countDown() {
  every("[data-until]", (e) => {
    const left = Math.max(0, Math.round((Date.parse(e.dataset.until) - Date.now() - ahead) / 1000));
    const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60;
    const text = (hours ? hours + ":" + String(minutes).padStart(2, "0") : String(minutes)) + ":" + String(left % 60).padStart(2, "0");
    if (e.textContent !== text) e.textContent = text;
    const row = e.closest(".job")?.classList;
    row?.toggle("soon", left < 120);
    row?.toggle("late", left >= 120 && left < 300);
  });
}
if (document.querySelector("[data-until], #desk")) {
  countDown();
  setInterval(countDown, 1000);
}

// The marks of a chart are one stop for the tab key; arrows go from one to the next.
every(".marks", (chart) => {
  const all = [...chart.querySelectorAll(".mark")];
  all.slice(1).forEach((e) => (e.tabIndex = -1));
  chart.addEventListener("keydown", (event) => {
    const to = all[all.indexOf(document.activeElement) + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? NaN)];
    if (!to) return;
    event.preventDefault();
    all.forEach((e) => (e.tabIndex = e === to ? 0 : -1));
    to.focus();
  });
});

// A reason that is chosen fills the field, where it can be changed; then it is no longer the one that was chosen.
document.addEventListener("input", (event) => {
  const chosen = event.target.dataset.fills;
  if (chosen) document.getElementById(chosen).value = event.target.value;
  else every('[data-fills="' + event.target.id + '"]', (e) => (e.checked = false));
});

// Copying, and showing what was typed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  navigator.clipboard.writeText(button.dataset.copy).then(() => say(button.dataset.done));
});
every("[data-copy]", (e) => (e.hidden = false));

function say(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

// Browsers of before 2022, such as of phones that stay with iOS 15, have no requestSubmit.
const submit = (form, by) => (form.requestSubmit ? form.requestSubmit(by) : form.submit());

// A choice that is all of its form needs no button.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) submit(event.target.form);
});

// One tick for all of a table.
every("[data-ticks]", (all) => {
  all.hidden = false;
  all.addEventListener("change", () =>
    every('[name="' + all.dataset.ticks + '"]', (tick) => (tick.checked = all.checked), all.closest("table")));
});

// The browser's time zone, offered beside the field that asks for one.
every("[data-zone]", (e) => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || document.getElementById("zone").value === zone) return;
  e.textContent = e.textContent + " " + zone;
  e.hidden = false;
  e.addEventListener("click", () => { document.getElementById("zone").value = zone; });
});

// The browser's chooser of colours beside the field for one. Each follows the other.
every("[data-picks]", (e) => {
  const text = document.getElementById(e.dataset.picks);
  e.hidden = false;
  e.addEventListener("input", () => {
    text.value = e.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
  text.addEventListener("input", () => { if (/^#[0-9a-f]{6}$/i.test(text.value)) e.value = text.value; });
});

// Keys, for those who have not switched them off.
const typing = (e) => e.target.closest("input, select, textarea, dialog, [contenteditable]");
const rows = () => [...document.querySelectorAll("[data-row]")];
let at = ""; // the id of the current row, which outlives a renewal of the page's parts
const current = () => document.getElementById(at);
function step(by) {
  const all = rows();
  if (!all.length) return;
  const next = all[Math.min(all.length - 1, Math.max(0, all.indexOf(current()) + by))] || all[0];
  current()?.classList.remove("at");
  next.classList.add("at");
  at = next.id ||= "row-" + all.indexOf(next);
  next.scrollIntoView({ block: "nearest" });
  (next.querySelector("a[href]") || next).focus({ preventScroll: true });
}
function find() {
  const fields = [...document.querySelectorAll("input[type=search]")];
  const field = fields.find((e) => e.getClientRects().length);
  field?.focus();
  field?.select();
}
const keys = {
  "/": find,
  j: () => step(1),
  k: () => step(-1),
  c: () => {
    const act = current()?.querySelector("[data-key=c]");
    if (current()?.dataset.token) act?.focus(); // it would be confirmed at once
    else act?.click();
  },
  a: () => document.querySelector("[data-key=a]")?.focus(),
  r: () => document.querySelector("[data-key=r]")?.focus(),
  "?": () => document.getElementById("keys")?.showModal(),
};
if (html.dataset.keys === "on") {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.code === "KeyK") {
      event.preventDefault();
      find();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
every("[data-close]", (e) => e.addEventListener("click", () => e.closest("dialog").close()));

// Confirming in place. The row offers for five seconds to take it back; then, or when the page is left before, it is sent,
// once. A row that has something to say stays as it is, whatever the desk is otherwise.
const confirming = new Set(), kept = new Set();
function keep(row, text, label, act) {
  row.setAttribute("hx-morph-skip", "");
  kept.add(row);
  row.querySelector(".said")?.remove();
  const said = row.appendChild(document.createElement("div")), button = document.createElement("button");
  said.className = "said";
  said.append(text, button);
  Object.assign(button, { type: "button", textContent: label, hidden: !label });
  button.addEventListener("click", (event) => { if (event.detail < 2) act(); }); // the second of two clicks was not meant for it
  say(text);
  return button;
}
function letGo(row) {
  kept.delete(row);
  row.removeAttribute("hx-morph-skip");
  row.querySelector(".said")?.remove();
  htmx.trigger(document.body, "changed");
}
function confirmHere(row, url) {
  let left = 5;
  const { confirmed, undo, unsent, read } = desk.dataset;
  const body = new URLSearchParams({ token: row.dataset.token, status: row.dataset.seen, stays: "1" });
  const send = async (leaving) => {
    clearInterval(timer);
    if (!confirming.delete(send)) return;
    button.hidden = true;
    // Not every browser lets the request of a page that is left pass beside the worker, and a worker from before an upgrade does not
    // listen. So both are sent: the token has them act once.
    if (leaving) navigator.serviceWorker?.controller?.postMessage({ url, body: body.toString() });
    const text = await fetch(url, { method: "POST", body, keepalive: true, signal: AbortSignal.timeout?.(3e4) }).then(
      (answer) => (answer.status === 204 ? "" : answer.status === 409 && answer.headers.get("Content-Type")?.startsWith("text/plain") ? answer.text() : unsent),
      () => unsent);
    if (text) keep(row, text, read, () => letGo(row));
    else {
      kept.delete(row);
      htmx.trigger(document.body, "changed");
    }
    return text;
  };
  const button = keep(row, confirmed, undo + " (5)", () => {
    clearInterval(timer);
    confirming.delete(send);
    letGo(row);
    row.querySelector("[data-key=c]").focus();
  });
  button.focus();
  const timer = setInterval(() => {
    if (--left) button.textContent = undo + " (" + left + ")";
    else send();
  }, 1000);
  confirming.add(send);
}
document.addEventListener("click", (event) => {
  const act = event.target.closest("[data-token] [data-key=c]");
  if (!act || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  confirmHere(act.closest("[data-token]"), act.href);
});
// A form may sign its user out, so what is confirmed is sent before it, and the form is not while there is to read that nothing was done.
document.addEventListener("submit", async (event) => {
  if (!confirming.size) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const refused = await Promise.all([...confirming].map((send) => send()));
  if (!refused.some(Boolean)) submit(event.target, event.submitter);
}, true);
addEventListener("pagehide", () => confirming.forEach((send) => send(true)));
document.addEventListener("visibilitychange", () => { if (document.hidden) confirming.forEach((send) => send()); });
// A form whose answer brings the session a new token, or has what is shown once, is sent once: a second click would hang that answer up.
const begun = new WeakSet();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (begun.has(form)) return event.preventDefault();
  begun.add(form);
  setTimeout(() => begun.delete(form), 10000);
});

// The desk: a chime for what is new, once sound may be played in this tab.
const desk = document.getElementById("desk");
if (desk) {
  const ids = () => new Set([...document.querySelectorAll("#desk [data-job]")].map((e) => e.dataset.job));
  const title = document.title;
  let known = ids(), audio;
  // On a home screen the icon shows how many payments are open.
  const badge = () => navigator.setAppBadge?.(document.querySelectorAll("#desk .payments [data-job]").length).catch(() => {});
  badge();
  const chime = () => {
    if (!audio || audio.state !== "running") return;
    [0, 0.18].forEach((at, i) => {
      const tone = audio.createOscillator(), volume = audio.createGain();
      tone.frequency.value = i ? 1175 : 880;
      volume.gain.setValueAtTime(0.0001, audio.currentTime + at);
      volume.gain.exponentialRampToValueAtTime(0.2, audio.currentTime + at + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + at + 0.4);
      tone.connect(volume).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.45);
    });
    html.dataset.chimes = Number(html.dataset.chimes || 0) + 1;
  };
  // A browser plays sound only after a click in this page: the button is offered until then.
  const sound = document.querySelector("[data-sound]");
  const unlock = () => {
    audio = audio || new AudioContext();
    audio.resume().then(() => { if (sound) sound.hidden = true; });
  };
  if ("receives" in desk.dataset) {
    if (sound) { sound.hidden = false; sound.addEventListener("click", () => { unlock(); setTimeout(chime, 100); }); }
    // At the end of a press: what is below the button moves when it goes, and a press that ends elsewhere than it began is none.
    document.addEventListener("click", unlock, { once: true });
    document.addEventListener("keydown", unlock, { once: true });
  }
  document.addEventListener("htmx:after:swap", () => {
    kept.forEach((row) => { if (!row.isConnected) document.querySelector(".payments .desk").prepend(row); });
    const now = ids(), fresh = [...now].filter((id) => !known.has(id));
    every("#desk [data-job]", (e) => e.classList.toggle("fresh", fresh.includes(e.dataset.job)));
    known = now;
    badge();
    current()?.classList.add("at");
    countDown();
    if (!fresh.length) return;
    chime();
    say(desk.dataset.arrived);
    if (document.hidden) document.title = "(" + fresh.length + ") " + title;
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) document.title = title; });
  // The screen stays on while the trader wants it to on this device.
  const awake = document.querySelector("[data-awake]");
  if (awake && navigator.wakeLock) {
    let lock;
    const hold = async () => {
      const on = localStorage.getItem("awake") === "on";
      awake.setAttribute("aria-pressed", on);
      if (!on) { lock?.release(); lock = null; } else if (!document.hidden) lock = await navigator.wakeLock.request("screen").catch(() => null);
    };
    awake.hidden = false;
    awake.addEventListener("click", () => { localStorage.setItem("awake", localStorage.getItem("awake") === "on" ? "off" : "on"); hold(); });
    document.addEventListener("visibilitychange", hold);
    hold();
  }
  // After the line was down, what was missed is asked for.
  const line = document.getElementById("line");
  const asks = () => htmx.trigger(document.body, "changed");
  document.addEventListener("htmx:sse:after:connection", () => { line.hidden = true; asks(); });
  document.addEventListener("htmx:sse:error", () => { line.hidden = false; });
  addEventListener("online", asks);
}

// Fields that take a name offer those that have what is typed, besides the ones that came with the page.
every("input[data-names]", (input) => {
  let asked;
  input.addEventListener("input", () => {
    clearTimeout(asked);
    asked = setTimeout(async () => {
      const typed = input.value;
      const answer = await fetch(input.dataset.names + "?q=" + encodeURIComponent(typed)).catch(() => null);
      if (answer?.ok && input.value === typed && input.list) input.list.innerHTML = await answer.text();
    }, 200);
  });
});

// Passkeys: the server's options in, the authenticator's answer out, in a form's field.
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const listed = (list) => (list || []).map((c) => ({ ...c, id: bytes(c.id) }));
async function passkey(form) {
  const options = JSON.parse(form.dataset.passkey).publicKey;
  options.challenge = bytes(options.challenge);
  const creating = Boolean(options.rp && options.user);
  if (creating) {
    options.user.id = bytes(options.user.id);
    options.excludeCredentials = listed(options.excludeCredentials);
  } else {
    options.allowCredentials = listed(options.allowCredentials);
  }
  const made = await (creating ? navigator.credentials.create({ publicKey: options }) : navigator.credentials.get({ publicKey: options }));
  const answer = { clientDataJSON: text(made.response.clientDataJSON) };
  if (creating) {
    answer.attestationObject = text(made.response.attestationObject);
    answer.transports = made.response.getTransports?.() || [];
  } else {
    answer.authenticatorData = text(made.response.authenticatorData);
    answer.signature = text(made.response.signature);
    if (made.response.userHandle) answer.userHandle = text(made.response.userHandle);
  }
  form.elements.passkey.value = JSON.stringify({
    id: made.id, rawId: text(made.rawId), type: made.type, response: answer, clientExtensionResults: made.getClientExtensionResults(),
  });
  form.submit();
}
const failed = (form) => () => { const said = form.querySelector(".wrong"); if (said) said.hidden = false; };
if (window.PublicKeyCredential) {
  every("form[data-passkey]", (form) => {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      passkey(form).catch(failed(form));
    });
  });
}

// The app: the worker keeps static files, the icon shows how many payments are open, and a push opens one.
if (navigator.serviceWorker && isSecureContext) {
  const worker = navigator.serviceWorker.register("/worker.js");
  worker.catch(() => {});
  const push = async (form) => {
    if (await Notification.requestPermission() !== "granted") return;
    await worker;
    const { pushManager } = await navigator.serviceWorker.ready;
    // A browser makes no subscription with a new key beside that with an old one.
    const before = await pushManager.getSubscription();
    if (before && text(before.options.applicationServerKey) !== form.dataset.push) await before.unsubscribe();
    const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(form.dataset.push) });
    form.elements.subscription.value = JSON.stringify(made);
    form.submit();
  };
  every("form[data-push]", (form) => {
    if (!window.PushManager) return;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      push(form).catch(failed(form));
    });
  });
}
