/* SPDX-License-Identifier: MIT */
/*
 * workflame.js - the NVTX ranges of a GPU with their operations as leaves, as a flame graph: widths are busy or exposed
 * time. A click zooms, a search marks; a table says the same.
 */
import {el, pressButton} from '../base/dom.js';
import {cutText, formatCount, formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {deviceName} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {compareWork, exposedPieces, workNodes, workTree} from '../data/worktree.js';
import {flameBox, flameLayout, tintChange} from './flamebox.js';
/** @import {App} from '../types.js' */
/** @import {WorkNode} from '../data/worktree.js' */

const WORK_BOXES = 600;
const WORK_TABLE_ROWS = 200;
/** Of two traces, a change of this share of all is written in its rectangle. */
const LEAST_CHANGE = 0.01;
/** Narrower boxes, as a share of the whole, are only in the table. */
const WORK_NARROWEST = 0.002;
const WORK_TIMES = {busy: 'GPU busy', exposed: 'exposed communication', wall: 'wall, first start to last end'};

/** How many steps of the process of a GPU begin in [a, b). */
function stepsIn({devices, processes}, device, a, b) {
	const {iterations} = processes[devices[device].process] ?? {iterations: []};

	return iterations.filter(([begin]) => begin >= a && begin < b).length;
}

/** The steps of a GPU that lie in [a, b): from where to where, and how many; null for none. */
function wholeSteps({devices, processes}, device, a, b) {
	const whole = (processes[devices[device].process]?.iterations ?? []).filter(([begin, end]) => begin >= a && end <= b);

	return whole.length ? {a: whole[0][0], b: whole.at(-1)[1], n: whole.length} : null;
}

const pathOf = (node) => (node.parent?.parent ? [...pathOf(node.parent), node] : [node]);
const pathText = (node) => pathOf(node).map(({name}) => cutText(name)).join(' › ');

/** What is chosen and drawn of the tree of a GPU. */
export class WorkFlame {
	/** @param {App} app */
	constructor(app, changed) {
		const again = {change: changed};

		this.app = app;
		this.time = el('select', {on: again}, ...Object.entries(WORK_TIMES).map(([value, text]) => el('option', {value}, text)));
		this.perStep = el('input', {type: 'checkbox', on: {change: () => this.draw()}});
		this.joined = el('input', {type: 'checkbox', checked: true, on: again});
		this.find = el('input', {type: 'search', 'aria-label': 'Find ranges and operations', placeholder: 'find',
			on: {input: () => this.#mark()}});
		this.out = pressButton('Zoom out', () => this.#zoomTo([]));
		this.choices = el('span', {}, el('label', {}, 'time ', this.time), ' ',
			el('label', {}, this.perStep, ' mean per step'), ' ', el('label', {title: 'Ranges of other threads stand below what the ' +
				'leading thread had open when they began'}, this.joined, ' threads joined'), ' ', this.find, ' ', this.out);
		this.text = el('p.of', {'aria-live': 'polite'});
		this.body = el('div');
		this.zoom = [];
		/** @type {Map<WorkNode, HTMLElement>} */
		this.boxes = new Map();
	}

	/** The tree of a GPU in a range of rangeOf(), or of two traces the change from its first GPU to the second. */
	async ask(devices, {a, b, what}) {
		if (devices.length < 2)
			return {device: devices[0], a, b, what, tree: await this.#tree(devices[0], a, b)};
		const steps = devices.map((device) => wholeSteps(this.app.source.head, device, a, b));
		const isPerStep = steps.every(Boolean);
		const trees = await Promise.all(devices.map((device, i) => (isPerStep ? this.#tree(device, steps[i].a, steps[i].b)
			: this.#tree(device, a, b))));

		return {device: devices[0], a, b, what,
			tree: compareWork(trees[0], trees[1], steps.map((side) => (isPerStep ? 1 / side.n : 1))),
			isPair: true, per: isPerStep ? `, per step of ${steps[0].n} and ${steps[1].n}` : ''};
	}

	async #tree(device, a, b) {
		const {source} = this.app;
		const only = this.time.value === 'exposed' ? await exposedPieces(source, device, a, b) : null;

		return workTree(source, device, a, b, only, {isWall: this.time.value === 'wall', isJoined: this.joined.checked});
	}

	show(answer) {
		this.answer = answer;
		this.draw();
	}

	#zoomTo(path) {
		this.zoom = path;
		this.draw();
		/** @type {?HTMLElement} */ (this.body.querySelector('.flame-box'))?.focus();
	}

	#zoomed() {
		let node = this.answer.tree;

		for (const {name, word} of this.zoom)
			node = node?.children.get(`${name}\n${word}`);
		return node ?? this.answer.tree;
	}

	draw() {
		const {tree, device, a, b, what, isPair, per} = this.answer;
		const {head} = this.app.source;
		const steps = isPair ? 0 : stepsIn(head, device, a, b);

		this.scale = this.perStep.checked && steps ? steps : 1;
		this.perStep.disabled = steps === 0;
		this.boxes = new Map();
		this.said = `${deviceName(head, device)}, ${what.toLowerCase()} ${formatNs(b - a)}: ${WORK_TIMES[this.time.value]} ` +
			`${isPair ? `${this.#ns(tree.before)} before, ${this.#ns(tree.after)} after${per}; orange grows, ` +
				'blue shrinks' : this.#ns(tree.total)}${this.scale > 1 ? ` per step (${formatCount(steps)} steps)` : ''}. A click zooms.` +
			`${tree.truncated ? ' Some events are not counted: too many, or not in this file.' : ''}`;
		this.body.replaceChildren(...(tree.total ? [this.#picture(tree), this.#table(tree)]
			: [el('p.empty', {}, 'No such time in it.')]));
		this.#mark();
	}

	#ns(time) {
		return formatNs(Math.round(time / this.scale));
	}

	#picture(tree) {
		const top = this.#zoomed();
		const above = top === tree ? [] : pathOf(top).slice(0, -1);
		const inside = top === tree ? tree : {total: top.total, children: new Map([['', top]])};
		const boxes = [...above.map((node) => ({node, x: 0, width: 1})), ...flameLayout(inside)]
			.filter(({width}) => width >= WORK_NARROWEST).slice(0, WORK_BOXES);
		const depth = boxes.reduce((most, {node}) => Math.max(most, node.depth + 1), 0);
		const picture = el('div.flame.stacks', {role: 'group', 'aria-label': 'Flame graph of NVTX ranges and operations',
			on: {keydown: (event) => this.#key(event)}}, ...boxes.map((box) => this.#box(box, tree)));

		this.out.disabled = top === tree;
		picture.firstElementChild?.setAttribute('tabindex', '0');
		picture.style.height = `calc(${depth} * var(--flame-row))`;
		return picture;
	}

	#box(box, tree) {
		const {node} = box;
		const {head} = this.app.source;
		const word = node.word >= 0 ? ` (${head.words[node.word].key})` : '';
		const {isPair} = this.answer;
		const itself = this.time.value === 'wall' ? '' : `, itself ${this.#ns(node.self)}`;
		const text = `${pathText(node)}${word}: ${isPair ? `${this.#ns(node.before)} before, ${this.#ns(node.after)} after`
			: `${this.#ns(node.total)}, ${formatRatio(node.total / tree.total)}${itself}`}`;
		const button = flameBox(box, text, () => this.#zoomTo(pathOf(node)));

		button.setAttribute('aria-label', text);
		if (isPair) {
			const change = node.after - node.before;

			tintChange(button, node);
			if (Math.abs(change) >= LEAST_CHANGE * tree.total)
				button.dataset.change = `${change > 0 ? '+' : '−'}${this.#ns(Math.abs(change))} `;
		} else if (node.word >= 0) {
			button.style.setProperty('--tint', head.categories[head.words[node.word].colour].light);
		}
		this.boxes.set(node, button);
		return button;
	}

	/* Left and right go through the boxes in their order, up and down between a range and its longest part. */
	#key(event) {
		const nodes = [...this.boxes.keys()];
		const at = nodes.findIndex((node) => this.boxes.get(node) === document.activeElement);
		const below = () => nodes.find(({parent}) => parent === nodes[at]);
		const to = {ArrowDown: below, ArrowUp: () => nodes[at]?.parent, ArrowLeft: () => nodes[at - 1],
			ArrowRight: () => nodes[at + 1]}[event.key]?.();

		if (event.key === 'Escape' && this.zoom.length)
			this.#zoomTo([]);
		else if (!event.key.startsWith('Arrow'))
			return;
		event.preventDefault();
		event.stopPropagation();
		for (const [node, button] of this.boxes.has(to) ? this.boxes : [])
			button.tabIndex = node === to ? 0 : -1;
		this.boxes.get(to)?.focus();
	}

	/* What the search finds; what is inside of a find counts once. */
	#mark() {
		const wanted = this.find.value.toLowerCase();
		const {tree} = this.answer;
		const fits = (node) => wanted !== '' && node.name.toLowerCase().includes(wanted);
		const found = workNodes(tree).filter((node) => fits(node) && !pathOf(node).slice(0, -1).some(fits));
		const sum = found.reduce((all, {total}) => all + total, 0);

		for (const [node, button] of this.boxes)
			button.classList.toggle('matched', fits(node));
		this.text.textContent = this.said + (wanted ? ` Found: ${found.length}, ${this.#ns(sum)}.` : '');
	}

	/* Its rows are made when it is opened. */
	#table(tree) {
		const details = el('details', {}, el('summary', {}, 'Flame graph as a table'));

		details.addEventListener('toggle', () => details.append(this.#rows(tree)), {once: true});
		return details;
	}

	#rows(tree) {
		const {words} = this.app.source.head;
		const nodes = workNodes(tree).filter(({total}) => total).sort((x, y) => y.total - x.total);
		const {isPair} = this.answer;
		const time = {busy: ['busy', 'GPU busy', 'duration'], exposed: ['exposed', 'Exposed', 'duration'],
			wall: ['projected', 'GPU span', 'duration']}[this.time.value];
		const columns = isPair ? [['before', 'Before', 'duration'], ['after', 'After', 'duration'], ['change', 'Change', 'duration']]
			: [time, ['self', 'Self', 'duration']];
		const cells = (node) => (isPair ? [node.before, node.after, node.after - node.before] : [node.total, node.self])
			.map((ns) => Math.round(ns / this.scale));

		return makeTable(this.app, `Ranges and operations by ${WORK_TIMES[this.time.value]}`, {
			columns: tableColumns([['path', 'Range or operation', 'string'], ['category', 'Category', 'string'],
				['count', 'Count', 'count'], ...columns, ['share', 'Share', 'ratio']]),
			rows: nodes.slice(0, WORK_TABLE_ROWS).map((node) => [pathText(node), words[node.word]?.key ?? 'range',
				node.count || null, ...cells(node), node.total / tree.total]),
		});
	}
}
