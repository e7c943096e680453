/* SPDX-License-Identifier: MIT */
// Times of the page by each clock; those of the capture clock are what --window takes.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {captureNs, clockName, clockOf, clocksOf, rulerClock, timeText, timeWords} from '../../web/data/clock.js';
import {readFragment, writeFragment} from '../../web/control/address.js';
import {State} from '../../web/control/state.js';
import {rulerOf} from '../../web/sheet/ruler.js';
import {generated, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'warplens-clock-'));

after(() => rmSync(room, {recursive: true}));

function headWith(origin, iterations = [[1000, 2000], [2000, 3500]]) {
	return /** @type {any} */ ({
		traces: [{origin, begin: 0, end: 10_000}], devices: [{trace: 0, process: 0}],
		processes: [{trace: 0, iterations, first: 7}],
	});
}

test('a time is said by the clock that holds', () => {
	const head = headWith('155361000000');

	assert.equal(timeText(head, 'capture', 2500), '155.3610025 s');
	assert.equal(timeText(head, 'first', 2500), '0.0025 ms');
	assert.equal(timeText(head, 'iteration', 2500), 'step 8 + 0.0005 ms');
	assert.equal(timeText(head, 'iteration', 400), 'step 7 - 0.0006 ms');
	assert.equal(timeWords(head, 'capture', 0), '155.361 s (capture clock)');
	assert.equal(timeWords(head, 'junk', 0), '155.361 s (capture clock)');
	assert.equal(captureNs(head, 2500), '155361002500');
	assert.deepEqual(clocksOf(headWith('0', [])).map(([value]) => value), ['capture', 'first']);
	assert.equal(clockOf(headWith('0', []), 'iteration'), 'capture');
});

test('an origin beyond what a double holds stays exact', () => {
	const head = headWith('1700000000123456789');

	assert.equal(timeText(head, 'capture', 1), '1700000000.12345679 s');
	assert.equal(timeText(headWith('-9100000000000000001'), 'capture', 0), '-9100000000.000000001 s');
	const {prefix, ticks} = rulerOf(0, 4096, 1000, 90, rulerClock(head, 'capture', {a: 0, b: 4096}));

	assert.equal(prefix, 'capture 1700000000.1234570 s');
	assert.equal(ticks[0].text, '+0 ns');
	assert.equal((1700000000123456789n + BigInt(ticks[0].t)) % 500n, 0n);
});

test('several traces have one axis and no choice', () => {
	const head = {...headWith('5'), traces: [{origin: '5'}, {origin: '9'}]};

	assert.deepEqual(clocksOf(head), []);
	assert.equal(clockName(head, 'capture'), 'aligned clock');
	assert.equal(timeText(head, 'capture', 1_000_000), '1 ms');
});

test('the ruler counts from its clock', () => {
	const head = headWith('2000000000');
	const at = (clock, a, b) => rulerOf(a, b, 1000, 90, rulerClock(head, clock, {a, b}));

	assert.equal(at('capture', 0, 10_000_000).prefix, 'capture 2.000 s');
	assert.equal(at('first', 0, 10_000_000).prefix, 'from first event');
	const {prefix, ticks} = at('iteration', 0, 4096);

	assert.equal(prefix, 'from step 8');
	assert.equal(ticks.find(({t}) => t === 2000).text, '0 ns');
});

test('an address names another clock only; one without a clock still reads', () => {
	const head = {...headWith('0'), rows: [], findings: []};
	const state = new State(head, {read: () => 'v=100~5000', write: () => {}});

	assert.equal(state.clock, 'capture');
	assert.ok(!writeFragment(state).includes('clock='));
	state.set('clock', 'first');
	assert.match(writeFragment(state), /&clock=first/);
	assert.equal(readFragment('#v=1~9&clock=iteration').clock, 'iteration');
});

test('what the page says of a kernel selects it in --window', async () => {
	const trace = generated(room, 'train', '--ranks', '1', '--layers', '2', '--iters', '2');
	const page = join(room, 'page.html');

	assert.notEqual(warplens('viewer', trace, '-o', page), null);
	const source = await sourceOfFile(page);
	const row = source.head.rows.findIndex(({kind}) => kind === 'stream');
	const [lane] = source.lanesOf[row];

	assert.notEqual(source.head.traces[0].origin, '0');
	const kernels = [...lane.name.keys()].filter((i) =>
		source.head.words[source.nameWord(lane.name[i])].key !== 'memory');

	for (const i of [kernels[0], kernels[5], kernels.at(-1)]) {
		const time = (t) => timeText(source.head, 'capture', t).replace(' ', '');
		const window = `${time(lane.start[i])}..${time(lane.end(i))}`;
		const {rows} = JSON.parse(warplens('kernels', trace, '--by', 'name', '--stream',
			String(source.head.rows[row].stream), '--window', window, '-f', 'json'));

		assert.deepEqual(rows.map(({name, calls, sum}) => [name, calls, sum]),
			[[source.nameText(lane.name[i]), 1, lane.dur[i]]], window);
		const [, start] = source.details(row, lane.ref[i], lane.start[i]).facts
			.find(([label]) => label === 'Start (capture clock)');

		assert.equal(start.replace(' ', ''), time(lane.start[i]));
	}
});
