/* SPDX-License-Identifier: MIT */
// first.mjs CHROMIUM WARPLENS DIR - what a page says and shows before it is asked, and that what looks like a button is
// one. DIR has late.html (GPU 2 of 4 is late), serving.html, empty.html (no GPU work) and redacted.html, with
// their traces.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { axeSource, check, close, finish, launch, open, same, settle, state } from './viewer_page.mjs';

const [executablePath, warplens, dir] = process.argv.slice(2);
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
  check(`headline ${name}: is on the screen`, text.includes(`compute ${(100 * compute).toFixed(1)}%`) && / steps of /.test(text) &&
    text.includes('2x ') === (name === 'serving'), text);
  const [finding] = (await headOf(page)).findings;
  check(`headline ${name}: the largest finding`, text.includes(finding.claim), text);
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

// A finding is called by what is claimed; the advice is below.
async function checkClaims(browser) {
  const opened = await open(browser, file('late.html'));
  const { page } = opened;
  const [finding] = (await headOf(page)).findings;
  check('claims: name their subject', /GPU 2/.test(finding.claim) && finding.claim !== finding.title, finding);
  check('claims: are titles', (await textOf(page, '#finding-1 h2')).startsWith(`1 ${finding.claim}`));
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
  check('redacted: a finding begins with a word', /^up to \d/.test(text), text);
  await close(opened, 'redacted');
}

const browser = await launch(executablePath);
await checkFirstView(browser);
await checkHeadline(browser, 'late');
await checkHeadline(browser, 'serving');
await checkNarrow(browser);
await checkClaims(browser);
await checkFlags(browser);
await checkEmpty(browser);
await checkRedacted(browser);
await finish(browser);
