/* SPDX-License-Identifier: MIT */
// The kinds of rows that the page knows are those of the program.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {ROW_KINDS, isAccountKind, isHeadKind, isLevelKind, isRangeKind, isRecordedKind} from '../../web/data/kinds.js';

const registry = readFileSync(new URL('../../src/derive/tracks/tracks.def', import.meta.url), 'utf8');
const lines = [...registry.matchAll(/^WL_TRACK\(\w+, "([\w-]+)", (\w+), (\w+),/gm)];

test('every kind of tracks.def is described alike', () => {
	const {merged, ...kinds} = ROW_KINDS;
	const told = Object.entries(kinds).map(([key, {of, holds}]) => [key, of, holds]);

	assert.ok(lines.length >= 10);
	assert.deepEqual(told, lines.map(([, key, of, holds]) => [key, of.toLowerCase(), holds.toLowerCase()]));
	assert.equal(merged.holds, ROW_KINDS.stream.holds);
});

test('kinds are told apart by what they hold', () => {
	const those = (is) => Object.keys(ROW_KINDS).filter(is).join(' ');

	assert.equal(those(isRecordedKind), 'stream nvtx api osrt overhead merged');
	assert.equal(those(isAccountKind), 'gpu iterations gaps');
	assert.equal(those(isRangeKind), 'nvtx-gpu nvtx-comm nvtx');
	assert.equal(those(isLevelKind), 'counter');
	assert.equal(those(isHeadKind), 'gpu process');
	assert.equal(isRecordedKind('group') || isAccountKind('delta') || isHeadKind('group'), false);
});
