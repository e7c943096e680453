/* SPDX-License-Identifier: MIT */
/* selection.js - the tab of the selected event: what it is, how long, and its links. */
import {copyButton} from '../base/copy.js';
import {el, newestOnly, pressButton, swatch} from '../base/dom.js';
import {cutText, formatCount, formatNs} from '../base/format.js';
import {factList, makeTable} from '../base/tables.js';
import {commandOfSteps} from '../data/account.js';
import {timeWords} from '../data/clock.js';
import {isRangeKind} from '../data/kinds.js';
import {colourOf, traceLetter} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {workByName, workOf} from '../data/work.js';
import {rowPath} from './lists.js';
import {peersView} from './peers.js';
/** @import {App, EventRef} from '../types.js' */

/** Characters of a name in the heading, and unfolded; longer ones take long to lay out. A copy has all. */
const NAME_SHOWN_AT_MOST = 120;
const FULL_NAME_AT_MOST = 4000;

/**
 * A length against the usual one: "27% longer than the p50 of 40 (1.72 ms)".
 * @param {number} ns
 * @param {{p50: number, count: number}|null} usual  of the events of its name; null: not known
 * @returns {string} empty where there is nothing to compare with
 */
export function againstUsual(ns, usual) {
	if (!usual || usual.count < 2 || !usual.p50)
		return '';
	const percent = Math.round((ns / usual.p50 - 1) * 100);
	const of = `the p50 of ${usual.count} (${formatNs(usual.p50)})`;

	if (percent === 0)
		return `as long as ${of}`;
	return `${Math.abs(percent)}% ${percent > 0 ? 'longer' : 'shorter'} than ${of}`;
}

/* Links to the NVTX ranges around an event are labelled so, the innermost first. */
const RANGE_LABEL = /^NVTX /;

/** @param {App} app */
function breadcrumbs(app, links) {
	const crumb = (link) => {
		const name = link.label.replace(RANGE_LABEL, '');

		return el('li', {}, pressButton(cutText(name), () => app.timeline.goTo({...link, name}),
			{class: 'link', title: 'Show this range'}));
	};

	return el('nav', {'aria-label': 'NVTX ranges around it'},
		el('ol.crumbs', {}, ...links.map(crumb).reverse()));
}

/** @param {App} app */
function linkList(app, selection, links) {
	const text = (link) => {
		const away = link.begin - selection.begin;
		const when = away === 0 ? 'at the same time'
			: `${formatNs(Math.abs(away))} ${away < 0 ? 'before' : 'after'}`;

		return `${cutText(link.label)} · ${rowPath(app.source.head, link.rowId)} · ${when}`;
	};

	return el('ul.links', {'aria-label': 'Links'}, ...links.map((link) => el('li', {},
		pressButton(text(link), () => app.timeline.goTo(link), {class: 'link'}))));
}

/**
 * The event as lines of text, which Ctrl+C copies.
 * @param {App} app
 */
function selectionLines(app, details) {
	const {rowId} = /** @type {EventRef} */ (app.state.selection);
	const path = rowPath(app.source.head, rowId);
	const lines = [details.name, `${formatNs(details.end - details.begin)} at ` +
		`${timeWords(app.source.head, app.state.clock, details.begin)}, ${path}`];

	return [...lines, ...details.facts.map(([label, text]) => `${label}: ${text}`)].join('\n');
}

/** Rows of the table of operations; all that are left out are in its title. */
const WORK_ROWS = 40;

/**
 * What a range launched: how much, and by name.
 * @param {App} app
 */
function workTable(app, work) {
	const all = workByName(work);
	const names = all.slice(0, WORK_ROWS);
	const table = {
		columns: tableColumns([['name', 'Operation', 'string'], ['count', 'Count', 'count'],
			['sum', 'Sum', 'duration'], ['avg', 'Avg', 'duration'], ['share', 'Of its sum', 'ratio']]),
		rows: names.map(({name, count, sum}) => [app.source.nameLabel(name), count, sum, Math.round(sum / count),
			work.sum ? sum / work.sum : 0]),
	};
	const more = all.length > names.length ? `, the first ${names.length} of ${all.length} names` : '';
	const go = (row) => () => {
		const {first} = names[table.rows.indexOf(row)];

		app.timeline.goTo({...first, name: app.source.nameText(first.name)});
	};

	return [
		el('p.work', {}, 'GPU time ', el('strong', {}, formatNs(work.busy)),
			`, ${formatCount(work.n)} operations, sum ${formatNs(work.sum)}` +
			`${work.truncated ? '; some are not in this page' : ''}`),
		makeTable(app, `Operations launched in the range${more}`, table, {go, goTitle: 'Show the first'}),
	];
}

/**
 * The same event of the other trace, a link to it; empty until it is found.
 * @param {App} app
 */
function counterpartLine(app, details) {
	const {counterpart} = app.state;

	if (!counterpart)
		return null;
	const letter = traceLetter(app.source.head.rows[counterpart.rowId].trace);
	const [here, there] = [details.end - details.begin, counterpart.end - counterpart.begin];
	const percent = here > 0 ? ` (${there > here ? '+' : ''}${(100 * (there / here - 1)).toFixed(1)}%)` : '';

	return el('p.counterpart', {}, `in ${letter}: `, el('strong', {}, formatNs(there)), `${percent} `,
		pressButton(`show in ${letter}`, () => app.timeline.goTo(counterpart), {class: 'link'}));
}

/**
 * What a step is was decided when the page was made: the command makes one in which such ranges are the steps.
 * @param {App} app
 */
function stepsButton(app, {kind, trace}, name) {
	return isRangeKind(kind) ? copyButton(app, 'as steps', 'the command of a page with such ranges as steps',
		() => commandOfSteps(app.source.head.traces[trace], name)) : null;
}

/**
 * What the heading cuts, folded.
 * @param {string} name
 */
function fullName(name) {
	return name.length > NAME_SHOWN_AT_MOST ? el('details', {}, el('summary', {}, 'full name'),
		el('p.event-name', {}, el('bdi', {}, cutText(name, FULL_NAME_AT_MOST)))) : null;
}

/** @param {App} app */
function showDetails(app, details) {
	const selection = /** @type {EventRef} */ (app.state.selection);
	const {head} = app.source;
	const row = head.rows[selection.rowId];
	const colour = head.categories[colourOf(head, row, details.category)];
	const length = details.end - details.begin;
	const ranges = details.links.filter((link) => RANGE_LABEL.test(link.label));
	const links = details.links.filter((link) => !RANGE_LABEL.test(link.label));

	return [
		el('h2.event-name', {}, colour ? swatch(colour) : null,
			el('bdi', {}, cutText(details.name, NAME_SHOWN_AT_MOST)), ' ',
			copyButton(app, 'copy', 'name', () => details.name)),
		fullName(details.name),
		el('p.event-length', {}, el('strong', {}, formatNs(length)), ' ',
			againstUsual(length, details.usual),
			` · ${rowPath(head, selection.rowId)} · from ` +
				timeWords(head, app.state.clock, details.begin)),
		el('div.beside', {}, counterpartLine(app, details)),
		ranges.length ? breadcrumbs(app, ranges) : null,
		links.length ? linkList(app, selection, links) : null,
		el('div.work', {}, ...peersView(app, details.collective)),
		factList(details.facts),
		el('p.event-tools', {},
			pressButton('show', () => app.timeline.goTo(selection), {title: 'Show it'}),
			pressButton('as range', () => app.state.set('range',
				{a: details.begin, b: details.end}), {title: 'Make it the range'}),
			stepsButton(app, row, details.name),
			copyButton(app, 'copy all', 'the event as text', () => selectionLines(app, details))),
	].filter((part) => part !== null);
}

/**
 * Fill the tab and follow the selection.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{text: () => string}} the selected event as text; empty where nothing is selected
 */
export function mountSelection(app, panel) {
	const newest = newestOnly();
	let shown = null;
	const note = (text) => {
		shown = null;
		panel.replaceChildren(el('p.empty', {}, text));
	};
	/* The address may name an event that is not in this trace: then nothing is known of it. */
	const ask = (selection) => (selection && app.source.head.rows[selection.rowId]
		? app.source.details(selection.rowId, selection.ref, selection.begin) : null);
	const followWork = async (selection, details) => {
		const work = await workOf(app.source, selection, details.links);

		if (work && shown === details)
			panel.querySelector('.work')?.replaceChildren(...workTable(app, work));
	};
	const follow = async (selection) => {
		try {
			const {stale, value} = await newest(() => ask(selection));

			if (stale)
				return;
			/* A link does not say what it leads to. */
			if (value && !selection.name && value.name) {
				app.state.setSelection({...selection, name: value.name});
			} else if (value) {
				shown = value;
				panel.replaceChildren(...showDetails(app, shown));
				await followWork(selection, value);
			} else {
				note(selection ? 'Nothing more is known of this event.'
					: 'Nothing is selected. Click an event, or step through a row with . and ,');
			}
		} catch (problem) {
			note(`Nothing more is known of this event: ${problem.message}`);
		}
	};

	app.state.on('selection', follow);
	app.state.on('clock', () => follow(app.state.selection));
	app.state.on('counterpart', () => {
		if (shown)
			panel.querySelector('.beside')?.replaceChildren(...[counterpartLine(app, shown)].filter((line) => line !== null));
	});
	follow(app.state.selection);
	return {text: () => (shown ? selectionLines(app, shown) : '')};
}
