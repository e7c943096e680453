/* SPDX-License-Identifier: MIT */
// Of the view what needs no browser: state, address, rows, ruler, keys, what a pointer means.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {listOfRows, readFragment, rowsOfList, writeFragment} from '../../web/control/address.js';
import {fakeSource} from './fake.js';
import {actionOf, keyNames} from '../../web/control/keys.js';
import {actions} from '../../web/control/actions.js';
import {Overlay, fittedLabel, flagAt, flagsOf, shownName} from '../../web/sheet/overlay.js';
import {columnsBetween} from '../../web/sheet/paint.js';
import {eventAt} from '../../web/sheet/pick.js';
import {RowTree, layRows, rowAt} from '../../web/sheet/rows.js';
import {rulerOf, stepOf, tickTexts} from '../../web/sheet/ruler.js';
import {State} from '../../web/control/state.js';
import {LEVELS, levelOf} from '../../web/sheet/theme.js';

const source = fakeSource();

/** A state whose clock and address the test holds. */
function makeState(fragment = '') {
	const held = {now: 0, fragment};
	const store = {
		read: () => held.fragment,
		write: (text) => {
			held.fragment = text;
		},
	};

	return {held, state: new State(source.head, store, {clock: () => held.now})};
}

test('a movement is one step of the history, a jump is always one', () => {
	const {held, state} = makeState();
	const {a, b} = state.view;

	for (let i = 1; i <= 10; i++) {
		held.now += 16;
		state.setView(a, b - i * 1e6);
	}
	state.back();
	assert.deepEqual(state.view, {a, b});
	state.forward();
	assert.deepEqual(state.view, {a, b: b - 1e7});
	state.setView(1e6, 2e6, {jump: true});
	state.setView(3e6, 4e6, {jump: true});
	state.back();
	assert.deepEqual(state.view, {a: 1e6, b: 2e6});
	state.back();
	assert.deepEqual(state.view, {a, b: b - 1e7});
});

test('a view is of whole ns, not too narrow, and never far from the trace', () => {
	const {state} = makeState();
	const {begin, end} = state.extent;

	for (const [a, b] of [[0.3, 1e5 + 0.9], [5, 6], [-1e15, 1e15], [1e14, 1e14 + 1e6], [-1e14, -1e13]]) {
		state.setView(a, b);
		const {view} = state;
		assert.ok(Number.isSafeInteger(view.a) && Number.isSafeInteger(view.b));
		assert.ok(view.b - view.a >= 4096);
		assert.ok(view.a < end && view.b > begin, `${view.a} ${view.b}`);
	}
});

test('listeners hear a change once, and not after they left', () => {
	const {state} = makeState();
	const heard = [];
	const off = state.on('range', (range) => heard.push(range));

	state.setRange({a: 5, b: 3});
	off();
	state.setRange(null);
	assert.deepEqual(heard, [{a: 3, b: 5}]);
	assert.throws(() => state.set('nothing', 1), RangeError);
});

test('an address brings back what it was written of', () => {
	const {held, state} = makeState();

	state.setView(1e6, 5e6);
	state.setSelection({rowId: 4, ref: 77, begin: -5, end: 9, name: 'x'});
	state.setRange({a: 2e6, b: 3e6});
	state.setFilter('S&=#7 ü');
	state.set('pinned', new Set([3, 4, 5, 9]));
	state.set('marks', [{begin: 1, end: 2, text: 'a~b&c', kept: true}, {begin: 3, end: 4, text: '', kept: false}]);
	const {state: again} = makeState(`#${held.fragment}`);
	assert.deepEqual(again.view, state.view);
	assert.deepEqual(again.selection, {...state.selection, name: ''});
	assert.deepEqual(again.range, state.range);
	assert.equal(again.filter, state.filter);
	assert.deepEqual(again.pinned, state.pinned);
	assert.deepEqual(again.marks, [state.marks[0]]);
	assert.equal(writeFragment(again), held.fragment);
});

test('an address that makes no sense says nothing', () => {
	for (const text of ['', '#', '#v=', '#v=2~1', '#v=x~y', '#sel=1~2', '#v=1e99~2e99', '#filter=%zz', '#&&=&',
		'#__proto__=1', '#mark=1'])
		assert.deepEqual(Object.entries(readFragment(text)).filter(([, value]) => value !== ''), []);
	assert.equal(rowsOfList('0-9999999').size, 10000);
	assert.equal(listOfRows(rowsOfList('7,1-3,x,5-')), '1-3,7');
});

test('the first GPU and the busiest thread are open at the start', () => {
	const tree = new RowTree(source.head);
	const {state} = makeState();
	const {rows, height} = layRows(tree, state);
	const labels = rows.map(({row}) => row.label);

	assert.ok(labels.includes('Stream 7 compute') && labels.includes('API 4000 python'));
	assert.ok(!labels.includes('API 4001 python'));
	assert.equal(labels.filter((label) => label === 'Stream 7 compute').length, 1);
	for (let i = 1; i < rows.length; i++)
		assert.ok(rows[i].y >= rows[i - 1].y + rows[i - 1].height);
	assert.ok(height >= rows.at(-1).y + rows.at(-1).height);
	for (const row of rows) {
		assert.equal(rowAt(rows, row.y), row);
		assert.equal(rowAt(rows, row.y + row.height - 0.5), row);
	}
	assert.equal(rowAt(rows, -1), null);
	assert.equal(rowAt(rows, height + 50), null);
});

test('a row of another thread is unfolded by what it is under', () => {
	const tree = new RowTree(source.head);
	const {state} = makeState();
	const id = source.head.rows.findIndex(({label}) => label === 'API 4001 python');

	assert.ok(!layRows(tree, state).rows.some((row) => row.id === id));
	state.set('toggled', tree.toUnfold(id, state.toggled));
	assert.ok(layRows(tree, state).rows.some((row) => row.id === id));
	assert.deepEqual(tree.toUnfold(id, state.toggled), state.toggled);
});

test('a filter shows rows by words of their labels, and what they are under', () => {
	const tree = new RowTree(source.head);
	const {state} = makeState();

	state.setFilter('nccl 20');
	assert.deepEqual(layRows(tree, state).rows.map(({row}) => row.label),
		['GPU 0 rank 0', 'Stream 20 NCCL *', 'GPU 1 rank 1', 'Stream 20 NCCL *']);
	state.setFilter('no such row');
	assert.deepEqual(layRows(tree, state).rows, []);
});

test('a deep row shows some levels, unfolded more; a pinned one says whose it is', () => {
	const head = {...source.head, lanes: [...source.head.lanes, ...Array(6).fill([2, 1])]};
	const tree = new RowTree(head);
	const {state} = makeState();
	const deep = () => layRows(tree, state).rows.find(({id}) => id === 2);

	assert.deepEqual([deep().lanes, deep().hiddenLanes, deep().open], [4, 5, false]);
	state.toggleRow('toggled', 2);
	assert.deepEqual([deep().lanes, deep().hiddenLanes, deep().open], [9, 0, true]);
	state.toggleRow('pinned', 6);
	assert.equal(layRows(tree, state).pinned[0].text, 'G0 Gaps');
	state.toggleRow('hiddenRows', 0);
	assert.ok(!layRows(tree, state).rows.some(({row}) => row.device === 0));
});

test('rows of two traces have the letters of the compare page', () => {
	const {head} = source;
	const two = {...head, traces: [head.traces[0], head.traces[0]],
		rows: head.rows.map((row, i) => ({...row, trace: i < 7 ? 0 : 1}))};
	const texts = layRows(new RowTree(two), makeState().state).rows.map(({text}) => text);

	assert.ok(texts.includes('A: GPU 0 rank 0') && texts.includes('B: GPU 1 rank 1'));
	assert.ok(texts.includes('Stream 7 compute'));
});

test('flags that would cover each other are one', () => {
	const at = (...begins) => flagsOf(begins.map((begin) => ({begin})), (t) => t, 1000);

	assert.deepEqual(at(500, 10, 505, null, 2000), [{x: 10, numbers: [2], text: '⚑2'},
		{x: 500, numbers: [1, 3], text: '⚑1,3'}]);
	assert.deepEqual(flagAt(at(500, 10, 505), 520, 1000).numbers, [1, 3]);
	assert.equal(flagAt(at(500, 10, 505), 100, 1000), undefined);
	assert.deepEqual(at(), []);
});

test('labels keep what differs', () => {
	assert.equal(fittedLabel('iteration 12', 20, 'nvtx'), 'iteration 12');
	assert.equal(fittedLabel('iteration 12', 8, 'nvtx'), 'itera…12');
	assert.equal(fittedLabel('layer.3.backward', 8, 'nvtx-gpu'), 'layer.3…');
	assert.equal(fittedLabel('layer.11.backward', 7, 'nvtx-gpu'), 'laye…11');
	assert.equal(fittedLabel('iteration 12', 3, 'iterations'), '12');
	assert.equal(fittedLabel('cudaStreamSynchronize', 17, 'api'), 'StreamSynchronize');
	assert.equal(fittedLabel('ncclDevKernel_AllGather_RING_LL', 10, 'stream'), 'AllGather…');
	assert.equal(fittedLabel('gemm_kernel', 4, 'stream'), '');
});

test('ticks are at round times, differ, and say what they have in common once', () => {
	assert.equal(stepOf(1000, 10), 100);
	assert.equal(stepOf(1001, 10), 200);
	assert.equal(stepOf(3, 1000), 1);
	for (const [a, b] of [[0, 1e8], [1026412000, 1091530000], [41e6, 41.3e6], [-5e6, 5e6], [1e15, 1e15 + 4096]]) {
		const {ticks, prefix, base, step} = rulerOf(a, b, 1600);
		const texts = ticks.map(({text}) => text);

		assert.equal(new Set(texts).size, texts.length, texts.join());
		assert.ok(ticks.length >= 5 && ticks.length <= 20);
		assert.ok(ticks.every(({t}) => t >= a && t < b && Math.abs(t / step - Math.round(t / step)) < 1e-6));
		assert.equal(prefix !== '', base !== 0);
	}
	assert.equal(rulerOf(1026412000, 1091530000, 700).prefix, '1.03 s');
});

test('texts of ticks stand at their ticks, or are left out', () => {
	const ticks = [{t: 0, text: '+0 ms'}, {t: 10, text: '+1'}, {t: 20, text: '+2'}];
	const room = {left: 60, width: 400, measure: (text) => 6 * text.length};

	assert.deepEqual(tickTexts(ticks, (t) => 20 + 10 * t, room), [{at: 123, text: '+1'}, {at: 223, text: '+2'}]);
	assert.deepEqual(tickTexts(ticks, (t) => 60 + 10 * t, room).map(({text}) => text), ['+0 ms', '+1', '+2']);
	assert.deepEqual(tickTexts(ticks, (t) => 190 + 10 * t, room).map(({text}) => text), ['+0 ms', '+1']);
});

test('letters are places on the keyboard, signs are what they say', () => {
	const key = (code, text, more = {}) => ({code, key: text, ctrlKey: false, metaKey: false, altKey: false,
		shiftKey: false, ...more});
	const id = (event) => actionOf(event)?.id;

	assert.equal(id(key('KeyW', 'z')), 'zoom-in');
	assert.equal(id(key('Slash', '/')), 'search');
	assert.equal(id(key('Digit7', '/', {shiftKey: true})), 'search');
	assert.equal(id(key('Digit9', '(', {shiftKey: true})), 'iteration-previous');
	assert.equal(id(key('KeyX', 'X', {shiftKey: true})), 'gap-previous');
	assert.equal(id(key('KeyP', 'p', {ctrlKey: true})), 'find-row');
	assert.equal(id(key('KeyP', 'P', {metaKey: true, shiftKey: true})), 'palette');
	assert.equal(id(key('ArrowLeft', 'ArrowLeft', {altKey: true})), 'back');
	assert.equal(id(key('KeyW', 'w', {ctrlKey: true})), undefined);
	assert.equal(id(key('KeyS', 's', {ctrlKey: true})), undefined);
	assert.deepEqual(keyNames(key('Digit8', '[', {ctrlKey: true, altKey: true,
		getModifierState: () => true})).slice(0, 1), ['[']);
});

test('no key means two things', () => {
	const keys = actions.flatMap((action) => action.keys);

	assert.equal(new Set(keys).size, keys.length);
	assert.equal(new Set(actions.map(({id}) => id)).size, actions.length);
});

test('an event as wide as a pixel is found at its centre beside longer ones', () => {
	const events = {n: 4, truncated: false, lane: Uint16Array.of(0, 0, 0, 1),
		start: Float64Array.of(0, 1000, 1010, 0), dur: Float64Array.of(1000, 10, 5000, 9000),
		name: Uint32Array.of(0, 1, 2, 3), ref: Uint32Array.of(10, 11, 12, 13)};
	const names = {nameText: (n) => `name ${n}`};
	const at = {row: {picture: 3}, lane: 0};

	assert.equal(eventAt(names, at, events, 1005, 10).ref, 11);
	assert.equal(eventAt(names, at, events, 1000, 10).ref, 11);
	assert.equal(eventAt(names, at, events, 995, 100).ref, 10);
	assert.equal(eventAt(names, at, events, 6009, 10).ref, 12);
	assert.equal(eventAt(names, at, events, 6010, 10), null);
	assert.equal(eventAt(names, {...at, lane: 1}, events, 5, 1).ref, 13);
	assert.equal(eventAt(names, at, events, 900, 1e6).more, 2);
});

test('a share is never drawn as nothing, and more is never drawn as less', () => {
	assert.equal(levelOf(0), 0);
	assert.equal(levelOf(1), 1);
	assert.equal(levelOf(255), LEVELS);
	for (let share = 1; share <= 255; share++)
		assert.ok(levelOf(share) >= levelOf(share - 1));
});

test('an old picture is drawn where its time lies', () => {
	const picture = {a: 1000, b: 2000, w: 100};

	assert.equal(columnsBetween(picture, 1000, 2000, 100), null);
	assert.deepEqual([...columnsBetween(picture, 900, 1100, 4)], [-1, -1, 2, 7]);
});

test('operations are shown by labels, ranges by their text', () => {
	const names = [['void f<4, gelu>(int)', 'f<gelu>', 2], ['iteration 12', 'iteration #', -1]];
	const source = /** @type {any} */ ({nameText: (n) => names[n][0], nameLabel: (n) => names[n][1], nameWord: (n) => names[n][2]});

	assert.equal(shownName(source, 0), 'f<gelu>');
	assert.equal(shownName(source, 1), 'iteration 12');
});

test('the length of a range covers no label of the ruler', () => {
	const written = [];
	const context = {fillRect() {}, measureText: (text) => ({width: 6 * text.length}),
		fillText: (text, x) => written.push({left: x, right: x + 6 * text.length, text})};
	const overlay = new Overlay(context, source);
	const theme = {bar: '', line: '', text: '', faint: '', focus: '', range: ''};

	for (let a = 60e6; a < 90e6; a += 0.7e6) {
		const x = (t) => (t - 60e6) * 1000 / 30e6;
		const range = {a, b: a + 4e6};
		const label = overlay.rangeLabel(range, 1000, x, '15 ms');

		written.length = 0;
		overlay.ruler(1000, theme, rulerOf(60e6, 90e6, 1000), x, label);
		assert.ok(written.length > 3);
		overlay.range(range, {width: 1000, height: 100}, theme, x, '15 ms', label);
		const own = written.pop();
		assert.equal(own.text, '15 ms');
		assert.deepEqual(written.filter(({left, right}) => left < own.right && right > own.left), []);
		assert.ok(written.every(({right}) => right <= 1000));
	}
	assert.equal(overlay.rangeLabel({a: 1, b: 2}, 1000, () => -50, '1 ns'), null);
});
