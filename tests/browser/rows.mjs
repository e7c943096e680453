/* SPDX-License-Identifier: MIT */
// rows.mjs CHROMIUM WARPLENS TRAIN SERVING HOSTILE COUNTERS - what rows of the page can be made to show: merged streams, other groups,
// brackets over graph launches, names that are very long. TRAIN has two GPUs with several streams, SERVING CUDA graphs.
import { execSync } from 'node:child_process';
import path from 'node:path';
import { check, finish, launch, open, settle } from './viewer_page.mjs';

const [executablePath, warplens, train, serving, hostile, counters] = process.argv.slice(2);

const labels = page => page.evaluate(() => window.__warplens.app.timeline.laid.rows.map(({ text }) => text));
const status = page => page.locator('#status').textContent();

async function fromPalette(page, words) {
  await page.locator('#canvas').focus();
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await settle(page);
}

// Every event of a pixel or more of the merged row is found at its centre, as the event of its own row.
const missedHits = page => page.evaluate(async () => {
  const { app, state } = window.__warplens;
  const { timeline, source } = app;
  const row = timeline.laid.rows.find(({ kind }) => kind === 'merged');
  const { y } = timeline.boxOfRow(row.id, { begin: 0, end: 1 });
  const { a, b } = state.view;
  const events = source.events(row.picture, a, b, 5000);
  let seen = 0, wrong = 0;
  for (let i = 0; i < events.n; i++) {
    const x = timeline.xAt(events.start[i]), end = timeline.xAt(events.start[i] + events.dur[i]);
    if (end - x < 1 || x < 0 || end > timeline.width)
      continue;
    const hit = await timeline.hit((x + end) / 2, y + events.lane[i] * row.laneHeight + 5);
    seen++;
    wrong += hit?.ref !== events.ref[i] || hit?.rowId !== events.row[i] || source.head.rows[hit.rowId].kind !== 'stream';
  }
  return { seen, wrong, lanes: row.lanes, truncated: events.truncated };
});

async function checkMerged(browser) {
  const { context, page, trouble } = await open(browser, train);
  const before = await labels(page);
  await fromPalette(page, 'merge the streams');
  const merged = await labels(page);
  check('one row takes the place of the streams', merged.includes('All streams') &&
    merged.filter(text => /^Stream/.test(text)).length === before.filter(text => /^Stream/.test(text)).length - 3, merged);
  check('it is said', /3 streams in the fewest lanes/.test(await status(page)), await status(page));
  await page.evaluate(() => window.__warplens.state.setView(20e6, 30e6, { jump: true }));
  await settle(page);
  const hits = await missedHits(page);
  check('events are found', hits.seen > 20 && hits.wrong === 0 && hits.lanes > 1, hits);
  for (const mode of ['name', 'nvtx', 'stream', 'duration', 'category'])
    await page.selectOption('#colour', mode).then(() => settle(page));
  const selected = await page.evaluate(async () => {
    const { app, state } = window.__warplens;
    const row = app.timeline.laid.rows.find(({ kind }) => kind === 'merged');
    const events = app.source.events(row.picture, state.view.a, state.view.b, 5000);
    const i = events.lane.findIndex((lane, k) => lane === 1 && events.dur[k] > 1000);
    app.timeline.goTo({ rowId: events.row[i], ref: events.ref[i], begin: events.start[i], end: events.start[i] + events.dur[i] });
    await new Promise(done => setTimeout(done, 300));
    const box = app.timeline.boxOf(state.selection), place = app.timeline.boxOfRow(row.id, { begin: 0, end: 1 });
    return { lane: Math.round((box.y - place.y) / row.laneHeight), focus: state.focusRow, row: state.selection.rowId };
  });
  check('a selection is outlined in its lane', selected.lane === 1, selected);
  await page.waitForFunction(() => /merge=0/.test(location.hash));
  const again = await open(browser, train, { fragment: await page.evaluate(() => location.hash) });
  check('the address keeps it', (await labels(again.page)).includes('All streams'));
  await again.page.locator('.row[data-row="0"]').hover();
  await again.page.locator('.row[data-row="0"] .merge').click();
  await settle(again.page);
  check('the button shows each stream again', JSON.stringify(await labels(again.page)) === JSON.stringify(before),
    await labels(again.page));
  check('nothing went wrong with merged streams', trouble.length + again.trouble.length === 0, [trouble, again.trouble]);
  await context.close();
  await again.context.close();
}

async function checkGroups(browser) {
  const { context, page, trouble } = await open(browser, train);
  const before = await labels(page);
  await fromPalette(page, 'group rows by kind');
  const byKind = await labels(page);
  const at = byKind.indexOf('compute streams');
  check('streams of one role are together', /^G0 Stream 7/.test(byKind[at + 1]) && /^G1 Stream 7/.test(byKind[at + 2]), byKind);
  await fromPalette(page, 'merge the streams');
  check('merging by kind is refused in words', /grouped by GPU/.test(await status(page)) &&
    JSON.stringify(await labels(page)) === JSON.stringify(byKind), await status(page));
  await fromPalette(page, 'group rows by process');
  const byProcess = await labels(page);
  check('GPUs are under their processes', /^Process/.test(byProcess[0]) && /^GPU 0/.test(byProcess[1]), byProcess);
  await fromPalette(page, 'group rows by gpu');
  check('and back', JSON.stringify(await labels(page)) === JSON.stringify(before), await labels(page));
  check('nothing went wrong with groups', trouble.length === 0, trouble);
  await context.close();
}

// Ranges that differ in a number have one colour; one too narrow for its text keeps its number; a command makes steps of
// them; and a table of all threads says that it adds their times up.
async function checkRanges(browser) {
  const { context, page, trouble } = await open(browser, train);
  const drawn = await page.evaluate(async () => {
    const { app: { timeline, source }, state } = window.__warplens;
    const row = timeline.laid.rows.find(({ kind }) => kind === 'nvtx-gpu');
    const { a, b } = state.view;
    const { y } = timeline.boxOfRow(row.id, { begin: 0, end: 1 });
    const events = source.events(row.picture, a, b, 5000);
    const steps = [...events.name.keys()].filter(i => /^iteration \d+$/.test(source.nameText(events.name[i])));
    const texts = [], { context } = timeline, was = context.fillText;
    state.set('colourMode', 'name');
    context.fillText = function (text, ...rest) { texts.push(text); return was.call(this, text, ...rest); };
    await new Promise(done => setTimeout(done, 300));
    const colours = steps.map(i => {
      const x = timeline.xAt(events.start[i] + events.dur[i]) - 4;
      return [...context.getImageData(Math.round(x * timeline.ratio), Math.round((y + (events.lane[i] + 0.8) * row.laneHeight) * timeline.ratio), 1, 1).data].join();
    });
    context.fillText = was;
    return { colours, texts: [...new Set(texts)] };
  });
  check('steps have one colour by name', drawn.colours.length === 6 && new Set(drawn.colours).size === 1, drawn.colours);
  check('cut labels keep their number', ['layer.0', 'layer.1'].every(name => drawn.texts.some(text => /…/.test(text) && text.at(-1) === name.at(-1))) &&
    !drawn.texts.some(text => /^layer?[a-z]*…$/.test(text)), drawn.texts);
  await page.evaluate(() => window.__warplens.app.panels.find('/^forward$/'));
  await page.waitForFunction(() => window.__warplens.state.selection);
  await page.evaluate(() => window.__warplens.app.panels.show('selection'));
  await page.evaluate(() => { navigator.clipboard.writeText = async text => { window.copied = text; }; });
  await page.locator('#panel-selection button', { hasText: 'as steps' }).click();
  const command = await page.evaluate(() => window.copied);
  execSync(command.replace(/^warplens/, warplens), { cwd: path.dirname(path.resolve(train)), stdio: 'pipe' });
  const other = await open(browser, path.join(path.dirname(path.resolve(train)), 'steps.html'));
  const what = await other.page.evaluate(() => window.__warplens.app.source.head.traces[0].headline.steps.what);
  check('a range is made the step by a command', /forward/.test(what), [command, what]);
  await page.evaluate(() => window.__warplens.app.panels.show('range'));
  await page.locator('#panel-range select', { hasText: 'CUDA calls' }).selectOption('host:api');
  await page.locator('#panel-range', { hasText: 'times of all threads added up' }).waitFor({ timeout: 5000 });
  check('nothing went wrong with ranges', trouble.length + other.trouble.length === 0, [trouble, other.trouble]);
  await other.context.close();
  await context.close();
}

// Steps of the overview are seen outside of the window, too; where a GPU has nothing yet, that is said.
async function checkOverview(browser) {
  const { context, page, trouble } = await open(browser, serving, { asOpened: true });
  const seen = await page.evaluate(() => {
    const { app: { overview, source: { head } }, state } = window.__warplens;
    const bright = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (x, y) => (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const ratio = overview.canvas.width / overview.canvas.clientWidth;
    const columnAt = x => overview.context.getImageData(Math.round(x * ratio), 0, 1, Math.round(overview.barsHeight * ratio)).data;
    const [from, to] = overview.window();
    overview.draw();
    const [{ iterations }] = overview.sides;
    const worst = iterations.map(([a, b]) => overview.xAt((a + b) / 2)).filter(x => x < from - 2 || x > to + 2).map(x => {
      const column = columnAt(x), ground = bright(column.slice(0, 3));
      return Math.max(...Array.from({ length: column.length / 4 }, (_, y) => contrast(bright(column.slice(4 * y, 4 * y + 3)), ground)));
    });
    const texts = [], { prototype } = CanvasRenderingContext2D, was = prototype.fillText, { begin, end } = state.extent;
    prototype.fillText = text => texts.push(text);
    head.traces[0].work = [begin + (end - begin) / 2, end];
    overview.request();
    overview.draw();
    prototype.fillText = was;
    return { worst: Math.min(...worst), n: worst.length, texts };
  });
  check('overview: each step is seen', seen.n > 10 && seen.worst >= 3, seen);
  check('overview: no GPU work is said', seen.texts.filter(text => /^no GPU work for /.test(text)).length === 1, seen.texts);
  check('nothing went wrong with the overview', trouble.length === 0, trouble);
  await context.close();
}

// Of a graph: one arrow, a bracket, and the number of its kernels.
async function checkGraphs(browser) {
  const { context, page, trouble } = await open(browser, serving);
  const said = await page.evaluate(async () => {
    const { app, state } = window.__warplens;
    const { source, timeline } = app;
    const rowId = source.head.rows.findIndex(({ kind }) => kind === 'api');
    const [lane] = source.lanesOf[rowId];
    const i = lane.name.findIndex(name => /GraphLaunch/.test(source.nameText(name)));
    const launched = source.head.rows.flatMap(({ kind }, id) => kind === 'stream' ? source.lanesOf[id] : [])
      .reduce((sum, stream) => sum + stream.launch.filter(ref => ref === lane.ref[i]).length, 0);
    timeline.goTo({ rowId, ref: lane.ref[i], begin: lane.start[i], end: lane.end(i), name: 'cudaGraphLaunch' });
    await new Promise(done => setTimeout(done, 500));
    const [part] = timeline.links.spread;
    state.show(lane.start[i], part.end);
    await new Promise(done => setTimeout(done, 300));
    const box = timeline.boxOfRow(part.rowId, part);
    const ratio = timeline.ratio, canvas = document.getElementById('canvas');
    const pixel = canvas.getContext('2d').getImageData(Math.round((box.x + box.width * 0.8) * ratio), Math.round((box.y - 1) * ratio), 1, 1);
    return { launched, count: timeline.links.spread.reduce((sum, { count }) => sum + count, 0), arrows: timeline.links.arrows.length,
      pixel: [...pixel.data.slice(0, 3)], pick: timeline.theme.pick };
  });
  const colour = said.pick.match(/[0-9a-f]{2}/gi).map(part => parseInt(part, 16));
  check('all that a graph launched is counted', said.launched > 10 && said.count === said.launched, said);
  check('one arrow goes to the first', said.arrows === 1, said);
  check('a bracket is over them', colour.every((part, k) => Math.abs(part - said.pixel[k]) < 40), said);
  check('it is said how many', (await status(page)).includes(`one launch of ${said.launched} operations`), await status(page));
  check('nothing went wrong with graphs', trouble.length === 0, trouble);
  await context.close();
}

// Esc takes away one thing at a time, and then closes the drawer.
async function checkEscape(browser) {
  const { context, page, trouble } = await open(browser, train);
  const now = () => page.evaluate(() => {
    const { state } = window.__warplens;
    return [state.selection !== null, state.range !== null, !document.querySelector('#drawer [role="tabpanel"]').parentElement.hidden];
  });
  await page.locator('#canvas').focus();
  for (let i = 0; i < 5; i++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('.');
  await page.waitForFunction(() => window.__warplens.state.selection !== null);
  await page.keyboard.press('Control+a');
  const seen = [await now()];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Escape');
    await settle(page);
    seen.push(await now());
  }
  check('Esc clears, then closes', JSON.stringify(seen) === JSON.stringify([[true, true, true], [false, true, true],
    [false, false, true], [false, false, false]]), seen);
  check('nothing went wrong with Esc', trouble.length === 0, trouble);
  await context.close();
}

// Names of 32,768 characters are cut where they are shown, and the page stays quick.
async function checkLongNames(browser) {
  const { context, page, trouble } = await open(browser, hostile);
  const begin = Date.now();
  for (const tab of ['range', 'findings', 'search', 'tables', 'flame', 'selection']) {
    await page.evaluate(name => window.__warplens.app.panels.show(name), tab);
    await settle(page);
    const longest = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll('td, th, button, li, dd, summary')]
      .filter(node => node.childElementCount === 0).map(node => Math.max(node.textContent.length, node.title.length))));
    check(`${tab}: long names are cut`, longest <= 1000, longest);
  }
  check('long names take no time', Date.now() - begin < 20000, Date.now() - begin);
  check('nothing went wrong with long names', trouble.length === 0, trouble);
  await context.close();
}

// Counters are folded at first. A row is as high as the mean of each pixel, which its tooltip has in words.
async function checkCounters(browser) {
  const { context, page, trouble } = await open(browser, counters);
  const unused = await page.locator('#headline').textContent();
  check('what is recorded and not shown is said', unused.includes('in the trace, not shown: OpenMP barriers'), unused);
  const before = await labels(page);
  check('counters are folded', before.includes('Counters') && !before.includes('SMs Active'), before);
  await page.getByRole('button', { name: 'Counters' }).focus();
  await page.keyboard.press('Enter');
  await settle(page);
  const after = await labels(page);
  check('they unfold by keyboard', after.includes('SMs Active') && after.includes('Tensor Active'), after);
  const share = await page.locator('.row', { hasText: 'SMs Active' }).locator('.share').textContent();
  check('the label says what fills the row', share === '100%', share);
  const seen = await page.evaluate(async () => {
    const { app, state } = window.__warplens;
    const { timeline, source } = app;
    const row = timeline.laid.rows.find(({ text }) => text === 'SMs Active');
    const { y } = timeline.boxOfRow(row.id, { begin: 0, end: 1 });
    const width = timeline.painter.width, { a, b } = state.view;
    const [picture] = source.pictures([row.picture], a, b, width).get(row.picture);
    const lane = source.lanesOf[row.picture][0];
    let most = 0, wrong = 0;
    for (let x = 0; x < width; x += 7) {
      const { a: from, b: to } = timeline.columnOf(x / timeline.ratio);
      let area = 0, time = 0;
      for (let i = 0; i < lane.n; i++) {
        const ns = Math.min(to, lane.end(i)) - Math.max(from, lane.start[i]);
        area += ns > 0 ? ns * lane.level[i] : 0;
        time += ns > 0 ? ns : 0;
      }
      wrong += Math.abs(picture.share[x] - (time > 0 ? area / time : 0)) > 1;
      most = Math.max(most, picture.share[x]);
    }
    return { most, wrong, y: y + row.laneHeight / 2, height: row.laneHeight };
  });
  // 31% of 254 steps above the lowest level.
  check('columns have the mean', seen.wrong === 0 && Math.abs(seen.most - 80) <= 1, seen);
  const canvas = await page.locator('#canvas').boundingBox();
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + seen.y);
  await page.waitForFunction(() => !document.getElementById('tooltip').hidden);
  const tooltip = await page.locator('#tooltip').textContent();
  check('the tooltip has the value, the mean and the highest', /SMs Active \d+%/.test(tooltip) &&
    /mean \d+%, highest \d+% in this pixel/.test(tooltip), tooltip);
  for (const mode of ['name', 'nvtx', 'stream', 'duration', 'category'])
    await page.selectOption('#colour', mode).then(() => settle(page));
  await fromPalette(page, 'group rows by kind');
  check('they are a group across GPUs', (await labels(page)).includes('Counters'), await labels(page));
  check('nothing went wrong with counters', trouble.length === 0, trouble);
  await context.close();
}

const browser = await launch(executablePath);
await checkMerged(browser);
await checkGroups(browser);
await checkRanges(browser);
await checkOverview(browser);
await checkGraphs(browser);
await checkEscape(browser);
await checkLongNames(browser);
await checkCounters(browser);
await finish(browser);
