/* SPDX-License-Identifier: MIT */
/* iterations.js - which iterations a trace is looked at by: those of the process that leads it. */
/** @import {Head, Process} from '../types.js' */

/**
 * The process whose iterations the first GPU of a trace follows, else the first of the trace.
 * @param {Head} head  of docs/web.md
 * @param {number} trace  its number
 * @returns {Process|undefined} of head.processes; undefined where the trace has none
 */
export function leaderOf(head, trace) {
	const device = head.devices.find((other) => other.trace === trace);

	return head.processes[device?.process ?? -1] ??
		head.processes.find((process) => process.trace === trace);
}

/**
 * The iterations that the first GPU follows: [[begin, end]...], or none.
 * @param {Head} head
 */
export function iterationsOf(head) {
	return leaderOf(head, 0)?.iterations ?? [];
}

/**
 * The number of the ith of them in its trace, of which a window may be here only.
 * @param {Head} head
 */
export function iterationNumber(head, i) {
	return (leaderOf(head, 0)?.first ?? 0) + i;
}

/** At most so much is drawn on either side of what a view is fitted to. */
const MARGIN = 0.012;
const MARGIN_NS = 1100; // as state.js: of a short step more

/* Whether a view shows [a, b) with no more than margins around it. */
function isFitted(view, a, b) {
	const room = (b - a) * MARGIN + MARGIN_NS;

	return view.a <= a && a - view.a <= room && view.b >= b && view.b - b <= room;
}

/**
 * The step, or the work of all GPUs, that a view is fitted to, with margins that are only drawn: its own time is what counts.
 * @param {Head} head
 * @param {{a: number, b: number}} view  ns
 * @param {number} device  whose steps; -1: those of the first GPU
 * @returns {{a: number, b: number, what: string}|null} of one trace; whole ns
 */
export function fittedTo(head, view, device) {
	if (head.traces.length !== 1)
		return null;
	const process = head.processes[head.devices[device]?.process] ?? leaderOf(head, 0);
	const at = process?.iterations.findIndex(([a, b]) => isFitted(view, a, b)) ?? -1;
	const {work} = head.traces[0];

	if (at >= 0)
		return {a: process.iterations[at][0], b: process.iterations[at][1], what: `Step ${(process.first ?? 0) + at}`};
	return work && isFitted(view, ...work) ? {a: work[0], b: work[1], what: 'All GPU work'} : null;
}
