/* SPDX-License-Identifier: MIT */
// coarse.mjs CHROMIUM COARSE WHOLE - below the resolution of its pictures a page does not draw columns like events: their
// pixels are hatched and a note says how long a column is. A page with all events never is.
import { check, close, finish, launch, open, settle, state } from './viewer_page.mjs';

const [executablePath, coarse, whole] = process.argv.slice(2);

// Of the lane of the first stream that has a picture only: the share of its rows that have the ground at an x where the
// lane is busy, by x.
function groundShares(page) {
  return page.evaluate(() => {
    const { app } = window.__warplens;
    const { timeline, source } = app;
    const row = timeline.laid.rows.find(({ row: { kind }, picture }) =>
      kind === 'stream' && (source.resolution(picture) > 0 || !source.pyramid));
    const { a, b } = app.state.view;
    const { width, pixels, ground } = timeline.painter;
    const [picture] = source.pictures([row.picture], a, b, width).get(row.picture);
    const events = source.events(row.picture, a, b, 100000);
    const box = timeline.boxOfRow(row.id, { begin: a, end: b });
    const from = Math.round(box.y * timeline.ratio) + 1;
    const to = Math.round((box.y + row.laneHeight) * timeline.ratio) - 3;
    const isEvent = new Uint8Array(width);
    for (let i = 0; i < events.n; i++) {
      const x = t => Math.round((t - a) * width / (b - a));
      isEvent.fill(1, Math.max(0, x(events.start[i]) - 2), Math.max(0, x(events.start[i] + events.dur[i]) + 2));
    }
    const shares = [];
    for (let x = 0; x < width; x++) {
      if (picture.share[x] < 128 || isEvent[x])
        continue;
      let n = 0;
      for (let y = from; y < to; y++)
        n += pixels[y * width + x] === ground[x] ? 1 : 0;
      shares.push(n / (to - from));
    }
    return shares;
  });
}

const noted = page => page.evaluate(() => window.__warplens.app.timeline.rowPainter.coarse);

async function zoomed(page, share) {
  await page.evaluate(part => {
    const { state } = window.__warplens;
    const { begin, end } = state.extent, middle = begin + (end - begin) * 0.4;
    state.setView(middle, middle + (end - begin) * part, { jump: true });
  }, share);
  await settle(page);
}

async function checkCoarse(browser, colorScheme) {
  const opened = await open(browser, coarse, { colorScheme });
  const { page } = opened;
  check(`${colorScheme}: all of it is as sharp as the pixels`, await noted(page) === 0, await noted(page));
  await zoomed(page, 1 / 200);
  const ns = await noted(page);
  check(`${colorScheme}: below the resolution it is noted`, ns > 0);
  const shares = await groundShares(page);
  check(`${colorScheme}: there are busy columns`, shares.length > 50, shares.length);
  check(`${colorScheme}: no busy column is full`, shares.every(share => share > 0.1 && share < 0.9),
    shares.filter(share => share <= 0.1 || share >= 0.9).slice(0, 5));
  await page.waitForFunction(() => /hatched: resolution of this file ends here, [\d.]+ us per column/
    .test(document.getElementById('status').textContent));
  const { a, b } = await state(page, 'view');
  check(`${colorScheme}: from three pixels a column on`, ns >= 3 * (b - a) / 8192, [ns, a, b]);
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/coarse-${colorScheme}.png` });
  await close(opened, `coarse ${colorScheme}`);
}

async function checkWhole(browser) {
  const opened = await open(browser, whole);
  const { page } = opened;
  await zoomed(page, 1 / 200);
  check('whole: nothing is hatched', await noted(page) === 0);
  check('whole: no note', !/resolution/.test(await page.locator('#status').textContent()));
  await close(opened, 'whole');
}

const browser = await launch(executablePath);
for (const scheme of ['light', 'dark'])
  await checkCoarse(browser, scheme).catch(e => check(`coarse ${scheme}`, false, String(e.stack ?? e)));
await checkWhole(browser).catch(e => check('whole', false, String(e.stack ?? e)));
await finish(browser);
