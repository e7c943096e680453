/* SPDX-License-Identifier: MIT */
/* found.js - what a search found: sums by GPU and by step, lengths, and the longest hits as a list. */
import {barChart} from '../base/bars.js';
import {el} from '../base/dom.js';
import {cutText, formatNs} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {binBegin} from '../data/hits.js';
import {deviceName, ofTrace} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {goToRow, rowPath} from './lists.js';
/** @import {App, EventRef, Found, Head} from '../types.js' */

/** Hits of the list. */
export const LISTED = 100;

const SUMS = [['count', 'Hits', 'count'], ['sum', 'Sum', 'duration'], ['avg', 'Avg', 'duration'],
	['share', 'Of all', 'ratio']];

/* Cells behind the first of a row of sums. */
const sumCells = (count, ns, all) => [count, ns, Math.round(ns / count), all ? ns / all : null];

/** @param {App} app */
function deviceTable(app, {devices, sum}) {
	const {head} = app.source;
	const table = {
		columns: tableColumns([['device', 'Where', 'string'], ...SUMS]),
		rows: devices.map(([device, count, ns]) =>
			[device < 0 ? 'host' : deviceName(head, device), ...sumCells(count, ns, sum)]),
	};
	const rowOf = (row) => {
		const [device] = devices[table.rows.indexOf(row)];

		return head.rows.findIndex((other) => other.kind === 'gpu' && other.device === device && device >= 0);
	};

	return makeTable(app, 'Hits by GPU', table, {goTitle: 'Go to this GPU',
		go: (row) => (rowOf(row) < 0 ? null : () => goToRow(app, rowOf(row)))});
}

/**
 * From where to where a step goes, over the processes of its trace.
 * @param {Head} head
 */
function stepSpan(head, trace, number) {
	const spans = head.processes.filter((process) => process.trace === trace)
		.map(({iterations, first = 0}) => iterations[number - first]).filter(Boolean);

	return [Math.min(...spans.map(([a]) => a)), Math.max(...spans.map(([, b]) => b))];
}

/** @param {App} app */
function stepTable(app, {steps, sum}) {
	const {head} = app.source;
	const table = {
		columns: tableColumns([['step', 'Step', 'string'], ...SUMS]),
		rows: steps.map(([trace, number, count, ns]) => [`${ofTrace(head, trace)}${number}`, ...sumCells(count, ns, sum)]),
	};
	const show = (row) => () => {
		const [trace, number] = steps[table.rows.indexOf(row)];

		app.state.show(...stepSpan(head, trace, number), 0.01);
	};

	return el('details', {}, el('summary', {}, `Hits by step (${steps.length})`),
		makeTable(app, 'Hits by step', table, {go: show, goTitle: 'Show this step'}));
}

/** More steps than this share bars: each is then the mean of some. */
const BARS_AT_MOST = 64;

/* A chart with a title, and what its ends are. */
function barFigure(title, from, to, bars) {
	return el('figure.bar-figure', {}, el('figcaption', {}, title), barChart(title, bars),
		el('p', {}, el('span', {}, from), el('span', {}, to)));
}

/**
 * By step of a trace, from the first with a hit to the last; a bar leads to its steps.
 * @param {App} app
 */
function stepFigures(app, {steps}) {
	const {head} = app.source;

	return head.traces.flatMap((_, trace) => {
		const own = steps.filter(([of]) => of === trace);

		if (own.length < 2)
			return [];
		const first = own[0][1], last = own.at(-1)[1];
		const per = Math.ceil((last - first + 1) / BARS_AT_MOST);
		const means = Array.from({length: Math.ceil((last - first + 1) / per)}, () => 0);

		for (const [, number, , ns] of own)
			means[Math.floor((number - first) / per)] += ns / per;
		const bars = means.map((mean, i) => {
			const [from, to] = [first + i * per, Math.min(last, first + (i + 1) * per - 1)];

			return {parts: [mean], text: `step ${from}${to > from ? ` to ${to}, mean` : ''}: ${formatNs(Math.round(mean))}`,
				go: () => app.state.show(stepSpan(head, trace, from)[0], stepSpan(head, trace, to)[1], 0.01)};
		});
		const most = Math.max(...own.map(([, , , ns]) => ns));

		return [barFigure(`${ofTrace(head, trace)}sum by step, at most ${formatNs(most)}`, String(first), String(last), bars)];
	});
}

/* By length; a bar looks for the hits in it. */
function lengthFigure(search, {lengths}) {
	const first = lengths[0][0], last = lengths.at(-1)[0];
	const counts = new Map(lengths);
	const from = (bin) => formatNs(binBegin(bin));
	const bars = Array.from({length: last - first + 1}, (_, i) => first + i).map((bin) => ({
		parts: [counts.get(bin) ?? 0], text: `${counts.get(bin) ?? 0} hits of ${from(bin)} to ${from(bin + 1)}`,
		go: () => search.narrow(`dur>=${binBegin(bin)} dur<${binBegin(bin + 1)}`),
	}));

	return barFigure('hits by length', from(first), from(last + 1), bars);
}

/** @param {App} app */
function listTable(app, search, {list, total}) {
	const {head} = app.source;
	const table = {
		columns: tableColumns([['duration', 'Length', 'duration'], ['begin', 'Begin', 'time'],
			['row', 'Row', 'string'], ['name', 'Name', 'string']]),
		rows: list.map((hit) => [hit.end - hit.begin, hit.begin, rowPath(head, hit.rowId), cutText(hit.name)]),
	};
	const caption = total > list.length ? `The longest ${list.length} of ${total} hits` : 'Hits, the longest first';

	return makeTable(app, caption, table, {goTitle: 'Go to this hit',
		go: (row) => () => search.arriveAt(list[table.rows.indexOf(row)])});
}

/** The lengths of hits, and their sums by step, as bars. */
export const foundFigures = (app, search, found) => (found?.total ? [lengthFigure(search, found), ...stepFigures(app, found)] : []);

/**
 * What is below the facts of a search.
 * @param {App} app
 * @param {{arriveAt: (hit: EventRef) => void}} search  narrow(condition) adds one to what is asked
 * @param {Found} found  of a source's found()
 * @returns {HTMLElement[]}
 */
export function foundView(app, search, found) {
	if (!found.total)
		return [];
	return [
		listTable(app, search, found),
		deviceTable(app, found),
		...(found.steps.length ? [stepTable(app, found)] : []),
	];
}
