/* SPDX-License-Identifier: MIT */
/*
 * compared.js - the tab of a comparison: kernels, ranges, idle time, categories, copies and ranks of
 * both traces, as `warplens diff` has them.
 */
import {el} from '../base/dom.js';
import {makeTable} from '../base/tables.js';
import {comparedTable, sidedTable, stateSign} from './comparison.js';
/** @import {App, Compare, CompareTable} from '../types.js' */

/** Tables of the tab, in its order, and whether their first column is a name to search for. */
/** @type {[string, boolean][]} */
const COMPARED = [['kernels', true], ['ranges', true], ['idle', false], ['categories', false],
	['copies', false], ['ranks', false], ['budget', false], ['verdict', false]];
const UNFOLDED = new Set(['kernels']);
const CHANGES = /^(change|change_ratio|count_effect|duration_effect|gpu_change|low|high)$/;

/** Characters that mean something in a pattern. */
const SPECIAL = /[.*+?^${}()|[\]\\/]/g;

/**
 * The query that finds what a name of a table of diff stands for: names are without their numbers,
 * "layer #"; of a path of ranges the last counts.
 * @param {string} name
 */
export function queryOfName(name) {
	const last = /** @type {string} */ (name.split(' > ').at(-1));

	if (!last.includes('#') && !last.includes('"'))
		return `"${last}"`;
	return `/^${last.replace(SPECIAL, '\\$&').replaceAll('#', '\\d+')}$/`;
}

/* Signs before cells: of states a sign, of changes a plus, so that no colour is needed. */
function cellMark({columns}) {
	return (row, index) => {
		const {key} = columns[index];

		if (key === 'state' || key === 'verdict') {
			const sign = stateSign(row[index]);

			return sign ? el('span.state-sign', {'aria-hidden': 'true'}, `${sign} `) : null;
		}
		return CHANGES.test(key) && row[index] > 0 ? document.createTextNode('+') : null;
	};
}

/** A table with its labels, if it has any, as the last column, which makeTable() shows for names. */
export function labelledTable(table) {
	if (!table.labels)
		return table;
	return {
		...table,
		columns: [...table.columns, {key: 'label', title: 'Label', type: 'string'}],
		rows: table.rows.map((row, i) =>
			[...row, table.labels[i] === row[0] ? null : table.labels[i]]),
	};
}

/**
 * A table of head.compare as an element.
 * @param {App} app
 * @param {CompareTable} whole  the table, as the head has it
 * @param {boolean} isSearched  its names can be gone to
 */
export function comparedView(app, whole, isSearched) {
	const {extent} = /** @type {Compare} */ (app.source.head.compare);
	const table = sidedTable(whole, extent);
	const go = (row) => () => app.panels.find(queryOfName(row[0]));

	return makeTable(app, `${table.title}, A is before, B is after`, labelledTable(table), {
		mark: cellMark(table), go: isSearched ? go : null,
		goTitle: 'Search it in both traces, and go to the first from the aligned place on',
	});
}

/**
 * All tables of a comparison, in order.
 * @param {Compare} compare
 * @returns {{table: CompareTable, isSearched: boolean}[]}
 */
export function comparedTables(compare) {
	return COMPARED.flatMap(([name, isSearched]) => {
		const table = comparedTable(compare, name);

		return table ? [{table, isSearched}] : [];
	});
}

/**
 * Fill the tab.
 * @param {App} app  of a head with compare
 * @param {HTMLElement} panel
 */
export function mountCompared(app, panel) {
	const compare = /** @type {Compare} */ (app.source.head.compare);
	const notes = compare.notes ?? [];

	if (compare.error) {
		panel.replaceChildren(el('p.problem', {}, `Not compared: ${compare.error}`));
		return;
	}
	panel.replaceChildren(
		...comparedTables(compare).map(({table, isSearched}) =>
			el('details', {id: `compared-${table.name}`, open: UNFOLDED.has(table.name)},
				el('summary', {}, `${table.title} (${table.total})`),
				comparedView(app, table, isSearched))),
		...notes.map((note) => el('p.of', {}, note)));
}
