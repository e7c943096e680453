/* SPDX-License-Identifier: MIT */
/*
 * keys.js - from keys to actions. Letters and digits are matched by their place on the
 * keyboard (event.code), so that W A S D are where hands expect them; signs by what they say.
 * Keys are written "Ctrl+Shift+P", "Alt+ArrowLeft", "?", "F"; Meta counts as Ctrl.
 */
import {actions, perform} from './actions.js';
/** @import {App} from '../types.js' */

/** Shift makes held keys faster. */
const FASTER = 4;

/** How an event would be written: the forms that may stand in an action's keys. */
export function keyNames(event) {
	const isPlace = /^(Key[A-Z]|Digit[0-9])$/.test(event.code);
	const place = isPlace ? event.code.slice(-1) : '';
	const control = event.ctrlKey || event.metaKey ? 'Ctrl+' : '';
	const alt = event.altKey ? 'Alt+' : '';
	const shift = event.shiftKey ? 'Shift+' : '';
	const names = [];
	const isSign = event.key.length === 1 && !/^[\p{L}\p{N}\s]$/u.test(event.key);
	/* Many layouts have brackets on AltGr, which some systems report as Ctrl and Alt. */
	if (isSign)
		names.push(event.getModifierState?.('AltGraph') ? event.key :
			`${control}${alt}${event.key}`);
	if (isPlace)
		names.push(`${control}${alt}${shift}${place}`);
	else if (!isSign)
		names.push(`${control}${alt}${shift}${event.key}`);
	return names;
}

/** The action of an event, or undefined. A sign that the layout has on a letter wins. */
export function actionOf(event, list = actions) {
	for (const name of keyNames(event)) {
		const found = list.find((action) => action.keys.includes(name));
		if (found)
			return found;
	}
	return undefined;
}

function isTyping(target) {
	return target.closest?.('input, select, textarea, [contenteditable], dialog') !== null;
}

/* Keys that an element in focus needs itself: a button its Enter, a tab its arrows. */
function isOwnKey(event) {
	const {target, key} = event;
	if (target.closest?.('#drawer, dialog') && /^(Arrow|Home|End|Page|Enter| )/.test(key))
		return true;
	return target.closest?.('button, a, summary') && (key === 'Enter' || key === ' ');
}

/**
 * Listens for keys of the whole page.
 * @param {App} app
 */
export function mountKeys(app) {
	const held = new Map();
	let last = 0;
	const tick = (now) => {
		if (held.size === 0)
			return;
		const seconds = Math.min(0.1, (now - last) / 1000);
		last = now;
		for (const {action, faster} of held.values())
			action.hold(app, seconds * (faster ? FASTER : 1));
		requestAnimationFrame(tick);
	};
	const begin = (event, action) => {
		if (held.has(event.code))
			return;
		action.hold(app, event.shiftKey ? 0.04 * FASTER : 0.04);
		held.set(event.code, {action, faster: event.shiftKey});
		if (held.size === 1) {
			last = performance.now();
			requestAnimationFrame(tick);
		}
	};
	document.addEventListener('keydown', (event) => {
		const still = actionOf(event);
		const slow = event.shiftKey && !still ? actionOf(withoutShift(event)) : undefined;
		const action = still ?? (slow?.hold ? slow : undefined);
		if (!action || event.isComposing || isOwnKey(event))
			return;
		if (isTyping(event.target) && !action.everywhere)
			return;
		if (action.id === 'copy' && String(getSelection()) !== '')
			return;
		event.preventDefault();
		if (action.hold)
			begin(event, action);
		else
			perform(app, action);
	});
	document.addEventListener('keyup', (event) => held.delete(event.code));
	addEventListener('blur', () => held.clear());
}

function withoutShift(event) {
	const {code, key, ctrlKey, metaKey, altKey} = event;
	return {code, key, ctrlKey, metaKey, altKey, shiftKey: false};
}
