/* SPDX-License-Identifier: MIT */
// What "warplens viewer" packs, the page unpacks: every operation of every fixture, with its times, name,
// configuration, bytes and launch, as "warplens export" has them.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {EmbeddedSource} from '../../web/data/embedded.js';
import {launchOf} from '../../web/data/links.js';
import {inflatePieces, unpack} from '../../web/data/unpack.js';

const program = process.env.WARPLENS;
const fixtures = process.env.WARPLENS_FIXTURES;
const room = mkdtempSync(join(tmpdir(), 'viewer-'));

after(() => rmSync(room, {recursive: true}));

/** Run the program; false where the trace has nothing for it. */
function warplens(...args) {
	const run = spawnSync(program, args, {encoding: 'utf8', maxBuffer: 1 << 30});

	assert.ok([0, 5].includes(run.status), `${args.join(' ')}: ${run.stderr}`);
	return run.status === 0 ? run.stdout : null;
}

async function open(file) {
	const page = readFileSync(file, 'utf8');
	const [, text] = page.match(/<script type="application\/json" id="head">(.*?)<\/script>/s);
	const head = JSON.parse(text);
	const pieces = [...page.matchAll(/<script type="application\/x-b64">(.*?)<\/script>/g)];
	const bytes = await inflatePieces(pieces.map((piece) => piece[1]), head.data.bytes);
	const {lanes, names} = unpack(head, bytes);

	assert.equal(pieces.length, head.data.pieces);
	return new EmbeddedSource(head, lanes, names);
}

/** An operation of a stream's row in the words of the export. */
function operationOf(source, rowId, lane, i) {
	const row = source.head.rows[rowId], trace = source.head.traces[row.trace];
	const origin = BigInt(trace.origin);
	const config = lane.config[i] ? source.head.configs[lane.config[i] - 1] : [];
	const call = launchOf(source, rowId, lane, i);

	return [row.device, row.stream, origin + BigInt(lane.start[i]), lane.dur[i],
		source.nameText(lane.name[i]), config[0] ?? -1, config[6] ?? -1, lane.bytes[i],
		call ? origin + BigInt(call.lane.start[call.i]) : null,
		call ? source.nameText(call.lane.name[call.i]) : null].join(' ');
}

function operationsOf(source) {
	const all = [];

	source.head.rows.forEach((row, rowId) => {
		if (row.kind !== 'stream')
			return;
		for (const lane of source.lanesOf[rowId]) {
			for (let i = 0; i < lane.start.length; i++)
				all.push(operationOf(source, rowId, lane, i));
		}
	});
	return all.sort();
}

/** The same of a line of the export. Times may be more than a number holds. */
function exportedOf(line) {
	const exact = line.replace(/"(start|launch)":(-?\d+)/g, '"$1":"$2"');
	const op = JSON.parse(exact);

	return [op.device, op.stream ?? -1, op.start, op.dur, op.name, op.grid_x ?? -1, op.registers ?? -1,
		Math.max(op.bytes ?? 0, 0), op.launch ?? null, op.launch ? op.launch_name : null].join(' ');
}

const traces = program && fixtures ?
	readdirSync(fixtures).filter((file) => file.endsWith('.sqlite')) : [];

for (const trace of traces) {
	test(`all operations of ${trace} come back`, async () => {
		const path = join(fixtures, trace), file = join(room, `${trace}.html`);
		const lines = warplens('export', path, '-f', 'jsonl');

		if (warplens('viewer', path, '-o', file) === null)
			return;
		const source = await open(file);
		const exported = (lines ?? '').split('\n').filter((line) => line).map(exportedOf).sort();
		assert.deepEqual(operationsOf(source), exported);
		source.head.rows.forEach((row, rowId) => assert.equal(row.events,
			source.lanesOf[rowId].reduce((sum, lane) => sum + lane.start.length, 0)));
	});
}

test('there are fixtures', {skip: traces.length ? false : 'no program or no fixtures'}, () => {
	assert.ok(traces.length > 5);
});

test('a gap names the function that the launching thread ran, as gaps --stacks does', async () => {
	const file = join(room, 'stacks.html'), trace = join(fixtures, 'stacks.sqlite');

	warplens('viewer', trace, '-o', file);
	const source = await open(file);
	const said = new Set();

	source.head.rows.forEach((row, rowId) => {
		for (const lane of row.kind === 'gaps' ? source.lanesOf[rowId] : []) {
			for (let i = 0; i < lane.n; i++)
				said.add(source.details(rowId, lane.ref[i], lane.start[i]).facts
					.find(([label]) => label === 'Function')?.[1]);
		}
	});
	assert.ok(said.has('format_number under step, 43.3% of the gap'), [...said].join('; '));
	assert.ok(said.has('step, 25.0% of the gap'), [...said].join('; '));
});
