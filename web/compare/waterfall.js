/* SPDX-License-Identifier: MIT */
/* waterfall.js - small pictures of a comparison, with what they show in words. */
import {el, pressButton} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {changeSign, waterfallBars, waterfallScale} from './comparison.js';

/** Bars of a chart of periods; where there are more, neighbours are one, as long as the longest. */
const PERIOD_BARS = 60;
const PERIOD_WIDTH = 180;
const PERIOD_HEIGHT = 20;

/** An element of SVG with attributes and children. */
export function svgElement(tag, attributes, ...children) {
	const node = document.createElementNS('http://www.w3.org/2000/svg', tag);

	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	node.append(...children);
	return node;
}

/** A change with its sign: "+1.2 ms", "-3 us". */
export function signedNs(change) {
	return change > 0 ? `+${formatNs(change)}` : formatNs(change);
}

/* Fewer values: the largest of each group of neighbours. */
function thinned(values, most) {
	const size = Math.ceil(values.length / most);

	return Array.from({length: Math.ceil(values.length / size)}, (_, i) =>
		Math.max(...values.slice(i * size, (i + 1) * size)));
}

/**
 * Periods of a side as bars from 0.
 * @param {string} letter  of the side
 * @param {number[]} periods  ns, in order
 * @param {number} longest  ns, of both sides: a bar of the whole height
 */
export function periodChart(letter, periods, longest) {
	const bars = thinned(periods, PERIOD_BARS);
	const wide = PERIOD_WIDTH / Math.max(bars.length, 1);
	const [least, most] = periods.reduce(([low, high], period) =>
		[Math.min(low, period), Math.max(high, period)], [Infinity, 0]);
	const words = `Periods of ${letter}: ${periods.length}, ` +
		`${formatNs(least)} to ${formatNs(most)}`;

	return svgElement('svg', {class: 'period-chart', role: 'img', 'aria-label': words,
		width: PERIOD_WIDTH, height: PERIOD_HEIGHT,
		viewBox: `0 0 ${PERIOD_WIDTH} ${PERIOD_HEIGHT}`},
	svgElement('title', {}, words),
	...bars.map((period, i) => {
		const height = period / longest * PERIOD_HEIGHT;

		return svgElement('rect', {x: i * wide, y: PERIOD_HEIGHT - height,
			width: Math.max(1, wide - 1), height});
	}));
}

/**
 * One column: what changed, by how much, and a bar between the levels before and after.
 * @param {ReturnType<typeof waterfallBars>[0]} column
 * @param {number} bottom
 * @param {number} top
 * @param {?((kind: string|undefined) => void)} go
 */
function waterfallColumn({name, kind, low, high, change}, bottom, top, go) {
	const isTotal = change === null;
	const place = (ns) => Math.max(0, (ns - bottom) / Math.max(1, top - bottom) * 100);
	const bar = el(`span.waterfall-bar.${isTotal ? 'total' : change < 0 ? 'shorter' : 'longer'}`);
	const text = isTotal ? formatNs(high) : `${changeSign(change)} ${signedNs(change)}`;

	bar.style.bottom = `${isTotal ? 0 : place(low)}%`;
	bar.style.height = `${isTotal ? place(high) : place(high) - place(low)}%`;
	return el('li', {}, el('span.waterfall-room', {'aria-hidden': 'true'}, bar),
		isTotal || !go ? el('span.waterfall-name', {title: name}, name) : pressButton(name, () => go(kind),
			{class: 'waterfall-name link', title: `${name}: show the table`}),
		el('span.waterfall-value', {}, text));
}

/**
 * A waterfall as a list: the mean of A, each change, the mean of B. Bars of changes hang between
 * the levels before and after; the axis does not begin at 0, or they could not be seen.
 * @param {NonNullable<ReturnType<typeof import('./comparison.js').waterfallOf>>} waterfall
 * @param {string} extent  step or window: what its figures are per
 * @param {((kind: string|undefined) => void)|null} go  what a press on a part does; on paper nothing
 */
export function waterfallView(waterfall, extent, go = null) {
	const isStep = extent === 'step';
	const bars = waterfallBars(waterfall).map((bar) =>
		(isStep && bar.change === null ? {...bar, name: `mean ${bar.name}`} : bar));
	const {bottom, top} = waterfallScale(bars);
	const words = `From ${formatNs(waterfall.from)} to ${formatNs(waterfall.to)} ` +
		`per ${isStep ? 'step' : 'GPU'}` + (bottom > 0 ? '; the axis does not begin at 0' : '');

	return el('figure.waterfall', {}, el('figcaption', {}, words),
		el('ol', {}, ...bars.map((bar) => waterfallColumn(bar, bottom, top, go))));
}
