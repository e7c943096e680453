/* SPDX-License-Identifier: MIT */
/*
 * lateness.js - the tab of lateness: a heat map of ranks and steps, with a cursor that keys move,
 * and the same as a table.
 */
import {el, swatch} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {heatCell, heatFoldText, heatLargest, heatLatest, heatLegend, heatLevel, heatMaps,
	heatPlace, heatRowName, heatRows, heatText} from '../data/heat.js';
import {ofTrace} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {goToRow} from './lists.js';
/** @import {App} from '../types.js' */

const HEAT_NAMES = 104;
const HEAT_LARGEST = 150;
const HEAT_AXIS = 18;
const HEAT_WIDEST = 40;
/** Numbers below the map are at least as far apart. */
const HEAT_TICKS = 44;
const HEAT_KEYS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
	Home: [0, -Infinity], End: [0, Infinity], PageUp: [-Infinity, 0], PageDown: [Infinity, 0]};

function heatRowHeight(rows) {
	return rows <= 16 ? 20 : rows <= 32 ? 15 : 12;
}

/* 1, 2 or 5 times a power of ten columns. */
function heatEvery(pitch) {
	for (let power = 1; ; power *= 10)
		for (const factor of [1, 2, 5])
			if (power * factor * pitch >= HEAT_TICKS)
				return power * factor;
}

/**
 * Show the step of a cell on its GPU.
 * @param {App} app
 */
function goToCell(app, cell) {
	const {head} = app.source;
	const place = heatPlace(head, cell);

	if (!place) {
		app.say(`Step ${cell.step} is not in this page.`);
		return;
	}
	app.state.setRange({a: place.a, b: place.b});
	app.state.show(place.a, place.b);
	if (place.row >= 0)
		goToRow(app, place.row);
	app.say(heatText(head, cell));
}

/** The map of one trace, as a picture. */
class HeatPicture {
	/** @param {App} app */
	constructor(app, panel, map) {
		this.app = app;
		this.panel = panel;
		this.map = map;
		this.rows = heatRows(map);
		this.rowHeight = heatRowHeight(this.rows);
		this.largest = Array.from({length: this.rows}, (_, row) => heatLargest(map, row));
		this.cursor = this.#latest();
		this.pitch = 0; // until it is drawn
		this.told = el('p.heat-cell', {'aria-live': 'polite'});
		this.canvas = el('canvas.heat', {tabindex: '0', role: 'application',
			'aria-label': 'Lateness by rank and step: arrow keys move, Enter goes to the step',
			on: {keydown: (event) => this.#key(event), focus: () => this.#tell(this.cursor),
				blur: () => this.draw(), click: (event) => this.#click(event),
				pointermove: (event) => this.#tell(this.#at(event)),
				pointerleave: () => this.#tell(this.cursor)}});
		this.#tell(this.cursor);
	}

	#latest() {
		const row = this.largest.reduce((best, cell, i) =>
			((cell?.ns ?? -1) > (this.largest[best]?.ns ?? -1) ? i : best), 0);

		return {row, column: this.largest[row]?.column ?? 0};
	}

	#cell({row, column}) {
		return heatCell(this.map, row, column);
	}

	#tell(place) {
		const cell = place && this.#cell(place);

		this.told.textContent = cell ? heatText(this.app.source.head, cell) : 'no such step';
		this.draw();
	}

	#at({offsetX, offsetY}) {
		const column = Math.floor((offsetX - HEAT_NAMES) / this.pitch);
		const row = Math.floor(offsetY / this.rowHeight);

		return column >= 0 && column < this.map.columns && row >= 0 && row < this.rows
			? {row, column} : null;
	}

	#click(event) {
		const place = this.#at(event);

		if (!place || !this.#cell(place))
			return;
		this.cursor = place;
		this.#tell(place);
		goToCell(this.app, this.#cell(place));
	}

	#key(event) {
		const by = HEAT_KEYS[event.key];
		const within = (at, n) => Math.max(0, Math.min(n - 1, at));

		if (event.ctrlKey || event.altKey || event.metaKey || (!by && event.key !== 'Enter'))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (!by) {
			if (this.#cell(this.cursor))
				goToCell(this.app, this.#cell(this.cursor));
			return;
		}
		this.cursor = {row: within(this.cursor.row + by[0], this.rows),
			column: within(this.cursor.column + by[1], this.map.columns)};
		this.#tell(this.cursor);
		this.#reveal();
	}

	/* The panel scrolls, the page does not. */
	#reveal() {
		const {panel, canvas, rowHeight} = this;
		const top = canvas.offsetTop - panel.offsetTop + this.cursor.row * rowHeight;
		const head = /** @type {HTMLElement} */ (this.told.parentElement).offsetHeight; /* which stays over the map */

		if (top < panel.scrollTop + head)
			panel.scrollTop = top - head;
		else if (top + 2 * rowHeight > panel.scrollTop + panel.clientHeight)
			panel.scrollTop = top + 2 * rowHeight - panel.clientHeight;
	}

	draw() {
		const width = this.panel.clientWidth - 20;
		const height = this.rows * this.rowHeight + HEAT_AXIS;
		const room = width - HEAT_NAMES - HEAT_LARGEST;
		const scale = devicePixelRatio;

		if (room <= 0)
			return;
		this.pitch = Math.min(HEAT_WIDEST, room / this.map.columns);
		this.canvas.width = Math.round(width * scale);
		this.canvas.height = Math.round(height * scale);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
		const style = getComputedStyle(document.documentElement);

		context.scale(scale, scale);
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'middle';
		this.#drawCells(context);
		this.#drawTexts(context, style.getPropertyValue('--ink'));
		this.#drawCursor(context, style);
	}

	#drawCells(context) {
		const {map, pitch, rowHeight} = this;
		const theme = document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
		const inks = map.inks.map((ink) => this.app.source.head.heats[ink][theme]);
		const gap = pitch < 8 ? 0 : 1;

		for (let row = 0; row < this.rows; row++)
			for (let column = 0; column < map.columns; column++) {
				const cell = heatCell(map, row, column);

				if (!cell)
					continue;
				context.fillStyle = inks[heatLevel(map, cell.ns)];
				context.fillRect(HEAT_NAMES + column * pitch, row * rowHeight, pitch - gap,
					rowHeight - 1);
			}
	}

	#drawTexts(context, ink) {
		const {map, pitch, rowHeight} = this;
		const right = HEAT_NAMES + map.columns * pitch + 8;
		const bottom = this.rows * rowHeight + HEAT_AXIS / 2;

		context.fillStyle = ink;
		for (let row = 0; row < this.rows; row++) {
			const y = row * rowHeight + rowHeight / 2;
			const cell = this.largest[row];

			context.textAlign = 'right';
			context.fillText(heatRowName(this.app.source.head, map, row), HEAT_NAMES - 6, y);
			context.textAlign = 'left';
			if (cell)
				context.fillText(`${formatNs(cell.ns)}, step ${cell.step}`, right, y);
		}
		context.textAlign = 'center';
		for (let column = 0; column < map.columns; column += heatEvery(pitch))
			context.fillText(String(map.first + column * map.perColumn),
				HEAT_NAMES + (column + 0.5) * pitch, bottom);
		context.textAlign = 'left';
		context.fillText('largest', right, bottom);
		context.textAlign = 'right';
		context.fillText('step', HEAT_NAMES - 6, bottom);
	}

	/* Two lines: one of them is seen on each ink. */
	#drawCursor(context, style) {
		if (document.activeElement !== this.canvas)
			return;
		for (const [key, width] of [['--sheet', 4], ['--focus', 2]]) {
			context.strokeStyle = style.getPropertyValue(key);
			context.lineWidth = width;
			context.strokeRect(HEAT_NAMES + this.cursor.column * this.pitch,
				this.cursor.row * this.rowHeight, this.pitch, this.rowHeight - 1);
		}
	}
}

/**
 * Late cells as a table, the latest first.
 * @param {App} app
 */
function latenessTable(app, map) {
	const {head} = app.source;
	const cells = heatLatest(map);
	const rows = cells.map((cell, i) => [heatText(head, cell).split(',')[0], cell.step, cell.ns, i]);

	return makeTable(app, 'Lateness by rank and step, the latest first',
		{columns: tableColumns([['rank', 'Rank', 'string'], ['step', 'Step', 'count'],
			['lateness', 'Lateness', 'duration']]), rows},
		{go: (row) => () => goToCell(app, cells[row[3]]), goTitle: 'Show this step'});
}

/** @param {App} app */
function mapPart(app, panel, {trace, map}) {
	const {head} = app.source;
	const picture = new HeatPicture(app, panel, map);
	const part = el('div', {},
		el('p.of', {}, `${ofTrace(head, trace)}How much later than the median member each rank ` +
			'arrives at collectives, summed over all collectives of a step: the sum may exceed what the step loses. ' +
			heatFoldText(map)),
		el('div.heat-head', {},
			el('ul.legend', {'aria-label': 'Levels'}, ...heatLegend(map).map(({ink, text}) =>
				el('li', {}, swatch(head.heats[ink]), text))),
			picture.told),
		picture.canvas,
		el('details', {}, el('summary', {}, 'Lateness as a table'), latenessTable(app, map)));

	return {picture, part};
}

/**
 * Fill the tab; only where a trace has a map.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} draws again; to be called when the panel becomes visible
 */
export function mountLateness(app, panel) {
	const maps = heatMaps(app.source.head).map((map) => mapPart(app, panel, map));
	const refresh = () => {
		if (!panel.hidden)
			maps.forEach(({picture}) => picture.draw());
	};

	panel.replaceChildren(...maps.map(({part}) => part));
	app.state.on('theme', refresh);
	addEventListener('resize', refresh);
	return {refresh};
}
