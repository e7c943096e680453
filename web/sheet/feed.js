/* SPDX-License-Identifier: MIT */
/*
 * feed.js - what a frame draws: asks the source for pictures and events, and has an answer
 * at once: the exact one where the source answers at once, else the last one, which is drawn
 * scaled until the new one is here.
 */
import {isPromise} from '../data/source.js';
/** @import {Source, Timer, Wish} from '../types.js' */

/** Rows are asked for their events below this many per pixel. */
const EVENTS_PER_PIXEL = 4;
/** Rows that have on average more than this per pixel are not even asked. */
const HOPELESS_PER_PIXEL = 64;
/** A view must have stood still for so long, in ms, before a slow source is asked for events. */
const STILL_MS = 120;

function covers(entry, a, b, w, by) {
	return entry !== undefined && entry.a === a && entry.b === b && entry.w === w &&
		entry.by === by;
}

/* Whether what was asked for, Map(rowId -> lanes), has all that is wanted now. */
function hasAll(asked, wanted) {
	return [...wanted].every(([id, lanes]) => asked.get(id) >= lanes);
}

export class Feed {
	#pictures = new Map();
	#events = new Map();
	/** @type {?{a: number, b: number, w: number, by: ?string|undefined, lanes: Map<number, number>}} */
	#asked = null;
	#isSlow = false;
	#stillSince = 0;
	#lastView = '';
	#axis = 0;
	/** @type {Timer} */
	#timer = 0;
	/** @type {Wish} */
	#wish;

	/**
	 * changed() is called when something newer is here.
	 * @param {Source} source
	 */
	constructor(source, extent, changed) {
		this.source = source;
		this.extent = extent;
		this.changed = changed;
		/** @type {(error: Error) => void} */
		this.onError = () => {};
		this.#wish = {};
	}

	/** What pictures and events tell beside their category: wish.by of source.js, or undefined. */
	setBy(by) {
		if (this.#wish.by === by)
			return;
		this.#wish = by ? {by} : {};
		this.#events.clear();
		this.#asked = null;
	}

	/**
	 * Pictures of rows: Map(rowId -> {a, b, w, by, lanes}); of another view than [a, b) in w columns
	 * where the new one is on its way; rows that were never seen are missing.
	 * @param {Map<number, number>} wanted by row: how many of its lanes are drawn
	 */
	pictures(wanted, a, b, w) {
		this.#noteView(a, b, w);
		const missing = new Map([...wanted].filter(([id, lanes]) => {
			const entry = this.#pictures.get(id);
			return !covers(entry, a, b, w, this.#wish.by) || entry.wanted < lanes;
		}));
		if (missing.size > 0)
			this.#ask(missing, a, b, w);
		return this.#pictures;
	}

	/** Forgets everything: times mean something else now. */
	clear() {
		this.#pictures.clear();
		this.#events.clear();
		this.#asked = null;
		this.#axis++;
	}

	#noteView(a, b, w) {
		const view = `${a} ${b} ${w}`;
		if (view !== this.#lastView) {
			this.#lastView = view;
			this.#stillSince = performance.now();
		}
	}

	#ask(lanes, a, b, w) {
		const last = this.#asked;
		if (last && covers(last, a, b, w, this.#wish.by) && hasAll(last.lanes, lanes))
			return;
		const answer = this.source.pictures([...lanes.keys()], a, b, w, {...this.#wish, lanes});
		const {by} = this.#wish;
		const asked = {a, b, w, by, lanes};
		if (!isPromise(answer)) {
			this.#keep(answer, asked);
			return;
		}
		this.#asked = asked;
		this.#isSlow = true;
		const axis = this.#axis;
		answer.then((map) => {
			if (axis === this.#axis)
				this.#keep(map, asked);
			this.changed();
		}, (error) => {
			if (this.#asked === asked)
				this.onError(error);
		}).finally(() => {
			if (this.#asked === asked)
				this.#asked = null;
		});
	}

	#keep(map, {a, b, w, by, lanes: wanted}) {
		for (const [id, lanes] of map)
			this.#pictures.set(id, {a, b, w, by, lanes, wanted: wanted.get(id)});
	}

	/**
	 * The events of a row with a part in [a, b), and some beside it, where there are few enough to
	 * draw each; null where there are too many or they are not here yet.
	 */
	events(rowId, row, a, b, w) {
		const span = b - a;
		const entry = this.#events.get(rowId);
		if (entry?.data && entry.a <= a && entry.b >= b)
			return entry.data;
		if (entry && !entry.data && span >= entry.span * 0.8 && Math.abs(a - entry.at) < span / 2)
			return null;
		const average = row.events * span / (this.extent.end - this.extent.begin);
		if (average > HOPELESS_PER_PIXEL * w)
			return null;
		const rest = STILL_MS - (performance.now() - this.#stillSince);
		if (this.#isSlow && rest > 0) {
			this.#drawAfter(rest);
			return null;
		}
		return this.#askEvents(rowId, a, b, w);
	}

	/* Whatever stands still by then is asked for its events. */
	#drawAfter(ms) {
		this.#timer ||= setTimeout(() => {
			this.#timer = 0;
			this.changed();
		}, ms + 5);
	}

	#askEvents(rowId, a, b, w) {
		const span = b - a, max = EVENTS_PER_PIXEL * w, wish = this.#wish;
		const from = Math.round(a - span / 2), to = Math.round(b + span / 2);
		const answer = this.source.events(rowId, from, to, 2 * max, wish);
		if (isPromise(answer)) {
			this.#events.set(rowId, {data: null, at: a, span});
			const axis = this.#axis;
			answer.then((data) => {
				if (axis !== this.#axis || wish !== this.#wish)
					return;
				this.#events.set(rowId, this.#isShort(data, 2 * max) ? {data: null, at: a, span} :
					{data, a: from, b: to});
				this.changed();
			}, () => this.#events.delete(rowId));
			return null;
		}
		if (!this.#isShort(answer, 2 * max)) {
			this.#events.set(rowId, {data: answer, a: from, b: to});
			return answer;
		}
		const exact = this.source.events(rowId, a, b, max, wish);
		const isShort = this.#isShort(exact, max);
		this.#events.set(rowId, isShort ? {data: null, at: a, span} : {data: exact, a, b});
		return isShort ? null : exact;
	}

	/* Whether events are missing that should be drawn. A file with pictures only has none but the
	   longest of a row, and always says so: they are drawn over the picture. */
	#isShort(events, max) {
		return events.truncated && !(this.source.head.pyramid && events.n < max);
	}
}
