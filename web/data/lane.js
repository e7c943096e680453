/* SPDX-License-Identifier: MIT */
// A lane: events that do not overlap, in order, ready to be drawn at any zoom. The same as
// src/derive/lanes/lane.h, over typed arrays; times are whole ns in doubles, so all sums are exact.

/** Events per block, for which sums are kept. */
export const LANE_BLOCK = 64;

/** What looking for an event answers when there is none. */
export const NO_EVENT = -1;

/**
 * The first index in [lo, hi) whose value is t or later; hi for none. Logarithmic.
 * @param {Float64Array} values ascending
 */
export function lowerBound(values, lo, hi, t) {
	while (lo < hi) {
		const mid = (lo + hi) >>> 1;

		if (values[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/** Times are ns since the head's origin; nothing changes once it is made. */
export class Lane {
	/**
	 * Takes the arrays as they are; linear in events.
	 * @param {{start: Float64Array, dur: Float64Array, cat: Uint8Array, name: Uint32Array,
	 *          ref: Uint32Array, level?: ?Uint8Array}} columns start ascends, an event ends no later than the next
	 *          one starts; cat is below categories
	 * @param {number} categories 1 to 16
	 */
	constructor(columns, categories) {
		this.n = columns.start.length;
		this.start = columns.start;
		this.dur = columns.dur;
		this.cat = columns.cat;
		this.name = columns.name;
		this.ref = columns.ref;
		this.categories = categories;
		this.level = columns.level ?? null;
		const {before, longest} = this.#index();

		this.before = before;
		this.longestOfBlock = longest;
	}

	/** Time per category before each block and behind the last; the longest event of each. */
	#index() {
		const {n, dur, cat, categories} = this;
		const blocks = Math.ceil(n / LANE_BLOCK);
		const before = new Float64Array((blocks + 1) * categories);
		const longest = new Uint32Array(blocks);

		for (let block = 0; block < blocks; block++) {
			const first = block * LANE_BLOCK;
			const last = Math.min(n, first + LANE_BLOCK);
			const sums = (block + 1) * categories;
			let best = first;

			for (let c = 0; c < categories; c++)
				before[sums + c] = before[sums - categories + c];
			for (let i = first; i < last; i++) {
				before[sums + cat[i]] += dur[i];
				if (dur[i] > dur[best])
					best = i;
			}
			longest[block] = best;
		}
		return {before, longest};
	}

	/** Where event i ends. */
	end(i) {
		return this.start[i] + this.dur[i];
	}

	/** The first event that starts at t or later; n for none. Logarithmic. */
	from(t) {
		return lowerBound(this.start, 0, this.n, t);
	}

	/** The same from event `from` on. A logarithm of how far it is. */
	gallop(from, t) {
		const left = this.n - from;
		let step = 1, lo = from;

		while (step <= left && this.start[from + step - 1] < t) {
			lo = from + step;
			step *= 2;
		}
		return lowerBound(this.start, lo, step <= left ? from + step - 1 : this.n, t);
	}

	/** The event under way at t, else the last of no length that lies there; else NO_EVENT. */
	at(t) {
		const i = this.from(t + 1) - 1;

		return i >= 0 && (t < this.end(i) || this.start[i] === t) ? i : NO_EVENT;
	}

	/** Events [first, end) have a part in [a, b), those of no length when they start there. */
	touching(a, b) {
		let first = this.from(a);
		const end = this.gallop(first, Math.max(a, b));

		if (a < b && first > 0 && this.end(first - 1) > a)
			first--;
		return {first, end};
	}

	/**
	 * The longest event with a part in [a, b), the first of several, of the whole events and
	 * not their parts; NO_EVENT for none. Linear in blocks of the window.
	 */
	longest(a, b) {
		const {first, end} = this.touching(a, b);

		return first < end ? this.longestOf(first, end) : NO_EVENT;
	}

	/** The longest of the events [first, end), which are some; the first of several. */
	longestOf(first, end) {
		const {dur, longestOfBlock} = this;
		// Up to the first whole block, from block to block, and behind the last.
		const border = Math.min(end, Math.ceil(first / LANE_BLOCK) * LANE_BLOCK);
		const last = Math.max(border, end - end % LANE_BLOCK);
		let best = first, most = dur[first];

		for (let i = first + 1; i < border; i++) {
			if (dur[i] > most)
				most = dur[best = i];
		}
		for (let block = border / LANE_BLOCK; block < last / LANE_BLOCK; block++) {
			const i = longestOfBlock[block];

			if (dur[i] > most)
				most = dur[best = i];
		}
		for (let i = last; i < end; i++) {
			if (dur[i] > most)
				most = dur[best = i];
		}
		return best;
	}

	/**
	 * Set sums[0, categories) to the time per category of all events before event i <= n. Looks
	 * at no more than half a block.
	 */
	sumsBefore(i, sums) {
		const {cat, dur, categories} = this;
		const block = Math.floor((i + LANE_BLOCK / 2) / LANE_BLOCK);
		const border = Math.min(block * LANE_BLOCK, this.n);

		for (let c = 0; c < categories; c++)
			sums[c] = this.before[block * categories + c];
		for (let k = border; k < i; k++)
			sums[cat[k]] += dur[k];
		for (let k = i; k < border; k++)
			sums[cat[k]] -= dur[k];
	}

	/** The time per category before t. */
	#sumsUntil(t) {
		const sums = new Float64Array(this.categories);
		const i = this.from(t);

		this.sumsBefore(i, sums);
		if (i > 0 && this.end(i - 1) > t)
			sums[this.cat[i - 1]] -= this.end(i - 1) - t;
		return sums;
	}

	/** Exact ns per category in [a, b), nothing in an empty window. Logarithmic. */
	time(a, b) {
		const sums = new Float64Array(this.categories);

		if (a >= b)
			return sums;
		const begin = this.#sumsUntil(a), end = this.#sumsUntil(b);
		for (let c = 0; c < this.categories; c++)
			sums[c] = end[c] - begin[c];
		return sums;
	}
}
