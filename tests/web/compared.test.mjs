/* SPDX-License-Identifier: MIT */
// What the page makes of a comparison: waterfall, checks, names to search for, joined statistics.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {changeSign, comparableChecks, sidedTable, stateSign, verdictNumber, verdictWord, waterfallBars, waterfallOf, waterfallScale} from
	'../../web/compare/comparison.js';
import {labelledTable, queryOfName} from '../../web/compare/compared.js';
import {matcherOf} from '../../web/data/find.js';
import {parseQuery} from '../../web/drawer/query.js';
import {joinedStats} from '../../web/drawer/rangepair.js';

const columns = (...keys) => keys.map((key) => ({key, title: key, type: 'duration'}));

const budget = (changes) => ({
	name: 'budget', columns: columns('part', 'kind', 'before', 'after', 'change'),
	rows: changes.map((change, i) => [`part_${i}`, 'idle', 1000, 1000 + change, change]),
});

test('a waterfall adds up to the nanosecond, whatever is left out', () => {
	let seed = 7;
	const random = (n) => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed % n;
	};

	for (let round = 0; round < 200; round++) {
		const table = budget(Array.from({length: random(16)}, () =>
			(random(3) === 0 ? 0 : random(2000) - 1000) * (random(4) === 0 ? 100 : 1)));
		const {from, to, parts} = waterfallOf(table);
		const bars = waterfallBars({from, to, parts});

		assert.equal(from, 1000 * table.rows.length);
		assert.equal(from + parts.reduce((sum, {change}) => sum + change, 0), to);
		assert.equal(bars.length, parts.length + 2);
		assert.ok(parts.length <= 8);
		for (const {low, high, change} of bars.slice(1, -1))
			assert.equal(high - low, Math.abs(change));
	}
});

test('the largest changes come first, small ones are one', () => {
	const {parts} = waterfallOf(budget([5, -9000, 0, 3000, -4, 2]));

	assert.deepEqual(parts, [{name: 'part 1', kind: 'idle', change: -9000},
		{name: 'part 3', kind: 'idle', change: 3000},
		{name: 'other', change: 3}]);
	assert.deepEqual(waterfallOf(budget([5, -9000])).parts.at(-1), {name: 'part 0', change: 5});
	assert.equal(waterfallOf(undefined), null);
});

test('the verdict is a large number', () => {
	const compare = (verdict) => /** @type {any} */ ({verdict,
		tables: [{name: 'verdict', columns: columns('metric', 'change_ratio'), rows: [['step', -0.0844]]}]});

	assert.equal(verdictNumber(compare('faster')), '▼ 8.4%');
	assert.equal(verdictNumber(compare('inconclusive')), '');
});

test('a table of two sides speaks of A and B, and has no empty columns', () => {
	const table = {name: 'kernels', columns: columns('name', 'before', 'after', 'change_ratio', 'was'),
		rows: [['gemm', 5, 4, -0.2, null]], total: 1};
	const {columns: kept, rows} = sidedTable(table, 'step');

	assert.deepEqual(kept.map(({title}) => title), ['name', 'A per step', 'B per step', 'Change %']);
	assert.deepEqual(rows, [['gemm', 5, 4, -0.2]]);
});

test('the scale of a waterfall has room for all its bars', () => {
	const scaleOf = (changes) => waterfallScale(waterfallBars(waterfallOf(budget(changes))));

	assert.deepEqual(scaleOf([0, 0]), {bottom: 0, top: 2000});
	assert.deepEqual(scaleOf([400]), {bottom: 900, top: 1400});
	assert.deepEqual(scaleOf([-1000]), {bottom: 0, top: 1000});
});

test('signs tell what colours tell', () => {
	assert.deepEqual([-1, 0, 1].map(changeSign), ['▼', '=', '▲']);
	assert.deepEqual(['faster', 'slower', 'same', 'new', 'removed', 'renamed', 'totals', null]
		.map(stateSign), ['▼', '▲', '=', '+', '−', '≈', '', '']);
});

function head(facts, change = {}) {
	return {
		traces: facts.map((list) => ({facts: list})),
		compare: {
			tables: [
				{name: 'verdict', rows: [['step', 45, 44, 3, 4]], columns: columns('metric',
					'n_before', 'n_after', 'left_out_before', 'left_out_after')},
				{name: 'kernels', columns: columns('name', 'state', 'before', 'after'), total: 3,
					rows: [['a', 'slower', 400, 500], ['b', 'new', 0, 50],
						['c', 'renamed', 25, 25]]},
			],
			...change,
		},
	};
}

const H100 = [['GPU 0', 'H100'], ['GPU 1', 'H100'], ['driver', '550']];

test('a verdict says of whom it speaks', () => {
	assert.deepEqual(['faster', 'slower', 'same', 'inconclusive', null].map((verdict) =>
		verdictWord({verdict})), ['▼ B is ', '▲ B is ', '= ', '? ', '⚠ not judged, ']);
});

test('what makes traces comparable is checked and said', () => {
	const texts = (of) => comparableChecks(of).map(({ok, text}) => `${ok ? '✔' : '⚠'} ${text}`);

	assert.deepEqual(texts(head([H100, H100])), ['✔ same GPUs', '✔ 45/48 ⇄ 44/48 iterations',
		'✔ kernels of 95% of the time matched']);
	assert.deepEqual(texts(head([H100, [['GPU 0', 'A100'], ['driver', '535']]])),
		['⚠ GPUs differ: 2 x H100 ⇄ A100', '✔ 45/48 ⇄ 44/48 iterations',
			'✔ kernels of 95% of the time matched', '⚠ driver differs']);
	assert.deepEqual(texts(head([[], []], {tables: []})), ['⚠ which GPUs is not known',
		'⚠ no iterations on both sides: windows are compared', '⚠ no kernels to match']);
});

test('a name of a table finds the events that it stands for', () => {
	const finds = (name, text) => {
		const query = parseQuery(queryOfName(name));

		assert.equal(query.error, undefined, name);
		return matcherOf(query.text, query.mode)(text);
	};

	assert.ok(finds('void f<int, (bool)1>(T1 *)', 'void f<int, (bool)1>(T1 *)'));
	assert.ok(!finds('gemm', 'gemm2'));
	assert.ok(finds('step # > layer #.mlp', 'layer 12.mlp'));
	assert.ok(!finds('step # > layer #.mlp', 'layer 12xmlp'));
	assert.ok(finds('say "hi" [#]/', 'say "hi" [3]/'));
	assert.ok(finds('a\\b #$', 'a\\b 1$'));
});

test('statistics of both sides are joined by name, then without numbers', () => {
	const table = (rows) => ({columns: columns('nvtx', 'count', 'sum'), rows, truncated: false});
	const joined = joinedStats(
		table([['forward', 2, 100], ['iteration 12', 1, 500], ['gone', 1, 7], ['layer 1', 1, 3]]),
		table([['forward', 3, 130], ['iteration 14', 1, 480], ['layer 1', 1, 3]]));

	assert.deepEqual(joined.rows, [['forward', 2, 3, 100, 130, 30, 130 / 100 - 1],
		['iteration #', 1, 1, 500, 480, -20, 480 / 500 - 1], ['gone', 1, 0, 7, 0, -7, -1],
		['layer 1', 1, 1, 3, 3, 0, 0]]);
	assert.equal(joined.total, 4);
	assert.deepEqual(joined.columns.map(({key}) => key),
		['nvtx', 'count_a', 'count_b', 'sum_a', 'sum_b', 'change', 'change_ratio']);
});

test('joined statistics keep the labels of kernels', () => {
	const table = (rows) => ({columns: columns('name', 'count', 'sum', 'label'), rows, truncated: false});
	const joined = joinedStats(table([['void f(int)', 2, 100, 'f'], ['memset', 1, 2, null]]),
		table([['void f(int)', 3, 130, 'f'], ['void g(int)', 1, 50, 'g']]));

	assert.deepEqual(joined.rows.map((row) => [row[0], row.at(-1)]),
		[['void g(int)', 'g'], ['void f(int)', 'f'], ['memset', null]]);
	assert.equal(joined.columns.at(-1).key, 'label');
});

test('kernels of a comparison have their labels as the last column', () => {
	const table = {columns: columns('name', 'change'), rows: [['void f(int)', 1], ['g', 2]], labels: ['f', 'g']};

	assert.deepEqual(labelledTable(table).rows, [['void f(int)', 1, 'f'], ['g', 2, null]]);
	assert.equal(labelledTable(table).columns.at(-1).key, 'label');
	assert.equal(labelledTable({columns: [], rows: []}).columns.length, 0);
});
