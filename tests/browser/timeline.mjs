/* SPDX-License-Identifier: MIT */
// timeline.mjs CHROMIUM PAGE - use the timeline as its readers do, by mouse and by keys only, and look at its pixels.
import { axeSource, check, finish, launch, open as openPage, settle } from './viewer_page.mjs';

const [executablePath, file] = process.argv.slice(2);
const open = (browser, fragment, options) => openPage(browser, file, { fragment, ...options });
const view = page => page.evaluate(() => window.__warplens.state.view);
const selection = page => page.evaluate(() => window.__warplens.state.selection);

// The centre, on the page, of the nth event of a row, with what it is; the row is scrolled into view.
const eventPlace = (page, label, n) => page.evaluate(([label, n]) => {
  const { app, state } = window.__warplens;
  const { timeline, source } = app;
  const id = timeline.laid.rows.find(({ row }) => row.label === label).id;
  timeline.reveal(id);
  const events = source.events(id, state.view.a, state.view.b, 5000);
  const box = document.getElementById('canvas').getBoundingClientRect();
  const place = timeline.boxOf({ rowId: id, ref: events.ref[n], begin: events.start[n],
    end: events.start[n] + events.dur[n] });
  return { x: box.left + place.x + place.width / 2, y: box.top + place.y + 5, id, ref: events.ref[n], width: place.width };
}, [label, n]);

async function checkMouse(browser) {
  const { context, page, trouble } = await open(browser);
  await page.evaluate(() => window.__warplens.state.setView(38e6, 40e6, { jump: true }));
  await settle(page);
  const place = await eventPlace(page, 'Stream 7 compute', 3);
  await page.mouse.move(place.x, place.y);
  await settle(page);
  check('a tooltip names what is pointed at', await page.locator('#tooltip').isVisible());
  await page.mouse.click(place.x, place.y);
  await settle(page);
  check('a click selects', (await selection(page))?.ref === place.ref, await selection(page));
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('kernel'));
  const before = await view(page);
  await page.mouse.dblclick(place.x, place.y);
  await settle(page);
  const after = await view(page);
  check('a double click zooms', after.b - after.a < (before.b - before.a) / 4, after);
  await page.keyboard.press('Alt+ArrowLeft');
  check('Alt+Left goes back', JSON.stringify(await view(page)) === JSON.stringify(before), await view(page));
  await page.mouse.move(place.x + 40, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x + 240, place.y, { steps: 5 });
  await page.mouse.up();
  const range = await page.evaluate(() => window.__warplens.state.range);
  const nsPerPixel = await page.evaluate(() => window.__warplens.app.timeline.timeAt(1) - window.__warplens.app.timeline.timeAt(0));
  check('a drag makes a range', range && Math.abs((range.b - range.a) / nsPerPixel - 200) < 14, range);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(place.x + 140, place.y, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const panned = await view(page);
  check('Shift+drag pans', panned.a > before.a && Math.abs(panned.b - panned.a - (before.b - before.a)) < 2, panned);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await settle(page);
  const zoomed = await view(page);
  check('Ctrl+wheel zooms', zoomed.b - zoomed.a < panned.b - panned.a, zoomed);
  const canvas = await page.locator('#overview-canvas').boundingBox();
  await page.mouse.click(canvas.x + canvas.width * 0.8, canvas.y + canvas.height - 20);
  const there = await view(page);
  const at = await page.evaluate(() => window.__warplens.app.overview.timeAt(document.getElementById('overview-canvas').clientWidth * 0.8));
  check('a click on the overview goes there', there.a < at && at < there.b, { there, at });
  await page.mouse.click(canvas.x + canvas.width * 0.3, canvas.y + 20);
  const iteration = await view(page);
  check('a click on a bar shows its iteration', iteration.b - iteration.a > 11e6 && iteration.b - iteration.a < 14e6, iteration);
  check('nothing went wrong with the mouse', trouble.length === 0, trouble);
  await context.close();
}

async function checkKeys(browser) {
  const { context, page, trouble } = await open(browser);
  const press = async key => { await page.keyboard.press(key); await settle(page); };
  await page.locator('#canvas').focus();
  const whole = await view(page);
  await page.keyboard.down('w');
  await page.waitForFunction(span => window.__warplens.state.view.b - window.__warplens.state.view.a < span / 3, whole.b - whole.a);
  await page.keyboard.up('w');
  await settle(page);
  const near = await view(page);
  await page.waitForTimeout(100);
  check('zoom ends with the key', JSON.stringify(await view(page)) === JSON.stringify(near), near);
  await press('d');
  check('D pans', (await view(page)).a > near.a);
  await press('0');
  check('0 shows everything', JSON.stringify(await view(page)) === JSON.stringify(whole));
  for (let i = 0; i < 6; i++)
    await press('ArrowDown');
  const row = await page.evaluate(() => window.__warplens.app.source.head.rows[window.__warplens.state.focusRow].label);
  check('arrows move the focus', /Stream|Gaps/.test(row), row);
  await press('.');
  const first = await selection(page);
  await press('.');
  const second = await selection(page);
  check('. goes to the next event', first && second && second.begin > first.begin, { first, second });
  await press(',');
  check(', goes back', (await selection(page)).begin === first.begin);
  await press('f');
  await press('f');
  const fitted = await view(page);
  check('F twice fits', fitted.b - fitted.a < 100 * Math.max(first.end - first.begin, 4096), fitted);
  await press('r');
  check('R makes a range', (await page.evaluate(() => window.__warplens.state.range))?.a === first.begin);
  const kind = () => page.evaluate(() => window.__warplens.app.source.head.rows[window.__warplens.state.selection.rowId].kind);
  if (await kind() === 'stream') {
    await press('o');
    check('O goes to the launch', await kind() === 'api', await kind());
    await press('o');
    check('and back', (await selection(page)).ref === first.ref);
  }
  await press(')');
  const one = await view(page);
  await press(')');
  check(') goes to the next iteration', (await view(page)).a > one.a);
  await press('Escape');
  await press('Escape');
  check('Esc clears', await selection(page) === null && await page.evaluate(() => window.__warplens.state.range) === null);
  await press('/');
  check('/ goes to the search', await page.evaluate(() => document.activeElement.id) === 'search');
  const still = await view(page);
  await page.keyboard.type('wasd0');
  check('keys typed in a field do not navigate', JSON.stringify(await view(page)) === JSON.stringify(still));
  check('nothing went wrong with keys', trouble.length === 0, trouble);
  await context.close();
}

// Pixels of a lane are its columns; every event of a pixel or more is found at its centre.
async function checkTruth(browser, colorScheme) {
  const { context, page, trouble } = await open(browser, '', { colorScheme });
  for (const [a, b] of [[0, 100e6], [38e6, 42e6], [38.1e6, 38.2e6]]) {
    await page.evaluate(([a, b]) => window.__warplens.state.setView(a, b, { jump: true }), [a, b]);
    await page.mouse.move(5, 5);
    await settle(page);
    const wrong = await page.evaluate(async () => {
      const { app, state } = window.__warplens;
      const { timeline, source } = app;
      const { fill } = timeline.theme;
      const canvas = document.getElementById('canvas');
      const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const all = new Uint32Array(image.data.buffer);
      let pixels = 0, hits = 0, seen = 0;
      for (const row of timeline.laid.rows.filter(({ kind }) => kind === 'stream' || kind === 'api')) {
        const w = timeline.painter.width;
        const [picture] = source.pictures([row.picture], state.view.a, state.view.b, w).get(row.picture);
        const { y } = timeline.boxOf({ rowId: row.id, ref: 0, begin: 0, end: 1 });
        const line = Math.round((y + 2) * timeline.ratio);
        const data = all.subarray(line * w, (line + 1) * w);
        const events = source.events(row.picture, state.view.a, state.view.b, 5000);
        const single = new Set();
        for (let i = 0; i < events.n && !events.truncated; i++) {
          const x = timeline.xAt(events.start[i]), end = timeline.xAt(events.start[i] + events.dur[i]);
          for (let p = Math.floor(x) - 1; p <= end + 1 && end - x >= 2; p++)
            single.add(p);
          if (end - x < 1 || x < 0 || end > timeline.width)
            continue;
          seen++;
          const hit = await timeline.hit((x + end) / 2, y + 5);
          hits += hit?.begin !== events.start[i] || hit?.ref !== events.ref[i];
        }
        for (let x = 0; x < w; x++) {
          const share = picture.share[x];
          if (share === 0 || single.has(x))
            continue;
          const level = Math.max(1, Math.round(share * 32 / 255));
          seen++;
          pixels += data[x] !== fill[picture.cat[x] * 33 + level];
        }
      }
      return { pixels, hits, seen };
    });
    check(`${colorScheme} ${a}-${b}: pixels are columns`, wrong.pixels === 0 && wrong.seen > 20, wrong);
    check(`${colorScheme} ${a}-${b}: events are found`, wrong.hits === 0, wrong);
  }
  check(`nothing went wrong in ${colorScheme}`, trouble.length === 0, trouble);
  await context.close();
}

// In other colours than those of categories a column has that of its longest event, with the same share.
async function checkColours(browser) {
  const { context, page, trouble } = await open(browser);
  for (const by of ['name', 'nvtx', 'stream', 'duration', 'category']) {
    await page.keyboard.press('c');
    await page.mouse.move(5, 5);
    await settle(page);
    check(`C goes on to ${by}`, await page.locator('#colour').inputValue() === by);
    const said = await page.locator('#status').textContent();
    check(`${by} is explained`, said.startsWith('Colour is'), said);
    const wrong = await page.evaluate(by => {
      const { app, state } = window.__warplens;
      const { timeline, source } = app;
      const { fill, first } = timeline.theme;
      const canvas = document.getElementById('canvas');
      const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const all = new Uint32Array(image.data.buffer), w = timeline.painter.width;
      const row = timeline.laid.rows.find(({ row }) => row.label === 'Stream 7 compute');
      const { a, b } = state.view;
      const [picture] = source.pictures([row.picture], a, b, w).get(row.picture);
      const [lane] = source.lanesOf[row.picture];
      const { y } = timeline.boxOf({ rowId: row.id, ref: 0, begin: 0, end: 1 });
      const line = Math.round((y + 2) * timeline.ratio) * w;
      const colours = new Set();
      let pixels = 0, seen = 0;
      for (let x = 0; x < w; x++) {
        const from = a + Math.floor(x * (b - a) / w), to = a + Math.floor((x + 1) * (b - a) / w);
        const i = lane.longest(from, to);
        const wide = i >= 0 && lane.dur[i] * w / (b - a) >= 2;
        if (picture.share[x] === 0 || wide || i < 0)
          continue;
        const step = Math.min(10, Math.max(0, Math.floor(2 * Math.log10(lane.dur[i] / 1000))));
        const colour = { name: first.names + lane.name[i] * 7 % 24, duration: first.durations + step,
          category: picture.cat[x] }[by];
        const level = Math.max(1, Math.round(picture.share[x] * 32 / 255));
        colours.add(all[line + x]);
        seen++;
        pixels += colour !== undefined && all[line + x] !== fill[colour * 33 + level];
      }
      return { pixels, seen, colours: colours.size };
    }, by);
    check(`${by}: pixels are columns`, wrong.pixels === 0 && wrong.seen > 100 && wrong.colours > 1, wrong);
  }
  check('nothing went wrong with colours', trouble.length === 0, trouble);
  await context.close();
}

async function checkAddress(browser) {
  const { context, page } = await open(browser);
  await page.evaluate(() => {
    const { state } = window.__warplens;
    state.setView(20e6, 30e6);
    state.setRange({ a: 21e6, b: 22e6 });
    state.setFilter('stream');
    state.toggleRow('pinned', 3);
  });
  await page.waitForFunction(() => location.hash.includes('pin=3'));
  const hash = await page.evaluate(() => location.hash);
  const other = await open(browser, hash);
  const said = await other.page.evaluate(() => {
    const { view, range, filter, pinned } = window.__warplens.state;
    return { view, range, filter, pinned: [...pinned], box: document.getElementById('row-filter').value };
  });
  check('an address round trip', JSON.stringify(said) === JSON.stringify({ view: { a: 20e6, b: 30e6 },
    range: { a: 21e6, b: 22e6 }, filter: 'stream', pinned: [3], box: 'stream' }), said);
  await context.close();
  await other.context.close();
}

async function checkReaders(browser, options) {
  const { context, page, trouble } = await open(browser, '', options);
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const bad = result.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  check(`axe ${JSON.stringify(options)}`, bad.length === 0,
    bad.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(node => node.html.slice(0, 120))]));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  check(`the page fits ${JSON.stringify(options)}`, !wide);
  check(`nothing went wrong ${JSON.stringify(options)}`, trouble.length === 0, trouble);
  await context.close();
}

const browser = await launch(executablePath);
try {
  await checkMouse(browser);
  await checkKeys(browser);
  await checkTruth(browser, 'dark');
  await checkTruth(browser, 'light');
  await checkColours(browser);
  await checkAddress(browser);
  await checkReaders(browser, { colorScheme: 'dark' });
  await checkReaders(browser, { colorScheme: 'light' });
  await checkReaders(browser, { viewport: { width: 800, height: 600 }, reducedMotion: 'reduce', forcedColors: 'active' });
} catch (e) {
  check('the page could be used', false, String(e.stack ?? e));
}
await finish(browser);
