/* SPDX-License-Identifier: MIT */
// A served page and one in a file are the same: both sources answer alike on every fixture.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {VALUE_MODES} from '../../web/data/colourby.js';
import {NO_VALUE} from '../../web/data/columns.js';
import {withoutDomain} from '../../web/data/find.js';
import {mergedRow} from '../../web/data/merge.js';
import {STATS_BY} from '../../web/data/source.js';
import {fixtures, serve, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-serve-'));

after(() => rmSync(room, {recursive: true}));

/** Rows whose events are asked for one by one: there are fixtures with hundreds. */
const MAX_ROWS = 12;

/** Windows within the trace, some of them odd. */
function windowsOf({begin, end}) {
	const at = (share) => begin + Math.floor((end - begin) * share);

	return [[begin, end], [at(0.1), at(0.9)], [at(0.333), at(0.5) + 1]];
}

/** Names have other numbers: compare their texts. */
async function eventsOf(source, rowId, a, b) {
	const {n, truncated, lane, start, dur, name, ref, parent = [], span = []} =
		await source.events(rowId, a, b, 10_000);

	return {n, truncated, lane: [...lane], start: [...start], dur: [...dur], ref: [...ref],
		parent: [...parent], span: [...span], label: [...name].map((number) => source.nameLabel(number)),
		name: [...name].map((number) => source.nameText(number))};
}

async function checkPictures(file, server, a, b, where) {
	const rows = file.head.rows.map((_, id) => id);
	const width = Math.min(97, b - a);

	assert.deepEqual(await server.pictures(rows, a, b, width), file.pictures(rows, a, b, width), where);
	for (const id of rows.slice(0, MAX_ROWS)) {
		assert.deepEqual(await eventsOf(server, id, a, b), await eventsOf(file, id, a, b),
			`${where}, ${file.head.rows[id].label}`);
	}
}

/** Numbers of names as texts. */
function valuesOf(source, by, values) {
	return [...values].map((value) =>
		by === 'duration' || value === NO_VALUE ? value : source.nameText(value));
}

/** What columns and events are coloured by. */
async function checkValues(file, server, a, b, where) {
	const rows = file.head.rows.map((_, id) => id);
	const width = Math.min(97, b - a);

	for (const by of VALUE_MODES) {
		const ask = async (source) => [...await source.pictures(rows, a, b, width, {by})]
			.map(([id, lanes]) => [id, lanes.map(({value}) => valuesOf(source, by, value))]);

		assert.deepEqual(await ask(server), await ask(file), `${where} by ${by}`);
		for (const id of rows.slice(0, MAX_ROWS)) {
			const ofServer = await server.events(id, a, b, 100, {by});
			const ofFile = file.events(id, a, b, 100, {by});

			assert.deepEqual(valuesOf(server, by, ofServer.value), valuesOf(file, by, ofFile.value),
				`${where} by ${by}, ${file.head.rows[id].label}`);
		}
	}
}

/** All streams of a GPU: the same lanes, with the same rows and numbers. */
async function checkMerged(file, server, a, b, where) {
	for (const [gpu] of [...file.head.rows.entries()].filter(([, {kind}]) => kind === 'gpu')) {
		const id = mergedRow(file.head, gpu), width = Math.min(97, b - a);

		assert.equal(await server.mergeStreams(gpu), file.mergeStreams(gpu), where);
		assert.deepEqual(await server.pictures([id], a, b, width), file.pictures([id], a, b, width));
		assert.deepEqual(await eventsOf(server, id, a, b), await eventsOf(file, id, a, b), where);
		for (const by of ['duration', 'stream']) {
			const ofServer = await server.events(id, a, b, 1000, {by});
			const ofFile = file.events(id, a, b, 1000, {by});

			assert.deepEqual([...ofServer.value], [...ofFile.value], `${where} by ${by}`);
			assert.deepEqual([...ofServer.row], [...ofFile.row], `${where} by ${by}`);
		}
	}
}

async function checkTables(file, server, a, b, where) {
	const streams = file.head.rows.flatMap(({kind}, id) => kind === 'stream' ? [id] : []);

	for (const by of streams.length ? STATS_BY : []) {
		assert.deepEqual(await server.stats(a, b, streams, by), file.stats(a, b, streams, by),
			`${where} by ${by}`);
	}
	if (streams.length)
		assert.deepEqual(await server.gaps(a, b, 1, -1), file.gaps(a, b, 1, -1), where);
}

async function checkSearch(file, server, where) {
	let after = null;

	for (let k = 0; k < 5; k++) {
		const want = file.search('e', 'sub', after, 20);

		assert.deepEqual(await server.search('e', 'sub', after, 20), want, where);
		after = want.next;
		if (!after)
			break;
	}
	assert.deepEqual(await server.search('^c', 're', null, 7), file.search('^c', 're', null, 7));
	for (const only of [{words: [0, 9, 20], categories: []}, {words: [], categories: [6]}]) {
		assert.deepEqual(await server.search('', 'sub', null, 7, only), file.search('', 'sub', null, 7, only),
			`${where} ${JSON.stringify(only)}`);
	}
	const range = file.names.count ? file.nameText(file.lanesOf[file.head.rows.findIndex(({kind}) => kind === 'nvtx')]?.[0]?.name[0] ?? 0) : '';
	const {stream = -1} = file.head.rows.find(({kind}) => kind === 'stream') ?? {};
	const rows = file.head.rows.flatMap((row, id) => (row.stream === stream ? [id] : []));
	for (const only of [{}, {range: range.slice(0, 40)}, {rows}, {grid: file.head.configs.find(([x]) => x > 0)?.slice(0, 2) ?? [1]}, {min: 2000, device: 0}]) {
		assert.deepEqual(await server.found('', 'sub', 20, only), file.found('', 'sub', 20, only), `${where} ${JSON.stringify(only)}`);
		assert.deepEqual(await server.search('e', 'sub', null, 7, only), file.search('e', 'sub', null, 7, only), `${where} ${JSON.stringify(only)}`);
	}
	assert.deepEqual(server.head.domains, file.head.domains);
	for (const domain of file.head.domains) {
		const named = [...Array(file.names.count).keys()].map((n) => file.nameText(n))
			.find((text) => text.startsWith(`${domain}:`));

		for (const [query, mode] of [[named, 'exact'], [withoutDomain(named, new Set([domain])), 'exact'],
			['^[a-z]', 're']])
			assert.deepEqual(await server.search(query, mode, null, 5),
				file.search(query, mode, null, 5), `${where} ${mode} ${query}`);
		assert.ok(file.search(withoutDomain(named, new Set([domain])), 'exact', null, 5).total > 0);
	}
}

/** What both must say of an event; words of facts are each side's own, but for the function of a gap. */
function coreOf({name, category, begin, end, facts, links, spread}) {
	const known = links.filter(({label}) => /^(Launch|NVTX|Opened by)( |$)/.test(label));

	return {name, category, begin, end, spread,
		func: facts.find(([label]) => label === 'Function')?.[1],
		links: known.map(({rowId, ref, begin: from, end: to}) => [rowId, ref, from, to])};
}

async function checkDetails(file, server, where) {
	for (const [rowId, lanes] of file.lanesOf.entries()) {
		const isOne = ['stream', 'api', 'gaps'].includes(file.head.rows[rowId].kind);

		for (const lane of isOne && rowId < MAX_ROWS ? lanes : []) {
			for (let i = 0; i < Math.min(lane.n, 9); i++) {
				const args = [rowId, lane.ref[i], lane.start[i]];

				assert.deepEqual(coreOf(await server.details(...args)),
					coreOf(file.details(...args)), `${where}, ${file.head.rows[rowId].label}`);
			}
		}
	}
}

async function compare(file, server) {
	assert.deepEqual(server.head.rows, file.head.rows);
	// All names at once, so that texts are here when they are compared.
	await new Promise((resolve) => {
		server.onNames(resolve);
		server.nameText(0);
	});
	for (const [a, b] of windowsOf(file.head.traces[0])) {
		const where = `[${a}, ${b})`;

		await checkPictures(file, server, a, b, where);
		await checkValues(file, server, a, b, where);
		await checkMerged(file, server, a, b, where);
		await checkTables(file, server, a, b, where);
	}
	await checkSearch(file, server, 'search');
	await checkDetails(file, server, 'details');
}

async function checkTraces(...traces) {
	const page = join(room, 'page.html');

	if (warplens('viewer', ...traces, '-o', page) === null)
		return;
	const file = await sourceOfFile(page);
	const {source: server, stop} = await serve(...traces);

	await compare(file, server).finally(stop);
	assert.equal(await stop(), 128 + 15); // SIGTERM
}

for (const trace of fixtures())
	test(`${trace.split('/').at(-1)} is the same in a file and served`, () => checkTraces(trace));

for (const pair of [['steps_before', 'steps_after'], ['two_ranks', 'nested'], ['no_gpu', 'steps']]) {
	test(`${pair.join(' and ')} are the same in a file and served`, () =>
		checkTraces(...pair.map((name) => fixtures().find((path) => path.endsWith(`/${name}.sqlite`)))));
}
