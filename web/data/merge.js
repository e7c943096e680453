/* SPDX-License-Identifier: MIT */
// All streams of a GPU in the fewest lanes: events in order of start, of those that start together
// the longer first, then by row, each to the lowest lane that is free at its start.

import {Lane} from './lane.js';
/** @import {Head} from '../types.js' */

/**
 * The row of a page that is all streams of a GPU row: they are numbered on behind its rows.
 * @param {Head} head
 */
export function mergedRow(head, gpuRow) {
	return head.rows.length + gpuRow;
}

/**
 * The rows of the streams of a GPU row.
 * @param {Head} head
 */
export function streamsOf(head, gpuRow) {
	return head.rows.flatMap((row, id) => row.kind === 'stream' && row.parent === gpuRow ? [id] : []);
}

/** Where lanes are at, the one with the next event first. */
class Heads {
	constructor(parts) {
		this.parts = parts; // {lane, row}, in order of rows
		this.at = new Uint32Array(parts.length);
		this.heap = [];
		for (let k = parts.length - 1; k >= 0; k--) {
			if (parts[k].lane.n > 0)
				this.heap.unshift(k);
		}
		for (let i = this.heap.length >> 1; i >= 0; i--)
			this.#sink(i);
	}

	#isBefore(x, y) {
		const a = this.parts[x].lane, b = this.parts[y].lane, i = this.at[x], j = this.at[y];

		return (a.start[i] - b.start[j] || b.dur[j] - a.dur[i] || x - y) < 0;
	}

	#sink(from) {
		const {heap} = this;

		for (let i = from, child; (child = 2 * i + 1) < heap.length; i = child) {
			if (child + 1 < heap.length && this.#isBefore(heap[child + 1], heap[child]))
				child++;
			if (!this.#isBefore(heap[child], heap[i]))
				return;
			[heap[i], heap[child]] = [heap[child], heap[i]];
		}
	}

	/** Take the next: calls fn(part, event); false behind the last. */
	take(fn) {
		const {heap} = this;

		if (heap.length === 0)
			return false;
		const k = heap[0];
		fn(k, this.at[k]++);
		if (this.at[k] === this.parts[k].lane.n) {
			const last = heap.pop();

			if (last !== undefined && heap.length > 0)
				heap[0] = last;
		}
		this.#sink(0);
		return true;
	}
}

/** When lanes are free: a tree of minima, so that the lowest free one is a few steps away. */
class FreeLanes {
	constructor(most) {
		this.size = 1;
		while (this.size < most)
			this.size *= 2;
		this.until = new Float64Array(2 * this.size).fill(-Infinity);
	}

	/** The lowest lane that is free at start, which is taken until end then. */
	take(start, end) {
		const {until, size} = this;
		let i = 1;

		while (i < size)
			i = until[2 * i] <= start ? 2 * i : 2 * i + 1;
		const lane = i - size;
		until[i] = end;
		for (i >>= 1; i >= 1; i >>= 1)
			until[i] = Math.min(until[2 * i], until[2 * i + 1]);
		return lane;
	}
}

/** Which part and event comes when, and in which lane: at most as many lanes as there are parts. */
function deal(parts) {
	const n = parts.reduce((sum, {lane}) => sum + lane.n, 0);
	const dealt = {part: new Uint32Array(n), event: new Uint32Array(n), lane: new Uint32Array(n),
		counts: /** @type {number[]} */ ([])};
	const heads = new Heads(parts), free = new FreeLanes(parts.length);
	let at = 0;
	const place = (k, i) => {
		const {lane} = parts[k];
		const number = free.take(lane.start[i], lane.end(i));

		dealt.part[at] = k;
		dealt.event[at] = i;
		dealt.lane[at++] = number;
		dealt.counts[number] = (dealt.counts[number] ?? 0) + 1;
	};

	while (heads.take(place))
		;
	return dealt;
}

/**
 * Some lanes together. Each lane that is made also has, as Uint32Array, row: the row that an event
 * is of, part: which of the parts, and index: which event of that; and the parts themselves.
 * Events times a logarithm of the lanes.
 * @param {{lane: Lane, row: number}[]} parts in order of rows; not none
 */
export function mergeLanes(parts) {
	const {part, event, lane: lanes, counts} = deal(parts);
	const made = counts.map((n) => ({
		start: new Float64Array(n), dur: new Float64Array(n), cat: new Uint8Array(n),
		name: new Uint32Array(n), ref: new Uint32Array(n), row: new Uint32Array(n),
		part: new Uint32Array(n), index: new Uint32Array(n), n: 0,
	}));

	for (let k = 0; k < part.length; k++) {
		const to = made[lanes[k]], {lane, row} = parts[part[k]], i = event[k], at = to.n++;

		for (const column of ['start', 'dur', 'cat', 'name', 'ref'])
			to[column][at] = lane[column][i];
		to.row[at] = row;
		to.part[at] = part[k];
		to.index[at] = i;
	}
	return made.map((columns) => Object.assign(new Lane(columns, parts[0].lane.categories),
		{row: columns.row, part: columns.part, index: columns.index, parts}));
}
