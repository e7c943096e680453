/* SPDX-License-Identifier: MIT */
/*
 * figure.js - figures that the program drew, as markup, made elements of the page. Only shapes,
 * texts and lists are taken over, with attributes that place them: nothing that runs or loads.
 */
import {el} from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
const SHAPES = new Set(['svg', 'title', 'desc', 'g', 'path', 'rect', 'circle', 'text']);
const ELEMENTS = new Set(['figure', 'figcaption', 'ul', 'li']);
const PLACES = new Set(['class', 'id', 'role', 'aria-hidden', 'aria-describedby', 'viewBox', 'd',
	'x', 'y', 'cx', 'cy', 'r', 'width', 'height']);

/* The element with what is allowed of it; null where it is not. */
function taken(node, colours) {
	if (node.nodeType === Node.TEXT_NODE)
		return document.createTextNode(node.nodeValue);
	const isShape = node.namespaceURI === SVG;
	const name = node.localName;

	if (!(isShape ? SHAPES : ELEMENTS).has(name))
		return null;
	const copy = isShape ? document.createElementNS(SVG, name) : document.createElement(name);

	for (const attribute of node.attributes ?? [])
		if (PLACES.has(attribute.name))
			copy.setAttribute(attribute.name, attribute.value);
	const colour = colours[/(?:^| )f(\d+)(?: |$)/.exec(copy.getAttribute('class') ?? '')?.[1] ?? -1];

	if (colour) {
		copy.style.setProperty('--light', colour.light);
		copy.style.setProperty('--dark', colour.dark);
	}
	copy.append(...[...node.childNodes].map((child) => taken(child, colours)).filter(Boolean));
	return copy;
}

/**
 * A figure of a report; style.css has its classes.
 * @param {string} markup  of a <figure>
 * @param {{light: string, dark: string}[]} colours  head.categories: class f3 is the fourth
 * @returns {HTMLElement}
 */
export function figureOf(markup, colours) {
	const parsed = new DOMParser().parseFromString(markup, 'text/html');
	const figure = parsed.body.querySelector('figure');

	return el('div.chart', {}, figure ? taken(figure, colours) : null);
}
