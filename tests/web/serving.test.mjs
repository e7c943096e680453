/* SPDX-License-Identifier: MIT */
// Steps of a serving engine in the page: kinds, periods and idle time are those of "warplens iters".

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {accountOfSteps, histogramOf, isServing, servingOf, servingSteps, stepLabels, stepsByLabel,
	stepsByLength} from '../../web/data/serving.js';
import {fixtures, sourceOfFile, warplens} from './pages.mjs';

const room = mkdtempSync(join(tmpdir(), 'serving-'));
const trace = fixtures().find((path) => path.endsWith('/serving.sqlite'));

after(() => rmSync(room, {recursive: true}));

async function pageOf() {
	const page = join(room, 'page.html');

	warplens('viewer', trace, '-o', page);
	return sourceOfFile(page);
}

const itersOf = (...args) => JSON.parse(warplens('iters', trace, '-f', 'json', '-n', '0', ...args)).rows;
const periodsOf = (steps) => steps.map(({begin, end, hasPeriod}) => (hasPeriod ? end - begin : undefined));

test('a token takes its decode and the prefills behind it', () => {
	/** @type {[string, number, number][]} */
	const told = [['decode', 0, 10], ['prefill', 10, 50], ['decode', 50, 62], ['decode', 62, 70]];
	const steps = told.map(([kind, begin, end], number) => ({number, kind, begin, end, hasPeriod: number < 3}));
	const {kinds, tokens, tpot} = servingOf(steps);

	assert.deepEqual(tokens.map(({own, between}) => [own, between]), [[10, 40], [12, 0]]);
	assert.deepEqual([tpot.n, tpot.sum, tpot.p50, tpot.most], [2, 62, 12, 50]);
	assert.deepEqual(kinds.map(({kind, n, spread}) => [kind, n, spread.n, spread.p50]), [['decode', 3, 2, 10], ['prefill', 1, 1, 40]]);
	assert.deepEqual(stepsByLength(steps, 12).map(({kind}) => kind), ['decode', 'prefill', 'prefill', 'decode']);
});

test('bins hold all lengths once, those beyond p99 in the last', () => {
	const items = Array.from({length: 400}, (_, i) => ({ns: 1000 + i % 100 + (i >= 398 ? 5000 : 0)}));
	const bins = histogramOf(items, 10);

	assert.equal(bins.length, 11);
	assert.equal(bins.reduce((sum, bin) => sum + bin.items.length, 0), 400);
	for (const {from, to, items: inside} of bins)
		assert.ok(inside.every(({ns}) => ns >= from && ns < to));
	assert.equal(bins[10].items.length, 2);
	assert.equal(histogramOf([{ns: 7}], 4)[0].items.length, 1);
});

test('kinds, periods and idle time of decodes are those of iters', async () => {
	const source = await pageOf();
	const steps = servingSteps(source.head, 0);
	const rows = itersOf();
	const decodes = steps.filter(({kind, hasPeriod}) => kind === 'decode' && hasPeriod);
	const {parts} = await accountOfSteps(source, 0, decodes);
	const sumOf = (list) => list.reduce((sum, ns) => sum + ns, 0);
	const told = (key) => sumOf(rows.filter(({kind, period}) => kind === 'decode' && period).map((row) => row[key] ?? 0));

	assert.ok(isServing(source.head));
	assert.deepEqual(steps.map(({kind}) => kind), rows.map(({kind}) => kind));
	assert.deepEqual(periodsOf(steps), rows.map(({period}) => period ?? undefined));
	assert.equal(sumOf(parts.filter(({idle}) => idle).map(({ns}) => ns)), told('idle'));
	assert.equal(parts.find(({key}) => key === 'compute').ns, told('compute'));
	assert.ok(told('idle') > 0);
});

test('chosen ranges make the steps of --marker', async () => {
	const source = await pageOf();
	const labels = (await stepLabels(source, 0)).map(([label]) => label);
	const steps = await stepsByLabel(source, 0, 'decode', 'prefill');

	assert.ok(labels.includes('decode'), String(labels));
	assert.deepEqual(periodsOf(steps), itersOf('--marker', 're:^(decode|prefill)$').map(({period}) => period ?? undefined));
	assert.deepEqual(periodsOf(await stepsByLabel(source, 0, 'decode', '')),
		itersOf('--marker', 're:^decode$').map(({period}) => period ?? undefined));
});
