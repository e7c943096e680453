/* SPDX-License-Identifier: MIT */
// viewer_truth.mjs CHROMIUM WARPLENS TRACE FILE URL - the page shows what the program says: its numbers are those of
// the verbs, its columns those of the server, its pixels those of its columns. FILE and URL are pages of TRACE.
import { execFileSync } from 'node:child_process';
import { check, finish, launch, open, same, settle } from './viewer_page.mjs';

const [executablePath, warplens, trace, file, url] = process.argv.slice(2);
const verb = (...args) => JSON.parse(execFileSync(warplens, [...args, '-f', 'json'], { maxBuffer: 1 << 28 }));
const WIDTH = 1000;

// Views from the whole trace down to some microseconds, around places that a fixed seed chooses.
function views({ begin, end }) {
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const list = [[begin, end]];
  for (let span = (end - begin) / 2; span > 4000; span /= 5) {
    const a = Math.floor(begin + random() * (end - begin - span));
    list.push([a, a + Math.max(WIDTH, Math.floor(span))]);
  }
  return list;
}

// Rows of kernels in a window, as {name, calls, sum, p50} by GPU.
function kernelsOf(head, a, b) {
  const { origin } = head.traces[0];
  const at = t => `${BigInt(origin) + BigInt(t)}ns`;
  const { rows } = verb('kernels', trace, '--window', `${at(a)}..${at(b)}`);
  return head.devices.map((_, device) => rows.filter(row => row.device === device)
    .map(({ name, calls, sum, p50 }) => ({ name, calls, sum, p50 })));
}

const statsOf = (page, a, b, device) => page.evaluate(async ([a, b, device]) => {
  const { source } = window.__warplens.app;
  const rows = source.head.rows.flatMap((row, id) => row.kind === 'stream' && row.device === device ? [id] : []);
  const { columns, rows: cells } = await source.stats(a, b, rows, 'name');
  const at = key => columns.findIndex(column => column.key === key);
  return cells.map(row => ({ name: row[at('name')], calls: row[at('count')], sum: row[at('sum')], p50: row[at('p50')] }));
}, [a, b, device]);

async function checkStats(page, where) {
  const head = await page.evaluate(() => window.__warplens.app.source.head);
  const byName = (x, y) => x.name < y.name ? -1 : Number(x.name > y.name);
  let rows = 0;
  for (const [a, b] of views(head.traces[0])) {
    const wanted = kernelsOf(head, a, b);
    for (let device = 0; device < head.devices.length; device++) {
      const got = (await statsOf(page, a, b, device)).filter(row => !/^(\[CUDA )?mem(cpy|set)/i.test(row.name));
      const mine = wanted[device];
      rows += mine.length;
      check(`${where}: statistics of ${a}-${b}, GPU ${device}`, same(got.sort(byName), mine.sort(byName)),
        { got: got.filter(row => !mine.some(other => same(row, other))).slice(0, 4),
          wanted: mine.filter(row => !got.some(other => same(row, other))).slice(0, 4) });
    }
  }
  check(`${where}: statistics were compared`, rows > 50, rows);
}

// The table that people see has the same rows, and a range made by dragging asks for exactly its ends.
async function checkRangeTable(page, where) {
  const box = await page.locator('#canvas').boundingBox();
  await page.evaluate(() => window.__warplens.app.panels.show('range'));
  await page.keyboard.down('Alt');
  await page.mouse.move(box.x + 300, box.y + 90);
  await page.mouse.down();
  await page.mouse.move(box.x + 800, box.y + 90, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  const { range, head } = await page.evaluate(() => ({ range: window.__warplens.state.range,
    head: window.__warplens.app.source.head }));
  check(`${where}: a drag makes a range`, range !== null && range.b > range.a, range);
  const table = page.locator('#panel-range table', { has: page.locator('caption', { hasText: 'Range by kernel' }) });
  await table.waitFor();
  await settle(page);
  const cells = await table.locator('tbody tr').evaluateAll(trs => trs.map(tr => [tr.cells[0].title || tr.cells[0].textContent, tr.cells[1].textContent]));
  const wanted = kernelsOf(head, Math.round(range.a), Math.round(range.b))[0];
  const missing = wanted.filter(({ name, calls }) => !cells.some(([text, n]) => text === name && Number(n) === calls));
  check(`${where}: the table has every kernel`, wanted.length > 0 && missing.length === 0, { missing: missing.slice(0, 3), cells: cells.slice(0, 3) });
  await page.evaluate(() => window.__warplens.state.setRange(null));
}

async function checkSearch(page, where) {
  const found = (query, mode) => page.evaluate(async ([query, mode]) => {
    const { total, hits } = await window.__warplens.app.source.search(query, mode, -1, 500);
    return { total, sum: hits.reduce((x, y) => x + y, 0) };
  }, [query, mode]);
  for (const pattern of ['gemm', '(?i)LAYER', '^cudaLaunchKernel', 'flash_.wd', 'no such name', '\\(int\\)128']) {
    const wanted = verb('search', pattern, trace).rows.reduce((sum, row) => sum + row.count, 0);
    const { total, sum } = await found(pattern, 're');
    check(`${where}: search ${pattern}`, total === wanted && sum === wanted, { total, sum, wanted });
  }
  // The page shows ranges with their domain, and finds them without it.
  const names = new Map();
  for (const { name, count } of verb('search', '.', trace).rows)
    names.set(name, (names.get(name) ?? 0) + count);
  const wrong = [];
  for (const [name, count] of [...names].slice(0, 150)) {
    const { total } = await found(name, 'exact');
    if (total !== count)
      wrong.push([name, total, count]);
  }
  check(`${where}: search every name`, names.size > 10 && wrong.length === 0, wrong.slice(0, 5));
}

// Steps with Enter through all hits of a word: each once, in order, as often as search counts.
async function checkHits(page, where) {
  const wanted = verb('search', 'AllReduce', trace, '--in', 'kernels').rows.reduce((sum, row) => sum + row.count, 0);
  await page.evaluate(() => window.__warplens.app.panels.search('/ncclDevKernel_AllReduce/'));
  await page.waitForFunction(() => /\d/.test(document.getElementById('hit-count')?.textContent ?? ''));
  const seen = [];
  await page.evaluate(() => document.getElementById('canvas').focus());
  for (let i = 0; i < wanted; i++) {
    const before = await page.evaluate(() => document.getElementById('hit-count').textContent);
    await page.keyboard.press('Enter');
    await page.waitForFunction(text => document.getElementById('hit-count').textContent !== text, before);
    seen.push(await page.evaluate(() => ({ ...window.__warplens.state.selection,
      count: document.getElementById('hit-count').textContent })));
  }
  const keys = new Set(seen.map(({ rowId, ref }) => `${rowId} ${ref}`));
  check(`${where}: Enter goes to each hit once`, keys.size === wanted && seen.at(-1)?.count.endsWith(`/${wanted}`),
    { wanted, distinct: keys.size, last: seen.at(-1) });
  await page.evaluate(() => window.__warplens.state.setSelection(null));
}

// The columns of the script, from the events in the file, and those of C, from the server.
async function checkColumns(page) {
  const head = await page.evaluate(() => window.__warplens.app.source.head);
  const served = await (await fetch(`${url}meta`)).json();
  check('both pages have the same rows', same(head.rows, served.rows) && same(head.lanes, served.lanes));
  const ids = head.rows.flatMap((row, id) => head.lanes.some(([of]) => of === id) ? [id] : []);
  let differ = 0, seen = 0;
  for (const [a, b] of views(head.traces[0]))
    for (const w of [1, 37, WIDTH].filter(w => w <= b - a)) {
      const answer = new Uint8Array(await (await fetch(`${url}view?a=${a}&b=${b}&w=${w}&rows=${ids.join(',')}`)).arrayBuffer());
      const text = await page.evaluate(async ([ids, a, b, w]) => {
        let bytes = '';
        for (const id of ids)
          for (const { cat, share } of (await window.__warplens.columns(id, a, b, w)).get(id))
            for (let x = 0; x < w; x++)
              bytes += String.fromCharCode(cat[x], share[x]);
        return bytes;
      }, [ids, a, b, w]);
      const mine = Buffer.from(text, 'latin1');
      const view = new DataView(answer.buffer);
      let at = 32, i = 0;
      for (let row = 0; row < view.getUint32(12, true); row++) {
        const lanes = view.getUint32(at + 4, true);
        at += 8;
        for (const end = at + lanes * w * 2; at < end; at += 2, i += 2) {
          seen += answer[at + 1] > 0;
          differ += answer[at + 1] !== mine[i + 1] || (answer[at + 1] > 0 && answer[at] !== mine[i]);
        }
      }
      check(`columns of ${a}-${b} in ${w}: as many`, i === mine.length && at === answer.length, { i, mine: mine.length });
    }
  check('columns of the script are those of C', differ === 0 && seen > 1000, { differ, seen });
}

// A share is rounded up to 1/255 of a column: so the sum over columns is the time of the row, and less than one such
// part per column above it. At the whole trace that time is what the head calls busy, where a row has one lane.
async function checkCoverage(page, where) {
  const extent = await page.evaluate(() => window.__warplens.state.extent);
  for (const [a, b] of views(extent)) {
    const wrong = await page.evaluate(async ([a, b, w]) => {
      const { source } = window.__warplens.app;
      const bad = [];
      const begin = x => a + x * Math.floor((b - a) / w) + Math.floor(x * ((b - a) % w) / w);
      for (const [id, row] of source.head.rows.entries()) {
        const lanes = row.events ? (await window.__warplens.columns(id, a, b, w)).get(id) : [];
        if (!lanes.length)
          continue;
        const { columns, rows } = await source.stats(a, b, [id], 'category');
        const at = columns.findIndex(({ key }) => key === 'sum');
        const time = rows.reduce((sum, cells) => sum + cells[at], 0);
        let shown = 0, slack = 0;
        for (const { share } of lanes)
          for (let x = 0; x < w; x++)
            if (share[x]) {
              shown += share[x] * (begin(x + 1) - begin(x)) / 255;
              slack += (begin(x + 1) - begin(x)) / 255;
            }
        if (shown < time - 1 || shown > time + slack + 1)
          bad.push([id, row.kind, time, shown, slack]);
        if (lanes.length === 1 && a <= source.head.traces[0].begin && b >= source.head.traces[0].end && row.busy !== time)
          bad.push([id, row.kind, 'busy', row.busy, time]);
      }
      return bad;
    }, [a, b, WIDTH]);
    check(`${where}: coverage of ${a}-${b} is the time of the rows`, wrong.length === 0, wrong.slice(0, 4));
  }
}

// Runs in the page: pixels of rows on the screen against their columns, and events of a pixel or more at their centre.
async function lookAtPixels(most) {
  const { app, state, hit } = window.__warplens;
  const { timeline, source } = app;
  const canvas = document.getElementById('canvas');
  const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const all = new Uint32Array(image.data.buffer);
  const w = canvas.width, { a, b } = state.view;
  const found = { pixels: 0, wrongPixels: [], hits: 0, wrongHits: [] };
  for (const row of timeline.laid.rows.filter(({ kind, picture }) => picture >= 0 && /^(stream|api|nvtx)$/.test(kind))) {
    const lanes = (await window.__warplens.columns(row.picture, a, b, w)).get(row.picture);
    const events = await source.events(row.picture, a, b, 20000);
    const place = timeline.boxOf({ rowId: row.id, ref: -1, begin: a, end: b });
    for (let lane = 0; lane < row.lanes; lane++) {
      const y = place.y + lane * row.laneHeight;
      if (y < timeline.top + 1 || y + row.laneHeight > canvas.clientHeight - 1)
        continue;
      const single = new Set();
      for (let i = 0; i < events.n; i++) {
        if (events.lane[i] !== lane)
          continue;
        const x = timeline.xAt(events.start[i]), end = timeline.xAt(events.start[i] + events.dur[i]);
        for (let p = Math.max(0, Math.floor(x) - 1); p <= Math.min(w, end + 1) && end - x >= 2; p++)
          single.add(p);
        if (end - x < 1 || x < 0 || end > timeline.width || found.hits >= most)
          continue;
        found.hits++;
        const one = await hit((x + end) / 2, y + row.laneHeight / 2);
        if (one?.begin !== events.start[i] || one?.ref !== events.ref[i] || one?.lane !== lane)
          found.wrongHits.push([row.row.label, lane, i, end - x, one]);
      }
      const line = Math.round((y + 2) * timeline.ratio) * w;
      for (let x = 0; x < w && !events.truncated; x++) {
        const share = lanes[lane].share[x];
        if (share === 0 || single.has(x))
          continue;
        const level = Math.max(1, Math.round(share * 32 / 255));
        found.pixels++;
        // Ranges are quiet: what is too short for a tint of its own has one colour.
        const colour = row.kind === 'nvtx' ? timeline.theme.first.dim : lanes[lane].cat[x];
        if (all[line + x] !== timeline.theme.fill[colour * 33 + level])
          found.wrongPixels.push([row.row.label, lane, x, share]);
      }
    }
  }
  return { ...found, wrongPixels: found.wrongPixels.slice(0, 4), wrongHits: found.wrongHits.slice(0, 4),
    nWrong: found.wrongPixels.length + found.wrongHits.length };
}

async function checkPixels(page, where, most) {
  const extent = await page.evaluate(() => window.__warplens.state.extent);
  const before = await page.evaluate(() => {
    const { state } = window.__warplens;
    state.setHits(null);
    state.setSelection(null);
    return state.view;
  });
  await page.mouse.move(5, 5);
  let pixels = 0, hits = 0;
  for (const [a, b] of views(extent)) {
    await page.evaluate(([a, b]) => window.__warplens.state.setView(a, b, { jump: true }), [a, b]);
    await settle(page);
    const at = await page.evaluate(lookAtPixels, most);
    pixels += at.pixels;
    hits += at.hits;
    check(`${where}: pixels of ${a}-${b} are columns, events are found`, at.nWrong === 0, at);
  }
  check(`${where}: pixels and events were looked at`, pixels > 500 && hits > 300, { pixels, hits });
  await page.evaluate(({ a, b }) => window.__warplens.state.setView(a, b), before);
  return { pixels, hits };
}

const browser = await launch(executablePath);
for (const [where, place] of [['file', file], ['server', url]]) {
  const { context, page, trouble } = await open(browser, place);
  await checkStats(page, where);
  await checkSearch(page, where);
  await checkHits(page, where);
  if (place === file)
    await checkColumns(page);
  await checkCoverage(page, where);
  const { pixels, hits } = await checkPixels(page, where, place === file ? 2000 : 200);
  console.log(`${where}: ${pixels} pixels and ${hits} events looked at`);
  await checkRangeTable(page, where);
  check(`${where}: quiet`, trouble.length === 0, trouble.join('\n'));
  await context.close();
}
await finish(browser);
