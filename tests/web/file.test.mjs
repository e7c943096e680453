/* SPDX-License-Identifier: MIT */
// Pages that the program writes, read by the page's own code: what it shows is what the program
// prints.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {fixtures, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-page-'));

after(() => rmSync(room, {recursive: true}));

/** The rows of a verb's table as JSON; none where the trace has nothing for it. */
function tableOfVerb(...args) {
	const text = warplens(...args, '-f', 'json', '-n', '0');

	return text === null ? [] : JSON.parse(text).rows;
}

function rowsOfKind(source, kind) {
	return source.head.rows.flatMap((row, id) => row.kind === kind ? [id] : []);
}

/** Windows within the trace, some of them odd. */
function windowsOf({begin, end}) {
	const length = end - begin, at = (share) => begin + Math.floor(length * share);

	return [[begin, end], [at(0.1), at(0.9)], [at(0.333), at(0.5)], [at(0.62), at(0.63) + 1]];
}

function checkLanes(source) {
	source.head.rows.forEach((row, id) => {
		const lanes = source.lanesOf[id];

		assert.equal(lanes.reduce((n, lane) => n + lane.n, 0), row.kind === 'process' ? 0 : row.events);
		for (const lane of lanes) {
			for (let i = 1; i < lane.n; i++)
				assert.ok(lane.end(i - 1) <= lane.start[i], `${row.label}: event ${i}`);
		}
	});
}

function checkKernels(source, trace, window) {
	const [a, b] = window;
	const {origin} = source.head.traces[0];
	const time = (t) => `${BigInt(origin) + BigInt(t)}ns`;
	const wanted = tableOfVerb('kernels', trace, '--by', 'name', '--window', `${time(a)}..${time(b)}`);
	const {columns, rows} = source.stats(a, b, rowsOfKind(source, 'stream'), 'name');
	const found = new Map(rows.map((row) =>
		[row[0], Object.fromEntries(row.map((cell, i) => [columns[i].key, cell]))]));

	for (const {name, calls, sum, avg, p50, p99} of wanted) {
		const got = found.get(name);

		assert.ok(got, name);
		assert.deepEqual([got.count, got.sum, got.avg, got.p50, got.p99], [calls, sum, avg, p50, p99],
			`${name} in [${a}, ${b})`);
	}
	return wanted.length;
}

/** How often a name occurs in rows of each kind, hit by hit. Ranges have their domain before it. */
function countHits(source, name) {
	const counts = {stream: 0, nvtx: 0, api: 0, osrt: 0, overhead: 0};
	let found = source.search(name, 'sub', null, 10);

	for (; found.next; found = source.search(name, 'sub', found.next, 10)) {
		const {kind} = source.head.rows[found.next.rowId];

		if (found.next.name === name || (kind === 'nvtx' && found.next.name.endsWith(`:${name}`)))
			counts[kind]++;
	}
	return counts;
}

function checkSearch(source, trace) {
	const wanted = tableOfVerb('search', '.', trace);

	for (const {kind, name, count} of wanted) {
		const got = countHits(source, name)[kind === 'kernel' ? 'stream' : kind];

		// Rows have no marks.
		if (kind !== 'nvtx' || got > 0)
			assert.equal(got, count, name);
	}
	return wanted.length;
}

function checkGaps(source, trace) {
	const {origin, begin, end} = source.head.traces[0];
	const wanted = tableOfVerb('gaps', trace, '--min', '0ns');
	const {rows} = source.gaps(begin, end, 1, -1);

	assert.deepEqual(rows.map(([device, start, duration, cause]) =>
		[device, Number(BigInt(origin) + BigInt(start)), duration, cause]).sort(),
	wanted.map(({device, start, duration, cause}) => [device, start, duration, cause]).sort());
	return wanted.length;
}

test('what a page shows is what the program prints', async () => {
	const seen = {kernels: 0, names: 0, gaps: 0};

	for (const trace of fixtures()) {
		const page = join(room, 'page.html');

		if (warplens('viewer', trace, '-o', page) === null)
			continue;
		const source = await sourceOfFile(page);
		checkLanes(source);
		for (const window of windowsOf(source.head.traces[0]))
			seen.kernels += checkKernels(source, trace, window);
		seen.names += checkSearch(source, trace);
		seen.gaps += checkGaps(source, trace);
	}
	assert.ok(seen.kernels > 100 && seen.names > 30 && seen.gaps > 10, JSON.stringify(seen));
});
