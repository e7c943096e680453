/* SPDX-License-Identifier: MIT */
// The GPU work of an NVTX range: the operations that were launched in it, or in ranges inside it, on its own thread.

import {NO_VALUE} from './columns.js';
import {isProjectionKind, isRangeKind} from './kinds.js';
import {unionOf} from './stats.js';
/** @import {EventsWith, Link, Source} from '../types.js' */

/** Of one row, at most so many ranges or operations are asked for. */
const WORK_EVENTS = 50_000;

/**
 * The refs of a range and of all inside it, by a row that shows where their work lies.
 * @param {Source} source
 */
async function refsInside(source, {rowId, ref, begin, end}) {
	const events = /** @type {EventsWith<'parent'>} */ (await source.events(rowId, begin, end + 1, WORK_EVENTS));
	const refs = new Set([ref]);

	/* Parents lie in lanes before. */
	for (let i = 0; i < events.n; i++) {
		if (refs.has(events.parent[i]))
			refs.add(events.ref[i]);
	}
	return {refs, truncated: events.truncated};
}

/**
 * Per device: where work of the range lies, from its rows of projections, and the refs of ranges.
 * @param {Source} source
 */
async function placesOf(source, places) {
	const devices = new Map();

	for (const place of places) {
		const {device} = source.head.rows[place.rowId];
		const {refs, truncated} = await refsInside(source, place);
		const known = devices.get(device) ?? {begin: Infinity, end: -Infinity, refs: new Set(), truncated: false};

		devices.set(device, {
			begin: Math.min(known.begin, place.begin),
			end: Math.max(known.end, place.end),
			refs: new Set([...known.refs, ...refs]),
			truncated: known.truncated || truncated,
		});
	}
	return devices;
}

/** @param {Source} source */
async function opsOfRow(source, rowId, {begin, end, refs}) {
	const events = /** @type {EventsWith<'value'>} */ (
		await source.events(rowId, begin, end, WORK_EVENTS, {by: 'range'}));
	const ops = [];

	for (let i = 0; i < events.n; i++) {
		if (events.value[i] !== NO_VALUE && refs.has(events.value[i]))
			ops.push({rowId, lane: events.lane[i], ref: events.ref[i], name: events.name[i],
				begin: events.start[i], end: events.start[i] + events.dur[i]});
	}
	return {ops: ops.sort((x, y) => x.lane - y.lane || x.begin - y.begin), truncated: events.truncated};
}

/**
 * The work of the range that is selected: {rows: Map(rowId -> [{rowId, lane, ref, name, begin, end}] by lane and
 * begin), n, sum, busy (ns: gpu_ops, gpu_sum and gpu_busy of `warplens tree`), truncated}; null for what is no range
 * with work on a GPU, as start/end ranges, whose work is not kept here.
 * @param {Source} source
 * @param {{rowId: number, ref: number, begin: number, end: number}} selection
 * @param {Link[]} links  of details()
 */
export async function workOf(source, selection, links) {
	const {rows} = source.head;
	const places = [selection, ...links.filter(({ref}) => ref === selection.ref)]
		.filter(({rowId}) => isProjectionKind(rows[rowId].kind));

	if (!isRangeKind(rows[selection.rowId].kind) || !places.length)
		return null;
	const work = {rows: new Map(), n: 0, sum: 0, busy: 0, truncated: false};

	for (const [device, place] of await placesOf(source, places)) {
		const own = rows.flatMap((row, id) => (row.kind === 'stream' && row.device === device ? [id] : []));
		const all = await Promise.all(own.map((id) => opsOfRow(source, id, place)));

		all.forEach(({ops}, i) => ops.length && work.rows.set(own[i], ops));
		const ops = all.flatMap((row) => row.ops);
		work.n += ops.length;
		work.sum += ops.reduce((sum, {begin, end}) => sum + end - begin, 0);
		work.busy += unionOf(Float64Array.from(ops, ({begin}) => begin),
			Float64Array.from(ops, ({begin, end}) => end - begin));
		work.truncated ||= place.truncated || all.some(({truncated}) => truncated);
	}
	return work.n ? work : null;
}

/** The operations of workOf() by name: [{name, count, sum, first}], the longest sum first. */
export function workByName(work) {
	const names = new Map();

	for (const op of [...work.rows.values()].flat()) {
		const known = names.get(op.name) ?? {name: op.name, count: 0, sum: 0, first: op};

		known.count++;
		known.sum += op.end - op.begin;
		known.first = op.begin < known.first.begin ? op : known.first;
		names.set(op.name, known);
	}
	return [...names.values()].sort((x, y) => y.sum - x.sum || x.first.begin - y.first.begin);
}
