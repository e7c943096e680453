/* SPDX-License-Identifier: MIT */
/* rangepair.js - statistics of the same range of two traces, joined by name. */
import {tableColumns} from '../data/stats.js';
/** @import {Table} from '../types.js' */

const PAIR_COLUMNS = [['count_a', 'A count', 'count'], ['count_b', 'B count', 'count'],
	['sum_a', 'A sum', 'duration'], ['sum_b', 'B sum', 'duration'], ['change', 'Δ', 'duration'],
	['change_ratio', 'Δ %', 'ratio']];

/** A name of a range without its numbers: those of one iteration differ from those of another. */
const templateOf = (name) => name.replace(/\d+/g, '#');

/* Rows of stats() as {count, sum} by name. */
function sumsOf(table) {
	const [count, sum] = ['count', 'sum'].map((key) =>
		table.columns.findIndex((column) => column.key === key));

	return new Map(table.rows.map((row) => [row[0], {count: row[count], sum: row[sum]}]));
}

/* By name of a table of stats(): what screens call it, where that is not the name. */
function labelsOf({columns, rows}) {
	const at = columns.findIndex((column) => column.key === 'label');

	return at < 0 ? [] : rows.flatMap((row) => (row[at] === null ? [] : [[row[0], row[at]]]));
}

/* Names that only one side has, under what is left of them without numbers. */
function withTemplates(sums, others) {
	const joined = new Map();

	for (const [name, {count, sum}] of sums) {
		const key = others.has(name) ? name : templateOf(name);
		const known = joined.get(key) ?? {count: 0, sum: 0};

		joined.set(key, {count: known.count + count, sum: known.sum + sum});
	}
	return joined;
}

/**
 * Two tables of stats() as one: the largest change first.
 * @param {Table} first  of trace A, second: of trace B; of the same `by`
 * @returns {Table} Δ is B - A in ns, Δ % is of A
 */
export function joinedStats(first, second) {
	const own = [sumsOf(first), sumsOf(second)];
	const sides = [withTemplates(own[0], own[1]), withTemplates(own[1], own[0])];
	const none = {count: 0, sum: 0};
	const hasLabels = first.columns.some((column) => column.key === 'label');
	const labels = new Map([...labelsOf(first), ...labelsOf(second)]);
	const rows = [...new Set([...sides[0].keys(), ...sides[1].keys()])].map((name) => {
		const [a, b] = sides.map((side) => side.get(name) ?? none);

		return [name, a.count, b.count, a.sum, b.sum, b.sum - a.sum,
			a.sum > 0 ? b.sum / a.sum - 1 : null,
			...(hasLabels ? [labels.get(name) ?? null] : [])];
	});

	return {
		columns: [first.columns[0], ...tableColumns(PAIR_COLUMNS),
			...first.columns.filter(({key}) => key === 'label')],
		rows: rows.sort((x, y) => Math.abs(y[5]) - Math.abs(x[5]) || y[4] - x[4]),
		total: rows.length,
		truncated: first.truncated || second.truncated,
	};
}
