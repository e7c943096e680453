/* SPDX-License-Identifier: MIT */
// viewer_frames.mjs CHROMIUM PAGE READY FRAME - how soon a page is ready, and what its frames cost: ms of script of 240
// frames of zooming and panning. READY and FRAME are limits in ms, the latter of the 95th percentile. The limits of
// the tests only say that nothing is badly wrong: the machines they run on are busy.
import { check, finish, launch, open } from './viewer_page.mjs';

const [executablePath, file, mostReady, mostFrame] = process.argv.slice(2);

async function checkFrames(browser) {
  const { context, page, ready } = await open(browser, file);
  const times = await page.evaluate(async () => {
    const { state, app: { timeline } } = window.__warplens;
    const { begin, end } = state.extent, times = [];
    for (let i = 0; i < 240; i++) {
      const span = (end - begin) * Math.pow(0.001, (1 - Math.cos(i / 240 * 2 * Math.PI)) / 2);
      const a = begin + (end - begin - span) * i / 240, n = timeline.drawn.frames;
      state.setView(Math.floor(a), Math.ceil(a + span));
      timeline.request();
      while (timeline.drawn.frames === n)
        await new Promise(requestAnimationFrame);
      times.push(timeline.drawn.ms);
    }
    return times.sort((x, y) => x - y);
  });
  console.log(`ready after ${ready.toFixed(0)} ms; script of 240 frames: p50 ${times[120].toFixed(1)} ms, p95 ${times[228].toFixed(1)} ms`);
  check('ready soon', ready < Number(mostReady), ready);
  check('frames are quick', times[228] < Number(mostFrame), times[228]);
  await context.close();
}

const browser = await launch(executablePath);
await checkFrames(browser);
await finish(browser);
