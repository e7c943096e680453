/* SPDX-License-Identifier: MIT */
/* flamebox.js - rectangles of flame views: where they lie, and as buttons. */
import {el} from '../base/dom.js';
import {cutText} from '../base/format.js';
/** @import {FlameBox, FlameLike} from '../types.js' */

/** Rectangles narrower than this share have no room for a name. */
const FLAME_NAMED = 0.015;

/**
 * The rectangles of a tree, outer ones first.
 * @template {FlameLike} T
 * @param {{total: number, children: Map<string, T>}} root  of flameTree
 * @returns {FlameBox<T>[]} children stand side by side from the left, the longest first. Ranges of a
 *     GPU may overlap, and then be more than what they are in: they share its width.
 */
export function flameLayout(root) {
	/** @type {FlameBox<T>[]} */
	const all = [];
	/** @type {FlameBox<any>[]} */
	let row = [{node: root, x: 0, width: 1, path: []}];

	while (row.length) {
		/** @type {FlameBox<T>[]} */
		const next = [];

		for (const {node, x, width: room, path} of row) {
			const children = [...node.children.values()].sort((p, q) => q.total - p.total);
			const inside = children.reduce((sum, child) => sum + child.total, 0);
			const whole = Math.max(inside, node.total);
			let left = x;

			for (const child of children) {
				const width = whole ? room * child.total / whole : 0;

				next.push({node: child, x: left, width, path: [...path, child.name]});
				left += width;
			}
		}
		all.push(...next);
		row = next;
	}
	return all;
}

/** A change of this share of the wider side has the full colour. */
const FULL_CHANGE = 0.5;

/** Colours a rectangle by what grows and what shrinks, from before to after of its node. */
export function tintChange(button, {before, after, total}) {
	const change = (after - before) / (total || 1);

	button.style.setProperty('--tint', change > 0 ? 'var(--less)' : 'var(--more)');
	button.style.setProperty('--strength', `${Math.round(60 * Math.min(1, Math.abs(change) / FULL_CHANGE))}%`);
}

/**
 * A rectangle of a layout: a button that does something.
 * @param {FlameBox} box  of flameLayout
 * @param {string} text  what a pointer over it shows
 * @param {() => void} go
 */
export function flameBox({node, x, width}, text, go) {
	const button = el('button.flame-box', {type: 'button', tabindex: '-1', title: text, on: {click: go}},
		width >= FLAME_NAMED ? cutText(node.name) : '');

	button.style.left = `${x * 100}%`;
	button.style.width = `${width * 100}%`;
	button.style.top = `calc(${node.depth} * var(--flame-row))`;
	return button;
}
