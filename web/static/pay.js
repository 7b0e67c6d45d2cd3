// Keeps a waiting page true: counts down, asks for news, copies, helps with typing. Everything it does is an addition;
// the page is whole without it.
'use strict';
(() => {
  const live = document.getElementById('live');
  const minute = 60;
  let main, end, again, poller, leading, unsent, failures = 0, asking = false, warned = false;

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
    for (const button of main.querySelectorAll('[data-copy], [data-print]')) button.hidden = false;
    sync(Number(main.dataset.seconds));
    const time = main.querySelector('time');
    if (time) {
      const local = new Date(end);
      time.textContent = time.dataset.text.replace('{}', two(local.getHours()) + ':' + two(local.getMinutes()) + zone(local));
    }
    const next = main.querySelector('[data-next]');
    again = next && Date.now() + next.dataset.next * 1000;
    for (const field of main.querySelectorAll('[data-format]')) format(field);
    warned = false;
    recall();
    lead();
    tell();
    tick();
  }

  // recall puts the bank first whose app was opened before on this device.
  function recall() {
    let bank;
    try { bank = localStorage.bank; } catch { return; } // a frame may have no memory
    const known = bank && [...main.querySelectorAll('[data-bank]')].find(item => item.dataset.bank === bank);
    if (!known) return;
    known.parentNode.prepend(known);
    known.closest('.banks').open = true;
  }

  // lead goes back to the shop by itself where it wants that, but not from a reader who would rather stay.
  function lead() {
    const back = main.querySelector('[data-leads]');
    clearTimeout(leading);
    if (!back) return;
    main.querySelector('.leads').hidden = false;
    leading = setTimeout(() => back.click(), 5000);
  }

  // tell tells the page around a frame, if it is the one that may be, how high this one is and how the payment ended.
  function tell() {
    const origin = main.dataset.frame;
    if (!origin || parent === window) return;
    parent.postMessage({ type: 'payment.height', height: document.documentElement.scrollHeight }, origin);
    if (main.dataset.result) parent.postMessage({ type: 'payment.result', status: main.dataset.result }, origin);
  }

  function two(number) { return String(number).padStart(2, '0'); }

  // zone says whose time of day it is.
  function zone(local) {
    const ahead = -local.getTimezoneOffset(), hours = Math.floor(Math.abs(ahead) / 60), minutes = Math.abs(ahead) % 60;
    return ' (UTC' + (ahead ? (ahead < 0 ? '−' : '+') + hours + (minutes ? ':' + two(minutes) : '') : '') + ')';
  }

  function clock(seconds) { return Math.floor(seconds / 60) + ':' + two(seconds % 60); }

  function tick() {
    const next = again && main.querySelector('[data-next]');
    if (next) {
      const wait = Math.max(0, Math.ceil((again - Date.now()) / 1000));
      next.textContent = next.dataset.text.replace('{}', clock(wait));
      next.hidden = !wait;
      const resend = main.querySelector('form[action*="/resend"]');
      if (resend) resend.hidden = !!wait;
    }
    const left = main.querySelector('[data-left]');
    if (!left) return;
    left.classList.add('counting');
    left.previousElementSibling.hidden = false;
    const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    const hours = Math.floor(seconds / 3600);
    left.textContent = hours ? hours + ':' + two(Math.floor(seconds / 60) % 60) + ':' + two(seconds % 60) : clock(seconds);
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
    const began = Date.now();
    let held = false;
    try {
      const { status, version, every } = main.dataset;
      const question = document.hidden || failures || every > 3 ? '' : (status.includes('?') ? '&' : '?') + 'wait=1&version=' + encodeURIComponent(version);
      const answer = await (await get(status + question)).json();
      held = question && Date.now() - began > 1000;
      if (answer.version !== main.dataset.version) await renew(main.dataset.page);
      else sync(answer.seconds);
      online();
    } catch {
      if (++failures === 2) offline();
    }
    asking = false;
    plan(held);
  }

  // plan asks again: at once when the last question was held until there was an answer, else after a while, and seldom
  // while nobody looks.
  function plan(held) {
    clearTimeout(poller);
    const every = Number(main.dataset.every);
    if (every) poller = setTimeout(ask, held ? 0 : every * (document.hidden ? 5000 : 1000));
  }

  function offline() { say(main.dataset.offline, true); }

  // online goes on after a time without a connection. What the payer has said meanwhile is sent now.
  function online() {
    if (failures > 1) say('');
    failures = 0;
    if (unsent) keep(unsent);
  }

  // keep sends a form of which nothing may be lost: without a connection the page stays, and sends it later.
  async function keep(form) {
    unsent = null;
    try {
      const response = await fetch(form.action, { method: 'post', body: new URLSearchParams(new FormData(form)) });
      if (response.status >= 500) throw new Error(response.status);
      show(await response.text(), main.dataset.page);
    } catch {
      unsent = form;
      failures = Math.max(failures, 2);
      say(main.dataset.unsent, true);
      plan();
    }
  }

  async function get(address) {
    const response = await fetch(address, { cache: 'no-store' });
    if (!response.ok) throw new Error(response.status);
    return response;
  }

  // renew shows a page, this one as it is now or in another language, in place of what is shown.
  async function renew(page) { show(await (await get(page)).text(), page); }

  function show(text, page) {
    const next = new DOMParser().parseFromString(text, 'text/html');
    const old = main, active = document.activeElement, inside = main.contains(active);
    main = document.adoptNode(next.querySelector('main'));
    old.replaceWith(main);
    document.querySelector('header').replaceWith(document.adoptNode(next.querySelector('header')));
    document.documentElement.lang = next.documentElement.lang;
    document.title = next.title;
    history.replaceState(null, '', page);
    // What is being typed stays where the form does.
    for (const field of main.querySelectorAll('input[id]:not([type=file])')) {
      const before = old.querySelector('#' + field.id);
      if (before) field.checked = before.checked;
      field.value = before?.value || field.value;
    }
    // So does a file that was chosen.
    const chosen = old.querySelector('input[type=file]'), place = main.querySelector('input[type=file]');
    if (chosen?.value && place) place.replaceWith(chosen);
    adopt();
    const heading = main.querySelector('h1'), same = inside && active.id && main.querySelector('#' + active.id);
    if (!same) scrollTo(0, 0);
    if (inside) (same || heading).focus();
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

  const brands = [
    ['Mir', /^220[0-4]/], ['UzCard', /^(8600|5614)/], ['Humo', /^9860/], ['Troy', /^9792/], ['Visa', /^4/], ['Mastercard', /^(5[1-5]|2[2-7])/], ['American Express', /^3[47]/], ['UnionPay', /^62/], ['JCB', /^35/],
  ];

  // format writes a card's number in groups and its expiry with a stroke, and says whose card it is. What a browser fills
  // in in another way is left alone: the server reads it.
  function format(field, event) {
    if (field.dataset.format === 'expiry') {
      const typed = field.value.replace(/^([2-9])/, '0$1').replace(/^(\d{2})[\s/]*(?=\d|$)/, '$1/');
      if (event?.inputType !== 'deleteContentBackward' && /^\d{2}\/\d{0,4}$/.test(typed)) field.value = typed;
      return;
    }
    if (field.dataset.format !== 'pan') return;
    const digits = field.value.replace(/\D/g, '');
    const brand = brands.find(([, start]) => start.test(digits))?.[0] || '';
    let shown = field.parentNode.querySelector('.brand');
    if (!shown) {
      shown = document.createElement('span');
      shown.className = 'brand';
      field.previousElementSibling.append(shown);
    }
    shown.textContent = brand;
    if (/[^\d\s-]/.test(field.value)) return;
    const before = field.value.slice(0, field.selectionStart).replace(/\D/g, '').length;
    const grouped = (brand === 'American Express' ? digits.replace(/^(\d{4})(\d{1,6})/, '$1 $2').replace(/^(\d{4} \d{6})(\d)/, '$1 $2')
      : digits.replace(/(\d{4})(?=\d)/g, '$1 '));
    if (grouped === field.value) return;
    field.value = grouped;
    if (field !== document.activeElement) return;
    let at = 0;
    for (let seen = 0; seen < before; at++) if (grouped[at] !== ' ') seen++;
    field.setSelectionRange(at, at);
  }

  // luhn checks a card number's last digit.
  function luhn(digits) {
    return [...digits].reverse().reduce((sum, digit, at) => sum + (at % 2 ? digit * 2 - (digit > 4 ? 9 : 0) : +digit), 0) % 10 === 0;
  }

  // mistake names what is surely wrong with a field. What the server may still understand is left to it.
  function mistake(field) {
    const text = field.value.trim();
    switch (field.dataset.format) {
      case 'pan': {
        const digits = text.replace(/[\s-]/g, '');
        return !digits ? 'missing' : /^\d{13,19}$/.test(digits) && luhn(digits) ? '' : 'wrong';
      }
      case 'expiry': {
        const [, month, year] = text.match(/^(\d{1,2})[\s/.-]*(\d{2}|\d{4})$/) || [];
        if (!month) return /^\d{4}-\d{1,2}$/.test(text) ? '' : 'wrong';
        if (month < 1 || month > 12) return 'wrong';
        return ('20' + year.slice(-2) + month.padStart(2, '0') < field.dataset.month) ? 'over' : '';
      }
      case 'file': {
        const file = field.files[0];
        return file && file.size <= +field.dataset.most ? '' : 'wrong';
      }
      case 'security': return /^\d{3,4}$/.test(text) ? '' : 'wrong';
      case 'code': return /^\d{4,8}$/.test(text.replace(/[\s-]/g, '')) ? '' : 'wrong';
    }
    return '';
  }

  // blame says beside a field what is wrong with it, or that nothing is.
  function blame(field, text) {
    const id = field.id + '-error';
    document.getElementById(id)?.remove();
    const described = new Set((field.getAttribute('aria-describedby') || '').split(' ').filter(name => name && name !== id));
    field.toggleAttribute('aria-invalid', !!text);
    if (text) {
      field.setAttribute('aria-invalid', 'true');
      described.add(id);
      const error = document.createElement('p');
      error.className = 'error';
      error.id = id;
      error.textContent = text;
      field.after(error);
    }
    if (described.size) field.setAttribute('aria-describedby', [...described].join(' '));
    else field.removeAttribute('aria-describedby');
  }

  // checked looks for mistakes in a form before it is sent, and begins at the first.
  function checked(form) {
    let first;
    for (const field of form.querySelectorAll('[data-format]')) {
      const wrong = mistake(field);
      blame(field, wrong && field.dataset[wrong]);
      if (wrong && !first) first = field;
    }
    if (!first) return true;
    const title = main.dataset.error;
    if (!document.title.startsWith(title.split('{}')[0])) document.title = title.replace('{}', document.title);
    first.focus();
    return false;
  }

  document.addEventListener('input', event => {
    const field = event.target;
    if (!field.dataset.format) return;
    format(field, event);
    if (field.hasAttribute('aria-invalid') && !mistake(field)) blame(field, '');
  });
  // A form is sent once, however often its button is pressed.
  document.addEventListener('submit', event => {
    const form = event.target;
    if (!checked(form)) {
      event.preventDefault();
      return;
    }
    if ('keep' in form.dataset) {
      event.preventDefault();
      form.querySelector('button').classList.add('sending');
      if (!unsent) keep(form);
      return;
    }
    if (form.dataset.sent) event.preventDefault();
    if ('once' in form.dataset) {
      form.dataset.sent = 'yes';
      form.querySelector('.button, button').classList.add('sending');
      // Whoever stopped the browser may send it again.
      setTimeout(() => { delete form.dataset.sent; }, 15000);
    }
  });
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (button) copy(button);
    if (event.target.closest('[data-print]')) print();
    if (event.target.closest('[data-stay]')) {
      clearTimeout(leading);
      main.querySelector('.leads').hidden = true;
    }
    const bank = event.target.closest('[data-bank] a, [data-bank] summary')?.closest('[data-bank]');
    try {
      if (bank) localStorage.bank = bank.dataset.bank;
    } catch { /* a frame may have no memory */ }
    const menu = document.querySelector('.languages');
    if (!menu.contains(event.target)) menu.open = false;
    // Another language keeps what was typed, which going to its page would not.
    const language = event.target.closest('.languages a');
    if (!language || event.metaKey || event.ctrlKey || event.shiftKey || !main.dataset.page) return;
    event.preventDefault();
    renew(language.href).then(() => document.querySelector('.languages summary').focus(), () => location.assign(language.href));
  });
  // A menu that was left covers nothing that has the focus.
  document.addEventListener('focusout', event => {
    const menu = event.target.closest('.languages');
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  document.addEventListener('keydown', event => {
    const menu = document.querySelector('.languages');
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
  addEventListener('offline', offline);
  addEventListener('online', () => {
    failures = Math.max(failures, 2);
    ask();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || !main.dataset.every) plan();
    else ask();
  });

  adopt();
  new ResizeObserver(tell).observe(document.body);
  setInterval(tick, 1000);
  plan();
})();
