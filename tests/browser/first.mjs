/* SPDX-License-Identifier: MIT */
// first.mjs CHROMIUM WARPLENS DIR URL - what a page says and shows before it is asked, and that what looks like a button is
// one. DIR has late.html (GPU 2 of 4 is late), paid.html (the same with bytes of messages), serving.html, empty.html (no GPU work), chunks.html (steps in ranges) and redacted.html, with
// their traces; URL is a server of the first three.
import { execFileSync, execSync } from 'node:child_process';
import path from 'node:path';
import { axeSource, check, close, finish, launch, open, same, settle, state } from './viewer_page.mjs';

const [executablePath, warplens, dir, url] = process.argv.slice(2);
const file = name => path.resolve(dir, name);
const ask = (...args) => JSON.parse(execFileSync(warplens, [...args, '-f', 'json'], { maxBuffer: 1 << 28 }).toString());
const headOf = page => page.evaluate(() => window.__warplens.app.source.head);
const textOf = (page, selector) => page.locator(selector).first().textContent();

async function checkAxe(page, where) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  check(`${where}: axe finds nothing`, found.violations.length === 0, found.violations.map(v => [v.id, v.nodes[0].html]));
}

// The step of the first finding fills the window, its GPU is unfolded and accounted for.
async function checkFirstView(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true });
  const { page } = opened;
  const head = await headOf(page);
  const [finding] = head.findings, view = await state(page, 'view');
  const { device } = head.rows[finding.row];
  const [a, b] = head.processes[head.devices[device].process].iterations.find(([x, y]) => x <= finding.begin && finding.begin < y);
  check('first view: the step of finding 1', Math.abs(view.a - a) < 0.02 * (b - a) && Math.abs(view.b - b) < 0.02 * (b - a), [view, a, b]);
  check('first view: nothing to go back to', await page.locator('[data-action=back]').isDisabled());
  check('first view: the GPU to blame is unfolded', await page.getByRole('button', { name: 'GPU 2', exact: true })
    .getAttribute('aria-expanded') === 'true');
  check('first view: and accounted for', /^GPU 2/.test(await textOf(page, '#panel-range .account strong')));
  await page.keyboard.press('0');
  await settle(page);
  const { begin, end } = await state(page, 'extent');
  check('first view: 0 shows everything', same(await state(page, 'view'), { a: begin, b: end }));
  await close(opened, 'first view');
}

// The line below the header has the figures of `summary` and `iters`.
async function checkHeadline(browser, name) {
  const opened = await open(browser, file(`${name}.html`), { asOpened: true });
  const { page } = opened;
  const summary = ask('summary', file(`${name}.sqlite`));
  const rowsOf = analysis => summary.sections.find(section => section.analysis === analysis).rows;
  const periods = ask('iters', file(`${name}.sqlite`), '-n', '0').rows.map(row => row.period).filter(Number.isFinite);
  const said = await page.evaluate(() => window.__warplens.app.source.head.traces[0].headline);
  check(`headline ${name}: median step`, said.steps.median === summary.step.median && said.steps.count === summary.step.count, said.steps);
  check(`headline ${name}: shortest and longest`, said.steps.least === Math.min(...periods) && said.steps.most === Math.max(...periods), said.steps);
  check(`headline ${name}: parts`, same(said.parts, rowsOf('budget').map(({ part, time, share }) => [part, time, share])), said.parts);
  const text = (await textOf(page, '#headline')).replaceAll('\u00a0', ' ');
  const compute = rowsOf('budget').find(({ part }) => part === 'compute').share;
  const [first] = ask('iters', file(`${name}.sqlite`), '-n', '0').rows;
  const kinds = ['decode', 'prefill'].map(kind => ask('iters', file(`${name}.sqlite`), '-n', '0', '--where', `kind = ${kind}`).rows
    .filter(({ pid, device }) => pid === first.pid && device === first.device).length);
  const steps = name === 'serving' ? new RegExp(`${kinds[0]} decodes, median .* ${kinds[1]} prefills, median `) : / steps, median /;
  check(`headline ${name}: is on the screen`, text.includes(`compute ${(100 * compute).toFixed(1)}%`) && steps.test(text) &&
    text.includes('2x ') === (name === 'serving'), text);
  const [finding] = (await headOf(page)).findings;
  check(`headline ${name}: the largest finding`, text.includes(finding.claim), text);
  check(`headline ${name}: how much it matters, and what to do`, text.includes(`⚑1 ${finding.severity}`) && text.includes(`→ ${finding.title}`), text);
  const cut = await page.evaluate(() => [...document.querySelectorAll('#headline button')]
    .filter(button => button.scrollWidth > button.clientWidth + 1 || button.getBoundingClientRect().right > innerWidth)
    .map(button => button.textContent));
  check(`headline ${name}: nothing is cut`, cut.length === 0, cut);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  check(`headline ${name}: fits`, fits);
  await page.locator('#headline .headline-biggest').click();
  await settle(page);
  check(`headline ${name}: leads to it`, (await state(page, 'range')) !== null && await page.locator('#panel-findings').isVisible());
  await checkAxe(page, `headline ${name}`);
  await close(opened, `headline ${name}`);
}

async function checkNarrow(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true, viewport: { width: 390, height: 844 } });
  const { page } = opened;
  check('390 px: nothing is wider', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  check('390 px: the headline is there', await page.locator('#headline').isVisible());
  await close(opened, '390 px');
}

// The browser's Back leads to the view before; Forward to the one after.
async function checkBack(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true });
  const { page } = opened;
  await page.waitForFunction(() => location.hash !== '');
  const first = await state(page, 'view');
  await page.keyboard.press('0');
  await page.waitForFunction(([a]) => !location.hash.includes(`v=${a}~`), [first.a]);
  const whole = await state(page, 'view');
  await page.goBack();
  await page.waitForFunction(({ a, b }) => window.__warplens.state.view.a === a && window.__warplens.state.view.b === b, first);
  check('back: the view before', same(await state(page, 'view'), first));
  await page.goForward();
  await page.waitForFunction(({ a, b }) => window.__warplens.state.view.a === a && window.__warplens.state.view.b === b, whole);
  check('back: and forward', same(await state(page, 'view'), whole));
  await close(opened, 'back');
}

// A finding is called by what is claimed; the advice is below.
async function checkClaims(browser) {
  const opened = await open(browser, file('late.html'));
  const { page } = opened;
  const [finding] = (await headOf(page)).findings;
  check('claims: name their subject', /GPU 2/.test(finding.claim) && finding.claim !== finding.title, finding);
  check('claims: are titles', (await textOf(page, '#finding-1 h2')).startsWith(`1 ${finding.severity} ${finding.claim}`));
  check('claims: say how much they matter', ['high', 'medium', 'low'].includes(finding.severity), finding.severity);
  check('claims: are not said twice', !(await page.locator('#finding-1 p').allTextContents()).some(text => text.includes(finding.claim)));
  check('claims: advice is below', (await textOf(page, '#finding-1 p')).includes(finding.title));
  await page.locator('#finding-1 h2 button').click();
  await settle(page);
  check('claims: show accounts for their GPU', await state(page, 'device') === 2);
  check('claims: and unfolds it', await page.getByRole('button', { name: 'GPU 2', exact: true }).getAttribute('aria-expanded') === 'true');
  await close(opened, 'claims');
}

// Flags in the ruler and in the overview say what they are, and go there; so do the keys 1 to 9.
async function checkFlags(browser) {
  const opened = await open(browser, file('late.html'));
  const { page } = opened;
  const [finding] = (await headOf(page)).findings;
  const ruler = await page.evaluate(t => {
    const { app: { timeline } } = window.__warplens;
    const { left, top } = document.getElementById('canvas').getBoundingClientRect();
    return { x: left + timeline.xAt(t) + 6, y: top + 20 };
  }, finding.begin);
  await page.mouse.move(ruler.x, ruler.y);
  await page.waitForFunction(() => !document.getElementById('tooltip').hidden);
  check('flags: the ruler says which finding', (await textOf(page, '#tooltip')).includes(finding.claim));
  await page.mouse.click(ruler.x, ruler.y);
  await settle(page);
  check('flags: a click goes there', (await state(page, 'range')) !== null);
  await page.keyboard.press('Escape');
  await page.keyboard.press('0');
  const overview = await page.evaluate(t => {
    const { app } = window.__warplens;
    const { left, top } = app.overview.canvas.getBoundingClientRect();
    return { x: left + app.overview.xAt(t) + 6, y: top + app.overview.height - 5, top };
  }, finding.begin);
  await page.mouse.move(overview.x, overview.y);
  check('flags: the overview says which finding', (await textOf(page, '#overview .tooltip')).includes(finding.claim));
  await page.mouse.move(overview.x, overview.top + 20);
  check('flags: a bar says how long the step is', /^step \d+/.test(await textOf(page, '#overview .tooltip')), await textOf(page, '#overview .tooltip'));
  await page.evaluate(() => window.__warplens.state.setRange(null));
  await page.mouse.click(overview.x, overview.y);
  await settle(page);
  check('flags: a click in the overview goes there', (await state(page, 'range')) !== null);
  await page.evaluate(() => window.__warplens.state.setRange(null));
  await page.locator('#canvas').focus();
  await page.keyboard.press('2');
  await settle(page);
  check('flags: key 2 shows finding 2', (await state(page, 'range')) !== null);
  await page.keyboard.press('9');
  check('flags: a number too high says so', (await textOf(page, '#status')).includes('no finding 9'));
  await close(opened, 'flags');
}

// Without GPU work the page says why, and what to do.
async function checkEmpty(browser) {
  const opened = await open(browser, file('empty.html'), { asOpened: true });
  const text = await textOf(opened.page, '#headline');
  const { notes } = (await headOf(opened.page)).traces[0];
  check('empty: the page says so', text.startsWith('No GPU work') && notes.every(note => text.includes(note)), [text, notes]);
  await checkAxe(opened.page, 'empty');
  await close(opened, 'empty');
}

async function checkRedacted(browser) {
  const opened = await open(browser, file('redacted.html'));
  const text = await textOf(opened.page, '#finding-1 p');
  check('redacted: a finding begins with a word', /^saves (≤\s)?\d/.test(text), text);
  const labels = (await headOf(opened.page)).rows.map(({ label }) => label);
  check('redacted: rows of GPUs keep their names', ['GPU 0', 'Iterations', 'Stream 7 compute', 'Stream 20 NCCL *', 'Gaps'].every(label => labels.includes(label)) &&
    !labels.some(label => /python|autograd/.test(label)), labels);
  await close(opened, 'redacted');
}

// Labels of GPUs have the compute of the view, as its account has it; they follow the view.
async function checkShares(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true });
  const { page } = opened;
  const shown = () => page.locator('.row.top .share').evaluateAll(all => all.map(e => e.textContent).filter(Boolean));
  await page.waitForFunction(() => /compute/.test(document.querySelector('.row.top .share').textContent));
  const wanted = () => page.evaluate(async () => {
    const { app: { source }, state: { view, extent } } = window.__warplens;
    const a = Math.max(view.a, extent.begin), b = Math.min(view.b, extent.end);
    const gpus = source.head.rows.flatMap((row, id) => row.kind === 'gpu' ? [id] : []);
    return Promise.all(gpus.map(async id => {
      const { columns, rows } = await source.stats(a, b, [id], 'category');
      const sum = rows.find(([key]) => key === 'compute')[columns.findIndex(({ key }) => key === 'sum')];
      return `compute ${Math.round(100 * sum / (b - a))}%`;
    }));
  });
  check('shares: each GPU has its own', same(await shown(), await wanted()), [await shown(), await wanted()]);
  check('shares: the late GPU differs', new Set(await shown()).size > 1, await shown());
  const before = await page.locator('.row.top .share').first().textContent();
  await page.evaluate(() => { const { state } = window.__warplens; const { a, b } = state.view; state.setView(b - (b - a) / 8, b); });
  await page.waitForFunction(text => document.querySelector('.row.top .share').textContent !== text, before);
  check('shares: they follow the view', same(await shown(), await wanted()), [await shown(), await wanted()]);
  await close(opened, 'shares');
}

// The legend says what colours are, and leaves only one where it is pressed.
async function checkLegend(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true });
  const { page } = opened;
  const gemm = page.locator('#legend button').first();
  const litOf = () => page.evaluate(() => window.__warplens.state.lit?.key ?? null);
  const pixels = (wanted = 'stream') => page.evaluate(what => {
    const { app: { timeline } } = window.__warplens;
    const row = timeline.laid.rows.find(({ row: { kind, device } }) => kind === what && device === 2);
    const { y } = timeline.boxOfRow(row.id, timeline.state.view);
    const { data } = timeline.context.getImageData(0, Math.round((y + row.height / 2) * timeline.ratio), timeline.painter.width, 1);
    let orange = 0;
    for (let i = 0; i < data.length; i += 4)
      orange += data[i] === 0xe6 && data[i + 1] === 0x9f && data[i + 2] === 0 ? 1 : 0;
    return orange;
  }, wanted);
  check('legend: on the screen', (await gemm.textContent()).startsWith('gemm'), await gemm.textContent());
  const signs = page.locator('#legend button').last();
  const title = await signs.getAttribute('title');
  check('legend: signs are explained', ['Hatched', 'NCCL *', '↧', '+1', 'h host'].every(sign => title.includes(sign)), title);
  const before = await pixels();
  const strip = await pixels('gpu');
  check('legend: the strip of a GPU has the colours of what it computes', strip > before / 2, [strip, before]);
  await gemm.click();
  await settle(page);
  check('legend: isolates', await litOf() === 'colour 0' && await gemm.getAttribute('aria-pressed') === 'true');
  check('legend: others are dim', before > 50 && await pixels() < before / 10 && await pixels('gpu') < strip / 10, [before, await pixels()]);
  await page.locator('#canvas').focus();
  await page.keyboard.press('Escape');
  await settle(page);
  check('legend: Esc shows all', await litOf() === null && await pixels() === before, [before, await pixels()]);
  await close(opened, 'legend');
}

// A row of statistics lights what it counts and goes to the next; above it the same flashes; the command fits the table.
async function checkTables(browser) {
  const opened = await open(browser, file('late.html'), { asOpened: true, viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  const row = page.locator('#panel-range > .table-box tbody tr').first();
  await row.waitFor();
  const name = await row.locator('th').evaluate(th => th.title || th.textContent);
  await row.hover();
  check('tables: a row flashes', await page.evaluate(() => window.__warplens.state.flash?.text) === name, name);
  await row.locator('th button').click();
  await page.waitForFunction(() => window.__warplens.state.selection);
  const { selection, lit } = await page.evaluate(() => ({ selection: window.__warplens.state.selection.name, lit: window.__warplens.state.lit?.text }));
  check('tables: a press goes to the next', selection === name && lit === name, [name, selection, lit]);
  const left = await page.locator('#panel-range tbody th button').evaluateAll(all => all
    .filter(button => button.getBoundingClientRect().right > button.closest('th').getBoundingClientRect().right + 1).map(button => button.textContent));
  check('tables: long names are cut, not left out', left.length === 0, left);
  await page.mouse.move(5, 5);
  check('tables: and then not', await page.evaluate(() => window.__warplens.state.flash) === null);
  const commandBy = async by => {
    await page.locator('#panel-range select').first().selectOption(by);
    await settle(page);
    await page.evaluate(() => { window.copied = ''; navigator.clipboard.writeText = async text => { window.copied = text; }; });
    await page.locator('#panel-range button', { hasText: 'copy command' }).click();
    return page.evaluate(() => window.copied);
  };
  await page.evaluate(() => window.__warplens.app.panels.show('range'));
  const flash = page.locator('#panel-range > .table-box tbody tr', { hasText: 'flash_fwd' }).first();
  await flash.locator('.spark').waitFor();
  const perStep = await flash.locator('[data-key=per_step]').evaluate(td => [td.querySelector('path').getAttribute('d').split('M').length - 1,
    td.lastChild.textContent, td.closest('tr').cells[0].querySelector('.swatch') !== null]);
  const sums = ask('kernels', file('late.sqlite'), '--gpu', '2').rows.filter(({ name }) => name.includes('flash_fwd'));
  const mean = (sums.reduce((x, y) => x + y.sum, 0) / 10 / 1e6).toPrecision(4);
  check('tables: the mean of a step and all steps', perStep[0] === 10 && perStep[1].replace('\u00a0', ' ') === `${Number(mean)} ms`, [perStep, mean]);
  check('tables: a name has its colour', perStep[2]);
  await checkAxe(page, 'tables');
  for (const [by, verb] of [['name', 'kernels --by name'], ['category', 'kernels --by category'], ['nvtx', 'nvtx --exact-names'], ['stream', 'streams']]) {
    const command = await commandBy(by);
    check(`tables: the command of ${by}`, command.startsWith(`warplens ${verb} --gpu 2 `), command);
  }
  await close(opened, 'tables');
}

// Enter shows the search and what it found, large enough to be seen; a pattern that is none is said to be none.
async function checkSearch(browser) {
  const opened = await open(browser, file('late.html'));
  const { page } = opened;
  await page.locator('#search').fill('flash_fwd');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.__warplens.state.selection);
  await settle(page);
  const wide = await page.evaluate(() => {
    const { app: { timeline }, state: { selection: { begin, end } } } = window.__warplens;
    return timeline.xAt(end) - timeline.xAt(begin);
  });
  check('search: the hit can be seen', wide >= 8, wide);
  check('search: its tab is open', await page.locator('#panel-search').isVisible());
  await page.locator('#search').fill('/(/');
  await page.waitForFunction(() => document.getElementById('search').getAttribute('aria-invalid') === 'true');
  check('search: a bad pattern is said', /^Not searched: \/\(\/ is no regular expression: \w+/.test(await textOf(page, '#status')),
    await textOf(page, '#status'));
  check('search: also beside the box', await textOf(page, '#hit-count') === 'not searched');
  await close(opened, 'search');
}

// What a search found is a list with sums, as `search` and `kernels` have them; the keyboard reaches each hit.
async function checkFound(browser) {
  for (const [where, place] of [['file', file('late.html')], ['server', url]]) {
    const opened = await open(browser, place, { asOpened: true });
    const { page } = opened;
    const fill = async text => {
      await page.locator('#search').fill(text);
      await page.keyboard.press('Enter');
      await page.locator('#panel-search caption', { hasText: 'Hits by GPU' }).waitFor();
      await settle(page);
    };
    const table = caption => page.locator('#panel-search .table-box', { has: page.locator('caption', { hasText: caption }) });
    const cells = async caption => (await table(caption).locator('tbody tr').evaluateAll(all => all.map(tr => [...tr.cells].map(td => td.textContent))));
    await fill('flash_fwd gpu:2');
    const kernels = ask('kernels', file('late.sqlite'), '--gpu', '2').rows.filter(({ name }) => name.includes('flash_fwd'));
    const calls = kernels.reduce((sum, row) => sum + row.calls, 0);
    const [gpu] = await cells('Hits by GPU');
    check(`found (${where}): as many as kernels`, Number(gpu[1]) === calls && (await cells('Hits by GPU')).length === 1, [gpu, calls]);
    const steps = await cells('Hits by step');
    check(`found (${where}): each step has its part`, steps.length === 10 && steps.every(row => Number(row[1]) === calls / 10), steps);
    const charts = page.locator('#panel-search .bars');
    check(`found (${where}): bars of lengths and steps`, await charts.count() === 2 && await charts.nth(1).locator('button').count() === 10);
    await charts.nth(1).locator('button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await settle(page);
    const view = await state(page, 'view');
    const [a] = (await headOf(page)).processes[0].iterations[1];
    check(`found (${where}): a bar shows its step`, Math.abs(view.a - a) < 0.1 * (view.b - view.a), [view, a]);
    await fill('gemm gpu:2');
    const bar = charts.first().locator('button').last();
    const inBar = parseInt(await bar.getAttribute('title'), 10);
    await bar.click();
    await page.waitForFunction(n => document.getElementById('hit-count').textContent === String(n), inBar);
    check(`found (${where}): a bar of lengths narrows`, /^gemm gpu:2 dur>=\d+ dur<\d+$/.test(await page.locator('#search').inputValue()));
    await fill('flash_fwd gpu:2');
    const list = table('longest first').locator('tbody tr');
    check(`found (${where}): all are listed`, await list.count() === Math.min(100, calls), calls);
    await list.nth(2).locator('th button').focus();
    await page.keyboard.press('Enter');
    await settle(page);
    const { begin, end } = await state(page, 'selection');
    const wide = await page.evaluate(([a, b]) => window.__warplens.app.timeline.xAt(b) - window.__warplens.app.timeline.xAt(a), [begin, end]);
    check(`found (${where}): a hit of the list is gone to`, wide >= 8 && /^\d+\/\d+$/.test(await textOf(page, '#hit-count')), wide);
    check(`found (${where}): the focus stays in the list`, await page.evaluate(() => document.activeElement.closest('#panel-search') !== null));
    const counted = async text => { await fill(text); return Number((await textOf(page, '#hit-count')).split('/').at(-1)); };
    const inRange = await counted('gemm gpu:2 nvtx:forward');
    const all = await counted('gemm gpu:2');
    check(`found (${where}): nvtx: narrows`, inRange > 0 && inRange < all, [inRange, all]);
    const stream = await counted('gpu:2 stream:20');
    check(`found (${where}): stream: has its events`, stream === await page.evaluate(() => window.__warplens.app.source.head.rows
      .find(row => row.stream === 20 && row.device === 2).events), stream);
    const grid = ask('sql', file('late.sqlite'), 'SELECT gridX AS x, COUNT(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = 2 GROUP BY gridX ORDER BY n DESC LIMIT 1').rows[0];
    check(`found (${where}): grid: as many as SQL counts`, await counted(`gpu:2 grid:${grid.x}`) === grid.n, grid);
    if (where === 'file')
      await checkAxe(page, 'found');
    await close(opened, `found (${where})`);
  }
}

// An operation that communicates shows all members of its collective, as `nccl --list` has them, and outlines them.
async function checkCollective(browser) {
  for (const [name, place] of [['paid', file('paid.html')], ['late', file('late.html')], ['late', url]]) {
    const where = `collective (${place === url ? 'server' : name})`;
    const opened = await open(browser, place, { asOpened: true });
    const { page } = opened;
    await page.evaluate(() => window.__warplens.app.panels.show('selection'));
    await page.evaluate(() => window.__warplens.app.panels.find('ReduceScatter gpu:1 it:3'));
    await page.locator('#panel-selection .peers').waitFor();
    await settle(page);
    const { begin } = await state(page, 'selection');
    const { origin } = (await headOf(page)).traces[0];
    const list = ask('nccl', file(`${name}.sqlite`), '--list', '-n', '0').rows;
    const own = list.find(row => row.device === 1 && BigInt(row.arrival) === BigInt(origin) + BigInt(begin));
    const wanted = list.filter(row => row.match === own.match).sort((x, y) => x.arrival - y.arrival);
    const seen = await page.evaluate(async () => {
      const { app: { source, timeline }, state: { selection } } = window.__warplens;
      const { collective } = await source.details(selection.rowId, selection.ref, selection.begin);
      return { collective, outlined: [...timeline.links.work.rows.values()].flat().length };
    });
    const members = await page.locator('#panel-selection tbody th').allTextContents();
    check(`${where}: all members, by arrival`, same(members.map(text => Number(/GPU (\d+)/.exec(text)[1])), wanted.map(row => row.device)), members);
    const lengths = seen.collective.members.map(({ begin, end }) => end - begin).sort((x, y) => x - y);
    check(`${where}: lengths and waits`, same(lengths, wanted.map(row => row.dur).sort((x, y) => x - y)) &&
      wanted.every(row => row.wait_all === row.dur - lengths[0]), [lengths, wanted]);
    const text = (await textOf(page, '#panel-selection .peers')).replaceAll('\u00a0', ' ');
    check(`${where}: who came last`, text.includes(`: GPU ${wanted.at(-1).device}`) && text.includes(' is last, '), text);
    if (name === 'paid')
      check(`${where}: bytes and rates`, seen.collective.bytes === own.bytes &&
        Math.abs(own.bytes * seen.collective.volume * 1e9 / lengths[0] - own.algbw) < 1e-6 * own.algbw &&
        Math.abs(own.algbw * seen.collective.bus - own.busbw) < 1e-6 * own.busbw && text.includes('on the bus'), [own, text]);
    else
      check(`${where}: bytes are not recorded`, text.includes('bytes are not recorded'), text);
    check(`${where}: all are outlined`, seen.outlined === wanted.length, seen.outlined);
    await page.locator('#panel-selection tbody th button').last().focus();
    await page.keyboard.press('Enter');
    await settle(page);
    check(`${where}: a member is gone to`, (await state(page, 'selection')).begin === Number(BigInt(wanted.at(-1).arrival) - BigInt(origin)));
    await close(opened, where);
  }
}

// Windows of other sizes: no column of the range is cut, a low window keeps its timeline, a large one unfolds rows.
async function checkSizes(browser) {
  const sizes = async (viewport, name = 'late') => {
    const opened = await open(browser, file(`${name}.html`), { asOpened: true, viewport });
    const { page } = opened;
    if (viewport.width > 1100)
      await page.locator('#panel-range > .table-box table').first().waitFor();
    const got = await page.evaluate(() => {
      const box = document.querySelector('#panel-range > .table-box .table-scroll');
      return { main: document.getElementById('main').clientHeight, cut: box ? box.scrollWidth - box.clientWidth : 0,
        lines: document.getElementById('headline').clientHeight, hidden: window.__warplens.app.timeline.laid.rows.reduce((sum, row) => sum + row.hiddenLanes, 0) };
    });
    await close(opened, `${viewport.width} px`);
    return got;
  };
  const usual = await sizes({ width: 1280, height: 720 });
  check('sizes: 1280 px cuts no column', usual.cut <= 0, usual);
  const chunks = await sizes({ width: 1280, height: 720 }, 'chunks');
  check('sizes: 1280 px need two lines for the headline', chunks.lines <= 60, chunks);
  const wider = await sizes({ width: 1440, height: 900 });
  check('sizes: 1440 px cuts no column', wider.cut <= 0, wider);
  const low = await sizes({ width: 1000, height: 500 });
  check('sizes: 500 px keep a timeline', low.main >= 120, low);
  const large = await sizes({ width: 2560, height: 1440 });
  check('sizes: 1440 px show all lanes', large.hidden === 0, large);
}

// Nothing is empty without a word.
async function checkNothing(browser) {
  const opened = await open(browser, file('late.html'));
  const { page } = opened;
  const noted = page.evaluate(() => new Promise(done => {
    const { overlay } = window.__warplens.app.timeline, was = overlay.note;
    overlay.note = function (text, ...rest) { done(text); return was.call(this, text, ...rest); };
  }));
  await page.locator('#row-filter').fill('no such row');
  check('nothing: a filter says so', (await noted).includes('no such row'));
  await page.locator('#row-filter').fill('');
  await page.keyboard.press('Control+Shift+P');
  await page.locator('dialog input').fill('qqqqq');
  check('nothing: the palette says so', (await textOf(page, '.dialog-list')).startsWith('Nothing'));
  await close(opened, 'nothing');
}

// A statement of SQL is answered as a table, a bad one in words; the keyboard is enough. A file has no such tab.
async function checkSql(browser) {
  const opened = await open(browser, url, { asOpened: true });
  const { page } = opened;
  await page.locator('#tab-sql').click();
  const box = page.locator('.sql-text'), cells = page.locator('.sql-result tbody tr');
  await box.fill('SELECT name, calls FROM kernels ORDER BY calls DESC LIMIT 3');
  await box.press('Control+Enter');
  await cells.first().waitFor();
  const want = ask('sql', file('late.sqlite'), 'SELECT name, calls FROM kernels ORDER BY calls DESC LIMIT 3');
  check('sql: the rows of the verb', await cells.count() === 3 &&
    (await cells.first().textContent()).includes(String(want.rows[0].calls)));
  const command = await page.evaluate(() => new Promise(done => {
    navigator.clipboard.writeText = done;
    document.querySelector('.sql-result > p .copy').click();
  }));
  check('sql: the command that is copied answers the same', same(JSON.parse(execSync(command.replace('warplens', `"${warplens}" -f json`),
    { encoding: 'utf8' })).rows, want.rows), command);
  await box.fill('DELETE FROM StringIds');
  await page.locator('.sql-tools button').click();
  await page.locator('.sql-result .problem').waitFor();
  check('sql: it changes nothing', /not be modified/.test(await textOf(page, '.sql-result .problem')));
  opened.trouble.splice(0, Infinity, ...opened.trouble.filter(line => !line.includes('status of 400')));
  await box.fill('SELECT \'<img src=x onerror=alert(1)>\' AS "<b>"');
  await box.press('Control+Enter');
  await cells.first().waitFor();
  check('sql: names are text', await page.locator('.sql-result img, .sql-result b').count() === 0);
  await checkAxe(page, 'sql');
  await close(opened, 'sql');
  const saved = await open(browser, file('late.html'));
  check('sql: not in a file', await saved.page.locator('#tab-sql').count() === 0 &&
    !(await saved.page.locator('script').allTextContents()).join('').includes('sql-text'));
  await close(saved, 'sql of a file');
}

// Each of several traces is named by its letter. A server that does not answer is said to be lost, until it answers.
async function checkServer(browser) {
  const opened = await open(browser, url, { asOpened: true });
  const { page, context } = opened;
  const name = await textOf(page, '#trace-name');
  check('server: each trace has its letter', name === 'A: late.sqlite · B: serving.sqlite · C: empty.sqlite', name);
  check('server: nothing is lost', await page.locator('#lost').isHidden());
  const medians = ['late', 'serving'].map(of => ask('summary', file(`${of}.sqlite`)).step.median);
  const trend = (await page.locator('.trend li').allTextContents()).map(text => text.replaceAll('\u00a0', ' '));
  const percent = (100 * (medians[1] / medians[0] - 1)).toFixed(1);
  check('server: three runs are a trend', trend.length === 3 && trend[1].includes(`${percent}%`) && trend[1].includes(percent < 0 ? '▼' : '▲') &&
    /no steps/.test(trend[2]), trend);
  await page.locator('.trend li button').nth(1).click();
  check('server: a run of the trend is shown alone', await state(page, 'sides') === 'b');
  await page.evaluate(() => window.__warplens.state.set('sides', 'all'));
  await context.setOffline(true);
  await page.locator('#lost').waitFor();
  const hatched = await page.evaluate(() => {
    const { app: { timeline }, state } = window.__warplens;
    const { begin, end } = state.extent;
    state.setView(begin, begin + (end - begin) / 3);
    state.setView(end - (end - begin) / 3, end);
    timeline.draw();
    const row = timeline.laid.rows.find(({ row: { kind } }) => kind === 'gpu');
    const { y } = timeline.boxOfRow(row.id, state.view);
    const { data } = timeline.context.getImageData(0, Math.round((y + 6) * timeline.ratio), timeline.painter.width, 1);
    return new Set(Array.from({ length: 60 }, (_, x) => data.slice(4 * x, 4 * x + 3).join())).size;
  });
  check('server: what is not loaded is hatched', hatched >= 2, hatched);
  await context.setOffline(false);
  await page.locator('#lost').waitFor({ state: 'hidden' });
  await settle(page);
  check('server: it goes on', await page.evaluate(() => window.__warplens.app.timeline.drawn.frames > 0));
  await context.close();
}

const browser = await launch(executablePath);
await checkFirstView(browser);
await checkHeadline(browser, 'late');
await checkHeadline(browser, 'serving');
await checkNarrow(browser);
await checkBack(browser);
await checkClaims(browser);
await checkFlags(browser);
await checkEmpty(browser);
await checkSql(browser);
await checkRedacted(browser);
await checkShares(browser);
await checkLegend(browser);
await checkTables(browser);
await checkSearch(browser);
await checkFound(browser);
await checkCollective(browser);
await checkSizes(browser);
await checkNothing(browser);
await checkServer(browser);
await finish(browser);
