/* SPDX-License-Identifier: MIT */
// Steps that a change over time made slower: those that the page marks are those of "warplens iters".

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {leaderOf} from '../../web/data/iterations.js';
import {sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'changed-'));

after(() => rmSync(room, {recursive: true}));

/* A trace whose cause is known, and its page. */
async function made(name) {
	const causes = join(process.env.WARPLENS_SOURCE, 'tests', 'support', 'causes.py');
	const {status, stderr} = spawnSync('python3', ['-B', causes, '-o', room, name], {encoding: 'utf8'});
	const trace = join(room, `${name}.sqlite`), page = join(room, `${name}.html`);

	assert.equal(status, 0, stderr);
	warplens('viewer', trace, '-o', page);
	return {trace, source: await sourceOfFile(page)};
}

test('slower steps are those of iters', async () => {
	const {trace, source} = await made('30');
	const {rows} = JSON.parse(warplens('iters', trace, '-f', 'json', '-n', '0', '--gpu', '0'));

	assert.deepEqual(leaderOf(source.head, 0).changed, rows.map(({changed}) => Number(changed ?? false)));
	assert.equal(rows.filter(({changed}) => changed).length, 10);
});

test('without a change no step is marked', async () => {
	const {source} = await made('00');

	assert.deepEqual(leaderOf(source.head, 0).changed, []);
});
