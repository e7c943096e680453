/* SPDX-License-Identifier: MIT */
// What is typed into the search box.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseQuery, resolveQuery} from '../../web/drawer/query.js';

const nothing = {min: null, max: null, category: null, gpu: null, iterations: null, range: null, stream: null, grid: null};
const head = /** @type {any} */ ({
	categories: [{key: 'gemm'}, {key: 'communication'}, {key: 'host'}],
	words: [{key: 'gemm', colour: 0}, {key: 'communication', colour: 1}, {key: 'moe_gemm', colour: 0}],
	devices: [{label: 'GPU 2', process: 0}, {label: 'GPU 3', process: 1}],
	rows: [{stream: -1}, {stream: 7}],
	processes: [{iterations: [[0, 10], [10, 20]]}, {iterations: [[5, 15], [15, 27], [27, 40]]}],
});
const meaningIn = (of, text) => resolveQuery(of, /** @type {any} */ (parseQuery(text)));
const meaning = (text) => meaningIn(head, text);

test('a plain text is looked for anywhere, blanks and all', () => {
	assert.deepEqual(parseQuery('  flash fwd '), {...nothing, mode: 'sub', text: 'flash fwd'});
	assert.deepEqual(parseQuery(''), {...nothing, mode: 'sub', text: ''});
});

test('slashes make a pattern, quotes the whole name', () => {
	assert.deepEqual(parseQuery('/ge(m|n) 1\\/2/'), {...nothing, mode: 're', text: 'ge(m|n) 1\\/2'});
	assert.deepEqual(parseQuery('/GEMM/i'), {...nothing, mode: 're', text: '(?i)GEMM'});
	assert.deepEqual(parseQuery('"void f(int, int)"'),
		{...nothing, mode: 'exact', text: 'void f(int, int)'});
	assert.equal(parseQuery('"dur>5"').text, 'dur>5');
});

test('a path with slashes is no pattern', () => {
	assert.deepEqual(parseQuery('/usr/lib'), {...nothing, mode: 'sub', text: '/usr/lib'});
	assert.equal(parseQuery('a/b').mode, 'sub');
});

test('lengths are whole ns, both ends count', () => {
	assert.equal(parseQuery('dur>100us').min, 100_001);
	assert.equal(parseQuery('dur>=1.5ms').min, 1_500_000);
	assert.equal(parseQuery('dur<2us').max, 1_999);
	assert.equal(parseQuery('dur<=0.0015us').max, 1);
	assert.equal(parseQuery('dur<0.0015us').max, 1);
	assert.equal(parseQuery('dur>0.0015us').min, 2);
	assert.deepEqual([parseQuery('dur=7').min, parseQuery('dur=7').max], [7, 7]);
	assert.equal(parseQuery('dur>=µs').error, 'dur>=µs: no length of time; say dur>100us');
});

test('bounds narrow each other', () => {
	const query = parseQuery('dur>1us dur>=5us dur<9us dur<=8us gemm');

	assert.deepEqual([query.min, query.max, query.text], [5_000, 8_000, 'gemm']);
});

test('conditions and text go together, in any order, behind a colon', () => {
	assert.deepEqual(parseQuery(':gpu:3 nccl it:2-4 cat:comm dur>1ms'), {
		...nothing, mode: 'sub', text: 'nccl', min: 1_000_001, category: 'comm', gpu: 3,
		iterations: [2, 4],
	});
	const query = parseQuery('nvtx:"layer 3" gemm stream:7 grid:132x4');

	assert.deepEqual(query, {...nothing, mode: 'sub', text: 'gemm', range: 'layer 3', stream: 7, grid: [132, 4]});
});

test('what a condition lacks is said', () => {
	assert.match(parseQuery('gpu:x').error, /gpu:3/);
	assert.match(parseQuery('it:').error, /it:12/);
	assert.match(parseQuery('cat:').error, /cat:comm/);
	assert.match(parseQuery('nvtx:').error, /nvtx:forward/);
	assert.match(parseQuery('nvtx:""').error, /nvtx:forward/);
	assert.match(parseQuery('stream:a').error, /stream:7/);
	for (const grid of ['', '1x', '1x2x3x4', '-1', '99999999999'])
		assert.match(parseQuery(`grid:${grid}`).error, /grid:132/);
});

test('conditions are resolved in the head', () => {
	assert.deepEqual([meaning('cat:comm').words, meaning('cat:comm').categories], [[1], []]);
	assert.deepEqual(meaning('cat:gemm').words, [0, 2]);
	assert.deepEqual(meaning('cat:moe').words, [2]);
	assert.deepEqual([meaning('cat:host').words, meaning('cat:host').categories], [[], [2]]);
	assert.equal(meaning('gpu:3').device, 1);
	assert.equal(meaning('gpu:0').device, 0);
	assert.deepEqual(meaning('it:1'), {
		min: null, max: null, categories: null, words: null, device: -1, a: 10, b: 27,
		rows: null, grid: null, range: null,
	});
	assert.deepEqual(meaning('stream:7').rows, [1]);
	assert.match(meaning('stream:8').error, /no stream 8/);
	assert.deepEqual([meaning('it:1 gpu:3').a, meaning('it:1 gpu:3').b], [15, 27]);
	assert.deepEqual([meaning('it:1-9').a, meaning('it:1-9').b], [10, 40]);
});

test('a list of iterations may begin later', () => {
	const later = {...head, processes: [{iterations: [[0, 10], [10, 20]], first: 4}]};

	assert.deepEqual([meaningIn(later, 'it:5').a, meaningIn(later, 'it:2-4').b],
		[10, 10]);
	assert.match(meaningIn(later, 'it:1').error, /no iteration 1/);
});

test('what the trace does not have is said', () => {
	assert.match(meaning('cat:x').error, /there are gemm, communication, moe_gemm, host/);
	assert.match(meaning('gpu:9').error, /no GPU 9/);
	assert.match(meaning('it:7').error, /no iteration 7/);
});
