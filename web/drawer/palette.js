/* SPDX-License-Identifier: MIT */
/* palette.js - a box that finds an action or a row by some letters of its name. */
import {el} from '../base/dom.js';
import {fuzzyBest} from '../base/fuzzy.js';
import {keyText} from './help.js';
import {goToRow, rowPath} from './lists.js';
/** @import {App} from '../types.js' */

const PALETTE_LENGTH = 50;
let paletteNumber = 0;

/**
 * What can be chosen: {text, hint, run}.
 * @param {App} app
 */
function paletteActions(app) {
	return app.actions.filter((action) => action.when?.(app) ?? true)
		.map((action) => ({
			text: `${action.group}: ${action.title}`,
			hint: (action.keys ?? []).map(keyText).join(' '),
			run: () => action.run(app),
		}));
}

/** @param {App} app */
function paletteRows(app) {
	const {head} = app.source;

	return head.rows.map((row, i) => ({
		text: rowPath(head, i), hint: `${row.events} events`,
		run: () => goToRow(app, i),
	}));
}

const PALETTES = {
	actions: {label: 'Command', choices: paletteActions},
	rows: {label: 'Row', choices: paletteRows},
};

/** @typedef {{text: string, hint: string, run: () => void}} Choice */

/* A list under the box, of which one is marked: what ARIA calls a combobox. */
class PaletteList {
	constructor(input, list, choices, choose) {
		this.input = input;
		this.list = list;
		this.choices = choices;
		this.choose = choose;
		/** @type {Choice[]} */
		this.shown = [];
		this.at = 0;
	}

	fill() {
		this.shown = fuzzyBest(this.input.value, this.choices, (c) => c.text, PALETTE_LENGTH);
		this.list.replaceChildren(...this.shown.map((choice, i) => el('li', {
			role: 'option', id: `${this.list.id}-${i}`, on: {click: () => this.choose(choice)},
		}, el('span', {}, choice.text), el('kbd', {}, choice.hint))));
		if (this.shown.length === 0)
			this.list.replaceChildren(el('li', {role: 'option', 'aria-disabled': 'true'}, 'Nothing has these letters.'));
		this.mark(0);
	}

	mark(index) {
		const n = this.shown.length;

		this.at = n ? (index + n) % n : 0;
		[...this.list.children].forEach((item, i) =>
			item.setAttribute('aria-selected', String(i === this.at)));
		this.list.children[this.at]?.scrollIntoView({block: 'nearest'});
		this.input.setAttribute('aria-activedescendant', n ? `${this.list.id}-${this.at}` : '');
	}

	key(event) {
		const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];

		if (step)
			this.mark(this.at + step);
		else if (event.key === 'Enter' && this.shown[this.at])
			this.choose(this.shown[this.at]);
		else
			return;
		event.preventDefault();
	}
}

/**
 * Open the palette.
 * @param {App} app
 * @param {string} kind  actions or rows
 * @returns {HTMLDialogElement} open; removed when it is closed
 */
export function openPalette(app, kind) {
	const {label, choices} = PALETTES[kind];
	const id = `palette-${++paletteNumber}`;
	const input = el('input', {type: 'text', role: 'combobox', 'aria-expanded': 'true',
		'aria-controls': id, 'aria-label': label, 'aria-autocomplete': 'list',
		placeholder: `${label}: type some letters`, autocomplete: 'off', spellcheck: 'false'});
	const list = el('ul.dialog-list', {role: 'listbox', id, 'aria-label': `${label}s`});
	const dialog = el('dialog.dialog-palette', {'aria-label': `${label} palette`}, input, list);
	const choose = (choice) => {
		dialog.close();
		dialog.remove();
		document.getElementById('canvas')?.focus(); // where keys go, unless the choice says otherwise
		choice.run();
	};
	const shown = new PaletteList(input, list, choices(app), choose);

	input.addEventListener('input', () => shown.fill());
	input.addEventListener('keydown', (event) => shown.key(event));
	dialog.addEventListener('close', () => dialog.remove());
	dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
	document.body.append(dialog);
	dialog.showModal();
	shown.fill();
	input.focus();
	return dialog;
}
