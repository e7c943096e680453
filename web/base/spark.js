/* SPDX-License-Identifier: MIT */
/* spark.js - values as a line of small bars in a cell; the number beside it says what they are on average. */

const SPARK_SVG = 'http://www.w3.org/2000/svg';
/** More values than this share bars: each is then the mean of some. */
const SPARK_BARS = 48;

/**
 * Bars from 0, the highest fills the height; what is not 0 is seen.
 * @param {number[]} values  not negative, at least one
 * @param {string} label  what it shows, for readers of screens and as a tooltip
 * @returns {SVGElement}
 */
export function sparkOf(values, label) {
	const per = Math.ceil(values.length / SPARK_BARS);
	const bars = Array.from({length: Math.ceil(values.length / per)}, (_, i) => {
		const part = values.slice(i * per, (i + 1) * per);

		return part.reduce((sum, value) => sum + value, 0) / part.length;
	});
	const most = Math.max(...bars) || 1;
	const height = (value) => (value > 0 ? Math.max(1, 12 * value / most) : 0);
	const svg = document.createElementNS(SPARK_SVG, 'svg');
	const path = document.createElementNS(SPARK_SVG, 'path');
	const title = document.createElementNS(SPARK_SVG, 'title');

	title.textContent = label;
	path.setAttribute('d', bars.map((value, i) => `M${i} 12v${-height(value)}h.8v${height(value)}z`).join(''));
	svg.setAttribute('class', 'spark');
	svg.setAttribute('viewBox', `0 0 ${bars.length} 12`);
	svg.setAttribute('preserveAspectRatio', 'none');
	svg.setAttribute('role', 'img');
	svg.append(title, path);
	return svg;
}
