/* SPDX-License-Identifier: MIT */
/*
 * clock.js - by which clock the page says its times. Times of the data count from the first event
 * of their trace; the capture clock is that of the export, which `--window` takes and Nsight shows.
 */
import {formatOnClock, formatTime} from '../base/format.js';
import {leaderOf} from './iterations.js';
/** @import {Head, Process} from '../types.js' */

/** The clocks to choose from: [value, title, name in sentences, what is said of it]. */
export const clocks = [
	['capture', 'clock: capture', 'capture clock',
		'Times are on the capture clock: --window takes them, and Nsight shows them.'],
	['first', 'clock: first event', 'since the first event',
		'Times count from the first event of the trace.'],
	['iteration', 'clock: iteration', 'within the iteration',
		'Times count from the begin of their iteration.'],
];

/** On the ruler above all there is room for few words. */
const CLOCK_BRIEFS = {capture: 'capture', first: 'from first event', axis: 'aligned'};

/** Seconds of this many nanoseconds are split off a clock, so that the rest is exact as a double. */
const CLOCK_SPLIT = 10n ** 12n;

/**
 * The clocks that a trace has; several traces have one axis instead, and no choice.
 * @param {Head} head
 */
export function clocksOf(head) {
	if (head.traces.length !== 1)
		return [];
	return clocks.filter(([value]) => value !== 'iteration' ||
		(leaderOf(head, 0)?.iterations.length ?? 0) > 0);
}

/**
 * The clock that holds.
 * @param {Head} head
 * @param {string} wanted  of the state, which may come from an address
 * @returns {string}  of clocks, or 'axis'
 */
export function clockOf(head, wanted) {
	const known = clocksOf(head);

	if (known.length === 0)
		return 'axis';
	return known.some(([value]) => value === wanted) ? wanted : known[0][0];
}

/**
 * What a clock is called in a sentence: "capture clock".
 * @param {Head} head
 */
export function clockName(head, wanted) {
	const clock = clockOf(head, wanted);

	if (clock === 'axis')
		return head.traces.length === 2 ? 'aligned clock' : 'since the first event of each trace';
	return clocks.filter(([value]) => value === clock)[0][2];
}

/**
 * The last iteration that has begun at t, else the first: {begin, number}.
 * @param {Head} head
 */
function iterationAt(head, t) {
	const {iterations, first} = /** @type {Process} */ (leaderOf(head, 0));
	let low = 0, high = iterations.length;

	while (low < high) {
		const at = (low + high) >> 1;

		if (iterations[at][0] <= t)
			low = at + 1;
		else
			high = at;
	}
	const i = Math.max(0, low - 1);
	return {begin: iterations[i][0], number: first + i};
}

/**
 * A time of the page by a clock: "155.361 s", "step 14 + 3.2 ms".
 * @param {Head} head
 * @param {string} wanted  see clockOf
 * @param {number} t  ns
 */
export function timeText(head, wanted, t) {
	const clock = clockOf(head, wanted);

	if (clock === 'capture')
		return formatOnClock(head.traces[0].origin, t);
	if (clock !== 'iteration')
		return formatTime(Math.round(t));
	const {begin, number} = iterationAt(head, t);
	const away = Math.round(t - begin);

	return `step ${number} ${away < 0 ? '-' : '+'} ${formatTime(Math.abs(away))}`;
}

/**
 * The same with the name of the clock.
 * @param {Head} head
 */
export function timeWords(head, wanted, t) {
	return `${timeText(head, wanted, t)} (${clockName(head, wanted)})`;
}

/**
 * A time in whole ns of the capture clock, as text; of several traces as the page has it.
 * @param {Head} head
 */
export function captureNs(head, t) {
	return head.traces.length === 1 ? String(BigInt(head.traces[0].origin) + BigInt(Math.round(t)))
		: String(Math.round(t));
}

/**
 * What the ruler counts from: a time t of the page is above + offset + t on the clock.
 * @param {Head} head
 * @param {string} wanted  see clockOf
 * @param {{a: number, b: number}} view
 * @returns {{offset: number, above: bigint, name: string}}
 */
export function rulerClock(head, wanted, view) {
	const clock = clockOf(head, wanted);

	if (clock === 'iteration') {
		const {begin, number} = iterationAt(head, (view.a + view.b) / 2);

		return {offset: -begin, above: 0n, name: `from step ${number}`};
	}
	if (clock !== 'capture')
		return {offset: 0, above: 0n, name: CLOCK_BRIEFS[clock]};
	const origin = BigInt(head.traces[0].origin);
	const above = origin / CLOCK_SPLIT * CLOCK_SPLIT;

	return {offset: Number(origin - above), above, name: CLOCK_BRIEFS[clock]};
}
