/* SPDX-License-Identifier: MIT */
// The times when nothing ran on a GPU, one by one, as `warplens gaps` lists them: from the parts of
// the gaps rows, which have a cause each.

import {NO_EVENT} from './lane.js';
import {openerOf, rangeAround} from './links.js';
import {CAUSE_ROWS} from './source.js';
import {tableOf} from './stats.js';
/** @import {Head, LaneSource} from '../types.js' */

const GAP_COLUMNS = [
	['device', 'GPU', 'count'], ['start', 'Start', 'time'],
	['duration', 'Duration', 'duration'], ['cause', 'Cause', 'enum'],
	['detail', 'Detail', 'string'], ['before', 'Before', 'string'],
	['after', 'After', 'string'], ['opened_by', 'Opened by', 'string'],
	['opened_in', 'Opened in', 'string'],
];

/**
 * Causes of idle time; the categories before are no gaps, because something ran.
 * @param {Head} head
 */
function firstIdle(head) {
	return head.causes.findIndex(({key}) => !key.startsWith('exposed'));
}

/** Whether event i of a lane goes on with the gap that the one before is a part of. */
function continuesGap(lane, idle, i) {
	return lane.cat[i - 1] >= idle && lane.cat[i] >= idle && lane.start[i] === lane.end(i - 1);
}

/** Visit the gaps of a lane with a part in [a, b): fn(first, end) of its events, all of them. */
function visitGaps(lane, idle, a, b, fn) {
	const goesOn = (i) => continuesGap(lane, idle, i);
	const {first, end} = lane.touching(a, b);
	let i = first;

	while (i > 0 && i < end && goesOn(i))
		i--;
	while (i < end) {
		const begin = i++;

		while (i < lane.n && goesOn(i))
			i++;
		if (lane.cat[begin] >= idle)
			fn(begin, i);
	}
}

/** The key with the largest sum: the first that came, or the lowest, as order says. */
function largest(sums, order) {
	return [...sums].sort((x, y) => y[1] - x[1] || order(x[0], y[0]))[0][0];
}

/**
 * Of a gap, in the window: its cause and the detail of most of that.
 * @param {LaneSource} source
 */
function explain(source, lane, first, end, inside) {
	const causes = new Map(), details = new Map();

	for (let i = first; i < end; i++)
		causes.set(lane.cat[i], (causes.get(lane.cat[i]) ?? 0) + inside(i));
	const cause = largest(causes, (x, y) => x - y);
	for (let i = first; i < end; i++) {
		if (lane.cat[i] === cause)
			details.set(lane.name[i], (details.get(lane.name[i]) ?? 0) + inside(i));
	}
	const {key} = source.head.causes[cause];
	const text = source.nameText(largest(details, () => 0));
	const prefix = `${key}: `;

	return {cause: key, detail: text.startsWith(prefix) ? text.slice(prefix.length) : null};
}

/**
 * The operation of a device that ends, or begins, at t: {lane, i, rowId}; of several the first row's, null for none.
 * @param {LaneSource} source
 */
function neighbour(source, device, t, edge) {
	for (const [rowId, row] of source.head.rows.entries()) {
		if (row.kind !== 'stream' || row.device !== device)
			continue;
		for (const lane of source.lanesOf[rowId]) {
			const i = edge === 'begin' ? lane.at(t) : lane.from(t) - 1;
			const found = i >= 0 && (edge === 'begin' ? lane.start[i] : lane.end(i));

			if (found === t)
				return {lane, i, rowId};
		}
	}
	return null;
}

/**
 * The gap that event i of a lane of a gaps row is a part of: {begin, end, before, after}, the last two as of neighbour();
 * null where something ran.
 * @param {LaneSource} source
 */
export function gapAround(source, rowId, lane, i) {
	const idle = firstIdle(source.head);
	const {device} = source.head.rows[rowId];
	let first = i, last = i;

	if (lane.cat[i] < idle)
		return null;
	while (first > 0 && continuesGap(lane, idle, first))
		first--;
	while (last + 1 < lane.n && continuesGap(lane, idle, last + 1))
		last++;
	const begin = lane.start[first], end = lane.end(last);

	return {begin, end, before: neighbour(source, device, begin, 'end'), after: neighbour(source, device, end, 'begin')};
}

/**
 * What opened the gap that event i of a lane of a gaps row is a part of: the call as in openerOf(),
 * its name and the label of the range around it; null where nothing did.
 * @param {LaneSource} source
 */
export function openedBy(source, rowId, lane, i) {
	const call = openerOf(source, rowId, lane, i);

	if (!call)
		return null;
	const range = rangeAround(source, call.rowId, call.lane, call.i);

	return {call, by: source.nameText(call.lane.name[call.i]),
		in: range === NO_EVENT ? null : source.nameLabel(range)};
}

/**
 * The function that the launching thread ran for most of the gap that event i is a part of, and its
 * share of the gap; null where the page knows none.
 * @param {LaneSource} source
 */
export function functionOf(source, lane, i) {
	const number = lane.func?.[i] ?? 0;

	if (!number)
		return null;
	const [name, under] = source.head.functions[number - 1];

	return {name: under ? `${name} under ${under}` : name, share: lane.inFunc[i] / 1e6};
}

/**
 * gaps() of source.js over lanes. Linear in parts of gaps in the range.
 * @param {LaneSource} source
 */
export function rangeGaps(source, a, b, min, device) {
	const {head} = source;
	const idle = firstIdle(head);
	const found = [];

	head.rows.forEach((row, rowId) => {
		if (row.kind !== CAUSE_ROWS || (device >= 0 && row.device !== device))
			return;
		for (const lane of source.lanesOf[rowId]) {
			visitGaps(lane, idle, a, b, (first, end) => {
				const begin = Math.max(a, lane.start[first]);
				const duration = Math.min(b, lane.end(end - 1)) - begin;
				const gap = {rowId, lane, first, end, begin, duration, gpu: row.device};

				if (duration >= min && duration > 0)
					found.push(gap);
			});
		}
	});
	found.sort((x, y) => y.duration - x.duration || x.gpu - y.gpu || x.begin - y.begin);
	const table = tableOf(GAP_COLUMNS, found);
	table.rows = table.rows.map(({rowId, lane, first, end, begin, duration, gpu}) => {
		const inside = (i) =>
			Math.max(0, Math.min(b, lane.end(i)) - Math.max(a, lane.start[i]));
		const {cause, detail} = explain(source, lane, first, end, inside);
		const opened = openedBy(source, rowId, lane, first);
		const nameOf = (op) => (op ? source.nameText(op.lane.name[op.i]) : null);

		return [gpu, begin, duration, cause, detail,
			nameOf(neighbour(source, gpu, lane.start[first], 'end')),
			nameOf(neighbour(source, gpu, lane.end(end - 1), 'begin')),
			opened?.by ?? null, opened?.in ?? null];
	});
	return table;
}
