/* SPDX-License-Identifier: MIT */
// Statistics, gaps, links and search of a page against sums over all events, one by one.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {EmbeddedSource} from '../../web/data/embedded.js';
import {fakeSource} from './fake.js';
import {binBegin} from '../../web/data/hits.js';
import {Lane} from '../../web/data/lane.js';
import {NO_LAUNCH} from '../../web/data/links.js';
import {categoriesOf, extentOf} from '../../web/data/source.js';
import {headOf} from './encode.mjs';

/** A source of rows with lanes of [start, end, name, ref, launch]; names: [text, category, word]. */
function sourceOf(rows, names) {
	const head = headOf(rows.map(({lanes, ...row}) => row),
		rows.flatMap(({lanes}, i) => lanes.map((events) => [i, events.length])));
	const lanes = rows.flatMap(({kind, lanes: all}) => all.map((events) => {
		const lane = /** @type {import('../../web/types.js').Lane} */ (new Lane({
			start: Float64Array.from(events, (e) => e[0]),
			dur: Float64Array.from(events, (e) => e[1] - e[0]),
			name: Uint32Array.from(events, (e) => e[2]),
			cat: Uint8Array.from(events, (e) => names[e[2]][1]),
			ref: Uint32Array.from(events, (e) => e[3]),
		}, categoriesOf(head, {kind})));

		if (kind === 'stream')
			lane.launch = Uint32Array.from(events, (e) => e[4] ?? NO_LAUNCH);
		if (kind === 'gaps')
			lane.opener = Uint32Array.from(events, (e) => e[4] ?? NO_LAUNCH);
		return lane;
	}));

	return new EmbeddedSource(head, lanes, {
		count: names.length, text: (n) => names[n][0], label: (n) => `${names[n][0]} #`, category: (n) => names[n][1], word: (n) => names[n][2] ?? -1,
	});
}

const NAMES = [['gemm', 0], ['nccl', 3], ['cudaLaunchKernel', 6], ['step', 7], ['layer', 7],
	['sync: cudaFree', 4], ['launch', 3], ['exposed_comm', 0], ['GEMM small', 0]];

function smallSource() {
	return sourceOf([
		{kind: 'gpu', device: 0, lanes: []},
		{kind: 'stream', device: 0, process: 0, label: 'S7', parent: 0, lanes: [
			[[100, 200, 0, 0, 10], [200, 260, 8, 1, 11], [400, 500, 0, 2, 12]],
			[[150, 180, 0, 3, null]],
		]},
		{kind: 'stream', device: 0, process: 0, label: 'S20', parent: 0,
			lanes: [[[250, 350, 1, 4, 13]]]},
		{kind: 'gaps', device: 0, lanes: [
			[[260, 350, 7, 0], [350, 390, 6, 1, 12], [390, 400, 5, 2, 12]],
		]},
		{kind: 'api', process: 0, thread: 1, label: 'API 1', lanes: [
			[[50, 55, 2, 10], [60, 65, 2, 11], [300, 310, 2, 12], [320, 321, 2, 13]],
		]},
		{kind: 'nvtx', process: 0, thread: 1, lanes: [[[0, 315, 3, 0]], [[50, 60, 4, 1], [290, 305, 4, 2]]]},
	], NAMES);
}

const column = (table, key) => {
	const at = table.columns.findIndex((c) => c.key === key);

	return table.rows.map((row) => row[at]);
};

test('an event counts with its part in the range', () => {
	const table = smallSource().stats(160, 420, [1, 2], 'name');

	assert.deepEqual(column(table, 'name'), ['nccl', 'gemm', 'GEMM small']);
	assert.deepEqual(column(table, 'count'), [1, 3, 1]);
	assert.deepEqual(column(table, 'sum'), [100, 80, 60]);
	assert.deepEqual(column(table, 'union'), [100, 60, 60]);
	assert.deepEqual(column(table, 'avg'), [100, 27, 60]);
	assert.deepEqual(column(table, 'p50'), [100, 20, 60]);
	assert.deepEqual(column(table, 'p99'), [100, 40, 60]);
	assert.deepEqual(column(table, 'share'), [100 / 260, 80 / 260, 60 / 260]);
	assert.equal(table.total, 3);
	assert.equal(table.truncated, false);
});

test('statistics by name have the labels of operations', () => {
	const rows = [{kind: 'gpu', device: 0, lanes: []}, {kind: 'stream', device: 0, process: 0, parent: 0,
		lanes: [[[0, 30, 0, 0, null], [30, 50, 1, 1, null]]]}];
	const source = sourceOf(rows, [['void f<int>(int)', 0, 0], ['no operation', 0]]);

	assert.deepEqual(column(source.stats(0, 100, [1], 'name'), 'label'), ['void f<int>(int) #', null]);
	assert.deepEqual(source.stats(0, 100, [1], 'category').columns.map(({key}) => key).includes('label'), false);
});

test('edges of a range are as those of a window', () => {
	const source = smallSource();

	assert.deepEqual(column(source.stats(200, 201, [1], 'name'), 'name'), ['GEMM small']);
	assert.equal(source.stats(260, 400, [1], 'name').rows.length, 0);
	assert.deepEqual(source.stats(0, 1000, [], 'name').rows, []);
});

test('work belongs to the innermost range around its launch', () => {
	const table = smallSource().stats(0, 1000, [1, 2, 4], 'nvtx');

	assert.deepEqual(column(table, 'nvtx'), ['step', '(none)', 'layer']);
	assert.deepEqual(column(table, 'sum'), [160, 130, 100]);
});

test('categories and rows are groups, too', () => {
	const source = smallSource();

	assert.deepEqual(source.stats(0, 1000, [1, 2, 3], 'category').rows.map((r) => r.slice(0, 3)), [
		['gemm', 4, 290], ['comm', 1, 100], ['exposed_comm', 1, 90], ['launch', 1, 40],
		['sync', 1, 10]]);
	assert.deepEqual(column(source.stats(0, 1000, [1, 2], 'stream'), 'stream'),
		['gpu / S7', 'gpu / S20']);
});

test('gaps have the cause of most of their part in the range', () => {
	const source = smallSource();

	assert.deepEqual(source.gaps(0, 1000, 0, -1).rows,
		[[0, 350, 50, 'launch', null, 'nccl', 'gemm', 'cudaLaunchKernel', 'step #']]);
	assert.deepEqual(source.gaps(385, 396, 0, 0).rows,
		[[0, 385, 11, 'sync', 'cudaFree', 'nccl', 'gemm', 'cudaLaunchKernel', 'step #']]);
	assert.deepEqual(source.gaps(0, 1000, 51, 0).rows, []);
	assert.deepEqual(source.gaps(0, 1000, 0, 1).rows, []);
	assert.deepEqual(source.gaps(0, 300, 0, 0).rows, []);
});

test('a kernel leads to its launch and its ranges, and back', () => {
	const source = smallSource();
	const kernel = source.details(1, 0);
	const call = source.details(4, 10);

	assert.deepEqual(kernel.links.map(({label, rowId, ref}) => [label, rowId, ref]),
		[['Launch', 4, 10], ['NVTX layer', 5, 1], ['NVTX step', 5, 0]]);
	assert.deepEqual(kernel.facts.find(([label]) => label === 'NVTX'), ['NVTX', 'step \u203a layer']);
	assert.deepEqual(kernel.usual, {count: 3, p50: 100});
	assert.deepEqual(call.links[0], {label: 'Launched gemm', rowId: 1, ref: 0, begin: 100, end: 200});
	assert.deepEqual(source.details(1, 3).links, []);
	assert.equal(source.details(1, 99), null);
	assert.equal(source.details(99, 0), null);
	assert.equal(source.details(3, 2, 390).name, 'sync: cudaFree');
	assert.equal(source.details(3, 2, 391), null);
});

test('a part of a gap leads to the call that opened it', () => {
	const source = smallSource();
	const part = source.details(3, 1, 350);

	assert.deepEqual(part.facts.filter(([label]) => label.startsWith('Opened')),
		[['Opened by', 'cudaLaunchKernel'], ['Opened in', 'step #']]);
	const openers = ({links}) => links.filter(({label}) => label.startsWith('Opened'));

	assert.deepEqual(openers(part), [{label: 'Opened by cudaLaunchKernel', rowId: 4, ref: 12, begin: 300, end: 310}]);
	assert.deepEqual(openers(source.details(3, 0, 260)), []);
});

test('what is made of the longest events only is called so', () => {
	const {head, lanesOf, names} = smallSource();
	const columns = head.rows.map(() => Uint8Array.from([0, 255, 3, 51]));
	const source = new EmbeddedSource(head, lanesOf.flat(), names, columns);

	assert.equal(source.stats(0, 1000, [1], 'name').truncated, true);
	assert.equal(source.gaps(0, 1000, 0, -1).truncated, true);
	assert.equal(source.events(1, 0, 1000, 100).truncated, true);
	assert.deepEqual(source.pictures([1], 0, 1000, 2).get(1),
		[{cat: Uint8Array.from([0, 3]), share: Uint8Array.from([255, 51])}]);
});

test('search sees the whole trace, in order', () => {
	const source = smallSource();
	const walk = (query, mode, only) => {
		const found = [];
		let after = null;

		for (;;) {
			const {next, index} = source.search(query, mode, after, 10, only);

			if (!next)
				return found;
			assert.equal(index, found.length);
			found.push([next.begin, next.rowId, next.ref]);
			after = next;
		}
	};

	assert.deepEqual(walk('gemm', 'sub'), [[100, 1, 0], [150, 1, 3], [200, 1, 1], [400, 1, 2]]);
	assert.deepEqual(walk('^gemm$', 're'), [[100, 1, 0], [150, 1, 3], [400, 1, 2]]);
	assert.deepEqual(walk('(?i)^gemm', 're').length, 4);
	assert.deepEqual(walk('GEMM small', 'exact'), [[200, 1, 1]]);
	assert.deepEqual(walk('gemm', 'sub', {min: 50, max: 99}), [[200, 1, 1]]);
	assert.deepEqual(walk('', 'sub', {categories: [3], device: 0}), [[250, 2, 4]]);
	assert.deepEqual(walk('', 'sub', {device: 0, a: 200, b: 400}), [[200, 1, 1], [250, 2, 4]]);
	const at = source.search('gemm', 'sub', 200, 10);
	assert.deepEqual([at.previous.begin, at.next.begin, at.total, at.index], [150, 400, 4, 3]);
	assert.deepEqual([...at.hits], [0, 2, 1, 0, 1, 0, 0, 0, 0, 0]);
	assert.throws(() => source.search('(', 're', null, 10), SyntaxError);
});

test('a search is limited to rows, ranges and grids', () => {
	const source = smallSource();
	const walk = (only) => source.found('', 'sub', 9, only).list.map(({rowId, ref}) => [rowId, ref])
		.sort((x, y) => x[0] - y[0] || x[1] - y[1]);

	assert.deepEqual(walk({rows: [2]}), [[2, 4]]);
	// Call 10 is whole in a range "layer", and launched operation 0; call 12 goes on behind the other.
	assert.deepEqual(walk({range: 'LAY'}), [[1, 0], [4, 10], [5, 1], [5, 2]]);
	assert.deepEqual(walk({range: 'no such'}), []);
	const [stream] = source.lanesOf[1];

	source.head.configs = [[132, 4, 1], [132, 2, 1]];
	stream.config = Uint32Array.from([1, 2, 0]);
	for (const [grid, want] of [[[132], [[1, 0], [1, 1]]], [[132, 2], [[1, 1]]], [[132, 4, 1], [[1, 0]]], [[5], []]]) {
		source.searched.clear();
		assert.deepEqual(walk({grid}), want, String(grid));
	}
});

test('ranges inside a range count with it', () => {
	const source = smallSource();
	const [, inner] = source.lanesOf[5];

	inner.parent = Uint32Array.from([0, 1]);
	const refs = source.found('', 'sub', 99, {range: 'step', rows: [5]}).list.map(({ref}) => ref);

	assert.deepEqual(refs.sort(), [0, 1, 2]);
});

test('sums of what was found are those of all events, one by one', () => {
	const source = fakeSource();
	const {head} = source;

	/** @type {[string, {min?: number, device?: number}][]} */
	const asked = [['gemm', {}], ['', {min: 5000}], ['nccl', {device: 1}]];

	for (const [query, only] of asked) {
		const events = [];

		head.rows.forEach((row, rowId) => {
			if (!['stream', 'api', 'nvtx', 'osrt', 'overhead'].includes(row.kind) || (only.device >= 0 && row.device !== only.device))
				return;
			for (const lane of source.lanesOf[rowId]) {
				for (let i = 0; i < lane.n; i++) {
					const name = source.nameText(lane.name[i]);

					if (name.toLowerCase().includes(query) && lane.dur[i] >= (only.min ?? 0))
						events.push({row, rowId, ref: lane.ref[i], name, begin: lane.start[i], end: lane.end(i), category: lane.cat[i]});
				}
			}
		});
		const sumOf = (list) => list.reduce((sum, {begin, end}) => sum + end - begin, 0);
		const found = source.found(query, 'sub', 7, only);

		assert.ok(events.length > 5);
		assert.deepEqual([found.total, found.sum], [events.length, sumOf(events)]);
		for (const [device, count, ns] of found.devices) {
			const own = events.filter(({row}) => row.device === device);

			assert.deepEqual([count, ns], [own.length, sumOf(own)]);
		}
		assert.equal(found.devices.reduce((sum, [, count]) => sum + count, 0), events.length);
		const stepOf = ({row, begin}) => {
			const process = head.processes[row.device >= 0 ? head.devices[row.device].process : row.process];
			const at = process?.iterations.findIndex(([a, b]) => a <= begin && begin < b) ?? -1;

			return at < 0 ? -1 : process.first + at;
		};

		for (const [, number, count, ns] of found.steps) {
			const own = events.filter((event) => stepOf(event) === number);

			assert.deepEqual([count, ns], [own.length, sumOf(own)], `step ${number}`);
		}
		assert.equal(found.steps.reduce((sum, [, , count]) => sum + count, 0), events.filter((e) => stepOf(e) >= 0).length);
		for (const [bin, count] of found.lengths)
			assert.equal(count, events.filter(({begin, end}) => binBegin(bin) <= end - begin && end - begin < binBegin(bin + 1)).length);
		events.sort((x, y) => y.end - y.begin - (x.end - x.begin) || x.begin - y.begin || x.rowId - y.rowId || x.ref - y.ref);
		assert.deepEqual(found.list, events.slice(0, 7).map(({rowId, ref, begin, end, category, name}) => ({rowId, ref, begin, end, category, name})));
	}
});

test('events of a row come lane by lane, as many as are wanted', () => {
	const source = smallSource();
	const all = source.events(1, 155, 401, 100);
	const few = source.events(1, 155, 401, 3);

	assert.deepEqual([...all.start], [100, 200, 400, 150]);
	assert.deepEqual([...all.lane], [0, 0, 0, 1]);
	assert.equal(all.truncated, false);
	assert.deepEqual([few.n, few.truncated, ...few.ref], [3, true, 0, 1, 2]);
});

/** stats by name the slow way. */
function slowStats(source, a, b, rowIds) {
	const groups = new Map();

	for (const id of rowIds) {
		for (const lane of source.lanesOf[id]) {
			for (let i = 0; i < lane.n; i++) {
				const begin = Math.max(a, lane.start[i]), end = Math.min(b, lane.end(i));

				if (end > begin || (lane.dur[i] === 0 && a <= lane.start[i] && lane.start[i] < b)) {
					const name = source.nameText(lane.name[i]);

					groups.set(name, [...groups.get(name) ?? [], [begin, end]]);
				}
			}
		}
	}
	return [...groups].map(([name, parts]) => {
		const values = parts.map(([x, y]) => y - x).sort((x, y) => x - y);
		const sum = values.reduce((x, y) => x + y, 0);
		const rank = (p) => values[Math.ceil(values.length * p / 100) - 1];

		return [name, values.length, sum, Math.round(sum / values.length), rank(50), rank(99)];
	}).sort((x, y) => y[2] - x[2]);
}

test('statistics of a made-up trace are those of a slow count', () => {
	const source = fakeSource();
	const rows = source.head.rows.map((_, i) => i).filter((i) => source.head.rows[i].kind === 'stream');

	for (const [a, b] of [[0, 1e8], [5_000_000, 5_200_000], [20_000_001, 60_000_007]]) {
		const {rows: got} = source.stats(a, b, rows, 'name');

		assert.deepEqual(got.map(([name, count, sum, , avg, p50, p99]) =>
			[name, count, sum, avg, p50, p99]), slowStats(source, a, b, rows));
	}
});

test('the made-up trace is one', () => {
	const source = fakeSource();
	const {begin, end} = extentOf(source.head);

	assert.equal(source.head.lanes.length, source.lanesOf.flat().length);
	source.lanesOf.forEach((lanes, rowId) => {
		assert.equal(lanes.reduce((n, lane) => n + lane.n, 0), source.head.rows[rowId].events);
		for (const lane of lanes) {
			for (let i = 0; i < lane.n; i++) {
				assert.ok(lane.start[i] >= begin && lane.end(i) <= end);
				assert.ok(i === 0 || lane.end(i - 1) <= lane.start[i]);
			}
		}
	});
	assert.deepEqual(source.head, fakeSource().head);
});

test('pictures of a row add up to what it is busy', () => {
	const source = fakeSource();
	const {begin, end} = extentOf(source.head);
	const [picture] = source.pictures([3], begin, end, 1000).get(3);
	const busy = picture.share.reduce((x, y) => x + y, 0) / 255 / 1000;

	assert.ok(Math.abs(busy - source.head.rows[3].busy / (end - begin)) < 0.003);
});
