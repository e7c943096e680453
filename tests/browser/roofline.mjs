/* SPDX-License-Identifier: MIT */
// roofline.mjs CHROMIUM ADDRESS - the tab "Roofline" of pages that roofline.sh made, and of a server.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { axeSource, check, close, finish, launch, open, same, settle } from './viewer_page.mjs';

const [executablePath, address] = process.argv.slice(2);
const SIZE = { width: 1440, height: 1000 };

// Open a page with the tab in front.
async function openTab(browser, place, options = {}) {
  const opened = await open(browser, place, { viewport: SIZE, ...options });
  const { page } = opened;
  await page.evaluate(() => window.__warplens.app.panels.show('roofline'));
  await settle(page);
  return opened;
}

const tableOf = page => page.locator('.verb-table tbody tr').evaluateAll(rows =>
  rows.map(row => [...row.children].map(cell => cell.textContent)));

// Pairs of texts of the picture that overlap by more than a pixel, and texts that leave the picture.
const overlaps = page => page.locator('.chart figure > svg').evaluateAll(pictures => pictures.flatMap(picture => {
  const frame = picture.getBoundingClientRect();
  const texts = [...picture.querySelectorAll('text')].map(t => ({ text: t.textContent, box: t.getBoundingClientRect() }));
  const bad = texts.filter(({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1 ||
    box.top < frame.top - 1 || box.bottom > frame.bottom + 1).map(({ text }) => `${text} leaves the picture`);
  // The boxes of lines have room above and below the digits.
  const air = 3;
  texts.forEach((one, i) => texts.slice(i + 1).forEach(other => {
    const [a, b] = [one.box, other.box];
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2 * air)
      bad.push(`${one.text} and ${other.text}`);
  }));
  return bad;
}));

async function checkFew(browser, place, what) {
  const opened = await openTab(browser, place);
  const { page } = opened;
  const answer = JSON.parse(fs.readFileSync('few.json', 'utf8'));
  const rows = await tableOf(page);
  check(`${what}: the tab has the rows of the verb`, rows.length === answer.rows.length, [rows, answer.rows.length]);
  check(`${what}: shares of the roof are those of the verb`, same(rows.map(row => row[6]),
    answer.rows.map(row => `${(100 * row.roof_share).toFixed(1)}%`)), rows);
  check(`${what}: kernels are called by labels`, rows[0][0] === 'sm90 gemm bf16 128x256x64', rows[0]);
  check(`${what}: a point per kernel`, await page.locator('.chart figure > svg > .b').count() === 6);
  check(`${what}: squares at the roof of DRAM`, await page.locator('.chart figure > svg > rect.b').count() === 2);
  check(`${what}: a point tells its numbers`, /^sm90 gemm bf16 128x256x64: 415.2 TFLOP\/s, 1171 FLOP\/B/.test(
    await page.locator('.chart circle title').evaluateAll(all => all.map(t => t.textContent).find(t => /415/.test(t)) ?? '')));
  check(`${what}: labels have room`, same(await overlaps(page), []), await overlaps(page));
  await page.evaluate(axeSource);
  const axe = await page.evaluate(() => window.axe.run('#drawer'));
  check(`${what}: no barriers`, axe.violations.length === 0, axe.violations.map(v => `${v.id}: ${v.nodes[0].html}`));
  await close(opened, what);
}

// Colours are those of the theme, and change with it.
async function checkThemes(browser) {
  const opened = await openTab(browser, 'few.html', { colorScheme: 'dark' });
  const { page } = opened;
  const colours = () => page.evaluate(() => {
    const style = selector => getComputedStyle(document.querySelector(selector));
    return [style('.chart circle.b').fill, style('.chart text').fill, style('.chart .s').stroke,
      getComputedStyle(document.querySelector('#drawer')).backgroundColor];
  });
  const dark = await colours();
  check('dark: text is light, the sheet dark', dark[1] === 'rgb(228, 233, 241)' && dark[3] === 'rgb(17, 21, 28)', dark);
  await page.locator('#theme').click();
  const light = await colours();
  check('light: text is dark, the sheet light', light[1] === 'rgb(27, 33, 43)' && light[3] === 'rgb(255, 255, 255)', light);
  check('roofs have the colour of text', dark[2] === dark[1] && light[2] === light[1], [dark, light]);
  await close(opened, 'themes');
}

async function checkMany(browser, file) {
  const opened = await openTab(browser, file);
  const { page } = opened;
  const texts = await page.locator('.chart figure > svg text').allTextContents();
  const numbers = texts.filter(t => /^\d{1,2}$/.test(t)).map(Number);
  check(`${file}: all 24 points have a number`, Array.from({ length: 24 }, (_, i) => i + 1).every(n => numbers.includes(n)), texts);
  check(`${file}: four roofs have their figures`, texts.filter(t => / TFLOP\/s$/.test(t)).length === 4, texts);
  check(`${file}: labels have room`, same(await overlaps(page), []), await overlaps(page));
  check(`${file}: nothing of a name is markup`, await page.locator('.verb img, .verb script').count() === 0);
  await close(opened, file);
}

async function checkOthers(browser) {
  const none = await open(browser, 'none.html');
  check('no tab without a report', await none.page.locator('#tab-roofline').count() === 0);
  await none.page.evaluate(() => window.__warplens.app.panels.show('roofline'));
  check('and the page says why', /--ncu FILE/.test(await none.page.locator('#status').textContent()));
  await close(none, 'no report');
  const idle = await openTab(browser, 'idle.html');
  check('a trace without kernels says so', /kernel/.test(await idle.page.locator('#panel-roofline .empty').textContent()),
    await idle.page.locator('#panel-roofline').textContent());
  await close(idle, 'no kernels');
  const both = await openTab(browser, 'both.html');
  check('a picture for each of two traces', await both.page.locator('.chart figure').count() === 2);
  await close(both, 'two traces');
}

// The route of tables knows the report, too.
async function checkRoute() {
  const answer = JSON.parse(fs.readFileSync('few.json', 'utf8'));
  const served = await (await fetch(`${address}table?verb=roofline`)).json();
  check('the server answers roofline', same(served.rows, answer.rows), served);
}

async function checkPaper(browser) {
  const opened = await open(browser, 'few.html');
  const pdf = await opened.page.pdf();
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  check('it is printed, with the picture', /989\.4 TFLOP\/s/.test(text) && /FLOP per byte of DRAM traffic/.test(text), text.slice(0, 800));
  await close(opened, 'paper');
}

const browser = await launch(executablePath);
await checkFew(browser, 'few.html', 'file');
await checkFew(browser, address, 'server');
await checkThemes(browser);
await checkMany(browser, 'many.html');
await checkMany(browser, 'redacted.html');
await checkOthers(browser);
await checkRoute();
await checkPaper(browser);
await finish(browser);
