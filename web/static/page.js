// Keeps a waiting page true: counts down, asks for news, copies. Everything it does is an addition; the page is whole
// without it.
'use strict';
(() => {
  const live = document.getElementById('live');
  const minute = 60;
  let main, end, poller, failures = 0, asking = false, warned = false;

  // say has a screen reader speak; shown, it is there for everyone until something else is said.
  function say(text, shown) {
    live.className = shown ? 'toast' : 'unseen';
    live.textContent = text;
  }

  // sync sets the end by what the server says is left: the payer's clock may be wrong.
  function sync(seconds) { end = Date.now() + seconds * 1000; }

  // adopt takes over the content of the page: at first, and whenever it is replaced.
  function adopt() {
    main = document.querySelector('main');
    for (const button of main.querySelectorAll('[data-copy]')) button.hidden = false;
    sync(Number(main.dataset.seconds));
    const time = main.querySelector('time');
    if (time) {
      const local = new Date(end);
      time.textContent = time.dataset.text.replace('{}', two(local.getHours()) + ':' + two(local.getMinutes()));
    }
    warned = false;
    tick();
  }

  function two(number) { return String(number).padStart(2, '0'); }

  function tick() {
    const left = main.querySelector('[data-left]');
    if (!left) return;
    left.classList.add('counting');
    const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
    left.textContent = (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(seconds % 60);
    main.querySelector('progress').value = seconds;
    if (seconds <= minute && !warned) {
      warned = true;
      main.classList.add('soon');
      say(main.dataset.soon);
    }
    if (seconds === 0) ask();
  }

  // ask learns how the payment stands, and shows the page anew when that is not what it shows.
  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(poller);
    try {
      const status = await (await get(main.dataset.status)).json();
      if (status.version !== main.dataset.version) await renew();
      else sync(status.seconds);
      if (failures > 1) say('');
      failures = 0;
    } catch {
      if (++failures === 2) say(main.dataset.offline, true);
    }
    asking = false;
    plan();
  }

  // plan asks again: seldom while nobody looks.
  function plan() {
    clearTimeout(poller);
    const every = Number(main.dataset.every);
    if (every) poller = setTimeout(ask, every * (document.hidden ? 5000 : 1000));
  }

  async function get(address) {
    const response = await fetch(address, { cache: 'no-store' });
    if (!response.ok) throw new Error(response.status);
    return response;
  }

  async function renew() {
    const page = main.dataset.page;
    const text = await (await get(page)).text();
    const next = new DOMParser().parseFromString(text, 'text/html');
    const inside = main.contains(document.activeElement);
    main.replaceWith(document.adoptNode(next.querySelector('main')));
    document.title = next.title;
    history.replaceState(null, '', page);
    scrollTo(0, 0);
    adopt();
    const heading = main.querySelector('h1');
    if (inside) heading.focus();
    say([heading, ...main.querySelectorAll('h1 ~ p')].map(part => part.textContent).join('. '));
  }

  async function copy(button) {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages without TLS and some frames have no clipboard of the new kind.
      const field = document.createElement('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
      button.focus();
    }
    const label = button.dataset.label || (button.dataset.label = button.textContent);
    button.textContent = main.dataset.copied;
    button.classList.add('done');
    say(main.dataset.copied);
    setTimeout(() => { button.textContent = label; button.classList.remove('done'); }, 2000);
  }

  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (button) copy(button);
    const menu = document.querySelector('.languages');
    if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener('keydown', event => {
    const menu = document.querySelector('.languages');
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || !main.dataset.every) plan();
    else ask();
  });

  adopt();
  setInterval(tick, 1000);
  plan();
})();
