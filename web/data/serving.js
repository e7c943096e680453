/* SPDX-License-Identifier: MIT */
/*
 * serving.js - steps of a serving engine: which are prefill and which decode, how long a token takes, and where the time of
 * decodes goes. Kinds, periods and idle time are those of `warplens iters`.
 */
import {accountRows, gpuAccount} from './account.js';
import {isProjectionKind} from './kinds.js';
import {percentile} from './stats.js';
/** @import {Head, Source} from '../types.js' */

const SERVING_EVENTS = 200_000;
/** So many names of ranges can be chosen. */
const STEP_LABELS = 100;
const KIND_NAMES = ['', 'prefill', 'decode', 'mixed'];

/**
 * A step of a serving engine.
 * @typedef {{number: number, begin: number, end: number, kind: string, hasPeriod: boolean}} ServingStep
 * What lengths in ns are like.
 * @typedef {{n: number, sum: number, p50: number, p99: number, least: number, most: number}} Spread
 */

/** Whether steps of a page are known to be prefills and decodes, or have two clear lengths. */
export function isServing({processes, traces}) {
	return processes.some(({kinds}) => kinds?.length) || traces.some(({headline}) => headline?.steps?.lengths?.length);
}

/**
 * The steps that a GPU follows, with their kinds.
 * @param {Head} head
 * @returns {ServingStep[]} ns; kind '' where it is
 *     not known; the last step of a trace has no period
 */
export function servingSteps(head, device) {
	const process = head.processes[head.devices[device]?.process];

	return (process?.iterations ?? []).map(([begin, end], i, {length}) => ({number: process.first + i, begin, end,
		kind: KIND_NAMES[process.kinds?.[i]] ?? '', hasPeriod: i + 1 < length}));
}

/** The same steps, prefills where they take at least so long (ns). */
export function stepsByLength(steps, least) {
	return steps.map((step) => ({...step, kind: step.end - step.begin >= least ? 'prefill' : 'decode'}));
}

/**
 * From where on steps are prefills: between the two lengths of steps, else twice the median.
 * @param {Head} head
 */
export function usualLimit(head, steps) {
	const [shorter, longer] = head.traces[0].headline?.steps?.lengths ?? [];
	const lengths = steps.map(({begin, end}) => end - begin).sort((x, y) => x - y);

	return longer ? Math.round(Math.sqrt(shorter[1] * longer[1])) : 2 * (percentile(lengths, 50) ?? 0);
}

/**
 * Where the work of NVTX ranges of the process of a GPU begins, by ref: {label, begin, end}, in order.
 * @param {Source} source
 */
async function rangesOfProcess(source, device) {
	const {rows, devices, traces} = source.head;
	const {process, trace} = devices[device];
	const own = rows.flatMap((row, id) => (isProjectionKind(row.kind) && row.device >= 0 &&
		devices[row.device].process === process && devices[row.device].trace === trace ? [id] : []));
	const found = new Map();

	for (const id of own) {
		const events = await source.events(id, traces[trace].begin, traces[trace].end + 1, SERVING_EVENTS);

		for (let i = 0; i < events.n; i++) {
			const known = found.get(events.ref[i]);
			const end = events.start[i] + events.dur[i];

			found.set(events.ref[i], {label: known?.label ?? source.nameLabel(events.name[i]),
				begin: Math.min(known?.begin ?? Infinity, events.start[i]), end: Math.max(known?.end ?? 0, end)});
		}
	}
	return [...found.values()].sort((x, y) => x.begin - y.begin);
}

/**
 * Names of ranges that can be steps, and how many there are of each: [[label, count]...], the most first.
 * @param {Source} source
 */
export async function stepLabels(source, device) {
	const counts = new Map();

	for (const {label} of await rangesOfProcess(source, device))
		counts.set(label, (counts.get(label) ?? 0) + 1);
	return [...counts].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)).slice(0, STEP_LABELS);
}

/**
 * Steps that begin with the first operation of each range of one of two names, as `iters --marker` has them.
 * @param {Source} source
 * @param {number} device
 * @param {string} decode  the label of ranges that are decodes; prefill that of prefills, '' for none
 * @returns {Promise<ServingStep[]>} as servingSteps()
 */
export async function stepsByLabel(source, device, decode, prefill) {
	const ranges = (await rangesOfProcess(source, device)).filter(({label}) => label === decode || label === prefill);

	return ranges.map(({label, begin, end}, i) => ({number: i, begin, end: ranges[i + 1]?.begin ?? end,
		kind: label === decode ? 'decode' : 'prefill', hasPeriod: i + 1 < ranges.length}));
}

/** Count, sum, p50 and p99 of lengths in ns; medians are nearest rank, as everywhere. */
function spreadOf(lengths) {
	const sorted = [...lengths].sort((x, y) => x - y);

	return {n: sorted.length, sum: sorted.reduce((sum, ns) => sum + ns, 0), p50: percentile(sorted, 50) ?? 0,
		p99: percentile(sorted, 99) ?? 0, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0};
}

const isToken = ({kind}) => kind === 'decode' || kind === 'mixed';

/**
 * What is said of steps.
 * @param {ServingStep[]} steps
 * @returns {{kinds: {kind: string, n: number, spread: Spread}[], tokens: {step: ServingStep, own: number, between: number}[],
 *     tpot: Spread}} per kind the number of its steps and the spread of their periods; by decode the time to the next
 *     one: its own period, and that of prefills between; tpot is the spread of the two together
 */
export function servingOf(steps) {
	const decodes = steps.filter(isToken);
	const tokens = decodes.slice(0, -1).map((step, i) => ({step, own: step.end - step.begin,
		between: decodes[i + 1].begin - step.end}));
	const kinds = ['decode', 'prefill', 'mixed'].map((kind) => {
		const own = steps.filter((step) => step.kind === kind);

		return {kind, n: own.length, spread: spreadOf(own.filter(({hasPeriod}) => hasPeriod)
			.map(({begin, end}) => end - begin))};
	}).filter(({n}) => n > 0);

	return {kinds, tokens, tpot: spreadOf(tokens.map(({own, between}) => own + between))};
}

/**
 * Lengths as a histogram: equal bins up to p99, and the last one for all that is longer.
 * @template {{ns: number}} T
 * @param {T[]} items
 * @param {number} bins
 * @returns {{from: number, to: number, items: T[]}[]} of the last bin, to is the longest
 */
export function histogramOf(items, bins) {
	const {least, p99, most} = spreadOf(items.map(({ns}) => ns));
	const wide = Math.max(1, Math.ceil((p99 + 1 - least) / bins));
	const made = Array.from({length: bins}, (_, i) => ({from: least + i * wide, to: least + (i + 1) * wide,
		items: /** @type {T[]} */ ([])}));

	if (most >= made[bins - 1].to)
		made.push({from: made[bins - 1].to, to: most + 1, items: []});
	for (const item of items)
		made[Math.min(made.length - 1, Math.floor((item.ns - least) / wide))].items.push(item);
	return made;
}

/**
 * Sums by category of what a row has in steps, in order, that do not overlap; and where the longest piece is.
 * @param {Source} source
 */
async function sumsInSteps(source, rowId, steps, keys) {
	const sums = new Map();

	if (rowId < 0 || !steps.length)
		return {sums, truncated: false};
	const events = await source.events(rowId, steps[0].begin, steps.at(-1).end, SERVING_EVENTS);
	let at = 0;

	for (let i = 0; i < events.n; i++) {
		const begin = events.start[i], end = begin + events.dur[i];
		const {key} = keys[source.nameCategory(events.name[i])];

		while (at < steps.length && steps[at].end <= begin)
			at++;
		for (let k = at; k < steps.length && steps[k].begin < end; k++) {
			const piece = {a: Math.max(begin, steps[k].begin), b: Math.min(end, steps[k].end)};
			const known = sums.get(key) ?? {ns: 0, a: 0, b: 0};

			sums.set(key, {...(piece.b - piece.a > known.b - known.a ? piece : known), ns: known.ns + piece.b - piece.a});
		}
	}
	return {sums, truncated: events.truncated};
}

/**
 * Where the time of steps goes on a GPU.
 * @param {Source} source
 * @returns {Promise<{parts: {key: string, colour: number, ns: number, idle: boolean, longest: ?{a: number, b: number}}[],
 *     truncated: boolean}>} as gpuAccount(), all steps together
 */
export async function accountOfSteps(source, device, steps) {
	const {head} = source;
	const rows = accountRows(head, device);
	const [busy, idle] = await Promise.all([sumsInSteps(source, rows.gpu, steps, head.classes),
		sumsInSteps(source, rows.gaps, steps, head.causes)]);
	const tableOf = ({sums}) => ({columns: [{key: 'key'}, {key: 'sum'}], rows: [...sums].map(([key, {ns}]) => [key, ns])});
	const span = steps.reduce((sum, {begin, end}) => sum + end - begin, 0);

	return {truncated: busy.truncated || idle.truncated,
		parts: gpuAccount(head, span, tableOf(busy), rows.gaps < 0 ? null : tableOf(idle)).map((part) =>
			({...part, longest: (part.idle ? idle : busy).sums.get(part.key) ?? null}))};
}
