/* SPDX-License-Identifier: MIT */
// A picture of a row made from another one: a file that is too small for all events has
// fixed columns over the whole trace instead.

import {FULL_SHARE, columnAt, columnBegin} from './columns.js';

/** The categories of lanes are below this. */
const MAX_CATEGORIES_DRAWN = 16;

/**
 * Draw a view from columns: of each the category and the share, in turn. A column of the view
 * has the mean share of those that it covers, and the category with the most time. Where the view
 * is finer, neighbours look the same.
 * @param {Uint8Array} columns
 * @param {{begin: number, end: number}} extent what they are of
 */
export function drawPyramid(columns, extent, view, cat, share) {
	const from = {begin: extent.begin, end: extent.end, width: columns.length / 2};
	const sums = new Float64Array(MAX_CATEGORIES_DRAWN);

	for (let x = 0; x < view.width; x++) {
		const a = columnBegin(view, x), b = columnBegin(view, x + 1);
		let busy = 0, most = 0;

		sums.fill(0);
		if (a < from.end && b > from.begin) {
			const last = columnAt(from, b - 1);

			for (let k = columnAt(from, a); k <= last; k++) {
				const begin = Math.max(a, columnBegin(from, k));
				const ns = Math.min(b, columnBegin(from, k + 1)) - begin;

				sums[columns[2 * k]] += ns * columns[2 * k + 1];
				busy += ns * columns[2 * k + 1];
			}
		}
		for (let c = 1; c < sums.length; c++)
			most = sums[c] > sums[most] ? c : most;
		cat[x] = most;
		share[x] = Math.min(FULL_SHARE, Math.ceil(busy / (b - a)));
	}
}
