/*
 * timeline.js - the sheet of rows: a canvas with labels beside it. One redraw per animation
 * frame, of the rows on the screen only.
 */
import {Feed} from './feed.js';
import {formatNs} from './format.js';
import {RowLabels} from './layout.js';
import {MOST_ARROWS, Overlay, RULER_HEIGHT} from './overlay.js';
import {Painter, columnsBetween} from './paint.js';
import {RowTree, layRows, rowAt} from './rows.js';
import {rulerOf} from './ruler.js';
import {LEVELS} from './theme.js';
import {categoriesOf, colourOf} from './source.js';

/** Events are drawn one by one from this width in device pixels, and labelled from this in CSS ones. */
const EVENT_WIDTH = 3;
const LABEL_WIDTH = 36;
const GLYPH_WIDTH = 11;
const MOST_LABELS = 3000;
/** Events of one pixel that a hit looks at. */
const MOST_HITS = 4096;
/** Kinds that are drawn as bars. */
const BAR_KIND = 'gpu';
const HATCHED = new Set(['comm', 'exposed_comm']);

function laneKey({rowId, ref, begin}) {
	return `${rowId} ${ref} ${begin}`;
}

export class Timeline {
	#frame = 0;
	#arrows = [];
	#arrowsOf = null;
	#lanes = new Map();
	#colours = new Map();

	/** parts: {canvas, scroller, sheet, labels, pinned} of page.html. */
	constructor(source, state, parts, theme) {
		this.source = source;
		this.state = state;
		this.parts = parts;
		this.theme = theme;
		this.tree = new RowTree(source.head);
		this.context = parts.canvas.getContext('2d', {alpha: false});
		this.painter = new Painter();
		this.overlay = new Overlay(this.context, source);
		this.feed = new Feed(source, state.extent, () => this.request());
		this.rowLabels = new RowLabels(parts.labels, state);
		this.pinLabels = new RowLabels(parts.pinned, state);
		this.pointer = null;
		this.drawn = {frames: 0, ms: 0};
		this.#listen();
		this.relay();
	}

	#listen() {
		const {state} = this;
		for (const name of ['toggled', 'pinned', 'hiddenRows', 'filter'])
			state.on(name, () => this.relay());
		for (const name of ['view', 'range', 'marks', 'hover', 'focusRow', 'colourMode'])
			state.on(name, () => this.request());
		state.on('selection', () => this.#follow());
		this.parts.scroller.addEventListener('scroll', () => this.request(), {passive: true});
		new ResizeObserver(() => this.relay()).observe(this.parts.scroller);
		this.source.onNames?.(() => {
			this.overlay.clear();
			this.request();
		});
		this.#follow();
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

	/** Finds the rows on the sheet anew. */
	relay() {
		this.laid = layRows(this.tree, this.state);
		this.request();
	}

	/** Width of the canvas in CSS pixels. */
	get width() { return this.parts.canvas.clientWidth; }
	/** Where a time lies, in CSS pixels of the canvas, and the time at such a place. */
	xAt(t) { return (t - this.state.view.a) * this.width / (this.state.view.b - this.state.view.a); }
	timeAt(x) { return this.state.view.a + x * (this.state.view.b - this.state.view.a) / this.width; }
	/** CSS pixels above the first row that scrolls. */
	get top() { return RULER_HEIGHT + this.laid.pinnedHeight; }

	#resize() {
		const {canvas, scroller, sheet, pinned} = this.parts;
		const ratio = devicePixelRatio || 1;
		const css = {width: Math.max(50, scroller.clientWidth - pinned.clientWidth), height: scroller.clientHeight};
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
		return {width, height, css};
	}

	/* Rows on the screen with their place on the canvas; under `top` nothing of them is drawn. */
	#onScreen(height) {
		const scroll = this.parts.scroller.scrollTop;
		const shown = this.laid.pinned.map((row) => ({row, y: RULER_HEIGHT + row.y, top: RULER_HEIGHT}));
		for (const row of this.laid.rows) {
			const y = this.top + row.y - scroll;
			if (y + row.height > this.top && y < height)
				shown.push({row, y, top: this.top});
		}
		return shown;
	}

	draw() {
		const {a, b} = this.state.view;
		const {width, height, css} = this.#resize();
		const ruler = rulerOf(a, b, css.width);
		const device = (y) => Math.round(y * this.ratio);
		const scroll = this.parts.scroller.scrollTop;
		const shown = this.#onScreen(css.height);
		const ids = [...new Set(shown.map(({row}) => row.picture).filter((id) => id >= 0))];
		const pictures = this.feed.pictures(ids, a, b, Math.min(width, b - a));
		const grid = this.theme.empty;
		this.painter.begin(this.theme, ruler.ticks.map(({t}) => Math.round(this.xAt(t) * this.ratio)), grid);
		this.columnMaps = new Map();
		const labels = [];
		for (const {row, y, top} of shown) {
			const entry = pictures.get(row.picture);
			if (entry)
				this.#drawRow(row, entry, y, device(top), labels);
			else if (row.top)
				this.painter.band(device(y), device(row.height), device(top), this.theme.band);
		}
		this.context.setTransform(1, 0, 0, 1, 0, 0);
		this.context.putImageData(this.painter.image, 0, 0);
		this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.#drawOver(labels, css, ruler);
		this.pinLabels.show(this.laid.pinned, RULER_HEIGHT, -1, Infinity);
		this.rowLabels.show(this.laid.rows, this.top, scroll, scroll + css.height);
	}

	#columnsOf(entry, a, b, w) {
		const key = `${entry.a} ${entry.b} ${entry.w}`;
		if (!this.columnMaps.has(key))
			this.columnMaps.set(key, columnsBetween(entry, a, b, w));
		return this.columnMaps.get(key);
	}

	/* By category of a row the colour that it has, as the colour mode says. */
	#coloursOf(row) {
		const {head} = this.source;
		const source = head.rows[row.picture];
		const byStream = this.state.colourMode === 'stream' && source.kind === 'stream';
		const key = byStream ? `stream ${row.picture}` : source.kind;
		if (!this.#colours.has(key)) {
			const n = categoriesOf(head, source);
			const streams = head.rows.filter(({kind, device}) => kind === 'stream' && device === source.device);
			const own = streams.indexOf(source) % (head.categories.length - 1);
			this.#colours.set(key, Uint8Array.from({length: n}, (_, i) => byStream ? own : colourOf(head, source, i)));
		}
		return this.#colours.get(key);
	}

	#hatchedOf(row) {
		const {head} = this.source;
		const kind = head.rows[row.picture].kind;
		const list = kind === 'gpu' ? head.classes : kind === 'gaps' ? head.causes : null;
		return list && list.map(({key}) => HATCHED.has(key));
	}

	#drawRow(row, entry, y, top, labels) {
		const {a, b} = this.state.view;
		const w = this.painter.width;
		const column = this.#columnsOf(entry, a, b, w);
		const colours = this.#coloursOf(row);
		const hatched = this.#hatchedOf(row);
		const hatchColour = hatched && this.theme.edge[colours[hatched.indexOf(true)] * (LEVELS + 1) + LEVELS];
		for (let lane = 0; lane < row.lanes && lane < entry.lanes.length; lane++) {
			const place = this.#laneBox(row, lane, y);
			const args = [entry.lanes[lane], column, colours, place.y, place.height, top];
			if (row.kind === BAR_KIND)
				this.painter.bars(...args);
			else
				this.painter.shades(...args);
			if (hatched)
				this.painter.hatch(entry.lanes[lane], column, hatched, place.y, place.height, top, hatchColour);
		}
		if (row.kind !== BAR_KIND)
			this.#drawEvents(row, y, top, colours, labels);
	}

	/* The pixels of a lane of a row at y: device pixels, one free below. */
	#laneBox(row, lane, y) {
		const from = Math.round((y + lane * row.laneHeight) * this.ratio);
		const to = Math.round((y + (lane + 1) * row.laneHeight) * this.ratio);
		return {y: from, height: Math.max(1, to - from - 1)};
	}

	#drawEvents(row, y, top, colours, labels) {
		const {view: {a, b}, hover} = this.state;
		const {painter, theme, source} = this;
		const events = this.feed.events(row.picture, source.head.rows[row.picture], a, b, painter.width);
		if (!events)
			return;
		const scale = painter.width / (b - a), steps = LEVELS + 1;
		const isFaded = hover !== null && hover.kind === row.kind;
		const causes = row.kind === 'gaps' ? source.head.causes : null;
		const boxes = Array.from({length: row.lanes}, (_, lane) => this.#laneBox(row, lane, y));
		for (let i = 0; i < events.n; i++) {
			const begin = events.start[i] - a;
			const x1 = Math.round((begin + events.dur[i]) * scale), x0 = Math.round(begin * scale);
			const box = boxes[events.lane[i]];
			if (x1 - x0 < EVENT_WIDTH || x1 <= 0 || x0 >= painter.width || !box)
				continue;
			const name = events.name[i], category = source.nameCategory(name);
			const colour = colours[category];
			const full = colour * steps + LEVELS;
			if (isFaded && name !== hover.name)
				painter.event(x0, x1, box.y, box.height, top, theme.faded[colour], theme.faded[colour]);
			else
				painter.event(x0, x1, box.y, box.height, top, theme.fill[full], theme.edge[full]);
			this.#addLabel(labels, x0, x1, box, top, {name, glyph: causes?.[category].glyph ?? '',
				ink: isFaded && name !== hover.name ? theme.text : theme.ink[colour]});
		}
	}

	#addLabel(labels, x0, x1, box, top, what) {
		const x = Math.max(0, x0) / this.ratio;
		const width = Math.min(this.painter.width, x1 - 1) / this.ratio - x;
		const least = what.glyph ? GLYPH_WIDTH : LABEL_WIDTH;
		if (width < least || box.y < top || box.height < 9 * this.ratio || labels.length >= MOST_LABELS)
			return;
		labels.push({x, width, y: box.y / this.ratio, height: box.height / this.ratio, ...what});
	}

	#drawOver(labels, css, ruler) {
		const {state, overlay, theme} = this;
		const x = (t) => this.xAt(t);
		overlay.labels(labels);
		this.#clipped(css, () => {
			this.#drawArrows();
			const box = state.selection && this.boxOf(state.selection);
			if (box)
				overlay.outline(box, theme);
		});
		overlay.ruler(state.view, css.width, theme, ruler, x);
		if (state.range)
			overlay.range(state.range, css.width, css.height, theme, x, formatNs(Math.round(state.range.b - state.range.a)));
		for (const mark of state.marks) {
			overlay.line(x(mark.begin), css.height, theme.mark, mark.text);
			if (mark.end > mark.begin)
				overlay.line(x(mark.end), css.height, theme.mark, '');
		}
		this.source.head.findings.forEach(({begin}, i) => {
			if (begin !== null && begin >= state.view.a && begin < state.view.b)
				overlay.line(x(begin), 10, theme.flag, `⚑${i + 1}`);
		});
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

	#drawArrows() {
		const {selection} = this.state;
		if (!selection || this.#arrowsOf !== selection)
			return;
		const own = this.boxOf(selection);
		for (const link of this.#arrows.slice(0, MOST_ARROWS)) {
			const other = this.boxOf(link);
			if (!own || !other)
				continue;
			const isLaunch = this.source.head.rows[link.rowId].kind === 'api';
			const [from, to] = isLaunch ? [other, own] : [own, other];
			this.overlay.arrow({x: from.x, y: from.y + from.height / 2}, {x: to.x, y: to.y + to.height / 2}, this.theme);
		}
	}

	/* Links of the selection, and between calls and what they launched also as arrows. */
	async #follow() {
		const {selection} = this.state;
		this.links = [];
		this.request();
		if (!selection || !this.source.head.rows[selection.rowId])
			return;
		const details = await this.source.details(selection.rowId, selection.ref, selection.begin);
		await this.#findLane(selection);
		if (this.state.selection !== selection || !details)
			return;
		this.links = details.links;
		this.#arrows = details.links.filter((link) => this.#isLaunch(link, selection)).slice(0, MOST_ARROWS);
		this.#arrowsOf = selection;
		for (const link of this.#arrows)
			await this.#findLane(link);
		if (selection.name === '' && this.state.selection === selection)
			this.state.setSelection({...selection, name: details.name});
		this.request();
	}

	#isLaunch(link, selection) {
		const {rows} = this.source.head;
		const kinds = [rows[link.rowId]?.kind, rows[selection.rowId].kind].sort();
		return kinds[0] === 'api' && kinds[1] === 'stream';
	}

	/* Events come without their lane but from hit(): it is found where the event begins. */
	async #findLane(event) {
		const key = laneKey(event);
		if (this.#lanes.has(key) || this.#laneCount(event.rowId) < 2)
			return;
		const events = await this.source.events(event.rowId, event.begin, event.begin + 1, MOST_HITS);
		for (let i = 0; i < events.n; i++)
			if (events.ref[i] === event.ref && events.start[i] === event.begin)
				this.#keepLane(key, events.lane[i]);
	}

	#laneCount(rowId) {
		return this.tree.nodes.get(rowId)?.lanes ?? 0;
	}

	#keepLane(key, lane) {
		if (this.#lanes.size > 10000)
			this.#lanes.clear();
		this.#lanes.set(key, lane);
	}

	/** The lane of an event in its row; 0 while it is not known. */
	laneOf(event) {
		return this.#lanes.get(laneKey(event)) ?? 0;
	}

	/** Selects what hit() found. */
	select({rowId, lane, ref, begin, end, name}) {
		const event = {rowId, ref, begin, end, name};
		this.#keepLane(laneKey(event), lane);
		this.state.setSelection(event);
	}

	/** Where an event {rowId, ref, begin, end} is on the canvas, in CSS pixels; null if nowhere. */
	boxOf(event) {
		const row = this.laid.rows.find(({id}) => id === event.rowId);
		const pin = this.laid.pinned.find(({id}) => id === event.rowId);
		if (!row && !pin)
			return null;
		const y = pin ? RULER_HEIGHT + pin.y : this.top + row.y - this.parts.scroller.scrollTop;
		const height = (pin ?? row).laneHeight - 1;
		const x = this.xAt(event.begin);
		return {x, y: y + this.laneOf(event) * (height + 1), width: this.xAt(event.end) - x, height};
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
		return {row, lane: Math.min(Math.max(0, row.lanes - 1), Math.floor((below - row.y) / row.laneHeight))};
	}

	/**
	 * What is at a place of the canvas, in CSS pixels: {rowId, lane, i, ref, name, begin, end, more},
	 * the longest event with a part in that pixel and how many others have one; null for none.
	 * A promise where the source answers later.
	 */
	hit(x, y) {
		const at = this.rowAt(y);
		if (!at || at.row.picture < 0)
			return null;
		const a = this.timeAt(x), b = this.timeAt(x + 1 / (this.ratio || 1));
		const from = Math.floor(a), to = Math.max(from + 1, Math.ceil(b));
		const events = this.source.events(at.row.picture, from, to, MOST_HITS);
		const choose = (found) => this.#longest(at, found, from, to);
		return typeof events.then === 'function' ? events.then(choose) : choose(events);
	}

	#longest({row, lane}, events, from, to) {
		let best = -1, n = 0;
		for (let i = 0; i < events.n; i++) {
			const isHere = events.lane[i] === lane && events.start[i] < to && events.start[i] + events.dur[i] >= from;
			if (!isHere)
				continue;
			n++;
			if (best < 0 || events.dur[i] > events.dur[best])
				best = i;
		}
		if (best < 0)
			return null;
		return {rowId: row.picture, lane, i: best, ref: events.ref[best], number: events.name[best],
			name: this.source.nameText(events.name[best]), begin: events.start[best],
			end: events.start[best] + events.dur[best], more: n - 1, truncated: events.truncated};
	}

	/** Unfolds what a row is under and scrolls until it is seen. */
	reveal(rowId) {
		const {state, tree} = this;
		const unfolded = tree.toUnfold(rowId, state.toggled);
		if (unfolded.size !== state.toggled.size)
			state.set('toggled', unfolded);
		if (state.hiddenRows.has(rowId))
			state.toggleRow('hiddenRows', rowId);
		const row = this.laid.rows.find(({id}) => id === rowId);
		const {scroller} = this.parts;
		if (!row)
			return;
		const room = scroller.clientHeight - this.top;
		if (row.y < scroller.scrollTop || row.y + row.height > scroller.scrollTop + room)
			scroller.scrollTop = Math.max(0, row.y - room / 3);
	}

	/** Selects an event {rowId, ref, begin, end, name} and goes there; fit: it fills most of the view. */
	goTo({lane, rowId, ref, begin, end, name}, {fit = false} = {}) {
		const {a, b} = this.state.view;
		const event = {rowId, ref, begin, end, name: name ?? ''};
		if (lane !== undefined)
			this.#keepLane(laneKey(event), lane);
		this.state.setSelection(event);
		this.state.set('focusRow', event.rowId);
		this.reveal(event.rowId);
		if (fit)
			this.state.show(event.begin, event.end, 0.5);
		else if (event.begin < a || event.end > b)
			this.#centre(event, b - a);
	}

	#centre(event, span) {
		const width = Math.max(span, (event.end - event.begin) * 1.2);
		const middle = (event.begin + event.end) / 2;
		this.state.setView(middle - width / 2, middle + width / 2, {jump: true});
	}
}
