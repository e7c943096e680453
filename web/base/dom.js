/* SPDX-License-Identifier: MIT */
/* dom.js - elements in one expression. Texts only ever become text nodes. */
/** @import {ElementOf} from '../types.js' */

/**
 * Make an element.
 * @template {string} T
 * @param {T} tag  "td", or with classes "td.number"
 * @param {{[name: string]: any}} attributes  attributes by name; "on" is an object of event listeners; a null,
 *     undefined or false value is left out, true is an attribute without value
 * @param {...(Node|string|null)} children  texts become text nodes, null is left out
 * @returns {ElementOf<T>}
 */
export function el(tag, attributes = {}, ...children) {
	const [name, ...classes] = tag.split('.');
	const node = /** @type {ElementOf<T>} */ (document.createElement(name));

	if (classes.length)
		node.className = classes.join(' ');
	for (const [key, value] of Object.entries(attributes)) {
		if (key === 'on') {
			for (const [event, listener] of Object.entries(value))
				node.addEventListener(event, listener);
		} else if (value !== null && value !== undefined && value !== false) {
			node.setAttribute(key, value === true ? '' : value);
		}
	}
	node.append(...children.filter((child) => child !== null && child !== undefined));
	return node;
}

/**
 * A button that does something.
 * @param {string} label  the text on it
 * @param {(event: Event) => void} run
 * @param {{[name: string]: any}} attributes  more of them: title, aria-label, ...
 */
export function pressButton(label, run, attributes = {}) {
	return el('button', {type: 'button', ...attributes, on: {click: run}}, label);
}

/**
 * A patch of the colour of a category, in both themes; style.css chooses.
 * @param {{light: string, dark: string}} category  of head.categories
 */
export function swatch(category) {
	const node = el('span.swatch', {'aria-hidden': 'true'});

	node.style.setProperty('--light', category.light);
	node.style.setProperty('--dark', category.dark);
	return node;
}

/**
 * Runs only the newest of several requests: an answer that a newer request has overtaken is
 * dropped.
 * @returns {(ask: () => any|Promise<any>) => Promise<{stale: boolean, value: any}>}
 */
export function newestOnly() {
	let newest = 0;

	return async (ask) => {
		const mine = ++newest;
		const value = await ask();

		return {stale: mine !== newest, value};
	};
}
