/* SPDX-License-Identifier: MIT */
// views.mjs CHROMIUM - tabs that answer one question each, of pages that views.sh made: prefill and decode, what if and
// the critical path; and links to findings.
import fs from 'node:fs';
import { axeSource, check, close, finish, launch, open, settle, state } from './viewer_page.mjs';

const [executablePath] = process.argv.slice(2);

async function openTab(browser, place, tab, options = {}) {
  const opened = await open(browser, place, { viewport: { width: 1280, height: 900 }, ...options });
  await opened.page.evaluate(key => window.__warplens.app.panels.show(key), tab);
  await settle(opened.page);
  return opened;
}

const textOf = (page, tab) => page.locator(`#panel-${tab}`).innerText();

async function checkBarriers(page, what) {
  await page.evaluate(axeSource);
  const axe = await page.evaluate(() => window.axe.run('#drawer'));
  check(`${what}: no barriers`, axe.violations.length === 0, axe.violations.map(v => `${v.id}: ${v.nodes[0].html}`));
}

async function checkServing(browser, colorScheme) {
  const opened = await openTab(browser, 'serving.html', 'serving', { colorScheme });
  const { page } = opened;
  await page.locator('.serving .bar').first().waitFor();
  const text = await textOf(page, 'serving');
  // 12 steps: prefills are 0 and 6, a decode takes 10 us; the stall before step 3 is in the period of step 2.
  check('serving: kinds as planted', /10 decode, median 10(\.00)? us; 2 prefill, median 40(\.00)? us/.test(text), text);
  check('serving: a token waits for the prefill behind it', /p99 50(\.00)? us/.test(text), text);
  check('serving: where decodes go', /compute/.test(text) && /idle: /.test(text), text);
  await checkBarriers(page, 'serving');
  await page.locator('.serving .bar').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const range = await state(page, 'range');
  check('serving: keys go to a step', range && range.b - range.a === 30000, range);
  await page.locator('#panel-serving select').nth(1).selectOption('=sampling');
  await page.waitForFunction(() => /12 decode/.test(document.querySelector('#panel-serving').innerText));
  check('serving: ranges can be chosen', true);
  await page.locator('#panel-serving select').nth(1).selectOption('length');
  // From twice the median on: both prefills and the decode with the stall.
  await page.waitForFunction(() => /3 prefill/.test(document.querySelector('#panel-serving').innerText));
  await close(opened, 'serving');
}

// A slider moves by keys to what a replay predicts; the path is lit by a key.
async function checkWhatif(browser, colorScheme) {
  const opened = await openTab(browser, 'ranks.html', 'whatif', { colorScheme });
  const { page } = opened;
  const said = () => page.locator('#panel-whatif [aria-live]').innerText();
  const wide = () => page.locator('.whatif-bar').evaluate(bar => bar.getBoundingClientRect().width);
  const before = await wide();
  const [then, now] = await page.evaluate(() => ['.whatif-bar', '.whatif .account-bar span, .whatif-bars .account-bar span'].map(what =>
    [...document.querySelectorAll(what)].map(one => getComputedStyle(one).backgroundColor)));
  check('what if: what a replay gives has the colour of no class', then.length === 1 && now.length > 0 && !now.includes(then[0]), [then, now]);
  await checkBarriers(page, 'what if');
  await page.locator('.whatif input').first().focus();
  for (let i = 0; i < 2; i++)
    await page.keyboard.press('ArrowLeft');
  check('what if: keys move a slider', /^compute at 50% .* less/.test(await said()), await said());
  check('what if: the step gets shorter', await wide() < before, [before, await wide()]);
  await page.locator('.whatif input').nth(1).focus();
  await page.keyboard.press('ArrowLeft');
  check('what if: one class at a time', await page.locator('.whatif input').first().inputValue() === '100');
  await page.locator('#panel-whatif tbody button').first().click();
  check('what if: a scenario is drawn', !/^now|at \d+%/.test(await said()), await said());
  const picture = () => page.locator('#canvas').evaluate(canvas => canvas.toDataURL());
  const dark = await picture();
  await page.locator('#canvas').focus();
  await page.keyboard.press('p');
  await page.waitForFunction(() => window.__warplens.app.timeline.pathLine.runs.flat().length > 0);
  await settle(page);
  check('path: a line is drawn', await picture() !== dark);
  check('path: the address has it', await page.waitForFunction(() => /path=lit/.test(location.hash)).then(() => true));
  await page.keyboard.press('p');
  check('path: and goes', await page.evaluate(() => window.__warplens.app.timeline.pathLine.runs.length) === 0);
  await close(opened, 'what if');
}

// Of two traces, the flame view begins with the change from a GPU to its like; what it says adds up.
async function checkChange(browser) {
  const opened = await openTab(browser, 'both.html', 'flame');
  const { page } = opened;
  await page.keyboard.press('0');
  await page.locator('#panel-flame .flame-box').first().waitFor();
  await settle(page);
  const titles = await page.locator('#panel-flame .flame-box').evaluateAll(all => all.map(({ title }) => title));
  check('change: before and after', titles.length > 0 && titles.every(title => / before, .* after$/.test(title)), titles);
  check('change: per step', /per step of \d+ and \d+; orange grows/.test(await textOf(page, 'flame')), await textOf(page, 'flame'));
  // A step takes 10 us before and 11 after.
  const written = await page.locator('#panel-flame .flame-box[data-change]').evaluateAll(all => all.map(box => box.dataset.change));
  check('change: is written where it is large', written.length > 0 && written.every(text => /^[+−]\d/.test(text)), written);
  await checkBarriers(page, 'change');
  await close(opened, 'change');
}

// Paper has what the tabs show (the last of 10 decodes has no period), also of a page on which they were not opened; bars keep their colours.
async function checkPaper(browser) {
  for (const [place, words] of [['serving.html', ['Where 9 decodes go', 'Time per output token']], ['ranks.html', ['Scenarios, the largest saving first']]]) {
    const opened = await open(browser, place, { viewport: { width: 703, height: 1000 } });
    const { page } = opened;
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.waitForFunction(() => document.querySelectorAll('.print-only table').length > 3);
    await page.emulateMedia({ media: 'print' });
    const text = await page.locator('.print-only').innerText();
    check(`paper of ${place}: has its tabs`, words.every(word => text.includes(word)), text.slice(0, 2000));
    check(`paper of ${place}: has no controls`, await page.locator('.print-only select:visible, .print-only input:visible').count() === 0);
    check(`paper of ${place}: is not cut`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(opened, `paper of ${place}`);
  }
}

async function checkOthers(browser) {
  for (const [place, tab] of [['serving.html', 'serving'], ['ranks.html', 'whatif']]) {
    const narrow = await openTab(browser, place, tab, { viewport: { width: 390, height: 800 } });
    check(`390 px: ${tab} within the window`, await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close(narrow, `narrow ${tab}`);
  }
  const quiet = await open(browser, 'steps.html');
  check('training has no tab of serving', await quiet.page.locator('#tab-serving').isHidden());
  await quiet.page.evaluate(() => window.__warplens.app.panels.show('serving'));
  check('until it is asked for', await quiet.page.locator('#tab-serving').isVisible());
  await close(quiet, 'steps');
}

// A card of a report leads to the finding in the page of viewer; the address can be typed into an open page, too.
async function checkLinks(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(new URL('report.html', `file://${process.cwd()}/`).href);
  await page.locator('#finding-1 a[href$="#finding=1"]').click();
  await page.waitForFunction(() => window.__warplens?.app.timeline.drawn.frames > 0);
  const shown = () => page.evaluate(() => [window.__warplens.state.range, document.querySelector('#status').textContent]);
  const [range, said] = await shown();
  check('report: a card leads to its place', range !== null && said.length > 0, [range, said]);
  check('report: the tab of findings is open', await page.locator('#finding-1').isVisible());
  await page.evaluate(() => { location.hash = 'finding=999'; });
  await page.waitForFunction(() => /no finding 999/.test(document.querySelector('#status').textContent));
  await context.close();
}

// A page of a window and a GPU has the findings of these, each with its place inside.
async function checkWindow(browser) {
  const opened = await open(browser, 'window.html', { asOpened: true });
  const { page } = opened;
  const { findings, traces: [trace] } = await page.evaluate(() => window.__warplens.app.source.head);
  const wanted = JSON.parse(fs.readFileSync('window.json')).rows.map(row => row.evidence);
  check('window: the commands of findings', wanted.length > 2 && JSON.stringify(findings.map(({ evidence }) => evidence)) === JSON.stringify(wanted),
    [wanted, findings]);
  check('window: places are inside', findings.every(({ begin }) => begin >= trace.window[0] && begin < trace.window[1]), [trace.window, findings]);
  check('window: each finding is shown by a button', await page.locator('#panel-findings h2 button', { hasText: 'show' }).count() === wanted.length);
  await close(opened, 'window');
}

// No two columns of a table of `diff` are called alike.
async function checkDiff(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL('diff.html', `file://${process.cwd()}/`).href);
  const heads = await page.locator('table').evaluateAll(all => all.map(table => [...table.querySelectorAll('thead th')].map(th => th.textContent)));
  check('diff: each column has its title', heads.length > 4 && heads.every(row => row.length > 2 && new Set(row).size === row.length), heads);
  await context.close();
}

const browser = await launch(executablePath);
await checkServing(browser, 'light');
await checkServing(browser, 'dark');
await checkWhatif(browser, 'light');
await checkWhatif(browser, 'dark');
await checkChange(browser);
await checkPaper(browser);
await checkOthers(browser);
await checkLinks(browser);
await checkWindow(browser);
await checkDiff(browser);
await finish(browser);
