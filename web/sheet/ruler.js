/* SPDX-License-Identifier: MIT */
/*
 * ruler.js - where ticks stand and what they are called: what all have in common stands once
 * at the left, the ticks say only what differs.
 */

/** @type {[number, string][]} */
const RULER_UNITS = [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's']];

/** Times of more steps than this from the origin are counted from the first tick. */
const FEW_STEPS = 50;

/* The unit in which a step is a whole number of 1 to 999. */
function unitOf(ns) {
	let best = RULER_UNITS[0];
	for (const unit of RULER_UNITS)
		if (ns >= unit[0])
			best = unit;
	return best;
}

/** The least step of 1, 2 or 5 times a power of ten, in ns, at which at most n fit into span. */
export function stepOf(span, n) {
	const least = Math.max(1, span / Math.max(1, n));
	const power = 10 ** Math.floor(Math.log10(least));
	for (const factor of [1, 2, 5])
		if (power * factor >= least * (1 - 1e-9))
			return power * factor;
	return power * 10;
}

/** A time as text: as many digits of a unit as a step needs, "1.026 s". */
function timeAt(ns, step) {
	const [size, name] = unitOf(Math.max(Math.abs(ns), step));
	const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(size) - Math.log10(step) - 1e-9)));
	return `${(ns / size).toFixed(digits)} ${name}`;
}

/* The same of a clock of which `above`, whole seconds, was split off. */
function clockTimeAt(above, ns, step) {
	if (above === 0n)
		return timeAt(ns, step);
	const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step) - 1e-9)));
	const seconds = Math.floor(ns / 1e9);
	const fraction = String(Math.round(ns - seconds * 1e9)).padStart(9, '0').slice(0, digits);
	return `${above / 1_000_000_000n + BigInt(seconds)}${fraction && '.'}${fraction} s`;
}

/**
 * The ticks of a view of w pixels: {prefix, base, ticks: [{t, text}], step}. prefix names the clock
 * and the time that all texts ("+10", "+20 ms") are counted from, without it where they are
 * absolute; base is that time in the view. A time t of the view is above + offset + t of the clock.
 */
export function rulerOf(a, b, w, apart = 90, {offset = 0, above = 0n, name: clock = ''} = {}) {
	const step = stepOf(b - a, w / apart);
	const [size, name] = unitOf(step);
	const from = a + offset, to = b + offset;
	const first = Math.ceil(from / step) * step;
	const large = step * FEW_STEPS;
	const isNear = above === 0n && Math.abs(from) < large && Math.abs(to) < large;
	const base = isNear ? 0 : first;
	const ticks = [];
	for (let i = 0; first + i * step < to && i <= 200; i++) {
		const t = first + i * step;
		const value = Math.round((t - base) / size * 1e6) / 1e6;
		const text = isNear ? `${value}` : `+${value}`;
		ticks.push({t: t - offset, text: i % 4 === 0 || value === 0 ? `${text} ${name}` : text});
	}
	const since = isNear ? '' : clockTimeAt(above, base, step);
	return {prefix: [clock, since].filter(Boolean).join(' '), base: base - offset, ticks, step};
}

/**
 * Where the texts of ticks stand: each right of its tick, or not at all, since a text beside another place
 * reads as a wrong scale. The prefix has the room up to `left`, and says what "+0" would.
 * @param {{t: number, text: string}[]} ticks
 * @param {(t: number) => number} x  pixel of a time
 * @param {{left: number, width: number, measure: (text: string) => number}} room
 * @returns {{at: number, text: string}[]}
 */
export function tickTexts(ticks, x, room) {
	const {left, width, measure} = room;
	return ticks.map(({t, text}) => ({at: x(t) + 3, text}))
		.filter(({at, text}) => at >= left && at + measure(text) < width);
}
