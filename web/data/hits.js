/* SPDX-License-Identifier: MIT */
// What a search found, of hitsOf() in find.js: the hits beside a place, and sums of all.

import {columnAt} from './columns.js';
import {extentOf} from './source.js';
/** @import {EventRef, Found, Head, LaneSource} from '../types.js' */

/** Which comes first: by begin, then row, then ref. */
function compareHits(x, y) {
	return x.begin - y.begin || x.rowId - y.rowId || x.ref - y.ref;
}

/** A place that the next hit is behind and the previous before: of a hit, of a time, of nothing. */
function placeOf(after) {
	if (after === null || after === undefined)
		return {begin: -Infinity, rowId: 0, ref: 0};
	return typeof after === 'number' ? {begin: after, rowId: NaN, ref: NaN} : after;
}

/** How many hits of a part begin before t. Logarithmic. */
function countBefore({lane, at}, t) {
	let lo = 0, hi = at.length;

	while (lo < hi) {
		const middle = (lo + hi) >> 1;

		if (lane.start[at[middle]] < t)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/** The nearest hits on both sides of a place. */
class Nearest {
	constructor(after) {
		this.place = placeOf(after);
		this.next = null;
		this.previous = null;
		this.before = 0; // hits that are not behind the place
	}

	/* Those that begin at the place are compared one by one, and one more on either side. */
	offerPart(part) {
		const {lane, at} = part;
		const first = countBefore(part, this.place.begin);
		let k = Math.max(0, first - 1);

		this.before += k;
		for (; k < at.length; k++) {
			this.#offer(lane, at[k], part.rowId);
			if (lane.start[at[k]] > this.place.begin)
				break;
		}
	}

	#offer(lane, i, rowId) {
		const hit = {begin: lane.start[i], rowId, ref: lane.ref[i]};
		const side = compareHits(hit, this.place);

		this.before += side > 0 ? 0 : 1;
		if (side > 0 && (!this.next || compareHits(hit, this.next) < 0))
			this.next = {...hit, end: lane.end(i), number: lane.name[i], category: lane.cat[i]};
		else if (side < 0 && (!this.previous || compareHits(hit, this.previous) > 0))
			this.previous = {...hit, end: lane.end(i), number: lane.name[i], category: lane.cat[i]};
	}
}

/** @param {LaneSource} source */
function asHit(source, found) {
	if (!found)
		return null;
	const {rowId, ref, begin, end, category, number} = found;

	return {rowId, ref, begin, end, category, name: source.nameText(number)};
}

/**
 * How many hits begin in each of w columns over the extent of all traces. Linear in hits.
 * @param {LaneSource} source
 */
function hitColumns(source, parts, w) {
	const {begin, end} = extentOf(source.head);
	const view = {begin, end: Math.max(end, begin + w), width: w};
	const columns = new Uint32Array(w);

	for (const {lane, at} of parts) {
		for (const i of at)
			columns[columnAt(view, lane.start[i])]++;
	}
	return columns;
}

/**
 * search() of source.js. Linear in hits once per number of columns, which the parts keep; else logarithmic.
 * @param {LaneSource} source
 */
export function besideHits(source, parts, after, w) {
	const nearest = new Nearest(after);

	if (parts.columns?.length !== w)
		parts.columns = hitColumns(source, parts, w);
	for (const part of parts)
		nearest.offerPart(part);
	return {
		total: parts.reduce((sum, {at}) => sum + at.length, 0),
		hits: parts.columns.slice(),
		index: nearest.before,
		next: asHit(source, nearest.next),
		previous: asHit(source, nearest.previous),
	};
}

/** Lengths are counted in four bins per factor of two; the first are of 0, 1, 2 and 3 ns. */
const BINS = 4;

/** The bin of a length of whole ns. As in src/serve/answers/answer_found.c. */
export function lengthBin(ns) {
	let octave = 0;

	for (; ns >= 2 * BINS; ns = Math.floor(ns / 2))
		octave++;
	return octave * BINS + ns;
}

/** The shortest length of a bin, in ns. */
export function binBegin(bin) {
	const octave = Math.max(0, Math.floor(bin / BINS) - 1);

	return (bin - octave * BINS) * 2 ** octave;
}

/** The number of the step of a process that is under way at t, -1 for none; asked in order of time it is quick. */
function stepFinder(process) {
	const steps = process?.iterations ?? [];
	let at = 0;

	return (t) => {
		while (at > 0 && steps[at - 1][1] > t)
			at--;
		while (at < steps.length && steps[at][1] <= t)
			at++;
		return at < steps.length && steps[at][0] <= t ? process.first + at : -1;
	};
}

/** The longest first, and in order. */
function compareLengths(x, y) {
	return y.end - y.begin - (x.end - x.begin) || compareHits(x, y);
}

/** The n longest hits, the longest first. */
function longestHits(parts, n) {
	let longest = [], least = -1;
	const keep = () => {
		longest = longest.sort(compareLengths).slice(0, n);
		least = longest.length < n ? -1 : longest.at(-1).end - longest.at(-1).begin;
	};

	for (const {rowId, lane, at} of parts) {
		for (const i of at) {
			if (lane.dur[i] < least)
				continue;
			longest.push({begin: lane.start[i], end: lane.end(i), rowId, ref: lane.ref[i], number: lane.name[i], category: lane.cat[i]});
			if (longest.length >= 8 * n)
				keep();
		}
	}
	keep();
	return longest;
}

/**
 * Adds the hits of a part to the sums; [count, ns] of it.
 * @param {Head} head
 */
function addPart(head, {rowId, lane, at}, steps, lengths) {
	const {device, trace, process} = head.rows[rowId];
	const stepAt = stepFinder(head.processes?.[device >= 0 ? head.devices[device]?.process : process]);
	let ns = 0;

	steps[trace] ??= new Map();
	for (const i of at) {
		const length = lane.dur[i], bin = lengthBin(length), step = stepAt(lane.start[i]);

		ns += length;
		lengths[bin] = (lengths[bin] ?? 0) + 1;
		if (step < 0)
			continue;
		if (!steps[trace].has(step))
			steps[trace].set(step, [trace, step, 0, 0]);
		steps[trace].get(step)[2]++;
		steps[trace].get(step)[3] += length;
	}
	return [at.length, ns];
}

/**
 * found() of source.js. Linear in hits.
 * @param {LaneSource} source
 * @returns {Found}
 */
export function sumHits(source, parts, n) {
	const devices = new Map(), steps = [], lengths = [];
	let total = 0, sum = 0;

	for (const part of parts) {
		const {device} = source.head.rows[part.rowId];
		const [count, ns] = addPart(source.head, part, steps, lengths);
		const known = devices.get(device) ?? [device, 0, 0];

		devices.set(device, [device, known[1] + count, known[2] + ns]);
		total += count;
		sum += ns;
	}
	return {total, sum,
		devices: [...devices.values()].sort((x, y) => x[0] - y[0]),
		steps: steps.flatMap((ofTrace) => [...ofTrace.values()].sort((x, y) => x[1] - y[1])),
		lengths: lengths.flatMap((count, bin) => [/** @type {[number, number]} */ ([bin, count])]),
		list: longestHits(parts, n).map((hit) => /** @type {EventRef} */ (asHit(source, hit)))};
}
