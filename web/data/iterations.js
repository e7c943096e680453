/* SPDX-License-Identifier: MIT */
/* iterations.js - which iterations a trace is looked at by: those of the process that leads it. */

/**
 * The process whose iterations the first GPU of a trace follows, else the first of the trace.
 * @param {object} head  of docs/web.md
 * @param {number} trace  its number
 * @returns {object|undefined} of head.processes; undefined where the trace has none
 */
export function leaderOf(head, trace) {
	const device = head.devices.find((other) => other.trace === trace);

	return head.processes[device?.process] ??
		head.processes.find((process) => process.trace === trace);
}

/** The iterations that the first GPU follows: [[begin, end]...], or none. */
export function iterationsOf(head) {
	return leaderOf(head, 0)?.iterations ?? [];
}

/** The number of the ith of them in its trace, of which a window may be here only. */
export function iterationNumber(head, i) {
	return (leaderOf(head, 0)?.first ?? 0) + i;
}
