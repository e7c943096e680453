/* SPDX-License-Identifier: MIT */
/*
 * delta.js - how much a GPU of one trace computes against that of another, column by column. Time
 * that it is busy with communication or copies alone is no gain, so it does not count.
 */
import {formatRatio} from '../base/format.js';
import {askSums} from './account.js';
/** @import {Head, Source} from '../types.js' */

/** The class of a GPU row that counts. */
const COMPUTE = 'compute';

/**
 * The row of a page that is what a GPU row computes: they are numbered on behind merged streams.
 * @param {Head} head
 */
export function computeRow(head, gpuRow) {
	return 2 * head.rows.length + gpuRow;
}

/**
 * The GPU row of such a row; -1 for another.
 * @param {Head} head
 */
export function computeOf(head, rowId) {
	return rowId >= 2 * head.rows.length ? rowId - 2 * head.rows.length : -1;
}

/**
 * The category of a GPU row that counts.
 * @param {Head} head
 */
export function computeCategory(head) {
	return head.classes.findIndex(({key}) => key === COMPUTE);
}

/** In a strip: not known yet. */
export const NO_DIFFERENCE = -32768;

/**
 * The share of the second picture minus that of the first, of the integers that are drawn.
 * @param {{share: Uint8Array}} first  of trace A; second: of trace B
 * @param {Int32Array|null} firstColumn  by x its column (-1: not known); null for x itself
 * @param {number} w  how many
 * @returns {Int16Array} -255..255, or NO_DIFFERENCE
 */
export function shareDifference(first, second, firstColumn, secondColumn, w) {
	const strip = new Int16Array(w);

	for (let x = 0; x < w; x++) {
		const i = firstColumn ? firstColumn[x] : x, j = secondColumn ? secondColumn[x] : x;

		strip[x] = i < 0 || j < 0 ? NO_DIFFERENCE : second.share[j] - first.share[i];
	}
	return strip;
}

/** @param {Source} source */
async function computeTime(source, rowId, a, b) {
	const {columns, rows} = await askSums(source, a, b, rowId);
	const sum = columns.findIndex(({key}) => key === 'sum');

	return rows.find(([key]) => key === COMPUTE)?.[sum] ?? 0;
}

/** In words: "▲ B computes 1200 ns more", of times in ns. */
export function differenceWords(first, second) {
	if (first === second)
		return '= both compute as much';
	const by = `${Math.abs(second - first)} ns`;

	return second > first ? `▲ B computes ${by} more` : `▼ B computes ${by} less`;
}

/**
 * What a pointer at a strip is told of [a, b): exact compute times of both GPUs.
 * @param {Source} source
 * @param {[number, number]} pair  row ids of GPUs
 * @returns {Promise<string[]>} lines, the first a title
 */
export async function differenceLines(source, pair, a, b) {
	const [first, second] = await Promise.all(pair.map((id) => computeTime(source, id, a, b)));
	const line = (letter, id, time) => `${letter}: ${source.head.rows[id].label} computes ` +
		`${time} ns, ${formatRatio(time / (b - a))} of ${b - a} ns`;

	return [differenceWords(first, second), line('A', pair[0], first),
		line('B', pair[1], second)];
}
