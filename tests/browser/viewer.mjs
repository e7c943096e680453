/* SPDX-License-Identifier: MIT */
// viewer.mjs CHROMIUM PAGE EVIL URL - use the viewer as its readers do: by keys alone, on paper, with a reader of
// screens. PAGE is a file and URL a server of the same trace; EVIL is the page of a trace of hostile names.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { axeSource, check, finish, launch, open, same, settle } from './viewer_page.mjs';

const [executablePath, file, evil, url] = process.argv.slice(2);

const stateOf = page => page.evaluate(() => {
  const { view, selection, range, focusRow } = window.__warplens.state;
  return { view, selection, range, focusRow };
});
const focused = page => page.evaluate(() => {
  const { id, tagName, dataset, role } = document.activeElement;
  return id || dataset.action || role || tagName;
});

async function checkPolicy(page, where, isFile) {
  const policy = await page.evaluate(() => document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.content ?? '');
  check(`${where}: policy`, policy.startsWith("default-src 'none'; script-src 'sha256-") &&
    policy.includes(`connect-src ${isFile ? "'none'" : "'self'"}`), policy);
  check(`${where}: no attribute acts`, !await page.evaluate(() => [...document.querySelectorAll('*')].some(
    e => [...e.attributes].some(a => /^on/i.test(a.name) || /^\s*javascript:/i.test(a.value)))));
  const left = await page.evaluate(() => document.querySelectorAll('script[type="application/x-b64"]').length);
  check(`${where}: the packed data are given back`, left === 0, left);
}

// Tab reaches the search, tools, overview, rows, canvas and drawer, in the order of the page, and what has the focus
// can be seen to have it.
async function checkTabs(page, where) {
  const order = [], unseen = [];
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab');
    const id = await focused(page);
    if (id === 'BODY' || (i > 0 && id === order[0]))
      break;
    order.push(id);
    const seen = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return style.outlineStyle !== 'none' || style.boxShadow !== 'none';
    });
    if (!seen)
      unseen.push(id);
  }
  const stations = ['search', 'fit', 'colour', 'help', 'overview-canvas', 'row-filter', 'canvas'];
  const at = stations.map(id => order.indexOf(id));
  check(`${where}: Tab goes through the page in order`, at.every((n, i) => n >= 0 && (i === 0 || n > at[i - 1])), { order, at });
  check(`${where}: Tab reaches the drawer`, order.some(id => id.startsWith('tab-')), order);
  check(`${where}: the focus is seen`, unseen.length === 0, unseen);
}

async function checkKeys(browser, where, place) {
  const { context, page, trouble } = await open(browser, place);
  const press = async key => { await page.keyboard.press(key); await settle(page); };
  await checkTabs(page, where);
  await page.locator('#canvas').focus();
  const whole = (await stateOf(page)).view;
  await page.keyboard.down('w');
  await page.waitForFunction(span => window.__warplens.state.view.b - window.__warplens.state.view.a < span / 3, whole.b - whole.a);
  await page.keyboard.up('w');
  await settle(page);
  const near = (await stateOf(page)).view;
  await press('d');
  check(`${where}: D pans`, (await stateOf(page)).view.a > near.a);
  await press('0');
  check(`${where}: 0 shows everything`, same((await stateOf(page)).view, whole));

  const rowKind = () => page.evaluate(() => window.__warplens.app.source.head.rows[window.__warplens.state.focusRow]?.kind);
  for (let i = 0; i < 20 && await rowKind() !== 'stream'; i++)
    await press('ArrowDown');
  check(`${where}: arrows reach a stream`, await rowKind() === 'stream');
  await press('.');
  await press('.');
  const first = (await stateOf(page)).selection;
  check(`${where}: a full stop selects events`, first?.name?.length > 0, first);
  await page.waitForFunction(name => document.getElementById('status').textContent.includes(name.slice(0, 30)), first.name);
  await press('o');
  const launched = (await stateOf(page)).selection;
  const kind = await page.evaluate(id => window.__warplens.app.source.head.rows[id].kind, launched.rowId);
  check(`${where}: O goes to the launch`, kind === 'api', launched);
  await press('o');
  check(`${where}: and back`, (await stateOf(page)).selection.ref === first.ref);
  await press('f');
  await press('f');
  const fitted = (await stateOf(page)).view;
  check(`${where}: F fits`, fitted.a <= first.begin && first.end <= fitted.b && fitted.b - fitted.a < near.b - near.a, fitted);
  await press('r');
  check(`${where}: R makes a range`, same((await stateOf(page)).range, { a: first.begin, b: first.end }));
  await checkDrawer(page, where, press, first);
  await checkDialogs(page, where, press);
  check(`${where}: keys: quiet`, trouble.length === 0, trouble.join('\n'));
  await context.close();
}

async function checkDrawer(page, where, press, first) {
  const isOpen = () => page.locator('#drawer [role=tabpanel]:visible').count();
  const before = await isOpen();
  await press('q');
  check(`${where}: Q folds the drawer`, (await isOpen() > 0) !== before > 0);
  await press('q');
  check(`${where}: Q unfolds it`, (await isOpen() > 0) === before > 0);
  await page.locator('#drawer [role=tab][aria-selected=true]').focus();
  const tabs = new Set();
  for (let i = 0; i < 6; i++) {
    tabs.add(await focused(page));
    const chosen = await page.locator('#drawer [role=tab][aria-selected=true]').getAttribute('id');
    check(`${where}: ${chosen} has a panel`, await page.locator(`#${chosen.replace('tab', 'panel')}`).isVisible());
    await press('ArrowRight');
  }
  check(`${where}: arrows go through all tabs`, tabs.size === 6, [...tabs]);
  await page.evaluate(() => window.__warplens.app.panels.show('selection'));
  await settle(page);
  const text = await page.locator('#panel-selection').textContent();
  check(`${where}: the drawer tells of the selection`, text.includes(first.name), text.slice(0, 300));
}

async function checkDialogs(page, where, press) {
  await page.locator('#canvas').focus();
  await press('/');
  check(`${where}: / goes to the search`, await focused(page) === 'search');
  await page.keyboard.type('gemm');
  await page.waitForFunction(() => /\d/.test(document.getElementById('hit-count')?.textContent ?? ''));
  await press('Enter');
  await page.waitForFunction(() => /^1?\d*\/\d+$/.test(document.getElementById('hit-count').textContent));
  check(`${where}: Enter goes to a hit`, (await stateOf(page)).selection?.name.includes('gemm'), (await stateOf(page)).selection);
  await press('Escape');
  await page.locator('#canvas').focus();
  await press('?');
  check(`${where}: ? shows the keys`, await page.locator('dialog[open]').count() === 1 &&
    await page.locator('dialog[open] kbd').count() > 20);
  await press('Escape');
  check(`${where}: Esc closes`, await page.locator('dialog[open]').count() === 0);
  await press('F1');
  await page.keyboard.type('everything');
  await press('Enter');
  await page.waitForFunction(() => {
    const { view, extent } = window.__warplens.state;
    return view.a <= extent.begin && view.b >= extent.end;
  });
  check(`${where}: the palette runs an action`, await page.locator('dialog[open]').count() === 0);
}

// What an address says is what another page shows: to the pixel.
async function checkAddress(browser, where, place) {
  const one = await open(browser, place);
  await one.page.evaluate(async () => {
    const { state, app } = window.__warplens;
    const { rows, traces: [{ begin, end }] } = app.source.head;
    const id = rows.findIndex(({ kind }) => kind === 'stream');
    const events = await app.source.events(id, begin, end, 100000);
    const i = Math.floor(events.n / 2);
    app.timeline.goTo({ rowId: id, ref: events.ref[i], begin: events.start[i], end: events.start[i] + events.dur[i],
      name: app.source.nameText(events.name[i]) }, { fit: true });
    state.setRange({ a: events.start[i] - 5000, b: events.start[i] + 7000 });
    state.toggleRow('pinned', id);
    state.set('colourMode', 'stream');
  });
  await one.page.waitForFunction(() => /pin=/.test(location.hash) && /colour=stream/.test(location.hash));
  const hash = await one.page.evaluate(() => location.hash);
  const two = await open(browser, place, { fragment: hash });
  for (const { page } of [one, two]) {
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => window.__warplens.state.selection?.name);
    await settle(page);
  }
  const said = ({ page }) => page.evaluate(() => {
    const { view, selection: { rowId, ref, begin, end, name }, range, pinned, colourMode } = window.__warplens.state;
    return { view, rowId, ref, begin, end, name, range, pinned: [...pinned], colourMode };
  });
  const [x, y] = [await said(one), await said(two)];
  check(`${where}: an address says all`, same(x, y), { x, y });
  await two.page.waitForFunction(() => location.hash !== '');
  check(`${where}: and says the same again`, await two.page.evaluate(() => location.hash) === hash);
  const pixels = ({ page }) => page.evaluate(() => {
    const canvas = document.getElementById('canvas');
    return canvas.toDataURL();
  });
  await settle(one.page);
  await settle(two.page);
  check(`${where}: both look the same`, await pixels(one) === await pixels(two));
  check(`${where}: address: quiet`, one.trouble.length + two.trouble.length === 0, [...one.trouble, ...two.trouble].join('\n'));
  await one.context.close();
  await two.context.close();
}

// With every tab of the drawer, and with the dialogs.
async function checkReaders(browser, colorScheme) {
  const { context, page, trouble } = await open(browser, file, { colorScheme });
  const where = `axe (${colorScheme})`;
  check(`${where}: the theme follows the system`, await page.evaluate(() => document.documentElement.dataset.theme) === colorScheme);
  await page.evaluate(axeSource);
  const look = async what => {
    await settle(page);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const bad = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    check(`${where}: ${what}`, bad.length === 0, bad.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(n => n.html.slice(0, 160))]));
  };
  for (const tab of ['findings', 'range', 'tables', 'flame', 'search', 'selection']) {
    await page.evaluate(tab => window.__warplens.app.panels.show(tab), tab);
    await page.evaluate(() => document.querySelectorAll('#drawer details').forEach(d => { d.open = true; }));
    await look(tab);
  }
  await page.evaluate(() => window.__warplens.app.panels.help());
  await look('help');
  check(`${where}: quiet`, trouble.length === 0, trouble.join('\n'));
  await context.close();
}

// Twice the size is half the window; forced colours take ours away.
async function checkRoom(browser) {
  for (const options of [{ viewport: { width: 800, height: 450 }, deviceScaleFactor: 2 },
                         { viewport: { width: 800, height: 600 }, forcedColors: 'active', reducedMotion: 'reduce' },
                         { viewport: { width: 400, height: 700 } }]) {
    const { context, page, trouble } = await open(browser, file, options);
    check(`${JSON.stringify(options)}: within the window`, await page.evaluate(
      () => document.documentElement.scrollWidth <= innerWidth));
    check(`${JSON.stringify(options)}: quiet`, trouble.length === 0, trouble.join('\n'));
    await context.close();
  }
}

// Fonts and line ends aside, paper has all findings and all rows of the tables.
const squeeze = s => s.normalize('NFKC').replace(/[\s\u00ad\u2010-]+/g, '');

async function checkPaper(browser, colorScheme) {
  const { context, page, trouble } = await open(browser, file, { colorScheme });
  const wanted = await page.evaluate(async () => {
    const { app: { source }, state: { extent: { begin, end } } } = window.__warplens;
    const streams = source.head.rows.flatMap((row, id) => row.kind === 'stream' ? [id] : []);
    const texts = source.head.findings.flatMap(({ title, text, evidence, trace }) =>
      [title, text, evidence.replace('TRACE', source.head.traces[trace].label)]);
    for (const by of ['name', 'category', 'nvtx', 'stream']) {
      const { columns, rows } = await source.stats(begin, end, streams, by);
      const label = columns.findIndex(({ key }) => key === 'label');
      texts.push(...rows.map(row => String(row[label] ?? row[0])));
    }
    return texts.filter(text => text && /^[\x20-\x7e]+$/.test(text));
  });
  const pdf = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'paper-')), 'page.pdf');
  await page.pdf({ path: pdf, format: 'A4', preferCSSPageSize: true });
  const read = how => squeeze(execFileSync('pdftotext', [how, pdf, '-'], { maxBuffer: 1 << 28 }).toString());
  const [text, raw] = [read('-layout'), read('-raw')];
  const missing = wanted.filter(t => !text.includes(squeeze(t)) && !raw.includes(squeeze(t)));
  check(`paper (${colorScheme}): all findings and rows`, wanted.length > 20 && missing.length === 0, missing.slice(0, 5));
  check(`paper (${colorScheme}): quiet`, trouble.length === 0, trouble.join('\n'));
  fs.rmSync(path.dirname(pdf), { recursive: true });
  await context.close();
}

// Everything that shows a name is made to show hostile ones; nothing of them may act or become markup.
async function checkEvil(browser) {
  const { context, page, trouble } = await open(browser, evil);
  const before = await page.evaluate(() => document.scripts.length);
  const events = await page.evaluate(async () => {
    const { app, state } = window.__warplens;
    const { source, timeline } = app;
    const shown = [];
    for (const [id, row] of source.head.rows.entries()) {
      if (!row.events || !/^(stream|nvtx|api)$/.test(row.kind))
        continue;
      const { n, ref, start, dur, name } = await source.events(id, state.extent.begin, state.extent.end, 100);
      for (let i = 0; i < n && shown.length < 70; i++) {
        timeline.goTo({ rowId: id, ref: ref[i], begin: start[i], end: start[i] + dur[i], name: source.nameText(name[i]) },
          { fit: true });
        app.panels.show('selection');
        await new Promise(done => setTimeout(done, 5));
        shown.push(source.nameText(name[i]));
      }
    }
    return shown;
  });
  check('evil: hostile names are text', events.includes("<script>alert('x')</script>"), events.slice(0, 10));
  for (const tab of ['range', 'findings', 'tables', 'flame', 'search']) {
    await page.evaluate(tab => {
      window.__warplens.state.setView(window.__warplens.state.extent.begin, window.__warplens.state.extent.end);
      window.__warplens.app.panels.show(tab);
    }, tab);
    await settle(page);
  }
  await page.evaluate(() => window.__warplens.app.panels.search('<script>'));
  await page.waitForFunction(() => /\d/.test(document.getElementById('hit-count')?.textContent ?? ''));
  const box = await page.locator('#canvas').boundingBox();
  for (let y = 60; y < box.height; y += 25)
    await page.mouse.move(box.x + 300 + y, box.y + y, { steps: 2 });
  await settle(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await settle(page);
  check('evil: nothing became markup', await page.evaluate(() => document.querySelector(
    'img, iframe, object, embed, base, form, [onmouseover], [onerror]')) === null);
  check('evil: scripts are ours', await page.evaluate(() => document.scripts.length) === before);
  check('evil: quiet', trouble.length === 0, trouble.join('\n'));
  await context.close();
}

const browser = await launch(executablePath);
for (const [where, place] of [['file', file], ['server', url]]) {
  const { context, page, trouble } = await open(browser, place);
  await checkPolicy(page, where, place === file);
  check(`${where}: quiet`, trouble.length === 0, trouble.join('\n'));
  await context.close();
  await checkKeys(browser, where, place);
  await checkAddress(browser, where, place);
}
await checkReaders(browser, 'light');
await checkReaders(browser, 'dark');
await checkRoom(browser);
await checkPaper(browser, 'light');
await checkPaper(browser, 'dark');
await checkEvil(browser);
await finish(browser);
