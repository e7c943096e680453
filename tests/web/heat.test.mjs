/* SPDX-License-Identifier: MIT */
// The heat map of lateness: what the page reads of it, and that it is "warplens ranks --by step".

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {fakeSource} from './fake.js';
import {heatCell, heatFoldText, heatLargest, heatLatest, heatLegend, heatLevel, heatMaps, heatPlace,
	heatRowName, heatRows, heatText} from '../../web/data/heat.js';
import {fixtures, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'heat-'));

after(() => rmSync(room, {recursive: true}));

/* Five GPUs, two in a row, and seven steps from 10 on, three in a column. */
const folded = {
	first: 10, last: 16, columns: 3, perRow: 2, perColumn: 3, pace: 1000, inks: [0, 3, 5],
	subjects: [[0, 4], [1, 5], [2, 6], [3, 7], [4, 8]],
	ns: [5, 2500, -1, 0, 1000, 9000, 1, 2, 3], which: [0, 4, 0, 5, 0, 3, 0, 0, 0],
};
const head = /** @type {any} */ ({
	traces: [{lateness: null}, {lateness: folded}],
	devices: Array.from({length: 5}, (_, i) => ({trace: i < 2 ? 0 : 1, process: 0})),
	processes: [{first: 11, iterations: [[0, 5], [5, 9]]}],
	rows: [{kind: 'gpu', device: 0}, {kind: 'stream', device: 1}, {kind: 'gpu', device: 1}],
});

test('a folded cell says which GPU and step it is of', () => {
	assert.equal(heatRows(folded), 3);
	assert.deepEqual(heatCell(folded, 0, 1), {device: 1, rank: 5, step: 14, ns: 2500});
	assert.deepEqual(heatCell(folded, 1, 0), {device: 3, rank: 7, step: 12, ns: 0});
	assert.deepEqual(heatCell(folded, 2, 2), {device: 4, rank: 8, step: 16, ns: 3});
	assert.equal(heatCell(folded, 0, 2), null);
	assert.equal(heatCell(folded, 0, 3), null);
	assert.equal(heatCell(folded, 3, 0), null);
	assert.equal(heatFoldText(folded), 'A cell is the largest of 2 GPUs and 3 steps.');
	assert.equal(heatFoldText({perRow: 1, perColumn: 1}), '');
});

test('rows are called by rank, or by the GPU of their trace', () => {
	const unknown = {...folded, subjects: folded.subjects.map(([device]) => [device, -1])};

	assert.equal(heatRowName(head, folded, 0), 'ranks 4-5');
	assert.equal(heatRowName(head, folded, 2), 'rank 8');
	assert.equal(heatRowName(head, unknown, 2), 'GPU 2');
	assert.equal(heatText(head, {device: 3, rank: 7, step: 12, ns: 6_920_000}),
		'B: rank 7, step 12: 6.92 ms late in all collectives');
});

test('levels begin at multiples of the pace', () => {
	assert.deepEqual([0, 999, 1000, 1999, 2000, 9e9].map((ns) => heatLevel(folded, ns)),
		[0, 0, 1, 1, 2, 2]);
	assert.deepEqual(heatLegend(folded), [{ink: 0, text: 'below 1 us'}, {ink: 3, text: 'from 1 us'},
		{ink: 5, text: 'from 2 us'}]);
});

test('the latest come first, and each row has its largest', () => {
	assert.deepEqual(heatLatest(folded).map(({ns}) => ns), [9000, 2500, 1000, 5, 3, 2, 1]);
	assert.equal(heatLargest(folded, 0).column, 1);
	assert.equal(heatLargest(folded, 2).ns, 3);
	assert.equal(heatMaps(head).length, 1);
	assert.equal(heatMaps(fakeSource().head).length, 1);
});

test('a cell is at its step on its GPU, if the page has it', () => {
	assert.deepEqual(heatPlace(head, {device: 1, step: 12}), {a: 5, b: 9, row: 2});
	assert.equal(heatPlace(head, {device: 1, step: 10}), null);
	assert.equal(heatPlace(head, {device: 1, step: 13}), null);
});

/** The head of the page of a trace. */
function headOf(path, ...args) {
	const file = join(room, 'page.html');

	if (warplens('viewer', path, '-o', file, ...args) === null)
		return null;
	return JSON.parse(readFileSync(file, 'utf8')
		.match(/<script type="application\/json" id="head">(.*?)<\/script>/s)[1]);
}

test('the map of every fixture is ranks --by step', () => {
	let cells = 0;

	for (const path of fixtures()) {
		const page = headOf(path);
		const printed = page && warplens('ranks', path, '--by', 'step', '-f', 'json');
		const rows = printed ? JSON.parse(printed).rows.filter(({step}) => step !== null) : [];
		const isLate = rows.some(({lateness}) => lateness > 0);
		const map = page?.traces[0].lateness;

		assert.equal(Boolean(map), Boolean(page && isLate), path);
		if (!map || map.which)
			continue;
		for (const {device, rank, step, lateness} of rows) {
			const row = map.subjects.findIndex(([of]) => of === device);
			const cell = heatCell(map, row, step - map.first);

			assert.deepEqual(cell, {device, rank: rank ?? -1, step, ns: lateness}, path);
			assert.ok(heatPlace(page, cell), `${path}: step ${step} of GPU ${device}`);
			cells++;
		}
	}
	assert.ok(cells > 10, `${cells} cells`);
});

test('a page of a window has the steps of the window', () => {
	const path = fixtures().find((name) => name.endsWith('two_groups.sqlite'));
	const whole = headOf(path).traces[0].lateness;
	const part = headOf(path, '--window', `iter:${whole.last}`).traces[0].lateness;

	assert.ok(!part || part.first > whole.first, JSON.stringify([whole, part]));
});
