/* SPDX-License-Identifier: MIT */
// panels.mjs CHROMIUM PAGE - use the drawer and the dialogs of the page as its readers do, mostly by keys.
import { execFileSync } from 'node:child_process';
import { axeSource, check, close, finish, launch, open as openPage, state } from './viewer_page.mjs';

const [executablePath, file] = process.argv.slice(2);
const open = (browser, options) => openPage(browser, file, options);
const texts = locator => locator.allTextContents();

async function checkDrawer(browser) {
  const opened = await open(browser);
  const { page } = opened;
  check('findings come first', await page.locator('#panel-findings').isVisible());
  check('they are counted', await page.locator('#tab-findings').textContent() === 'Findings 3');
  check('the range stands beside', await page.locator('#panel-range').isVisible());
  await page.locator('#tab-findings').focus();
  await page.keyboard.press('ArrowRight');
  check('arrows change the tab', await page.locator('#panel-search').isVisible());
  check('and the focus', await page.evaluate(() => document.activeElement.id) === 'tab-search');
  await page.keyboard.press('End');
  check('a wide tab stands alone', await page.locator('#panel-flame').isVisible() &&
    !await page.locator('#panel-range').isVisible());
  await page.locator('#canvas').focus();
  await page.keyboard.press('q');
  check('Q closes', !await page.locator('#panel-flame').isVisible());
  await page.keyboard.press('q');
  check('Q opens', await page.locator('#panel-flame').isVisible());
  const before = await page.locator('.panel-bodies').evaluate(e => e.offsetHeight);
  await page.locator('.panel-grip').focus();
  await page.keyboard.press('ArrowUp');
  const after = await page.locator('.panel-bodies').evaluate(e => e.offsetHeight);
  check('its height changes by key', after > before, [before, after]);
  await page.reload();
  await page.waitForFunction(() => window.__warplens);
  check('and is kept', await page.locator('.panel-bodies').evaluate(e => e.offsetHeight) === after);
  await close(opened, 'drawer');
}

async function checkFindings(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.getByRole('button', { name: 'show: The GPU waits for launches' }).click();
  const range = await state(page, 'range');
  check('a finding shows where it is', range.a === 38_000_000 && range.b === 50_000_000, range);
  check('and its row', await state(page, 'focusRow') === 6);
  await page.waitForFunction(() => /^Range 12 ms/.test(document.querySelector('#panel-range h2').textContent));
  await close(opened, 'findings');
}

// The row of GPU 1, whose fourth step is the latest, and back by keys; a click goes, too.
async function checkLateness(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.locator('#tab-lateness').click();
  const told = () => page.locator('.heat-cell').textContent();
  await page.locator('canvas.heat').focus();
  check('the latest cell is told', await told() === 'rank 1, step 3: 900 us late in all collectives', await told());
  await page.keyboard.press('Enter');
  const { iterations } = await page.evaluate(() => window.__warplens.app.source.head.processes[0]);
  const range = await state(page, 'range');
  check('Enter goes to its step', range.a === iterations[3][0] && range.b === iterations[3][1], range);
  const row = await page.evaluate(() => window.__warplens.app.source.head.rows
    .findIndex(r => r.kind === 'gpu' && r.device === 1));
  check('and to its GPU', await state(page, 'focusRow') === row);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  check('arrows move', await told() === 'rank 0, step 4: 4 us late in all collectives', await told());
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  check('to the edge', await told() === 'rank 0, step 0: 0 ns late in all collectives', await told());
  const box = await page.locator('canvas.heat').boundingBox();
  await page.mouse.click(box.x + 104 + 1.5 * 40, box.y + 10);
  const clicked = await state(page, 'range');
  check('a click goes there', clicked.a === iterations[1][0] && clicked.b === iterations[1][1], clicked);
  check('levels are named', (await texts(page.locator('#panel-lateness .legend li'))).join() ===
    'below 200 us,from 200 us,from 400 us,from 600 us,from 800 us');
  await page.getByText('Lateness as a table').click();
  check('the table begins with the latest', (await texts(page.locator('#panel-lateness tbody tr').first().locator('th, td')))
    .join() === 'rank 1,3,900 us');
  await close(opened, 'lateness');
}

async function checkRange(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.locator('#tab-range').click();
  await page.evaluate(() => window.__warplens.state.setRange({ a: 14_000_000, b: 26_000_000 }));
  await page.waitForFunction(() => /^Range 12 ms/.test(document.querySelector('#panel-range h2').textContent));
  const same = await page.evaluate(() => {
    const { source } = window.__warplens.app;
    const rows = source.head.rows.flatMap((row, i) => row.kind === 'stream' && row.device === 0 ? [i] : []);
    return source.stats(14_000_000, 26_000_000, rows, 'name').rows.map(r => [r[0], String(r[1])]);
  });
  const table = page.locator('#panel-range .table-box', { hasText: 'Range by kernel' });
  const cells = await table.locator('tbody tr').evaluateAll(rows =>
    rows.map(row => [row.cells[0].textContent, row.cells[1].textContent]));
  check('statistics are those of the source', JSON.stringify(cells) === JSON.stringify(same), cells);
  await table.getByRole('button', { name: 'Count', exact: true }).click();
  const counts = await table.locator('tbody tr td:nth-child(2)').allTextContents();
  check('a head sorts, the largest first', counts.every((c, i) => i === 0 || Number(c) <= Number(counts[i - 1])), counts);
  check('and says so', await table.locator('th[aria-sort="descending"]').textContent() === 'Count');
  check('the focus stays on it', await page.evaluate(() => document.activeElement.textContent) === 'Count');
  const parts = await page.locator('#panel-range .account tbody tr td:nth-child(3)').allTextContents();
  const sum = parts.reduce((s, t) => s + parseFloat(t), 0);
  check('the account adds up', Math.abs(sum - 100) < 0.5, parts);
  await page.locator('#panel-range select').first().selectOption('nvtx');
  await page.waitForFunction(() => document.querySelector('#panel-range').textContent.includes('Range by NVTX range'));
  await page.locator('#panel-range select').nth(1).selectOption('all');
  await page.waitForFunction(() => document.querySelector('#panel-range').textContent.includes('share of 2 x 12 ms'));
  await page.locator('#panel-range summary', { hasText: 'Gaps of at least' }).click();
  const gap = page.locator('#panel-range .table-box', { hasText: 'Gaps of' }).locator('tbody button').first();
  await gap.click();
  const view = await state(page, 'view');
  check('a gap is shown', view.b - view.a < 12_000_000, view);
  await close(opened, 'range');
}

async function checkSelection(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.locator('#tab-selection').click();
  await page.evaluate(() => {
    const { app } = window.__warplens;
    const e = app.source.events(4, 0, 100_000_000, 100);
    app.timeline.goTo({ rowId: 4, ref: e.ref[20], begin: e.start[20], end: e.start[20] + e.dur[20] });
  });
  const panel = page.locator('#panel-selection');
  await panel.locator('h2').waitFor();
  check('the name is there', /^ncclDevKernel_AllReduce/.test(await panel.locator('h2').textContent()));
  check('and how long against its like', /(longer|shorter) than the p50 of 96/.test(await panel.textContent()));
  const crumbs = await texts(panel.locator('.crumbs li'));
  check('NVTX outermost first', /^iteration/.test(crumbs[0]) && /^layer/.test(crumbs[2]), crumbs);
  // Without the clipboard of the browser, as from file:// in some of them.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
  });
  await panel.getByRole('button', { name: 'copy: name' }).click();
  await page.waitForFunction(() => window.copied?.startsWith('ncclDevKernel'));
  check('copying is said', await page.locator('#status').textContent() === 'Copied name.');
  await panel.getByRole('button', { name: /^Launch/ }).click();
  await page.waitForFunction(() => document.querySelector('#panel-selection h2').textContent.startsWith('cudaLaunch'));
  check('a link is gone to', (await state(page, 'selection')).name === 'cudaLaunchKernelExC', await state(page, 'selection'));
  await page.locator('#tab-tables').click();
  await page.evaluate(() => { window.copied = ''; });
  await page.getByRole('button', { name: /^CSV: table “GPUs/ }).click();
  await page.waitForFunction(() => /^gpu,time,compute,.*\nGPU 0,100000000,/.test(window.copied));
  await close(opened, 'selection');
}

async function checkSearch(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.keyboard.press('/');
  await page.keyboard.type('nccl gpu:1 dur>200us');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === '48');
  check('hits are drawn', (await page.evaluate(() => window.__warplens.state.hits.reduce((x, y) => x + y))) === 48);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === '1/48');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === '2/48');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === '48/48');
  check('a hit is selected', /^nccl/.test((await state(page, 'selection')).name));
  check('that it went around is said', /from the end again/.test(await page.locator('#status').textContent()));
  await page.locator('#search').fill('cat:nothing');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === 'not searched');
  await page.locator('#tab-search').click();
  check('what is wrong is said', /there are gemm/.test(await page.locator('#panel-search .problem').textContent()));
  await page.locator('#search').fill('/(/');
  await page.waitForFunction(() => document.querySelector('#panel-search .problem')?.textContent.includes('(/'));
  await page.locator('#search').fill('');
  await page.waitForFunction(() => document.getElementById('hit-count').textContent === '');
  check('nothing is searched for any more', await state(page, 'hits') === null);
  await close(opened, 'search');
}

async function checkDialogs(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.locator('#canvas').focus();
  await page.keyboard.press('?');
  check('help lists the keys', /Next iteration/.test(await page.locator('dialog[open]').textContent()));
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('F1');
  await page.keyboard.type('next it');
  check('the palette finds actions', /Next iteration/.test(await page.locator('dialog li[aria-selected="true"]').textContent()));
  await page.keyboard.press('Enter');
  check('and runs them', /^Iteration/.test(await page.locator('#status').textContent()));
  await page.keyboard.press('Control+p');
  await page.keyboard.type('gpu 1 s20');
  await page.keyboard.press('Enter');
  check('rows are found', await state(page, 'focusRow') === 11, await state(page, 'focusRow'));
  await page.keyboard.press('/');
  await page.keyboard.type('>');
  check('> in the box opens the palette', await page.locator('dialog.dialog-palette').isVisible());
  await close(opened, 'dialogs');
}

async function checkFlame(browser) {
  const opened = await open(browser);
  const { page } = opened;
  await page.locator('#tab-flame').click();
  const row = await page.locator('#panel-flame select').first().evaluate(select =>
    [...select.options].find(({ value }) => /^\d+$/.test(value)).value);
  await page.locator('#panel-flame select').first().selectOption(row);
  await page.locator('.flame-box').first().waitFor();
  check('paths are merged', (await texts(page.locator('.flame-box'))).join() === 'iteration #,forward,layer #',
    await texts(page.locator('.flame-box')));
  await page.locator('.flame-box').nth(2).click();
  check('a click selects', /^layer/.test((await state(page, 'selection')).name));
  await page.getByLabel('names that differ by numbers are one').uncheck();
  await page.waitForFunction(() => document.querySelectorAll('.flame-box').length > 100);
  await page.locator('#panel-flame summary').click();
  check('a table says the same', await page.locator('#panel-flame tbody tr').count() === 200);
  await page.getByRole('button', { name: /^Show all/ }).click();
  check('all of it', await page.locator('#panel-flame tbody tr').count() === 8 * 26);
  await close(opened, 'flame');
}

async function checkClock(browser) {
  const opened = await open(browser);
  const { page } = opened;
  const status = page.locator('#status');
  await page.evaluate(() => window.__warplens.state.setRange({ a: 14_000_000, b: 26_000_000 }));
  await page.waitForFunction(() => document.getElementById('status').textContent ===
    'Range of 12 ms from 1700000000.014 s to 1700000000.026 s (capture clock)');
  await page.locator('#tab-range').click();
  const head = page.locator('#panel-range h2');
  check('the range says its clock', /from 1700000000\.014 s \(capture clock\)/.test(await head.textContent()), await head.textContent());
  await page.locator('#clock').selectOption('first');
  check('the choice is said', /first event/.test(await status.textContent()), await status.textContent());
  await page.waitForFunction(() => /from 14 ms \(since the first event\)/.test(document.querySelector('#panel-range h2').textContent));
  await page.locator('#canvas').focus();
  await page.keyboard.press('t');
  await page.waitForFunction(() => /from step 1 \+ 0 s \(within the iteration\)/.test(document.querySelector('#panel-range h2').textContent));
  await page.waitForFunction(() => location.hash.includes('clock=iteration'));
  await page.keyboard.press('t');
  check('the clocks go around', await page.locator('#clock').inputValue() === 'capture');
  await page.locator('#tab-tables').click();
  await page.locator('#panel-tables summary', { hasText: 'Iterations' }).click();
  const begins = page.locator('#panel-tables .table-box', { hasText: 'Iterations; against' });
  check('a column says its clock', /Begin \(capture clock\)/.test(await begins.locator('thead').textContent()));
  check('and has its times', /1700000000\.002 s/.test(await begins.locator('tbody tr').first().textContent()));
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
  });
  await begins.getByRole('button', { name: /^CSV/ }).click();
  await page.waitForFunction(() => /\n0,rank 0,1700000000002000000,12000000,/.test(window.copied));
  await page.mouse.move(700, 300);
  await close(opened, 'clock');
}

async function checkAccess(browser, colorScheme) {
  const opened = await open(browser, { colorScheme });
  const { page } = opened;
  const look = async what => {
    const { violations } = await page.evaluate(() => window.axe.run(document));
    const bad = violations.filter(v => ['serious', 'critical'].includes(v.impact));
    check(`${colorScheme} ${what}: axe`, bad.length === 0, bad.map(v => [v.id, v.nodes[0].html]));
  };
  await page.evaluate(axeSource);
  for (const tab of ['findings', 'selection', 'range', 'search', 'tables', 'lateness', 'flame']) {
    await page.locator(`#tab-${tab}`).click();
    await page.evaluate(() => document.querySelectorAll('#drawer details').forEach(d => { d.open = true; }));
    await page.waitForTimeout(100);
    await look(tab);
  }
  await page.evaluate(() => window.__warplens.app.panels.help());
  await look('help');
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.__warplens.app.panels.palette('actions'));
  await look('palette');
  await close(opened, colorScheme);
}

async function checkPaper(browser) {
  const opened = await open(browser, { colorScheme: 'dark' });
  const { page } = opened;
  await page.pdf({ path: 'paper.pdf', format: 'A4' });
  const text = execFileSync('pdftotext', ['-layout', 'paper.pdf', '-'], { encoding: 'utf8' });
  for (const words of ['1 low: AllReduce is not hidden', '2 low: The GPU waits for launches', 'warplens overlap fake.sqlite',
    'Kernels and copies: Whole trace', 'triton_poi_fused_add_12', 'NVTX ranges: Whole trace', 'layer 23', 'Streams: Whole trace',
    'Iterations; against the p50', 'This trace is made up.'])
    check(`on paper: ${words}`, text.includes(words), text.slice(0, 300));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  check('paper is white', await page.evaluate(() => getComputedStyle(document.body).color) === 'rgb(27, 33, 43)');
  await close(opened, 'paper');
}

const browser = await launch(executablePath);
for (const run of [checkDrawer, checkFindings, checkLateness, checkRange, checkSelection, checkSearch, checkDialogs, checkFlame, checkClock, checkPaper])
  await run(browser).catch(e => check(run.name, false, String(e.stack ?? e)));
for (const scheme of ['light', 'dark'])
  await checkAccess(browser, scheme).catch(e => check(`axe ${scheme}`, false, String(e.stack ?? e)));
await finish(browser);
