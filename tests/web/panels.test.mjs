/* SPDX-License-Identifier: MIT */
// What panels compute without a page: copies, order, fuzzy matches, accounts, flames.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {askAccount, commandOfRange, gpuAccount, onlyLongest} from '../../web/data/account.js';
import {tableCsv, tableMarkdown} from '../../web/base/copy.js';
import {fakeSource} from './fake.js';
import {findingSpan} from '../../web/data/evidence.js';
import {NO_PARENT, STYLE_MARK, STYLE_PUSH_POP, STYLE_START_END} from '../../web/data/links.js';
import {flameSpans, flameTree} from '../../web/drawer/flame.js';
import {flameLayout} from '../../web/drawer/flamebox.js';
import {fuzzyBest, fuzzyScore} from '../../web/base/fuzzy.js';
import {keyText} from '../../web/drawer/help.js';
import {iterationTable} from '../../web/drawer/lists.js';
import {rangeOf, withoutShare} from '../../web/drawer/range.js';
import {againstUsual} from '../../web/drawer/selection.js';
import {differAt, shownTable, sortRows} from '../../web/base/tables.js';

const table = {
	columns: [{key: 'name', title: 'Name', type: 'string'}, {key: 'sum', title: 'Sum', type: 'duration'},
		{key: 'share', title: 'Share', type: 'ratio'}],
	rows: [['a|b <x>', 2_149_900, 0.123, 'hidden'], ['c,"d"\n', 5, null], ['', 0, 1]],
};

test('Markdown is what the page shows, and nothing in it is markup', () => {
	assert.equal(tableMarkdown(table), '| Name | Sum | Share |\n| --- | ---: | ---: |\n' +
		'| a\\|b \\<x\\> | 2.15 ms | 12.3% |\n| c,"d"\ufffd | 5 ns | - |\n|  | 0 ns | 100.0% |\n');
});

test('CSV is in base units', () => {
	assert.equal(tableCsv(table), 'name,sum,share\na|b <x>,2149900,0.123\n"c,""d""\ufffd",5,\n"",0,1\n');
});

test('rows sort by number or text, unknown ones last either way', () => {
	const rows = [['k10', 3], ['k9', null], ['k1', 20], ['a', 3]];

	assert.deepEqual(sortRows(rows, 1, true).map((r) => r[0]), ['k1', 'k10', 'a', 'k9']);
	assert.deepEqual(sortRows(rows, 1, false).map((r) => r[0]), ['k10', 'a', 'k1', 'k9']);
	assert.deepEqual(sortRows(rows, 0, false).map((r) => r[0]), ['a', 'k1', 'k9', 'k10']);
	assert.equal(rows[0][0], 'k10');
});

test('labels stand for names where there is another one', () => {
	const columns = ['name', 'count', 'label'].map((key) => ({key}));
	const rows = [['void f<int>(int)', 2, 'f'], ['memset', 1, null]];
	const shown = shownTable({columns, rows});

	assert.deepEqual(shown.columns.map(({key}) => key), ['name', 'count']);
	assert.deepEqual(shown.rows.map((row) => row.slice(0, 2)), [['f', 2], ['memset', 1]]);
	assert.equal(rows[0][0], 'void f<int>(int)');
	assert.equal(shownTable(table), table);
});

test('letters in order match, better at the start of words', () => {
	const actions = ['View: zoom in', 'Search: next hit', 'View: next iteration', 'Range: clear'];

	assert.equal(fuzzyScore('xyz', 'zoom'), -Infinity);
	assert.equal(fuzzyScore('', 'zoom'), 0);
	assert.equal(fuzzyScore('a', ''), -Infinity);
	assert.deepEqual(fuzzyBest('ni', actions, String, 1), ['View: next iteration']);
	assert.deepEqual(fuzzyBest('nexthit', actions, String, 9), ['Search: next hit']);
	assert.deepEqual(fuzzyBest('', actions, String, 2), actions.slice(0, 2));
});

test('keys read as people write them', () => {
	assert.deepEqual(['Ctrl+Shift+P', 'W', 'ArrowLeft', '?', '+', 'Ctrl+[', 'KeyA'].map(keyText),
		['Ctrl+Shift+P', 'W', '←', '?', '+', 'Ctrl+[', 'A']);
});

test('an account adds up, with what no cause explains', () => {
	const head = {
		classes: [{key: 'compute', colour: 0}, {key: 'comm', colour: 3}],
		causes: [{key: 'exposed_comm', colour: 3}, {key: 'launch', colour: 6}, {key: 'sync', colour: 6}],
	};
	const sums = (rows) => ({columns: [{key: 'category'}, {key: 'count'}, {key: 'sum'}], rows});
	const parts = gpuAccount(head, 100, sums([['compute', 3, 60], ['comm', 1, 10]]),
		sums([['exposed_comm', 1, 10], ['launch', 1, 20]]));

	assert.deepEqual(parts.map(({key, ns, idle}) => [key, ns, idle]),
		[['compute', 60, false], ['comm', 10, false], ['launch', 20, true], ['unused', 10, true]]);
	assert.deepEqual(gpuAccount(head, 5, sums([]), null).at(-1),
		{key: 'idle', colour: -1, ns: 5, idle: true});
});

test('accounts of a source add up in any range', async () => {
	const source = fakeSource();

	for (const [a, b] of [[0, 100_000_000], [5_000_000, 5_000_777], [14_000_000, 31_000_000]]) {
		for (const device of [0, 1]) {
			const parts = await askAccount(source, device, a, b);

			assert.equal(parts.reduce((sum, part) => sum + part.ns, 0), b - a);
			assert.ok(parts.every((part) => part.ns >= 0));
		}
	}
	assert.equal(await askAccount(source, 7, 0, 10), null);
});

test('the short way to sums has those of statistics', () => {
	const source = fakeSource();
	let compared = 0;

	for (const [a, b] of [[0, 100_000_000], [5_000_000, 5_000_777], [14_000_000, 31_000_001], [7, 7]]) {
		source.head.rows.forEach(({kind}, id) => {
			if (!/^(gpu|gaps)$/.test(kind))
				return;
			const known = new Map(source.stats(a, b, [id], 'category').rows.map(([key, , sum]) => [key, sum]));

			for (const [key, sum] of source.sums(a, b, id).rows)
				assert.equal(sum, known.get(key) ?? 0);
			compared += known.size;
		});
	}
	assert.ok(compared > 4);
});

test('names that begin alike are known by where they differ', () => {
	const names = ['sm90 gemm bf16 128x256x64 tn', 'sm90 gemm bf16 128x128x64 tn', 'sm90 gemm bf16 128x128x64 tn', 'other', 'sm90 g'];
	const at = differAt(names);

	assert.equal(at.get('sm90 gemm bf16 128x256x64 tn'), 'sm90 gemm bf16 128x'.length - 1);
	assert.equal(at.get('sm90 gemm bf16 128x128x64 tn'), 'sm90 gemm bf16 128x'.length - 1);
	assert.ok(at.get('other') <= 0 && at.get('sm90 g') <= 0);
	const kept = new Set([...at].filter(([, i]) => i > 0).map(([name, i]) => name.slice(i, i + 10)));

	assert.equal(kept.size, 2);
});

test('what a file has only in part is known', () => {
	const head = {pyramid: {columns: 8}, data: {bytes: 16, pieces: [], columns: [['columns', 3, 16, 0, 16], ['start', 2, 5, 0, 5]]}};

	assert.equal(onlyLongest(head, [1, 3]), true);
	assert.equal(onlyLongest(head, [1, 2]), false);
	assert.equal(onlyLongest({...head, pyramid: null}, [3]), false);
	assert.deepEqual(withoutShare({columns: [{key: 'name'}, {key: 'union'}, {key: 'share'}], rows: [['a', 1, 2]]}),
		{columns: [{key: 'name'}], rows: [['a']]});
});

test('a command names the range on the clock of the trace', () => {
	const trace = {label: "it's a file.sqlite", origin: '9007199254740993'};

	assert.equal(commandOfRange('kernels', trace, 2, 1000),
		"warplens kernels 'it'\\''s a file.sqlite' --window 9007199254740995ns..9007199254741993ns");
	assert.equal(commandOfRange('kernels --by name', {label: 'a.sqlite', origin: '-5'}, 5, 6),
		'warplens kernels --by name a.sqlite --window 0ns..1ns');
	assert.equal(commandOfRange('kernels', {label: 'a', given: ['a', 'b c'], origin: '0'}, 5, 6),
		"warplens kernels --job a 'b c' --window 5ns..6ns");
});

test('a finding that only points is looked at in its iteration', () => {
	const head = /** @type {any} */ ({
		traces: [{begin: 0, end: 1000}], rows: [{device: 0}], devices: [{process: 1}],
		processes: [{trace: 0, iterations: [[0, 500]]}, {trace: 0, iterations: [[0, 40], [40, 90]]}],
	});
	const span = (begin, end, row) => findingSpan(head, /** @type {any} */ ({trace: 0, row, begin, end}));

	assert.deepEqual(span(10, 20, 0), {a: 10, b: 20});
	assert.deepEqual(span(50, 50, 0), {a: 40, b: 90});
	assert.deepEqual(span(50, 50, -1), {a: 0, b: 500});
	assert.deepEqual(span(700, 700, 0), {a: 694, b: 706});
});

/* Events of an NVTX row from [lane, start, end, name, parent, style]; none: outermost, push/pop. */
function eventsOf(list) {
	return {
		n: list.length, truncated: false,
		lane: Uint16Array.from(list, (e) => e[0]), start: Float64Array.from(list, (e) => e[1]),
		dur: Float64Array.from(list, (e) => e[2] - e[1]), name: Uint32Array.from(list, (e) => e[3]),
		ref: Uint32Array.from(list, (_, i) => i),
		parent: Uint32Array.from(list, (e) => e[4] ?? NO_PARENT),
		span: Uint8Array.from(list, (e) => e[5] ?? STYLE_PUSH_POP),
	};
}

test('ranges of one path are one rectangle', () => {
	const names = ['step', 'fwd', 'bwd'];
	const root = flameTree(eventsOf([[0, 0, 100, 0], [0, 100, 200, 0], [1, 0, 40, 1, 0], [1, 40, 90, 2, 0],
		[1, 100, 150, 1, 1]]), (n) => names[n], 0, 140);
	const boxes = flameLayout(root);

	assert.equal(root.total, 140);
	assert.deepEqual(boxes.map(({node, path, x}) => [path.join('/'), node.count, node.total, node.event,
		Math.round(x * 140)]),
	[['step', 2, 140, 0, 0], ['step/fwd', 2, 80, 2, 0], ['step/bwd', 1, 50, 3, 80]]);
});

test('ranges that cross stand side by side, empty ones count, outside ones do not', () => {
	const root = flameTree(eventsOf([[0, 0, 50, 0], [1, 30, 80, 1], [0, 90, 90, 2], [0, 200, 300, 2]]),
		String, 0, 100);

	assert.deepEqual(flameLayout(root).map(({path, node}) => [path[0], node.count]),
		[['0', 1], ['1', 1], ['2', 1]]);
	assert.equal(root.total, 100);
});

test('siblings that overlap keep their own children', () => {
	/* As projected layers with prefetched communication: the second begins inside the first. */
	const root = flameTree(eventsOf([[0, 0, 100, 0], [1, 0, 80, 1, 0], [2, 10, 100, 2, 0],
		[3, 60, 80, 3, 1], [4, 62, 90, 3, 2]]), String, 0, 100);

	assert.deepEqual(flameLayout(root).map(({path, node}) => [path.join('/'), node.total]),
		[['0', 100], ['0/2', 90], ['0/1', 80], ['0/2/3', 28], ['0/1/3', 20]]);
});

test('start/end ranges are apart and in no other total; marks and lost children are nowhere', () => {
	const root = flameTree(eventsOf([[0, 0, 100, 0], [0, 0, 100, 1, undefined, STYLE_START_END],
		[1, 20, 40, 2, 0, STYLE_START_END], [1, 50, 50, 3, 0, STYLE_MARK], [1, 60, 70, 4, 99]]),
	String, 0, 100);

	assert.equal(root.total, 100);
	assert.deepEqual(flameLayout(root).map(({path}) => path), [['0']]);
	assert.deepEqual(flameSpans(root).map(({path, node}) => [path.join('/'), node.total]),
		[['1', 100], ['0/2', 20]]);
	assert.equal(root.lost, 1);
});

test('a length is told against the usual one', () => {
	assert.equal(againstUsual(127, {count: 4, p50: 100}), '27% longer than the p50 of 4 (100 ns)');
	assert.equal(againstUsual(50, {count: 4, p50: 100}), '50% shorter than the p50 of 4 (100 ns)');
	assert.equal(againstUsual(100, {count: 4, p50: 100}), 'as long as the p50 of 4 (100 ns)');
	assert.equal(againstUsual(100, {count: 1, p50: 100}), '');
	assert.equal(againstUsual(100, null), '');
});

test('without a range the view counts, as far as there is a trace', () => {
	const extent = {begin: 0, end: 100}, head = {traces: [{}], processes: [], devices: []};

	const of = (range, view) => rangeOf(/** @type {any} */ ({range, view, extent}), head);

	assert.deepEqual(of({a: 3, b: 7}, {a: 0, b: 9}), {a: 3, b: 7, what: 'Range'});
	assert.deepEqual(of(null, {a: -5.5, b: 300}), {a: 0, b: 100, what: 'View'});
	assert.deepEqual(of(null, {a: 100, b: 300}), {a: 100, b: 101, what: 'View'});
});

test('iterations are compared with the middle one of their process', () => {
	const rows = iterationTable(/** @type {any} */ ({processes: [{pid: 7, rank: null, steady: 1, method: '',
		iterations: [[0, 10], [10, 20], [20, 40]]}]})).rows;

	assert.deepEqual(rows.map((r) => [r[0], r[1], r[3], r[4], r[5]]),
		[[0, 'pid 7', 10, 0, ''], [1, 'pid 7', 10, 0, 'yes'], [2, 'pid 7', 20, 1, '']]);
});
