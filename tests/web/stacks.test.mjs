/* SPDX-License-Identifier: MIT */
// The flame graph of host code is the tree of `warplens stacks`, of a file and of a server, and keeps its time when it is turned
// round or compared.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {compareStacks, invertStacks, matchStacks, SMALLER, stackNodes, stackTree} from '../../web/data/stacktree.js';
import {fixtures, serve, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-stacks-'));
const trace = fixtures().find((path) => path.endsWith('/stacks.sqlite'));

after(() => rmSync(room, {recursive: true}));

const pathOf = (node) => (node.parent ? [...pathOf(node.parent), node.name] : []);
const pathsOf = (root) => Object.fromEntries(stackNodes(root).map((node) => [pathOf(node).join(';'), [node.total, node.self]]));

/** Paths with total and self, of the rows of the verb. */
function verbPaths(...args) {
	const paths = new Map();
	const found = {};

	for (const row of JSON.parse(warplens('stacks', trace, ...args, '-f', 'json', '-n', '0')).rows) {
		paths.set(row.id, [...(paths.get(row.parent) ?? []), row.function]);
		found[paths.get(row.id).join(';')] = [row.total, row.self];
	}
	return found;
}

test('a file has the trees of the verb', async () => {
	const page = join(room, 'x.html');

	warplens('viewer', trace, '-o', page);
	const {head} = await sourceOfFile(page);

	for (const during of ['idle', 'all'])
		assert.deepEqual(pathsOf(stackTree(head.traces[0].stacks[during])), verbPaths('--during', during));
});

test('a server answers for a window', async () => {
	const {source, stop} = await serve(trace);
	const {origin, begin, end} = source.head.traces[0];
	const middle = Math.floor((begin + end) / 2);

	assert.deepEqual(source.head.traces[0].stacks, {});
	for (const [a, b] of [[begin, middle], [middle, end]]) {
		const data = await source.stacksIn('idle', a, b, 0);

		assert.deepEqual(pathsOf(stackTree(data)), verbPaths('--window',
			`${BigInt(origin) + BigInt(a)}ns..${BigInt(origin) + BigInt(b)}ns`));
	}
	await stop();
});

const data = {
	total: 110, all: 5, texts: ['main', 'app', 'step', 'read', '[no sample]', ''],
	nodes: [[-1, 0, 1, 100, 10], [0, 2, 1, 60, 20], [1, 3, 1, 40, 40], [0, 3, 1, 20, 20], [-1, 4, 5, 10, 10]],
};

test('what is left out is a child of its own', () => {
	assert.deepEqual(pathsOf(stackTree(data))[`main;${SMALLER}`], [10, 10]);
});

test('turned round, innermost functions have their own time', () => {
	const turned = invertStacks(stackTree(data));
	const outer = Object.fromEntries([...turned.children.values()].map((node) => [node.name, node.total]));

	assert.deepEqual(outer, {main: 10, step: 20, read: 60, '[no sample]': 10, [SMALLER]: 10});
	assert.equal(turned.total, 110);
	assert.deepEqual(pathsOf(turned)['read;step;main'], [40, 40]);
});

test('a match inside of another counts once', () => {
	const root = stackTree(data);

	assert.equal(matchStacks(root, 'READ').sum, 60);
	assert.equal(matchStacks(root, 'e').sum, 90); /* step with read in it, read, and [no sample] */
	assert.equal(matchStacks(root, '').sum, 0);
});

test('two trees have both times, per step', () => {
	const both = compareStacks(stackTree(data), stackTree({...data, nodes: data.nodes.slice(0, 1), total: 100}), [1, 0.5]);
	const times = Object.fromEntries(stackNodes(both).map((node) => [pathOf(node).join(';'), [node.before, node.after, node.total]]));

	assert.deepEqual(times.main, [100, 50, 100]);
	assert.deepEqual(times['main;step'], [60, 0, 60]);
	assert.deepEqual(times[`main;${SMALLER}`], [10, 45, 45]);
});
