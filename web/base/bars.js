/* SPDX-License-Identifier: MIT */
/* bars.js - a row of bars, each a button; arrow keys go from one to the next. */
import {el} from './dom.js';

/**
 * A chart of bars from 0, as high as the largest.
 * @param {string} label  what the chart is, for screen readers
 * @param {{parts: number[], text: string, go: () => void}[]} bars  parts are laid one on the other; style.css
 *     has a colour for each
 * @returns {HTMLElement}
 */
export function barChart(label, bars) {
	const most = bars.reduce((high, {parts}) => Math.max(high, parts.reduce((x, y) => x + y, 0)), 0) || 1;
	const buttons = bars.map(({parts, text, go}, i) => el('button.bar', {type: 'button', title: text, 'aria-label': text,
		tabindex: i ? '-1' : '0', on: {click: go}}, ...parts.map((part) => {
		const span = el('span');

		span.style.height = `${part / most * 100}%`;
		return span;
	})));
	const move = (event) => {
		const at = buttons.indexOf(event.target);
		const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1}[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		for (const [i, button] of buttons[to] ? buttons.entries() : [])
			button.tabIndex = i === to ? 0 : -1;
		buttons[to]?.focus();
	};

	return el('div.bars', {role: 'group', 'aria-label': label, on: {keydown: move}}, ...buttons);
}
