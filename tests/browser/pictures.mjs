/* SPDX-License-Identifier: MIT */
// pictures.mjs CHROMIUM FROM TO NAME... - photographs for the documentation (tools/pictures): pages of a terminal's screen
// FROM/NAME.html, what a reader sees in FROM/page.html, FROM/both.html and FROM/roofline.html, and the top of FROM/report.html, as TO/NAME.png.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, open, settle } from './viewer_page.mjs';

const [executablePath, from, to, ...names] = process.argv.slice(2);
const SIZE = { width: 1440, height: 900 };
const browser = await launch(executablePath);

async function photograph(page, name) {
  await page.screenshot({ path: path.join(to, `${name}.png`) });
  console.log(`${name}.png`);
}

// As large as the text.
async function ofTerminal(name) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(path.join(from, `${name}.html`)).href);
  const { width, height } = await page.locator('pre').boundingBox();
  await page.setViewportSize({ width: Math.ceil(width), height: Math.ceil(height) });
  await photograph(page, name);
  await page.close();
}

// The seventh iteration of the first GPU, and its row of communication.
async function openIteration(colorScheme) {
  const opened = await open(browser, path.join(from, 'page.html'), { viewport: SIZE, colorScheme });
  const { page } = opened;
  await page.evaluate(() => {
    const { state, app } = window.__warplens;
    const [a, b] = app.source.head.processes[0].iterations[6];
    state.setView(a - 500_000, b + 500_000);
  });
  await settle(page);
  return opened;
}

async function ofIteration() {
  const { context, page } = await openIteration('dark');
  await page.evaluate(() => {
    const { state, app } = window.__warplens;
    const { view: { a, b } } = state;
    const rowId = app.source.head.rows.findIndex(r => r.kind === 'stream' && /NCCL/.test(r.label));
    const { start, dur, ref } = app.source.events(rowId, a + (b - a) * 0.8, a + (b - a) * 0.9, 10);
    state.setSelection({ rowId, ref: ref[0], begin: start[0], end: start[0] + dur[0], name: '' });
    app.panels.show('selection');
  });
  await settle(page);
  await photograph(page, 'viewer');
  await context.close();
}

async function ofRange() {
  const { context, page } = await openIteration('light');
  await page.evaluate(() => {
    const { state, app } = window.__warplens;
    const { view: { a, b } } = state;
    state.setRange({ a: a + (b - a) * 0.55, b: a + (b - a) * 0.93 });
    app.panels.show('range');
  });
  await settle(page);
  await photograph(page, 'range');
  await context.close();
}

async function ofTwo() {
  const { context, page } = await open(browser, path.join(from, 'both.html'),
    { viewport: { width: SIZE.width, height: 1180 }, colorScheme: 'light' });
  await page.evaluate(() => {
    const { state, app } = window.__warplens;
    state.setAlign({ ...state.align, a: 5, b: 5 });
    app.panels.show('compare');
  });
  await settle(page);
  await photograph(page, 'compare');
  await context.close();
}

async function ofReport() {
  const page = await browser.newPage({ viewport: { width: 1000, height: 985 }, colorScheme: 'light' });
  await page.goto(pathToFileURL(path.join(from, 'report.html')).href);
  await photograph(page, 'report');
  await page.close();
}

// The tab of kernels below their roofs, without the timeline above it.
async function ofRoofline() {
  const { context, page } = await open(browser, path.join(from, 'roofline.html'),
    { viewport: { width: SIZE.width, height: 1040 }, colorScheme: 'light' });
  await page.evaluate(() => window.__warplens.app.panels.show('roofline'));
  await page.locator('.panel-grip').focus();
  for (let i = 0; i < 20; i++)
    await page.keyboard.press('ArrowUp');
  await settle(page);
  await page.locator('#panel-roofline .verb').screenshot({ path: path.join(to, 'roofline.png') });
  console.log('roofline.png');
  await context.close();
}

const pages = { viewer: ofIteration, range: ofRange, compare: ofTwo, report: ofReport, roofline: ofRoofline };
for (const name of names)
  await (pages[name] ? pages[name]() : ofTerminal(name));
await browser.close();
