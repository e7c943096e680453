/* SPDX-License-Identifier: MIT */
/*
 * align.js - how two traces lie on one axis. Axis time = time of the trace - its shift, so that 0
 * is the begin of what was chosen in both: an iteration, an NVTX range in it, or the first event.
 *
 * An alignment is {mode: 'wall'}, {mode: 'iteration', a, b} or {mode: 'nvtx', a, b, shifts, name},
 * where a and b are numbers of iterations as their traces count them. Where the range begins is
 * only known by asking for events, so its shifts (ns, one of each trace) are part of it.
 */
import {leaderOf} from './iterations.js';
/** @import {Align, Head, Process, Span} from '../types.js' */

/** Characters of the name of a range that an address keeps. */
const ALIGN_NAME = 200;

/**
 * The iteration of a number, [begin, end] in times of its trace; undefined for none.
 * @param {Head} head
 * @returns {Span|undefined}
 */
function numbered(head, trace, number) {
	const leader = leaderOf(head, trace);

	return leader?.iterations[number - leader.first];
}

/** What lies at 0 of the axis, in words. */
export function zeroText(align) {
	if (align.mode === 'wall')
		return 'the first event of each trace';
	const pair = `iteration ${align.a} of A and ${align.b} of B`;

	return align.mode === 'nvtx' ? `where ${align.name} begins in ${pair}` : `the begin of ${pair}`;
}

/**
 * Both traces have iterations, so that pairs of them can be chosen.
 * @param {Head} head
 */
export function canPair(head) {
	return [0, 1].every((trace) => (leaderOf(head, trace)?.iterations.length ?? 0) > 0);
}

/* Where canPair() holds. */
const leaderOfPair = (head, trace) => /** @type {Process} */ (leaderOf(head, trace));

/**
 * The steady iterations of both traces; without iterations on both sides their begins.
 * @param {Head} head
 * @returns {Align}
 */
export function usualAlign(head) {
	if (!canPair(head))
		return {mode: 'wall'};
	const steady = (trace) => {
		const {iterations, first, steady: at} = leaderOfPair(head, trace);

		return first + (at >= 0 ? at : iterations.length >> 1);
	};

	return {mode: 'iteration', a: steady(0), b: steady(1)};
}

/**
 * The shifts of an alignment, ns; null where the traces have no such iterations.
 * @param {Head} head  with the times of the traces themselves
 * @param {Align} align
 * @returns {number[]|null}
 */
export function shiftsOf(head, align) {
	if (align.mode === 'wall')
		return head.traces.map(({begin}) => begin);
	const begins = [numbered(head, 0, align.a)?.[0], numbered(head, 1, align.b)?.[0]];

	if (begins.includes(undefined))
		return null;
	return align.mode === 'nvtx' ? align.shifts : /** @type {number[]} */ (begins);
}

/**
 * The chosen iterations of both on the axis: {begin, end} around both; null where none is chosen.
 * @param {Head} head  with times on the axis
 */
export function pairSpan(head, align) {
	if (align.mode === 'wall')
		return null;
	const pair = [numbered(head, 0, align.a), numbered(head, 1, align.b)].map((span) => /** @type {Span} */ (span));

	return {begin: Math.min(pair[0][0], pair[1][0]), end: Math.max(pair[0][1], pair[1][1])};
}

/**
 * The numbers {a, b} of the pair that is `step` further on both sides, as far as both have it.
 * @param {Head} head
 */
export function steppedPair(head, {a, b}, step) {
	const room = [[0, a], [1, b]].map(([trace, number]) => {
		const {iterations, first} = leaderOfPair(head, trace);

		return step < 0 ? number - first : first + iterations.length - 1 - number;
	});
	const by = Math.sign(step) * Math.min(Math.abs(step), ...room);

	return {a: a + by, b: b + by};
}

/**
 * A number of an iteration that a trace has, the nearest to the one that is wanted.
 * @param {Head} head
 */
export function nearestIteration(head, trace, number) {
	const {iterations, first} = leaderOfPair(head, trace);

	return Math.min(first + iterations.length - 1, Math.max(first, Math.round(number)));
}

/** An alignment as a word of an address: "wall", "iteration~12~14", "nvtx~12~14~S~S~forward". */
export function alignWord(align) {
	const parts = [align.mode];

	if (align.mode !== 'wall')
		parts.push(align.a, align.b);
	if (align.mode === 'nvtx')
		parts.push(...align.shifts, encodeURIComponent(align.name.slice(0, ALIGN_NAME)));
	return parts.join('~');
}

function wholeNumbers(texts, n) {
	const numbers = texts.slice(0, n).map((text) => (text === '' ? NaN : Number(text)));

	return numbers.length === n && numbers.every(Number.isSafeInteger) ? numbers : null;
}

/** The alignment of such a word; null for what is none. Whether a trace has it is not checked. */
export function readAlign(word) {
	const [mode, ...parts] = word.split('~');
	const pair = wholeNumbers(parts, 2);

	if (mode === 'wall')
		return {mode};
	if (mode === 'iteration' && pair)
		return {mode, a: pair[0], b: pair[1]};
	const four = wholeNumbers(parts, 4);

	if (mode !== 'nvtx' || !four)
		return null;
	try {
		return {mode, a: four[0], b: four[1], shifts: four.slice(2),
			name: decodeURIComponent(parts.slice(4).join('~'))};
	} catch {
		return null;
	}
}
