/* SPDX-License-Identifier: MIT */
/*
 * heat.js - the heat map of a trace, how late each rank is in each step: `lateness` of docs/web.md.
 */
import {formatNs} from '../base/format.js';
import {ofTrace} from './source.js';
/** @import {Head, Lateness} from '../types.js' */

/**
 * The traces that have a map.
 * @param {Head} head
 * @returns {{trace: number, map: Lateness}[]}
 */
export function heatMaps(head) {
	return head.traces.flatMap(({lateness}, trace) => (lateness ? [{trace, map: lateness}] : []));
}

/** How many rows a map has. */
export function heatRows(map) {
	return Math.ceil(map.subjects.length / map.perRow);
}

/** The level of a lateness, which begins at as many times the pace. */
export function heatLevel(map, ns) {
	return Math.min(map.inks.length - 1, Math.floor(ns / map.pace));
}

/**
 * A cell; where several are folded into it, the one with the largest value.
 * @returns {{device: number, rank: number, step: number, ns: number}|null} null: there is none
 */
export function heatCell(map, row, column) {
	const i = row * map.columns + column;
	const ns = map.ns[i] ?? -1;
	const which = map.which ? map.which[i] : 0;

	if (ns < 0 || column < 0 || column >= map.columns)
		return null;
	const [device, rank] = map.subjects[row * map.perRow + Math.floor(which / map.perColumn)];

	return {device, rank, step: map.first + column * map.perColumn + which % map.perColumn, ns};
}

/**
 * "rank", or "GPU" where ranks are unknown, and the number; GPUs count in their trace.
 * @param {Head} head
 */
function heatNumber(head, [device, rank]) {
	const {trace} = head.devices[device];

	return rank >= 0 ? ['rank', rank]
		: ['GPU', device - head.devices.findIndex((other) => other.trace === trace)];
}

/**
 * What a row is of: "rank 3", "ranks 0-15".
 * @param {Head} head
 */
export function heatRowName(head, map, row) {
	const last = Math.min((row + 1) * map.perRow, map.subjects.length) - 1;
	const [what, from] = heatNumber(head, map.subjects[row * map.perRow]);
	const [, to] = heatNumber(head, map.subjects[last]);

	return from === to ? `${what} ${from}` : `${what}s ${from}-${to}`;
}

/**
 * "rank 3, step 12: 6.92 ms late in all collectives", of two traces "B: rank 3, ...".
 * @param {Head} head
 */
export function heatText(head, {device, rank, step, ns}) {
	return ofTrace(head, head.devices[device].trace) +
		`${heatNumber(head, [device, rank]).join(' ')}, step ${step}: ${formatNs(ns)} late in all collectives`;
}

/** The largest cell of a row; null where the row has none. */
export function heatLargest(map, row) {
	/** @type {?{device: number, rank: number, step: number, ns: number, column: number}} */
	let best = null;

	for (let column = 0; column < map.columns; column++) {
		const cell = heatCell(map, row, column);

		if (cell && (!best || cell.ns > best.ns))
			best = {...cell, column};
	}
	return best;
}

/** All cells that are late, the latest first. */
export function heatLatest(map) {
	const rows = Array.from({length: heatRows(map)}, (_, row) => row);

	return rows.flatMap((row) => Array.from({length: map.columns}, (_, column) =>
		heatCell(map, row, column))).filter((cell) => cell !== null).filter(({ns}) => ns > 0)
		.sort((x, y) => y.ns - x.ns || x.device - y.device || x.step - y.step);
}

/** What the levels stand for: [{ink, text}]. */
export function heatLegend(map) {
	return map.inks.map((ink, i) => ({ink,
		text: i ? `from ${formatNs(i * map.pace)}` : `below ${formatNs(map.pace)}`}));
}

/** What a folded map says of its cells; '' where it is not folded. */
export function heatFoldText({perRow, perColumn}) {
	const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

	return perRow > 1 || perColumn > 1
		? `A cell is the largest of ${count(perRow, 'GPU')} and ${count(perColumn, 'step')}.` : '';
}

/**
 * Where a cell is in the timeline: its step on the GPU, and the row of the GPU, -1 for none.
 * @param {Head} head
 * @returns {{a: number, b: number, row: number}|null} null where the page does not have the step
 */
export function heatPlace(head, {device, step}) {
	const process = head.processes[head.devices[device].process];
	const span = process?.iterations[step - process.first];

	return span ? {a: span[0], b: span[1],
		row: head.rows.findIndex((row) => row.kind === 'gpu' && row.device === device)} : null;
}
