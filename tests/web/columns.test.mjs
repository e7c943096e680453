/* SPDX-License-Identifier: MIT */
// The column function here and in the program: the same integers on the same random lanes.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {test} from 'node:test';

import {columnAt, columnBegin, drawLane, drawLongest, laneColumns} from '../../web/data/columns.js';
import {Lane, NO_EVENT} from '../../web/data/lane.js';
import {drawLevels, indexLevels} from '../../web/data/levels.js';

/** @param {{start: number[], dur: number[], cat: number[], categories: number, level?: number[]}} lane */
function laneOf({start, dur, cat, level, categories}) {
	const lane = new Lane({
		start: Float64Array.from(start),
		dur: Float64Array.from(dur),
		cat: Uint8Array.from(cat),
		name: new Uint32Array(start.length),
		ref: new Uint32Array(start.length),
		level: level && Uint8Array.from(level),
	}, categories);
	if (level)
		indexLevels(lane);
	return lane;
}

function checkView(lane, view) {
	const cat = new Uint8Array(view.width), share = new Uint8Array(view.width);
	const where = `[${view.begin}, ${view.end}) in ${view.width} columns`;
	const [t, event, column] = view.at;

	drawLane(lane, view, cat, share);
	assert.deepEqual([...cat], view.cat, where);
	assert.deepEqual([...share], view.share, where);
	const [only, ...sharesOfOnly] = view.only;
	drawLane(lane, view, cat, share, only);
	assert.deepEqual([...share], sharesOfOnly, `category ${only} of ${where}`);
	assert.ok(cat.every((c) => c === only), where);
	const longest = new Uint32Array(view.width);
	drawLongest(lane, view, longest);
	assert.deepEqual([...longest], view.longestOf, where);
	assert.deepEqual([...lane.time(view.begin, view.end)], view.time, where);
	assert.equal(lane.longest(view.begin, view.end), view.longest, where);
	assert.equal(lane.at(t), event, `at ${t}`);
	assert.equal(columnAt(view, t), column, `${t} in ${where}`);
	if (view.levels) {
		drawLevels(lane, view, cat, share);
		assert.deepEqual([...cat].map((peak, x) => [peak, share[x]]), view.levels, `levels of ${where}`);
	}
	if (view.sums) {
		const sums = new Float64Array(view.width * lane.categories);

		laneColumns(lane, view, sums);
		assert.deepEqual([...sums], view.sums, where);
	}
}

/** Whether more events than a column shows start in one of it. */
function isCrowded(lane, view) {
	for (let x = 0; x + 1 < view.width; x++) {
		if (lane.from(columnBegin(view, x + 1)) - lane.from(columnBegin(view, x)) > 1024)
			return true;
	}
	return false;
}

test('columns are those of the program', async () => {
	const program = spawn(`${process.env.WARPLENS_BUILD}/lanes_dump`,
		{stdio: ['ignore', 'pipe', 'inherit']});
	const ended = new Promise((resolve) => program.on('close', resolve));
	const seen = {lanes: 0, levels: 0, views: 0, crowded: 0, longLived: 0, empty: 0, single: 0};
	let lane = null;

	for await (const line of createInterface({input: program.stdout})) {
		const said = JSON.parse(line);

		if (said.start) {
			lane = laneOf(said);
			seen.lanes++;
			seen.levels += said.level ? 1 : 0;
			seen.longLived += lane.dur.some((dur) => dur > 2 ** 32) ? 1 : 0;
			seen.empty += lane.dur.some((dur) => dur === 0) ? 1 : 0;
			seen.single += lane.n === 1 ? 1 : 0;
			continue;
		}
		checkView(lane, said);
		seen.views++;
		seen.crowded += isCrowded(lane, said) ? 1 : 0;
	}
	assert.equal(await ended, 0);
	assert.ok(seen.lanes >= 2000 && seen.levels > 500 && seen.views === 16 * seen.lanes, JSON.stringify(seen));
	assert.ok(seen.crowded > 50 && seen.longLived > 50 && seen.empty > 50 && seen.single > 10,
		JSON.stringify(seen));
});

test('an empty lane has nothing', () => {
	const lane = laneOf({start: [], dur: [], cat: [], categories: 8});
	const cat = new Uint8Array(3).fill(9), share = new Uint8Array(3).fill(9);

	drawLane(lane, {begin: 0, end: 10, width: 3}, cat, share);
	assert.deepEqual([...cat, ...share], [0, 0, 0, 0, 0, 0]);
	assert.equal(lane.at(5), NO_EVENT);
	assert.equal(lane.longest(0, 10), NO_EVENT);
});

test('a view of 100 days is as exact as one of 100 ns', () => {
	const day = 86_400_000_000_000;
	const lane = laneOf({start: [7, 50 * day], dur: [1, 1], cat: [2, 3], categories: 8});
	const cat = new Uint8Array(1600), share = new Uint8Array(1600);
	const view = {begin: 0, end: 100 * day + 1, width: 1600};

	drawLane(lane, view, cat, share);
	assert.deepEqual([cat[0], share[0]], [2, 1]);
	assert.equal(share.reduce((x, y) => x + y, 0), 2);
	for (let x = 0; x < view.width; x++) {
		assert.equal(columnAt(view, columnBegin(view, x)), x);
		assert.equal(columnAt(view, columnBegin(view, x + 1) - 1), x);
	}
});
