/* SPDX-License-Identifier: MIT */
/*
 * theme.js - the colours of what is drawn: a table of category by share, from the data's
 * palette and the page's style, for the theme that holds now.
 */
import {NAME_COLOURS, durationColours, nameColours} from '../base/hues.js';

/** Shares are drawn in this many steps above nothing. */
export const LEVELS = 32;

/**
 * How strongly a share is mixed into the background. Not linear: the eye sees a step of dark
 * colours far less than one of light ones, and a column with a single short event must be seen.
 * It is a strictly increasing function of the share, so that darker always means less.
 */
const MIX_POWER = 0.6;

/** The level of a share of 0..255: 0 only for none. */
export function levelOf(share) {
	return share === 0 ? 0 : Math.max(1, Math.round(share * LEVELS / 255));
}

/** How much of its colour a tint has, and the dim colour. */
const TINT = 0.42;
const DIM = 0.28;

function rgbOf(hex) {
	const value = parseInt(hex.slice(1), 16);
	return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

function packed(rgb) {
	const [r, g, b] = rgb;
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

function hexOf(rgb) {
	return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function mixed(from, to, t) {
	return from.map((part, i) => Math.round(part + (to[i] - part) * t));
}

/* Relative luminance by WCAG, 0..1. */
function luminance(rgb) {
	const [r, g, b] = rgb.map((part) => {
		const x = part / 255;
		return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The theme that holds: 'light' or 'dark', of a wish of 'auto', 'light' or 'dark'. */
export function themeOf(wish) {
	if (wish === 'light' || wish === 'dark')
		return wish;
	return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/**
 * Colours for one theme.
 *   fill     Uint32Array, [colour * (LEVELS + 1) + level]: as in an ImageData, on the sheet
 *   edge     the same, darker: outlines of areas and hatches
 *   faded    Uint32Array by colour: events of other names than the one pointed at
 *   ink      by colour: CSS colour of text on it
 *   css      by colour: the colour itself
 *   sheet, band, empty     as in an ImageData; so are, of strips of differences, more, less, middle
 *   first    {none, names, durations, tints, dim}: which colours are behind those of the categories;
 *            tints are those of names, quiet, and dim is for what is not looked at
 *   outlined true where areas need an outline to be told from the background
 * and as strings, for 2D calls: text, sheetText, faint, line, focus, pick, range, mark, flag, bar.
 */
export function makeTheme(categories, name) {
	const style = getComputedStyle(document.documentElement);
	const word = (key) => style.getPropertyValue(`--${key}`).trim();
	const sheet = rgbOf(word('sheet'));
	const colours = [...categories.map((category) => category[name]), word('faint'),
		...nameColours(name), ...durationColours(name),
		...nameColours(name).map((hex) => hexOf(mixed(sheet, rgbOf(hex), TINT))),
		hexOf(mixed(sheet, rgbOf(word('faint')), DIM))];
	const n = colours.length, none = categories.length;
	const theme = {
		name,
		outlined: name === 'light',
		first: {none, names: none + 1, durations: none + 1 + NAME_COLOURS,
			tints: n - 1 - NAME_COLOURS, dim: n - 1},
		fill: new Uint32Array(n * (LEVELS + 1)),
		edge: new Uint32Array(n * (LEVELS + 1)),
		faded: new Uint32Array(n),
		ink: /** @type {string[]} */ ([]),
		css: /** @type {string[]} */ ([]),
		sheet: packed(sheet),
		band: packed(rgbOf(word('band'))),
		empty: packed(rgbOf(word('empty'))),
		more: packed(rgbOf(word('more'))),
		less: packed(rgbOf(word('less'))),
		middle: packed(rgbOf(word('faint'))),
		text: word('ink'),
		sheetText: word('sheet'),
	};
	for (const key of ['faint', 'line', 'focus', 'pick', 'range', 'mark', 'flag', 'bar'])
		theme[key] = word(key);
	colours.forEach((colour, i) => {
		const rgb = rgbOf(colour);
		const dark = mixed(rgb, [0, 0, 0], 0.35);
		theme.css.push(colour);
		theme.ink.push(luminance(rgb) > 0.18 ? '#000000' : '#ffffff');
		theme.faded[i] = packed(mixed(sheet, rgb, 0.25));
		for (let level = 0; level <= LEVELS; level++) {
			const t = (level / LEVELS) ** MIX_POWER;
			theme.fill[i * (LEVELS + 1) + level] = packed(mixed(sheet, rgb, t));
			theme.edge[i * (LEVELS + 1) + level] = packed(mixed(sheet, dark, t));
		}
	});
	return theme;
}

/** @typedef {ReturnType<typeof makeTheme>} MadeTheme */

/** Calls fn when the system's theme or the pixel ratio (another monitor, zoom) changes. */
export function watchDisplay(fn) {
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fn);
	const again = () => {
		const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
		query.addEventListener('change', () => {
			fn();
			again();
		}, {once: true});
	};
	again();
}
