/* SPDX-License-Identifier: MIT */
// What the page says of other runs is "warplens whatif", and its line through the rows the critical path of "warplens path".

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {answerText, whatifOf} from '../../web/data/whatif.js';
import {pathRuns} from '../../web/sheet/pathline.js';
import {generated, serve, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'whatif-'));
const trace = generated(room, 'slow', '--ranks', '2', '--layers', '2', '--iters', '5', '--straggler', '1:1.15');
const rowsOf = (...args) => JSON.parse(warplens(...args, '-f', 'json', '-n', '0')).rows;

after(() => rmSync(room, {recursive: true}));

async function pageOf() {
	const page = join(room, 'page.html');

	warplens('viewer', trace, '-o', page);
	return sourceOfFile(page);
}

test('scenarios and classes are those of whatif', async () => {
	const {head} = await pageOf();
	const {step, rows, classes} = whatifOf(head.traces[0]);
	const told = rowsOf('whatif', trace).filter(({saving}) => saving !== null && saving !== undefined);

	assert.ok(step > 0 && told.length > 3);
	assert.deepEqual(rows.map(({scenario, saving}) => [scenario, saving]), told.map(({scenario, saving}) => [scenario, saving]));
	for (const [i, {per_step: perStep, measured, saving}] of told.entries())
		assert.equal(rows[i].after, perStep === null || perStep === undefined ? measured - saving : step - perStep);
	assert.ok(classes.some(({name}) => name === 'compute'));
	for (const {name, stops} of classes)
		for (const [percent, {saving}] of stops)
			assert.equal(saving, rowsOf('whatif', trace, '--with', `class=${name}:${percent / 100}`)[0].saving, `${name} ${percent}`);
	assert.equal(whatifOf({whatif: null, headline: null}), null);
});

test('an answer is said with its change and its kind', () => {
	const ns = (n) => `${n} ns`, share = (n) => `${n * 100}%`;

	assert.equal(answerText({before: 100, after: 75, forecast: 'at most'}, ns, share), '75 ns: 25 ns (25%) less, at most');
	assert.equal(answerText({before: 100, after: 150, forecast: 'prediction'}, ns, share), '150 ns: 50 ns (50%) more');
	assert.equal(answerText({before: 100, after: 100, forecast: 'prediction'}, ns, share), '100 ns: as now');
});

/* Of a file and of a server; all that leads to an operation or call is on a line, and nothing twice. */
test('runs hold the segments of the path', async () => {
	const server = await serve(trace);

	try {
		const answers = [];

		for (const source of [await pageOf(), server.source]) {
			const {begin, end} = source.head.traces[0];
			const rowId = source.head.rows.findIndex(({kind}) => kind === 'path');
			const events = await source.events(rowId, begin, end + 1, 100000);
			const kept = Array.from(events.targetRow, (target, i) => (target ? events.dur[i] : 0)).reduce((x, y) => x + y, 0);
			const runs = pathRuns(events, 0);

			assert.equal(events.n, rowsOf('path', trace, '--by', 'segment').length);
			assert.equal(runs.reduce((sum, run) => sum + run.end - run.begin, 0), kept);
			assert.ok(runs.every(({rowId: id}) => ['stream', 'api', 'mpi'].includes(source.head.rows[id].kind)));
			assert.ok(kept > 0 && runs.length < events.n);
			answers.push(runs);
		}
		assert.deepEqual(answers[0], answers[1]);
	} finally {
		await server.stop();
	}
});

test('a path that goes to and fro within pixels is a run of each row', () => {
	const n = 1000, events = {n, start: Float64Array.from({length: n}, (_, i) => 10 * i), dur: new Float64Array(n).fill(10),
		targetRow: Uint32Array.from({length: n}, (_, i) => 1 + i % 2)};

	assert.deepEqual(pathRuns(events, 20), [{rowId: 0, begin: 0, end: 9990}, {rowId: 1, begin: 10, end: 10000}]);
	assert.equal(pathRuns(events, 5).length, n);
});
