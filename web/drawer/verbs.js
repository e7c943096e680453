/* SPDX-License-Identifier: MIT */
/*
 * verbs.js - tabs of tables that verbs of the program answered, each with its chart: `tables` of
 * docs/web.md.
 */
import {el} from '../base/dom.js';
import {figureOf} from '../base/figure.js';
import {makeTable} from '../base/tables.js';
import {ofTrace} from '../data/source.js';
import {labelledTable} from '../compare/compared.js';
/** @import {App, Head} from '../types.js' */

/**
 * The verbs that a page has tables of, in their order.
 * @param {Head} head
 * @returns {[string, string][]} name and title
 */
export function verbsOf(head) {
	return [...new Map(head.traces.flatMap(({tables}) =>
		(tables ?? []).map(({verb, title}) => [verb, title])))];
}

/**
 * The answers to a verb, one per trace.
 * @param {App} app
 * @param {string} verb
 * @returns {HTMLElement[]}
 */
export function verbParts(app, verb) {
	const {head} = app.source;

	return head.traces.flatMap(({tables}, trace) => {
		const table = tables?.find((one) => one.verb === verb);

		if (!table)
			return [];
		if (table.missing)
			return [el('p.empty', {}, ofTrace(head, trace) + table.missing)];
		return [el('div.verb', {},
			table.figure ? figureOf(table.figure, head.categories) : null,
			el('div.verb-table', {},
				makeTable(app, ofTrace(head, trace) + table.title, labelledTable(table)),
				el('ul', {}, ...table.notes.map((note) => el('li', {}, note)))))];
	});
}

/**
 * Fill the tab of a verb.
 * @param {App} app
 * @param {HTMLElement} panel
 * @param {string} verb
 */
export function mountVerb(app, panel, verb) {
	panel.replaceChildren(...verbParts(app, verb));
}
