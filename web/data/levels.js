/* SPDX-License-Identifier: MIT */
// The picture of a lane of levels, as src/derive/lanes/levels.c has it, and levels in words. A
// column has the mean level while a sample holds, rounded, and the highest one; both are 0 where none
// holds. Level 1 is the value 0, and 255 what fills the row.

import {formatBytes, formatReal} from '../base/format.js';
import {columnAt, columnBegin} from './columns.js';
import {LANE_BLOCK} from './lane.js';

const LEVEL_OF_NOTHING = 1;
const LEVEL_STEPS = 255 - LEVEL_OF_NOTHING;

/** By block, and once more behind the last: the sum of level times ns before it; its highest level. */
export function indexLevels(lane) {
	const blocks = Math.ceil(lane.n / LANE_BLOCK);
	const area = new Float64Array(blocks + 1), peak = new Uint8Array(blocks);

	for (let block = 0; block < blocks; block++) {
		const last = Math.min(lane.n, (block + 1) * LANE_BLOCK);

		area[block + 1] = area[block];
		for (let i = block * LANE_BLOCK; i < last; i++) {
			area[block + 1] += lane.level[i] * lane.dur[i];
			peak[block] = Math.max(peak[block], lane.level[i]);
		}
	}
	lane.area = area;
	lane.peak = peak;
}

/** Set sums to [ns that samples hold, level times ns] before t; i is the first sample from there on. */
function levelsUntil(lane, i, t, sums) {
	const block = Math.floor(i / LANE_BLOCK), {categories} = lane;

	sums[0] = lane.before[(block + 1) * categories - 1];
	sums[1] = lane.area[block];
	for (let k = block * LANE_BLOCK; k < i; k++) {
		sums[0] += lane.dur[k];
		sums[1] += lane.level[k] * lane.dur[k];
	}
	const later = i > 0 ? Math.max(0, lane.end(i - 1) - t) : 0;
	if (later > 0) {
		sums[0] -= later;
		sums[1] -= lane.level[i - 1] * later;
	}
}

/** Rounded, but what is above nothing is not nothing. */
function meanLevel(area, time) {
	const mean = Math.floor((2 * area + time) / (2 * time));

	return mean === LEVEL_OF_NOTHING && area > LEVEL_OF_NOTHING * time ? LEVEL_OF_NOTHING + 1 : mean;
}

/** The highest level of samples [i, j). Linear in blocks. */
function highestOf(lane, i, j) {
	let most = 0;

	while (i < j) {
		const isWhole = i % LANE_BLOCK === 0 && j - i >= LANE_BLOCK;

		most = Math.max(most, isWhole ? lane.peak[i / LANE_BLOCK] : lane.level[i]);
		i += isWhole ? LANE_BLOCK : 1;
	}
	return most;
}

/**
 * Draw: share[x] is the mean level of column x, cat[x] the highest one. The lane has levels.
 * @param {Uint8Array} cat at least width long, as is share
 */
export function drawLevels(lane, view, cat, share) {
	const before = new Float64Array(2), until = new Float64Array(2);
	let i = lane.from(view.begin), {begin} = view;

	levelsUntil(lane, i, begin, before);
	for (let x = 0; x < view.width; x++) {
		const end = columnBegin(view, x + 1);
		const j = lane.gallop(i, end);
		const first = i > 0 && lane.end(i - 1) > begin ? i - 1 : i;

		levelsUntil(lane, j, end, until);
		const time = until[0] - before[0];
		share[x] = time > 0 ? meanLevel(until[1] - before[1], time) : 0;
		cat[x] = time > 0 ? highestOf(lane, first, j) : 0;
		before.set(until);
		begin = end;
		i = j;
	}
}

/** The same from the columns of a file that has not all samples: drawPyramid() of pyramid.js. */
export function drawLevelPyramid(columns, extent, view, cat, share) {
	const from = {begin: extent.begin, end: extent.end, width: columns.length / 2};

	for (let x = 0; x < view.width; x++) {
		const a = columnBegin(view, x), b = columnBegin(view, x + 1);
		let area = 0, time = 0, most = 0;

		if (a < from.end && b > from.begin) {
			const last = columnAt(from, b - 1);

			for (let k = columnAt(from, a); k <= last; k++) {
				const ns = Math.min(b, columnBegin(from, k + 1)) -
					Math.max(a, columnBegin(from, k));

				if (columns[2 * k + 1] === 0)
					continue;
				area += ns * columns[2 * k + 1];
				time += ns;
				most = Math.max(most, columns[2 * k]);
			}
		}
		share[x] = time > 0 ? meanLevel(area, time) : 0;
		cat[x] = most;
	}
}

/** A value of a row of levels, of its head, in words: "71%", "12.3 GB", "1935 MHz". */
export function levelText(row, value) {
	if (row.unit === 'B')
		return formatBytes(Math.round(value));
	return row.unit === '%' ? `${Math.round(value)}%` : `${formatReal(value)} ${row.unit}`.trim();
}

/** What a column of a row of levels shows; '' for nothing. */
export function levelWords(row, mean, highest) {
	const text = (level) => levelText(row, row.top * (level - LEVEL_OF_NOTHING) / LEVEL_STEPS);

	return mean > 0 ? `mean ${text(mean)}, highest ${text(highest)} in this pixel` : '';
}
