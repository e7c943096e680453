/* SPDX-License-Identifier: MIT */
/*
 * state.js - what the user looks at: one store, from which everything that is drawn follows.
 * Every change goes through its functions, so that listeners, the history of views and the
 * fragment of the address (#v=..&sel=..&range=..&rows=..) follow by themselves.
 */
import {extentOf} from '../data/source.js';
import {readFragment, writeFragment} from './address.js';
/** @import {Align, EventRef, Head, Lit, Range} from '../types.js' */

/** A new view within this many ms of the last one belongs to the same movement. */
const MOVEMENT_MS = 600;
const HISTORY_LENGTH = 200;
/** The least width of a view in ns: a nanosecond per pixel of a large screen. */
const NARROWEST = 4096;

/** What no address has. */
const UNWRITTEN = new Set(['hover', 'hits', 'lit', 'flash', 'counterpart']);

const stateFields = {
	selection: null, range: null, marks: [], hits: null, hover: null, filter: '',
	colourMode: 'category', theme: 'auto', focusRow: -1, sides: 'all', toggled: new Set(),
	pinned: new Set(), hiddenRows: new Set(), merged: new Set(), grouping: 'rank',
	clock: 'capture', device: -1, lit: null, counterpart: null,
	flash: null, path: '',
};

/**
 * As extentOf() has it, but never empty, even of a trace without events.
 * @param {Head} head
 */
function wholeOf(head) {
	const {begin, end} = extentOf(head);
	if (!Number.isFinite(begin) || !Number.isFinite(end))
		return {begin: 0, end: NARROWEST};
	return {begin, end: Math.max(end, begin + NARROWEST)};
}

function movedBy(thing, ns) {
	return {...thing, begin: thing.begin + ns, end: thing.end + ns};
}

/**
 * The store. Read its fields:
 *   view {a, b}        whole ns, never narrower than NARROWEST, within the extent and a margin
 *   selection          {rowId, ref, begin, end, name} or null
 *   counterpart        of two traces: the same event of the other one, or null
 *   range              {a, b} or null
 *   marks              [{begin, end, text, kept}]
 *   hits               Uint32Array, how many matches begin in each part of the extent, or null
 *   hover              {rowId, name, kind} under the pointer, or null
 *   lit                {key, text, colour, fits(name, category)}: the operations that are looked at, others
 *                      are dim; colour: of all of them, or -1; null for all
 *   flash              the same, as long as the pointer is above a row of a table
 *   filter, colourMode (of actions.js: 'category', ...), theme ('auto', 'light', 'dark')
 *   clock              of clock.js: 'capture', ...
 *   path               'lit': the critical path is a line through the rows; else ''
 *   focusRow           id or -1
 *   device             the GPU whose account is wanted, an index of head.devices; -1: none is
 *   sides              of several traces: 'all', the small letter of one, or 'delta': only what
 *                      compares GPUs
 *   align              of two traces: how they lie beside each other, see align.js; else null
 *   toggled, pinned, hiddenRows      sets of row ids: folded other than by default, ...
 *   grouping           of groups.js: 'rank', ...
 *   merged             set of GPU rows whose streams are shown as one row
 * `store` is where the address is kept: {read() -> fragment, write(fragment, jumps)}. realign(align), of
 * two traces, is AlignedSource.align(): it changes the times of the head.
 */
export class State {
	/** @type {?EventRef} */
	selection;
	/** @type {?EventRef} */
	counterpart;
	/** @type {?Range} */
	range;
	/** @type {{begin: number, end: number, text: string, kept: boolean}[]} */
	marks;
	/** @type {?Uint32Array} */
	hits;
	/** @type {?{rowId: number, name: number, kind: string}} */
	hover;
	/** @type {?Lit} */
	lit;
	/** @type {?Lit} */
	flash;
	/** @type {?Align} */
	align;
	/** @type {string} */
	filter;
	/** @type {string} */
	colourMode;
	/** @type {string} */
	theme;
	/** @type {string} */
	clock;
	/** @type {string} */
	path;
	/** @type {string} */
	sides;
	/** @type {string} */
	grouping;
	/** @type {number} */
	focusRow;
	/** @type {number} */
	device;
	/** @type {Set<number>} */
	toggled;
	/** @type {Set<number>} */
	pinned;
	/** @type {Set<number>} */
	hiddenRows;
	/** @type {Set<number>} */
	merged;
	#listeners = new Map();
	#past = [];
	#jumps = 0; // so many views were left
	#future = [];
	#moved = -Infinity;
	#store;
	#clock;
	#head;
	#realign;

	/**
	 * @param {Head} head
	 * @param {{read: () => string, write: (fragment: string, jumps: number) => void}} store
	 * @param {{clock?: () => number, realign?: ?((align: ?Align) => {align: Align, moved: number[]})}} more
	 */
	constructor(head, store, {clock = () => performance.now(), realign = null} = {}) {
		this.#head = head;
		this.#realign = realign;
		this.align = realign && realign(null).align;
		this.extent = wholeOf(head);
		this.view = {a: this.extent.begin, b: this.extent.end};
		this.#store = store;
		this.#clock = clock;
		Object.assign(this, stateFields);
		for (const name of ['toggled', 'pinned', 'hiddenRows', 'merged'])
			this[name] = new Set();
		this.adopt(store.read());
	}

	/** Calls fn(value) after each change of a field; the answer is a function that ends it. */
	on(name, fn) {
		const list = this.#listeners.get(name) ?? [];
		list.push(fn);
		this.#listeners.set(name, list);
		return () => list.splice(list.indexOf(fn), 1);
	}

	#tell(name) {
		for (const fn of [...this.#listeners.get(name) ?? []])
			fn(this[name]);
		if (!UNWRITTEN.has(name))
			this.#store.write(writeFragment(this), this.#jumps);
	}

	/** Changes a field other than the view. */
	set(name, value) {
		if (!(name in stateFields))
			throw new RangeError(`no such state: ${name}`);
		if (this[name] === value)
			return;
		this[name] = value;
		this.#tell(name);
	}

	setSelection(selection) { this.set('selection', selection); }
	setRange(range) {
		this.set('range', range && {a: Math.min(range.a, range.b), b: Math.max(range.a, range.b)});
	}
	setHits(hits) { this.set('hits', hits); }
	setTheme(theme) { this.set('theme', theme); }
	setFilter(text) { this.set('filter', text); }

	/** Adds a row to a set ('toggled', 'pinned', 'hiddenRows', 'merged') or takes it out. */
	toggleRow(name, rowId) {
		const rows = new Set(this[name]);
		if (!rows.delete(rowId))
			rows.add(rowId);
		this.set(name, rows);
	}

	/**
	 * Looks at [a, b). What was seen before is kept in the history, unless this goes on a movement;
	 * a jump never does.
	 */
	setView(a, b, {jump = false} = {}) {
		const next = this.#within(a, b);
		const now = this.#clock();
		if (next.a === this.view.a && next.b === this.view.b)
			return;
		if (jump || now - this.#moved > MOVEMENT_MS)
			this.#remember();
		this.#moved = jump ? -Infinity : now;
		this.view = next;
		this.#tell('view');
	}

	/** Looks at [begin, end) with room on both sides: the way to go to an event or a finding. */
	show(begin, end, room = 0.1) {
		const pad = Math.max((end - begin) * room, NARROWEST / 4);
		this.setView(begin - pad, end + pad, {jump: true});
	}

	/** Looks at [a, b) first: nothing was seen before. */
	begin(a, b) {
		this.view = this.#within(a, b);
		this.#past.length = this.#future.length = 0;
		this.#tell('view');
	}

	/** The view before the last jump or movement, and back again. */
	back() { this.#travel(this.#past, this.#future); }
	forward() { this.#travel(this.#future, this.#past); }
	get canGoBack() { return this.#past.length > 0; }
	get canGoForward() { return this.#future.length > 0; }

	#travel(from, to) {
		const view = from.pop();
		if (!view)
			return;
		to.push(this.view);
		this.#moved = -Infinity;
		this.view = view;
		this.#tell('view');
	}

	#remember() {
		this.#jumps++;
		this.#past.push(this.view);
		if (this.#past.length > HISTORY_LENGTH)
			this.#past.shift();
		this.#future.length = 0;
	}

	/* Half a view of nothing may be seen at either end, so that the ends can be looked at. */
	#within(a, b) {
		const {begin, end} = this.extent;
		const whole = end - begin;
		const width = Math.min(Math.max(Math.round(b - a), NARROWEST), Math.ceil(whole * 1.1));
		const room = Math.min(width / 2, whole * 0.05);
		const middle = (a + b) / 2;
		const first = Math.max(begin - room, Math.min(middle - width / 2, end + room - width));
		const from = Math.round(first);
		return {a: from, b: from + width};
	}

	/**
	 * Lays two traces beside each other as align.js says. What is seen stays where it is on the
	 * axis: the same part of another iteration; or, where it followsA, at the same time of A.
	 */
	setAlign(wanted, {followsA = false} = {}) {
		const {align, moved} = this.#realign(wanted);
		const {selection, range} = this;
		const by = followsA ? moved[0] : 0;
		this.align = align;
		Object.assign(this.extent, wholeOf(this.#head));
		if (selection)
			this.selection = movedBy(selection, moved[this.#head.rows[selection.rowId]?.trace] ?? 0);
		if (range)
			this.range = {a: range.a + by, b: range.b + by};
		this.marks = this.marks.map((mark) => movedBy(mark, by));
		this.view = this.#within(this.view.a + by, this.view.b + by);
		/* Views of before are of another axis. */
		this.#past.length = this.#future.length = 0;
		this.hits = null;
		for (const name of ['align', 'view', 'range', 'marks', 'selection', 'hits'])
			this.#tell(name);
	}

	/** Takes over what a fragment says; what it does not say stays. */
	adopt(fragment) {
		const {align, finding: _, ...said} = readFragment(fragment);
		if (align && this.#realign)
			this.setAlign(align);
		if (said.view)
			this.view = this.#within(said.view.a, said.view.b);
		for (const name of Object.keys(said))
			if (name !== 'view')
				this[name] = said[name];
		for (const name of Object.keys(said))
			this.#tell(name);
	}
}
