/* SPDX-License-Identifier: MIT */
/* sqlbox.js - the tab of SQL: a statement, which the server answers as `warplens sql` does, and its table. */
import {copyButton} from '../base/copy.js';
import {el, pressButton} from '../base/dom.js';
import {makeTable} from '../base/tables.js';
import {commandOfTrace, shellWord} from '../data/account.js';
import {ofTrace, traceLetter} from '../data/source.js';
/** @import {App, Source} from '../types.js' */

/** Statements to begin with. */
const EXAMPLES = [
	['top kernels', 'SELECT name, calls, sum, share FROM kernels LIMIT 20'],
	['idle time by cause', 'SELECT device, cause, sum FROM idle ORDER BY sum DESC'],
	['longest gaps', 'SELECT device, start, duration, cause FROM gaps ORDER BY duration DESC LIMIT 20'],
	['tables of the file', "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"],
];

/* Which trace is asked; nothing where there is one. */
function traceChoice({traces}) {
	return el('select', {'aria-label': 'Trace', hidden: traces.length < 2}, ...traces.map(({label}, i) =>
		el('option', {value: i}, `${traceLetter(i)} ${label}`.slice(0, 80))));
}

/**
 * What an answer is shown as: its table, and where it ends early a sentence.
 * @param {App} app
 */
function answerView(app, trace, answer, command) {
	const {columns, rows, truncated} = answer;
	const title = `${ofTrace(app.source.head, trace)}${rows.length} row${rows.length === 1 ? '' : 's'}`;

	return [makeTable(app, title, {columns, rows}, {order: {index: -1, descending: false}}),
		truncated ? el('p.of', {}, `Only the first ${rows.length} rows are here: use WHERE or LIMIT.`) : null,
		el('p', {}, copyButton(app, 'copy command', 'the command', () => command))].filter((part) => part !== null);
}

/**
 * Fill the tab.
 * @param {App} app  whose source has sql()
 * @param {HTMLElement} panel
 */
export function mountSql(app, panel) {
	const source = /** @type {Source & {sql: NonNullable<Source['sql']>}} */ (app.source);
	const text = el('textarea.sql-text', {rows: 3, spellcheck: 'false', 'aria-label': 'SQL statement',
		placeholder: 'SELECT name, sum FROM kernels'});
	const trace = traceChoice(source.head);
	const result = el('div.sql-result', {'aria-live': 'polite'});
	let asked = 0; /* an answer that a later question overtook is not shown */
	const run = async () => {
		const statement = text.value.trim(), which = Number(trace.value), number = ++asked;

		if (statement === '')
			return;
		result.replaceChildren(el('p.of', {}, 'The server is asked …'));
		try {
			const answer = await source.sql(statement, which);
			const command = `${commandOfTrace('sql', source.head.traces[which])} -c ${shellWord(statement)}`;

			if (number === asked)
				result.replaceChildren(...answerView(app, which, answer, command));
		} catch (error) {
			if (number === asked)
				result.replaceChildren(el('p.problem', {role: 'alert'}, error.message));
		}
	};
	const examples = el('select', {'aria-label': 'Examples', on: {change() {
		text.value = examples.value;
		examples.selectedIndex = 0;
		text.focus();
	}}}, el('option', {value: ''}, 'examples'), ...EXAMPLES.map(([title, statement]) =>
		el('option', {value: statement}, title)));

	text.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			run();
		}
	});
	panel.replaceChildren(text, el('div.sql-tools', {}, pressButton('run', run, {title: 'Ctrl+Enter'}),
		trace, examples, el('span.of', {}, 'Every verb is a table, with the tables of the file; nothing is changed. Ctrl+Enter runs.')),
	result);
}
