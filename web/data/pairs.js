/* SPDX-License-Identifier: MIT */
/* pairs.js - what of two traces belongs together, and which of their rows are shown. */
import {traceLetter} from './source.js';
/** @import {Head, Row} from '../types.js' */

/**
 * By rank where it is known, with the number of the GPU or process of that rank; else null.
 * @param {Head} head
 */
function rankKeys(head, rows) {
	const seen = new Map();

	return rows.map(({row}) => {
		const of = row.process >= 0 ? row.process : head.devices[row.device]?.process;
		const rank = head.processes[of]?.rank ?? null;
		const nth = seen.get(rank) ?? 0;

		seen.set(rank, nth + 1);
		return rank === null ? null : `${rank} ${nth}`;
	});
}

/**
 * Rows of trace A with those of B: by rank where all have one, else in their order.
 * @template {{row: Row, id: number}} T
 * @param {Head} head  of docs/web.md
 * @param {T[]} first  of trace A
 * @param {T[]} second  of trace B
 * @returns {(T|null)[][]} pairs, in order of the first; then those that only B has
 */
export function pairRows(head, first, second) {
	const keys = [rankKeys(head, first), rankKeys(head, second)];
	const isRanked = keys.flat().every((key) => key !== null);
	const keyOf = (side, i) => (isRanked ? keys[side][i] : String(i));
	const others = new Map(second.map((node, i) => [keyOf(1, i), node]));
	const pairs = first.map((node, i) => {
		const other = others.get(keyOf(0, i)) ?? null;

		others.delete(keyOf(0, i));
		return [node, other];
	});

	return [...pairs, ...[...others.values()].map((node) => [null, node])];
}

/**
 * The GPUs of two traces in pairs.
 * @param {Head} head
 * @returns {{devices: [number, number], rows: [number, number]}[]} indexes of head.devices and
 *     ids of their rows; only those that both traces have
 */
export function gpuPairs(head) {
	const gpus = (trace) => head.rows.flatMap((row, id) =>
		(row.kind === 'gpu' && row.trace === trace ? [{row, id}] : []));

	return pairRows(head, gpus(0), gpus(1)).flatMap(([a, b]) => (a && b
		? [{devices: [a.row.device, b.row.device], rows: [a.id, b.id]}] : []));
}

/**
 * What state.sides may be: [value, title]; none of one trace.
 * @param {Head} head
 */
export function sideChoices(head) {
	const n = head.traces.length;

	if (n < 2)
		return [];
	const letters = head.traces.map((_, i) => traceLetter(i));

	return [['all', n > 2 ? 'all' : 'both'],
		...letters.map((letter) => [letter.toLowerCase(), `only ${letter}`]),
		...(n === 2 ? [['delta', 'Δ and GPUs']] : [])];
}

/** Whether a row without a parent is shown for such a value. */
export function isOnSide(row, sides) {
	if (sides === 'delta')
		return row.kind === 'gpu' || row.kind === 'delta';
	return sides === 'all' || (row.trace >= 0 && sides === traceLetter(row.trace).toLowerCase());
}
