/* SPDX-License-Identifier: MIT */
/*
 * worktree.js - the NVTX ranges of a GPU as a tree, with the operations launched in them as leaves: the time of each
 * node is that in which one of its operations is under way, as gpu_busy of `warplens tree`.
 */
import {NO_VALUE} from './columns.js';
import {isProjectionKind} from './kinds.js';
import {NO_PARENT, STYLE_PUSH_POP} from './links.js';
/** @import {EventsWith, Source} from '../types.js' */

/** Of one row, at most so many ranges or operations are asked for. */
const TREE_EVENTS = 200_000;

/** What operations outside all ranges are under. */
export const NO_RANGE = '(no NVTX)';

/**
 * A range or an operation of the tree: word is the category of an operation, -1 of a range; self is the time of what the range
 * launched itself; times in ns.
 * @typedef {{name: string, word: number, parent: WorkNode|null, depth: number, total: number, self: number, count: number,
 *     until: number, selfUntil: number, children: Map<string, WorkNode>, before?: number, after?: number}} WorkNode
 * The root.
 * @typedef {WorkNode & {truncated: boolean}} WorkTree
 */

/** @returns {WorkNode} */
const workNode = (parent, name, word) => ({
	name, word, parent, depth: parent ? parent.depth + 1 : -1, total: 0, self: 0, count: 0, until: -Infinity,
	selfUntil: -Infinity, children: new Map(),
});

function workChild(parent, name, word) {
	const key = `${name}\n${word}`;

	if (!parent.children.has(key))
		parent.children.set(key, workNode(parent, name, word));
	return parent.children.get(key);
}

/* The part of [begin, end) that some of it was not counted of, by what is counted until. */
function grow(node, key, until, begin, end) {
	node[key] += Math.max(0, end - Math.max(begin, node[until]));
	node[until] = Math.max(node[until], end);
}

/**
 * The ranges of a GPU by ref: {name, parent}.
 * @param {Source} source
 */
async function rangesOfDevice(source, rows, a, b) {
	const ranges = new Map();
	let truncated = false;

	for (const id of rows) {
		const events = /** @type {EventsWith<'parent'>} */ (await source.events(id, a, b, TREE_EVENTS));

		truncated ||= events.truncated;
		for (let i = 0; i < events.n; i++)
			ranges.set(events.ref[i], {name: events.name[i], parent: events.parent[i]});
	}
	return {ranges, truncated};
}

/**
 * Outermost ranges of other threads of the process below what its leading thread had open when they began, by ref: so backward passes,
 * which run on a thread of their own, are in their step.
 * @param {Source} source
 */
async function findJoined(source, device) {
	const {rows, devices, processes, traces} = source.head;
	const {process, trace} = devices[device];
	const anchor = processes[process]?.anchor ?? -1;
	const joined = new Map(), anchors = [], found = [];

	for (const [id, row] of anchor < 0 ? [] : rows.entries()) {
		if (row.kind !== 'nvtx' || row.process !== process)
			continue;
		const events = /** @type {EventsWith<'parent'|'span'>} */ (
			await source.events(id, traces[trace].begin, traces[trace].end + 1, TREE_EVENTS));

		for (let i = 0; i < events.n; i++) {
			const isAnchor = row.thread === anchor;
			const isRoot = events.parent[i] === NO_PARENT;

			if (events.span[i] === STYLE_PUSH_POP && (isAnchor || isRoot))
				found.push({isAnchor, ref: events.ref[i], begin: events.start[i], end: events.start[i] + events.dur[i],
					name: events.name[i], parent: events.parent[i]});
		}
	}
	const open = [];

	for (const range of found.sort((x, y) => x.begin - y.begin || y.isAnchor - x.isAnchor || y.end - x.end)) {
		while (open.length && open.at(-1).end <= range.begin)
			open.pop();
		if (range.isAnchor) {
			open.push(range);
			anchors.push(range);
		} else if (open.length) {
			joined.set(range.ref, open.at(-1).ref);
		}
	}
	return {joined, anchors};
}

/** By source and GPU: it is the same for every part of a trace. */
const knownJoined = new WeakMap();

/**
 * The same, with the ranges of the leading thread added to ranges.
 * @param {Source} source
 */
async function joinThreads(source, device, ranges) {
	if (!knownJoined.has(source))
		knownJoined.set(source, new Map());
	const known = knownJoined.get(source);

	if (!known.has(device))
		known.set(device, findJoined(source, device).catch((problem) => {
			known.delete(device); /* a server may answer later */
			throw problem;
		}));
	const {joined, anchors} = await known.get(device);

	for (const {ref, name, parent} of anchors)
		if (!ranges.has(ref))
			ranges.set(ref, {name, parent});
	return joined;
}

/**
 * The operations of a GPU in order of begin: {begin, end, name, range}.
 * @param {Source} source
 */
async function opsOfDevice(source, rows, a, b) {
	const ops = [];
	let truncated = false;

	for (const id of rows) {
		const events = /** @type {EventsWith<'value'>} */ (await source.events(id, a, b, TREE_EVENTS, {by: 'range'}));

		truncated ||= events.truncated;
		for (let i = 0; i < events.n; i++)
			ops.push({begin: Math.max(a, events.start[i]), end: Math.min(b, events.start[i] + events.dur[i]),
				name: events.name[i], range: events.value[i]});
	}
	return {ops: ops.sort((x, y) => x.begin - y.begin), truncated};
}

/* The time of ranges becomes that of their spans; that of operations stays. */
function setWall(root, nodes, spans) {
	for (const ref of spans.keys())
		nodes.get(ref).total = 0;
	for (const [ref, {begin, end}] of spans)
		nodes.get(ref).total += end - begin;
	root.total = [...root.children.values()].reduce((sum, {total}) => sum + total, 0);
}

/**
 * The tree of a GPU in [a, b).
 * @param {Source} source
 * @param {number} device
 * @param {number} a
 * @param {number} b
 * @param {?{begin: number, end: number}[]} only  pieces of time that count, in order; null: all
 * @param {{isWall?: boolean, isJoined?: boolean}} how  isWall: the time of a range is from the first start to the last end of its
 *     operations, summed over ranges, as `projected` of `tree`; isJoined: ranges of other threads stand below those of the
 *     leading one, see joinThreads()
 * @returns {Promise<WorkTree>} the root
 */
export async function workTree(source, device, a, b, only = null, {isWall = false, isJoined = false} = {}) {
	const {rows} = source.head;
	const of = (is) => rows.flatMap((row, id) => (row.device === device && is(row.kind) ? [id] : []));
	const {ranges, truncated: lost} = await rangesOfDevice(source, of(isProjectionKind), a, b);
	const {ops, truncated} = await opsOfDevice(source, of((kind) => kind === 'stream'), a, b);
	const root = Object.assign(workNode(null, '', -1), {truncated: lost || truncated});
	const nodes = new Map(), spans = new Map();
	const joined = isJoined ? await joinThreads(source, device, ranges) : new Map();
	const parentOf = (ref) => {
		const {parent} = ranges.get(ref);

		return parent === NO_PARENT ? joined.get(ref) ?? NO_PARENT : parent;
	};
	const nodeOf = (ref) => {
		const range = ranges.get(ref);

		if (!range)
			return workChild(root, NO_RANGE, -1);
		if (!nodes.has(ref))
			nodes.set(ref, workChild(parentOf(ref) === NO_PARENT ? root : nodeOf(parentOf(ref)),
				source.nameLabel(range.name), -1));
		return nodes.get(ref);
	};
	const count = (leaf, begin, end) => {
		grow(leaf, 'self', 'selfUntil', begin, end);
		grow(leaf.parent, 'self', 'selfUntil', begin, end);
		for (let node = leaf; node; node = node.parent)
			grow(node, 'total', 'until', begin, end);
	};
	const span = (ref, begin, end) => {
		const known = spans.get(ref) ?? {begin, end};

		spans.set(ref, {begin: Math.min(known.begin, begin), end: Math.max(known.end, end)});
		if (parentOf(ref) !== NO_PARENT && ranges.has(parentOf(ref)))
			span(parentOf(ref), begin, end);
	};
	let piece = 0;

	for (const {begin, end, name, range} of ops) {
		const leaf = workChild(range === NO_VALUE ? workChild(root, NO_RANGE, -1) : nodeOf(range),
			source.nameLabel(name), source.nameWord(name));

		leaf.count++;
		if (isWall && ranges.has(range))
			span(range, begin, end);
		if (only === null)
			count(leaf, begin, end);
		while (only && piece < only.length && only[piece].end <= begin)
			piece++;
		for (let i = piece; only && i < only.length && only[i].begin < end; i++)
			count(leaf, Math.max(begin, only[i].begin), Math.min(end, only[i].end));
	}
	if (isWall)
		setWall(root, nodes, spans);
	return root;
}

/**
 * The pieces of [a, b) in which a GPU only communicates, in order.
 * @param {Source} source
 */
export async function exposedPieces(source, device, a, b) {
	const {head} = source;
	const rowId = head.rows.findIndex((row) => row.kind === 'gpu' && row.device === device);
	const comm = head.classes.findIndex(({key}) => key === 'exposed_comm');
	const events = await source.events(rowId, a, b, TREE_EVENTS);
	const pieces = [];

	for (let i = 0; i < events.n; i++) {
		if (source.nameCategory(events.name[i]) === comm)
			pieces.push({begin: Math.max(a, events.start[i]), end: Math.min(b, events.start[i] + events.dur[i])});
	}
	return pieces.sort((x, y) => x.begin - y.begin);
}

/** All nodes below a root, ranges before what is in them. */
export function workNodes(root) {
	const all = [...root.children.values()];

	for (const node of all)
		all.push(...node.children.values());
	return all;
}

function addWorkSide(to, from, side, scale) {
	to[side] = (to[side] ?? 0) + from.total * scale;
	to.count += from.count;
	for (const child of from.children.values())
		addWorkSide(workChild(to, child.name, child.word), child, side, scale);
}

/**
 * Two trees as one: before and after of each node, and the larger of both as its total.
 * @param {WorkTree} before  of workTree()
 * @param {WorkTree} after
 * @param {number[]} scale  by side: what its times are multiplied with
 */
export function compareWork(before, after, scale) {
	const both = Object.assign(workNode(null, '', -1), {truncated: before.truncated || after.truncated});

	addWorkSide(both, before, 'before', scale[0]);
	addWorkSide(both, after, 'after', scale[1]);
	for (const node of [both, ...workNodes(both)]) {
		node.before ??= 0;
		node.after ??= 0;
		node.total = Math.max(node.before, node.after);
	}
	return both;
}
