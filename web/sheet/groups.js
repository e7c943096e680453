/* SPDX-License-Identifier: MIT */
/*
 * groups.js - the rows of a trace in another order: what is alike of all GPUs side by side, which
 * shows who is late, or the GPUs under the processes that drive them.
 */

/** Ways to group rows: [value, title]. The first is that of the head. */
export const groupings = [['rank', 'by GPU'], ['kind', 'by kind of row, across GPUs'],
	['process', 'by process, with its GPUs']];

const APART_TITLE = 'NVTX on GPUs, communication and copies';

const KIND_TITLES = {gpu: 'GPUs', iterations: 'Iterations', 'nvtx-gpu': 'NVTX on GPUs',
	'nvtx-apart': APART_TITLE, gaps: 'Gaps', counters: 'Counters'};

/* What a row of a GPU is, in words: of a stream its role, without its number. */
function kindTitle(row) {
	if (row.kind === 'stream')
		return `${/^Stream \S+ ([^*]*[^* ])/.exec(row.label)?.[1] ?? 'other'} streams`;
	return KIND_TITLES[row.kind] ?? row.kind;
}

/* Headings that are unfolded at first: those whose rows one compares across GPUs. */
const FOLDED_TITLES = new Set(['Iterations', 'NVTX on GPUs', APART_TITLE, 'Counters']);

function copied(tree) {
	const nodes = new Map();
	const copy = (node, parent) => {
		const own = {...node, parent};
		nodes.set(own.id, own);
		own.children = node.children.map((child) => copy(child, own));
		return own;
	};
	return {nodes, roots: tree.roots.map((node) => copy(node, null))};
}

function adopt(parent, node) {
	node.parent = parent;
	parent.children.push(node);
}

function makeHeading(id, title) {
	const row = {parent: -1, trace: 0, kind: 'group', label: title, brief: '', device: -1, process: -1,
		thread: -1, stream: -1, events: 0, busy: 0};
	return {id, row, text: title, lanes: 0, children: [], parent: null};
}

/* Headings are numbered on behind all that a tree may have. */
function byKind(tree, {nodes, roots}) {
	const headings = new Map();
	const put = (node, gpu) => {
		const title = kindTitle(node.row);
		if (!headings.has(title)) {
			const made = makeHeading(3 * tree.head.rows.length + headings.size, title);
			headings.set(title, made);
			nodes.set(made.id, made);
		}
		headings.get(title).row.events += node.row.events;
		node.text = node === gpu ? node.text : `${gpu.row.brief} ${node.text}`;
		adopt(headings.get(title), node);
	};
	for (const gpu of roots.filter(({row}) => row.kind === 'gpu')) {
		const own = gpu.children;
		gpu.children = [];
		put(gpu, gpu);
		for (const node of own) {
			if (node.row.kind === 'merged')
				nodes.delete(node.id);
			else
				put(node, gpu);
		}
	}
	const unfolded = [...headings.values()].filter(({text}) => !FOLDED_TITLES.has(text));
	return {open: new Set([...tree.open, ...unfolded.map(({id}) => id)]),
		roots: [...headings.values(), ...roots.filter(({row}) => row.kind !== 'gpu')]};
}

function byProcess(tree, {roots}) {
	const isDriven = ({row}, process) => row.kind === 'gpu' &&
		tree.head.devices[row.device]?.process === process;
	for (const node of roots.filter(({row}) => row.kind === 'process')) {
		const threads = node.children;
		node.children = [];
		for (const gpu of roots.filter((root) => isDriven(root, node.row.process)))
			adopt(node, gpu);
		node.children.push(...threads);
	}
	return {open: tree.open, roots: roots.filter(({parent}) => parent === null)};
}

/**
 * A tree of rows.js in a grouping; the tree itself is not changed. The headings of 'kind' are rows
 * of the kind 'group' with ids of their own. Of several traces there is only the first grouping.
 */
export function groupedTree(tree, grouping) {
	if (tree.head.traces.length > 1 || !['kind', 'process'].includes(grouping))
		return tree;
	const copy = copied(tree);
	const other = Object.create(Object.getPrototypeOf(tree));
	return Object.assign(other, tree, {nodes: copy.nodes},
		grouping === 'kind' ? byKind(tree, copy) : byProcess(tree, copy));
}
