/* SPDX-License-Identifier: MIT */
// What statistics of a range can be of, with and without GPUs.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fakeSource} from './fake.js';
import {countedRows, groupsOf, isOfGpus, rangeCommand, scopeChoices, scopeDevices} from
	'../../web/drawer/scopes.js';

const source = fakeSource();
const {head} = source;
const choicesOf = (of) => scopeChoices(/** @type {any} */ ({source: of, state: {selection: null, focusRow: -1}, compare: null}));

test('GPUs come first, then what the host did', () => {
	const keys = choicesOf(source).map(([key]) => key);

	assert.deepEqual(keys.slice(0, 3), ['gpu:0', 'gpu:1', 'all']);
	assert.ok(keys.includes('host:nvtx') && keys.includes('host:api'));
	assert.deepEqual(scopeDevices(head, 'host:api'), []);
	assert.ok(isOfGpus('gpu:0') && isOfGpus('all') && !isOfGpus('host:nvtx'));
});

test('a trace without GPUs counts the rows of its processes', () => {
	const rows = head.rows.filter(({kind}) => ['process', 'nvtx'].includes(kind));
	const bare = {...head, devices: [], rows};
	const choices = choicesOf({head: bare});

	assert.deepEqual(choices, [['host:nvtx', 'NVTX ranges']]);
	assert.ok(countedRows(bare, 'host:nvtx').every((id) => bare.rows[id].kind === 'nvtx'));
	assert.deepEqual(groupsOf(bare, 'host:nvtx').map(([key]) => key), ['name', 'stream']);
	assert.deepEqual(choicesOf({head: {...bare, rows: []}}), []);
});

test('the command asks the same question', () => {
	const command = (scope, by) => rangeCommand(head, scope, 0, 5, 9, by);

	assert.match(command('gpu:1'), /^warplens kernels --by name --gpu 1 /);
	assert.match(command('host:api'), /^warplens api /);
	assert.match(command('host:nvtx'), /^warplens nvtx --exact-names .* --window \d+ns\.\.\d+ns$/);
});
