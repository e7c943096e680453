/* SPDX-License-Identifier: MIT */
// What the headline says of steps: one length, two, kinds, and ranges around them.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {isInDoubt} from '../../web/data/account.js';
import {gpuWords, idleWords, meanWords, stepWords} from '../../web/drawer/headline.js';

const ms = 1e6;

test('steps are said with their kinds, or lengths, and what is around them', () => {
	assert.equal(stepWords({count: 1, median: 2 * ms, lengths: []}), '1 step of 2 ms');
	assert.equal(stepWords({count: 20, median: 2 * ms, lengths: [], guess: true}), '20 steps, median 2 ms, guessed');
	assert.equal(stepWords({count: 9, median: 2 * ms, lengths: [[5, ms, 'steps'], [4, 3 * ms, '']]}),
		'5 steps, median 1 ms; 4, median 3 ms');
	assert.equal(stepWords({count: 9, median: 2 * ms, lengths: [[5, ms, 'decodes'], [4, 3 * ms, 'prefills']]}),
		'5 decodes, median 1 ms; 4 prefills, median 3 ms');
	assert.equal(stepWords({count: 16, median: 15 * ms, lengths: [], outer: [4, 61 * ms, 'iterations']}),
		'16 steps, median 15 ms; in 4 iterations, median 61 ms');
});

test('GPUs are those that are shown', () => {
	const facts = [['schema', '3.7.2'], ['GPU 0', 'NVIDIA H100'], ['GPU 1', 'NVIDIA H100'], ['GPU 2', 'NVIDIA A100']];
	const devices = (...labels) => labels.map((label) => ({label}));

	assert.equal(gpuWords(facts, devices('GPU 0', 'GPU 1', 'GPU 2')), '2x H100, 1x A100');
	assert.equal(gpuWords(facts, devices('GPU 0', null, null)), '1x H100');
	assert.equal(gpuWords(facts, devices(null, null, 'GPU 2')), '1x A100');
	assert.equal(gpuWords([], devices('GPU 0', 'GPU 1', null)), '2 GPUs');
	assert.equal(gpuWords([], []), '');
});

test('the mean is said where it is not the median', () => {
	const parts = [['compute', 3 * ms, 0.75], ['host', ms, 0.25]];

	assert.equal(meanWords({steps: {median: 4 * ms, lengths: []}, parts}), '');
	assert.equal(meanWords({steps: {median: 3 * ms, lengths: []}, parts}), 'mean step 4 ms:');
	assert.equal(meanWords({steps: {median: 4 * ms, lengths: [[5, ms, 'decodes']]}, parts}), 'mean step 4 ms:');
	assert.equal(meanWords({steps: null, parts}), '');
});

test('idle time is in doubt where a finding without a saving comes before one with a saving', () => {
	assert.equal(isInDoubt([{saving: null}, {saving: 5}]), true);
	assert.equal(isInDoubt([{saving: 5}, {saving: null}]), false);
	assert.equal(isInDoubt([{saving: null}, {saving: null}]), false);
	assert.equal(isInDoubt([{saving: null}]), false);
	assert.equal(isInDoubt([]), false);
});

test('idle time names the finding that most of it is of, if that is not the first', () => {
	const findings = [{part: 'exposed_copy', saving: 5}, {part: 'host', saving: 3}, {part: 'managed', saving: null}];
	const parts = [['compute', 3, 0.3], ['managed', 5, 0.5], ['host', 2, 0.2]];

	assert.equal(idleWords({findings}, parts), ' (mostly managed: see 3)');
	assert.equal(idleWords({findings: findings.slice(2)}, parts), '');
	assert.equal(idleWords({findings: findings.slice(0, 2)}, parts), '');
	assert.equal(idleWords({findings}, [['compute', 6, 0.6], ...parts.slice(1)]), '');
	assert.equal(idleWords({findings: [{saving: null}, {saving: 3}]}, parts), ' (in doubt: see 1)');
});

test('of several findings of that part the one that claims most of it in the steps is named', () => {
	const parts = [['host', 9, 0.9], ['load', 1, 0.1]];
	const findings = [{part: 'host', part_time: 0, saving: 9}, {part: 'host', part_time: 2, saving: 5},
		{part: 'host', part_time: 7, saving: 3}];

	assert.equal(idleWords({findings}, parts), ' (mostly host: see 3)');
	assert.equal(idleWords({findings: findings.slice(0, 1)}, parts), '');
	assert.equal(idleWords({findings: findings.slice(0, 2)}, parts), ' (mostly host: see 2)');
});
