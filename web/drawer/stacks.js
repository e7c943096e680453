/* SPDX-License-Identifier: MIT */
/*
 * stacks.js - a flame graph of host code: what threads ran while their GPU was idle, or at all. A
 * server answers for the range or the view, a file has the whole trace. Of two traces also the
 * change.
 */
import {el, newestOnly, pressButton} from '../base/dom.js';
import {cutText, formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {traceLetter} from '../data/source.js';
import {compareStacks, invertStacks, matchStacks, SMALLER, stackNodes, stackTree} from '../data/stacktree.js';
import {tableColumns} from '../data/stats.js';
import {flameBox, flameLayout, tintChange} from './flamebox.js';
import {rangeOf} from './range.js';
/** @import {App, CallStacks, Head, Timer} from '../types.js' */
/** @import {StackNode} from '../data/stacktree.js' */

const STACK_WORDS = {
	idle: 'while their GPU is idle', busy: 'while their GPU is busy', all: 'at all times', host: 'idle GPU: host code', os: 'idle GPU: OS calls',
	api: 'idle GPU: CUDA calls', sync: 'idle GPU: waits', mpi: 'idle GPU: MPI calls', alloc: 'idle GPU: allocations', load: 'idle GPU: module loads',
};
const STACK_BOXES = 600;
const STACK_TABLE_ROWS = 200;
/** Narrower boxes, in pixels, are only in the table. */
const STACK_NARROWEST = 2;

/** A tint that is the same for a module on every page. */
function moduleTint({categories}, module) {
	let sum = 0;

	for (const letter of module)
		sum = (sum * 31 + letter.codePointAt(0)) % 9973;
	return categories[sum % (categories.length - 1)]; /* the last is grey */
}

/**
 * How many steps a trace has, for time per step; 1 where there are none.
 * @param {Head} head
 */
function stepsOf(head, trace) {
	return Math.max(1, ...head.processes.filter((process) => process.trace === trace)
		.map(({iterations}) => iterations.length));
}

/** The tab: what is chosen, and what is drawn of it. */
class StackView {
	/** @param {App} app */
	constructor(app, panel) {
		const {head} = app.source;
		const traces = head.traces.flatMap(({stacks}, i) => (stacks ? [i] : []));
		const change = (draws) => ({change: () => (draws ? this.draw() : this.refresh())});
		const option = (value, text) => el('option', {value}, text);

		this.app = app;
		this.panel = panel;
		this.newest = newestOnly();
		this.isAsked = Boolean(app.source.stacksIn);
		this.during = el('select', {on: change(false)}, ...(this.isAsked ? Object.keys(STACK_WORDS) : ['idle', 'all'])
			.map((word) => option(word, STACK_WORDS[word])));
		this.of = el('select', {on: change(false)}, ...traces.map((i) => option(String(i), traceLetter(i))),
			...(traces.length === 2 ? [option('change', 'change from A to B')] : []));
		if (traces.length === 2)
			this.of.value = 'change';
		this.inverted = el('input', {type: 'checkbox', on: change(true)});
		this.find = el('input', {type: 'search', 'aria-label': 'Find functions', placeholder: 'find functions',
			on: {input: () => this.#mark()}});
		this.reset = pressButton('Zoom out', () => this.zoomTo(null));
		this.body = el('div');
		this.text = el('p.of', {'aria-live': 'polite'});
		panel.replaceChildren(el('p.range-choices', {}, el('label', {}, 'Threads ', this.during),
			traces.length > 1 ? el('label', {}, 'of ', this.of) : null,
			el('label', {}, this.inverted, ' callers below'), this.find, this.reset), this.text, this.body);
		/** @type {StackNode[]} */
		this.trees = [];
		this.traces = [0];
		this.what = '';
		/** @type {?{root: StackNode, buttons: Map<StackNode, HTMLElement>}} */
		this.drawn = null;
		this.zoom = null;
	}

	/* The trees that are chosen: one, or before and after. */
	async #ask() {
		const {source} = this.app;
		const range = rangeOf(this.app.state, this.app.source.head);
		const traces = this.of.value === 'change' ? [0, 1] : [Number(this.of.value)];

		return {
			range,
			traces,
			trees: await Promise.all(traces.map(async (trace) => stackTree(/** @type {CallStacks} */ (this.isAsked
				? await source.stacksIn?.(this.during.value, range.a, range.b, trace)
				: source.head.traces[trace].stacks?.[this.during.value])))),
		};
	}

	async refresh() {
		if (this.panel.hidden)
			return;
		try {
			const {stale, value} = await this.newest(() => this.#ask());

			if (stale)
				return;
			this.what = value.range.what;
			this.traces = value.traces;
			this.trees = value.trees;
			this.draw();
		} catch (problem) {
			this.text.textContent = `No call stacks: ${problem.message}`;
			this.body.replaceChildren();
		}
	}

	zoomTo(node) {
		this.zoom = node && node !== this.zoom ? node.path : null;
		this.draw();
		/** @type {?HTMLElement} */ (this.body.querySelector('[tabindex="0"]'))?.focus();
	}

	#tree() {
		const sides = this.inverted.checked ? this.trees.map(invertStacks) : this.trees;
		const {head} = this.app.source;

		return sides.length < 2 ? sides[0] : compareStacks(sides[0], sides[1], this.isAsked ? [1, 1]
			: this.traces.map((trace) => 1 / stepsOf(head, trace)));
	}

	/* The function that is zoomed to, by its path; the root if the tree does not have it. */
	#zoomed(root) {
		let node = root;

		for (const key of this.zoom ?? [])
			node = node?.children.get(key);
		return node ?? root;
	}

	draw() {
		if (!this.trees.length)
			return;
		const root = this.#tree();
		const top = this.#zoomed(root);
		const above = [];

		for (let node = top; node !== root && node.parent !== root; node = node.parent)
			above.unshift(node.parent);
		const width = this.body.clientWidth || 800;
		const inside = top === root ? root : {total: top.total, children: new Map([['', top]])};
		const boxes = [...above.map((node) => ({node, x: 0, width: 1})), ...flameLayout(inside)
			.filter((box) => box.width * width >= STACK_NARROWEST)].slice(0, STACK_BOXES);

		this.reset.disabled = top === root;
		const buttons = new Map();

		this.drawn = {root, buttons};
		this.body.replaceChildren(root.total ? this.#picture(boxes, root, buttons)
			: el('p.empty', {}, 'No time of threads is counted here.'),
		root.total ? this.#table(root) : '');
		this.#mark();
	}

	/* What the search finds, in what is drawn: a key press draws nothing again. */
	#mark() {
		if (!this.drawn)
			return;
		const {root, buttons} = this.drawn;
		const found = matchStacks(root, this.find.value);

		for (const [node, button] of buttons)
			button.classList.toggle('matched', found.matched.has(node));
		this.text.textContent = this.#summary(root, found);
	}

	#summary(root, {sum}) {
		const where = this.isAsked ? this.what.toLowerCase() : 'whole trace';
		const step = this.isAsked ? '' : ' per step';
		const time = this.trees.length > 1
			? `${formatNs(root.before)} before, ${formatNs(root.after)} after${step}`
			: formatNs(root.total);
		const matched = this.find.value ? ` Matched: ${formatRatio(sum / (root.total || 1))}.` : '';

		return `Host threads ${STACK_WORDS[this.during.value]}, ${where}: ${time}. ` +
			`A click zooms.${matched}`;
	}

	#title(node, root) {
		const module = node.module ? ` (${node.module})` : '';
		const time = this.trees.length > 1
			? `${formatNs(node.before)} before, ${formatNs(node.after)} after`
			: `${formatNs(node.total)}, ${formatRatio(node.total / root.total)}, own ${formatNs(node.self)}`;

		return `${cutText(node.name)}${cutText(module)}: ${time}`;
	}

	#picture(boxes, root, buttons) {
		const depth = boxes.reduce((most, {node}) => Math.max(most, node.depth + 1), 0);
		const picture = el('div.flame.stacks', {role: 'group', 'aria-label': 'Flame graph of host code',
			on: {keydown: (event) => this.#key(event, buttons)}});

		for (const box of boxes) {
			const {node} = box;
			const button = flameBox(box, this.#title(node, root), () => this.zoomTo({path: this.#pathOf(node)}));

			button.setAttribute('aria-label', button.title);
			this.#tint(button, node);
			buttons.set(node, button);
			picture.append(button);
		}
		buttons.values().next().value?.setAttribute('tabindex', '0');
		picture.style.height = `calc(${depth} * var(--flame-row))`;
		return picture;
	}

	#pathOf(node) {
		const path = [];

		for (let at = node; at.parent; at = at.parent)
			path.unshift(`${at.name}\n${at.module}`);
		return path;
	}

	/* By module; of a change by what grows and what shrinks. */
	#tint(button, node) {
		const grey = !node.module || node.name === SMALLER;

		if (this.trees.length > 1) {
			tintChange(button, node);
		} else if (!grey) {
			const {light} = moduleTint(this.app.source.head, node.module);

			button.style.setProperty('--tint', light);
		}
	}

	#key(event, buttons) {
		const at = [...buttons].find(([, button]) => button === document.activeElement)?.[0];
		const among = (node) => [...(node?.children.values() ?? [])].filter((child) => buttons.has(child))
			.sort((p, q) => q.total - p.total);
		const beside = (step) => among(at?.parent)[among(at?.parent).indexOf(at) + step];
		const to = {ArrowDown: () => among(at)[0], ArrowUp: () => at?.parent, ArrowLeft: () => beside(-1),
			ArrowRight: () => beside(1)}[event.key];

		if (event.key === 'Escape' && this.zoom)
			this.zoomTo(null);
		else if (!to)
			return;
		event.preventDefault();
		event.stopPropagation();
		const next = to && buttons.get(to());

		for (const button of next ? buttons.values() : [])
			button.tabIndex = button === next ? 0 : -1;
		next?.focus();
	}

	/* Its rows are made when it is opened. */
	#table(root) {
		const details = el('details', {}, el('summary', {}, 'Flame graph as a table'));

		details.addEventListener('toggle', () => details.append(this.#rows(root)), {once: true});
		return details;
	}

	#rows(root) {
		const isPair = this.trees.length > 1;
		const rows = stackNodes(root).sort((p, q) => q.total - p.total).slice(0, STACK_TABLE_ROWS)
			.map((node) => [this.#pathOf(node).map((key) => key.split('\n')[0]).join(' › '), node.module,
				...(isPair ? [node.before, node.after, node.after - node.before]
					: [node.total, node.self, node.total / root.total])]);
		const columns = tableColumns([['stack', 'Stack', 'string'], ['module', 'Module', 'string'],
			...(isPair ? [['before', 'Before', 'duration'], ['after', 'After', 'duration'], ['change', 'Change', 'duration']]
				: [['total', 'Total', 'duration'], ['self', 'Self', 'duration'], ['share', 'Share', 'ratio']])]);

		return makeTable(this.app, 'Call stacks of host threads', {columns, rows});
	}
}

/**
 * Fill the tab and follow range and view.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountStacks(app, panel) {
	const view = new StackView(app, panel);
	/** @type {Timer} */
	let timer = 0;

	if (view.isAsked) {
		app.state.on('range', () => view.refresh());
		app.state.on('view', () => {
			clearTimeout(timer);
			timer = setTimeout(() => app.state.range || view.refresh(), 250);
		});
	}
	addEventListener('resize', () => view.draw());
	return {refresh: () => view.refresh()};
}
