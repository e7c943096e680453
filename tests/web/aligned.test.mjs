/* SPDX-License-Identifier: MIT */
// Two traces on one axis: the source that moves them, what is chosen, and the strip between GPUs.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {readFragment, writeFragment} from '../../web/control/address.js';
import {alignWord, pairSpan, readAlign, shiftsOf, steppedPair, usualAlign,
	zeroText} from '../../web/data/align.js';
import {AlignedSource} from '../../web/data/aligned.js';
import {columnBegin} from '../../web/data/columns.js';
import {NO_DIFFERENCE, computeCategory, computeRow, differenceLines, differenceWords,
	shareDifference} from '../../web/data/delta.js';
import {Pairing} from '../../web/compare/pairing.js';
import {gpuPairs, isOnSide, pairRows, sideChoices} from '../../web/data/pairs.js';
import {parseQuery, resolveQuery} from '../../web/drawer/query.js';
import {RowTree, layRows} from '../../web/sheet/rows.js';
import {State} from '../../web/control/state.js';
import {pairSource} from './pair.mjs';

const BY = 7_654_321;
const PERIOD = 12_000_000;

/** The pair with a state, as the page has them. */
function makeApp(options = {by: BY}, fragment = '') {
	const held = {fragment, said: ''};
	const source = new AlignedSource(pairSource(options));
	const store = {
		read: () => held.fragment,
		write(text) {
			held.fragment = text;
		},
	};
	const state = new State(source.head, store,
		{clock: () => 0, realign: (align) => source.align(align)});
	const app = {source: /** @type {any} */ (source), state: /** @type {any} */ (state), held, say(text) {
		held.said = text;
	}};

	app.compare = new Pairing(app);
	return app;
}

/** The row of B that is like a row of A. */
const likeOf = (source, id) => id + source.head.rows.length / 2;

test('the steady iterations of both begin at 0', () => {
	const {source, state} = makeApp();

	assert.deepEqual(state.align, {mode: 'iteration', a: 1, b: 1});
	assert.deepEqual(source.head.processes.map((process) => process.iterations[1]),
		[[0, PERIOD], [0, PERIOD]]);
	assert.deepEqual(pairSpan(source.head, state.align), {begin: 0, end: PERIOD});
	assert.equal(zeroText(state.align), 'the begin of iteration 1 of A and 1 of B');
	assert.equal(BigInt(source.head.traces[1].origin) - BigInt(source.inner.head.traces[1].origin),
		BigInt(source.shifts[1]));
	assert.equal(source.inner.head.processes[1].iterations[0][0], 2_000_000 + BY);
});

test('equal traces look equal, whatever lies between their clocks', () => {
	const {source} = makeApp();
	const rows = [0, 3, 4, 6];
	const pictures = source.pictures([...rows, ...rows.map((id) => likeOf(source, id))],
		-1_000_003, PERIOD, 777);

	for (const id of rows) {
		assert.deepEqual(pictures.get(likeOf(source, id)), pictures.get(id));
		const [of, like] = [id, likeOf(source, id)].map((row) =>
			source.events(row, 0, PERIOD / 8, 1000));

		assert.deepEqual(like, of);
		assert.ok(of.n > 0);
	}
});

test('what is known of an event is of its own trace, at times of the axis', () => {
	const {source} = makeApp();
	const row = likeOf(source, 3);
	const events = source.events(row, 0, 100_000, 10);
	const details = source.details(row, events.ref[1], events.start[1]);
	const launch = details.links.find(({label}) => label === 'Launch');

	assert.equal(details.begin, events.start[1]);
	assert.equal(details.end, events.start[1] + events.dur[1]);
	assert.equal(source.head.rows[launch.rowId].trace, 1);
	assert.ok(launch.begin < details.begin && launch.begin > details.begin - 1e6);
	assert.ok(details.facts.some(([label]) => label === 'Start in B (capture clock)'));
});

test('statistics are those of the trace; of both they keep apart', () => {
	const {source} = makeApp();
	const own = source.inner.stats(2_000_000 + PERIOD, 2_000_000 + 2 * PERIOD, [3, 4], 'name');
	const rows = [3, 4].map((id) => likeOf(source, id));

	assert.deepEqual(source.stats(0, PERIOD, [3, 4], 'name'), own);
	assert.deepEqual(source.stats(0, PERIOD, rows, 'name'), own);
	const both = source.stats(0, PERIOD, [3, 4, ...rows], 'name');

	assert.deepEqual(source.stats(0, PERIOD, [], 'name').rows, []);
	assert.equal(both.total, 2 * own.total);
	for (const letter of ['A', 'B']) {
		assert.deepEqual(both.rows.filter(([name]) => name.startsWith(`${letter}: `))
			.map(([name, ...rest]) => [name.slice(3), ...rest]), own.rows);
	}
});

test('gaps of both traces have names of GPUs and times of the axis', () => {
	const {source} = makeApp();
	const [own, like] = [0, 2].map((device) => source.gaps(0, PERIOD, 10_000, device));
	const all = source.gaps(0, PERIOD, 10_000, -1);

	assert.ok(own.rows.length > 0);
	assert.deepEqual(like.rows.map((row) => row.slice(1)), own.rows.map((row) => row.slice(1)));
	assert.ok(own.rows.every((row) => row[1] >= 0 && row[1] < PERIOD));
	assert.deepEqual(new Set(all.rows.map(([gpu]) => gpu)),
		new Set(['A: GPU 0', 'A: GPU 1', 'B: GPU 0', 'B: GPU 1']));
	assert.ok(all.rows.every((row, i) => i === 0 || row[2] <= all.rows[i - 1][2]));
});

test('search goes through both traces in order of the axis and finds each hit once', () => {
	const {source} = makeApp({by: BY, first: 0});
	const seen = [];
	let after = -1, hit;

	source.align({mode: 'iteration', a: 2, b: 4});
	const first = source.search('AllReduce', 'sub', null, 64, {device: -1});
	while ((hit = source.search('AllReduce', 'sub', after, 64, {a: 0, b: PERIOD}).next)) {
		seen.push(hit);
		after = hit;
	}
	assert.equal(first.total, 2 * 96);
	assert.equal(first.hits.reduce((x, y) => x + y), first.total);
	assert.equal(seen.length, 24);
	assert.ok(seen.every((x, i) => i === 0 || x.begin > seen[i - 1].begin ||
		(x.begin === seen[i - 1].begin && x.rowId > seen[i - 1].rowId)));
	assert.equal(seen.filter(({rowId}) => source.head.rows[rowId].trace === 1).length, 12);
	const back = source.search('AllReduce', 'sub', seen[5], 64, {});
	assert.deepEqual(back.previous, seen[4]);
	assert.equal(back.index, source.search('AllReduce', 'sub', seen[4], 64, {}).index + 1);
});

test('conditions of a search hold in both traces', () => {
	const {source} = makeApp({by: BY, first: 10});
	const find = (text) => {
		const query = /** @type {any} */ (parseQuery(text));

		return source.search(query.text, query.mode, null, 32, resolveQuery(source.head, query));
	};

	assert.equal(find('AllReduce gpu:1').total, 2 * 48);
	source.align({mode: 'iteration', a: 0, b: 17});
	assert.equal(find('AllReduce it:11').total, 12);
	assert.equal(source.head.rows[find('AllReduce it:11').next.rowId].trace, 1);
	assert.equal(find('AllReduce it:2-11').total, 12 * 6 + 12 * 2);
});

test('the strip is the difference of the columns that are drawn', () => {
	const {source} = makeApp({by: BY, shorter: (dur, i, row) =>
		(row.kind === 'gpu' && i % 3 === 0 ? Math.floor(dur / 2) : dur)});
	const w = 500, view = {begin: -500_000, end: PERIOD, width: w};
	const rows = gpuPairs(source.head)[0].rows.map((id) => computeRow(source.head, id));
	const pictures = source.pictures(rows, view.begin, view.end, w);
	const [first, second] = rows.map((id) => pictures.get(id)[0]);
	const strip = shareDifference(first, second, null, null, w);
	const own = rows.map((id, trace) => source.inner.pictures([id],
		view.begin + source.shifts[trace], view.end + source.shifts[trace], w).get(id)[0].share);

	assert.deepEqual([...strip], [...own[1]].map((share, x) => share - own[0][x]));
	assert.ok(strip.some((d) => d < -10) && strip.every((d) => d <= 1));
	const unknown = shareDifference(first, second, Int32Array.of(-1, 3), null, 2);
	assert.deepEqual([...unknown], [NO_DIFFERENCE, second.share[1] - first.share[3]]);
});

test('a column of the strip is told in exact times', async () => {
	const {source} = makeApp({by: BY, shorter: (dur, i, row) =>
		(row.kind === 'gpu' && i % 3 === 0 ? Math.floor(dur / 2) : dur)});
	const view = {begin: 0, end: PERIOD, width: 100};
	const [a, b] = [columnBegin(view, 40), columnBegin(view, 41)];
	const [{rows}] = gpuPairs(source.head);
	const busy = rows.map((id) => {
		const events = source.events(id, a, b, 1e5);

		return events.start.reduce((sum, start, i) =>
			(source.nameCategory(events.name[i]) === computeCategory(source.head) ?
				sum + Math.min(b, start + events.dur[i]) - Math.max(a, start) : sum), 0);
	});
	const lines = await differenceLines(source, rows, a, b);

	assert.equal(lines[0], differenceWords(...busy));
	assert.match(lines[0], /^▼ B computes \d+ ns less/);
	assert.match(lines[1], /^A: GPU 0 rank 0 computes \d+ ns, [\d.]+% of 120000 ns$/);
	assert.equal(differenceWords(5, 5), '= both compute as much');
	assert.equal(differenceWords(1000, 3000), '▲ B computes 2000 ns more');
});

test('a step moves both sides, as far as both have iterations', async () => {
	const app = makeApp({by: BY, first: 10});
	const {compare, state, source} = app;

	assert.deepEqual(state.align, {mode: 'iteration', a: 1, b: 11});
	state.setView(0, PERIOD);
	state.setRange({a: 100, b: 200});
	await compare.step(1);
	assert.deepEqual(state.align, {mode: 'iteration', a: 2, b: 12});
	assert.deepEqual([state.view, state.range], [{a: 0, b: PERIOD}, {a: 100, b: 200}]);
	assert.equal(source.shifts[0], 2_000_000 + 2 * PERIOD);
	await compare.choose({b: 99});
	assert.deepEqual([state.align.a, state.align.b], [2, 17]);
	await compare.step(1);
	assert.deepEqual([state.align.a, state.align.b], [2, 17]);
	assert.match(app.held.said, /no iteration after/);
	assert.deepEqual(steppedPair(source.head, {a: 5, b: 12}, -9), {a: 3, b: 10});
});

test('what is selected stays the event that it was', async () => {
	const {compare, state, source} = makeApp();
	const row = likeOf(source, 3);
	const {start, dur, ref} = source.events(row, 0, 50_000, 1);

	state.setSelection({rowId: row, ref: ref[0], begin: start[0], end: start[0] + dur[0],
		name: ''});
	await compare.step(2);
	assert.equal(state.selection.begin, start[0] - 2 * PERIOD);
	assert.equal(source.details(row, ref[0], state.selection.begin).begin, state.selection.begin);
});

test('ranges that every iteration has can be aligned by', async () => {
	const {compare, state, source} = makeApp();

	assert.deepEqual(await compare.rangeNames(), ['forward', ...Array.from({length: 11},
		(_, i) => `layer ${i}`)]);
	await compare.choose({mode: 'nvtx', name: 'layer 3'});
	assert.equal(state.align.name, 'layer 3');
	for (const row of [15, likeOf(source, 15)]) {
		const events = source.events(row, 0, 1000, 10);

		assert.equal(events.start[2], 0);
		assert.equal(source.nameText(events.name[2]), 'layer 3');
	}
	const before = state.align.shifts[0];
	await compare.step(1);
	assert.ok(state.align.shifts[0] > before + PERIOD / 2);
});

test('without iterations on both sides the first events lie beside each other', async () => {
	const app = makeApp();
	const {source, state, compare} = app;

	state.setView(0, PERIOD);
	await compare.choose({mode: 'wall'});
	assert.deepEqual(source.shifts, [0, BY]);
	assert.deepEqual(state.view, {a: 2_000_000 + PERIOD, b: 2_000_000 + 2 * PERIOD});
	assert.equal(compare.hasPair, false);
	await compare.choose({mode: 'iteration'});
	assert.deepEqual(state.align, {mode: 'iteration', a: 1, b: 1});
	const bare = {...source.inner.head, processes: source.inner.head.processes.map((process) =>
		({...process, iterations: []}))};
	assert.deepEqual(usualAlign(bare), {mode: 'wall'});
	assert.equal(shiftsOf(bare, {mode: 'iteration', a: 0, b: 0}), null);
});

test('an alignment is in the address, and nothing else is believed', () => {
	for (const align of [{mode: 'wall'}, {mode: 'iteration', a: 3, b: 14},
		{mode: 'nvtx', a: 3, b: 4, shifts: [12, -5], name: 'layer 1~2 & é'}])
		assert.deepEqual(readAlign(alignWord(align)), align);
	for (const word of ['', 'iteration', 'iteration~1', 'iteration~1~x', 'nvtx~1~2~3', 'all~1~2',
		'nvtx~1~2~3~4~%zz', 'iteration~1e99~2'])
		assert.equal(readAlign(word), null, word);
	const first = makeApp();
	first.state.setAlign({mode: 'iteration', a: 5, b: 2});
	first.state.setView(0, PERIOD / 2);
	first.state.set('sides', 'delta');
	const again = makeApp({by: BY}, first.held.fragment);
	assert.deepEqual(again.state.align, {mode: 'iteration', a: 5, b: 2});
	assert.deepEqual(again.state.view, {a: 0, b: PERIOD / 2});
	assert.equal(again.state.sides, 'delta');
	assert.equal(again.source.shifts[0], 2_000_000 + 5 * PERIOD);
	assert.deepEqual(makeApp({by: BY}, 'align=iteration~5~77').state.align,
		{mode: 'iteration', a: 1, b: 1});
	assert.equal(readFragment(writeFragment(again.state)).align.b, 2);
});

test('rows of both traces stand in pairs with a strip between their GPUs', () => {
	const {source, state} = makeApp();
	const tree = new RowTree(source.head, {canMerge: false});
	const texts = tree.roots.map(({text}) => text);

	assert.deepEqual(texts, ['A: GPU 0 rank 0', 'Δ compute ▲ B more ▼ less', 'B: GPU 0 rank 0',
		'A: GPU 1 rank 1', 'Δ compute ▲ B more ▼ less', 'B: GPU 1 rank 1',
		'A: Process 4000 python', 'B: Process 4000 python']);
	assert.deepEqual(tree.roots[1].pair, [0, likeOf(source, 0)]);
	assert.deepEqual(tree.roots[2].children.map(({row}) => row.kind),
		['stream', 'stream', 'stream', 'gaps', 'nvtx-gpu', 'iterations']);
	const shown = (sides) => {
		state.set('sides', sides);
		return layRows(tree, state).rows;
	};
	assert.ok(shown('a').every(({row}) => row.trace === 0));
	assert.ok(shown('b').every(({row}) => row.trace === 1));
	assert.deepEqual(shown('delta').map(({row}) => row.kind),
		['gpu', 'delta', 'gpu', 'gpu', 'delta', 'gpu']);
	assert.deepEqual(sideChoices(source.head).map(([value]) => value), ['all', 'a', 'b', 'delta']);
	assert.deepEqual(sideChoices(/** @type {any} */ ({traces: [{}]})), []);
	assert.ok(isOnSide({kind: 'process', trace: 2}, 'c'));
});

test('GPUs are paired by rank where all have one', () => {
	const head = /** @type {any} */ ({devices: [{process: 0}, {process: 1}, {process: 2}, {process: 3}],
		processes: [{rank: 0}, {rank: 1}, {rank: 1}, {rank: 0}]});
	const node = (device) => ({row: /** @type {any} */ ({device, process: -1}), id: device});
	const ids = (pairs) => pairs.map((pair) => pair.map((side) => side?.id ?? -1));

	assert.deepEqual(ids(pairRows(head, [node(0), node(1)], [node(2), node(3)])), [[0, 3], [1, 2]]);
	head.processes[3].rank = null;
	assert.deepEqual(ids(pairRows(head, [node(0), node(1)], [node(2), node(3)])), [[0, 2], [1, 3]]);
	assert.deepEqual(ids(pairRows(head, [node(0)], [node(2), node(3)])), [[0, 2], [-1, 3]]);
});
