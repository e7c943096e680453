/* SPDX-License-Identifier: MIT */
// Rows in other orders: none is lost, none is there twice.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fakeSource} from './fake.js';
import {groupedTree, groupings} from '../../web/sheet/groups.js';
import {mergedRow} from '../../web/data/merge.js';
import {RowTree, layRows} from '../../web/sheet/rows.js';

const {head} = fakeSource();

function stateOf(over = {}) {
	return {toggled: new Set(), pinned: new Set(), hiddenRows: new Set(), merged: new Set(),
		sides: 'all', filter: '', ...over};
}

/** Ids of rows of the head under a node, itself first. */
function idsOf(node) {
	const own = node.id < head.rows.length ? [node.id] : [];

	return [...own, ...node.children.flatMap(idsOf)];
}

for (const [grouping] of groupings) {
	test(`grouped by ${grouping} all rows are there once, under their parents`, () => {
		const tree = groupedTree(new RowTree(head, {canMerge: true}), grouping);
		const ids = tree.roots.flatMap(idsOf);

		assert.deepEqual([...ids].sort((x, y) => x - y), head.rows.map((_, id) => id));
		for (const id of ids) {
			let node = tree.nodes.get(id);

			while (node.parent) {
				assert.ok(node.parent.children.includes(node));
				node = node.parent;
			}
			assert.ok(tree.roots.includes(node));
			const toggled = tree.toUnfold(id, new Set());

			assert.ok(layRows(tree, stateOf({toggled})).rows.some((row) => row.id === id));
		}
	});
}

test('by kind streams of one role are together and say of which GPU they are', () => {
	const tree = groupedTree(new RowTree(head, {canMerge: true}), 'kind');
	const {rows} = layRows(tree, stateOf({merged: new Set([0])}));
	const at = rows.findIndex(({text}) => text === 'compute streams');

	assert.ok(at > 0 && rows[at].top && rows[at].foldable && rows[at].open);
	assert.match(rows[at + 1].text, /^G0 Stream 7 compute$/);
	assert.match(rows[at + 2].text, /^G1 Stream 7 compute$/);
	assert.equal(tree.shownRow(rows[at + 1].id, new Set([0])), rows[at + 1].id);
	assert.ok(!rows.some(({kind}) => kind === 'merged'));
});

test('by process its GPUs are its first rows, and their streams can be merged', () => {
	const tree = groupedTree(new RowTree(head, {canMerge: true}), 'process');
	const process = tree.roots.find(({row}) => row.kind === 'process');

	assert.equal(process.children[0].row.kind, 'gpu');
	assert.ok(tree.nodes.has(mergedRow(head, process.children[0].id)));
	assert.ok(tree.roots.every(({row}) => row.kind !== 'gpu' ||
		!(head.devices[row.device].process >= 0)));
});

test('the tree itself stays as it is, and several traces are not grouped', () => {
	const tree = new RowTree(head, {canMerge: true}), before = tree.roots.flatMap(idsOf);

	groupedTree(tree, 'kind');
	groupedTree(tree, 'process');
	assert.deepEqual(tree.roots.flatMap(idsOf), before);
	assert.equal(groupedTree(tree, 'nonsense'), tree);
	const two = new RowTree({...head, traces: [head.traces[0], head.traces[0]]});
	assert.equal(groupedTree(two, 'kind'), two);
});
