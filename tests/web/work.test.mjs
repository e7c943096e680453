/* SPDX-License-Identifier: MIT */
// The work of a range on the page: operations, their sum and their union are those of `warplens tree`, from a file and
// from a server; and what is beside a gap is what `warplens gaps` says.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {workByName, workOf} from '../../web/data/work.js';
import {NO_RANGE, compareWork, exposedPieces, workNodes, workTree} from '../../web/data/worktree.js';
import {runsOf} from '../../web/sheet/pick.js';
import {generated, serve, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-work-'));
const trace = generated(room, 'work', '--ranks', '2', '--layers', '3', '--iters', '4', '--seed', '5');
const asked = (...args) => JSON.parse(warplens(...args, '-f', 'json', '-n', '0')).rows;

after(() => rmSync(room, {recursive: true}));

/* Ranges of a kind of row with a name that occurs once in the trace of a process. */
async function rangesNamed(source, kind, names) {
	const found = [];

	for (const [rowId, row] of source.head.rows.entries()) {
		if (row.kind !== kind)
			continue;
		const events = await source.events(rowId, source.head.traces[0].begin, source.head.traces[0].end + 1, 100_000);

		for (let i = 0; i < events.n; i++) {
			const name = source.nameText(events.name[i]);

			if (names.test(name))
				found.push({rowId, ref: events.ref[i], begin: events.start[i],
					end: events.start[i] + events.dur[i], name, process: row.process});
		}
	}
	return found;
}

async function checkWork(source) {
	const tree = asked('tree', trace, '--exact-names');

	for (const kind of ['nvtx-gpu', 'nvtx-comm', 'nvtx']) {
		const ranges = await rangesNamed(source, kind, /^iteration \d+$/);

		assert.ok(ranges.length >= 8, kind);
		for (const range of ranges) {
			const {pid} = source.head.processes[range.process];
			const row = tree.find((one) => one.name === range.name && (one.pid === undefined || one.pid === pid));
			const {links} = await source.details(range.rowId, range.ref, range.begin);
			const work = await workOf(source, range, links);
			const byPid = tree.every((one) => one.pid === undefined)
				? asked('tree', trace, '--exact-names', '--pid', String(pid)).find(({name}) => name === range.name) : row;

			assert.deepEqual([work.n, work.sum, work.busy], [byPid.gpu_ops, byPid.gpu_sum, byPid.gpu_busy], range.name);
			assert.equal(workByName(work).reduce((sum, one) => sum + one.sum, 0), work.sum);
			assert.equal(work.truncated, false);
		}
	}
}

/* A tree beside another: nothing changes against itself, and what only one side has is there. */
function checkPair(tree, other) {
	const same = compareWork(tree, tree, [1, 1]);
	const both = compareWork(tree, other, [1, 0.5]);

	assert.ok(workNodes(same).length === workNodes(tree).length && workNodes(same).every(({before, after}) => before === after));
	assert.equal(both.before, tree.total);
	assert.equal(both.after, other.total / 2);
	assert.ok(workNodes(both).some(({before, after}) => before === 0 && after > 0));
	assert.ok(workNodes(both).every(({before, after, total}) => total === Math.max(before, after)));
}

/* Every path of the tree of a GPU, and the whole of exposed communication. */
async function checkTree(source) {
	const {begin, end} = source.head.traces[0];

	for (const [device, {label}] of source.head.devices.entries()) {
		const gpu = /\d+/.exec(label)[0];
		const paths = new Map();
		const want = {}, got = {}, wide = {}, walls = {}, bridged = {};

		for (const row of asked('tree', trace, '--gpu', gpu)) {
			paths.set(row.id, [...(paths.get(row.parent) ?? []), row.name]);
			if (row.style === 'push/pop' && row.gpu_busy)
				want[JSON.stringify(paths.get(row.id))] = row.gpu_busy;
			if (row.style === 'push/pop' && row.gpu_busy)
				wide[JSON.stringify(paths.get(row.id))] = row.projected;
			if (row.style === 'push/pop' && row.bridged_busy && !row.gpu_busy)
				bridged[JSON.stringify(paths.get(row.id))] = row.bridged_busy;
		}
		const tree = await workTree(source, device, begin, end + 1);
		const pathOf = (node) => (node.parent ? [...pathOf(node.parent), node.name] : []);

		for (const node of workNodes(tree)) {
			if (node.word < 0 && node.name !== NO_RANGE)
				got[JSON.stringify(pathOf(node))] = node.total;
			assert.ok(node.self <= node.total);
		}
		assert.deepEqual(got, want, label);
		for (const node of workNodes(await workTree(source, device, begin, end + 1, null, {isWall: true})))
			if (node.word < 0 && node.name !== NO_RANGE)
				walls[JSON.stringify(pathOf(node))] = node.total;
		assert.deepEqual(walls, wide, label);
		/* What other threads launched while a range of the leading thread was open is below it, and nothing is lost. */
		const joined = await workTree(source, device, begin, end + 1, null, {isJoined: true});
		const joinedAt = new Map(workNodes(joined).map((node) => [JSON.stringify(pathOf(node)), node.total]));

		assert.equal(joined.total, tree.total);
		assert.ok(Object.keys(bridged).length > 0);
		for (const [path, busy] of Object.entries(bridged))
			assert.equal(joinedAt.get(path), busy, path);
		assert.ok(joined.children.size < tree.children.size);
		checkPair(tree, joined);
		const exposed = await workTree(source, device, begin, end + 1, await exposedPieces(source, device, begin, end + 1));
		const [overlap] = asked('overlap', trace, '--gpu', gpu);

		assert.equal(exposed.total, overlap.exposed_comm);
	}
}

async function checkGaps(source) {
	const gaps = asked('gaps', trace).slice(0, 12);
	const {origin} = source.head.traces[0];
	let compared = 0;

	for (const gap of gaps) {
		const rowId = source.head.rows.findIndex((row) => row.kind === 'gaps' &&
			source.head.devices[row.device].label.startsWith(`GPU ${gap.device}`));
		const begin = Number(BigInt(gap.start) - BigInt(origin));
		const events = await source.events(rowId, begin, begin + 1, 10);
		const details = await source.details(rowId, events.ref[0], events.start[0]);
		const facts = Object.fromEntries(details.facts);

		assert.equal(facts.Before, gap.before);
		assert.equal(facts.After, gap.after);
		assert.ok(details.links.some(({label}) => label === `Before ${gap.before}`));
		compared++;
	}
	assert.ok(compared > 5);
}

test('a file has the work of a range, and what is beside a gap', async () => {
	const page = join(room, 'page.html');

	warplens('viewer', trace, '-o', page);
	const source = await sourceOfFile(page);

	await checkWork(source);
	await checkTree(source);
	await checkGaps(source);
});

test('a server has the same', async () => {
	const {source, stop} = await serve(trace);

	try {
		await new Promise((resolve) => {
			source.onNames(resolve);
			source.nameText(0);
		});
		await checkWork(source);
		await checkTree(source);
		await checkGaps(source);
	} finally {
		await stop();
	}
});

test('small operations that touch are outlined as one', () => {
	const ops = [[0, 0, 1], [0, 2, 3], [0, 20, 40], [0, 41, 42], [1, 42, 43]]
		.map(([lane, begin, end]) => ({lane, begin, end}));

	assert.deepEqual(runsOf([...ops, {lane: 1, begin: 90, end: 99}], {a: 0, b: 80}, 1).map(({lane, x, width}) => [lane, x, width]),
		[[0, 0, 3], [0, 20, 20], [0, 41, 1], [1, 42, 1]]);
});
