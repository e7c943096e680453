/* SPDX-License-Identifier: MIT */
// Statistics of a range, as `warplens kernels --window` has them: an event counts with its part in
// the range, percentiles are nearest-rank.

import {NO_EVENT} from './lane.js';
import {rangeNames} from './links.js';
import {CAUSE_ROWS, CLASS_ROWS} from './source.js';
/** @import {Head, LaneSource} from '../types.js' */

/** A table that a page shows has at most so many rows. */
export const MAX_ROWS = 2000;

const STATS_COLUMNS = [
	['count', 'Count', 'count'], ['sum', 'Sum', 'duration'], ['union', 'Union', 'duration'],
	['avg', 'Avg', 'duration'], ['p50', 'P50', 'duration'], ['p99', 'P99', 'duration'],
	['share', 'Of range', 'ratio'],
];
/** Behind the columns of statistics by name: what screens call a kernel, null where that is its name. */
const LABEL_COLUMN = ['label', 'Label', 'string'];
const GROUP_TITLES = {name: 'Name', category: 'Category', nvtx: 'NVTX range', stream: 'Row'};
const MAX_CATEGORIES = 16;

/** The columns of a table from triples of key, title and type. */
export function tableColumns(triples) {
	return triples.map(([key, title, type]) => ({key, title, type}));
}

/** A table of all rows or, where they are too many, the first. */
export function tableOf(triples, rows) {
	return {
		columns: tableColumns(triples),
		rows: rows.slice(0, MAX_ROWS),
		total: rows.length,
		truncated: rows.length > MAX_ROWS,
	};
}

/** Codes of categories: those of colours, causes and classes, then those of operations. */
const FIRST_WORD = 3 * MAX_CATEGORIES;

/**
 * Per operation of a lane of a stream: the code of its category. Linear, once.
 * @param {LaneSource} source
 */
function wordCodes(source, lane) {
	lane.wordCodes ??= Uint8Array.from(lane.name, (name, i) => {
		const word = source.nameWord(name);

		return word < 0 ? lane.cat[i] : FIRST_WORD + word;
	});
	return lane.wordCodes;
}

/**
 * By row kind, the keys of its categories.
 * @param {Head} head
 */
function categoryKeys(head, kind) {
	const list = kind === CAUSE_ROWS ? head.causes
		: kind === CLASS_ROWS ? head.classes : head.categories;

	return list.map(({key}) => key);
}

/**
 * "GPU 0 rank 0 / Stream 7 compute"
 * @param {Head} head
 */
function fullLabel(head, row) {
	return row.parent < 0 ? row.label : `${head.rows[row.parent].label} / ${row.label}`;
}

/**
 * What screens call an operation; null where that is its name.
 * @param {LaneSource} source
 */
function labelOf(source, name) {
	const label = source.nameWord(name) >= 0 ? source.nameLabel(name) : null;

	return label === source.nameText(name) ? null : label;
}

/**
 * What events are grouped by. Each has a code of at least -1 and below size: what codes(rowId,
 * lane) has of it in values, none for 0, plus offset. text is of a code; label, by name, too.
 * @param {LaneSource} source
 */
function groupingBy(source, by) {
	const {head} = source;
	const kinds = [null, CAUSE_ROWS, CLASS_ROWS];

	switch (by) {
	case 'name':
		return {
			size: source.names.count,
			codes: (rowId, lane) => ({values: lane.name, offset: 0}),
			text: (code) => source.nameText(code),
			label: (code) => labelOf(source, code),
		};
	case 'nvtx':
		return {
			size: source.names.count,
			codes: (rowId, lane) => ({values: rangeNames(source, rowId, lane), offset: 0}),
			text: (code) => code === NO_EVENT ? '(none)' : source.nameText(code),
		};
	case 'category':
		return {
			size: kinds.length * MAX_CATEGORIES + (head.words?.length ?? 0),
			codes: (rowId, lane) => {
				if (head.rows[rowId].kind === 'stream')
					return {values: wordCodes(source, lane), offset: 0};
				const kind = Math.max(0, kinds.indexOf(head.rows[rowId].kind));

				return {values: lane.cat, offset: kind * MAX_CATEGORIES};
			},
			text: (code) => {
				if (code >= FIRST_WORD)
					return head.words[code - FIRST_WORD].key;
				const kind = kinds[Math.floor(code / MAX_CATEGORIES)];

				return categoryKeys(head, kind)[code % MAX_CATEGORIES];
			},
		};
	case 'stream':
		return {
			size: head.rows.length,
			codes: (rowId) => ({values: null, offset: rowId}),
			text: (code) => fullLabel(head, head.rows[code]),
		};
	default:
		throw new Error(`no statistics by ${by}`);
	}
}

/** Per event in the range, lane by lane: its group. Groups are numbered as they come. */
class Gathered {
	/** @param {LaneSource} source */
	constructor(source, a, b, rowIds, by) {
		const {size, codes, text, label} = groupingBy(source, by);

		this.text = text;
		this.label = label;
		this.parts = [];
		this.codes = []; // by group
		this.counts = [];
		this.numbers = new Int32Array(size + 1).fill(-1); // by 1 + code: its group
		for (const rowId of rowIds) {
			if (by === 'nvtx' && source.head.rows[rowId].kind !== 'stream')
				continue;
			for (const lane of source.lanesOf[rowId])
				this.#take(lane, lane.touching(a, b), codes(rowId, lane));
		}
	}

	#take(lane, {first, end}, {values, offset}) {
		const {numbers, counts} = this;
		const group = new Uint32Array(end - first);

		for (let i = first; i < end; i++) {
			const code = offset + (values ? values[i] : 0);
			let number = numbers[code + 1];

			if (number < 0) {
				number = this.codes.push(code) - 1;
				numbers[code + 1] = number;
				counts.push(0);
			}
			group[i - first] = number;
			counts[number]++;
		}
		this.parts.push({lane, first, group});
	}

	/** Begins and lengths of the parts in [a, b), group by group: {start, length, bound}. */
	layOut(a, b) {
		const bound = [0];
		for (const count of this.counts)
			bound.push(bound.at(-1) + count);
		const n = bound[bound.length - 1];
		const start = new Float64Array(n);
		const length = new Float64Array(n);
		const next = bound.slice();

		for (const {lane, first, group} of this.parts) {
			for (let k = 0; k < group.length; k++) {
				const begin = Math.max(a, lane.start[first + k]);
				const at = next[group[k]]++;

				start[at] = begin;
				length[at] = Math.min(b, lane.end(first + k)) - begin;
			}
		}
		return {start, length, bound};
	}
}

function isAscending(values) {
	for (let i = 1; i < values.length; i++) {
		if (values[i] < values[i - 1])
			return false;
	}
	return true;
}

/**
 * The time that at least one of the intervals covers: some are under way between the borders. Sorts start, a
 * Float64Array.
 */
export function unionOf(start, length) {
	const n = start.length;
	let union = 0, since = 0, i = 1;

	while (i < n && start[i] >= start[i - 1] + length[i - 1])
		i++;
	if (i >= n) /* none overlaps another, as in one lane */
		return sumOf(length);
	const end = start.map((begin, k) => begin + length[k]);

	i = 0;

	if (!isAscending(start))
		start.sort();
	if (!isAscending(end))
		end.sort();
	for (let j = 0; j < n; j++) {
		// As many have begun as have ended: nothing is under way.
		if (i === j)
			since = start[i];
		while (i < n && start[i] <= end[j])
			i++;
		if (i === j + 1)
			union += end[j] - since;
	}
	return union;
}

/** The value of the nearest rank in sorted values, n > 0. */
export function percentile(sorted, percent) {
	return sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
}

function sumOf(values) {
	let sum = 0;

	for (let i = 0; i < values.length; i++)
		sum += values[i];
	return sum;
}

/** The mean of whole numbers, rounded, halves up. */
function meanOf(sum, n) {
	const rest = sum % n;

	return (sum - rest) / n + (rest >= n - rest ? 1 : 0);
}

/** The largest sum first, of equal ones by text. */
function bySum(x, y) {
	return y[2] - x[2] || (x[0] < y[0] ? -1 : Number(x[0] > y[0]));
}

/** sums() of source.js over lanes. A logarithm of their events. */
export function rangeSums({head, lanesOf}, a, b, rowId) {
	const keys = categoryKeys(head, head.rows[rowId].kind);
	const times = lanesOf[rowId].map((lane) => lane.time(a, b));

	return tableOf([['category', GROUP_TITLES.category, 'string'], STATS_COLUMNS[1]],
		keys.map((key, c) => [key, times.reduce((sum, time) => sum + (time[c] ?? 0), 0)]));
}

/**
 * stats() of source.js over lanes. Linear in events of the range but for sorting.
 * @param {LaneSource} source
 */
export function rangeStats(source, a, b, rowIds, by) {
	const gathered = new Gathered(source, a, b, rowIds, by);
	const {start, length, bound} = gathered.layOut(a, b);
	const rows = gathered.codes.map((code, group) => {
		const from = bound[group], to = bound[group + 1];
		const values = length.subarray(from, to);
		const union = unionOf(start.subarray(from, to), values);
		const sum = sumOf(values);

		values.sort();
		return [gathered.text(code), to - from, sum, union, meanOf(sum, to - from),
			percentile(values, 50), percentile(values, 99), sum / (b - a),
			...(gathered.label ? [gathered.label(code)] : [])];
	});

	return tableOf([[by, GROUP_TITLES[by], 'string'], ...STATS_COLUMNS,
		...(gathered.label ? [LABEL_COLUMN] : [])], rows.sort(bySum));
}
