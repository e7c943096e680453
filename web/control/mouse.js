/* SPDX-License-Identifier: MIT */
/*
 * mouse.js - pointer and wheel on the timeline and the overview: click selects, drag makes a
 * range, Shift+drag pans, wheel scrolls rows, Ctrl+wheel and pinch zoom.
 */
import {el} from '../base/dom.js';
import {cutText, formatNs} from '../base/format.js';
import {timeWords} from '../data/clock.js';
import {differenceLines} from '../data/delta.js';
import {isLevelKind} from '../data/kinds.js';
import {levelWords} from '../data/levels.js';
import {isPromise} from '../data/source.js';
import {RULER_HEIGHT, flagLines, shownName} from '../sheet/overlay.js';
/** @import {App, Range} from '../types.js' */

/** Movements below so many pixels are a click. */
const CLICK_SLOP = 4;
/** Edges of a range snap to events within so many pixels. */
const SNAP = 6;
const WHEEL_ZOOM = 0.0022;
const MOST_SNAPS = 2000;
const OVERVIEW_CURSORS = {window: 'grab', elsewhere: 'pointer', begin: 'ew-resize',
	end: 'ew-resize'};

/* Wheels count pixels, lines or pages. */
function wheelPixels(delta, mode) {
	return delta * (mode === 1 ? 18 : mode === 2 ? 400 : 1);
}

/* How much wider a view is after so many pixels of a wheel. */
function wheelZoom(pixels) {
	return Math.exp(Math.max(-300, Math.min(300, pixels)) * WHEEL_ZOOM);
}

class Pointing {
	#pointers = new Map();
	/** @type {?{kind: string, from: {x: number, y: number}, view: Range, time: number, moved: boolean, scroll: number}} */
	#drag = null;
	#hovered = 0;

	/** @param {App} app */
	constructor(app, canvas, tooltip) {
		this.app = app;
		this.canvas = canvas;
		this.tooltip = tooltip;
		canvas.addEventListener('pointerdown', (event) => this.#down(event));
		canvas.addEventListener('pointermove', (event) => this.#move(event));
		canvas.addEventListener('pointerup', (event) => this.#up(event));
		canvas.addEventListener('pointercancel', (event) => this.#cancel(event));
		canvas.addEventListener('pointerleave', () => this.#leave());
		canvas.addEventListener('dblclick', (event) => this.#double(event));
		canvas.addEventListener('wheel', (event) => this.#wheel(event), {passive: false});
		this.#listenToGestures();
	}

	/* Safari reports pinching by events of its own. */
	#listenToGestures() {
		let before = 1;
		this.canvas.addEventListener('gesturestart', (event) => {
			event.preventDefault();
			before = event.scale;
		});
		this.canvas.addEventListener('gesturechange', (event) => {
			event.preventDefault();
			this.#zoom(this.#place(event).x, before / event.scale);
			before = event.scale;
		});
	}

	#place(event) {
		const box = this.canvas.getBoundingClientRect();
		return {x: event.clientX - box.left, y: event.clientY - box.top};
	}

	#zoom(x, factor) {
		const {state, timeline} = this.app;
		const {a, b} = state.view, at = timeline.timeAt(x);
		state.setView(at - (at - a) * factor, at + (b - at) * factor);
	}

	#down(event) {
		if (event.button !== 0)
			return;
		this.canvas.focus({preventScroll: true});
		this.canvas.setPointerCapture(event.pointerId);
		const place = this.#place(event);
		this.#pointers.set(event.pointerId, place);
		const isPan = event.shiftKey || event.pointerType === 'touch';
		this.#drag = {kind: isPan ? 'pan' : 'range', from: place, view: this.app.state.view,
			time: this.app.timeline.timeAt(place.x), moved: false,
			scroll: this.app.timeline.parts.scroller.scrollTop};
		this.#hideTooltip();
	}

	#move(event) {
		const place = this.#place(event);
		const before = this.#pointers.get(event.pointerId);
		this.app.timeline.pointer = place.x;
		if (!before) {
			this.#hover(place);
			return;
		}
		if (this.#pointers.size === 2)
			this.#pinch(event.pointerId, before, place);
		else
			this.#dragTo(place, event.altKey);
		this.#pointers.set(event.pointerId, place);
	}

	#pinch(id, before, place) {
		const [other] = [...this.#pointers].filter(([key]) => key !== id).map(([, at]) => at);
		const was = Math.hypot(before.x - other.x, before.y - other.y);
		const is = Math.hypot(place.x - other.x, place.y - other.y);
		this.#drag = null;
		if (was > 0 && is > 0)
			this.#zoom((place.x + other.x) / 2, was / is);
	}

	#dragTo(place, isFree) {
		const drag = this.#drag;
		if (!drag)
			return;
		if (!drag.moved && Math.hypot(place.x - drag.from.x, place.y - drag.from.y) < CLICK_SLOP)
			return;
		drag.moved = true;
		const {state, timeline} = this.app;
		if (drag.kind === 'pan') {
			const {a, b} = drag.view;
			const shift = (drag.from.x - place.x) * (b - a) / timeline.width;
			state.setView(a + shift, b + shift);
			timeline.parts.scroller.scrollTop = drag.scroll + drag.from.y - place.y;
			return;
		}
		const time = timeline.timeAt(place.x);
		const from = isFree ? drag.time : this.#snapped(drag.time, drag.from.y);
		const to = isFree ? time : this.#snapped(time, place.y);
		state.setRange({a: Math.round(from), b: Math.round(to)});
	}

	/* The begin or end of an event of the row at y that is close to a time; the time itself, if
	   none is or the source does not answer at once. */
	#snapped(time, y) {
		const {source, timeline} = this.app;
		const at = timeline.rowAt(y);
		if (!at || at.row.picture < 0)
			return time;
		const reach = SNAP * (timeline.timeAt(1) - timeline.timeAt(0));
		const first = Math.floor(time - reach), last = Math.ceil(time + reach) + 1;
		const events = source.events(at.row.picture, first, last, MOST_SNAPS);
		if (isPromise(events) || events.truncated)
			return time;
		let best = time, least = reach;
		for (let i = 0; i < events.n; i++) {
			for (const edge of [events.start[i], events.start[i] + events.dur[i]]) {
				if (Math.abs(edge - time) < least) {
					best = edge;
					least = Math.abs(edge - time);
				}
			}
		}
		return best;
	}

	/* A server may be gone; the timeline says so, a pointer finds nothing. */
	async #hit({x, y}) {
		try {
			return await this.app.timeline.hit(x, y);
		} catch {
			return null;
		}
	}

	async #up(event) {
		const drag = this.#drag;
		this.#pointers.delete(event.pointerId);
		this.#drag = null;
		if (!drag || drag.moved)
			return;
		const flag = this.app.timeline.flagAt(drag.from.x, drag.from.y);
		if (flag) {
			goToFlag(this.app, flag);
			return;
		}
		const found = await this.#hit(drag.from);
		const row = this.app.timeline.rowAt(drag.from.y);
		if (row)
			this.app.state.set('focusRow', row.row.id);
		if (found) {
			this.app.timeline.select(found);
			this.app.panels.reveal();
		} else if (drag.from.y > RULER_HEIGHT) {
			this.app.state.setSelection(null);
		}
	}

	#cancel(event) {
		this.#pointers.delete(event.pointerId);
		this.#drag = null;
	}

	#leave() {
		this.app.timeline.pointer = null;
		this.#hovered++;
		this.#hideTooltip();
		this.app.state.set('hover', null);
		this.app.timeline.request();
	}

	async #double(event) {
		const place = this.#place(event);
		const found = await this.#hit(place);
		if (!found)
			return;
		this.app.timeline.select(found);
		this.app.state.show(found.begin, found.end, 0.3);
	}

	#wheel(event) {
		event.preventDefault();
		const {state, timeline} = this.app;
		const down = wheelPixels(event.deltaY, event.deltaMode);
		const across = wheelPixels(event.deltaX, event.deltaMode);
		const {a, b} = state.view;
		const panBy = (pixels) => {
			const shift = pixels * (b - a) / timeline.width;
			state.setView(a + shift, b + shift);
		};
		if (event.ctrlKey || event.metaKey)
			this.#zoom(this.#place(event).x, wheelZoom(down));
		else if (event.shiftKey)
			panBy(down || across);
		else if (Math.abs(across) > Math.abs(down))
			panBy(across);
		else
			timeline.parts.scroller.scrollTop += down;
	}

	/* Answers may come late and in another order: only that of the last move counts. */
	async #hover(place) {
		const turn = ++this.#hovered;
		const {timeline, state} = this.app;
		timeline.request();
		const flag = timeline.flagAt(place.x, place.y);
		this.canvas.style.cursor = flag ? 'pointer' : '';
		if (flag) {
			this.#showLines(flagLines(this.app.source.head.findings, flag), place);
			return;
		}
		const pair = timeline.rowAt(place.y)?.row.pair;
		const found = pair ? null : await this.#hit(place);
		const lines = pair ? await this.#difference(pair, place) : null;
		if (turn !== this.#hovered)
			return;
		if (lines) {
			this.#showLines(lines, place);
			return;
		}
		if (!found) {
			this.#hideTooltip();
			state.set('hover', null);
			return;
		}
		const level = await this.#level(found, place);
		if (turn !== this.#hovered)
			return;
		this.#showTooltip(found, place, level);
		if (state.hover?.name !== found.number || state.hover?.rowId !== found.rowId)
			state.set('hover', {rowId: found.rowId, name: found.number,
				kind: this.app.source.head.rows[found.rowId].kind});
	}

	/* Of the column of a strip at a place; null where the source does not answer. */
	async #difference(pair, {x}) {
		const {a, b} = this.app.timeline.columnOf(x);
		try {
			return await differenceLines(this.app.source, pair, a, b);
		} catch {
			return null;
		}
	}

	/* What the column of a counter shows at a place, in words; '' of other rows. */
	async #level({rowId}, {x}) {
		const {source, timeline} = this.app;
		const row = source.head.rows[rowId];
		if (!isLevelKind(row.kind))
			return '';
		const {a, b} = timeline.columnOf(x);
		try {
			const [picture] = (await source.pictures([rowId], a, b, 1)).get(rowId) ?? [];
			return levelWords(row, picture.share[0], picture.cat[0]);
		} catch {
			return '';
		}
	}

	#hideTooltip() {
		this.tooltip.hidden = true;
	}

	#showTooltip(found, place, level = '') {
		const name = cutText(found.name);
		const least = found.truncated ? 'at least ' : '';
		const more = found.more > 0 ? `${least}${found.more} more in this pixel` : '';
		const {source, state} = this.app;
		const shown = cutText(shownName(source, found.number));
		this.#showLines([shown, level, formatNs(found.end - found.begin),
			`at ${timeWords(source.head, state.clock, found.begin)}`,
			shown !== name ? name : '', more].filter(Boolean), place);
	}

	/* The first is a title, those behind the second are less important. */
	#showLines(lines, place) {
		const {tooltip, canvas} = this;
		tooltip.replaceChildren(...tooltipLines(lines));
		tooltip.hidden = false;
		const left = canvas.offsetLeft + place.x, room = tooltip.parentElement.clientWidth;
		const most = room - tooltip.offsetWidth - 8;
		tooltip.style.left = `${Math.max(4, Math.min(left + 14, most))}px`;
		const below = place.y + 18;
		const fits = below + tooltip.offsetHeight < tooltip.parentElement.clientHeight;
		tooltip.style.top = `${fits ? below : Math.max(0, place.y - tooltip.offsetHeight - 12)}px`;
	}
}

/* Of several findings at one place, a click goes to the first, the next to the next. */
let flagShown = 0;
/** @param {App} app */
function goToFlag(app, {numbers}) {
	flagShown = numbers[(numbers.indexOf(flagShown) + 1) % numbers.length];
	app.panels.finding(flagShown);
}

/* A title and lines below it, near a place of an element that holds the tooltip. */
function tooltipLines(lines) {
	return lines.map((text, i) => el(i === 0 ? 'div.title' : i > 1 ? 'div.more' : 'div', {}, text));
}

/* What is under the pointer, in words, below the overview. */
function showOverviewLines({overview}, tooltip, {x, y}) {
	const lines = overview.linesAt(x, y);
	tooltip.hidden = !lines;
	if (!lines)
		return;
	tooltip.replaceChildren(...tooltipLines(lines));
	const most = overview.canvas.clientWidth - tooltip.offsetWidth - 4;
	tooltip.style.left = `${Math.max(4, Math.min(x + 10, most))}px`;
}

/**
 * The overview: its window is dragged, its edges zoom, a click goes there.
 * @param {App} app
 */
function mountOverviewMouse(app, canvas) {
	const {overview, state} = app;
	/** @type {?{part: string, x: number, view: Range}} */
	let drag = null;
	const tooltip = el('div.tooltip', {role: 'tooltip', hidden: true});
	canvas.after(tooltip);
	const placeOf = (event) => {
		const box = canvas.getBoundingClientRect();
		return {x: event.clientX - box.left, y: event.clientY - box.top};
	};
	const xOf = (event) => placeOf(event).x;
	canvas.addEventListener('pointerleave', () => {
		tooltip.hidden = true;
	});
	canvas.addEventListener('pointerdown', (event) => {
		if (event.button !== 0)
			return;
		const place = placeOf(event);
		const flag = overview.flagAt(place.x, place.y);
		tooltip.hidden = true;
		if (flag) {
			goToFlag(app, flag);
			return;
		}
		canvas.setPointerCapture(event.pointerId);
		const x = xOf(event), part = overview.partAt(x);
		drag = {part, x, view: state.view};
		if (part === 'elsewhere')
			goToOverview(app, x, event);
	});
	canvas.addEventListener('pointermove', (event) => {
		const x = xOf(event);
		if (!drag) {
			const place = placeOf(event);
			canvas.style.cursor = overview.flagAt(place.x, place.y) ? 'pointer' :
				OVERVIEW_CURSORS[overview.partAt(x)];
			showOverviewLines(app, tooltip, place);
			return;
		}
		const {a, b} = drag.view, shift = overview.timeAt(x) - overview.timeAt(drag.x);
		if (drag.part === 'begin')
			state.setView(Math.min(a + shift, b - 1), b);
		else if (drag.part === 'end')
			state.setView(a, Math.max(b + shift, a + 1));
		else if (drag.part === 'window')
			state.setView(a + shift, b + shift);
	});
	for (const name of ['pointerup', 'pointercancel'])
		canvas.addEventListener(name, () => {
			drag = null;
		});
	canvas.addEventListener('wheel', (event) => {
		event.preventDefault();
		const at = overview.timeAt(xOf(event)), {a, b} = state.view;
		const factor = wheelZoom(wheelPixels(event.deltaY, event.deltaMode));
		state.setView(at - (at - a) * factor, at + (b - at) * factor);
	}, {passive: false});
}

/**
 * On a bar the iteration, elsewhere a view of the same width around the place.
 * @param {App} app
 */
function goToOverview(app, x, event) {
	const {overview, state} = app;
	const t = overview.timeAt(x), {a, b} = state.view;
	const y = event.clientY - overview.canvas.getBoundingClientRect().top;
	const iteration = overview.iterationAt(x, y);
	if (iteration)
		state.show(...iteration, 0.01);
	else
		state.setView(t - (b - a) / 2, t + (b - a) / 2, {jump: true});
}

/**
 * Listens on the canvases of the timeline and the overview.
 * @param {App} app
 */
export function mountMouse(app, canvas, tooltip) {
	new Pointing(app, canvas, tooltip);
	mountOverviewMouse(app, app.overview.canvas);
}
