/* SPDX-License-Identifier: MIT */
// Colours beside those of categories: for names, of which there are many, and for durations.
// Made in OKLCH, where equal steps look equal; names differ in hue and lightness, durations
// from faint to strong.

/** How many colours names have, and durations: steps of half a decade from 1 us to 100 ms. */
export const NAME_COLOURS = 24;
export const DURATION_COLOURS = 11;

function gamma(x) {
	const part = x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
	return Math.round(255 * Math.min(1, Math.max(0, part)));
}

/** "#rrggbb" of a lightness of 0..1, a chroma and a hue in degrees. */
export function oklch(lightness, chroma, hue) {
	const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
	const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
	const rgb = [
		4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
		-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
		-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
	].map(gamma);
	return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The colours of names on a 'light' or 'dark' page: twelve hues, each lighter and darker.
 * @param {string} theme
 */
export function nameColours(theme) {
	const levels = theme === 'dark' ? [0.78, 0.6] : [0.74, 0.52];
	return Array.from({length: NAME_COLOURS}, (_, i) =>
		oklch(levels[i % 2], 0.125, i * 360 / NAME_COLOURS));
}

/**
 * The colours of durations: the longer, the further from the page's background.
 * @param {string} theme
 */
export function durationColours(theme) {
	const [from, to] = theme === 'dark' ? [0.45, 0.92] : [0.84, 0.34];
	return Array.from({length: DURATION_COLOURS}, (_, i) => {
		const t = i / (DURATION_COLOURS - 1);
		return oklch(from + (to - from) * t, 0.12, theme === 'dark' ? 290 - 190 * t : 100 + 190 * t);
	});
}
