/* SPDX-License-Identifier: MIT */
// All streams of a GPU in the fewest lanes, against trying every lane.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {VALUE_MODES, eventValue} from '../../web/data/colourby.js';
import {fakeSource} from './fake.js';
import {Lane} from '../../web/data/lane.js';
import {mergeLanes, mergedRow, streamsOf} from '../../web/data/merge.js';
import {RowTree, layRows} from '../../web/sheet/rows.js';

/** Numbers below n, the same in every run. */
function makeRandom() {
	let seed = 7;

	return (n) => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return Math.floor(seed / 2 ** 32 * n);
	};
}

/** Lanes of up to 60 events, each with a number of its own as ref. */
function randomParts(random, next) {
	return Array.from({length: 1 + random(9)}, (_, k) => {
		const n = random(60), start = [], dur = [];

		for (let i = 0, t = random(20); i < n; i++) {
			start.push(t);
			dur.push(random(4) ? random(12) : 0);
			t += dur[i] + (dur[i] === 0 ? 1 : 0) + (random(2) ? random(9) : 0);
		}
		return {row: k >> 1, lane: new Lane({start: Float64Array.from(start),
			dur: Float64Array.from(dur), cat: Uint8Array.from(start, () => random(3)),
			name: Uint32Array.from(start, () => random(5)),
			ref: Uint32Array.from(start, () => next.ref++)}, 3)};
	});
}

/** [start, dur, ref, row] of all events, in order, with the lowest lane that is free. */
function byTrying(parts) {
	const all = parts.flatMap(({lane, row}, k) => [...lane.start].map((start, i) =>
		({start, dur: lane.dur[i], ref: lane.ref[i], row, k})));
	const until = [];

	all.sort((x, y) => x.start - y.start || y.dur - x.dur || x.k - y.k);
	return all.map(({start, dur, ref, row}) => {
		let lane = 0;

		while (until[lane] > start)
			lane++;
		until[lane] = start + dur;
		return [lane, start, dur, ref, row];
	});
}

test('each event goes to the lowest lane that is free at its start', () => {
	const random = makeRandom();

	for (let round = 0; round < 500; round++) {
		const parts = randomParts(random, {ref: 0});
		const made = mergeLanes(parts);
		const want = byTrying(parts);

		made.forEach((lane, number) => {
			const events = [...lane.start].map((start, i) =>
				[number, start, lane.dur[i], lane.ref[i], lane.row[i]]);

			assert.deepEqual(events, want.filter(([l]) => l === number));
			for (let i = 0; i < lane.n; i++) {
				const {lane: own} = parts[lane.part[i]];

				assert.equal(own.ref[lane.index[i]], lane.ref[i]);
				assert.ok(i === 0 || lane.end(i - 1) <= lane.start[i]);
			}
		});
		assert.equal(made.reduce((sum, {n}) => sum + n, 0), want.length);
	}
});

test('merged streams have the time, the events and the numbers of their streams', () => {
	const source = fakeSource();
	const {begin: a, end: b} = source.head.traces[0];
	const gpu = source.head.rows.findIndex(({kind}) => kind === 'gpu');
	const id = mergedRow(source.head, gpu), streams = streamsOf(source.head, gpu);
	const lanes = source.mergeStreams(gpu);
	const time = (rowId) => (source.lanesOf[rowId] ?? source.merged.get(rowId))
		.reduce((sum, lane) => sum + lane.time(a, b).reduce((x, y) => x + y), 0);

	assert.ok(streams.length > 1 && lanes >= 1);
	assert.equal(source.pictures([id], a, b, 100).get(id).length, lanes);
	assert.equal(time(id), streams.reduce((sum, stream) => sum + time(stream), 0));
	for (const by of [...VALUE_MODES, 'stream']) {
		const events = source.events(id, a, b, 500, {by});

		assert.equal(events.n, 500);
		for (let i = 0; i < events.n; i++) {
			const row = events.row[i];
			const lane = source.lanesOf[row].find(({ref}) => ref.includes(events.ref[i]));
			const own = eventValue(source, row, lane, by)(lane.ref.indexOf(events.ref[i]));

			assert.ok(streams.includes(row));
			assert.equal(events.value[i], own);
		}
	}
});

test('the row of all streams is in the place of the streams', () => {
	const {head} = fakeSource();
	const tree = new RowTree(head, {canMerge: true});
	const state = {toggled: new Set(), pinned: new Set(), hiddenRows: new Set(), merged: new Set(),
		sides: 'all', filter: ''};
	const kinds = () => layRows(tree, state).rows.map(({kind}) => kind);
	const gpu = head.rows.findIndex(({kind}) => kind === 'gpu');
	const before = kinds();

	assert.ok(before.includes('stream') && !before.includes('merged'));
	tree.nodes.get(mergedRow(head, gpu)).lanes = 2;
	state.merged = new Set([gpu, 99999, -3]);
	const after = kinds();
	assert.equal(after.indexOf('merged'), before.indexOf('stream'));
	assert.deepEqual(after.filter((kind) => kind !== 'merged'),
		before.filter((kind) => kind !== 'stream'));
	assert.equal(tree.shownRow(streamsOf(head, gpu)[0], state.merged), mergedRow(head, gpu));
	assert.equal(tree.shownRow(gpu, state.merged), gpu);
});
