/* SPDX-License-Identifier: MIT */
// views.mjs CHROMIUM - tabs that answer one question each, of pages that views.sh made: prefill and decode; and links to findings.
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

async function checkOthers(browser) {
  const narrow = await openTab(browser, 'serving.html', 'serving', { viewport: { width: 390, height: 800 } });
  check('390 px: within the window', await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await close(narrow, 'narrow');
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

const browser = await launch(executablePath);
await checkServing(browser, 'light');
await checkServing(browser, 'dark');
await checkOthers(browser);
await checkLinks(browser);
await finish(browser);
