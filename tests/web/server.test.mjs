/* SPDX-License-Identifier: MIT */
// The source of a served page against a small server that answers as docs/web.md says, from a
// made-up trace.

import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {after, before, test} from 'node:test';

import {fakeSource} from './fake.js';
import {ServerSource, readPictures, rowList, serverSource} from '../../web/data/server.js';

const fake = fakeSource();
const asked = []; // paths with their parameters
let slow = 0; // ms that an answer to view takes
let progress = [];
let server, base;

function u32s(...values) {
	return Buffer.from(Uint32Array.from(values).buffer);
}

function viewAnswer({a, b, w, rows, lanes: most}) {
	const ids = rows.split(',').flatMap((run) => {
		const [first, last = first] = run.split('-').map(Number);

		return Array.from({length: last - first + 1}, (_, i) => first + i);
	});
	const times = Buffer.from(BigInt64Array.of(BigInt(a), BigInt(b)).buffer);
	const parts = [u32s(0x31564c57, 1, w, ids.length), times];

	const wish = {lanes: new Map(ids.map((id) => [id, Number(most ?? 64)]))};

	for (const [id, lanes] of fake.pictures(ids, Number(a), Number(b), Number(w), wish)) {
		parts.push(u32s(id, lanes.length));
		for (const {cat, share} of lanes)
			parts.push(Buffer.from(Array.from(cat).flatMap((c, x) => [c, share[x]])));
	}
	return Buffer.concat(parts);
}

function eventsAnswer({row, a, b, max}) {
	const e = fake.events(Number(row), Number(a), Number(b), Number(max));
	const head = Buffer.from(JSON.stringify({n: e.n, truncated: e.truncated}));

	return Buffer.concat([u32s(head.length), head,
		...[e.start, e.dur, e.name, e.ref, e.lane].map((column) => Buffer.from(column.buffer))]);
}

function searchAnswer({q, mode, after: place, w}) {
	const [begin, rowId, ref] = (place ?? '').split(',').map(Number);
	const found = fake.search(q, mode, place === undefined ? null : ref === undefined ? begin
		: {begin, rowId, ref}, Number(w));

	return {...found, hits: [...found.hits]};
}

function answer(path, q) {
	switch (path) {
	case 'progress':
		return progress.shift() ?? {stage: 'ready', done: 1, total: 1, error: null};
	case 'meta':
		return fake.head;
	case 'view':
		return viewAnswer(q);
	case 'events':
		return eventsAnswer(q);
	case 'names':
		return /** @type {any} */ (fake.names).pairs.slice(Number(q.from), Number(q.from) + Number(q.n));
	case 'event':
		return fake.details(Number(q.row), Number(q.ref), q.at === undefined ? undefined : Number(q.at));
	case 'search':
		return searchAnswer(q);
	case 'stats':
		return fake.stats(Number(q.a), Number(q.b), [3], q.by);
	default:
		return null;
	}
}

before(async () => {
	server = createServer((request, response) => {
		const url = new URL(request.url, 'http://x');
		const path = url.pathname.split('/').at(-1);
		const said = answer(path, Object.fromEntries(url.searchParams));

		asked.push(`${path}${url.search}`);
		response.statusCode = said === null ? 400 : 200;
		setTimeout(() => response.end(Buffer.isBuffer(said) ? said
			: JSON.stringify(said ?? {error: 'no such thing'})), path === 'view' ? slow : 0);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	base = `http://127.0.0.1:${server.address().port}/t/token/`;
});
after(() => server.close());

test('rows are listed as runs', () => {
	assert.equal(rowList([3, 4, 9, 10, 11, 20, 4]), '3-4,9-11,20');
	assert.equal(rowList([]), '');
});

test('loading is waited for, and a failure is told', async () => {
	const told = [];

	progress = [{stage: 'reading', done: 1, total: 3, error: null}];
	const source = await serverSource(base, (p) => told.push(p.stage));
	assert.deepEqual(told, ['reading']);
	assert.equal(source.head.rows.length, fake.head.rows.length);
	progress = [{stage: 'failed', done: 0, total: 0, error: 'no such file'}];
	await assert.rejects(serverSource(base, () => {}), /no such file/);
});

test('pictures are those of the lanes, and are asked for once', async () => {
	const source = new ServerSource(base, fake.head);
	const want = fake.pictures([3, 4, 15], 0, 100_000_000, 97);

	asked.length = 0;
	assert.deepEqual(await source.pictures([3, 15], 0, 100_000_000, 97),
		new Map([3, 15].map((id) => [id, want.get(id)])));
	assert.deepEqual(await source.pictures([3, 4, 15], 0, 100_000_000, 97), want);
	assert.deepEqual(asked, ['view?a=0&b=100000000&w=97&rows=3%2C15', 'view?a=0&b=100000000&w=97&rows=4']);
	assert.throws(() => readPictures(new ArrayBuffer(40)), /no picture/);
});

test('lanes that nobody wants are not asked for', async () => {
	const source = new ServerSource(base, fake.head);
	const lanesOf = (id) => fake.head.lanes.filter(([row]) => row === id).length;
	const many = fake.head.rows.findIndex((_, id) => lanesOf(id) > 2);
	/** @type {[number, number, number]} */
	const view = [0, 100_000_000, 97];
	const all = fake.pictures([3, many], ...view);
	const counts = async (lanes) => {
		const map = await source.pictures([3, many], ...view, {lanes: new Map(lanes)});

		for (const [id, pictures] of map)
			assert.deepEqual(pictures, all.get(id).slice(0, pictures.length));
		return [...map.values()].map(({length}) => length);
	};

	asked.length = 0;
	assert.deepEqual(await counts([[3, 1], [many, 2]]), [1, 2]);
	assert.deepEqual(await counts([[3, 1], [many, 1]]), [1, 2], 'what is here is not asked for');
	assert.deepEqual(await counts([[3, 1], [many, 32]]), [1, lanesOf(many)]);
	assert.deepEqual(asked, [`view?a=0&b=100000000&w=97&rows=${many}-3&lanes=2`,
		`view?a=0&b=100000000&w=97&rows=${many}&lanes=32`]);
});

test('a view that nobody waits for any more is stopped', async () => {
	const source = new ServerSource(base, fake.head);

	slow = 50;
	const stale = source.pictures([3], 0, 1_000_000, 10);
	const fresh = source.pictures([3], 0, 2_000_000, 10);
	await assert.rejects(stale, {name: 'AbortError'});
	assert.deepEqual(await fresh, fake.pictures([3], 0, 2_000_000, 10));
	slow = 0;
});

test('what several want at once is asked for once, and nobody is stopped', async () => {
	const source = new ServerSource(base, fake.head);

	asked.length = 0;
	slow = 20;
	const [one, same, other, rows] = await Promise.all([source.details(3, 162),
		source.details(3, 162), source.details(3, 163), source.stats(0, 1e8, [3], 'name'),
		source.stats(0, 1e8, [4], 'name'), source.pictures([3], 0, 1000, 10),
		source.pictures([3], 0, 1000, 10)]);
	slow = 0;
	assert.deepEqual([one, same, other], [162, 162, 163].map((ref) => fake.details(3, ref)));
	assert.equal(rows.total, fake.stats(0, 1e8, [3], 'name').total);
	assert.equal(asked.length, 5);
	await source.details(3, 162);
	assert.equal(asked.length, 6);
});

test('events, details and statistics pass as they are', async () => {
	const source = new ServerSource(base, fake.head);
	const got = await source.events(3, 5_000_000, 6_000_000, 7);
	const want = fake.events(3, 5_000_000, 6_000_000, 7);

	for (const key of Object.keys(want))
		assert.deepEqual(got[key], want[key], key);
	assert.deepEqual(await source.details(3, 162), fake.details(3, 162));
	assert.deepEqual(await source.stats(0, 1e8, [3], 'name'), fake.stats(0, 1e8, [3], 'name'));
	await assert.rejects(source.gaps(0, 1, 0, -1), /no such thing/);
});

test('names come later, and say so', async () => {
	const source = new ServerSource(base, fake.head);
	const arrived = new Promise((resolve) => source.onNames(resolve));

	asked.length = 0;
	assert.equal(source.nameText(5), '');
	assert.equal(source.nameText(6), '');
	await arrived;
	assert.equal(source.nameText(5), fake.nameText(5));
	assert.equal(source.nameCategory(5), fake.nameCategory(5));
	assert.deepEqual(asked, ['names?from=0&n=2000']);
});

test('search goes on behind a hit or a time', async () => {
	const source = new ServerSource(base, fake.head);
	const first = await source.search('nccl', 'sub', null, 20);
	const second = await source.search('nccl', 'sub', first.next, 20);

	assert.deepEqual(first, fake.search('nccl', 'sub', null, 20));
	assert.deepEqual(second, fake.search('nccl', 'sub', first.next, 20));
	assert.deepEqual(await source.search('nccl', 'sub', 5e7, 20), fake.search('nccl', 'sub', 5e7, 20));
});

test('an export has an address under the page', () => {
	assert.equal(new ServerSource(base, fake.head).exportUrl('perfetto', 1, 2),
		`${base}export?fmt=perfetto&a=1&b=2`);
	const two = {...fake.head, traces: [fake.head.traces[0], fake.head.traces[0]]};
	assert.equal(new ServerSource(base, two).exportUrl('csv', -1, 2, 1), `${base}export?fmt=csv&a=-1&b=2&trace=1`);
	assert.equal(new ServerSource(base, two).exportUrl('csv', 1, 2), `${base}export?fmt=csv&a=1&b=2&trace=0`);
});
