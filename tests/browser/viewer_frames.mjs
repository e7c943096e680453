/* SPDX-License-Identifier: MIT */
// viewer_frames.mjs CHROMIUM PAGE READY FRAME STEP - how soon a page is ready, and what it costs to use it: CPU ms of script of 240
// frames of zooming and panning, of 30 moves that drag a range, and of 30 times the next hit of a search. READY is a limit on the
// clock, FRAME and STEP are of the 95th percentile of CPU time. The limits of the tests only say that nothing is
// badly wrong: the machines they run on are busy.
import { check, finish, launch, open, settle } from './viewer_page.mjs';

const [executablePath, file, mostReady, mostFrame, mostStep] = process.argv.slice(2);
const SCRIPT = new Set(['FireAnimationFrame', 'TimerFire', 'EventDispatch', 'FunctionCall', 'RunMicrotasks']);

// CPU ms of script between two marks of console.timeStamp(), ascending. What is nested counts once; what holds a mark belongs to it.
async function costs(browser, use) {
  const cdp = await browser.newBrowserCDPSession(), events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await cdp.send('Tracing.start', { traceConfig: { includedCategories: ['devtools.timeline'], excludedCategories: ['*'] } });
  await use();
  const complete = new Promise(done => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.end');
  await complete;
  const marks = events.filter(e => e.name === 'TimeStamp').sort((x, y) => x.ts - y.ts);
  const script = events.filter(e => e.ph === 'X' && e.pid === marks[0].pid && e.tid === marks[0].tid && SCRIPT.has(e.name))
    .sort((x, y) => x.ts - y.ts || y.dur - x.dur);
  const sums = marks.map(() => 0);
  let last = 0, at = -1;
  for (const { ts, dur, tdur } of script) {
    if (ts < last)
      continue;
    last = ts + dur;
    while (at + 1 < marks.length && marks[at + 1].ts < last)
      at++;
    if (at >= 0)
      sums[at] += tdur / 1000;
  }
  return sums.sort((x, y) => x - y);
}

const frame = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
const mark = page => page.evaluate(() => console.timeStamp('step'));

const zoomAndPan = page => page.evaluate(async () => {
  const { state, app: { timeline } } = window.__warplens;
  const { begin, end } = state.extent;
  for (let i = 0; i < 240; i++) {
    const span = (end - begin) * Math.pow(0.001, (1 - Math.cos(i / 240 * 2 * Math.PI)) / 2);
    const a = begin + (end - begin - span) * i / 240, n = timeline.drawn.frames;
    console.timeStamp('frame');
    state.setView(Math.floor(a), Math.ceil(a + span));
    timeline.request();
    while (timeline.drawn.frames === n)
      await new Promise(requestAnimationFrame);
  }
});

async function dragRange(page) {
  const { x, y, width } = await page.locator('#canvas').boundingBox();
  await page.mouse.move(x + 100, y + 120);
  await page.mouse.down();
  for (let i = 0; i < 30; i++) {
    await mark(page);
    await page.mouse.move(x + 120 + i * (width - 150) / 30, y + 120);
    await frame(page);
  }
  await page.mouse.up();
}

async function nextHits(page) {
  for (let i = 0; i < 30; i++) {
    await mark(page);
    await page.keyboard.press('Enter');
    await frame(page);
  }
}

const browser = await launch(executablePath);
const { page, ready } = await open(browser, file);
const frames = await costs(browser, () => zoomAndPan(page));
await page.evaluate(() => window.__warplens.state.begin(window.__warplens.state.extent.begin, window.__warplens.state.extent.end));
await settle(page);
const drag = await costs(browser, () => dragRange(page));
await page.locator('#search').fill('gemm');
await page.keyboard.press('Enter');
await page.waitForFunction(() => document.querySelector('#panel-search table'));
await settle(page);
const hits = await costs(browser, () => nextHits(page));
const at95 = list => list[Math.floor(list.length * 0.95)];
const words = list => `p50 ${list[Math.floor(list.length / 2)].toFixed(1)} ms, p95 ${at95(list).toFixed(1)} ms`;
console.log(`ready after ${ready.toFixed(0)} ms; script of a frame: ${words(frames)}; of a move of a range: ${words(drag)}; of the next hit: ${words(hits)}`);
check('ready soon', ready < Number(mostReady), ready);
check('frames are quick', at95(frames) < Number(mostFrame), at95(frames));
check('a range is dragged at once', at95(drag) < Number(mostStep), at95(drag));
check('the next hit comes at once', at95(hits) < Number(mostStep), at95(hits));
await finish(browser);
