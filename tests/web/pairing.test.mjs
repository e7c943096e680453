/* SPDX-License-Identifier: MIT */
// Two traces beside each other by an NVTX range: it is the range of the iterations that are named,
// also where the host runs ahead of the GPU.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {Pairing} from '../../web/compare/pairing.js';
import {State} from '../../web/control/state.js';
import {AlignedSource} from '../../web/data/aligned.js';
import {leaderOf} from '../../web/data/iterations.js';
import {corpus, generated, sourceOfFile, warplens} from './pages.mjs';
import {pairSource} from './pair.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-pairing-'));

after(() => rmSync(room, {recursive: true}));

function appOf(source) {
	const app = /** @type {any} */ ({source: new AlignedSource(source), said: '', say: (text) => {
		app.said = text;
	}});

	app.state = new State(app.source.head, {read: () => '', write: () => {}},
		{realign: (align) => app.source.align(align)});
	app.compare = new Pairing(app);
	return app;
}

async function pageOf(a, b) {
	const page = join(room, 'page.html');

	assert.notEqual(warplens('viewer', a, b, '-o', page, '--max-size', '1GB'), null);
	return sourceOfFile(page);
}

/** Begins of the ranges of a name inside the kth range that marks an iteration, by the tree's parents. */
function beginsInside(source, trace, marker, name) {
	const {marked} = leaderOf(source.head, trace);
	const row = source.head.rows.findIndex((r) => r.kind === 'nvtx' && r.trace === trace && r.thread === marked);
	const {begin, end} = source.head.traces[trace];
	const events = source.events(row, begin - 1e9, end + 1, 2 ** 31);
	const all = [...Array(events.n).keys()];
	const text = (i) => source.nameText(events.name[i]);
	const outer = all.filter((i) => marker.test(text(i))).sort((x, y) => events.start[x] - events.start[y]);

	return outer.map((i) => all.filter((k) => text(k) === name && events.start[k] >= events.start[i] &&
		events.start[k] + events.dur[k] <= events.start[i] + events.dur[i])
		.map((k) => events.start[k]).sort((x, y) => x - y)[0]);
}

async function checkPairs(source, marker, name) {
	const app = appOf(source);
	const wanted = [0, 1].map((trace) => beginsInside(source, trace, marker, name));
	let late = 0;

	for (const [a, b] of [[1, 1], [2, 3], [3, 2]]) {
		await app.compare.choose({mode: 'nvtx', name, a, b});
		const {align, view} = app.state;

		assert.equal(align.mode, 'nvtx', app.said);
		assert.deepEqual(align.shifts, [wanted[0][a], wanted[1][b]], `iterations ${a} and ${b}`);
		assert.ok(view.a <= 0 && view.b > 0, `0 is not in ${JSON.stringify(view)}`);
		const tile = leaderOf(source.head, 0).iterations[a];

		late += align.shifts[0] < tile[0] || align.shifts[0] >= tile[1] ? 1 : 0;
	}
	return late;
}

test('a range on the host is that of its iteration, not of its time on the GPU', async () => {
	/* All times of the host an iteration and a half earlier than they are made up. */
	const source = pairSource({by: 5_000_000, first: 0});
	const ahead = 18_000_000;

	source.head.rows.forEach((row, id) => {
		if (row.kind === 'nvtx')
			source.lanesOf[id].forEach((lane) => lane.start.forEach((t, i) => {
				lane.start[i] = t - ahead;
			}));
	});
	for (const process of source.head.processes)
		process.hosts = process.hosts.map(([a, b]) => [a - ahead, b - ahead]);
	assert.equal(await checkPairs(source, /^iteration \d+$/, 'forward'), 3);
});

test('generated traces', async () => {
	const args = ['--ranks', '1', '--layers', '3', '--iters', '6'];
	const source = await pageOf(generated(room, 'a', ...args, '--seed', '1'),
		generated(room, 'b', ...args, '--seed', '2', '--stall', '2:3ms'));

	assert.equal(leaderOf(source.head, 0).hosts.length, leaderOf(source.head, 0).iterations.length);
	for (const name of ['forward', 'backward', 'optimizer'])
		await checkPairs(source, /^iteration \d+$/, name);
});

const traces = corpus().filter(({name}) => /^nersc-sc22-ddp-4gpu-(baseline|bucketcap)$/.test(name));

test('real traces', {skip: traces.length < 2 && 'no corpus'}, async () => {
	const source = await pageOf(...traces.map(({unpack}) => unpack(room)));
	const app = appOf(source);

	await app.compare.choose({mode: 'nvtx', name: 'forward', a: 14, b: 14});
	[0, 1].forEach((trace) => {
		const {hosts, first} = leaderOf(source.head, trace);
		const [begin, end] = hosts[14 - first];

		assert.ok(app.state.align.shifts[trace] >= begin && app.state.align.shifts[trace] < end);
	});
	assert.equal(app.state.align.shifts[0], 425_297_911);
	traces.forEach(({drop}) => drop());
});
