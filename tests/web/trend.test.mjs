/* SPDX-License-Identifier: MIT */
// The trend of several runs: medians in their order, and changes against the first that has steps.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {trendOf, trendWords} from '../../web/compare/trend.js';

const trace = (label, median = undefined) => /** @type {any} */ ({label,
	headline: median === undefined ? null : {steps: median === null ? null : {median}}});

test('changes are against the first run with steps', () => {
	const trend = trendOf({traces: [trace('/x/none.sqlite'), trace('a.sqlite', 100), trace('b.sqlite', 90), trace('c', null)]});

	assert.deepEqual(trend.map(({name}) => name), ['none.sqlite', 'a.sqlite', 'b.sqlite', 'c']);
	assert.deepEqual(trend.map(({median}) => median), [null, 100, 90, null]);
	assert.deepEqual(trend.map(({change}) => change && Math.round(1000 * change)), [null, null, -100, null]);
});

test('a change has a sign and a percentage', () => {
	assert.equal(trendWords(-0.1), '▼ -10.0%');
	assert.equal(trendWords(0.25), '▲ +25.0%');
	assert.equal(trendWords(0.0001), '= 0.0%');
	assert.equal(trendWords(-0.0001), '= 0.0%');
	assert.equal(trendWords(null), '');
});
