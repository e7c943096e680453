/* SPDX-License-Identifier: MIT */
/*
 * pathline.js - the critical path as a line through the rows: where an operation or call of a row decides how long the run
 * takes, a line lies under it, and it goes on where the path does.
 */
/** @import {Box, Events, Source, State, Theme, Timer} from '../types.js' */

/** More segments than these are not asked for at once. */
const PATH_EVENTS = 100_000;
const PATH_DELAY = 120;
/** Runs of one row that are closer, in pixels, are one. */
const PATH_TOUCHING = 1.5;

/** @typedef {Pick<Events, 'n'|'start'|'dur'> & {targetRow: Uint32Array}} PathEvents */
/** @typedef {{rowId: number, begin: number, end: number}} Run */

/**
 * Segments of a path as runs of one row: [{rowId, begin, end}], by begin. A path that goes to and fro within
 * pixels is a run of each row: there are no more of a row than pixels, however many segments.
 * @param {PathEvents} events  of a row of the kind path: its events()
 * @param {number} near  ns: runs of one row that are not farther apart are one
 */
export function pathRuns(events, near) {
	const runs = [], lastOf = new Map();

	for (let i = 0; i < events.n; i++) {
		const rowId = events.targetRow[i] - 1, begin = events.start[i], end = begin + events.dur[i];
		const last = lastOf.get(rowId);

		if (rowId < 0)
			continue;
		if (last && begin - last.end <= near) {
			last.end = Math.max(last.end, end);
		} else {
			lastOf.set(rowId, {rowId, begin, end});
			runs.push(lastOf.get(rowId));
		}
	}
	return runs;
}

/** Follows the view where state.path is lit. */
export class PathLine {
	/** @type {Timer} */
	#timer = 0;
	#asked = 0;

	/**
	 * @param {Source} source
	 * @param {State} state
	 */
	constructor(source, state, changed) {
		this.source = source;
		this.state = state;
		this.changed = changed;
		this.runs = []; /* by row of the kind path */
		for (const name of ['view', 'path', 'align'])
			state.on(name, () => this.#soon());
		this.#soon();
	}

	#soon() {
		if (this.state.path !== 'lit') {
			this.runs = [];
			this.changed();
			return;
		}
		this.#timer ||= setTimeout(() => {
			this.#timer = 0;
			this.#ask();
		}, PATH_DELAY);
	}

	async #ask() {
		const {a, b} = this.state.view;
		const mine = ++this.#asked;
		const rows = this.source.head.rows.flatMap(({kind}, id) => (kind === 'path' ? [id] : []));
		const near = PATH_TOUCHING * (b - a) / 1000;
		const found = await Promise.all(rows.map((id) => this.source.events(id, Math.floor(a), Math.ceil(b), PATH_EVENTS)))
			.catch(() => []);

		if (mine !== this.#asked || this.state.path !== 'lit')
			return;
		this.runs = found.map((events) => pathRuns(events, near));
		this.changed();
	}

	/**
	 * Draws under the rows.
	 * @param {CanvasRenderingContext2D} context
	 * @param {Theme} theme
	 * @param {(run: Run) => ?Box} boxOf  of a run on the row that stands for its own, which may be folded
	 */
	draw(context, theme, boxOf) {
		for (const runs of this.runs) {
			const boxes = runs.map(boxOf).filter((box) => box !== null);

			context.beginPath();
			boxes.forEach(({x, y, width, height}, i) => {
				const bottom = y + height;
				const last = boxes[i - 1];

				/* From where the path leaves the row before, which may go on below this one. */
				if (last && last.y !== y) {
					context.moveTo(Math.min(x, last.x + Math.max(1, last.width)), last.y + last.height);
					context.lineTo(x, bottom);
				} else {
					context.moveTo(x, bottom);
				}
				context.lineTo(x + Math.max(1, width), bottom);
			});
			for (const [colour, width] of [[theme.sheetText, 5], [theme.pick, 3]]) {
				context.strokeStyle = colour;
				context.lineWidth = width;
				context.stroke();
			}
		}
	}
}
