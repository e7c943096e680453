/* SPDX-License-Identifier: MIT */
// viewer_page.mjs - what the tests of the viewer's page share: opening it, from a file or a server, and noting
// whatever it must not do.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const underWay = new Map();
const count = { passed: 0, failed: 0 };

export function check(what, ok, detail = '') {
  count[ok ? 'passed' : 'failed']++;
  if (!ok)
    console.log(`FAIL: ${what}: ${String(typeof detail === 'string' ? detail : JSON.stringify(detail)).slice(0, 1500)}`);
}

export const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);

// A place is a file or an address, of a file or of a server. Requests that leave it, errors and dialogs are trouble, from the
// first byte on; the page is ready when its first frame is drawn.
//
// A page opens at the step of its first finding; most tests begin with the whole trace, as the key 0 shows it, and
// those of the first view say asOpened.
export async function open(browser, place, { fragment = '', asOpened = false, ...options } = {}) {
  const address = /^(http|file):/.test(place) ? place : pathToFileURL(place).href;
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  const isOurs = url => /^(file|data|blob):/.test(url) || (/^http:/.test(place) && url.startsWith(place));
  page.on('console', m => ['error', 'warning'].includes(m.type()) &&
    !m.text().includes('willReadFrequently') && trouble.push(`console: ${m.text()}`));
  page.on('pageerror', e => trouble.push(`error: ${e.stack ?? e}`));
  page.on('dialog', d => { trouble.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => isOurs(r.url()) || trouble.push(`request: ${r.url()}`));
  underWay.set(page, new Set());
  page.on('request', r => underWay.get(page).add(r));
  for (const end of ['requestfinished', 'requestfailed'])
    page.on(end, r => underWay.get(page).delete(r));
  const begin = performance.now();
  await page.goto(address + fragment, { waitUntil: 'load' });
  await page.waitForFunction(() => window.__warplens?.app.timeline.drawn.frames > 0);
  const ready = performance.now() - begin;
  if (!asOpened && !fragment)
    await page.evaluate(() => {
      const { state, app: { source } } = window.__warplens;
      if (source.head.traces.length !== 1)
        return;
      state.begin(state.extent.begin, state.extent.end);
      state.set('device', -1);
    });
  await settle(page);
  return { context, page, trouble, ready };
}

// Until a frame is drawn and nothing is asked for any more. What has come is drawn in the next frame, and a
// server is asked for events only when a view has stood still.
export async function settle(page) {
  const rounds = page.url().startsWith('file:') ? 2 : 6;
  const frames = () => page.evaluate(() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));
  for (let quiet = 0; quiet < rounds; quiet = underWay.get(page).size > 0 ? 0 : quiet + 1)
    await frames();
}

export const launch = executablePath => chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

export async function close({ context, trouble }, what) {
  check(`${what}: nothing went wrong`, trouble.length === 0, trouble);
  await context.close();
}

export const state = (page, name) => page.evaluate(n => window.__warplens.state[n], name);

export async function finish(browser) {
  await browser.close();
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed ? 1 : 0);
}
