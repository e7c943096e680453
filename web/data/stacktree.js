/* SPDX-License-Identifier: MIT */
/*
 * stacktree.js - call stacks as a tree of callers, turned round, and compared: what a flame graph
 * of host code draws. The data are "Call stacks" of docs/web.md.
 */

/** What functions are called that the data leave out; they are in the time of their caller. */
export const SMALLER = '(smaller)';

/**
 * A function of the tree; children is a Map, times in ns.
 * @typedef {{name: string, module: string, parent: StackNode|null, depth: number, total: number, self: number, before: number,
 *     after: number, children: Map<string, StackNode>}} StackNode
 */

/** @returns {StackNode} */
const stackNode = (parent, name, module) => ({
	name, module, parent, depth: parent ? parent.depth + 1 : -1, total: 0, self: 0, before: 0,
	after: 0, children: new Map(),
});

function stackChild(parent, name, module) {
	const key = `${name}\n${module}`;

	if (!parent.children.has(key))
		parent.children.set(key, stackNode(parent, name, module));
	return parent.children.get(key);
}

/** All nodes below a root, callers first. */
export function stackNodes(root) {
	const all = [...root.children.values()];

	for (const node of all)
		all.push(...node.children.values());
	return all;
}

/**
 * The tree of the data: the total of a root is the sum of those of its children.
 * @param {{total: number, texts: string[], nodes: number[][]}} data
 * @returns {StackNode} the root
 */
export function stackTree(data) {
	const root = stackNode(null, '', '');
	const at = [];

	for (const [parent, name, module, total, self] of data.nodes) {
		const node = stackChild(parent < 0 ? root : at[parent], data.texts[name], data.texts[module]);

		node.total += total;
		node.self += self;
		at.push(node);
	}
	root.total = data.total;
	for (const node of [root, ...stackNodes(root)]) {
		const inside = [...node.children.values()].reduce((sum, {total}) => sum + total, 0);
		const rest = node.total - node.self - inside;

		if (rest > 0)
			Object.assign(stackChild(node, SMALLER, ''), {total: rest, self: rest});
	}
	return root;
}

/**
 * The same time from the inside: innermost functions, and below each its callers.
 * @param {StackNode} root  of stackTree
 */
export function invertStacks(root) {
	const turned = stackNode(null, '', '');

	turned.total = root.total;
	for (const node of stackNodes(root)) {
		let to = turned;

		for (let from = node; node.self > 0 && from !== root; from = /** @type {StackNode} */ (from.parent)) {
			to = stackChild(to, from.name, from.module);
			to.total += node.self;
		}
		to.self += to === turned ? 0 : node.self;
	}
	return turned;
}

function addSide(to, from, side, scale) {
	to[side] += from.total * scale;
	for (const child of from.children.values())
		addSide(stackChild(to, child.name, child.module), child, side, scale);
}

/**
 * Two trees as one: after and before of each function, and the larger of both as its total.
 * @param {StackNode} before  of stackTree or invertStacks
 * @param {StackNode} after
 * @param {number[]} scale  by side: what its times are multiplied with
 */
export function compareStacks(before, after, scale) {
	const both = stackNode(null, '', '');

	addSide(both, before, 'before', scale[0]);
	addSide(both, after, 'after', scale[1]);
	for (const node of [both, ...stackNodes(both)])
		node.total = Math.max(node.before, node.after);
	return both;
}

/**
 * The time of functions whose name holds a text, in any case; what is inside of one counts once.
 * @param {StackNode} root
 * @param {string} text  '' matches nothing
 * @returns {{sum: number, matched: Set<StackNode>}}
 */
export function matchStacks(root, text) {
	const wanted = text.toLowerCase();
	const matched = new Set();
	const covered = new Set();
	let sum = 0;

	for (const node of wanted ? stackNodes(root) : []) {
		if (node.name !== SMALLER && node.name.toLowerCase().includes(wanted))
			matched.add(node);
		if (covered.has(node.parent) || matched.has(node)) {
			sum += covered.has(node.parent) ? 0 : node.total;
			covered.add(node);
		}
	}
	return {sum, matched};
}
