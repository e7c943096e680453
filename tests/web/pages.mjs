/* SPDX-License-Identifier: MIT */
// For tests that run the program: its pages and servers as sources.

import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {existsSync, readFileSync, readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

import {EmbeddedSource} from '../../web/data/embedded.js';
import {serverSource} from '../../web/data/server.js';
import {inflatePieces, unpack} from '../../web/data/unpack.js';

/** What the program prints; null where the trace has nothing for it. */
export function warplens(...args) {
	const run = spawnSync(process.env.WARPLENS, args, {encoding: 'utf8', maxBuffer: 2 ** 28});

	assert.ok([0, 5].includes(run.status), `${args.join(' ')}: ${run.stderr}`);
	return run.status === 0 ? run.stdout : null;
}

/** The paths of all fixtures. */
export function fixtures() {
	const room = process.env.WARPLENS_FIXTURES;

	return readdirSync(room).filter((name) => name.endsWith('.sqlite')).map((name) => join(room, name));
}

/** Whether it is there, and TRACES_MOST_KB, of the packed file, does not leave it to runs that have more time. */
function isTaken(packed) {
	return existsSync(packed)
		&& statSync(packed).size < 1024 * (Number(process.env.TRACES_MOST_KB ?? 0) || Infinity);
}

/**
 * Real traces: {name, unpack(room) -> path, drop()}; none where there is no corpus, which is said.
 */
export function corpus() {
	const all = join(process.env.WARPLENS_SHARED ?? '', 'corpus');

	if (!existsSync(all)) {
		process.stdout.write(`skipped: no corpus at ${all}\n`);
		return [];
	}
	return readdirSync(all).filter((name) => isTaken(join(all, name, 'trace.sqlite.zst')))
		.map((name) => {
			let path = null;

			return {
				name,
				unpack: (room) => {
					path = join(room, `${name}.sqlite`);
					const {status, stderr} = spawnSync('zstd', ['-qdf', '-o', path,
						join(all, name, 'trace.sqlite.zst')], {encoding: 'utf8'});

					assert.equal(status, 0, stderr);
					return path;
				},
				drop: () => rmSync(path, {force: true}),
			};
		});
}

/** A generated trace in a room: its path. */
export function generated(room, name, ...args) {
	const path = join(room, `${name}.sqlite`);
	const {status, stderr} = spawnSync('python3', ['-B',
		join(process.env.WARPLENS_SOURCE, 'tests/support/gen_trace.py'), '-o', path, ...args],
	{encoding: 'utf8'});

	assert.equal(status, 0, stderr);
	return path;
}

/** The source of a page in a file, without a browser. */
export async function sourceOfFile(file) {
	const html = readFileSync(file, 'utf8');
	const scripts = (attributes) => [...html.matchAll(
		new RegExp(`<script type="${attributes}">([^<]*)</script>`, 'g'))].map(([, text]) => text);
	const head = JSON.parse(scripts('application/json" id="head')[0]);
	const pieces = scripts('application/x-b64');

	assert.equal(pieces.length, head.data.pieces);
	assert.ok(pieces.every((piece) => piece.length % 4 === 0 && piece.length <= 4 * 2 ** 20));
	const {lanes, names, pyramid} = unpack(head, await inflatePieces(pieces, head.data.bytes));
	return new EmbeddedSource(head, lanes, names, pyramid);
}

/** A server of traces; {source, stop()}. */
export async function serve(...traces) {
	const program = spawn(process.env.WARPLENS, ['serve', ...traces], {stdio: ['ignore', 'pipe', 'pipe']});
	const ended = new Promise((resolve) => program.on('close', resolve));
	const address = new Promise((resolve, reject) => {
		ended.then((status) => reject(new Error(`serve ends with ${status}`)));
		for (const stream of [program.stdout, program.stderr]) {
			createInterface({input: stream}).on('line', (line) => {
				if (/^http:\S+$/.test(line))
					resolve(line);
			});
		}
	});

	return {
		source: await serverSource(await address, () => {}),
		stop: () => {
			program.kill('SIGTERM');
			return ended;
		},
	};
}
