/* delta.js - how busy a GPU of one trace is against that of another, column by column. */
import {formatRatio} from './format.js';

/** In a strip: not known yet. */
export const NO_DIFFERENCE = -32768;

/**
 * The share of the second picture minus that of the first, of the integers that are drawn.
 * @param {{share: Uint8Array}} first  of trace A; second: of trace B
 * @param {Int32Array|null} firstColumn  by x its column (-1: not known); null for x itself
 * @param {number} w  how many
 * @returns {Int16Array} -255..255, or NO_DIFFERENCE
 */
export function busyDifference(first, second, firstColumn, secondColumn, w) {
	const strip = new Int16Array(w);

	for (let x = 0; x < w; x++) {
		const i = firstColumn ? firstColumn[x] : x, j = secondColumn ? secondColumn[x] : x;

		strip[x] = i < 0 || j < 0 ? NO_DIFFERENCE : second.share[j] - first.share[i];
	}
	return strip;
}

async function busyTime(source, rowId, a, b) {
	const {columns, rows} = await source.stats(a, b, [rowId], 'category');
	const sum = columns.findIndex(({key}) => key === 'sum');

	return rows.reduce((all, row) => all + row[sum], 0);
}

/** In words: "▲ B is busier by 1200 ns", of busy times in ns. */
export function differenceWords(first, second) {
	if (first === second)
		return '= both are as busy';
	const by = `${Math.abs(second - first)} ns`;

	return second > first ? `▲ B is busier by ${by}` : `▼ B is less busy by ${by}`;
}

/**
 * What a pointer at a strip is told of [a, b): exact busy times of both GPUs.
 * @param {object} source
 * @param {[number, number]} pair  row ids of GPUs
 * @returns {Promise<string[]>} lines, the first a title
 */
export async function differenceLines(source, pair, a, b) {
	const [first, second] = await Promise.all(pair.map((id) => busyTime(source, id, a, b)));
	const line = (letter, id, busy) => `${letter}: ${source.head.rows[id].label} busy ` +
		`${busy} ns, ${formatRatio(busy / (b - a))} of ${b - a} ns`;

	return [differenceWords(first, second), line('A', pair[0], first),
		line('B', pair[1], second)];
}
