/* SPDX-License-Identifier: MIT */
// A source with made-up data, the same each time: two GPUs, one process with two threads, eight
// iterations, 20,000 events. For tests: only their pages have it, see tests/support/browser.sh.

import {EmbeddedSource} from '../../web/data/embedded.js';
import {Lane} from '../../web/data/lane.js';
import {NO_PARENT} from '../../web/data/links.js';
import {categoriesOf} from '../../web/data/source.js';

const GPUS = 2;
const ITERATIONS = 8;
const LAYERS = 24;
const FIRST = 2_000_000; // ns
const PERIOD = 12_000_000;
const KERNELS = [
	['sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_kernel', 0, 45_000],
	['flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>', 1, 60_000],
	['void at::native::vectorized_elementwise_kernel<4, gelu>(int)', 2, 6_000],
	['triton_poi_fused_add_12', 5, 4_000],
	['layer_norm_kernel<bf16>', 2, 5_000],
];
const ALL_REDUCE = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)';
const CAUSES = ['exposed_comm', 'exposed_copy', 'managed', 'unknown', 'profiler', 'dispatch', 'dependency',
	'launch', 'latency', 'sync', 'mpi', 'alloc', 'load', 'api', 'os', 'host'];
const GLYPHS = '#~u?%.>!l=pmjaoh';
const HEATS = [['#EDF0F3', '#20262E'], ['#FCDDBF', '#4F2E16'], ['#F9B77C', '#824413'],
	['#E98534', '#BD6118'], ['#B84E0B', '#F0924A'], ['#6B2103', '#FFD9B0']];
const COLOURS = [['gemm', '#0072B2'], ['attention', '#E69F00'], ['norm', '#009E73'],
	['comm', '#D55E00'], ['copy', '#F0E442'], ['other', '#56B4E9'], ['host', '#CC79A7'],
	['neutral', '#4C566A', '#C8CED8']];
const CLASSES = ['compute', 'exposed_comm', 'exposed_copy'];
const WORDS = [['gemm', 0], ['attention', 1], ['norm', 2], ['communication', 3], ['memory', 4],
	['triton', 5]];
const COMM = 3, COPY = 4, HOST = 6, NEUTRAL = 7;

/** Numbers in [0, n) that are the same each time. */
function dice(seed) {
	let state = seed;

	return (n) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor(state / 2 ** 32 * n);
	};
}

/** Texts with categories, each pair one number. */
class FakeNames {
	constructor() {
		this.pairs = [];
		this.known = new Map();
	}

	number(text, category) {
		const key = `${category} ${text}`;

		if (!this.known.has(key)) {
			this.known.set(key, this.pairs.length);
			this.pairs.push([text, category]);
		}
		return this.known.get(key);
	}

	get count() {
		return this.pairs.length;
	}

	text(n) {
		return this.pairs[n][0];
	}

	/** Here each colour of operations has one category. */
	word(n) {
		return this.pairs[n][1] < WORDS.length && !CLASSES.includes(this.pairs[n][0]) ? this.pairs[n][1] : -1;
	}

	/** Here all numbers of ranges only count. */
	label(n) {
		const [text, category] = this.pairs[n];

		return category === NEUTRAL ? text.replace(/\d+/g, '#') : text;
	}

	category(n) {
		return this.pairs[n][1];
	}
}

/** Events of a row that is being made: of each lane [start, end, text, category, ref, launch]. */
class FakeRow {
	constructor(row, lanes) {
		this.row = {
			parent: -1, trace: 0, device: -1, process: -1, thread: -1, stream: -1,
			...row,
		};
		this.lanes = Array.from({length: lanes}, () => []);
	}
}

class FakeTrace {
	constructor() {
		this.random = dice(1);
		this.names = new FakeNames();
		this.rows = [];
		this.refs = {op: 0, api: 0, nvtx: 0};
		for (let device = 0; device < GPUS; device++)
			this.#addGpu(device);
		this.#addProcess();
		for (let it = 0; it < ITERATIONS; it++) {
			for (let device = 0; device < GPUS; device++)
				this.#addIteration(device, it, FIRST + it * PERIOD);
		}
		for (let device = 0; device < GPUS; device++)
			this.#account(device);
	}

	#add(row, lanes) {
		this.rows.push(new FakeRow(row, lanes));
		return this.rows.length - 1;
	}

	#addGpu(device) {
		const label = `GPU ${device} rank ${device}`;
		const parent = this.#add({kind: 'gpu', device, label, brief: `G${device}`}, 1);
		const of = {parent, device, process: 0};
		const stream = (number, role, brief) => this.#add({...of, kind: 'stream', stream: number,
			label: `Stream ${number} ${role}`, brief}, 1);

		this.#add({...of, kind: 'iterations', label: 'Iterations', brief: 'it'}, 1);
		this.#add({...of, kind: 'nvtx-gpu', thread: device, brief: 'NVTX',
			label: `NVTX of ${4000 + device}`}, 3);
		stream(7, 'compute', 'S7');
		stream(20, 'NCCL *', 'S20*');
		stream(14, 'copy', 'S14');
		this.#add({...of, kind: 'gaps', label: 'Gaps', brief: 'gaps'}, 1);
	}

	#addProcess() {
		const parent = this.#add({kind: 'process', process: 0, label: 'Process 4000 python',
			brief: 'P 4000'}, 0);

		for (let thread = 0; thread < GPUS; thread++) {
			const of = {parent, process: 0, thread};

			this.#add({...of, kind: 'nvtx', label: `NVTX ${4000 + thread} python`,
				brief: `NVTX ${4000 + thread}`}, 3);
			this.#add({...of, kind: 'api', label: `API ${4000 + thread} python`,
				brief: `API ${4000 + thread}`}, 1);
		}
	}

	#find(kind, key, value, stream = -1) {
		return this.rows.find(({row}) => row.kind === kind && row[key] === value &&
			(stream === -1 || row.stream === stream));
	}

	/** A call that launches an operation; the later of when both are ready. */
	#launch(device, stream, host, call, operation) {
		const [text, category, dur] = operation;
		const lane = this.#find('stream', 'device', device, stream).lanes[0];
		const api = this.#find('api', 'thread', device).lanes[0];
		const took = 2_000 + this.random(2_000);
		const ready = Math.max(host + 3_000, lane.length ? lane.at(-1)[1] + 1_000 : 0);
		const end = ready + Math.round(dur * (0.9 + this.random(200) / 1000));

		api.push([host, host + took, call, HOST, this.refs.api]);
		lane.push([ready, end, text, category, this.refs.op++, this.refs.api++]);
		return {host: host + took + 500, begin: ready, end};
	}

	/** A range on the thread and where its work lies on the GPU; returns its ref. */
	#range(device, depth, text, host, gpu, parent) {
		const ref = this.refs.nvtx++;

		const push = (row, times) =>
			row.lanes[depth].push([...times, text, NEUTRAL, ref, parent]);

		push(this.#find('nvtx', 'thread', device), host);
		push(this.#find('nvtx-gpu', 'device', device), gpu);
		return ref;
	}

	#addIteration(device, it, begin) {
		const iterations = this.#find('iterations', 'device', device).lanes[0];
		let host = begin + this.random(20_000);
		const ranges = [];
		let first = Infinity, last = 0;

		iterations.push([begin, begin + PERIOD, `iteration ${it}`, NEUTRAL, it]);
		host = this.#launch(device, 14, host, 'cudaMemcpyAsync',
			['[HtoD copy]', COPY, 300_000]).host;
		for (let layer = 0; layer < LAYERS; layer++) {
			const hostBegin = host;
			let gpuBegin = Infinity, gpuEnd = 0;

			for (let k = 0; k < 24; k++) {
				const op = k === 11 ? KERNELS[1] : KERNELS[[0, 2, 3, 4][k % 4]];
				const done = this.#launch(device, 7, host, 'cudaLaunchKernel', op);

				host = done.host;
				gpuBegin = Math.min(gpuBegin, done.begin);
				gpuEnd = done.end;
			}
			if (layer % 4 === 3) {
				const op = [ALL_REDUCE, COMM, 260_000 + 200_000 * device];

				host = Math.max(host, gpuEnd - 400_000);
				host = this.#launch(device, 20, host, 'cudaLaunchKernelExC', op).host;
			}
			ranges.push([2, `layer ${layer}`, [hostBegin, host], [gpuBegin, gpuEnd]]);
			first = Math.min(first, gpuBegin);
			last = Math.max(last, gpuEnd);
		}
		const step = this.#range(device, 0, `iteration ${it}`, [begin, host], [first, last],
			NO_PARENT);
		const forward = this.#range(device, 1, 'forward', [begin + 1, host], [first, last], step);
		for (const range of ranges)
			this.#range(device, ...range, forward);
	}

	/** The GPU's time by class, and what compute waited for. */
	#account(device) {
		const gpu = this.#find('gpu', 'device', device).lanes[0];
		const gaps = this.#find('gaps', 'device', device).lanes[0];
		const lanes = [7, 20, 14].map((stream) =>
			this.#find('stream', 'device', device, stream).lanes[0]);
		const borders = new Set(lanes.flat().flatMap(([start, end]) => [start, end]));
		const times = [...borders].sort((x, y) => x - y);
		const at = [0, 0, 0];

		for (let i = 0; i + 1 < times.length; i++) {
			const [a, b] = [times[i], times[i + 1]];
			const classes = lanes.map((lane, c) => {
				while (at[c] < lane.length && lane[at[c]][1] <= a)
					at[c]++;
				return at[c] < lane.length && lane[at[c]][0] <= a;
			});
			const owner = classes.indexOf(true);

			if (owner >= 0)
				gpu.push([a, b, CLASSES[owner], owner, 0]);
			if (owner !== 0) {
				const idle = b - a < 5_000 ? 4 : 6 + 2 * this.random(2);
				const cause = owner > 0 ? owner - 1 : idle;

				gaps.push([a, b, CAUSES[cause], cause, cause]);
			}
		}
	}

	/** Lanes of typed arrays; adds launches to those of streams. */
	lanesFor(head) {
		return this.rows.flatMap(({row, lanes}) => lanes.map((events) => {
			const lane = /** @type {import('../../web/types.js').Lane} */ (new Lane({
				start: Float64Array.from(events, (e) => e[0]),
				dur: Float64Array.from(events, (e) => e[1] - e[0]),
				name: Uint32Array.from(events,
					([, , text, category]) => this.names.number(text, category)),
				cat: Uint8Array.from(events, (e) => e[3]),
				ref: Uint32Array.from(events, (e) => e[4]),
			}, categoriesOf(head, row)));

			if (row.kind === 'stream') {
				lane.launch = Uint32Array.from(events, (e) => e[5]);
				lane.config = lane.cat.map((cat) => cat === COPY ? 0 : 1);
				lane.bytes = Float64Array.from(lane.cat, (cat) => cat === COPY ? 4e6 : 0);
			}
			if (row.kind.startsWith('nvtx')) {
				lane.parent = Uint32Array.from(events, (e) => e[5]);
				lane.span = new Uint8Array(events.length);
			}
			return lane;
		}));
	}
}

/** @returns {any} the head of docs/web.md, as far as tests ask */
function fakeHead(trace) {
	const end = FIRST + ITERATIONS * PERIOD + 2_000_000;
	const iterations = Array.from({length: ITERATIONS}, (_, i) =>
		[FIRST + i * PERIOD, FIRST + (i + 1) * PERIOD]);
	const finding = (code, title, text, row, it) => ({
		trace: 0, code, severity: 'low', claim: title, title: `Look at ${code}`, text,
		beyond: text, evidence: 'warplens overlap fake.sqlite',
		lines: [['How', 'Overlap it.'], ['PyTorch', 'overlap_grad_reduce']], row,
		begin: iterations[it][0], end: iterations[it][1], saving: 1_500_000, replayed: 1_400_000,
		fixing: 'fixing this saves 1.40 ms of 40 ms (3.5% of the run, ± 0.02 ms, replayed)', share: 0.04, saves_share: 0.035, saves_kind: 'prediction', saves_about: false,
	});

	return {
		format: 1,
		program: 'warplens 0.1.0',
		traces: [{
			label: 'fake.sqlite', files: 0, origin: '1700000000000000000', begin: 0, end,
			window: null,
			facts: [['nsys', '2025.5'], ['GPUs', '2x H100'],
				['command', 'python train.py']],
			notes: ['This trace is made up.'], coverage: {}, work: [FIRST, end - 2_000_000],
			headline: {
				steps: {count: ITERATIONS, median: PERIOD, least: PERIOD, most: PERIOD,
					what: 'NVTX range `iteration #`', guess: false, lengths: []},
				parts: [['compute', PERIOD * 0.9, 0.9], ['exposed_comm', PERIOD * 0.04, 0.04],
					['host', PERIOD * 0.06, 0.06]],
			},
			lateness: {
				first: 0, last: ITERATIONS - 1, columns: ITERATIONS, perRow: 1, perColumn: 1,
				pace: 200_000, inks: [0, 1, 3, 4, 5], subjects: [[0, 0], [1, 1]],
				ns: Array.from({length: 2 * ITERATIONS}, (_, i) =>
					(i === ITERATIONS + 3 ? 900_000 : i * 1_000)), which: null,
			},
		}],
		categories: COLOURS.map(([key, light, dark = light]) => ({key, light, dark})),
		heats: HEATS.map(([light, dark]) => ({light, dark})),
		words: WORDS.map(([key, colour]) => ({key, colour})),
		causes: CAUSES.map((key, i) => ({key, glyph: GLYPHS[i],
			colour: [COMM, COPY][i] ??
				('!=mjaoh'.includes(GLYPHS[i]) ? HOST : NEUTRAL)})),
		classes: [[CLASSES[0], 0], [CLASSES[1], COMM], [CLASSES[2], COPY]].map(([key, colour]) =>
			({key, colour})),
		rows: trace.rows.map(({row, lanes}) => {
			const events = lanes.flat();

			return {...row, events: events.length,
				busy: (lanes[0] ?? []).reduce((sum, e) => sum + e[1] - e[0], 0)};
		}),
		lanes: trace.rows.flatMap(({lanes}, i) =>
			lanes.map((events) => [i, events.length])),
		processes: [{trace: 0, pid: 4000, rank: 0, name: 'python', anchor: 0, iterations,
			hosts: iterations, marked: 0, first: 0, steady: 1,
			method: 'NVTX "iteration"'}],
		devices: Array.from({length: GPUS}, (_, i) =>
			({trace: 0, label: `GPU ${i}`, process: 0})),
		findings: [
			finding('exposed-comm', 'AllReduce is not hidden',
				'Communication that nothing hides takes 4.0% of the time.', 4, 2),
			finding('launch-bound', 'The GPU waits for launches',
				'1.5 ms per iteration.', 6, 3),
			finding('outlier', 'Iteration 5 is longer than others', 'By 12%.', 1, 5),
		],
		templates: [],
		functions: [],
		configs: [[132, 1, 1, 256, 1, 1, 168, 0, 49_152]],
		data: null,
		pyramid: null,
		limits: {banner: null},
		redacted: false,
	};
}

/** A new source of the made-up trace. */
export function fakeSource() {
	const trace = new FakeTrace();
	const head = fakeHead(trace);

	return new EmbeddedSource(head, trace.lanesFor(head), trace.names);
}
