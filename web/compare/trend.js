/* SPDX-License-Identifier: MIT */
/* trend.js - more than two runs: the median step of each, in their order, against the first. */
import {el, pressButton} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {traceLetter} from '../data/source.js';
import {changeSign} from './comparison.js';
/** @import {App, Trace} from '../types.js' */

/**
 * The median step of each trace, and its change against the first that has steps.
 * @param {{traces: Pick<Trace, 'label'|'headline'>[]}} head  of docs/web.md
 * @returns {{trace: number, name: string, median: number|null, change: number|null}[]} median: ns; change: a ratio, null
 *     for the first and without steps
 */
export function trendOf(head) {
	const medians = head.traces.map(({headline}) => headline?.steps?.median || null);
	const first = medians.findIndex((median) => median !== null);
	const change = (median, trace) => (median === null || trace === first ? null : median / Number(medians[first]) - 1);

	return head.traces.map(({label}, trace) => ({trace, name: label.split('/').at(-1) ?? '', median: medians[trace],
		change: change(medians[trace], trace)}));
}

/** "▼ -3.2%"; "= 0.0%" where it rounds to that; empty for no change. */
export function trendWords(change) {
	if (change === null)
		return '';
	const percent = (100 * change).toFixed(1).replace(/^-(0\.0)$/, '$1');

	return `${changeSign(Number(percent))} ${change > 0 && percent !== '0.0' ? '+' : ''}${percent}%`;
}

/** @param {App} app */
function trendPart(app, {trace, name, median, change}, longest) {
	const letter = traceLetter(trace);
	const bar = el('span.trend-bar', {'aria-hidden': 'true'});
	const words = trendWords(change);

	bar.style.width = `${median === null ? 0 : Math.max(2, 100 * median / longest)}%`;
	return el('li', {}, pressButton('', () => app.state.set('sides', letter.toLowerCase()),
		{title: `${name}. Shows only its rows; V shows all again.`}).appendChild(
		el('span.trend-text', {}, el('strong', {}, letter), ` ${median === null ? 'no steps' : formatNs(median)} `,
			words ? el('span.of', {}, words) : null)).parentElement, el('span.trend-room', {}, bar));
}

/**
 * The trend as a list; null where no trace has steps.
 * @param {App} app  of more than two traces
 */
export function trendView(app) {
	const trend = trendOf(app.source.head);
	const longest = Math.max(...trend.map(({median}) => median ?? 0));

	if (longest === 0)
		return null;
	return el('div.trend', {}, el('span.of', {}, 'median step, change against the first: '),
		el('ol', {'aria-label': 'Median step of each trace'}, ...trend.map((part) => trendPart(app, part, longest))));
}
