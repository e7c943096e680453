/* SPDX-License-Identifier: MIT */
/*
 * worktree.js - the NVTX ranges of a GPU as a tree, with the operations launched in them as leaves: the time of each
 * node is that in which one of its operations is under way, as gpu_busy of `warplens tree`.
 */
import {NO_VALUE} from './columns.js';
import {isProjectionKind} from './kinds.js';
import {NO_PARENT} from './links.js';

/** Of one row, at most so many ranges or operations are asked for. */
const TREE_EVENTS = 200_000;

/** What operations outside all ranges are under. */
export const NO_RANGE = '(no NVTX)';

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

/* The ranges of a GPU by ref: {name, parent}. */
async function rangesOfDevice(source, rows, a, b) {
	const ranges = new Map();
	let truncated = false;

	for (const id of rows) {
		const events = await source.events(id, a, b, TREE_EVENTS);

		truncated ||= events.truncated;
		for (let i = 0; i < events.n; i++)
			ranges.set(events.ref[i], {name: events.name[i], parent: events.parent[i]});
	}
	return {ranges, truncated};
}

/* The operations of a GPU in order of begin: {begin, end, name, range}. */
async function opsOfDevice(source, rows, a, b) {
	const ops = [];
	let truncated = false;

	for (const id of rows) {
		const events = await source.events(id, a, b, TREE_EVENTS, {by: 'range'});

		truncated ||= events.truncated;
		for (let i = 0; i < events.n; i++)
			ops.push({begin: Math.max(a, events.start[i]), end: Math.min(b, events.start[i] + events.dur[i]),
				name: events.name[i], range: events.value[i]});
	}
	return {ops: ops.sort((x, y) => x.begin - y.begin), truncated};
}

/**
 * The tree of a GPU in [a, b).
 * @param {object} source
 * @param {number} device
 * @param {number} a
 * @param {number} b
 * @param {?{begin: number, end: number}[]} only  pieces of time that count, in order; null: all
 * @returns {Promise<object>} the root: {name, word, parent, depth, total, self, count, children: Map, truncated}: word is the
 *     category of an operation, -1 of a range; self is the time of what the range launched itself; times in ns
 */
export async function workTree(source, device, a, b, only = null) {
	const {rows} = source.head;
	const of = (is) => rows.flatMap((row, id) => (row.device === device && is(row.kind) ? [id] : []));
	const {ranges, truncated: lost} = await rangesOfDevice(source, of(isProjectionKind), a, b);
	const {ops, truncated} = await opsOfDevice(source, of((kind) => kind === 'stream'), a, b);
	const root = Object.assign(workNode(null, '', -1), {truncated: lost || truncated});
	const nodes = new Map();
	const nodeOf = (ref) => {
		const range = ranges.get(ref);

		if (!range)
			return workChild(root, NO_RANGE, -1);
		if (!nodes.has(ref))
			nodes.set(ref, workChild(range.parent === NO_PARENT ? root : nodeOf(range.parent),
				source.nameLabel(range.name), -1));
		return nodes.get(ref);
	};
	const count = (leaf, begin, end) => {
		grow(leaf, 'self', 'selfUntil', begin, end);
		grow(leaf.parent, 'self', 'selfUntil', begin, end);
		for (let node = leaf; node; node = node.parent)
			grow(node, 'total', 'until', begin, end);
	};
	let piece = 0;

	for (const {begin, end, name, range} of ops) {
		const leaf = workChild(range === NO_VALUE ? workChild(root, NO_RANGE, -1) : nodeOf(range),
			source.nameLabel(name), source.nameWord(name));

		leaf.count++;
		if (only === null)
			count(leaf, begin, end);
		while (only && piece < only.length && only[piece].end <= begin)
			piece++;
		for (let i = piece; only && i < only.length && only[i].begin < end; i++)
			count(leaf, Math.max(begin, only[i].begin), Math.min(end, only[i].end));
	}
	return root;
}

/** The pieces of [a, b) in which a GPU only communicates, in order. */
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
