/* SPDX-License-Identifier: MIT */
// Numbers are written as the program writes them, to the character.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';

import {csvCell, cutText, formatBytes, formatCell, formatCount, formatNs, formatRate, formatRatio,
	formatReal, formatTime, markdownText} from '../../web/base/format.js';

const WRITERS = {ns: formatNs, time: formatTime, bytes: formatBytes, count: formatCount,
	rate: formatRate, ratio: formatRatio, real: formatReal};

test('texts are those of the program', () => {
	const lines = execFileSync(`${process.env.WARPLENS_BUILD}/units_dump`,
		{encoding: 'utf8', maxBuffer: 2 ** 28}).trim().split('\n');

	assert.ok(lines.length > 100_000);
	for (const line of lines) {
		const [writer, value, text] = JSON.parse(line);

		assert.equal(WRITERS[writer](value), text, line);
	}
});

test('a cell is written by its type', () => {
	assert.equal(formatCell(2149900, 'duration'), '2.15 ms');
	assert.equal(formatCell(0.1234, 'ratio'), '12.3%');
	assert.equal(formatCell(12, 'count'), '12');
	assert.equal(formatCell('x', 'string'), 'x');
	assert.equal(formatCell(null, 'duration'), '-');
});

test('nothing in a name is markup', () => {
	assert.equal(markdownText('a|b*c_<d>\\'), 'a\\|b\\*c\\_\\<d\\>\\\\');
	assert.equal(markdownText('a\nb'), 'a\ufffdb');
});

test('cells of CSV are quoted where they must be', () => {
	assert.equal(csvCell('f<a, b>("x")'), '"f<a, b>(""x"")"');
	assert.equal(csvCell(''), '""');
	assert.equal(csvCell(null), '');
	assert.equal(csvCell(12), '12');
	assert.equal(csvCell('a\r\nb'), 'a\ufffd\ufffdb');
});

test('long texts are cut between characters', () => {
	assert.equal(cutText('abc', 3), 'abc');
	assert.equal(cutText('abcd', 3), 'ab\u2026');
	assert.equal(cutText('a\u{1f600}bc', 3), 'a\u2026');
	assert.equal(cutText('x'.repeat(32768)).length, 300);
});
