/* SPDX-License-Identifier: MIT */
/* help.js - the dialog of keys: all actions by group, with the letters of the user's keyboard. */
import {el, pressButton} from '../base/dom.js';
/** @import {App} from '../types.js' */

const KEY_NAMES = {ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓',
	Escape: 'Esc', ' ': 'Space'};
let keyLetters = new Map(); /* from code to letter, as the browser tells */

/**
 * Learn which letters stand on the user's keys; until then, and where the browser does not tell,
 * help shows those of a US keyboard.
 */
export async function learnKeyLetters() {
	try {
		keyLetters = await /** @type {any} */ (navigator).keyboard.getLayoutMap();
	} catch {
		keyLetters = new Map();
	}
}

/**
 * A key as the user's keyboard shows it: "Ctrl+Shift+KeyP" and "Ctrl+Shift+P" both "Ctrl+Shift+P".
 * @param {string} key  of an action: letters are places on the keyboard (event.code)
 */
export function keyText(key) {
	const parts = key === '+' ? ['+'] : key.split('+');
	const last = parts.pop() || '+';
	const letter = /^(?:Key)?([A-Z])$/.exec(last)?.[1];
	const text = letter ? (keyLetters.get(`Key${letter}`) ?? letter).toUpperCase()
		: KEY_NAMES[last] ?? last.replace(/^Digit/, '');

	return [...parts, text].join('+');
}

const MOUSE_HELP = [
	['click, double click', 'Select; select and zoom'],
	['drag, Shift+drag', 'Range; pan'],
	['wheel, Shift+wheel', 'Scroll rows; pan'],
	['Ctrl+wheel, pinch', 'Zoom at the pointer'],
	['in the overview', 'Drag moves the window, its edges zoom, a click goes there'],
];

function helpTable(title, lines) {
	return el('table', {}, el('caption', {}, title), el('tbody', {}, ...lines.map(
		([keys, text]) => el('tr', {}, el('th', {scope: 'row'}, ...keys.flatMap(
			(key) => [el('kbd', {}, key), ' '])), el('td', {}, text)))));
}

/**
 * Groups in the order of their first action.
 * @param {App} app
 */
function helpGroups(app) {
	const groups = new Map();

	for (const action of app.actions) {
		if (!action.keys?.length || !(action.when?.(app) ?? true))
			continue;
		if (!groups.has(action.group))
			groups.set(action.group, []);
		groups.get(action.group).push([action.keys.map(keyText), action.title]);
	}
	return groups;
}

/**
 * Open the help.
 * @param {App} app
 * @returns {HTMLDialogElement} open; removed when it is closed
 */
export function openHelp(app) {
	const {head} = app.source;
	const dialog = el('dialog.dialog-help', {'aria-labelledby': 'help-title'},
		el('header', {}, el('h2', {id: 'help-title'}, 'Keys and mouse'),
			pressButton('close', () => dialog.close(), {title: 'Esc'})),
		el('div.dialog-columns', {tabindex: '0'},
			...[...helpGroups(app)].map(([title, lines]) => helpTable(title, lines)),
			helpTable('Mouse', MOUSE_HELP.map(([keys, text]) => [[keys], text]))),
		el('p.of', {}, `${head.program}. Letters are places on the keyboard: W A S D lie alike ` +
			'on every layout.'));

	dialog.addEventListener('close', () => dialog.remove());
	dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}
