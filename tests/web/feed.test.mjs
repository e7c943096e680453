/* SPDX-License-Identifier: MIT */
// What a frame asks of its source: the rows and lanes on the screen, once.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fakeSource} from './fake.js';
import {Feed} from '../../web/sheet/feed.js';
import {extentOf} from '../../web/data/source.js';

const fake = fakeSource();
const deep = fake.head.rows.findIndex((_, id) =>
	fake.head.lanes.filter(([row]) => row === id).length > 2);

/* A feed of the made-up trace that notes what it asks for, and answers at once or later. */
function watched(isSlow) {
	const asked = [];
	const source = /** @type {any} */ ({
		head: fake.head,
		pictures(rowIds, a, b, w, wish) {
			asked.push(rowIds.map((id) => [id, wish.lanes.get(id)]));
			const answer = fake.pictures(rowIds, a, b, w, wish);
			return isSlow ? Promise.resolve(answer) : answer;
		},
	});

	return {asked, feed: new Feed(source, extentOf(fake.head), () => {})};
}

test('lanes on the screen are asked for, and more when a row is unfolded', () => {
	const {asked, feed} = watched(false);
	const draw = (...rows) => feed.pictures(new Map(rows), 0, 100_000_000, 50);

	assert.equal(draw([3, 1], [deep, 2]).get(deep).lanes.length, 2);
	draw([3, 1], [deep, 2]);
	draw([deep, 1]);
	assert.deepEqual(asked, [[[3, 1], [deep, 2]]]);
	assert.ok(draw([3, 1], [deep, 32]).get(deep).lanes.length > 2);
	assert.deepEqual(asked.slice(1), [[[deep, 32]]]);
});

test('what is on its way is not asked for again, but more lanes of it are', async () => {
	const {asked, feed} = watched(true);
	const draw = (...rows) => feed.pictures(new Map(rows), 0, 100_000_000, 50);

	draw([3, 1], [deep, 2]);
	draw([3, 1], [deep, 2]);
	assert.equal(asked.length, 1);
	draw([deep, 32]);
	assert.deepEqual(asked.slice(1), [[[deep, 32]]]);
	await new Promise((resolve) => setTimeout(resolve, 0));
	assert.ok(draw([deep, 32]).get(deep).lanes.length > 2);
	assert.equal(asked.length, 2);
});

test('the first view of a fast server gets its events without any further movement', async () => {
	const row = fake.head.rows.findIndex(({kind}) => kind === 'stream');
	const view = [38_000_000, 39_000_000, 800];
	const source = /** @type {any} */ ({
		head: fake.head,
		pictures: async (...wanted) => fake.pictures(...wanted),
		events: async (...wanted) => fake.events(...wanted),
	});
	let feed = null, events = null;
	const draw = () => {
		feed.pictures(new Map([[row, 1]]), ...view);
		events = feed.events(row, fake.head.rows[row], ...view);
	};

	feed = new Feed(source, extentOf(fake.head), draw);
	draw();
	for (let i = 0; i < 50 && !events; i++)
		await new Promise((resolve) => setTimeout(resolve, 20));
	assert.ok(events?.n > 0);
});
