/* SPDX-License-Identifier: MIT */
/* evidence.js - where a finding is to be seen, and what a page shows first: the step of the first one. */
import {leaderOf} from './iterations.js';
/** @import {Finding, Head} from '../types.js' */

/**
 * The GPU of a finding, an index of head.devices; -1 for none.
 * @param {Head} head
 */
export function findingDevice(head, finding) {
	return head.rows[finding.row]?.device ?? -1;
}

/**
 * The iteration around a time, of the process that a device follows: [begin, end], or undefined.
 * @param {Head} head
 */
function iterationAround(head, device, trace, t) {
	const process = head.processes[head.devices[device]?.process] ?? leaderOf(head, trace);

	return process?.iterations.find(([a, b]) => a <= t && t < b);
}

/**
 * Where a finding is to be seen: [a, b) in whole ns, a < b. A finding that only points is seen in
 * the iteration around it, else in a hundredth of its trace.
 * @param {Head} head  of docs/web.md
 * @param {Finding} finding  of head.findings, with a begin
 * @returns {{a: number, b: number}}
 */
export function findingSpan(head, finding) {
	const {begin, end, trace} = /** @type {Finding & {begin: number, end: number}} */ (finding);

	if (end > begin)
		return {a: Math.floor(begin), b: Math.ceil(end)};
	const around = iterationAround(head, findingDevice(head, finding), trace, begin);
	const room = Math.ceil((head.traces[trace].end - head.traces[trace].begin) / 200) + 1;

	return around ? {a: around[0], b: around[1]}
		: {a: Math.floor(begin) - room, b: Math.ceil(begin) + room};
}

/**
 * The first finding that can be seen in a trace, or undefined.
 * @param {Head} head
 */
export function firstEvidence(head, trace) {
	const found = head.findings.find((finding) => finding.trace === trace && finding.begin !== null);

	return /** @type {(Finding & {begin: number})|undefined} */ (found);
}

/**
 * What a page of one trace shows first: the step of its first finding, or of one outside all steps its
 * place with as much on both sides; without findings the steady step, else all that GPUs did; null
 * where that is everything.
 * @param {Head} head
 * @returns {{a: number, b: number, device: number, number: number}|null} ns; device -1: no GPU in
 *     particular; number of the step, -1 for none
 */
export function firstView(head) {
	if (head.traces.length !== 1)
		return null;
	const finding = firstEvidence(head, 0);
	const device = finding ? findingDevice(head, finding) : -1;
	const process = head.processes[head.devices[device]?.process] ?? leaderOf(head, 0);
	const iterations = process?.iterations ?? [];
	const found = finding ? iterations.findIndex(([a, b]) => a <= finding.begin && finding.begin < b) : -1;

	if (finding && found < 0) {
		const {a, b} = findingSpan(head, finding);

		return {a: 2 * a - b, b: 2 * b - a, device, number: -1};
	}
	const at = found >= 0 ? found : process?.steady ?? -1;
	const [a, b] = iterations[at] ?? head.traces[0].work ?? [];

	if (a === undefined)
		return null;
	return {a, b, device, number: iterations[at] ? (process.first ?? 0) + at : -1};
}
