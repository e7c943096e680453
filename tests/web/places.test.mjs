/* SPDX-License-Identifier: MIT */
// A page opens where the text of a finding says it is: in the step, the gap or before the step that it names. What counts there is
// the step, and not the margins that are drawn beside it.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {findingDevice, firstView} from '../../web/data/evidence.js';
import {fittedTo} from '../../web/data/iterations.js';
import {rangeOf} from '../../web/drawer/range.js';
import {corpus, fixtures, generated, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'places-'));
const UNIT = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};

after(() => rmSync(room, {recursive: true}));

/* Of its page; null where the trace has nothing to show. */
async function sourceOf(trace) {
	const page = join(room, 'page.html');

	if (warplens('viewer', trace, '-o', page) === null)
		return null;
	const source = await sourceOfFile(page);

	rmSync(page);
	return source;
}

/* The interval in ns that a text names, and in words what that is; null: it names none. */
function namedBy(text, stepOf, origin) {
	const before = /idles ([\d.]+) (ns|us|ms|s) before step (\d+)/.exec(text);
	const gap = /in step (\d+) \(at ([\d.]+) (ns|us|ms|s)/.exec(text);
	const alone = /in one gap \(at ([\d.]+) (ns|us|ms|s)/.exec(text);
	const step = /(?:^|; )[sS]tep (\d+) (?:takes|runs)|at step (\d+)/.exec(text);

	if (before) {
		const {a} = stepOf(Number(before[3]));

		return {what: before[0], a: a - 1.001 * Number(before[1]) * UNIT[before[2]], b: a};
	}
	if (gap) {
		const {a, b} = stepOf(Number(gap[1]));
		/* Four digits of it are said. */
		const from = 0.999 * Number(gap[2]) * UNIT[gap[3]] - origin;

		return {what: gap[0], a: Math.max(a, from), b};
	}
	if (alone)
		return {what: alone[0], a: 0.999 * Number(alone[1]) * UNIT[alone[2]] - origin, b: Infinity};
	return step && {what: step[0], ...stepOf(Number(step[1] ?? step[2]))};
}

/* What the page shows begins with the gap or the step of the field "at", or is a part of that gap or the copy that ends it. */
function checkPlaces(name, trace, {findings, traces}) {
	const origin = Number(traces[0].origin);
	const rowsOf = (...args) => JSON.parse(warplens(...args, '-f', 'json', '-n', '0') ?? '{"rows":[]}')?.rows ?? [];
	const rows = rowsOf('findings', trace);
	const gaps = rowsOf('gaps', trace, '--min', '0');

	assert.equal(findings.length, rows.length);
	rows.forEach(({at}, i) => {
		const {code, begin, end} = findings[i];
		const from = begin + origin;
		const gap = gaps.find(({start, duration}) => start <= at && at < start + duration);

		assert.ok(at === null || from === at || (from <= at && at < end + origin) || (at <= from && gap && from <= gap.start + gap.duration),
			`${name}: ${code} is shown from ${from}, and is at ${at}`);
	});
}

/* How many findings name a place. */
async function check(name, trace) {
	const head = (await sourceOf(trace))?.head;
	let n = 0;

	if (head)
		checkPlaces(name, trace, head);
	for (const finding of head?.findings ?? []) {
		const process = head.processes[head.devices[findingDevice(head, finding)]?.process];
		const stepOf = (number) => {
			const [a, b] = process.iterations[number - (process.first ?? 0)];

			return {a, b};
		};
		const named = namedBy(finding.text, stepOf, Number(head.traces[finding.trace].origin));

		if (!named)
			continue;
		assert.ok(named.a <= finding.begin && finding.begin <= named.b,
			`${name}: ${finding.code} is shown at ${finding.begin}, and says "${named.what}": ${named.a} to ${named.b}`);
		const length = /longest gap: ([\d.]+) (ns|us|ms|s) /.exec(finding.text);

		/* Parts of other causes within the gap are shown, and not counted. */
		assert.ok(!length || finding.end - finding.begin >= 0.999 * Number(length[1]) * UNIT[length[2]],
			`${name}: ${finding.code} is shown for ${finding.end - finding.begin} ns, and says "${length?.[0]}"`);
		n++;
	}
	return n;
}

test('findings are shown where their texts say', async () => {
	let n = 0;

	for (const path of fixtures())
		n += await check(path, path);
	n += await check('stall', generated(room, 'stall', '--ranks', '2', '--layers', '2', '--iters', '9', '--stall', '5:40ms'));
	n += await check('slow', generated(room, 'slow', '--ranks', '2', '--layers', '2', '--iters', '9', '--slow-iter', '6:2.5'));
	for (const {name, unpack, drop} of corpus()) {
		n += await check(name, unpack(room));
		drop();
	}
	assert.ok(n >= 2, `${n}`);
});

test('what a view is fitted to counts without its margins', async () => {
	const trace = generated(room, 'steps', '--ranks', '2', '--layers', '2', '--iters', '6', '--straggler', '1:1.2');
	const source = await sourceOf(trace);
	const {head} = source;
	const {a, b, device, number} = firstView(head);
	const margin = (b - a) / 100;
	const extent = {begin: head.traces[0].begin, end: head.traces[0].end};
	const state = {range: null, view: {a: Math.round(a - margin), b: Math.round(b + margin)}, extent, device};

	assert.ok(number >= 0);
	assert.deepEqual(rangeOf(state, head), {a, b, what: `Step ${number}`});
	assert.equal(rangeOf({...state, range: {a: a + 5, b}}, head).what, 'Range');
	assert.equal(fittedTo(head, {a: a - 3 * margin, b: b + margin}, device), null);
	assert.equal(fittedTo(head, {a: a + 1, b: b + margin}, device), null);
	assert.equal(fittedTo({...head, traces: [...head.traces, ...head.traces]}, state.view, device), null);

	const [first, last] = head.traces[0].work;
	const aside = Math.floor((last - first) / 100);

	assert.deepEqual(rangeOf({...state, view: {a: first - aside, b: last + aside}, extent: {begin: first - aside, end: last + aside}}, head),
		{a: first, b: last, what: 'All GPU work'});
	assert.equal(last - first, Number(JSON.parse(warplens('overlap', trace, '-f', 'json')).window.length));

	const rows = head.rows.flatMap(({kind, device: of}, id) => (kind === 'stream' && of === device ? [id] : []));
	const counted = (...args) => source.stats(...args, rows, 'name').rows.reduce((sum, row) => sum + row[1], 0);
	const asked = (verb, key) => JSON.parse(warplens(verb, trace, '--gpu', String(device), '--window', `iter:${number}`,
		'-f', 'json', '-n', '0')).rows.reduce((sum, row) => sum + row[key], 0);

	assert.equal(counted(a, b), asked('kernels', 'calls') + asked('transfers', 'ops'));
	assert.ok(counted(state.view.a, state.view.b) > counted(a, b), 'the margins have kernels of other steps');
});
