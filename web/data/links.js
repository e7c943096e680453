/* SPDX-License-Identifier: MIT */
// Which event belongs to which: an operation to the call that launched it, both to the NVTX
// ranges around that call. What is found by looking at all of a lane is kept.

import {NO_EVENT, lowerBound} from './lane.js';
/** @import {Lane, LaneSource} from '../types.js' */

/** Of lane.launch: the operation has no launch that is known. */
export const NO_LAUNCH = 0xffffffff;

/** Of lane.parent and of events: the range is inside no other. */
export const NO_PARENT = 0xffffffff;

/** Of lane.span and of events: how an NVTX event was recorded. */
export const STYLE_PUSH_POP = 0;
export const STYLE_START_END = 1;
export const STYLE_MARK = 2;

/** The first event of a lane with a ref; NO_EVENT for none. Logarithmic but for the first time. */
function findRef(lane, ref) {
	if (!lane.byRef) {
		lane.byRef = lane.ref.map((_, i) => i);
		// Most lanes are in order of their refs.
		if (lane.ref.some((value, i) => i > 0 && value < lane.ref[i - 1]))
			lane.byRef.sort((x, y) => lane.ref[x] - lane.ref[y] || x - y);
		lane.sortedRef = lane.byRef.map((i) => lane.ref[i]);
	}
	const at = lowerBound(lane.sortedRef, 0, lane.n, ref);
	return at < lane.n && lane.sortedRef[at] === ref ? lane.byRef[at] : NO_EVENT;
}

/** The event of a lane with a ref that begins then; NO_EVENT for none. Logarithmic. */
function findAt(lane, ref, begin) {
	for (let i = lane.from(begin); i < lane.n && lane.start[i] === begin; i++) {
		if (lane.ref[i] === ref)
			return i;
	}
	return NO_EVENT;
}

/**
 * An event of a row by its ref, and where several have it its begin: {lane, i, rowId} or null.
 * @param {LaneSource} source
 * @param {number} rowId
 * @param {number} ref
 * @param {number} [begin]
 */
export function findEvent(source, rowId, ref, begin) {
	for (const lane of source.lanesOf[rowId] ?? []) {
		const i = begin === undefined ? findRef(lane, ref) : findAt(lane, ref, begin);

		if (i !== NO_EVENT)
			return {lane, i, rowId};
	}
	return null;
}

/**
 * The rows of a kind that a row's host side can be in: of its process, else of its trace.
 * @param {LaneSource} source
 */
function hostRows(source, row, kind) {
	const rows = [];

	source.head.rows.forEach((other, id) => {
		if (other.kind === kind && other.trace === row.trace &&
		    (row.process < 0 || other.process === row.process))
			rows.push(id);
	});
	return rows;
}

/**
 * The call of a ref that a row's host side has: {lane, i, rowId}, or null.
 * @param {LaneSource} source
 */
function findCall(source, rowId, ref) {
	if (ref === NO_LAUNCH)
		return null;
	for (const id of hostRows(source, source.head.rows[rowId], 'api')) {
		const call = findEvent(source, id, ref);

		if (call)
			return call;
	}
	return null;
}

/**
 * The call that launched event i of a lane of a stream: {lane, i, rowId}, or null.
 * @param {LaneSource} source
 */
export function launchOf(source, rowId, lane, i) {
	return findCall(source, rowId, lane.launch?.[i] ?? NO_LAUNCH);
}

/**
 * The blocking call that opened the gap that event i of a lane of a gaps row is a part of, in the same way.
 * @param {LaneSource} source
 */
export function openerOf(source, rowId, lane, i) {
	return findCall(source, rowId, lane.opener?.[i] ?? NO_LAUNCH);
}

/**
 * The row of a kind of the thread that a row is of; -1 for none.
 * @param {LaneSource} source
 */
export function rowOfThread(source, row, kind) {
	return source.head.rows.findIndex((other) => other.kind === kind &&
		other.trace === row.trace && other.process === row.process &&
		other.thread === row.thread);
}

/**
 * The NVTX row of the thread that the process of an API row is anchored to; -1 for none.
 * @param {LaneSource} source
 */
function anchorRow(source, apiRow) {
	const row = source.head.rows[apiRow];
	const thread = source.head.processes?.[row.process]?.anchor ?? -1;

	return thread < 0 || thread === row.thread ? -1 : rowOfThread(source, {...row, thread}, 'nvtx');
}

/**
 * The ranges of a row that are open at begin and do not end before end, the outermost first. Those
 * that a handle opens and closes hold no launches.
 * @param {LaneSource} source
 */
function openRanges(source, rowId, begin, end) {
	const open = [];

	for (const lane of rowId < 0 ? [] : source.lanesOf[rowId]) {
		const i = lane.at(begin);

		if (i !== NO_EVENT && begin < lane.end(i) && end <= lane.end(i) && !lane.span?.[i])
			open.push({lane, i, rowId});
	}
	return open.sort((x, y) => x.lane.start[x.i] - y.lane.start[y.i] ||
		y.lane.end(y.i) - x.lane.end(x.i));
}

/**
 * The NVTX ranges around event i of an API lane, the outermost first: those of its thread that hold
 * all of it, else those that are open on the process's anchor.
 * @param {LaneSource} source
 * @returns {{lane: Lane, i: number, rowId: number}[]}
 */
export function rangesAround(source, apiRow, lane, i) {
	const own = rowOfThread(source, source.head.rows[apiRow], 'nvtx');
	const begin = lane.start[i];
	const ranges = openRanges(source, own, begin, lane.end(i));

	return ranges.length ? ranges
		: openRanges(source, anchorRow(source, apiRow), begin, begin);
}

/**
 * The name of the innermost NVTX range of its own thread around event i of an API lane; -1 for none.
 * @param {LaneSource} source
 */
export function rangeAround(source, apiRow, lane, i) {
	const own = rowOfThread(source, source.head.rows[apiRow], 'nvtx');
	const innermost = openRanges(source, own, lane.start[i], lane.end(i)).at(-1);

	return innermost ? innermost.lane.name[innermost.i] : NO_EVENT;
}

/**
 * The operations that a call launched, at most max of them: {lane, i, rowId}. Linear.
 * @param {LaneSource} source
 */
export function launchedBy(source, apiRow, ref, max) {
	const found = [];
	const {process, trace} = source.head.rows[apiRow];

	source.head.rows.forEach((row, rowId) => {
		if (row.kind !== 'stream' || row.trace !== trace ||
		    (row.process >= 0 && row.process !== process))
			return;
		for (const lane of source.lanesOf[rowId]) {
			const next = (from) => lane.launch?.indexOf(ref, from) ?? NO_EVENT;

			for (let i = next(0); i !== NO_EVENT && found.length < max; i = next(i + 1))
				found.push({lane, i, rowId});
		}
	});
	return found;
}

/**
 * Where what a call launched lies, by row: {rowId, begin, end, count}, in order of rows; nothing
 * where it launched fewer than two. Linear.
 * @param {LaneSource} source
 */
export function launchSpread(source, apiRow, ref) {
	const spread = [];
	const {process, trace} = source.head.rows[apiRow];

	source.head.rows.forEach((row, rowId) => {
		const part = {rowId, begin: Infinity, end: -Infinity, count: 0};

		if (row.kind !== 'stream' || row.trace !== trace ||
		    (row.process >= 0 && row.process !== process))
			return;
		for (const lane of source.lanesOf[rowId]) {
			const next = (from) => lane.launch?.indexOf(ref, from) ?? NO_EVENT;

			for (let i = next(0); i !== NO_EVENT; i = next(i + 1)) {
				part.begin = Math.min(part.begin, lane.start[i]);
				part.end = Math.max(part.end, lane.end(i));
				part.count++;
			}
		}
		if (part.count > 0)
			spread.push(part);
	});
	return spread.length > 1 || spread[0]?.count > 1 ? spread : [];
}

/**
 * Where names has none yet: that of the innermost range of a row around each event of a lane, or its ref.
 * @param {LaneSource} source
 */
function nameInnermost(source, rowId, api, names, wholeCalls, column) {
	const begin = Float64Array.from(names, (name) => name === NO_EVENT ? -Infinity : Infinity);

	for (const lane of rowId < 0 ? [] : source.lanesOf[rowId]) {
		for (let i = 0, k = 0; i < api.n; i++) {
			const t = api.start[i];

			while (k < lane.n && lane.start[k] <= t)
				k++;
			if (k === 0 || lane.span?.[k - 1] || t >= lane.end(k - 1) ||
			    (wholeCalls && lane.end(k - 1) < api.end(i)))
				continue;
			// Later lanes lie inside, where ranges begin together.
			if (lane.start[k - 1] >= begin[i]) {
				begin[i] = lane.start[k - 1];
				names[i] = lane[column][k - 1];
			}
		}
	}
}

/**
 * Per event of an API lane: the name of the last of rangesAround(), or with column 'ref' its ref, -1
 * for none. Linear, once.
 * @param {LaneSource} source
 */
export function callRangeNames(source, apiRow, api, column = 'name') {
	api.rangesBy ??= {};
	if (api.rangesBy[column])
		return api.rangesBy[column];
	const names = new Int32Array(api.n).fill(NO_EVENT);
	const own = rowOfThread(source, source.head.rows[apiRow], 'nvtx');

	nameInnermost(source, own, api, names, true, column);
	nameInnermost(source, anchorRow(source, apiRow), api, names, false, column);
	api.rangesBy[column] = names;
	return names;
}

/** Set the names of the operations of a lane that calls of an API lane launched. */
function nameLaunched(lane, api, rangeNamesOf, names) {
	let call = NO_EVENT;

	for (let i = 0; i < lane.n && lane.launch; i++) {
		const ref = lane.launch[i];

		if (ref === NO_LAUNCH)
			continue;
		// One launches after the other: most often it is the next call but one or two.
		for (let k = 0; k < 4 && call + 1 < api.n && api.ref[call] !== ref; k++)
			call++;
		if (api.ref[call] !== ref)
			call = findRef(api, ref);
		if (call !== NO_EVENT)
			names[i] = rangeNamesOf[call];
	}
}

/**
 * Per event of a stream's lane the name of the innermost NVTX range around its launch, or its ref, -1 for
 * none. Linear the first time but for a logarithm per event; kept in the lane.
 * @param {LaneSource} source
 */
export function rangeNames(source, rowId, lane, column = 'name') {
	lane.rangesBy ??= {};
	if (lane.rangesBy[column])
		return lane.rangesBy[column];
	const names = new Int32Array(lane.n).fill(NO_EVENT);
	for (const apiRow of hostRows(source, source.head.rows[rowId], 'api')) {
		for (const api of source.lanesOf[apiRow])
			nameLaunched(lane, api, callRangeNames(source, apiRow, api, column), names);
	}
	lane.rangesBy[column] = names;
	return names;
}
