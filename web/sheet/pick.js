/* SPDX-License-Identifier: MIT */
/*
 * pick.js - single events: which one is at a place, in which lane it lies, what it is linked to.
 */

import {workOf} from '../data/work.js';
/** @import {EventRef, Source, State} from '../types.js' */

/** Events of one pixel that are looked at. */
export const MOST_HITS = 4096;
/** At most so many arrows are drawn. */
const MOST_ARROWS = 200;
const MOST_KEPT_LANES = 10000;

function eventKey({rowId, ref, begin}) {
	return `${rowId} ${ref} ${begin}`;
}

/**
 * What a pointer at time t means, of some events of a row and lane, where a pixel is [t, t + pixel)
 * in ns: the event at t if it is as wide as a pixel, else the longest with a part in the pixel.
 * {rowId, lane, i, ref, number (of the name), name, begin, end, more, truncated}; null for none.
 * @param {Pick<Source, 'nameText'>} source
 */
export function eventAt(source, {row, lane}, events, t, pixel) {
	let best = -1, bestWidth = -1, n = 0;
	for (let i = 0; i < events.n; i++) {
		const start = events.start[i], dur = events.dur[i];
		const isInside = start < t + pixel && (start + dur > t || start >= t);
		if (events.lane[i] !== lane || !isInside)
			continue;
		n++;
		const width = start <= t && t < start + dur && dur >= pixel ? Infinity : dur;
		if (width > bestWidth) {
			best = i;
			bestWidth = width;
		}
	}
	if (best < 0)
		return null;
	return {rowId: events.row?.[best] ?? row.picture, lane, i: best, ref: events.ref[best],
		number: events.name[best], name: source.nameText(events.name[best]),
		begin: events.start[best], end: events.start[best] + events.dur[best], more: n - 1,
		truncated: events.truncated};
}

/** Closer than this, in pixels, two operations are outlined as one. */
const TOUCHING = 2;

/**
 * Operations in order of lane and begin as runs on the screen: [{lane, x, width}], of those with a part in [a, b]; perNs is the
 * width of a nanosecond, and a lies at 0. An operation that is wide enough is a run of its own. Of each frame, so nothing is
 * made for an operation that is not drawn.
 */
export function runsOf(ops, {a, b}, perNs) {
	const runs = [];
	/** @type {?{lane: number, x: number, width: number, isSmall: boolean}} */
	let last = null;
	for (const op of ops) {
		if (op.end < a || op.begin > b)
			continue;
		const x = (op.begin - a) * perNs, width = (op.end - op.begin) * perNs;
		const isSmall = width < 3 * TOUCHING;
		if (last !== null && isSmall && last.isSmall && last.lane === op.lane && x - last.x - last.width < TOUCHING)
			last.width = x + width - last.x;
		else
			runs.push(last = {lane: op.lane, x, width, isSmall});
	}
	return runs;
}

/** What the selection is linked to; follows it by itself. */
export class Links {
	#lanes = new Map();
	/** @type {?EventRef} */
	#of = null;
	#cycle = [];
	#turn = 0;
	#arrows = [];

	/**
	 * changed() is called when more is known.
	 * @param {Source} source
	 * @param {State} state
	 */
	constructor(source, state, tree, changed) {
		this.source = source;
		this.state = state;
		this.tree = tree;
		this.changed = changed;
		/** Of the selection, as details() has them; how many of them are launches. */
		this.all = [];
		this.launches = 0;
		/** Where the operations of its launch lie, as details() has it. */
		this.spread = [];
		/** The operations of the range that is selected, or members of the collective, as workOf() has them; or null. */
		this.work = null;
		const follow = () => this.#follow().catch(() => {
			/* The panel says why there are no details; there are no arrows, then. */
		});
		state.on('selection', follow);
		state.on('merged', follow);
		follow();
	}

	/** Links between calls and what they launched, of the selection. */
	get arrows() {
		return this.#of === this.state.selection ? this.#arrows : [];
	}

	/**
	 * The next (1) or previous (-1) of the links of the event from which links were last followed
	 * by this; null where there are none.
	 */
	cycle(step) {
		const {selection} = this.state;
		const now = selection && eventKey(selection);
		const isOfCycle = this.#cycle.some((link) => eventKey(link) === now);
		if (!isOfCycle) {
			this.#cycle = this.all;
			this.#turn = step > 0 ? -1 : 0;
		}
		const n = this.#cycle.length;
		if (n === 0)
			return null;
		this.#turn = (this.#turn + step + n) % n;
		return this.#cycle[this.#turn];
	}

	/* Links of the selection, and between calls and what they launched also as arrows. */
	async #follow() {
		const {selection} = this.state;
		this.all = [];
		this.launches = 0;
		this.spread = [];
		this.work = null;
		if (!selection || !this.source.head.rows[selection.rowId])
			return;
		const details = await this.source.details(selection.rowId, selection.ref, selection.begin);
		await this.#findLane(selection);
		if (this.state.selection !== selection || !details)
			return;
		this.all = details.links;
		const launches = details.links.filter((link) => this.#isLaunch(link, selection));
		this.launches = launches.length;
		this.spread = details.spread;
		this.#arrows = this.#arrowsOf(launches, selection);
		this.#of = selection;
		for (const link of this.#arrows)
			await this.#findLane(link);
		if (selection.name === '' && this.state.selection === selection)
			this.state.setSelection({...selection, name: details.name});
		this.changed();
		const work = await (details.collective ? this.#peersOf(details.collective) : workOf(this.source, selection, details.links));
		if (this.#of !== selection || this.state.selection !== selection)
			return;
		this.work = work;
		this.changed();
	}

	/* The members of a collective, as workOf() has operations. */
	async #peersOf({members}) {
		const rows = new Map();
		for (const member of members) {
			await this.#findLane(member);
			rows.set(member.rowId, [...(rows.get(member.rowId) ?? []), {...member, lane: this.laneOf(member)}]);
		}
		return {rows};
	}

	/* To what a graph launched goes one arrow, to the first: a bracket is over all. */
	#arrowsOf(launches, selection) {
		if (this.spread.length === 0 || this.source.head.rows[selection.rowId].kind !== 'api')
			return launches.slice(0, MOST_ARROWS);
		const begin = Math.min(...launches.map((link) => link.begin));
		return launches.filter((link) => link.begin === begin).slice(0, 1);
	}

	#isLaunch(link, selection) {
		const {rows} = this.source.head;
		const kinds = [rows[link.rowId]?.kind, rows[selection.rowId].kind].sort();
		return kinds[0] === 'api' && kinds[1] === 'stream';
	}

	/* An event may lie in another lane where the streams of its GPU are merged. */
	#laneKey(event) {
		const shown = this.tree.shownRow(event.rowId, this.state.merged);
		return `${shown} ${eventKey(event)}`;
	}

	/* Events come without their lane but from hit(): it is found where the event begins. */
	async #findLane(event) {
		const {rowId, begin} = event, shown = this.tree.shownRow(rowId, this.state.merged);
		if (this.#lanes.has(this.#laneKey(event)) || this.#laneCount(shown) < 2)
			return;
		const events = await this.source.events(shown, begin, begin + 1, MOST_HITS);
		const isIt = (i) => events.ref[i] === event.ref && events.start[i] === begin &&
			(events.row?.[i] ?? rowId) === rowId;
		for (let i = 0; i < events.n; i++)
			if (isIt(i))
				this.keepLane(event, events.lane[i]);
	}

	#laneCount(rowId) {
		return this.tree.nodes.get(rowId)?.lanes ?? 0;
	}

	/** Remembers the lane of an event. */
	keepLane(event, lane) {
		if (this.#lanes.size > MOST_KEPT_LANES)
			this.#lanes.clear();
		this.#lanes.set(this.#laneKey(event), lane);
	}

	/** The lane of an event in its row; 0 while it is not known. */
	laneOf(event) {
		return this.#lanes.get(this.#laneKey(event)) ?? 0;
	}
}
