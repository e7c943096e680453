/* SPDX-License-Identifier: MIT */
// pages.mjs CHROMIUM PAGE... - open pages as their readers do, and fail on what would trouble one.
//
// Each page is opened from a file in light and in dark. It must run no script but its own, ask nobody for
// anything, say nothing on the console, have no serious accessibility finding, keep within its window at twice
// the size and in forced colours, and print everything that it shows or folds.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [executablePath, ...pages] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(what, ok, detail = '') {
  ok ? passed++ : failed++;
  if (!ok)
    console.log(`FAIL: ${what}: ${String(detail).slice(0, 800)}`);
}

// What a page must never do is noted from its first byte on.
async function open(browser, file, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', m => ['error', 'warning'].includes(m.type()) && trouble.push(`console: ${m.text()}`));
  page.on('pageerror', e => trouble.push(`error: ${e}`));
  page.on('dialog', d => { trouble.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => /^(file|data):/.test(r.url()) || trouble.push(`request: ${r.url()}`));
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  return { context, page, trouble };
}

async function isWithin(page) {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
}

async function unfold(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach(d => d.open = true));
}

async function checkScheme(browser, file, colorScheme) {
  const name = `${file} (${colorScheme})`;
  const { context, page, trouble } = await open(browser, file, { colorScheme });
  const policy = await page.evaluate(
    () => document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.content);
  check(`${name}: policy`, policy?.startsWith("default-src 'none'") && !/script-src[^;]*unsafe/.test(policy), policy);
  check(`${name}: attributes that act`, !await page.evaluate(() => [...document.querySelectorAll('*')].some(
    e => [...e.attributes].some(a => /^on/i.test(a.name) || /^\s*javascript:/i.test(a.value)))));
  check(`${name}: foreign elements`, !await page.evaluate(
    () => document.querySelector('img, iframe, object, embed, link, base, form, svg script, svg use, svg image')));

  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colour();
  check(`${name}: background`, before === (colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)'), before);
  const button = page.locator('.tools button').first();
  if (await button.count()) {
    await button.focus();
    await page.keyboard.press('Enter');
    check(`${name}: the button changes light and dark`, await colour() !== before);
    await button.press('Enter');
    check(`${name}: and back`, await colour() === before);
  }

  await unfold(page);
  await page.evaluate(axe);
  // Of all rules only those on contrast see another page in dark.
  const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
  const { violations } = await page.evaluate(
    r => axe.run(document, { resultTypes: ['violations'], selectors: false, ...r }), rules);
  for (const v of violations.filter(v => ['serious', 'critical'].includes(v.impact)))
    check(`${name}: axe ${v.id} (${v.impact}) ${v.help}`, false, v.nodes.map(n => n.html).join('\n'));
  check(`${name}: axe ran`, violations !== undefined);
  check(`${name}: every picture has a name and a table`, await page.evaluate(
    () => [...document.querySelectorAll('figure > svg')].every(
      s => s.querySelector('title') && s.querySelector('desc') && s.closest('section').querySelector('table'))));
  check(`${name}: within the window`, await isWithin(page));
  check(`${name}: quiet`, trouble.length === 0, trouble.join('\n'));
  await context.close();
}

// Twice the size is half the window; forced colours take ours away.
async function checkRoom(browser, file) {
  for (const options of [{ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
                         { viewport: { width: 640, height: 450 }, forcedColors: 'active' },
                         { viewport: { width: 360, height: 640 } }]) {
    const { context, page } = await open(browser, file, options);
    check(`${file}: ${JSON.stringify(options)}: within the window`, await isWithin(page));
    await unfold(page);
    check(`${file}: ${JSON.stringify(options)}: within the window, unfolded`, await isWithin(page));
    await context.close();
  }
}

// Fonts and line ends aside, paper has what the page has, but for tables that pictures repeat and empty sections.
const squeeze = s => s.normalize('NFKC').replace(/[\s\u00ad\u2010-]+/g, '');

async function checkPaper(browser, file) {
  const { context, page } = await open(browser, file, {});
  const pdf = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'paper-')), 'page.pdf');
  const wanted = await page.evaluate(() => [...document.querySelectorAll('h1, h2, h3, summary, caption, th:not(.minor)')]
    .filter(e => !e.closest('#budget > details, #findings > details, section:has(> .missing)'))
    .map(e => e.textContent.trim()).filter(t => /^[\x20-\x7e]{1,80}$/.test(t)));
  const action = await page.evaluate(() => document.querySelector('.front p > b')?.textContent ?? '');
  await page.pdf({ path: pdf, format: 'A4', preferCSSPageSize: true });
  const text = squeeze(execFileSync('pdftotext', ['-layout', pdf, '-'], { maxBuffer: 1 << 28 }).toString());
  const raw = squeeze(execFileSync('pdftotext', ['-raw', pdf, '-'], { maxBuffer: 1 << 28 }).toString());
  const missing = wanted.filter(t => !text.includes(squeeze(t)) && !raw.includes(squeeze(t)));
  check(`${file}: on paper`, missing.length === 0, missing.join('\n'));
  const first = squeeze(execFileSync('pdftotext', ['-raw', '-l', '1', pdf, '-']).toString());
  check(`${file}: the first sheet says what to do`, first.includes(squeeze(action)), action);
  fs.rmSync(path.dirname(pdf), { recursive: true });
  await context.close();
}

// A report begins with one large number, cuts no table and defines at its end what it has; all columns are a button.
async function checkReport(browser, file) {
  const cut = page => page.evaluate(() => [...document.querySelectorAll('.scroll')].filter(
    s => s.scrollWidth > s.clientWidth + 1).map(s => s.getAttribute('aria-label')));
  const { context, page } = await open(browser, file, {});
  if (await page.locator('body.report').count() === 0)
    return context.close();
  check(`${file}: a large number first`, await page.evaluate(() => {
    const big = document.querySelector('main > section:first-child .big');
    return !big || parseFloat(getComputedStyle(big).fontSize) >= 40 && big.getBoundingClientRect().bottom < 600;
  }));
  const cards = await page.evaluate(() => [...document.querySelectorAll('.findings article')].map(card => ({
    says: /, GPU \d+$/.test(card.querySelector('.saving')?.textContent ?? ''), strip: card.querySelector('.strip path[class^=f]') !== null })));
  check(`${file}: a finding of a GPU has a picture`, cards.slice(0, 10).every(card => card.strip || !card.says), cards);
  await unfold(page);
  check(`${file}: no table is cut`, (await cut(page)).length === 0, await cut(page));
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 703, height: 1000 });
  check(`${file}: nor on paper`, await isWithin(page) && await page.evaluate(() => [...document.querySelectorAll(
    '.scroll table')].every(t => t.getBoundingClientRect().right <= innerWidth)));
  await page.emulateMedia({ media: 'screen' });
  check(`${file}: definitions once`, await page.locator('#definitions dt').count() > 0 &&
    await page.locator('main > section:last-child#definitions').count() === 1);
  const shown = () => page.locator('th:visible').count();
  const before = await shown();
  await page.locator('.tools button', { hasText: 'All columns' }).click();
  check(`${file}: all columns`, await shown() > before);
  await context.close();
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
for (const file of pages) {
  for (const scheme of ['light', 'dark'])
    await checkScheme(browser, file, scheme);
  await checkRoom(browser, file);
  await checkPaper(browser, file);
  await checkReport(browser, file);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
