/* SPDX-License-Identifier: MIT */
/*
 * timeline.js - the sheet of rows: a canvas with labels beside it. One redraw per animation
 * frame, of the rows on the screen only.
 */
import {formatNs} from '../base/format.js';
import {rulerClock} from '../data/clock.js';
import {valueMode} from '../data/colourby.js';
import {columnBegin} from '../data/columns.js';
import {mergedRow} from '../data/merge.js';
import {isPromise} from '../data/source.js';
import {Feed} from './feed.js';
import {groupedTree} from './groups.js';
import {RowLabels} from './layout.js';
import {Overlay, RULER_HEIGHT, flagAt, flagsOf} from './overlay.js';
import {Painter} from './paint.js';
import {PathLine} from './pathline.js';
import {Links, MOST_HITS, eventAt, runsOf} from './pick.js';
import {RowPainter, computeStreams} from './rowpaint.js';
import {RowTree, layRows, rowAt} from './rows.js';
import {rulerOf} from './ruler.js';
import {GpuShares} from './shares.js';
/** @import {Box, EventRef, Head, Laid, Source, State, Theme} from '../types.js' */

/**
 * By row id: how many of its lanes the rows on the screen show; one row may be there twice. Of a GPU also
 * the streams that say what it computes.
 * @param {Head} head
 */
function lanesOf(head, shown) {
	const lanes = new Map();
	for (const {row} of shown) {
		for (const id of row.kind === 'gpu' ? computeStreams(head, row.picture) : [])
			lanes.set(id, Math.max(1, lanes.get(id) ?? 1));
		for (const id of row.drawn)
			if (id >= 0)
				lanes.set(id, Math.max(row.lanes, lanes.get(id) ?? 1));
	}
	return lanes;
}

/** What is said where a file has no more than its columns. */
export function coarseText(ns) {
	return `hatched: resolution of this file ends here, ${formatNs(Math.round(ns))} per column`;
}

export class Timeline {
	#frame = 0;
	/** @type {?EventRef} */
	#unfoldedFor = null;
	#merged = new Map(); // by GPU row: lanes of its merged streams, 0 while they are made
	#rows;
	#grouping = 'rank';
	#fewLanes;
	/** @type {Laid} */
	laid;
	/** @type {number} */
	ratio;

	/**
	 * parts: {canvas, scroller, sheet, labels, pinned} of page.html.
	 * @param {Source} source
	 * @param {State} state
	 * @param {Theme} theme
	 */
	constructor(source, state, parts, theme) {
		this.source = source;
		this.state = state;
		this.parts = parts;
		this.theme = theme;
		this.#rows = new RowTree(source.head, {canMerge: Boolean(source.mergeStreams)});
		this.tree = this.#rows;
		this.#fewLanes = this.#rows.fewLanes;
		this.context = parts.canvas.getContext('2d', {alpha: false});
		this.painter = new Painter();
		this.overlay = new Overlay(this.context, source);
		this.feed = new Feed(source, state.extent, () => this.request());
		this.rowPainter = new RowPainter(source, state, this.painter, this.feed);
		this.shares = new GpuShares(source, state, () => this.#onScreen(parts.scroller.clientHeight)
			.map(({row}) => row), () => this.request());
		this.rowLabels = new RowLabels(parts.labels, state, this.shares);
		this.pinLabels = new RowLabels(parts.pinned, state, this.shares);
		this.links = new Links(source, state, this.tree, () => {
			this.#unfoldLane();
			this.request();
		});
		this.pathLine = new PathLine(source, state, () => this.request());
		this.pointer = null;
		this.drawn = {frames: 0, ms: 0};
		this.#listen();
		this.relay();
		this.shares.soon();
	}

	#listen() {
		const {state} = this;
		for (const name of ['toggled', 'pinned', 'hiddenRows', 'merged', 'grouping', 'filter',
			'sides'])
			state.on(name, () => this.relay());
		state.on('align', () => this.feed.clear());
		for (const name of ['view', 'range', 'marks', 'hover', 'lit', 'flash', 'focusRow', 'colourMode',
			'clock'])
			state.on(name, () => this.request());
		for (const name of ['selection', 'counterpart'])
			state.on(name, () => this.request());
		for (const name of ['view', 'toggled', 'grouping', 'align', 'filter'])
			state.on(name, () => this.shares.soon());
		this.parts.scroller.addEventListener('scroll', () => {
			this.request();
			this.shares.soon();
		}, {passive: true});
		new ResizeObserver(() => this.relay()).observe(this.parts.scroller);
		this.source.onNames?.(() => {
			this.overlay.clear();
			this.request();
		});
	}

	/** Draws at the next animation frame. */
	request() {
		this.#frame ||= requestAnimationFrame(() => {
			this.#frame = 0;
			const begin = performance.now();
			this.draw();
			this.drawn = {frames: this.drawn.frames + 1, ms: performance.now() - begin};
		});
	}

	/** Takes another theme. */
	setTheme(theme) {
		this.theme = theme;
		this.request();
	}

	/** Finds the rows on the sheet again. */
	relay() {
		this.#group();
		this.#mergeStreams();
		this.laid = this.#lay();
		this.request();
	}

	/* With as many lanes of each row as there is room for, at least the usual few. */
	#lay() {
		const room = this.parts.scroller.clientHeight - RULER_HEIGHT;
		const few = this.#fewLanes;
		for (const lanes of [4 * few, 2 * few]) {
			const laid = layRows(Object.assign(this.tree, {fewLanes: lanes}), this.state);
			if (laid.height + laid.pinnedHeight <= room)
				return laid;
		}
		return layRows(Object.assign(this.tree, {fewLanes: few}), this.state);
	}

	#group() {
		const {grouping} = this.state;
		if (grouping === this.#grouping)
			return;
		this.#grouping = grouping;
		this.tree = this.links.tree = groupedTree(this.#rows, grouping);
	}

	/* Lanes of merged streams are made when they are first shown. */
	#mergeStreams() {
		for (const gpu of this.state.merged) {
			const node = this.tree.nodes.get(mergedRow(this.source.head, gpu));
			if (node?.row.kind !== 'merged')
				continue;
			if (!this.#merged.has(gpu))
				this.#merge(gpu);
			node.lanes = this.#merged.get(gpu);
		}
	}

	#merge(gpu) {
		const made = this.source.mergeStreams?.(gpu) ?? 0;
		if (!isPromise(made)) {
			this.#merged.set(gpu, made);
			return;
		}
		this.#merged.set(gpu, 0);
		made.then((lanes) => {
			this.#merged.set(gpu, lanes);
			this.relay();
		}, (error) => this.feed.onError(error));
	}

	/** Width of the canvas in CSS pixels. */
	get width() { return this.parts.canvas.clientWidth; }
	/** Where a time lies, in CSS pixels of the canvas, and the time at such a place. */
	xAt(t) {
		const {a, b} = this.state.view;
		return (t - a) * this.width / (b - a);
	}
	timeAt(x) {
		const {a, b} = this.state.view;
		return a + x * (b - a) / this.width;
	}
	/** CSS pixels above the first row that scrolls. */
	get top() { return RULER_HEIGHT + this.laid.pinnedHeight; }

	#resize() {
		const {canvas, scroller, sheet, pinned} = this.parts;
		const ratio = devicePixelRatio || 1;
		const css = {width: Math.max(50, scroller.clientWidth - pinned.clientWidth),
			height: scroller.clientHeight};
		const width = Math.min(8192, Math.round(css.width * ratio));
		const height = Math.min(8192, Math.round(css.height * ratio));
		if (canvas.width !== width || canvas.height !== height) {
			canvas.width = width;
			canvas.height = height;
			canvas.style.width = `${css.width}px`;
			canvas.style.height = `${css.height}px`;
		}
		sheet.style.height = `${Math.max(this.top + this.laid.height, css.height)}px`;
		pinned.style.height = `${this.top}px`;
		this.painter.resize(width, height);
		this.ratio = width / css.width;
		return {width, css};
	}

	/* Rows on the screen with their place on the canvas; under `top` they are not drawn. */
	#onScreen(height) {
		const scroll = this.parts.scroller.scrollTop;
		const shown = this.laid.pinned.map((row) =>
			({row, y: RULER_HEIGHT + row.y, top: RULER_HEIGHT}));
		for (const row of this.laid.rows) {
			const y = this.top + row.y - scroll;
			if (y + row.height > this.top && y < height)
				shown.push({row, y, top: this.top});
		}
		return shown;
	}

	/** Draws now; not at all where it is not shown, as on paper. */
	draw() {
		if (this.parts.scroller.clientHeight === 0)
			return;
		const {a, b} = this.state.view;
		const {width, css} = this.#resize();
		const ruler = rulerOf(a, b, css.width, undefined,
			rulerClock(this.source.head, this.state.clock, {a, b}));
		const device = (length) => Math.round(length * this.ratio);
		const scroll = this.parts.scroller.scrollTop;
		const shown = this.#onScreen(css.height);
		this.feed.setBy(valueMode(this.state));
		const pictures = this.feed.pictures(lanesOf(this.source.head, shown), a, b, Math.min(width, b - a));
		this.painter.begin(this.theme, ruler.ticks.map(({t}) => device(this.xAt(t))));
		this.rowPainter.begin(this.theme, this.ratio);
		for (const {row, y, top} of shown) {
			const entry = pictures.get(row.picture);
			if (row.pair)
				this.rowPainter.drawDelta(row, pictures, y, device(top));
			else if (entry)
				this.rowPainter.draw(row, entry, y, device(top), pictures);
			else if (row.top)
				this.painter.band(device(y), device(row.height), device(top), this.theme.band);
		}
		this.context.setTransform(1, 0, 0, 1, 0, 0);
		this.context.putImageData(this.painter.image, 0, 0);
		this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.#drawOver(this.rowPainter.labels, css, ruler);
		this.pinLabels.show(this.laid.pinned, RULER_HEIGHT, -1, Infinity);
		this.rowLabels.show(this.laid.rows, this.top, scroll, scroll + css.height);
	}

	#drawOver(labels, css, ruler) {
		const {state, overlay, theme} = this;
		const x = (t) => this.xAt(t);
		overlay.labels(labels);
		this.#clipped(css, () => {
			this.#drawBrackets();
			this.#drawWork();
			this.pathLine.draw(this.context, theme, (run) => this.#boxOfRun(run));
			this.#drawArrows();
			for (const event of [state.counterpart, state.selection]) {
				const box = event && this.boxOf(event);
				if (box)
					overlay.outline(box, theme);
			}
		});
		const length = state.range && formatNs(Math.round(state.range.b - state.range.a));
		const label = state.range && overlay.rangeLabel(state.range, css.width, x, length);
		overlay.ruler(css.width, theme, ruler, x, label);
		if (state.range)
			overlay.range(state.range, css, theme, x, length, label);
		for (const mark of state.marks) {
			overlay.line(x(mark.begin), css.height, theme.mark, mark.text);
			if (mark.end > mark.begin)
				overlay.line(x(mark.end), css.height, theme.mark, '');
		}
		if (this.laid.rows.length === 0 && state.filter)
			overlay.note(`No row has “${state.filter}” in its name.`, css, theme);
		if (this.rowPainter.coarse > 0)
			overlay.note(coarseText(this.rowPainter.coarse), css, theme);
		for (const flag of flagsOf(this.source.head.findings, x, css.width))
			overlay.line(flag.x, 10, theme.flag, flag.text, css.width);
		if (this.pointer !== null)
			overlay.line(this.pointer, css.height, theme.faint, '');
	}

	/* Draws below what stands still at the top. */
	#clipped(css, fn) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(0, RULER_HEIGHT, css.width, css.height - RULER_HEIGHT);
		this.context.clip();
		fn();
		this.context.restore();
	}

	/* Over what was launched together with the selection: each row once. */
	#drawBrackets() {
		const boxes = new Map();
		for (const part of this.links.spread) {
			const id = this.tree.shownRow(part.rowId, this.state.merged);
			const box = this.boxOfRow(id, part);
			const other = boxes.get(id);
			if (!box)
				continue;
			if (other) {
				const x = Math.min(box.x, other.x);
				box.width = Math.max(box.x + box.width, other.x + other.width) - x;
				box.x = x;
			}
			boxes.set(id, {...box, count: part.count + (other?.count ?? 0)});
		}
		for (const box of boxes.values())
			this.overlay.bracket(box, this.theme, `${box.count} of one launch`);
	}

	/* Round the operations of the range that is selected; those that touch on the screen as one. */
	#drawWork() {
		const {view, merged} = this.state;
		for (const [rowId, ops] of this.links.work?.rows ?? []) {
			const place = this.boxOfRow(this.tree.shownRow(rowId, merged), {begin: view.a, end: view.b});
			if (!place)
				continue;
			const isMerged = merged.has(this.source.head.rows[rowId].parent);
			for (const {lane, x, width} of runsOf(ops, view, place.width / (view.b - view.a)))
				if (isMerged)
					this.overlay.round({x: place.x + x, y: place.y, width, height: place.height}, this.theme);
				else if (lane < place.lanes)
					this.overlay.round({x: place.x + x, y: place.y + lane * place.laneHeight, width,
						height: place.laneHeight - 1}, this.theme);
		}
	}

	/* On the row itself, or where it is folded on what it is under. */
	#boxOfRun({rowId, begin, end}) {
		const {merged} = this.state;
		/** @type {?Box} */
		let box = null;
		let id = rowId;
		while (id >= 0 && !box) {
			box = this.boxOfRow(this.tree.shownRow(id, merged), {begin, end});
			id = this.source.head.rows[id].parent;
		}
		return box;
	}

	#drawArrows() {
		const {selection} = this.state;
		const own = selection && this.boxOf(selection);
		for (const link of this.links.arrows) {
			const other = this.boxOf(link);
			if (!own || !other)
				continue;
			const isLaunch = this.source.head.rows[link.rowId].kind === 'api';
			const [from, to] = isLaunch ? [other, own] : [own, other];
			this.overlay.arrow({x: from.x, y: from.y + from.height / 2},
				{x: to.x, y: to.y + to.height / 2}, this.theme);
		}
	}

	/** Selects what hit() found. */
	select({rowId, lane, ref, begin, end, name}) {
		const event = {rowId, ref, begin, end, name};
		this.links.keepLane(event, lane);
		this.state.setSelection(event);
	}

	/** The place of [begin, end) of a row on the canvas, all its lanes; null if it is not there. */
	boxOfRow(rowId, {begin, end}) {
		const row = this.laid.rows.find(({id}) => id === rowId);
		const pin = this.laid.pinned.find(({id}) => id === rowId);
		const found = pin ?? row;
		if (!found)
			return null;
		const y = pin ? RULER_HEIGHT + pin.y : this.top + found.y - this.parts.scroller.scrollTop;
		const x = this.xAt(begin), {laneHeight, lanes} = found;
		return {x, y, width: this.xAt(end) - x, height: lanes * laneHeight - 1, lanes, laneHeight};
	}

	/** Where an event {rowId, ref, begin, end} is on the canvas, in CSS pixels; null if nowhere. */
	boxOf(event) {
		const box = this.boxOfRow(this.tree.shownRow(event.rowId, this.state.merged), event);
		const lane = this.links.laneOf(event);
		if (!box || lane >= box.lanes)
			return null;
		const {x, y, width, laneHeight} = box;
		return {x, y: y + lane * laneHeight, width, height: laneHeight - 1};
	}

	/** The flag at a place of the ruler, of flagsOf(); undefined for none. */
	flagAt(x, y) {
		return y < RULER_HEIGHT ? flagAt(flagsOf(this.source.head.findings, (t) => this.xAt(t),
			this.width), x, this.width) : undefined;
	}

	/** The row and lane at a place of the canvas: {row, lane}, or null. */
	rowAt(y) {
		if (y < RULER_HEIGHT)
			return null;
		const inPinned = y < this.top;
		const below = inPinned ? y - RULER_HEIGHT : y - this.top + this.parts.scroller.scrollTop;
		const row = rowAt(inPinned ? this.laid.pinned : this.laid.rows, below);
		if (!row)
			return null;
		const lane = Math.floor((below - row.y) / row.laneHeight);
		return {row, lane: Math.min(Math.max(0, row.lanes - 1), lane)};
	}

	/** The times [a, b) of the column of pixels at a place, in CSS pixels. */
	columnOf(x) {
		const {a, b} = this.state.view;
		const view = {begin: a, end: b, width: this.painter.width};
		const at = Math.max(0, Math.min(view.width - 1, Math.floor(x * this.ratio)));
		return {a: columnBegin(view, at), b: columnBegin(view, at + 1)};
	}

	/**
	 * What is at a place of the canvas, in CSS pixels, as eventAt() has it; null for nothing. A
	 * promise where the source answers later.
	 */
	hit(x, y) {
		const at = this.rowAt(y);
		if (!at || at.row.picture < 0)
			return null;
		const t = this.timeAt(x), pixel = this.timeAt(x + 1 / this.ratio) - t;
		const from = Math.floor(t), to = Math.max(from + 1, Math.ceil(t + pixel));
		const events = this.source.events(at.row.picture, from, to, MOST_HITS);
		const choose = (found) => eventAt(this.source, at, found, t, pixel);
		return isPromise(events) ? events.then(choose) : choose(events);
	}

	/* Shows all lanes of the selection's row if it lies in one that is not shown; once, so that
	   the row can be folded again. */
	#unfoldLane() {
		const {selection} = this.state;
		const row = selection && this.laid.rows.find(({id}) =>
			id === this.tree.shownRow(selection.rowId, this.state.merged));
		if (!row || this.#unfoldedFor === selection)
			return;
		this.#unfoldedFor = selection;
		if (!row.open && this.links.laneOf(selection) >= row.lanes)
			this.state.toggleRow('toggled', row.id);
	}

	/** Unfolds what a row is under and scrolls until it is seen. */
	reveal(id) {
		const {state, tree} = this;
		const rowId = tree.shownRow(id, state.merged);
		const unfolded = tree.toUnfold(rowId, state.toggled);
		if (unfolded.size !== state.toggled.size)
			state.set('toggled', unfolded);
		if (state.hiddenRows.has(rowId))
			state.toggleRow('hiddenRows', rowId);
		const row = this.laid.rows.find((laid) => laid.id === rowId);
		const {scroller} = this.parts;
		if (!row)
			return;
		const room = scroller.clientHeight - this.top;
		if (row.y < scroller.scrollTop || row.y + row.height > scroller.scrollTop + room)
			scroller.scrollTop = Math.max(0, row.y - room / 3);
	}

	/**
	 * Selects an event, its lane if known, and goes there.
	 * @param {EventRef & {lane?: number}} place
	 */
	goTo({lane, rowId, ref, begin, end, name}) {
		const {a, b} = this.state.view;
		const event = {rowId, ref, begin, end, name: name ?? ''};
		if (lane !== undefined)
			this.links.keepLane(event, lane);
		this.state.setSelection(event);
		this.state.set('focusRow', event.rowId);
		this.reveal(event.rowId);
		if (event.begin < a || event.end > b)
			this.#centre(event, b - a);
	}

	#centre(event, span) {
		const width = Math.max(span, (event.end - event.begin) * 1.2);
		const middle = (event.begin + event.end) / 2;
		this.state.setView(middle - width / 2, middle + width / 2, {jump: true});
	}
}
