/* SPDX-License-Identifier: MIT */
// What rows are coloured by: numbers of events, and colours of numbers.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {VALUE_MODES, columnColours, eventValue, valueColour} from '../../web/data/colourby.js';
import {NO_VALUE} from '../../web/data/columns.js';
import {fakeSource} from './fake.js';
import {DURATION_COLOURS, NAME_COLOURS, durationColours, nameColours, oklch} from
	'../../web/base/hues.js';

const first = {none: 8, names: 9, durations: 9 + NAME_COLOURS};

test('names with neighbouring numbers have different colours', () => {
	const colours = Array.from({length: NAME_COLOURS}, (_, n) => valueColour('name', n, first));

	assert.equal(new Set(colours).size, NAME_COLOURS);
	for (let n = 0; n + 1 < NAME_COLOURS; n++) {
		const apart = Math.abs(colours[n + 1] - colours[n]);

		assert.ok(Math.min(apart, NAME_COLOURS - apart) >= 5);
	}
	assert.equal(valueColour('name', NO_VALUE - 1, first) < first.durations, true);
});

test('durations have a colour per half decade from 1 us to 100 ms', () => {
	const step = (ns) => valueColour('duration', ns, first) - first.durations;

	assert.deepEqual([0, 1, 1000, 3000, 3200, 10_000].map(step), [0, 0, 0, 0, 1, 2]);
	assert.deepEqual([99e6, 100e6, 4e9].map(step), [9, 10, 10]);
	assert.equal(DURATION_COLOURS, 11);
});

test('colours are in the range of the screen and told apart', () => {
	for (const theme of ['light', 'dark']) {
		const all = [...nameColours(theme), ...durationColours(theme)];

		assert.ok(all.every((colour) => /^#[0-9a-f]{6}$/.test(colour)));
		assert.equal(new Set(all).size, NAME_COLOURS + DURATION_COLOURS);
	}
	assert.equal(oklch(1, 0, 0), '#ffffff');
	assert.equal(oklch(0, 0, 0), '#000000');
	assert.equal(oklch(0.627955, 0.257683, 29.2339), '#ff0000');
});

test('a column to which another left its rest has the colour of that', () => {
	const picture = {value: Uint32Array.of(3, NO_VALUE, NO_VALUE, 4),
		share: Uint8Array.of(9, 1, 0, 9)};
	const of = (value) => valueColour('name', value, first);

	assert.deepEqual([...columnColours(picture, 'name', of)], [of(3), of(3), 0, of(4)]);
	assert.deepEqual([...columnColours(picture, 'nvtx', of)], [of(3), 8, 0, of(4)]);
});

test('pictures and events of a source tell the same', () => {
	const source = fakeSource();

	for (const by of VALUE_MODES) {
		source.head.rows.forEach((row, id) => {
			const events = source.events(id, 38e6, 38.5e6, 1000, {by});
			const pictures = source.pictures([id], 38e6, 38.5e6, 500, {by}).get(id);

			source.lanesOf[id].forEach((lane, number) => {
				const valueOf = eventValue(source, id, lane, by);

				for (let x = 0; x < 500; x++) {
					const i = lane.longest(38e6 + x * 1000, 38e6 + (x + 1) * 1000);
					const want = i < 0 ? NO_VALUE : valueOf(i);

					assert.equal(pictures[number].value[x], want);
				}
			});
			assert.equal(events.value.length, events.n);
		});
	}
});
