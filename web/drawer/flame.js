/* SPDX-License-Identifier: MIT */
/*
 * flame.js - NVTX ranges of the range as a flame view: equal paths are one rectangle, as wide as
 * their time together, under what they are in. A table says the same. Paths, counts and times are
 * those of `warplens tree`: a range's parent and label come with the data.
 */
import {el, newestOnly} from '../base/dom.js';
import {cutText, formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {NO_PARENT, STYLE_PUSH_POP, STYLE_START_END} from '../data/links.js';
import {gpuPairs} from '../data/pairs.js';
import {deviceName} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {flameBox, flameLayout} from './flamebox.js';
import {rangeOf} from './range.js';
import {WorkFlame} from './workflame.js';
/** @import {App, Head, Timer} from '../types.js' */

const FLAME_EVENTS = 200_000;
const FLAME_RECTANGLES = 600;
/** Rectangles narrower than this share of the whole are only in the table. */
const FLAME_NARROWEST = 0.002;

/**
 * As a source's events().
 * @typedef {{n: number} & {[column in 'start'|'dur'|'name'|'ref'|'parent'|'span']: ArrayLike<number>}} NvtxEvents
 * A path of ranges: total and longest in ns, event is the index of the longest range; children is by name of push/pop ranges,
 * spans of start/end ranges, which may overlap others, have nothing below them and are in no total but their own.
 * @typedef {{name: string, depth: number, count: number, total: number, longest: number, event: ?number,
 *     children: Map<string, FlameNode>, spans: Map<string, FlameNode>}} FlameNode
 */

/** @returns {FlameNode} */
const flameNode = (name, depth) => ({
	name, depth, count: 0, total: 0, longest: 0, event: null, children: new Map(), spans: new Map(),
});

function flameChild(map, name, depth) {
	if (!map.has(name))
		map.set(name, flameNode(name, depth));
	return map.get(name);
}

/*
 * The length of what event i has in [a, b); -1 where it has no part in it. One of no length counts
 * where it starts, as in `warplens tree`.
 */
function partOf(events, i, a, b) {
	const begin = events.start[i], end = begin + events.dur[i];

	if (begin >= b || end < a || (end === a && begin < end))
		return -1;
	return Math.min(end, b) - Math.max(begin, a);
}

/**
 * Ranges merged by path: the tree of `warplens tree`, of one row.
 * @param {NvtxEvents} events  of an NVTX row
 * @param {(name: number) => string} nameOf
 * @param {number} a  ns; only the part in [a, b) counts
 * @param {number} b
 * @returns {FlameNode & {lost: number}} the root; lost: ranges whose parent is not among the events
 */
export function flameTree(events, nameOf, a, b) {
	const root = Object.assign(flameNode('', -1), {lost: 0});
	const nodeOf = new Map(); /* by ref */
	const take = (i, isSpan) => {
		const part = partOf(events, i, a, b);
		const parent = events.parent[i] === NO_PARENT ? root : nodeOf.get(events.parent[i]);

		if (part < 0)
			return;
		if (!parent) {
			root.lost++;
			return;
		}
		const node = flameChild(isSpan ? parent.spans : parent.children, nameOf(events.name[i]),
			parent.depth + 1);

		node.count++;
		node.total += part;
		if (node.event === null || part > node.longest)
			Object.assign(node, {longest: part, event: i});
		if (parent === root && !isSpan)
			root.total += part;
		if (!isSpan)
			nodeOf.set(events.ref[i], node);
	};

	/* Parents lie in lanes before those of their children, but for spans, which are no parents. */
	for (const style of [STYLE_PUSH_POP, STYLE_START_END]) {
		for (let i = 0; i < events.n; i++) {
			if (events.span[i] === style)
				take(i, style === STYLE_START_END);
		}
	}
	return root;
}

/**
 * All start/end ranges of a tree, the longest first.
 * @param {FlameNode} root  of flameTree
 * @returns {{node: FlameNode, path: string[]}[]}
 */
export function flameSpans(root) {
	const found = [];
	/** @type {{node: FlameNode, path: string[]}[]} */
	const open = [{node: root, path: []}];

	for (let next = open.pop(); next; next = open.pop()) {
		const {node, path} = next;

		for (const span of node.spans.values())
			found.push({node: span, path: [...path, span.name]});
		for (const child of node.children.values())
			open.push({node: child, path: [...path, child.name]});
	}
	return found.sort((p, q) => q.node.total - p.node.total);
}

function flameRectangle(box, length, go) {
	const {node, path} = box;
	const where = cutText(path.map((name) => cutText(name)).join(' › '));

	return flameBox(box, `${where}: ${formatNs(node.total)}, ` +
		`${formatRatio(node.total / length)} of the range, ${node.count} times`, () => go(node));
}

/** Columns of `warplens tree`: host_sum of a thread's ranges, projected of those on a GPU. */
function flameTable(kind, boxes, spans, length) {
	const sum = kind === 'nvtx' ? ['host_sum', 'Host sum', 'duration']
		: ['projected', 'GPU span', 'duration'];
	const row = (style) => ({node, path}) => [path.join(' › '), style, node.count, node.total,
		node.longest, node.total / length];

	return {
		columns: tableColumns([['path', 'Range', 'string'], ['style', 'Style', 'string'],
			['count', 'Count', 'count'], sum, ['longest', 'Longest', 'duration'],
			['share', 'Of range', 'ratio']]),
		rows: [...boxes.map(row('push/pop')), ...spans.map(row('start/end'))],
	};
}

/** Start/end ranges side by side, apart from the others, which they may overlap. */
function spanPicture(spans, length, go) {
	const whole = spans.reduce((sum, {node}) => sum + node.total, 0);
	let left = 0;
	const boxes = spans.map(({node, path}) => {
		const width = whole ? node.total / whole : 0;
		const box = {node: {...node, depth: 0}, x: left, width, path};

		left += width;
		return box;
	});
	const picture = el('div.flame', {'aria-hidden': 'true'}, ...boxes
		.filter((box) => box.width >= FLAME_NARROWEST).slice(0, FLAME_RECTANGLES)
		.map((box) => flameRectangle(box, length, go)));

	picture.style.height = 'var(--flame-row)';
	return picture;
}

/** @param {Head} head */
function flameRows(head) {
	return head.rows.flatMap((row, i) => (/^nvtx/.test(row.kind) && row.events ? [i] : []));
}

/** @param {Head} head */
function flameRowLabel(head, id) {
	const row = head.rows[id];
	const parent = row.parent >= 0 ? `${head.rows[row.parent].label}: ` : '';

	return parent + row.label;
}

/** What the widths are shares of, and what is left out. */
function flameText(events, root, {a, b, what}, isHost) {
	const sum = isHost ? 'the outermost ranges add up to' : 'GPU spans of the outermost ranges add up to';
	const left = events.truncated || root.lost
		? ` Only ${events.n - root.lost} ranges are counted: the others are too many, or not in this file.` : '';

	return `${what} ${formatNs(b - a)}: ${sum} ${formatNs(root.total)}; widths are shares of that. ` +
		`A click selects the longest.${left}`;
}

/** @param {App} app */
function drawFlame(app, rowId, events, range, nameOf) {
	const {source} = app;
	const {a, b, what} = range;
	const {kind} = source.head.rows[rowId];
	/* What has no length at the end of the trace lies in it, too. */
	const root = flameTree(events, nameOf, a, b >= app.state.extent.end ? b + 1 : b);
	const boxes = flameLayout(root);
	const spans = flameSpans(root);
	const drawn = boxes.filter((box) => box.width >= FLAME_NARROWEST).slice(0, FLAME_RECTANGLES);
	const depth = drawn.reduce((most, box) => Math.max(most, box.node.depth + 1), 0);
	const go = (node) => {
		const begin = events.start[node.event];

		app.timeline.goTo({rowId, ref: events.ref[node.event], begin,
			end: begin + events.dur[node.event],
			name: source.nameText(events.name[node.event])});
	};
	const table = flameTable(kind, boxes, spans, b - a);
	const nodes = [...boxes, ...spans].map(({node}) => node);
	const picture = el('div.flame', {'aria-hidden': 'true'},
		...drawn.map((box) => flameRectangle(box, b - a, go)));

	if (!nodes.length)
		return [el('p.empty', {}, `No NVTX range of this row lies in the ${what.toLowerCase()}.`)];
	picture.style.height = `calc(${depth} * var(--flame-row))`;
	return [
		el('p.of', {}, flameText(events, root, range, kind === 'nvtx')),
		picture,
		...(spans.length ? [el('p.of', {}, 'Start/end ranges, which can overlap the others:'),
			spanPicture(spans, b - a, go)] : []),
		el('details', {}, el('summary', {}, 'Flame view as a table'),
			makeTable(app, `NVTX ranges by path, ${flameRowLabel(source.head, rowId)}; share of ` +
				formatNs(b - a), table, {
				go: (row) => () => go(nodes[table.rows.indexOf(row)]),
				goTitle: 'Show the longest',
			})),
	];
}

/**
 * Fill the tab and follow range and view.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountFlame(app, panel) {
	const {head} = app.source;
	const rows = flameRows(head);
	const newest = newestOnly();
	const body = el('div');
	const gpus = [...new Set(rows.map((id) => head.rows[id].device))].filter((device) => device >= 0);
	const pairs = head.traces.length === 2 ? gpuPairs(head).map(({devices}) => devices)
		.filter((pair) => pair.every((device) => gpus.includes(device))) : [];
	const option = (value, text) => el('option', {value}, text);
	const select = el('select', {on: {change: () => refresh()}},
		...pairs.map(([a, b]) => option(`gpu${a},${b}`, `${deviceName(head, a)} to ${deviceName(head, b)}: change`)),
		...gpus.map((device) => option(`gpu${device}`, `${deviceName(head, device)}: with operations`)),
		...rows.map((id) => option(String(id), flameRowLabel(head, id))));
	const merge = el('input', {type: 'checkbox', checked: true, on: {change: () => refresh()}});
	const merging = el('label', {}, merge, ' names that differ by numbers are one');
	const work = new WorkFlame(app, () => refresh());
	/** @type {Timer} */
	let timer = 0;
	const refreshWork = async (devices, range) => {
		const {stale, value} = await newest(() => work.ask(devices, range));

		if (stale)
			return;
		work.show(value);
		if (work.body.parentNode !== body)
			body.replaceChildren(work.text, work.body);
	};
	const refresh = async () => {
		if (panel.hidden || !rows.length)
			return;
		const range = rangeOf(app.state, app.source.head);
		const gpu = /^gpu([\d,]+)$/.exec(select.value);

		merging.hidden = gpu !== null;
		work.choices.hidden = gpu === null;
		if (gpu) {
			await refreshWork(gpu[1].split(',').map(Number), range).catch((problem) =>
				body.replaceChildren(el('p.empty', {}, `No ranges: ${problem.message}`)));
			return;
		}
		const rowId = Number(select.value);

		try {
			const {stale, value} = await newest(() =>
				app.source.events(rowId, range.a, range.b + 1, FLAME_EVENTS));

			if (!stale)
				body.replaceChildren(...drawFlame(app, rowId, value, range, (name) =>
					(merge.checked ? app.source.nameLabel(name) : app.source.nameText(name))));
		} catch (problem) {
			body.replaceChildren(el('p.empty', {}, `No ranges: ${problem.message}`));
		}
	};

	panel.replaceChildren(rows.length ? el('p.range-choices', {},
		el('label', {}, 'NVTX of ', select), work.choices, merging)
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
