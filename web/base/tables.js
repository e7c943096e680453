/* SPDX-License-Identifier: MIT */
/* tables.js - tables with a caption, that sort, say what was left out and can be copied. */
import {copyButton, tableCsv, tableMarkdown} from './copy.js';
import {el, pressButton} from './dom.js';
import {cutText, formatCell, isNumberType} from './format.js';
/** @import {App, Table} from '../types.js' */

/** Characters of a fact: a path of ranges may be long and still be read. */
const FACT_AT_MOST = 1000;
/** Rows that a table shows before it is asked for all: more make a page slow. */
const TABLE_ROWS_AT_FIRST = 200;
/** Names that begin with as many equal characters may be cut to the same text: as many of what differs are kept. */
const ALIKE = 10;
const DIFFERENCE = 10;

/**
 * Rows in the order of a column; unknown cells come last either way, equal ones stay as they were.
 * @param {any[][]} rows  not changed
 * @param {number} index  of the column
 * @param {boolean} descending
 * @returns {any[][]}
 */
export function sortRows(rows, index, descending) {
	const sign = descending ? -1 : 1;
	const order = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b
		: String(a).localeCompare(String(b), 'en', {numeric: true}));

	return [...rows].sort((x, y) => {
		const [a, b] = [x[index] ?? null, y[index] ?? null];

		if (a === null || b === null)
			return Number(a === null) - Number(b === null);
		return sign * order(a, b);
	});
}

/* What is said under a table: null where all is shown. */
function leftOutText(table, shown) {
	const total = table.total ?? table.rows.length;

	if (shown < table.rows.length)
		return `The first ${shown} of ${total} rows are shown.`;
	if (total > table.rows.length)
		return `${table.rows.length} of ${total} rows are here; the others were left out.`;
	return table.truncated ? 'Not all events are here to be counted.' : null;
}

/*
 * A table whose points in time are texts, and whose columns say by which clock; as it is without a
 * clock. The texts are numbers of another kind: they are still aligned as such.
 */
function clockedTable(table, clock, text) {
	const isTime = table.columns.map(({type}) => type === 'time');

	if (!clock || !isTime.includes(true))
		return table;
	return {
		...table,
		columns: table.columns.map((column, i) => (isTime[i]
			? {...column, title: `${column.title} (${clock.name()})`} : column)),
		rows: table.rows.map((row) => row.map((value, i) =>
			(isTime[i] && typeof value === 'number' ? text(value) : value))),
	};
}

/* The table as people see it: the last column, if it has labels, stands for the first. */
export function shownTable(table) {
	const label = table.columns.findIndex(({key}) => key === 'label');

	if (label < 0)
		return table;
	return {
		...withoutLabels(table),
		rows: table.rows.map((row) => [row[label] ?? row[0], ...row.slice(1)]),
	};
}

/* The table as programs see it: names are whole. The labels stay in the rows, behind the columns. */
function withoutLabels(table) {
	return {...table, columns: table.columns.filter(({key}) => key !== 'label')};
}

/**
 * By text of some: where it begins to differ from those that begin like it, at most so far that a few characters follow.
 * @param {string[]} texts
 */
export function differAt(texts) {
	const sorted = [...new Set(texts)].sort();
	const alike = (x, y = '') => {
		let n = 0;

		while (n < x.length && x[n] === y[n])
			n++;
		return n;
	};

	return new Map(sorted.map((text, i) => [text,
		Math.min(Math.max(alike(text, sorted[i - 1]), alike(text, sorted[i + 1])), text.length - DIFFERENCE)]));
}

/* A name of which the part where it differs is seen when it is cut; in parts for style.css, which are the whole text. */
function nameParts(text, at) {
	const parts = [text.slice(0, at), text.slice(at, at + DIFFERENCE), text.slice(at + DIFFERENCE)];

	return at < ALIKE || /[\ud800-\udfff]/.test(text) ? [text] : parts.map((part) => el('span', {}, part));
}

function cellElement(options, row, value, column, index, at) {
	const text = cutText(formatCell(value, column.type));
	const mark = options.mark?.(row, index) ?? null;
	const go = index === (options.goIndex ?? 0) && options.go ? options.go(row) : null;
	const content = go ? pressButton('', go, {class: 'link', title: options.goTitle}) : text;

	if (go)
		content.append(...nameParts(text, index === 0 ? at.get(String(value)) : 0));
	if (go && content.childElementCount)
		content.setAttribute('aria-label', text); /* as one word */

	/* The whole name of what is shown by its label. */
	const isLabel = index === 0 && typeof row[0] === 'string' && row[0] !== value;
	const title = isLabel ? row[0] : text.length > 40 ? text : null;

	if (index === 0)
		return el('th', {scope: 'row', title}, mark, content);
	return el(isNumberType(column.type) ? 'td.number' : 'td', {title, 'data-key': column.key}, mark, content);
}

/*
 * The head: each title is a button that sorts; the arrow is drawn by style.css from aria-sort.
 * Sorting again turns the order around; numbers begin with the largest.
 */
function headCell(column, index, order, sort) {
	const press = () => sort(index, order.index === index ? !order.descending
		: isNumberType(column.type));
	const now = order.index !== index ? 'none' : order.descending ? 'descending' : 'ascending';

	return el(isNumberType(column.type) ? 'th.number' : 'th', {scope: 'col', 'aria-sort': now, 'data-key': column.key},
		pressButton(column.title, press, {title: column.help}));
}

/**
 * A table with its tools.
 * @param {App} app  its clock, {name(), text(t), ns(t)}, says points in time; CSV has ns of the
 *     capture clock
 * @param {string} caption
 * @param {Table} table  of which
 *     a last column "label" is shown in place of the first; CSV has the first
 * @param {{[name: string]: any}} options
 *     go(row) -> function or null: what the button in a cell does, the first or that of
 *     goIndex; goTitle: its tooltip;
 *     mark(row, index) -> Node or null: before a cell's text, such as a swatch;
 *     over(row) -> what the state lights while the pointer is above the row, or null;
 *     order: {index, descending}: by which column it is sorted at first (index -1: as it is)
 * @returns {HTMLElement}
 */
export function makeTable(app, caption, table, options = {}) {
	const order = {index: -1, descending: false, ...options.order};
	const heads = el('tr');
	const body = el('tbody');
	const note = el('p.table-note');
	const what = `table “${caption}”`;
	let limit = TABLE_ROWS_AT_FIRST, at;
	const sorted = () => (order.index < 0 ? table.rows
		: sortRows(table.rows, order.index, order.descending));
	const fill = () => {
		const rows = sorted().slice(0, limit);
		const left = leftOutText(table, rows.length);

		const shown = clockedTable(shownTable({...table, rows}), app.clock,
			(t) => app.clock.text(t));
		at = differAt(shown.rows.map(([first]) => String(first)));
		heads.replaceChildren(...shown.columns.map((c, i) => headCell(c, i, order, sort)));
		body.replaceChildren(...rows.map((row, nth) => el('tr', options.over ? {on: {
			pointerenter: () => flash(row), pointerleave: () => flash(null)}} : {},
			...shown.columns.map((c, i) => cellElement(options, row, shown.rows[nth][i], c, i, at)))));
		note.replaceChildren(left ?? '', rows.length < table.rows.length
			? pressButton(`Show all ${table.rows.length}`, showAll) : '');
	};
	/* What a row stands for is lit while the pointer is above it. */
	const flash = (row) => app.state.set('flash', row && options.over(row));
	const showAll = () => {
		limit = Infinity;
		fill();
	};
	const sort = (index, descending) => {
		Object.assign(order, {index, descending});
		fill();
		/** @type {HTMLElement} */ (heads.children[index].firstElementChild).focus();
		app.say(`Sorted by ${table.columns[index].title}, ` +
			`${descending ? 'largest' : 'smallest'} first.`);
	};
	const root = el('div.table-box', {},
		el('div.table-scroll', {role: 'region', 'aria-label': caption, tabindex: '0'},
			el('table', {}, el('caption', {}, caption), el('thead', {}, heads), body)),
		note,
		el('div.table-tools', {},
			copyButton(app, 'copy MD', `${what} as Markdown`,
				() => tableMarkdown(clockedTable(shownTable({...table, rows: sorted()}), app.clock,
					(t) => app.clock.text(t)))),
			copyButton(app, 'CSV', `${what} as CSV`,
				() => tableCsv(clockedTable(withoutLabels({...table, rows: sorted()}), app.clock,
					(t) => app.clock.ns(t))))));

	/* All rows stand on paper: see print.js. */
	root.addEventListener('unfold', showAll);
	/* More is known of the rows of a name: their cells are made again, but for a button with the focus. */
	root.addEventListener('refill', (event) => {
		const {detail} = /** @type {CustomEvent} */ (event);
		const rows = sorted().slice(0, limit);
		const shown = shownTable({...table, rows});

		rows.forEach((row, nth) => row[0] === detail && shown.columns.forEach((c, i) => {
			const cell = body.rows[nth]?.cells[i];

			if (cell && !cell.contains(document.activeElement))
				cell.replaceWith(cellElement(options, row, shown.rows[nth][i], c, i, at));
		}));
	});
	fill();
	return root;
}

/**
 * A list of names and values, such as the facts of an event.
 * @param {[string, string|Node][]} facts
 */
export function factList(facts) {
	return el('dl.facts', {}, ...facts.flatMap(
		([label, value]) => [el('dt', {}, label),
			el('dd', {}, typeof value === 'string' ? cutText(value, FACT_AT_MOST) : value)]));
}
