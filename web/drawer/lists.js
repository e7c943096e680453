/* SPDX-License-Identifier: MIT */
/* lists.js - the tab of tables: what the page draws, as numbers, for the whole trace. */
import {el, swatch} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {factList, makeTable} from '../base/tables.js';
import {askAccount, partName} from '../data/account.js';
import {timeText} from '../data/clock.js';
import {deviceName, ofTrace} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
/** @import {App, Head, Source, Table, Trace} from '../types.js' */

/**
 * A row's name with that of what it is in: "GPU 0 › Stream 7 compute".
 * @param {Head} head
 * @param {number} rowId
 */
export function rowPath(head, rowId) {
	const {parent, label, trace} = head.rows[rowId];

	return parent < 0 ? ofTrace(head, trace) + label : `${rowPath(head, parent)} › ${label}`;
}

/**
 * Focus a row of the timeline and scroll to it.
 * @param {App} app
 * @param {number} rowId
 */
export function goToRow(app, rowId) {
	app.state.set('focusRow', rowId);
	app.timeline.reveal(rowId);
	app.say(rowPath(app.source.head, rowId));
}

/* The middle one of an unsorted list; 0 of an empty one. */
function middleOf(values) {
	return [...values].sort((x, y) => x - y)[Math.max(0, Math.ceil(values.length / 2) - 1)] ?? 0;
}

/**
 * Iterations of all processes: how long, and against the middle one of their process.
 * @param {Head} head
 * @returns {Table}
 */
export function iterationTable(head) {
	const rows = head.processes.flatMap((process) => {
		const usual = middleOf(process.iterations.map(([begin, end]) => end - begin));
		const name = ofTrace(head, process.trace) + (process.rank === null ||
			process.rank === undefined ? `pid ${process.pid}` : `rank ${process.rank}`);

		return process.iterations.map(([begin, end], i) => [(process.first ?? 0) + i, name, begin,
			end - begin, usual ? (end - begin) / usual - 1 : null,
			i === process.steady ? 'yes' : '']);
	});

	return {rows, columns: tableColumns([['iteration', 'Iteration', 'count'],
		['process', 'Process', 'string'], ['begin', 'Begin', 'time'],
		['duration', 'Duration', 'duration'], ['against_p50', 'Against p50', 'ratio'],
		['steady', 'Steady', 'string']])};
}

/**
 * All rows of the timeline.
 * @param {Head} head
 * @returns {Table}
 */
export function rowTable(head) {
	const span = (row) => head.traces[row.trace].end - head.traces[row.trace].begin;
	const rows = head.rows.map((row, i) => [row.label,
		row.parent >= 0 ? head.rows[row.parent].label : '', row.kind, row.events, row.busy,
		span(row) > 0 ? row.busy / span(row) : null, i]);

	return {rows, columns: tableColumns([['row', 'Row', 'string'], ['of', 'Of', 'string'],
		['kind', 'Kind', 'string'], ['events', 'Events', 'count'], ['busy', 'Busy', 'duration'],
		['share', 'Of trace', 'ratio']])};
}

/**
 * The part of [a, b) in which there is a trace; never empty.
 * @param {Head} head
 */
function withinTrace(head, device, a, b) {
	const {begin, end} = head.traces[head.devices[device].trace];
	const from = Math.max(a, begin);

	return [from, Math.max(from + 1, Math.min(b, end))];
}

/**
 * The accounts of all GPUs in [a, b) ns, as far as their traces go, one row each.
 * @param {Source} source
 * @returns {Promise<Table>}
 */
export async function gpuTable(source, a, b) {
	const {head} = source;
	const spans = head.devices.map((_, i) => withinTrace(head, i, a, b));
	const accounts = await Promise.all(spans.map(([from, to], i) => askAccount(source, i, from, to)));
	const known = accounts.flatMap((parts, i) => (parts ? [{parts, i}] : []));
	const title = (part) => (part.idle ? `idle: ${partName(part.key)}` : partName(part.key));
	const titles = [...new Set(known.flatMap(({parts}) => parts.map(title)))];
	const cell = (parts, of) => parts.find((part) => title(part) === of)?.ns ?? 0;

	return {
		columns: tableColumns([['gpu', 'GPU', 'string'], ['time', 'Time', 'duration'],
			...titles.map((text) => [text.replace(/\W+/g, '_'), text, 'duration'])]),
		rows: known.map(({parts, i}) => [deviceName(head, i), spans[i][1] - spans[i][0],
			...titles.map((text) => cell(parts, text))]),
	};
}

/**
 * What is known of a capture, as a list.
 * @param {Trace} trace  of head.traces
 */
export function captureFacts(trace) {
	/** @type {[string, string][]} */
	const coverage = Object.entries(trace.coverage ?? {}).map(([name, {have, of}]) =>
		[name.replaceAll('_', ' '), `${have} of ${of}`]);

	return el('div', {}, factList([...trace.facts, ...coverage]),
		trace.notes.length ? el('ul', {}, ...trace.notes.map((note) => el('li', {}, note))) : null);
}

/**
 * Categories are told by colour in the timeline, several by one: the key to it.
 * @param {Head} head
 */
function legend(head) {
	const keys = (category, i) => head.words.filter(({colour}) => colour === i)
		.map(({key}) => key).join(', ') || category.key;

	return el('ul.legend', {'aria-label': 'Colours'}, ...head.categories.map((category, i) =>
		el('li', {}, swatch(category), keys(category, i))),
	...head.causes.map((cause) => el('li', {}, el('code', {}, cause.glyph ?? ''), ` ${partName(cause.key)}`)));
}

/* A table that is made when it is first unfolded. */
function lazyDetails(title, make) {
	const details = el('details', {}, el('summary', {}, title));
	const fill = async () => {
		if (details.open && details.childElementCount === 1)
			details.append(await make());
	};

	details.addEventListener('toggle', fill);
	return details;
}

/**
 * Fill the tab.
 * @param {App} app
 * @param {HTMLElement} panel
 */
export function mountLists(app, panel) {
	const {source, state} = app;
	const {head} = source;
	const {begin, end} = state.extent;
	/* Of verbs the window is that of the work of the GPUs; these tables are of all that was recorded. */
	const whole = () => `whole trace: ${formatNs(end - begin)} from ${timeText(head, state.clock, begin)} on`;
	const goToIteration = (row) => () => state.show(row[2], row[2] + row[3]);
	const how = [...new Set(head.processes.filter((p) => p.iterations.length)
		.map((p) => p.method))].join(', ');

	const fill = () => panel.replaceChildren(
		lazyDetails('GPUs: where the time of the trace went', async () =>
			makeTable(app, `GPUs, ${whole()}; the parts add up to the time`,
				await gpuTable(source, begin, end))),
		lazyDetails(`Iterations${how ? ` (${how})` : ''}`, () =>
			makeTable(app, `Iterations, ${whole()}; against the p50 of their process`, iterationTable(head),
				{go: goToIteration, goTitle: 'Show this iteration'})),
		lazyDetails(`Rows (${head.rows.length})`, () => makeTable(app, `Rows, ${whole()}`, rowTable(head),
			{go: (row) => () => goToRow(app, row[6]), goTitle: 'Go to this row'})),
		lazyDetails('Colours and causes', () => legend(head)),
		...head.traces.map((trace) => lazyDetails(`Capture: ${trace.label}`,
			() => captureFacts(trace))));

	fill();
	const unfolding = () => /** @type {HTMLDetailsElement[]} */ ([...panel.children]);
	unfolding()[0].open = true;
	state.on('clock', () => {
		const open = unfolding().map((details) => details.open);

		fill();
		unfolding().forEach((details, i) => {
			details.open = open[i];
		});
	});
}
