/* SPDX-License-Identifier: MIT */
// ranges.mjs CHROMIUM WARPLENS DIR - NVTX ranges where their compute lies: lanes are depths, layers stand side by side; a
// range that is selected outlines its operations and lists them; what is beside a gap. DIR has train.html of train.sqlite.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { axeSource, check, close, finish, launch, open, settle } from './viewer_page.mjs';

const [executablePath, warplens, dir] = process.argv.slice(2);
const file = name => path.resolve(dir, name);
const ask = (...args) => JSON.parse(execFileSync(warplens, [...args, '-f', 'json', '-n', '0'], { maxBuffer: 1 << 28 }).toString());

async function checkAxe(page, where) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  check(`${where}: axe finds nothing`, found.violations.length === 0, found.violations.map(v => [v.id, v.nodes[0].html]));
}

// Ranges of the first row of a kind, by name: lane, begin, end.
const rangesOf = (page, kind) => page.evaluate(kind => {
  const { app: { source }, state: { extent } } = window.__warplens;
  const rowId = source.head.rows.findIndex(row => row.kind === kind);
  const events = source.events(rowId, extent.begin, extent.end + 1, 1e6);
  return Array.from({ length: events.n }, (_, i) => ({ rowId, lane: events.lane[i], ref: events.ref[i], begin: events.start[i],
    end: events.start[i] + events.dur[i], name: source.nameText(events.name[i]) }));
}, kind);

// The first step: every layer is seen, beside the others and below forward, which is below its iteration.
async function checkDepths(page) {
  const ranges = await rangesOf(page, 'nvtx-gpu');
  const lanesOf = pattern => [...new Set(ranges.filter(({ name }) => pattern.test(name)).map(({ lane }) => lane))];
  const lanes = [/^train run$/, /^iteration \d+$/, /^(forward|optimizer)$/, /^layer\.\d+$/, /^(attention|mlp)$/].map(lanesOf);
  check('depths: a lane each, outer ranges first', JSON.stringify(lanes) === '[[0],[1],[2],[3],[4]]', lanes);
  const layers = ranges.filter(({ name }) => /^layer\.\d+$/.test(name));
  check('depths: all layers of all steps', layers.length === 36, layers.length);
  const comm = await rangesOf(page, 'nvtx-comm');
  check('depths: communication is apart', comm.some(({ name }) => /AllGather/.test(name)) && !ranges.some(({ name }) => /AllGather/.test(name)));
  const folded = page.getByRole('button', { name: 'NVTX↧ comm, copies', exact: true }).first();
  check('depths: and folded', await folded.getAttribute('aria-expanded') === 'false');
}

// Its operations are outlined, those of the collectives too, and are in a table with the figures of `tree`.
async function checkWork(page) {
  const range = (await rangesOf(page, 'nvtx-gpu')).find(({ name }) => name === 'iteration 3');
  const gpu = ask('tree', file('train.sqlite'), '--exact-names', '--gpu', '0').rows.find(({ name }) => name === 'iteration 3');
  await page.evaluate(event => {
    const { app, state } = window.__warplens;
    app.timeline.goTo(event);
    state.setSelection(event);
    state.setView(event.begin, event.end);
  }, range);
  await page.locator('#panel-selection .work table').waitFor();
  await settle(page);
  const work = await page.evaluate(() => {
    const { app: { timeline, source } } = window.__warplens;
    return { rows: [...timeline.links.work.rows.keys()].map(id => source.head.rows[id].label), n: timeline.links.work.n };
  });
  check('work: on all streams', work.n === gpu.gpu_ops && work.rows.some(label => /NCCL/.test(label)), [work, gpu]);
  const said = await page.locator('#panel-selection p.work').textContent();
  check('work: how much', said.includes(`${gpu.gpu_ops} operations`), said);
  const outlined = await page.evaluate(() => {
    const { app: { timeline } } = window.__warplens;
    let n = 0;
    const { overlay } = timeline, { round } = overlay;
    overlay.round = (...args) => { n++; round.apply(overlay, args); };
    timeline.draw();
    overlay.round = round;
    return n;
  });
  check('work: is outlined', outlined > 10, outlined);
  await checkAxe(page, 'work');
  await page.locator('#panel-selection .work tbody button').first().click();
  const kind = await page.evaluate(() => window.__warplens.app.source.head.rows[window.__warplens.state.selection.rowId].kind);
  check('work: a row of the table goes to an operation', kind === 'stream', kind);
}

// The longest gap: between which operations it lies, and links there.
async function checkGap(page) {
  const [gap] = ask('gaps', file('train.sqlite'), '--gpu', '0').rows;
  await page.evaluate(start => {
    const { app: { source }, state } = window.__warplens;
    const rowId = source.head.rows.findIndex(row => row.kind === 'gaps' && row.device === 0);
    const begin = Number(BigInt(start) - BigInt(source.head.traces[0].origin));
    const events = source.events(rowId, begin, begin + 1, 10);
    state.setSelection({ rowId, ref: events.ref[0], begin: events.start[0], end: events.start[0] + events.dur[0], name: 'gap' });
  }, String(gap.start));
  await settle(page);
  const text = await page.locator('#panel-selection').textContent();
  check('gap: what is beside it', text.includes(`Before ${gap.before}`) && text.includes(`After ${gap.after}`), text);
  await page.locator('#panel-selection .links button', { hasText: /^After / }).click();
  const name = await page.evaluate(() => window.__warplens.state.selection.name);
  check('gap: leads to the operation after it', gap.after.startsWith(name.slice(0, 20)), [name, gap.after]);
}

// The tree of a GPU: operations are leaves in the colour of their category; zoom, search, exposed, per step, keys.
async function checkFlame(page) {
  const panel = page.locator('#panel-flame');
  const boxes = panel.locator('.flame-box');
  const titles = () => boxes.evaluateAll(all => all.map(({ title }) => title));
  await page.keyboard.press('0');
  await page.locator('#tab-flame').click();
  await boxes.first().waitFor();
  await settle(page);
  const joined = await titles();
  check('flame: threads of a process are joined', joined.some(title => /^iteration # › backward › layer\.#\.backward:/.test(title)), joined);
  await panel.getByLabel('threads joined').uncheck();
  await settle(page);
  const root = ask('tree', file('train.sqlite'), '--gpu', '0').rows.find(({ name }) => name === 'iteration #');
  const whole = await titles();
  check('flame: operations are leaves', whole.some(title => title.startsWith('iteration # › forward › layer.# › attention › flash_fwd') &&
    title.includes('(attention)')), whole);
  check('flame: the time of tree', whole.some(title => title.startsWith(`iteration #: ${(root.gpu_busy / 1e6).toPrecision(4)} ms`)), [whole[0], root.gpu_busy]);
  check('flame: in colour', await boxes.filter({ hasText: 'flash_fwd' }).first().evaluate(box => box.style.getPropertyValue('--tint')) !== '');
  await checkAxe(page, 'flame');
  await panel.getByLabel('Find ranges and operations').fill('MLP');
  check('flame: search', /Found: 1, /.test(await panel.locator('p.of').textContent()) && await panel.locator('.matched').count() === 1);
  await boxes.filter({ hasText: /^forward$/ }).first().click();
  check('flame: a click zooms', (await titles()).length < whole.length && await panel.getByRole('button', { name: 'Zoom out' }).isEnabled());
  await page.keyboard.press('ArrowDown');
  check('flame: keys move', await page.evaluate(() => document.activeElement.title.startsWith('iteration # › forward:')));
  await page.keyboard.press('Escape');
  check('flame: and zoom out', (await titles()).length === whole.length);
  await panel.getByLabel('mean per step').check();
  check('flame: per step', /per step \(6 steps\)/.test(await panel.locator('p.of').textContent()), await panel.locator('p.of').textContent());
  await panel.getByLabel('time').selectOption('exposed');
  await settle(page);
  await page.waitForFunction(() => /exposed communication/.test(document.querySelector('#panel-flame p.of').textContent));
  await panel.getByLabel('time').selectOption('wall');
  await page.waitForFunction(() => /wall, first/.test(document.querySelector('#panel-flame p.of').textContent));
  const wall = (root.projected / 6e6).toPrecision(4);
  check('flame: wall is the span of tree, per step', (await titles()).some(title => title.startsWith(`iteration #: ${wall} ms`)), [await titles(), wall]);
  await panel.getByLabel('time').selectOption('exposed');
  await page.waitForFunction(() => /exposed communication/.test(document.querySelector('#panel-flame p.of').textContent));
  const exposed = await titles();
  check('flame: exposed communication', exposed.some(title => /\(communication\)|nccl/i.test(title)) && !exposed.some(title => /\(gemm\)/.test(title)), exposed);
}

const browser = await launch(executablePath);
const opened = await open(browser, file('train.html'));
await opened.page.getByRole('tab', { name: 'Selection' }).click();
await checkDepths(opened.page);
await checkWork(opened.page);
await checkGap(opened.page);
await checkFlame(opened.page);
await close(opened, 'ranges');
await finish(browser);
