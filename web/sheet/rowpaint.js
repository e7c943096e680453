/* SPDX-License-Identifier: MIT */
/*
 * rowpaint.js - one row of the timeline in pixels: its lanes from pictures, and over them the
 * events that are wide enough, whose labels are collected for later.
 */
import {isInDoubt} from '../data/account.js';
import {columnColours, isFixed, valueColour, valueMode} from '../data/colourby.js';
import {NAME_COLOURS} from '../base/hues.js';
import {NO_VALUE} from '../data/columns.js';
import {shareDifference} from '../data/delta.js';
import {isLevelKind, isRangeKind} from '../data/kinds.js';
import {categoriesOf, colourOf} from '../data/source.js';
import {LABEL_WIDTH} from './overlay.js';
import {columnsBetween} from './paint.js';
import {LEVELS} from './theme.js';
/** @import {Head, Source, State} from '../types.js' */

/** Events are drawn one by one from this many device pixels; a glyph needs so many CSS ones. */
const EVENT_WIDTH = 3;
const GLYPH_WIDTH = 11;
const MOST_LABELS = 3000;
/** The kind that is drawn as bars, and what is hatched there and in gaps. */
const BAR_KIND = 'gpu';
const HATCHED = new Set(['comm', 'exposed_comm']);

/** Calls that wait are hollow: the thread does nothing in them. */
const WAITING = /Synchronize|StreamWait|EventQuery|^(poll|select|epoll|ppoll|sem_|futex|nanosleep|usleep)|wait/;
/** Rows of operations: what can be isolated. */
const OPERATION_KINDS = new Set(['stream', 'merged']);

/** Streams of a GPU that its compute is divided by, the busiest; the others have little of it. */
const MOST_STREAMS = 6;
/** Labels of streams without compute. */
const NO_COMPUTE = /^Stream \S+ (copy$|.*\*)/;
const streamsByHead = new WeakMap();

/**
 * The ids of these streams of a GPU row.
 * @param {Head} head
 */
export function computeStreams(head, gpuRow) {
	if (!streamsByHead.has(head))
		streamsByHead.set(head, new Map());
	const known = streamsByHead.get(head);
	if (!known.has(gpuRow))
		known.set(gpuRow, head.rows.flatMap(({kind, parent, label, busy}, id) =>
			(kind === 'stream' && parent === gpuRow && !NO_COMPUTE.test(label) ? [{id, busy}] : []))
			.sort((x, y) => y.busy - x.busy).slice(0, MOST_STREAMS).map(({id}) => id));
	return known.get(gpuRow);
}

/** Colours of the theme by themselves. */
const ownColours = Uint8Array.from({length: 256}, (_, i) => i);

export class RowPainter {
	#colours = new Map();
	#columns = new Map();
	/** @type {?number[]} */
	#streams = null;
	#hues = new Map();
	#waits = new Map();

	/**
	 * @param {Source} source
	 * @param {State} state
	 */
	constructor(source, state, painter, feed) {
		this.source = source;
		this.state = state;
		this.painter = painter;
		this.feed = feed;
		/** The coarsest columns of this frame that are drawn wider than their pixels, ns; 0: none. */
		this.coarse = 0;
		/** What overlay.js writes over the pixels of this frame. */
		this.labels = [];
	}

	/** Starts a frame. ratio: device pixels per CSS pixel. */
	begin(theme, ratio) {
		this.theme = theme;
		this.ratio = ratio;
		this.labels = [];
		this.coarse = 0;
		this.#columns.clear();
	}

	#columnsOf(entry, a, b, w) {
		const key = `${entry.a} ${entry.b} ${entry.w}`;
		if (!this.#columns.has(key))
			this.#columns.set(key, columnsBetween(entry, a, b, w));
		return this.#columns.get(key);
	}

	get #lit() { return this.state.flash ?? this.state.lit; }

	/* By category of a row the colour that it has, as the colour mode says. */
	#coloursOf(row) {
		const {head} = this.source;
		const source = row.of;
		const byStream = this.state.colourMode === 'stream' && source.kind === 'stream';
		const lit = this.#lit;
		const isLit = lit !== null && OPERATION_KINDS.has(source.kind);
		const key = `${byStream ? `stream ${row.picture}` : source.kind} ${isLit ? lit.key : ''}`;
		if (!this.#colours.has(key)) {
			const n = categoriesOf(head, source);
			const own = this.#streamColour(row.picture);
			const quiet = isRangeKind(source.kind) || source.kind === 'iterations';
			this.#colours.set(key, Uint8Array.from({length: n}, (_, i) => {
				if (quiet || (isLit && lit.colour >= 0 && lit.colour !== i))
					return this.theme.first.dim;
				return byStream ? own : colourOf(head, source, i);
			}));
		}
		return this.#colours.get(key);
	}

	/* The streams of a GPU have colours in turn. */
	#streamColour(rowId) {
		const {head} = this.source;
		const seen = new Map();
		const streams = this.#streams ??= head.rows.map(({kind, device}) => {
			const n = seen.get(device) ?? 0;
			if (kind === 'stream')
				seen.set(device, n + 1);
			return n % (head.categories.length - 1);
		});
		return streams[rowId] ?? this.theme.first.none;
	}

	/* What the colour of a row is of, beside its category, or null. */
	#byOf(row, entry) {
		const by = valueMode(this.state);
		return by && entry.by === by && !isFixed(row.kind, by) ? by : null;
	}

	/* Ranges that differ in a number only have one colour: their label has # for it. */
	#labelHue(name) {
		let hue = this.#hues.get(name);
		if (hue === undefined) {
			const label = this.source.nameLabel(name);
			hue = 0;
			for (let i = 0; i < label.length; i++)
				hue = (Math.imul(hue, 31) + label.charCodeAt(i)) >>> 0;
			hue %= NAME_COLOURS;
			if (label !== '')
				this.#hues.set(name, hue);
		}
		return hue;
	}

	#isRangeName(name) {
		return this.source.nameWord(name) < 0;
	}

	#isWaiting(name) {
		let waits = this.#waits.get(name);
		if (waits === undefined)
			this.#waits.set(name, waits = WAITING.test(this.source.nameText(name)));
		return waits;
	}

	#valueColour(by, value) {
		if ((by === 'name' || by === 'nvtx') && value !== NO_VALUE && this.#isRangeName(value))
			return this.theme.first.names + this.#labelHue(value);
		return by === 'stream' ? this.#streamColour(value) :
			valueColour(by, value, this.theme.first);
	}

	/* A picture whose categories are colours of the theme, as its values have it. */
	#byValue(picture, by) {
		if (picture.colouredBy !== by) {
			picture.colouredBy = by;
			picture.colours = columnColours(picture, by, (value) =>
				this.#valueColour(by, value));
		}
		return {cat: picture.colours, share: picture.share};
	}

	#hatchedOf(row) {
		const {head} = this.source;
		const {kind} = row;
		const list = kind === 'gpu' ? head.classes : kind === 'gaps' ? head.causes : null;
		return list && list.map(({key}) => HATCHED.has(key));
	}

	/* Of a GPU whose counters contradict its idle time. */
	#isDoubted({kind, picture}) {
		const {findings, rows} = this.source.head;
		return kind === 'gaps' && isInDoubt(findings) && rows[findings[0].row]?.device === rows[picture].device;
	}

	/*
	 * The bars of a GPU, its compute by category: its streams show what it is. A stream's column has the
	 * colour of the category with the most time in it, as its own row has.
	 */
	#drawBars(row, args, pictures) {
		const [picture, column, , y, height, top] = args;
		const {view: {a, b}} = this.state;
		const {head} = this.source;
		const only = head.classes.findIndex(({key}) => key === 'compute');
		const others = head.classes.filter(({key}) => key !== 'compute').map(({colour}) => colour);
		const lit = this.#lit;
		const colours = head.categories.map((_, i) => others.includes(i) ? -1 :
			lit && lit.colour >= 0 && lit.colour !== i ? this.theme.first.dim : i);
		const parts = computeStreams(head, row.picture).flatMap((id) => {
			const part = pictures.get(id);
			return part?.lanes[0] ? [{picture: part.lanes[0],
				column: this.#columnsOf(part, a, b, this.painter.width)}] : [];
		});
		const {tint, mixed} = this.painter.tints(picture, column, only, parts, colours);
		this.painter.bars(...args, tint);
		this.painter.divide(picture, column, mixed, parts, colours, {y, height, top});
	}

	/** A row of rows.js with its pictures (of the feed), at y in CSS pixels; nothing above top. */
	draw(row, entry, y, top, pictures = new Map()) {
		const {a, b} = this.state.view;
		const w = this.painter.width;
		const column = this.#columnsOf(entry, a, b, w);
		const by = this.#byOf(row, entry);
		const colours = by ? ownColours : this.#coloursOf(row);
		const hatched = this.#hatchedOf(row);
		const hatchColour = hatched && colours[hatched.indexOf(true)];
		const isBars = row.kind === BAR_KIND, isLevels = isLevelKind(row.kind);
		const isCoarse = this.#isCoarse(row.picture, (b - a) / w);
		for (let lane = 0; lane < row.lanes && lane < entry.lanes.length; lane++) {
			const place = this.#laneBox(row, lane, y);
			const picture = by ? this.#byValue(entry.lanes[lane], by) : entry.lanes[lane];
			const args = [picture, column, colours, place.y, place.height, top];
			if (isLevels)
				this.painter.levels(...args);
			else if (isBars)
				this.#drawBars(row, args, isCoarse ? new Map() : pictures);
			else
				this.painter.shades(...args);
			if (hatched)
				this.painter.hatch(picture, column, hatched, hatchColour, {...place, top, isBars});
			if (isCoarse)
				this.painter.veil(place.y, place.height, top);
		}
		if (!isBars && !isLevels)
			this.#drawEvents(row, y, top, colours, by);
		if (this.#isDoubted(row)) {
			const all = this.source.head.causes.map(() => true);
			for (let lane = 0; lane < row.lanes && lane < entry.lanes.length; lane++)
				this.painter.hatch(entry.lanes[lane], column, all, colours[0], {...this.#laneBox(row, lane, y), top, isBars});
		}
	}

	/* A column of the data is as wide as an event: it must not look like one. */
	#isCoarse(rowId, nsPerPixel) {
		const ns = this.source.resolution?.(rowId) ?? 0;
		const isCoarse = ns >= EVENT_WIDTH * nsPerPixel;
		if (isCoarse)
			this.coarse = Math.max(this.coarse, ns);
		return isCoarse;
	}

	/** A strip between two GPUs, of their pictures (of the feed) by row id. */
	drawDelta(row, pictures, y, top) {
		const {a, b} = this.state.view;
		const w = this.painter.width;
		const [first, second] = row.drawn.map((id) => pictures.get(id));
		if (!first?.lanes[0] || !second?.lanes[0])
			return;
		const strip = shareDifference(first.lanes[0], second.lanes[0],
			this.#columnsOf(first, a, b, w), this.#columnsOf(second, a, b, w), w);
		const from = Math.round(y * this.ratio), to = Math.round((y + row.height) * this.ratio);
		this.painter.difference(strip, from, to - from, top);
	}

	/* The pixels of a lane of a row at y: device pixels, one free below. */
	#laneBox(row, lane, y) {
		const from = Math.round((y + lane * row.laneHeight) * this.ratio);
		const to = Math.round((y + (lane + 1) * row.laneHeight) * this.ratio);
		return {y: from, height: Math.max(1, to - from - 1)};
	}

	#drawEvents(row, y, top, colours, by) {
		const {view: {a, b}, hover} = this.state;
		const {painter, theme, source} = this;
		const events = this.feed.events(row.picture, row.of, a, b, painter.width);
		if (!events || (by && !events.value))
			return;
		const scale = painter.width / (b - a), steps = LEVELS + 1;
		const isFaded = hover !== null && hover.kind === row.kind;
		const causes = row.kind === 'gaps' ? source.head.causes : null;
		const isRange = !by && (isRangeKind(row.kind) || row.kind === 'iterations');
		const isQuiet = isRange, isCall = !by && (row.kind === 'api' || row.kind === 'osrt');
		const lit = OPERATION_KINDS.has(row.kind) ? this.#lit : null;
		const boxes = Array.from({length: row.lanes}, (_, lane) => this.#laneBox(row, lane, y));
		for (let i = 0; i < events.n; i++) {
			const begin = events.start[i] - a;
			const x1 = Math.round((begin + events.dur[i]) * scale), x0 = Math.round(begin * scale);
			const box = boxes[events.lane[i]];
			if (x1 - x0 < EVENT_WIDTH || x1 <= 0 || x0 >= painter.width || !box)
				continue;
			const name = events.name[i], category = source.nameCategory(name);
			const colour = by ? this.#valueColour(by, events.value[i]) :
				isRange ? theme.first.tints + this.#labelHue(name) : colours[category];
			const full = colour * steps + LEVELS;
			const isOther = (isFaded && name !== hover.name) || (lit && !lit.fits(name, category));
			const isHollow = isCall && this.#isWaiting(name);
			const [fill, edge] = isOther ? [theme.faded[colour], theme.faded[colour]] :
				[isHollow ? theme.faded[colour] : theme.fill[full], theme.edge[full]];
			painter.event(x0, x1, box.y, box.height, top, fill, edge);
			this.#addLabel(x0, x1, box, top, {name, glyph: causes?.[category].glyph ?? '',
				ink: isOther || isHollow || isQuiet ? theme.text : theme.ink[colour], kind: row.kind});
		}
	}

	#addLabel(x0, x1, box, top, what) {
		const x = Math.max(0, x0) / this.ratio;
		const width = Math.min(this.painter.width, x1 - 1) / this.ratio - x;
		const least = what.glyph ? GLYPH_WIDTH : LABEL_WIDTH;
		const isSeen = box.y >= top && box.height >= 9 * this.ratio;
		if (width < least || !isSeen || this.labels.length >= MOST_LABELS)
			return;
		this.labels.push({x, width, y: box.y / this.ratio, height: box.height / this.ratio,
			...what});
	}
}
