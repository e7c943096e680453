/* SPDX-License-Identifier: MIT */
// compare.mjs CHROMIUM FILE URL DIFF TRUTH - use the page of two traces as its readers do. B is A with one wait more in
// each iteration, as TRUTH says; DIFF is what the verb says of them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { axeSource, check, close, finish, launch, open, state } from './viewer_page.mjs';

const [executablePath, file, url, diffFile, truthFile] = process.argv.slice(2);
const diff = JSON.parse(fs.readFileSync(diffFile, 'utf8'));
const planted = JSON.parse(fs.readFileSync(truthFile, 'utf8')).planted[0].change;
const section = name => diff.sections.find(s => s.analysis === name);

// What of the head is needed here, on the axis.
const facts = page => page.evaluate(() => {
  const { source } = window.__warplens.app;
  return { iterations: source.head.processes.map(p => [p.trace, p.iterations]), steady: source.head.processes.map(p => p.steady),
    gpus: source.head.rows.flatMap((row, i) => row.kind === 'gpu' ? [[row.trace, i]] : []) };
});

async function checkAlignment(browser, where, what) {
  const opened = await open(browser, where);
  const { page } = opened;
  const align = await state(page, 'align');
  check(`${what}: iterations are paired at first`, align.mode === 'iteration', align);
  const begins = await page.evaluate(({ a, b }) => [[0, a], [1, b]].map(([trace, i]) =>
    window.__warplens.app.source.head.processes.find(p => p.trace === trace).iterations[i][0]), align);
  check(`${what}: both begin at 0`, begins.every(t => t === 0), begins);
  const view = await state(page, 'view');
  check(`${what}: the pair is in view`, view.a < 0 && view.b > 0 && view.b - view.a < 60e6, view);
  await page.locator('#canvas').focus();
  await page.keyboard.press(')');
  await page.waitForFunction(n => window.__warplens.state.align.a === n, align.a + 1);
  check(`${what}: ) steps both`, (await state(page, 'align')).b === align.b + 1);
  const after = await state(page, 'view');
  check(`${what}: the view stays where it is`, after.a === view.a && after.b === view.b, [view, after]);
  await page.getByRole('button', { name: 'Previous iteration of both' }).click();
  await page.waitForFunction(n => window.__warplens.state.align.a === n, align.a);
  await page.getByLabel('Iteration of B', { exact: true }).fill('5');
  await page.getByLabel('Iteration of B', { exact: true }).press('Enter');
  await page.waitForFunction(() => window.__warplens.state.align.b === 5);
  check(`${what}: a field moves one side`, (await state(page, 'align')).a === align.a);
  const select = page.locator('#compare select').first();
  await page.waitForFunction(() => document.querySelectorAll('#compare select')[0].options.length > 3);
  const names = await select.locator('option').allTextContents();
  check(`${what}: ranges are offered`, names.includes('NVTX “forward”'), names);
  await select.selectOption({ label: 'NVTX “forward”' });
  await page.waitForFunction(() => window.__warplens.state.align.mode === 'nvtx');
  const starts = await page.evaluate(async () => {
    const { source } = window.__warplens.app;
    const ids = [0, 1].map(trace => source.head.rows.findIndex(r => r.kind === 'nvtx' && r.trace === trace));
    return Promise.all(ids.map(async id => [...(await source.events(id, 0, 1000, 100)).start].includes(0)));
  });
  check(`${what}: the range of both begins at 0`, starts.every(Boolean), starts);
  await select.selectOption('wall');
  await page.waitForFunction(() => window.__warplens.state.align.mode === 'wall');
  check(`${what}: no pair then`, !await page.getByLabel('Iteration of B', { exact: true }).isVisible());
  await close(opened, `${what}, alignment`);
}

// The strip is what the pictures of both say, and where the wait is B computes less.
async function checkStrip(browser, where, what) {
  const opened = await open(browser, where);
  const { page } = opened;
  await page.keyboard.press('v');
  await page.keyboard.press('v');
  await page.keyboard.press('v');
  check(`${what}: V ends with the strips`, await state(page, 'sides') === 'delta');
  await page.waitForTimeout(400);
  const seen = await page.evaluate(async () => {
    const { app } = window.__warplens;
    const { timeline, source, state } = app;
    const row = timeline.laid.rows.find(r => r.pair);
    const { a, b } = state.view;
    const w = timeline.painter.width;
    const pictures = await source.pictures(row.drawn, a, b, w);
    const [first, second] = row.drawn.map(id => pictures.get(id)[0].share);
    const middle = timeline.top + row.y + 14;
    const read = y => [...timeline.context.getImageData(0, Math.round(y * timeline.ratio), w, 1).data];
    const at = (pixels, x) => pixels.slice(4 * x, 4 * x + 3).join();
    const css = name => {
      const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)).join();
    };
    const up = read(middle - 5), down = read(middle + 5);
    let wrong = 0, less = 0, more = 0;
    for (let x = 0; x < w; x++) {
      const d = second[x] - first[x], reach = Math.round(d * 14 / 255);
      // Lines through all rows, at marks and the pointer, are no part of the strip.
      wrong += (at(up, x) === css('--more')) !== (reach >= 5);
      wrong += (at(down, x) === css('--less')) !== (reach <= -5);
      less += d < 0 ? -d * (b - a) / w / 255 : 0;
      more += d > 0 ? d * (b - a) / w / 255 : 0;
    }
    return { wrong, less, more, w, y: middle };
  });
  check(`${what}: pixels of the strip are the difference`, seen.wrong <= 4, seen);
  check(`${what}: B computes less by about the wait`, seen.less > 1.8e6, seen);
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + seen.y);
  await page.waitForFunction(() => !document.getElementById('tooltip').hidden);
  const tip = await page.locator('#tooltip').textContent();
  check(`${what}: a column is told in times`, /B computes|both compute/.test(tip) && /A: GPU 0.* computes .*B: GPU 0.* computes /.test(tip), tip);
  await page.keyboard.press('v');
  check(`${what}: V shows both again`, await state(page, 'sides') === 'all');
  await close(opened, `${what}, strip`);
}

async function checkVerdict(browser, where, what) {
  const opened = await open(browser, where, { viewport: { width: 1600, height: 1100 } });
  const { page } = opened;
  const text = await page.locator('#compare').textContent();
  const step = section('verdict').rows[0];
  check(`${what}: the verdict is that of diff`, text.includes(section('verdict').notes[0]) && step.verdict === 'slower', text);
  check(`${what}: it is about the wait`, Math.abs(step.change - planted.step) < planted.step / 20, [step, planted]);
  check(`${what}: what makes them comparable is said`, /✔ same GPUs.*✔ 10\/12 ⇄ 10\/12 iterations.*✔ kernels of 100%/.test(text), text);
  const parts = await page.locator('.waterfall li').evaluateAll(list => list.map(li => li.textContent));
  check(`${what}: the waterfall names the wait`, /^sync▲ \+2(\.\d+)? ms$/.test(parts[1]), parts);
  check(`${what}: from the mean of A to that of B`, /^mean A/.test(parts[0]) && /^mean B/.test(parts.at(-1)), parts);
  const sums = await page.evaluate(() => {
    const { rows, columns } = window.__warplens.app.source.head.compare.tables.find(t => t.name === 'budget');
    const at = key => columns.findIndex(c => c.key === key);
    return ['before', 'after', 'change'].map(key => rows.reduce((sum, row) => sum + row[at(key)], 0));
  });
  check(`${what}: its parts add up`, sums[1] - sums[0] === sums[2] && sums[2] === section('verdict').rows.find(r => r.metric === 'mean_step').change, sums);
  await page.locator('.compare-fold').click();
  check(`${what}: it folds away`, !await page.locator('.compare-verdict').isVisible());
  await close(opened, `${what}, verdict`);
}

/** Rows show labels of kernels; the name is what they say when pointed at. */
async function fullNames(table) {
  return table.locator('tbody th').evaluateAll(cells => cells.map(cell => cell.title || cell.textContent));
}

async function checkTables(browser, where, what) {
  const opened = await open(browser, where);
  const { page } = opened;
  check(`${what}: the comparison comes first`, await page.locator('#panel-compare').isVisible());
  const kernels = page.locator('#panel-compare .table-box', { hasText: 'Kernels, A is before' });
  const wanted = section('kernels').rows.map(r => r.name);
  const names = await fullNames(kernels);
  check(`${what}: kernels are those of diff`, wanted.every(name => names.includes(name)), names.slice(0, 5));
  check(`${what}: states have signs`, (await kernels.locator('tbody td:nth-child(2)').allTextContents()).every(t => /^([▼▲=+−≈] )?[a-z]+$/.test(t)));
  await kernels.getByRole('button', { name: 'A per step', exact: true }).click();
  check(`${what}: they sort`, await kernels.locator('th[aria-sort="descending"]').textContent() === 'A per step');
  await kernels.locator('tbody button').first().click();
  await page.waitForFunction(() => window.__warplens.state.selection?.name);
  const selection = await state(page, 'selection');
  check(`${what}: a kernel is gone to`, selection.name === (await fullNames(kernels))[0], selection);
  await page.waitForFunction(() => window.__warplens.state.counterpart !== null);
  const both = await page.evaluate(async () => {
    const { state: { selection, counterpart }, app: { source } } = window.__warplens;
    const rows = [selection, counterpart].map(({ rowId }) => source.head.rows[rowId]);
    return { names: selection.name === counterpart.name, traces: rows.map(row => row.trace), labels: rows[0].label === rows[1].label,
      away: Math.abs(counterpart.begin - selection.begin) };
  });
  check(`${what}: the same kernel of B is selected with it`, both.names && both.labels && both.traces.join() === '0,1' &&
    both.away < 3e6, both);
  await page.locator('#tab-selection').click();
  check(`${what}: and said`, /in B: .*%/.test(await page.locator('.counterpart').textContent()));
  await page.locator('#tab-compare').click();
  check(`${what}: in the aligned iteration`, selection.begin >= 0 && selection.begin < 30e6, selection);
  await page.locator('#tab-range').click();
  await page.evaluate(() => window.__warplens.state.setRange({ a: -1_000_000, b: 20_000_000 }));
  await page.waitForFunction(() => /^Range 21 ms/.test(document.querySelector('#panel-range h2')?.textContent));
  const table = page.locator('#panel-range .table-box', { hasText: 'the same 21 ms of both' });
  const own = await page.evaluate(async () => {
    const { source } = window.__warplens.app;
    const sums = {};
    for (const trace of [0, 1]) {
      const device = source.head.devices.findIndex(d => d.trace === trace);
      const rows = source.head.rows.flatMap((row, i) => row.kind === 'stream' && row.device === device ? [i] : []);
      const stats = await source.stats(-1_000_000, 20_000_000, rows, 'name');
      for (const row of stats.rows)
        (sums[row[0]] ??= [0, 0])[trace] = row[1];
    }
    return sums;
  });
  const cells = await table.locator('tbody tr').evaluateAll(rows => rows.map(r => [r.cells[0].title || r.cells[0].textContent, r.cells[1].textContent, r.cells[2].textContent]));
  check(`${what}: a range is compared by name`, cells.length > 3 && cells.every(([name, a, b]) => own[name]?.join() === `${a},${b}`), cells.slice(0, 4));
  await page.locator('#panel-range select').first().selectOption('nvtx');
  await page.waitForFunction(() => /by NVTX range, A ⇄ B/.test(document.querySelector('#panel-range').textContent));
  await close(opened, `${what}, tables`);
}

async function checkAddress(browser) {
  const opened = await open(browser, file);
  const { page } = opened;
  await page.evaluate(() => {
    const { app } = window.__warplens;
    app.state.setAlign({ mode: 'iteration', a: 3, b: 7 });
    app.state.setView(1_000_000, 9_000_000);
    app.state.set('sides', 'b');
  });
  await page.waitForFunction(() => /side=b/.test(location.hash) && /align=iteration~3~7/.test(location.hash));
  const copy = await open(browser, page.url());
  const same = await copy.page.evaluate(() => {
    const { align, view, sides } = window.__warplens.state;
    return [align.a, align.b, view.a, view.b, sides];
  });
  check('the address brings it all back', same.join() === '3,7,1000000,9000000,b', same);
  check('and what was chosen is shown', await copy.page.getByLabel('Iteration of B', { exact: true }).inputValue() === '7');
  await copy.page.evaluate(() => { location.hash = '#align=iteration~4~4&v=0~5000000'; });
  await copy.page.waitForFunction(() => window.__warplens.state.align.b === 4);
  check('another address is followed', (await state(copy.page, 'view')).b === 5000000);
  await copy.page.evaluate(() => { location.hash = '#align=iteration~4~4000&v=x'; });
  await copy.page.waitForFunction(() => window.__warplens.state.align.b !== 4);
  check('a wrong one does no harm', (await state(copy.page, 'align')).mode === 'iteration');
  await close(copy, 'address, copy');
  await close(opened, 'address');
}

// From file to answer without a mouse.
async function checkKeyboard(browser) {
  const opened = await open(browser, file);
  const { page } = opened;
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  await page.evaluate(() => window.__warplens.state.setAlign({ mode: 'iteration', a: 3, b: 3 }));
  await page.locator('#compare select').first().focus();
  await page.keyboard.press('Tab');
  check('the fields follow the alignment', await focused() === 'Iteration of A', await focused());
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  check('and then B', await focused() === 'Iteration of B', await focused());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const before = (await state(page, 'align')).a;
  await page.keyboard.press('Enter');
  await page.waitForFunction(n => window.__warplens.state.align.a === n, before + 1);
  await page.locator('#tab-compare').focus();
  await page.keyboard.press('ArrowRight');
  check('tabs by arrows', await page.locator('#panel-selection').isVisible());
  await page.keyboard.press('ArrowLeft');
  check('and back', await page.locator('#panel-compare').isVisible());
  await page.locator('#canvas').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('i');
  check('I shows the pair', (await state(page, 'view')).a < 0);
  await close(opened, 'keyboard');
}

async function checkAccess(browser, colorScheme) {
  const opened = await open(browser, file, { colorScheme, viewport: { width: 1280, height: 720 } });
  const { page } = opened;
  await page.evaluate(axeSource);
  const room = await page.locator('#scroller').evaluate(e => e.clientHeight);
  check(`${colorScheme}: the timeline keeps its room at 1280x720`, room >= 220, room);
  await page.locator('.compare-fold').click();
  await page.evaluate(() => document.querySelectorAll('#drawer details, #compare details').forEach(d => { d.open = true; }));
  await page.waitForTimeout(200);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  const bad = violations.filter(v => ['serious', 'critical'].includes(v.impact));
  check(`${colorScheme}: axe`, bad.length === 0, bad.map(v => [v.id, v.nodes[0].html]));
  await close(opened, `${colorScheme} axe`);
}

async function checkPaper(browser) {
  const opened = await open(browser, file);
  await opened.page.pdf({ path: 'compare.pdf', format: 'A4' });
  const text = execFileSync('pdftotext', ['-layout', 'compare.pdf', '-'], { encoding: 'utf8' });
  for (const words of ['Comparison', 'warplens diff', 'same GPUs', 'mean A', 'Kernels, A is before', 'NVTX ranges, A is before',
    'Idle time by cause, A is before', 'Categories, A is before', 'Where the time went, A is before'])
    check(`on paper: ${words}`, text.includes(words), text.slice(0, 400));
  await close(opened, 'paper');
}

const browser = await launch(executablePath);
for (const run of [checkAlignment, checkStrip, checkVerdict, checkTables])
  for (const [where, what] of [[file, 'file'], [url, 'server']])
    await run(browser, where, what).catch(e => check(`${run.name} ${what}`, false, String(e.stack ?? e)));
for (const run of [checkAddress, checkKeyboard, checkPaper])
  await run(browser).catch(e => check(run.name, false, String(e.stack ?? e)));
for (const scheme of ['light', 'dark'])
  await checkAccess(browser, scheme).catch(e => check(`axe ${scheme}`, false, String(e.stack ?? e)));
await finish(browser);
