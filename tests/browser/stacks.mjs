/* SPDX-License-Identifier: MIT */
// stacks.mjs CHROMIUM ADDRESS - the tab "Host code" of pages that stacks.sh made, and of a server.
import { axeSource, check, close, finish, launch, open, same, settle } from './viewer_page.mjs';

const [executablePath, address] = process.argv.slice(2);

async function openTab(browser, place, options = {}) {
  const opened = await open(browser, place, { viewport: { width: 1280, height: 900 }, ...options });
  await opened.page.evaluate(() => window.__warplens.app.panels.show('stacks'));
  await opened.page.locator('.stacks .flame-box').first().waitFor();
  await settle(opened.page);
  return opened;
}

const namesOf = page => page.locator('.stacks .flame-box').evaluateAll(all => all.map(b => b.title.split(' ')[0]));
const textOf = page => page.locator('#panel-stacks .of').textContent();

async function checkTab(browser, place, what, colorScheme) {
  const opened = await openTab(browser, place, { colorScheme });
  const { page } = opened;
  check(`${what}: the time is that of stacks`, /: 62(\.0)? (us|µs)/.test(await textOf(page)), await textOf(page));
  check(`${what}: callers are above`, same((await namesOf(page)).slice(0, 2), ['main', '[no']), await namesOf(page));
  await page.locator('#panel-stacks input[type=search]').fill('NUMBER');
  check(`${what}: matched share`, /Matched: 29\.0%/.test(await textOf(page)), await textOf(page));
  check(`${what}: matched boxes`, await page.locator('.stacks .matched').count() === 1);
  await page.evaluate(axeSource);
  const axe = await page.evaluate(() => window.axe.run('#drawer'));
  check(`${what}: no barriers`, axe.violations.length === 0, axe.violations.map(v => `${v.id}: ${v.nodes[0].html}`));
  await page.locator('#panel-stacks input[type=checkbox]').check();
  check(`${what}: innermost functions first`, (await namesOf(page))[0] === 'format_number', await namesOf(page));
  await page.locator('#panel-stacks input[type=checkbox]').uncheck();
  await close(opened, what);
}

// By keys alone: inwards, beside, zoom, and out.
async function checkKeys(browser) {
  const opened = await openTab(browser, 'run.html');
  const { page } = opened;
  const focused = () => page.evaluate(() => document.activeElement.title?.split(' ')[0]);
  await page.locator('.stacks .flame-box[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  check('keys: inwards', await focused() === 'step', await focused());
  await page.keyboard.press('ArrowRight');
  check('keys: beside', await focused() === 'load_batch', await focused());
  await page.keyboard.press('Enter');
  await settle(page);
  check('keys: zoom shows callers and what is inside', same(await namesOf(page), ['main', 'load_batch', 'read']), await namesOf(page));
  await page.keyboard.press('Escape');
  check('keys: out again', (await namesOf(page)).length > 5, await namesOf(page));
  await close(opened, 'keys');
}

async function checkOthers(browser) {
  const narrow = await openTab(browser, 'run.html', { viewport: { width: 390, height: 800 } });
  check('390 px: within the window', await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await close(narrow, 'narrow');
  const both = await openTab(browser, 'both.html');
  const titles = await both.page.locator('.stacks .flame-box').evaluateAll(all => all.map(b => b.title));
  check('two traces: before and after', titles.some(t => /^format_number .*18 (us|µs) before, 0 ns after/.test(t)) &&
    titles.some(t => /^print_number .*0 ns before, 18 (us|µs) after/.test(t)), titles);
  await close(both, 'two traces');
  const none = await open(browser, 'none.html');
  check('no tab without stacks', await none.page.locator('#tab-stacks').count() === 0);
  await close(none, 'no stacks');
}

// A server answers for the range.
async function checkRange(browser) {
  const opened = await openTab(browser, address);
  const { page } = opened;
  const whole = await (await fetch(`${address}stacks?during=idle`)).json();
  check('the server has all of it', whole.total === 62000 && whole.nodes.length === whole.all, whole);
  const { begin, end } = await page.evaluate(() => window.__warplens.app.source.head.traces[0]);
  const half = await (await fetch(`${address}stacks?during=idle&a=${begin}&b=${Math.floor((begin + end) / 2)}`)).json();
  check('less in half of it', half.total > 0 && half.total < whole.total, half.total);
  await page.evaluate(([a, b]) => window.__warplens.app.state.setRange({ a, b }), [begin, Math.floor((begin + end) / 2)]);
  await page.waitForFunction(() => /range:/.test(document.querySelector('#panel-stacks .of').textContent));
  check('the page follows the range', !/: 62/.test(await textOf(page)), await textOf(page));
  await close(opened, 'range');
}

const browser = await launch(executablePath);
await checkTab(browser, 'run.html', 'file', 'light');
await checkTab(browser, address, 'server', 'dark');
await checkKeys(browser);
await checkOthers(browser);
await checkRange(browser);
await finish(browser);
