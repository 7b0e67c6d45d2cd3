// Keeps a waiting page true: counts down, asks for news, copies, helps with typing. Everything it does is an addition;
// the page is whole without it.
'use strict';
(() => {
  const live = document.getElementById('live');
  const minute = 60;
  let main, end, again, later, poller, leading, sending, unsent, failures = 0, asking = false, warned = false;

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
    for (const button of main.querySelectorAll('[data-copy], [data-print], [data-share]')) button.hidden = false;
    sync(Number(main.dataset.seconds));
    for (const time of main.querySelectorAll('time')) {
      // A deadline is as far away as the server says; what is over was when it was.
      // Half a day away a time of day alone no longer says which day it is.
      const local = new Date('date' in time.dataset ? time.dateTime : end), clock = two(local.getHours()) + ':' + two(local.getMinutes()) + zone(local);
      const dated = two(local.getDate()) + '.' + two(local.getMonth() + 1) + '.' + local.getFullYear() + ' ' + clock;
      time.textContent = time.dataset.text?.replace('{}', end - Date.now() > 432e5 ? dated : clock) || dated;
    }
    const next = main.querySelector('[data-next]');
    again = next && Date.now() + next.dataset.next * 1000;
    later = main.querySelector('[data-after]');
    if (later) {
      later.hidden = true;
      later.at = Date.now() + later.dataset.after * 1000;
    }
    for (const field of main.querySelectorAll('[data-format]')) format(field);
    warned = false;
    recall();
    lead();
    tell();
    tick();
    plan();
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
    clearInterval(leading);
    if (!back) return;
    const said = main.querySelector('.leads p'), texts = said.dataset.text.split('|');
    let left = texts.length;
    said.parentNode.hidden = false;
    leading = setInterval(() => {
      if (--left) said.textContent = texts[left - 1];
      else {
        clearInterval(leading);
        back.click();
      }
    }, 1000);
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
    if (later) later.hidden = Date.now() < later.at;
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
    if (!main.dataset.status && unsent) send(release());
    if (asking || !main.dataset.status) return;
    asking = true;
    clearTimeout(poller);
    const began = Date.now();
    let held = false;
    try {
      const { status, version, every } = main.dataset;
      const question = document.hidden || failures || every > 3 ? '' : (status.includes('?') ? '&' : '?') + 'wait=1&version=' + encodeURIComponent(version);
      const answer = JSON.parse(await get(status + question));
      held = question && Date.now() - began > 1000;
      const news = answer.version !== main.dataset.version;
      // What arrived before the connection was lost is not sent again, but for what can be said twice.
      const arrived = news && unsent && !('keep' in unsent.form.dataset);
      if (arrived) unsent = null;
      if (news) await renew(main.dataset.page, arrived);
      else sync(answer.seconds);
      online(news);
    } catch {
      if (++failures === 2) offline();
    }
    asking = false;
    plan(held);
  }

  // plan asks again: at once when the last question was held until there was an answer, else after a while, and seldom
  // while nobody looks. A page that asks nothing tries again to send what it keeps.
  function plan(held) {
    clearTimeout(poller);
    const every = Number(main.dataset.every || unsent && 10);
    if (every) poller = setTimeout(ask, held ? 0 : every * (document.hidden ? 5000 : 1000));
  }

  function offline() { say(main.dataset.offline, true); }

  // online goes on after a time without a connection. What the payer has sent meanwhile is sent now.
  function online(news) {
    if (failures > 1 && !news) say(main.dataset.online);
    failures = 0;
    if (unsent) send(release());
  }

  // send sends a form, once however often its button is pressed. Without a connection the page stays with all that was
  // typed, and sends the form when it is back.
  async function send(form) {
    if (sending) return;
    sending = true;
    const button = form.querySelector('button:not([type=button])'), data = new FormData(form);
    button.classList.add('sending');
    let answer, text;
    try {
      const file = form.enctype[0] === 'm';
      // Browsers of before 2022 have no AbortSignal.timeout, and wait as long as they do.
      answer = await fetch(form.action, { method: 'post', body: file ? data : new URLSearchParams(data), signal: AbortSignal.timeout?.(file ? 3e5 : 3e4) });
      const said = await answer.text();
      // What a proxy says in place of the gateway is no page of ours.
      if (answer.status >= 500 && ('keep' in form.dataset || !said.includes('<main'))) throw new Error(answer.status);
      text = said;
    } catch { /* it is kept */ }
    sending = false;
    button.classList.remove('sending');
    if (text) {
      show(text, answer.redirected ? answer.url : main.dataset.page || location.href, true);
      return;
    }
    unsent = { form, label: [...button.childNodes] };
    if (main.dataset.holding) {
      button.replaceChildren(main.dataset.holding);
      say(form.dataset.keep || main.dataset.held, true);
    }
    failures = Math.max(failures, 2);
    plan();
  }

  // release takes back a form that waits for the connection.
  function release() {
    const { form, label } = unsent;
    unsent = null;
    form.querySelector('button:not([type=button])').replaceChildren(...label);
    return form;
  }

  async function get(address) {
    const response = await fetch(address, { cache: 'no-store' });
    if (!response.ok) throw new Error(response.status);
    return response.text();
  }

  // renew shows a page, this one as it is now or in another language, in place of what is shown. While a form is being
  // sent, how it is now is left to the answer, which would take away what is typed meanwhile.
  async function renew(page, answered) {
    const text = await get(page);
    if (!sending || page !== main.dataset.page) show(text, page, answered);
  }

  function show(text, page, answered) {
    const next = new DOMParser().parseFromString(text, 'text/html');
    const old = main, active = document.activeElement, inside = main.contains(active);
    main = document.adoptNode(next.querySelector('main'));
    old.replaceWith(main);
    document.querySelector('header').replaceWith(document.adoptNode(next.querySelector('header')));
    document.documentElement.lang = next.documentElement.lang;
    document.title = next.title;
    history.replaceState(null, '', page);
    // What is being typed stays where the form does, unless it was sent.
    for (const field of main.querySelectorAll('input[id]:not([type=file])')) {
      const before = !answered && old.querySelector('#' + field.id);
      if (before) field.checked = before.checked;
      field.value = before?.value || field.value;
    }
    // So does a file that was chosen.
    const file = 'input[type=file]', chosen = old.querySelector(file);
    if (chosen?.value && !answered) main.querySelector(file)?.replaceWith(chosen);
    adopt();
    // The focus goes to what is wrong, stays where the payer is, or goes to what is new.
    const fresh = news(old), same = !answered && inside && active.id && main.querySelector('#' + active.id);
    const target = main.querySelector('[aria-invalid]') || same || fresh[0] || main.querySelector('[autofocus]') || main.querySelector('h1');
    if (target !== same) scrollTo(0, 0);
    if (parent === window || document.hasFocus()) target.focus();
    speak(fresh);
  }

  function words(part) { return part.textContent.replace(/\s+/g, ' ').trim(); }

  // news are the parts of the page that tell what has just happened, unless the page before said the same.
  function news(old) {
    const known = old && [...old.querySelectorAll('[data-new]')].map(words);
    return [...main.querySelectorAll('[data-new], .error')].filter(part => !known?.includes(words(part)));
  }

  // speak says what is new on the page, or else what the page is.
  function speak(fresh) {
    const parts = fresh.length ? fresh : main.querySelectorAll('h1, h1 ~ p:not(.hint), .leads:not([hidden]) p');
    say([...parts].map(words).map(text => /[.!?…]$/.test(text) ? text : text + '.').join(' '));
  }

  // share hands the page's address to what the device has for that, or copies it.
  function share(button) {
    const url = new URL(main.dataset.page || '', location).href;
    if (!navigator.share) copy(button, url);
    else navigator.share({ title: document.title, url }).catch(error => error.name === 'AbortError' || copy(button, url));
  }

  async function copy(button, text = button.dataset.copy) {
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
    const shown = button.querySelector('span') || button, label = button.dataset.label || (button.dataset.label = shown.textContent);
    shown.textContent = main.dataset.copied;
    button.classList.add('done');
    say(main.dataset.copied);
    setTimeout(() => { shown.textContent = label; button.classList.remove('done'); }, 2000);
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
    if (field.dataset.format === 'file') picked(field);
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
    const marks = [...main.querySelectorAll('.marks svg')], known = marks.some(mark => mark.dataset.mark === brand);
    for (const mark of marks) mark.classList.toggle('off', !!brand && mark.dataset.mark !== brand);
    if (marks.length) marks[0].parentNode.hidden = !!brand && !known;
    shown.classList.toggle('unseen', known);
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

  // picked shows which file was chosen, and what is on it where that is a picture.
  async function picked(field) {
    const file = field.files[0], canvas = field.parentNode.querySelector('canvas'), name = field.parentNode.querySelector('[data-name]');
    name.textContent = file?.name || name.textContent;
    canvas.hidden = true;
    try {
      const image = await createImageBitmap(file);
      canvas.width = 320;
      canvas.height = 320 * image.height / image.width;
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.hidden = false;
    } catch { /* it is none, or no picture */ }
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
      (field.closest('.pick') || field).after(error);
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
    // Who changes what waits to be sent will send it themselves.
    if (unsent?.form === field.form) release();
    if (!field.dataset.format) return;
    format(field, event);
    if (field.hasAttribute('aria-invalid') && !mistake(field)) blame(field, '');
  });
  document.addEventListener('submit', event => {
    const form = event.target;
    event.preventDefault();
    if (!checked(form)) return;
    // One that waits is sent after the page has asked whether it has arrived.
    if (unsent?.form === form) ask();
    else send(form);
  });
  addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (button) copy(button);
    if (event.target.closest('[data-print]')) print();
    const sharing = event.target.closest('[data-share]');
    if (sharing) share(sharing);
    if (event.target.closest('[data-stay]')) {
      clearInterval(leading);
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
  const told = news();
  if (told.length) speak(told);
  new ResizeObserver(tell).observe(document.body);
  setInterval(tick, 1000);
})();
