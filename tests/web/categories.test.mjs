/* SPDX-License-Identifier: MIT */
// Categories on the page are those of `warplens categories`: a range by category, device by device.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, test} from 'node:test';

import {corpus, fixtures, generated, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-categories-'));
const seen = {rows: 0, words: new Set()};

after(() => rmSync(room, {recursive: true}));

/** [device, category, operations, their time, time with any of them] of the program. */
function printed(trace, ...window) {
	const text = warplens('categories', trace, ...window, '-f', 'json', '-n', '0');

	return (text === null ? [] : JSON.parse(text).rows).map((row) =>
		[row.device, row.category, row.instances, row.sum, row.active]);
}

function shown(source, a, b) {
	return source.head.devices.flatMap(({label}, device) => {
		const rows = source.head.rows.flatMap((row, id) =>
			(row.kind === 'stream' && row.device === device ? [id] : []));

		return source.stats(a, b, rows, 'category').rows.map(([category, count, sum, union]) =>
			[Number(/\d+/.exec(label)[0]), category, count, sum, union]);
	});
}

/** From the first start to the last end on any GPU. */
function workOf(source) {
	const lanes = source.head.rows.flatMap((row, id) =>
		(row.kind === 'stream' ? source.lanesOf[id].filter((lane) => lane.n) : []));

	return {begin: Math.min(...lanes.map((lane) => lane.start[0])),
		end: Math.max(...lanes.map((lane) => lane.end(lane.n - 1)))};
}

async function check(trace) {
	const page = join(room, 'page.html');

	if (warplens('viewer', trace, '-o', page, '--max-size', '1GB') === null)
		return;
	const source = await sourceOfFile(page);
	const {origin} = source.head.traces[0];
	const {begin, end} = workOf(source);
	const at = (share) => begin + Math.floor((end - begin) * share);
	const time = (t) => `${BigInt(origin) + BigInt(t)}ns`;

	for (const [a, b] of begin >= end ? [] : [[begin, end + 1], [at(0.3), at(0.8)], [at(0.5), at(0.52) + 1]]) {
		const rows = printed(trace, '--window', `${time(a)}..${time(b)}`);

		assert.deepEqual(shown(source, a, b).sort(), rows.sort(), `[${a}, ${b})`);
		seen.rows += rows.length;
		rows.forEach(([, word]) => seen.words.add(word));
	}
	for (const [rowId, row] of source.head.rows.entries()) {
		const [lane] = row.kind === 'stream' ? source.lanesOf[rowId] : [];

		if (!lane?.n)
			continue;
		const {facts} = source.details(rowId, lane.ref[0], lane.start[0]);

		assert.equal(facts.find(([label]) => label === 'Category')[1],
			source.head.words[source.nameWord(lane.name[0])].key);
	}
}

for (const trace of fixtures())
	test(`categories of ${basename(trace)}`, () => check(trace));

for (const [name, ...args] of [
	['train', '--ranks', '2', '--layers', '4', '--iters', '5'],
	['moe', '--ranks', '4', '--layers', '2', '--moe', '--iters', '3'],
	['serving', '--ranks', '1', '--layers', '3', '--serving', '--iters', '12'],
])
	test(`categories of generated ${name}`, () => check(generated(room, name, ...args, '--seed', '7')));

for (const {name, unpack, drop} of corpus()) {
	test(`categories of ${name}`, async () => {
		await check(unpack(room)).finally(drop);
	});
}

test('there was something to compare', () => {
	assert.ok(seen.rows > 50 && seen.words.has('gemm') && seen.words.has('elementwise'), [...seen.words].join());
});
