/* SPDX-License-Identifier: MIT */
// The flame view is the tree of the program: over all rows of a kind, every path of `warplens tree`
// and every name of `warplens nvtx`, cell by cell.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, test} from 'node:test';

import {flameSpans, flameTree} from '../../web/drawer/flame.js';
import {corpus, fixtures, generated, serve, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-flame-'));
const seen = {paths: 0, names: 0, projected: 0, traces: 0};

after(() => rmSync(room, {recursive: true}));

function rowsOf(...args) {
	const text = warplens(...args, '-f', 'json', '-n', '0');

	return text === null ? null : JSON.parse(text).rows;
}

/** The rows of `tree` by style and path; those that are only there for what is below are left out. */
function treeOf(rows, value) {
	const paths = new Map();
	const found = {};

	for (const row of rows) {
		const path = [...(paths.get(row.parent) ?? []), row.name];

		paths.set(row.id, path);
		if (value(row))
			found[`${row.style} ${JSON.stringify(path)}`] = value(row);
	}
	return found;
}

function* nodesOf(root) {
	const open = [{node: root, path: []}];

	while (open.length) {
		const {node, path} = open.pop();

		for (const child of node.children.values()) {
			const below = [...path, child.name];

			yield {node: child, path: below, style: 'push/pop'};
			open.push({node: child, path: below});
		}
	}
	for (const span of flameSpans(root))
		yield {...span, style: 'start/end'};
}

/** Events of rows of one thread together: of a range that several have, from its first begin to its last end. */
function joinEvents(several) {
	const byRef = new Map();
	const depth = ({parent}) => (byRef.has(parent) ? 1 + depth(byRef.get(parent)) : 0);

	for (const events of several) {
		for (let i = 0; i < events.n; i++) {
			const end = events.start[i] + events.dur[i], had = byRef.get(events.ref[i]);

			byRef.set(events.ref[i], {ref: events.ref[i], name: events.name[i], parent: events.parent[i],
				span: events.span[i], start: Math.min(events.start[i], had?.start ?? Infinity),
				end: Math.max(end, had?.end ?? end)});
		}
	}
	const all = [...byRef.values()].sort((x, y) => depth(x) - depth(y));
	const column = (key) => all.map((event) => event[key]);

	return {n: all.length, start: column('start'), dur: all.map(({start, end}) => end - start), name: column('name'),
		ref: column('ref'), parent: column('parent'), span: column('span')};
}

/** Sums over the flame views of some rows, those of a thread as one: [count, total] by what key says. */
async function flamesOf(source, rows, nameOf, [a, b], key) {
	const sums = {};
	const threads = new Map();

	for (const row of rows) {
		const {thread} = source.head.rows[row];

		threads.set(thread, [...(threads.get(thread) ?? []), row]);
	}

	for (const own of threads.values()) {
		const events = joinEvents(await Promise.all(own.map((row) => source.events(row, a, b, 2 ** 31))));
		const root = flameTree(events, nameOf, a, b);

		assert.equal(root.lost, 0);
		for (const {node, path, style} of nodesOf(root)) {
			const [count, total] = sums[key(path, style)] ?? [0, 0];

			sums[key(path, style)] = [count + node.count, total + node.total];
		}
	}
	return sums;
}

const byPath = (path, style) => `${style} ${JSON.stringify(path)}`;
const byName = (path, style) => `${style} ${path.at(-1)}`;

function rowsOfKind({head}, kind, device = -1) {
	return head.rows.flatMap((row, id) =>
		(row.kind === kind && (device < 0 || row.device === device) ? [id] : []));
}

async function checkHost(source, trace, window, args) {
	const rows = rowsOfKind(source, 'nvtx');
	const cell = (row) => (row.count ? [row.count, row.host_sum] : null);
	const tree = rowsOf('tree', '--no-kernels', trace, ...args) ?? [];
	const exact = rowsOf('tree', '--no-kernels', trace, '--exact-names', ...args) ?? [];
	const label = (n) => source.nameLabel(n), text = (n) => source.nameText(n);
	const nvtx = Object.fromEntries((rowsOf('nvtx', trace, ...args) ?? [])
		.filter((row) => row.count).map((row) => [`${row.style} ${row.name}`, cell(row)]));

	assert.deepEqual(await flamesOf(source, rows, label, window, byPath), treeOf(tree, cell),
		`tree in ${window}`);
	assert.deepEqual(await flamesOf(source, rows, text, window, byPath), treeOf(exact, cell),
		`tree --exact-names in ${window}`);
	assert.deepEqual(await flamesOf(source, rows, label, window, byName), nvtx, `nvtx in ${window}`);
	seen.paths += tree.length;
	seen.names += Object.keys(nvtx).length;
}

/** On a GPU the time is that of the work, of compute and of all else together: the column projected. */
async function checkProjected(source, trace, window) {
	for (const [device, {label}] of source.head.devices.entries()) {
		const gpu = /\d+/.exec(label)[0];
		const rows = rowsOf('tree', '--no-kernels', trace, '--gpu', gpu) ?? [];
		const flames = await flamesOf(source, [...rowsOfKind(source, 'nvtx-gpu', device),
				...rowsOfKind(source, 'nvtx-comm', device)],
			(n) => source.nameLabel(n), window, byPath);
		const totals = Object.fromEntries(Object.entries(flames).filter(([, [, total]]) => total)
			.map(([key, [, total]]) => [key, total]));

		assert.deepEqual(totals, treeOf(rows, (row) => row.projected || null), label);
		seen.projected += rows.length;
	}
}

async function check(trace) {
	const page = join(room, 'page.html');

	if (warplens('viewer', trace, '-o', page, '--max-size', '1GB') === null)
		return;
	const source = await sourceOfFile(page);
	const {begin, end, origin} = source.head.traces[0];
	const at = (share) => begin + Math.floor((end - begin) * share);
	const time = (t) => `${BigInt(origin) + BigInt(t)}ns`;

	seen.traces++;
	/* What has no length at the end lies in the trace, too. */
	await checkHost(source, trace, [begin, end + 1], []);
	for (const [a, b] of [[at(0.21), at(0.77)], [at(0.4), at(0.43) + 1]])
		await checkHost(source, trace, [a, b], ['--window', `${time(a)}..${time(b)}`]);
	await checkProjected(source, trace, [begin, end + 1]);
}

for (const trace of fixtures())
	test(`flame of ${basename(trace)}`, () => check(trace));

for (const [name, ...args] of [
	['train', '--ranks', '2', '--layers', '6', '--iters', '6'],
	['moe', '--ranks', '4', '--layers', '2', '--moe', '--iters', '4'],
	['serving', '--ranks', '1', '--layers', '3', '--serving', '--iters', '12'],
])
	test(`flame of generated ${name}`, () => check(generated(room, name, ...args, '--seed', '7')));

for (const {name, unpack, drop} of corpus()) {
	test(`flame of ${name}`, async () => {
		await check(unpack(room)).finally(drop);
	});
}

test('a served page has the same tree', async () => {
	const trace = generated(room, 'served', '--ranks', '1', '--layers', '4', '--iters', '3');
	const {source, stop} = await serve(trace);

	try {
		const {begin, end} = source.head.traces[0];

		await new Promise((resolve) => {
			source.onNames(resolve);
			source.nameText(0);
		});
		await checkHostServed(source, trace, [begin, end]);
	} finally {
		await stop();
	}
});

/** A server sends at most so many events. */
async function checkHostServed(source, trace, window) {
	const asked = {
		head: source.head,
		events: (row, a, b) => source.events(row, a, b, 200_000),
		nameLabel: (n) => source.nameLabel(n),
		nameText: (n) => source.nameText(n),
	};

	await checkHost(asked, trace, window, []);
	await checkProjected(asked, trace, window);
}

test('there was something to compare', () => {
	assert.ok(seen.traces > 10 && seen.paths > 100 && seen.names > 50 && seen.projected > 50,
		JSON.stringify(seen));
});
