// What a lane looks like in a picture: the column function of src/derive/columns.c, with the
// same integers. A picture shows [begin, end) in columns; a column's colour is the category
// with the most time in it, its share says how much of it is busy.
//
// All numbers are integers that a double holds: end - begin is below 2^53, the width below
// 2^26. The share is exact where a column is shorter than 2^45 ns (9.7 h).

import {LANE_BLOCK} from './lane.js';

/** Above so many events that start in a column, its end may move back by less than a block. */
export const SNAP_ABOVE = 1024;

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

/** The last column that begins no later than t >= begin; the width where t is not before the end. */
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

const NOTHING = 0; // no event touches any of the columns
const FILLED = 1; // one event fills all of them
const SUMS = 2; // one column, with sums

/** Goes over the columns of a view, a column or a run of them at a time. */
class ColumnWalk {
	constructor(lane, view, snaps) {
		const span = view.end - view.begin;

		this.lane = lane;
		this.view = view;
		this.snaps = snaps;
		this.q = Math.floor(span / view.width); // the least length of a column
		this.r = span % view.width;
		this.next = 0; // the next column
		this.begin = view.begin; // of it
		this.left = 0; // next * r % width: how near it is to being longer than q
		this.i = lane.from(view.begin); // the first event that is not counted yet
		this.before = new Float64Array(lane.categories); // sums of all before it
		this.until = new Float64Array(lane.categories);
		lane.sumsBefore(this.i, this.before);
		// What the last step found in the columns [x, endX):
		this.kind = NOTHING;
		this.x = 0;
		this.endX = 0;
		this.cat = 0; // of FILLED
		this.length = 0; // of SUMS: ns of the column
		this.starts = false; // of SUMS: an event starts in it
		this.sum = new Float64Array(lane.categories); // of SUMS
	}

	/** Add the time of the events [i, j), which are counted then. */
	#count(j) {
		const {lane, sum, before, until} = this;

		if (j - this.i <= LANE_BLOCK / 2) {
			for (; this.i < j; this.i++) {
				const cat = lane.cat[this.i], dur = lane.dur[this.i];

				sum[cat] += dur;
				before[cat] += dur;
			}
			return;
		}
		lane.sumsBefore(j, until);
		for (let c = 0; c < lane.categories; c++) {
			sum[c] += until[c] - before[c];
			before[c] = until[c];
		}
		this.i = j;
	}

	/** The column up to end, in which [i, j) start and carry ns of an earlier event lie. */
	#sumColumn(j, carry, end) {
		const {lane, sum} = this;
		const starts = j > this.i;

		sum.fill(0);
		if (carry > 0)
			sum[lane.cat[this.i - 1]] += carry;
		this.#count(j);
		if (starts && lane.end(j - 1) > end)
			sum[lane.cat[j - 1]] -= lane.end(j - 1) - end;
	}

	/** The next column becomes x; by one without the divisions of columnBegin(). */
	#goTo(x, end) {
		const width = this.view.width;

		if (x === this.next + 1) {
			this.begin = end;
			this.left += this.r;
			this.left -= this.left >= width ? width : 0;
		} else {
			this.begin = columnBegin(this.view, x);
			this.left = x * this.r % width;
		}
		this.next = x;
	}

	/** Go on; false behind the last column. */
	step() {
		const {lane, view, begin} = this;

		if (this.next === view.width)
			return false;
		const end = begin + this.q + (this.left + this.r >= view.width ? 1 : 0);
		const lastEnd = this.i > 0 ? lane.end(this.i - 1) : begin;
		let j = lane.gallop(this.i, end);

		this.x = this.next;
		if (j === this.i && lastEnd <= begin) {
			this.kind = NOTHING;
			this.endX = j < lane.n ? columnOf(view, lane.start[j]) : view.width;
		} else if (j === this.i && lastEnd >= end) {
			this.kind = FILLED;
			this.cat = lane.cat[this.i - 1];
			this.endX = columnOf(view, lastEnd);
		} else {
			this.kind = SUMS;
			this.endX = this.next + 1;
			this.length = end - begin;
			this.starts = j > this.i;
			// The last column takes all that is left.
			if (this.snaps && j - this.i > SNAP_ABOVE && this.endX < view.width)
				j -= j % LANE_BLOCK;
			this.#sumColumn(j, Math.min(lastEnd, end) - begin, end);
		}
		this.#goTo(this.endX, end);
		return true;
	}
}

function shareOf(busy, length) {
	// More than the column has: with what a snapped column left to this one.
	return busy >= length ? FULL_SHARE : Math.ceil(busy * FULL_SHARE / length);
}

/**
 * Draw: cat[x] is the category with the most time in column x, the lowest of several, and
 * share[x] is 0 for nothing, else 255 * busy / length rounded up, at least 1 where any event
 * touches the column. Columns times a logarithm of the lane.
 * @param {Uint8Array} cat at least width long, as is share
 */
export function drawLane(lane, view, cat, share) {
	const walk = new ColumnWalk(lane, view, true);
	const {sum} = walk;

	while (walk.step()) {
		if (walk.kind !== SUMS) {
			cat.fill(walk.kind === FILLED ? walk.cat : 0, walk.x, walk.endX);
			share.fill(walk.kind === FILLED ? FULL_SHARE : 0, walk.x, walk.endX);
			continue;
		}
		let busy = 0, most = 0;
		for (let c = 0; c < sum.length; c++) {
			busy += sum[c];
			if (sum[c] > sum[most])
				most = c;
		}
		cat[walk.x] = most;
		share[walk.x] = shareOf(busy, walk.length) || (walk.starts ? 1 : 0);
	}
}

/**
 * The exact ns of each category in each column, in sums[x * categories + cat]; nothing is
 * moved, so they add up to lane.time().
 * @param {Float64Array} sums at least width * categories long
 */
export function laneColumns(lane, view, sums) {
	const walk = new ColumnWalk(lane, view, false);
	const n = lane.categories;

	while (walk.step()) {
		for (let x = walk.x; x < walk.endX; x++) {
			if (walk.kind === SUMS) {
				sums.set(walk.sum, x * n);
				continue;
			}
			sums.fill(0, x * n, (x + 1) * n);
			if (walk.kind === FILLED)
				sums[x * n + walk.cat] = columnBegin(view, x + 1) - columnBegin(view, x);
		}
	}
}
