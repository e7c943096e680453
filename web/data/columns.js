/* SPDX-License-Identifier: MIT */
// What a lane looks like in a picture: the column function of src/derive/lanes/columns.c, with the
// same integers. A picture shows [begin, end) in columns; a column's colour is the category
// with the most time in it, its share says how much of it is busy.
//
// All numbers are integers that a double holds: end - begin is below 2^53, the width below
// 2^26. The share is exact where a column is shorter than 2^45 ns (9.7 h).

import {LANE_BLOCK} from './lane.js';

/** Above so many events that start in a column, its end may move back by less than a block. */
export const SNAP_ABOVE = 1024;

/** For drawLane(): the time of all counts. */
const NO_CATEGORY = -1;

/** Of a share: the whole column is busy. */
export const FULL_SHARE = 255;

/**
 * Where column x begins, 0 <= x <= width.
 * @param {{begin: number, end: number, width: number}} view end - begin >= width >= 1, all whole
 */
export function columnBegin(view, x) {
	const span = view.end - view.begin;
	const q = Math.floor(span / view.width), r = span % view.width;

	return view.begin + x * q + Math.floor(x * r / view.width);
}

/** The last column that begins no later than t >= begin; the width where t is the end or later. */
function columnOf(view, t) {
	const {begin, end, width} = view;

	if (t >= end)
		return width;
	// The quotient is rounded: it may be beside the column, but not far.
	let x = Math.min(width - 1, Math.floor((t - begin) / (end - begin) * width));
	while (columnBegin(view, x) > t)
		x--;
	while (columnBegin(view, x + 1) <= t)
		x++;
	return x;
}

/** The column that a time lies in; outside the view the nearest. */
export function columnAt(view, t) {
	if (t < view.begin)
		return 0;
	return t < view.end ? columnOf(view, t) : view.width - 1;
}

/**
 * Add the time of the events [i, j), more than a block of them, to sums; returns that of all.
 * @param {Float64Array[]} scratch  before and until, of the size of sums
 */
function addMany(lane, i, j, sums, scratch) {
	const [before, until] = scratch;
	let all = 0;

	lane.sumsBefore(i, before);
	lane.sumsBefore(j, until);
	for (let c = 0; c < sums.length; c++) {
		sums[c] += until[c] - before[c];
		all += until[c] - before[c];
	}
	return all;
}

/** The first of the largest. */
function largestOf(sums) {
	let most = 0;

	for (let c = 1; c < sums.length; c++) {
		if (sums[c] > sums[most])
			most = c;
	}
	return most;
}

function shareOf(busy, length) {
	// More than the column has: with what a snapped column left to this one.
	return busy >= length ? FULL_SHARE : Math.ceil(busy * FULL_SHARE / length);
}

/**
 * Draw: cat[x] is the category with the most time in column x, the lowest of several, and
 * share[x] is 0 for nothing, else 255 * busy / length rounded up, at least 1 where any event
 * touches the column. Columns times a logarithm of the lane.
 *
 * This is most of what a frame costs: so it is one loop over plain variables. An event is counted
 * in the column where it starts, and what is beyond the column's end is taken off again. A run of
 * columns that one event fills, or that nothing touches, is one step.
 * @param {Uint8Array} cat at least width long, as is share
 * @param {number} only a category: its time alone counts then, cat is always that one, and a share
 * is 0 where it has no time
 */
export function drawLane(lane, view, cat, share, only = NO_CATEGORY) {
	const {n, start, dur, cat: cats, categories} = lane;
	const {width} = view;
	const span = view.end - view.begin;
	const q = Math.floor(span / width), r = span % width; // of columns, as in columnBegin()
	const sums = new Float64Array(categories);
	const scratch = [new Float64Array(categories), new Float64Array(categories)];
	let begin = view.begin, left = 0; // of column x; left is x * r % width
	let i = lane.from(begin); // the first event that is not counted yet
	let lastEnd = i > 0 ? lane.end(i - 1) : begin;

	if (only !== NO_CATEGORY)
		cat.fill(only, 0, width);
	for (let x = 0; x < width;) {
		left += r;
		const end = begin + q + (left >= width ? 1 : 0);
		const starts = i < n && start[i] < end;

		left -= left >= width ? width : 0;
		if (!starts && (lastEnd <= begin || lastEnd >= end)) {
			const filled = lastEnd >= end;
			const next = i < n ? columnOf(view, start[i]) : width;
			const to = filled ? columnOf(view, lastEnd) : next;
			const counts = filled && (only === NO_CATEGORY || cats[i - 1] === only);

			begin = to === x + 1 ? end : columnBegin(view, to);
			left = to === x + 1 ? left : to * r % width;
			for (; x < to; x++) { // most runs are short, where fill() is slow
				if (only === NO_CATEGORY)
					cat[x] = filled ? cats[i - 1] : 0;
				share[x] = counts ? FULL_SHARE : 0;
			}
			continue;
		}
		const carry = Math.max(0, Math.min(lastEnd, end) - begin);
		if (!starts) {
			if (only === NO_CATEGORY)
				cat[x] = cats[i - 1];
			share[x++] = only === NO_CATEGORY || cats[i - 1] === only ?
				shareOf(carry, end - begin) : 0;
			begin = end;
			continue;
		}
		const few = Math.min(n, i + LANE_BLOCK);
		let busy = carry, j = i;
		for (let c = 0; c < categories; c++)
			sums[c] = 0;
		if (carry > 0)
			sums[cats[i - 1]] = carry;
		for (; j < few && start[j] < end; j++) {
			sums[cats[j]] += dur[j];
			busy += dur[j];
		}
		if (j === few && j < n && start[j] < end) {
			j = lane.gallop(j, end);
			// The last column takes all that is left.
			if (j - i > SNAP_ABOVE && x + 1 < width)
				j -= j % LANE_BLOCK;
			busy += addMany(lane, few, j, sums, scratch);
		}
		i = j;
		lastEnd = start[i - 1] + dur[i - 1];
		if (lastEnd > end) {
			sums[cats[i - 1]] -= lastEnd - end;
			busy -= lastEnd - end;
		}
		if (only === NO_CATEGORY)
			cat[x] = largestOf(sums);
		share[x++] = only === NO_CATEGORY ? shareOf(busy, end - begin) || 1 :
			shareOf(sums[only], end - begin);
		begin = end;
	}
}

/** Where the longest event of a column, or what is told of it, is nothing. */
export const NO_VALUE = 0xffffffff;

/**
 * The longest event that has a part in each column, the first of several, in events[x]; NO_VALUE
 * where there is none. Nothing is moved as in drawLane(), so that a column with a share may have
 * none. Columns times a logarithm of the lane, and blocks of the view.
 * @param {Uint32Array} events at least width long
 */
export function drawLongest(lane, view, events) {
	const {width} = view;
	let i = lane.from(view.begin); // the first that does not start before column x
	let begin = view.begin;

	for (let x = 0; x < width;) {
		const end = columnBegin(view, x + 1);
		const j = i < lane.n && lane.start[i] < end ? lane.gallop(i, end) : i;
		const isUnderWay = i > 0 && lane.end(i - 1) > begin;
		const first = isUnderWay ? i - 1 : i;
		let to = x + 1;

		if (j === i) { // a run in which nothing starts
			to = i < lane.n ? columnOf(view, lane.start[i]) : width;
			if (isUnderWay)
				to = Math.min(to, columnOf(view, lane.end(i - 1) - 1) + 1);
		}
		events.fill(first < j ? lane.longestOf(first, j) : NO_VALUE, x, to);
		begin = to === x + 1 ? end : columnBegin(view, to);
		x = to;
		i = j;
	}
}

/**
 * The exact ns of each category in each column, in sums[x * categories + cat]; nothing is
 * moved, so they add up to lane.time().
 * @param {Float64Array} sums at least width * categories long
 */
export function laneColumns(lane, view, sums) {
	for (let x = 0; x < view.width; x++) {
		const time = lane.time(columnBegin(view, x), columnBegin(view, x + 1));

		sums.set(time, x * lane.categories);
	}
}
