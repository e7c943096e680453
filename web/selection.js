/* selection.js - the tab of the selected event: what it is, how long against its like, and links. */
import {copyButton} from './copy.js';
import {el, newestOnly, pressButton, swatch} from './dom.js';
import {formatNs, formatTime} from './format.js';
import {colourOf} from './source.js';
import {factList} from './tables.js';

/* Of the events of one name: asked of the source for the whole trace, kept by name and row. */
async function typicalLength(app, cache, selection) {
	const key = `${selection.rowId} ${selection.name}`;

	if (!cache.has(key)) {
		const {begin, end} = app.state.extent;
		const table = await app.source.stats(begin, end, [selection.rowId], 'name');
		const at = (name) => table.columns.findIndex((c) => c.key === name);
		const row = table.rows.find((r) => r[0] === selection.name);

		cache.set(key, row && at('p50') >= 0
			? {p50: row[at('p50')], count: row[at('count')]} : null);
	}
	return cache.get(key);
}

/**
 * A length against the usual one: "27 % longer than the p50 of 40 (1.72 ms)".
 * @param {number} ns
 * @param {{p50: number, count: number}|null} usual  null: not known
 * @returns {string} empty where there is nothing to compare with
 */
export function againstUsual(ns, usual) {
	if (!usual || usual.count < 2 || !usual.p50)
		return '';
	const percent = Math.round((ns / usual.p50 - 1) * 100);
	const of = `the p50 of ${usual.count} (${formatNs(usual.p50)})`;

	if (percent === 0)
		return `as long as ${of}`;
	return `${Math.abs(percent)} % ${percent > 0 ? 'longer' : 'shorter'} than ${of}`;
}

/* Ranges around the event, outermost first. */
function breadcrumbs(app, links) {
	const items = links.map((link) => el('li', {}, pressButton(link.name ?? link.label,
		() => app.timeline.goTo(link), {class: 'link', title: 'Show this range'})));

	return el('nav', {'aria-label': 'NVTX ranges around it'}, el('ol.crumbs', {}, ...items));
}

function linkList(app, selection, links) {
	const text = (link) => {
		const name = link.name ?? app.source.head.rows[link.rowId]?.label ?? '';
		const away = link.begin - selection.begin;
		const when = away === 0 ? 'at the same time'
			: `${formatNs(Math.abs(away))} ${away < 0 ? 'before' : 'after'}`;

		return `${link.label} ${name} (${when})`;
	};

	return el('ul.links', {'aria-label': 'Links'}, ...links.map((link) => el('li', {},
		pressButton(text(link), () => app.timeline.goTo(link), {class: 'link'}))));
}

const isRangeLink = (link) => /^nvtx/i.test(link.label);

/* The event as lines of text, which Ctrl+C copies. */
function selectionLines(app, details) {
	const row = app.source.head.rows[app.state.selection.rowId];
	const lines = [details.name, `${formatNs(details.end - details.begin)} at ` +
		`${formatTime(details.begin)}, row ${row.label}`];

	return [...lines, ...details.facts.map(([label, text]) => `${label}: ${text}`)].join('\n');
}

function showDetails(app, details, against) {
	const {selection} = app.state;
	const row = app.source.head.rows[selection.rowId];
	const {head} = app.source;
	const colour = head.categories[colourOf(head, row, details.category)];
	const length = details.end - details.begin;
	const ranges = details.links.filter(isRangeLink);
	const links = details.links.filter((link) => !isRangeLink(link));

	return [
		el('h3.event-name', {}, colour ? swatch(colour) : null, details.name, ' ',
			copyButton(app, '⧉ copy', 'name', () => details.name)),
		el('p.event-length', {}, el('strong', {}, formatNs(length)), ' ', against,
			` · ${row.label} · from ${formatTime(details.begin)}`),
		ranges.length ? breadcrumbs(app, ranges) : null,
		links.length ? linkList(app, selection, links) : null,
		factList(details.facts),
		el('p.event-tools', {},
			pressButton('show', () => app.timeline.goTo(selection), {title: 'Show it'}),
			pressButton('as range', () => app.state.set('range',
				{a: details.begin, b: details.end}), {title: 'Make it the range'}),
			copyButton(app, 'copy all', 'the event as text', () => selectionLines(app, details))),
	].filter(Boolean);
}

/**
 * Fill the tab and follow the selection.
 * @param {object} app
 * @param {HTMLElement} panel
 * @returns {{text: () => string}} the selected event as text; empty where nothing is selected
 */
export function mountSelection(app, panel) {
	const newest = newestOnly();
	const usual = new Map();
	let shown = null;
	const nothing = () => panel.replaceChildren(el('p.empty', {},
		'Nothing is selected. Click an event, or step through a row with the keys . and ,'));
	const follow = async (selection) => {
		if (!selection) {
			shown = null;
			await newest(() => null);
			nothing();
			return;
		}
		const answer = await newest(() => app.source.details(selection.rowId, selection.ref,
			selection.begin));

		if (answer.stale)
			return;
		shown = answer.value;
		if (!shown) {
			panel.replaceChildren(el('p.empty', {}, `Nothing more is known of ${selection.name}.`));
			return;
		}
		const against = el('span');

		panel.replaceChildren(...showDetails(app, shown, against));
		const typical = await typicalLength(app, usual, {...selection, name: shown.name});

		against.textContent = againstUsual(shown.end - shown.begin, typical);
	};

	app.state.on('selection', follow);
	follow(app.state.selection);
	return {text: () => (shown ? selectionLines(app, shown) : '')};
}
