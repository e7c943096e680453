/* SPDX-License-Identifier: MIT */
/*
 * comparison.js - what `warplens diff` found of two traces, head.compare of docs/web.md, made ready
 * to be shown: pure functions, numbers in ns.
 */
/** @import {Compare, Head, Table} from '../types.js' */

/** Parts of the waterfall beyond these, and those below this share of all change, are "other". */
const WATERFALL_PARTS = 7;
const WATERFALL_LEAST = 0.02;
/** Kernels that both traces have should take at least this share of the time of kernels. */
const MATCHED_ENOUGH = 0.9;
/** Fewer steps than these say little. */
const STEPS_ENOUGH = 5;
/** Facts of a capture that explain a difference by themselves. */
const TELLING_FACTS = ['driver', 'system', 'exported by nsys'];

/** A table of the comparison by its name; undefined where there is none. */
export function comparedTable(compare, name) {
	return compare.tables?.find((table) => table.name === name);
}

/** The rows of a table as objects by key; none of no table. */
export function recordsOf(table) {
	return (table?.rows ?? []).map((row) =>
		Object.fromEntries(table.columns.map(({key}, i) => [key, row[i]])));
}

/** A change in words and signs, never by colour alone: ▼ is shorter, which is faster. */
export function changeSign(change) {
	return change === 0 ? '=' : change < 0 ? '▼' : '▲';
}

/**
 * The sign before a state or verdict of a table; empty for words that need none.
 * @param {string|null} state
 */
export function stateSign(state) {
	return {faster: '▼', slower: '▲', same: '=', new: '+', removed: '−', renamed: '≈',
		inconclusive: '?', incomparable: '?'}[state ?? ''] ?? '';
}

/** What stands before the line of a comparison: a sign, and the side that it speaks of. */
export function verdictWord({verdict}) {
	if (verdict === null)
		return '⚠ not judged, ';
	return `${stateSign(verdict)} ${/^(faster|slower)$/.test(verdict) ? 'B is ' : ''}`;
}

/**
 * The verdict as a large number, "▼ 8.4%"; empty where nothing was judged.
 * @param {Compare} compare
 */
export function verdictNumber(compare) {
	const step = recordsOf(comparedTable(compare, 'verdict')).find(({metric}) => metric === 'step');
	const isJudged = /^(faster|slower|same)$/.test(compare.verdict ?? '');

	if (!isJudged || typeof step?.change_ratio !== 'number')
		return '';
	return `${stateSign(compare.verdict)} ${(100 * Math.abs(step.change_ratio)).toFixed(1)}%`;
}

/** Titles of columns of both sides, as this page calls them. */
const SIDE_TITLES = {before: 'A', after: 'B', calls_before: 'Calls A', calls_after: 'Calls B',
	gpu_before: 'GPU A', gpu_after: 'GPU B', n_before: 'Steps A', n_after: 'Steps B',
	left_out_before: 'Left out A', left_out_after: 'Left out B', pid_before: 'PID A', pid_after: 'PID B',
	compute_before: 'Compute A', compute_after: 'Compute B', exposed_comm_before: 'Exposed comm A',
	exposed_comm_after: 'Exposed comm B'};
const PER_STEP = new Set(['before', 'after', 'calls_before', 'calls_after']);

/**
 * A table of head.compare in the words of the page: A and B, per what; without columns that are empty.
 * @template {Table & {name: string}} T
 * @param {T} table
 * @param {string} extent  step or window
 */
export function sidedTable(table, extent) {
	const kept = table.columns.map((_, i) => i).filter((i) => i === 0 || table.rows.length === 0 ||
		table.rows.some((row) => row[i] !== null && row[i] !== undefined));
	const per = extent === 'step' && table.name !== 'verdict' ? ' per step' : '';
	const title = ({key, title: usual}) => (SIDE_TITLES[key] ?
		`${SIDE_TITLES[key]}${PER_STEP.has(key) ? per : ''}` : key === 'change_ratio' ? 'Change %' : usual);

	return {...table, columns: kept.map((i) => ({...table.columns[i], title: title(table.columns[i])})),
		rows: table.rows.map((row) => kept.map((i) => row[i]))};
}

/**
 * The mean step of A, what changed, and that of B, which is the sum of all the others.
 * @param {Table|undefined} budget  the table of that name
 * @returns {{from: number, to: number, parts: {name: string, kind?: string, change: number}[]}|null} parts: the
 *     largest first, the small ones as one, "other"; those without change are left out. Null
 *     without a table.
 */
export function waterfallOf(budget) {
	if (!budget)
		return null;
	const records = recordsOf(budget);
	const sum = (values) => values.reduce((all, value) => all + value, 0);
	const changed = records.filter(({change}) => change !== 0)
		.sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
	const least = WATERFALL_LEAST * sum(changed.map(({change}) => Math.abs(change)));
	const shown = changed.slice(0, WATERFALL_PARTS)
		.filter(({change}) => Math.abs(change) >= least);
	const rest = changed.slice(shown.length);
	/** @type {{name: string, kind?: string, change: number}[]} */
	const parts = shown.map(({part, kind, change}) => ({name: part.replaceAll('_', ' '), kind, change}));

	if (rest.length > 0)
		parts.push({name: rest.length === 1 ? rest[0].part.replaceAll('_', ' ') : 'other',
			change: sum(rest.map(({change}) => change))});
	return {from: sum(records.map(({before}) => before)), to: sum(records.map(({after}) => after)),
		parts};
}

/**
 * Where the bars of a waterfall lie; change is null of both totals.
 * @returns {{name: string, kind?: string, low: number, high: number, change: ?number}[]}
 */
export function waterfallBars({from, to, parts}) {
	const bars = [{name: 'A', low: 0, high: from, change: null}];
	let level = from;

	for (const {name, kind, change} of parts) {
		const next = level + change;

		bars.push({name, kind, low: Math.min(level, next), high: Math.max(level, next), change});
		level = next;
	}
	return [...bars, {name: 'B', low: 0, high: to, change: null}];
}

/**
 * The levels between which bars are drawn: {bottom, top}. It begins near the lowest level, because
 * changes are small against the whole, or at 0 where nothing changed.
 */
export function waterfallScale(bars) {
	const levels = bars.flatMap(({low, high, change}) => (change === null ? [high] : [low, high]));
	const lowest = Math.min(...levels), top = Math.max(...levels);

	return {bottom: top > lowest ? Math.max(0, lowest - (top - lowest) * 0.25) : 0, top};
}

/** The GPUs of a capture, as its facts name them: "8 x NVIDIA H100". */
function gpusOf(trace) {
	const counts = new Map();

	for (const [label, name] of trace.facts)
		if (/^GPU \d+$/.test(label))
			counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].sort(([x], [y]) => (x < y ? -1 : 1))
		.map(([name, n]) => (n > 1 ? `${n} x ${name}` : name)).join(', ');
}

function checkGpus(traces) {
	const [first, second] = traces.map(gpusOf);

	if (!first || !second)
		return {ok: false, text: 'which GPUs is not known'};
	return first === second ? {ok: true, text: 'same GPUs', more: first}
		: {ok: false, text: `GPUs differ: ${first} ⇄ ${second}`};
}

function checkSteps(compare) {
	const step = recordsOf(comparedTable(compare, 'verdict'))
		.find(({metric}) => metric === 'step');

	if (!step)
		return {ok: false, text: 'no iterations on both sides: windows are compared'};
	const of = (n, left) => `${n}/${n + (left ?? 0)}`;
	const counts = [of(step.n_before, step.left_out_before), of(step.n_after, step.left_out_after)];

	return {ok: Math.min(step.n_before, step.n_after) >= STEPS_ENOUGH,
		text: `${counts.join(' ⇄ ')} iterations`,
		more: 'The first, the last and those that stand out are left out.'};
}

/* The share of the time of kernels, of both sides together, whose kernels both have. */
function checkKernels(compare) {
	const table = comparedTable(compare, 'kernels');
	let matched = 0, all = 0;

	for (const {state, before, after} of recordsOf(table)) {
		all += before + after;
		if (state !== 'new' && state !== 'removed')
			matched += before + after;
	}
	if (all === 0)
		return {ok: false, text: 'no kernels to match'};
	const rows = table.total > table.rows.length
		? `Of the ${table.rows.length} kernels that changed most of ${table.total}.` : '';

	return {ok: matched / all >= MATCHED_ENOUGH, more: rows,
		text: `kernels of ${Math.floor(100 * matched / all)}% of the time matched`};
}

function checkFacts(traces) {
	const [first, second] = traces.map(({facts}) => new Map(facts));

	return TELLING_FACTS.filter((label) => first.get(label) !== second.get(label))
		.map((label) => ({ok: false, text: `${label} differs`,
			more: `${first.get(label) ?? 'not known'} ⇄ ${second.get(label) ?? 'not known'}`}));
}

/**
 * Whether two traces can be compared: what holds and what does not.
 * @param {Head} head  with compare
 * @returns {{ok: boolean, text: string, more?: string}[]}
 */
export function comparableChecks({traces, compare}) {
	return [checkGpus(traces), checkSteps(compare), checkKernels(compare), ...checkFacts(traces)];
}
