/* SPDX-License-Identifier: MIT */
// speedscope.mjs CHROMIUM FILE SAVED [PICTURE] - let speedscope import a file, and save what it made of it.
//
// The page is the one of speedscope's package, opened offline from its files; the import is that of its file input, the
// result its own file format, as its key for saving writes it. It must ask nobody for anything and complain of nothing.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [executablePath, file, saved, picture] = process.argv.slice(2);
const release = path.join(path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json')), 'dist/release');
const trouble = [];
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true });
const page = await context.newPage();

// What the driver of the display says is no matter of ours.
page.on('console', m => ['error', 'warning'].includes(m.type()) && !/GL Driver Message/.test(m.text()) &&
  trouble.push(`console: ${m.text()}`));
page.on('pageerror', e => trouble.push(`error: ${e}`));
page.on('dialog', d => { trouble.push(`dialog: ${d.message()}`); d.dismiss(); });
page.on('request', r => /^(file|data|blob):/.test(r.url()) || trouble.push(`request: ${r.url()}`));

await page.goto(pathToFileURL(path.join(release, 'index.html')).href, { waitUntil: 'load' });
await page.locator('input[type=file]').setInputFiles(file);
// The name of the first row is in the title once all is imported.
await page.waitForFunction(() => /\(pid \d+\)/.test(document.body.innerText), null, { timeout: 60000 });
if (picture)
  await page.screenshot({ path: picture });
const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60000 }), page.keyboard.press('Control+s')]);
await download.saveAs(saved);
await browser.close();
if (!fs.statSync(saved).size)
  trouble.push('nothing was saved');
for (const t of trouble.slice(0, 10))
  console.log(`FAIL: ${file}: ${t.slice(0, 400)}`);
process.exit(trouble.length ? 1 : 0);
