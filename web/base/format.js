/* SPDX-License-Identifier: MIT */
// Numbers with units as src/base/text/units.c writes them, to the character, and cells of tables for
// other programs.

const TIME_UNITS = ['ns', 'us', 'ms', 's'];
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const RATE_UNITS = BYTE_UNITS.map((unit) => `${unit}/s`);

/** value / 1000^thousands without zeros at the end of the fraction; value is whole, >= 0. */
function decimal(sign, value, thousands, unit) {
	const scale = 1000 ** thousands;
	const fraction = String(value % scale).padStart(3 * thousands, '0').replace(/0+$/, '');

	return `${sign}${Math.floor(value / scale)}${fraction && '.'}${fraction} ${unit}`;
}

/** To four significant digits, but never away from the digits before the point. */
function roundToFour(value, thousands) {
	let step = 1;

	while (step < 1000 ** thousands && value / step >= 10000)
		step *= 10;
	return Math.floor((value + Math.floor(step / 2)) / step) * step;
}

/** In the largest unit that leaves at least 1. */
function scaled(v, units) {
	const value = Math.abs(v);
	let i = 0;

	while (i + 1 < units.length && roundToFour(value, i) >= 1000 ** (i + 1))
		i++;
	return decimal(v < 0 ? '-' : '', roundToFour(value, i), i, units[i]);
}

/**
 * C's "%.*f": exact halves go to the even digit, where toFixed() goes up. The digits behind are
 * all there are of a double that is not tiny.
 */
function fixedEven(v, digits) {
	const text = Math.abs(v).toFixed(digits);
	const exact = Math.abs(v).toFixed(Math.min(100, digits + 60));
	const point = exact.indexOf('.') + digits + (digits > 0 ? 1 : 0);
	const half = /^\.?50*$/.test(exact.slice(digits > 0 ? point : exact.indexOf('.')));
	const below = digits > 0 ? exact.slice(0, point) : exact.slice(0, exact.indexOf('.'));
	const chosen = half && Number(below.at(-1)) % 2 === 0 ? below : text;

	return `${v < 0 ? '-' : ''}${chosen}`;
}

/** C's "%.4g". */
function fourDigits(v) {
	if (v === 0)
		return '0';
	const [mantissa, exponent] = v.toExponential(3).split('e');
	const power = Number(exponent);

	if (power < -4 || power >= 4) {
		const digits = String(Math.abs(power)).padStart(2, '0');

		return `${Number(mantissa)}e${power < 0 ? '-' : '+'}${digits}`;
	}
	const text = fixedEven(v, 3 - power);
	return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** A length of time in ns: "2.15 ms". */
export function formatNs(ns) {
	return scaled(ns, TIME_UNITS);
}

/** A point in time to the ns: "1.234567891 s", below a second "12.5 ms". */
export function formatTime(ns) {
	const value = Math.abs(ns);
	const unit = value >= 1e9 || value === 0 ? 3 : 2;

	return decimal(ns < 0 ? '-' : '', value, unit, TIME_UNITS[unit]);
}

/**
 * A point in time on a clock whose begin need not fit a double: "155.361000002 s".
 * @param {string} origin  whole ns
 * @param {number} t  ns since then
 */
export function formatOnClock(origin, t) {
	const ns = BigInt(origin) + BigInt(Math.round(t));
	const size = ns < 0n ? -ns : ns;

	if (size <= Number.MAX_SAFE_INTEGER)
		return formatTime(Number(ns));
	const fraction = String(size % 1_000_000_000n).padStart(9, '0').replace(/0+$/, '');

	return `${ns < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction && '.'}${fraction} s`;
}

/** Powers of 1000: "1.07 GB". */
export function formatBytes(bytes) {
	return scaled(bytes, BYTE_UNITS);
}

/** Bytes per second: "12.3 GB/s". */
export function formatRate(rate) {
	const size = Math.abs(rate);

	if (size >= 1000)
		return scaled(Math.sign(rate) * Math.round(size), RATE_UNITS);
	// Below a byte per second nobody counts; three decimals are plenty.
	const milli = Math.round(size * 1000);
	return decimal(rate < 0 && milli > 0 ? '-' : '', roundToFour(milli, 1), 1, 'B/s');
}

/** "12.3%" of 0.123. */
export function formatRatio(ratio) {
	const percent = Math.abs(ratio * 100) < 0.05 ? 0 : ratio * 100;

	return `${Math.abs(percent) < 1e15 ? fixedEven(percent, 1) : fourDigits(percent)}%`;
}

/** A plain number: four significant digits, but all before the point. */
export function formatReal(v) {
	const size = Math.abs(v);

	return size < 1000 || size >= 1e15 ? fourDigits(v) : fixedEven(v, 0);
}

/** How many; no separators. */
export function formatCount(n) {
	return String(n);
}

const FORMATS = {
	count: formatCount,
	duration: formatNs,
	time: formatTime,
	bytes: formatBytes,
	ratio: formatRatio,
	rate: formatRate,
	number: formatReal,
};

/** Cells of these types are numbers: aligned to the right. */
export function isNumberType(type) {
	return type in FORMATS;
}

/** A cell of a table as people read it; "-" for null. Types as in source.js. */
export function formatCell(value, type) {
	if (value === null || value === undefined)
		return '-';
	if (typeof value === 'string')
		return value;
	return FORMATS[type] ? FORMATS[type](value) : String(value);
}

/** Characters of a name that are shown: longer ones, of accents above all, take long to lay out. */
const SHOWN_AT_MOST = 300;

/** A text as it is shown, cut where it is very long; who copies it gets all. */
export function cutText(text, most = SHOWN_AT_MOST) {
	if (text.length <= most)
		return text;
	// A character may be two units, of which one alone is none.
	return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g;
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;
const REPLACEMENT = '\ufffd';

/** A text as a cell of Markdown: nothing in it begins markup. */
export function markdownText(text) {
	return text.replace(/[\\`*_<>&[\]|~$]/g, '\\$&').replace(CONTROLS, REPLACEMENT)
		.replace(REORDERING, REPLACEMENT);
}

/** A value as a cell of CSV, in base units; null is empty, an empty text is "". */
export function csvCell(value) {
	if (value === null || value === undefined)
		return '';
	const text = String(value).replace(CONTROLS, REPLACEMENT);

	return text === '' || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
