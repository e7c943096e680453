/* SPDX-License-Identifier: MIT */
// explorer.mjs CHROMIUM PAGE EVIL - use the schema explorer as its readers do, with and without scripts; EVIL is the
// page of a trace whose names would like to be markup.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [executablePath, file, evil] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let passed = 0, failed = 0;

function check(what, ok, detail = '') {
  ok ? passed++ : failed++;
  if (!ok)
    console.log(`FAIL: ${what}: ${String(detail).slice(0, 800)}`);
}

async function open(browser, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', m => ['error', 'warning'].includes(m.type()) && trouble.push(`console: ${m.text()}`));
  page.on('pageerror', e => trouble.push(`error: ${e}`));
  page.on('dialog', d => { trouble.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => /^(file|data):/.test(r.url()) || trouble.push(`request: ${r.url()}`));
  await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
  return { context, page, trouble };
}

const names = page => page.locator('details.table:visible > summary .called').allTextContents();
const ground = locator => locator.evaluate(e => getComputedStyle(e).backgroundColor);

// What a concept is about is marked in tables, relations and picture; without a script as with one.
async function checkMarks(browser, javaScriptEnabled) {
  const { context, page } = await open(browser, file, { javaScriptEnabled });
  const name = javaScriptEnabled ? 'marks' : 'marks without scripts';
  const cell = page.locator('#table-CUPTI_ACTIVITY_KIND_KERNEL tr.k-correlation > td').first();
  const other = page.locator('#table-CUPTI_ACTIVITY_KIND_KERNEL tr:not(.k-correlation) > td').first();
  const colour = (s, key) => page.locator(s).first().evaluate((e, k) => getComputedStyle(e)[k], key);
  const before = [await ground(cell), await ground(other)];
  const line = await colour('.line.k-correlation', 'stroke');
  await page.locator('#k-correlation').check();
  check(`${name}: a column that it is about`, await ground(cell) !== before[0], before[0]);
  check(`${name}: one that it is not about`, await ground(other) === before[1], before[1]);
  check(`${name}: a line that is about it`, await colour('.line.k-correlation', 'stroke') !== line, line);
  check(`${name}: others fade`, +await colour('.line.k-strings', 'opacity') < 0.2);
  check(`${name}: a box`, await colour('.box.k-correlation rect', 'strokeWidth') === '2px');
  await page.locator('#k-correlation').press('ArrowRight');
  check(`${name}: arrow keys go on`, await page.locator('#k-projection').isChecked() && await ground(cell) === before[0] &&
    await ground(page.locator('#table-NVTX_EVENTS tr.k-projection > td').first()) !== before[0]);
  await page.locator('#k-none').check();
  check(`${name}: and off again`, await ground(cell) === before[0]);
  await context.close();
}

// Text stays readable on what is marked.
async function checkContrast(browser, colorScheme) {
  const { context, page } = await open(browser, file, { colorScheme });
  await page.evaluate(axe);
  for (const id of ['k-ids', 'k-time', 'k-correlation']) {
    await page.locator('#' + id).check();
    const { violations } = await page.evaluate(() => axe.run(document,
      { runOnly: ['color-contrast'], resultTypes: ['violations'], selectors: false }));
    check(`contrast: ${id} (${colorScheme})`, violations.length === 0,
      violations.flatMap(v => v.nodes.map(n => n.html)).join('\n'));
  }
  await context.close();
}

async function checkWithoutScripts(browser) {
  const { context, page } = await open(browser, file, { javaScriptEnabled: false });
  check('without scripts: tables', (await names(page)).includes('CUPTI_ACTIVITY_KIND_KERNEL'));
  check('without scripts: queries', (await page.locator('pre code').first().textContent()).startsWith('SELECT'));
  check('without scripts: nothing that does nothing', await page.locator('button, input[type=search]').count() === 0);
  await context.close();
}

async function checkSearch(browser) {
  const { context, page, trouble } = await open(browser, file);
  const all = await names(page);
  const isOpen = () => page.locator('details.table').evaluateAll(ds => ds.map(d => d.open));
  const before = await isOpen();
  const wanted = await page.locator('details.table').evaluateAll(ds => ds.filter(
    d => [...d.querySelectorAll('tbody th')].some(t => t.textContent === 'correlationId')).map(
    d => d.querySelector('.called').textContent));
  const input = page.getByRole('searchbox', { name: 'Find a table or column' });
  await input.fill('CorrelationID');
  check('search: tables that have the column', String(await names(page)) === String(wanted), await names(page));
  check('search: only this column', (await page.locator('#tables tbody tr:visible > th').allTextContents()).every(
    t => t === 'correlationId'));
  check('search: how many, and which', (await page.getByRole('status').textContent()).startsWith(`${wanted.length} tables: ${wanted[0]}`), await page.getByRole('status').textContent());
  await page.keyboard.press('Enter');
  check('search: Enter goes there', await page.evaluate(() => [...document.querySelectorAll('details.table')]
    .find(d => !d.hidden).getBoundingClientRect().top < innerHeight));
  await input.fill('nvtx_events');
  check('search: a table by its name', String(await names(page)) === 'NVTX_EVENTS', await names(page));
  check('search: with all columns', await page.locator('#table-NVTX_EVENTS tbody tr:visible').count() > 10);
  await input.fill('rows');
  check('search: only names count', (await names(page)).length === 0, await names(page));
  await input.fill('no such thing');
  check('search: nothing', (await names(page)).length === 0 && await page.locator('.nothing').isVisible());
  await input.fill('');
  check('search: everything again', String(await names(page)) === String(all));
  check('search: folded as before', String(await isOpen()) === String(before));
  check('search: quiet', trouble.length === 0, trouble.join('\n'));
  await context.close();
}

async function checkCopy(browser) {
  const { context, page, trouble } = await open(browser, file);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const title of ['Kernels by time', 'NVTX ranges on the GPU']) {
    const query = page.locator('.query', { has: page.getByRole('heading', { name: title, exact: true }) });
    await query.getByRole('button').click();
    const got = await page.evaluate(() => navigator.clipboard.readText());
    check(`copy: ${title}`, got.trim() === (await query.locator('code').last().textContent()).trim(), got);
    check(`copy: ${title}: it says so`, await query.getByRole('button').textContent() === 'Copied');
  }
  check('copy: quiet', trouble.length === 0, trouble.join('\n'));
  await context.close();
}

// A box of the picture leads to its table by keys, also where that is folded or was searched away.
async function checkLinks(browser) {
  const { context, page } = await open(browser, file);
  const table = page.locator('#table-ENUM_CUDA_MEM_KIND');
  check('links: folded at first', !await table.evaluate(d => d.open));
  await page.getByRole('searchbox').fill('NVTX_EVENTS');
  await page.locator('svg a[href="#table-ENUM_CUDA_MEM_KIND"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#table-ENUM_CUDA_MEM_KIND').open);
  check('links: the table is in sight', await table.evaluate(d => {
    const { top } = d.getBoundingClientRect();
    return !d.hidden && top >= document.querySelector('.bar').getBoundingClientRect().bottom - 1 && top < innerHeight;
  }));
  check('links: each leads somewhere', await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')].every(
    a => document.getElementById(a.getAttribute('href').slice(1)))));
  check('links: no two parts have one name', await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    return new Set(ids).size === ids.length;
  }));
  await context.close();
}

async function checkEvil(browser) {
  const { context, page, trouble } = await open(browser, evil);
  await page.getByRole('searchbox').fill('<script>');
  check('evil: names are text', (await names(page)).includes("<script>alert('x')</script>"), await names(page));
  await page.getByRole('searchbox').fill('" onmouseover');
  for (const summary of await page.locator('details.table:visible > summary').all())
    await summary.hover();
  check('evil: scripts are ours', await page.locator('script').count() === 2);
  check('evil: heading', (await page.locator('h1').textContent()).includes('<img src=x onerror=alert(1)>.sqlite'));
  check('evil: quiet', trouble.length === 0, trouble.join('\n'));
  await context.close();
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
await checkMarks(browser, true);
await checkMarks(browser, false);
await checkContrast(browser, 'light');
await checkContrast(browser, 'dark');
await checkWithoutScripts(browser);
await checkSearch(browser);
await checkCopy(browser);
await checkLinks(browser);
await checkEvil(browser);
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
