/* SPDX-License-Identifier: MIT */
// agent.mjs CHROMIUM URL - a page follows the window that another program points at, and keeps a view of its own otherwise.
import { check, close, finish, launch, open, settle, state } from './viewer_page.mjs';

const [executablePath, url] = process.argv.slice(2);
const browser = await launch(executablePath);
const ask = async what => (await fetch(url + what)).json();

const moved = (page, before) => page.waitForFunction(({ a, b }) =>
  window.__warplens.state.view.a !== a || window.__warplens.state.view.b !== b, before, { timeout: 10000 });

const opened = await open(browser, url);
const { page } = opened;
const before = await state(page, 'view');
const origin = Number((await ask('meta')).traces[0].origin);
const [a, b] = [origin + 20e6, origin + 30e6];
await ask(`show?from=${a}&to=${b}`);
await moved(page, before);
const view = await state(page, 'view'), range = await state(page, 'range');
check('the page shows the window', view.a <= 20e6 && view.b >= 30e6 && view.b - view.a < 13e6, view);
check('and marks it', range.a === 20e6 && range.b === 30e6, range);
check('it is said', /An agent shows this window/.test(await page.locator('#status').textContent()));
await page.keyboard.press('Alt+ArrowLeft');
await settle(page);
check('the view before is one key away', (await state(page, 'view')).b === before.b, await state(page, 'view'));
await new Promise(done => setTimeout(done, 2500));
check('it is not moved twice', (await state(page, 'view')).b === before.b, await state(page, 'view'));
await close(opened, 'a page that follows');

const own = await open(browser, url, { fragment: '#v=1000000~5000000' });
await new Promise(done => setTimeout(done, 2500));
check('a view of its own is kept', (await state(own.page, 'view')).b === 5000000, await state(own.page, 'view'));
await ask(`show?from=${a}&to=${b}`);
await moved(own.page, { a: 1000000, b: 5000000 });
await close(own, 'a page with a view');
await finish(browser);
