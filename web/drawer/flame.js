/*
 * flame.js - NVTX ranges of the range as a flame view: equal paths are one rectangle, as wide as
 * their time together, under what they are in. A table says the same.
 */
import {el, newestOnly} from '../base/dom.js';
import {cutText, formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {tableColumns} from '../data/stats.js';
import {rangeOf} from './range.js';

const FLAME_EVENTS = 200_000;
const FLAME_RECTANGLES = 600;
/** Rectangles narrower than this share of the whole are only in the table. */
const FLAME_NARROWEST = 0.002;

/** Rectangles narrower than this share have no room for a name. */
const FLAME_NAMED = 0.015;

/**
 * A name without its numbers: "layer 3" and "layer 4" are both "layer #".
 * @param {string} name
 */
export const withoutNumbers = (name) => name.replace(/\d+/g, '#');

const flameNode = (name, depth) => ({
	name, depth, count: 0, total: 0, longest: 0, event: null, children: new Map(),
});

/*
 * The indexes of events in order of time; at the same time the outer one first. Lanes are depths.
 */
function flameOrder(events) {
	return Uint32Array.from({length: events.n}, (_, i) => i).sort((x, y) =>
		events.start[x] - events.start[y] || events.lane[x] - events.lane[y]);
}

/**
 * Ranges merged by path.
 * @param {{n: number, lane: Uint16Array, start: Float64Array, dur: Float64Array,
 *     name: Uint32Array, ref: Uint32Array}} events  of an NVTX row: as a source's events()
 * @param {(name: number) => string} nameText
 * @param {number} a  ns; only the part in [a, b) counts
 * @param {number} b
 * @returns {object} the root: {name, depth, count, total, longest, event, children}: total and
 *     longest in ns, event is the index of the longest range, children is a Map by name
 */
export function flameTree(events, nameText, a, b) {
	const root = flameNode('', -1);
	const open = []; /* what the last range is in: {end, node} */

	for (const i of flameOrder(events)) {
		const begin = events.start[i];
		const end = begin + events.dur[i];
		const part = Math.min(end, b) - Math.max(begin, a);

		if (part <= 0)
			continue;
		while (open.length && (open.at(-1).end <= begin || open.at(-1).end < end))
			open.pop();
		const parent = open.at(-1)?.node ?? root;
		const name = nameText(events.name[i]);

		if (!parent.children.has(name))
			parent.children.set(name, flameNode(name, parent.depth + 1));
		const node = parent.children.get(name);

		node.count++;
		node.total += part;
		if (part > node.longest)
			Object.assign(node, {longest: part, event: i});
		if (parent === root)
			root.total += part;
		open.push({end, node});
	}
	return root;
}

/**
 * The rectangles of a tree, outer ones first.
 * @param {object} root  of flameTree
 * @returns {{node: object, x: number, width: number, path: string[]}[]} x and width in shares of
 *     the root's time; children stand side by side from the left, the longest first. Ranges of a
 *     GPU may overlap, and then be more than what they are in: they share its width.
 */
export function flameLayout(root) {
	const all = [];
	let row = [{node: root, x: 0, width: 1, path: []}];

	while (row.length) {
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

function flameRectangle(root, {node, x, width, path}, go) {
	const where = cutText(path.map((name) => cutText(name)).join(' › '));
	const text = `${where}: ${formatNs(node.total)}, ` +
		`${formatRatio(node.total / root.total)} of the ranges, ${node.count} times`;
	const button = el('button.flame-box', {type: 'button', tabindex: '-1', title: text,
		on: {click: () => go(node)}},
	width >= FLAME_NAMED ? cutText(node.name) : '');

	button.style.left = `${x * 100}%`;
	button.style.width = `${width * 100}%`;
	button.style.top = `calc(${node.depth} * var(--flame-row))`;
	return button;
}

function flameTable(root, boxes) {
	return {
		columns: tableColumns([['path', 'Range', 'string'], ['count', 'Count', 'count'],
			['sum', 'Sum', 'duration'], ['longest', 'Longest', 'duration'],
			['share', 'Share', 'ratio']]),
		rows: boxes.map(({node, path}) => [path.join(' › '), node.count, node.total, node.longest,
			node.total / root.total]),
	};
}

function flameRows(head) {
	return head.rows.flatMap((row, i) => (/^nvtx/.test(row.kind) && row.events ? [i] : []));
}

function flameRowLabel(head, id) {
	const row = head.rows[id];
	const parent = row.parent >= 0 ? `${head.rows[row.parent].label}: ` : '';

	return parent + row.label;
}

function drawFlame(app, rowId, events, {a, b, what}, nameOf) {
	const {source} = app;
	const root = flameTree(events, (n) => nameOf(source.nameText(n)), a, b);
	const boxes = flameLayout(root);
	const drawn = boxes.filter((box) => box.width >= FLAME_NARROWEST).slice(0, FLAME_RECTANGLES);
	const depth = drawn.reduce((most, box) => Math.max(most, box.node.depth + 1), 0);
	const go = (node) => {
		const begin = events.start[node.event];

		app.timeline.goTo({rowId, ref: events.ref[node.event], begin,
			end: begin + events.dur[node.event],
			name: source.nameText(events.name[node.event])});
	};
	const table = flameTable(root, boxes);
	const picture = el('div.flame', {'aria-hidden': 'true'},
		...drawn.map((box) => flameRectangle(root, box, go)));

	if (!boxes.length)
		return [el('p.empty', {}, `No NVTX range of this row lies in the ${what.toLowerCase()}.`)];
	picture.style.height = `calc(${depth} * var(--flame-row))`;
	return [
		el('p.of', {}, `${what} ${formatNs(b - a)}: ranges take ${formatNs(root.total)}; ` +
			'widths are shares of that. A click selects the longest.',
		events.truncated ? ` Only the first ${events.n} ranges are counted.` : ''),
		picture,
		el('details', {}, el('summary', {}, 'Flame view as a table'),
			makeTable(app, `NVTX ranges by path, ${flameRowLabel(source.head, rowId)}; share of ` +
				formatNs(root.total), table, {
				go: (row) => () => go(boxes[table.rows.indexOf(row)].node),
				goTitle: 'Show the longest',
			})),
	];
}

/**
 * Fill the tab and follow range and view.
 * @param {object} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountFlame(app, panel) {
	const rows = flameRows(app.source.head);
	const newest = newestOnly();
	const body = el('div');
	const select = el('select', {on: {change: () => refresh()}}, ...rows.map((id) =>
		el('option', {value: String(id)}, flameRowLabel(app.source.head, id))));
	const merge = el('input', {type: 'checkbox', checked: true, on: {change: () => refresh()}});
	let timer = 0;
	const refresh = async () => {
		if (panel.hidden || !rows.length)
			return;
		const range = rangeOf(app.state);
		const rowId = Number(select.value);

		try {
			const {stale, value} = await newest(() =>
				app.source.events(rowId, range.a, range.b, FLAME_EVENTS));

			if (!stale)
				body.replaceChildren(...drawFlame(app, rowId, value, range,
					merge.checked ? withoutNumbers : String));
		} catch (problem) {
			body.replaceChildren(el('p.empty', {}, `No ranges: ${problem.message}`));
		}
	};

	panel.replaceChildren(rows.length ? el('p.range-choices', {},
		el('label', {}, 'NVTX of ', select),
		el('label', {}, merge, ' names that differ by numbers are one'))
		: el('p.empty', {}, 'The trace has no NVTX ranges. Capture with --trace=nvtx,cuda.'), body);
	app.state.on('range', refresh);
	app.state.on('align', refresh);
	app.source.onNames?.(refresh); /* those of a server come later */
	app.state.on('view', () => {
		clearTimeout(timer);
		timer = setTimeout(() => app.state.range || refresh(), 250);
	});
	return {refresh};
}
