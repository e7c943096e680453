// Statistics of a range, as `warplens kernels --window` has them: an event counts with its part in
// the range, percentiles are nearest-rank.

import {NO_EVENT} from './lane.js';
import {rangeNames} from './links.js';
import {CAUSE_ROWS, CLASS_ROWS} from './source.js';

/** A table that a page shows has at most so many rows. */
export const MAX_ROWS = 2000;

const STATS_COLUMNS = [
	['count', 'Count', 'count'], ['sum', 'Sum', 'duration'], ['union', 'Union', 'duration'],
	['avg', 'Avg', 'duration'], ['p50', 'P50', 'duration'], ['p99', 'P99', 'duration'],
	['share', 'Of range', 'ratio'],
];
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

/** By row kind, the keys of its categories. */
function categoryKeys(head, kind) {
	const list = kind === CAUSE_ROWS ? head.causes
		: kind === CLASS_ROWS ? head.classes : head.categories;

	return list.map(({key}) => key);
}

/** "GPU 0 rank 0 / Stream 7 compute" */
function fullLabel(head, row) {
	return row.parent < 0 ? row.label : `${head.rows[row.parent].label} / ${row.label}`;
}

/** What events are grouped by: codes of the events of a lane, and the text of a code. */
function groupingBy(source, by) {
	const {head} = source;

	switch (by) {
	case 'name':
		return {
			code: (rowId, lane) => (i) => lane.name[i],
			text: (code) => source.nameText(code),
		};
	case 'nvtx':
		return {
			code: (rowId, lane) => {
				const names = rangeNames(source, rowId, lane);

				return (i) => names[i];
			},
			text: (code) => code === NO_EVENT ? '(none)' : source.nameText(code),
		};
	case 'category': {
		const kinds = [null, CAUSE_ROWS, CLASS_ROWS];

		return {
			code: (rowId, lane) => {
				const kind = Math.max(0, kinds.indexOf(head.rows[rowId].kind));

				return (i) => kind * MAX_CATEGORIES + lane.cat[i];
			},
			text: (code) => {
				const kind = kinds[Math.floor(code / MAX_CATEGORIES)];

				return categoryKeys(head, kind)[code % MAX_CATEGORIES];
			},
		};
	}
	case 'stream':
		return {
			code: (rowId) => () => rowId,
			text: (code) => fullLabel(head, head.rows[code]),
		};
	default:
		throw new Error(`no statistics by ${by}`);
	}
}

/** Per event in the range, lane by lane: its group. Groups are numbered as they come. */
class Gathered {
	constructor(source, a, b, rowIds, by) {
		this.parts = [];
		this.codes = [];
		this.counts = [];
		const grouping = groupingBy(source, by);
		const groups = new Map();

		for (const rowId of rowIds) {
			if (by === 'nvtx' && source.head.rows[rowId].kind !== 'stream')
				continue;
			for (const lane of source.lanesOf[rowId]) {
				const codeOf = grouping.code(rowId, lane);

				this.#take(lane, lane.touching(a, b), codeOf, groups);
			}
		}
	}

	#take(lane, {first, end}, codeOf, groups) {
		const group = new Uint32Array(end - first);

		for (let i = first; i < end; i++) {
			const code = codeOf(i);
			let number = groups.get(code);

			if (number === undefined) {
				number = groups.size;
				groups.set(code, number);
				this.codes.push(code);
				this.counts.push(0);
			}
			group[i - first] = number;
			this.counts[number]++;
		}
		this.parts.push({lane, first, group});
	}

	/** Begins and lengths of the parts in [a, b), group by group: {start, length, bound}. */
	layOut(a, b) {
		const bound = [0];
		for (const count of this.counts)
			bound.push(bound.at(-1) + count);
		const start = new Float64Array(bound.at(-1));
		const length = new Float64Array(bound.at(-1));
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

/** The time that at least one of the intervals covers. */
function unionOf(start, length) {
	let order = null, union = 0, until = -Infinity;

	if (start.some((begin, i) => i > 0 && begin < start[i - 1]))
		order = Uint32Array.from(start, (_, i) => i).sort((x, y) => start[x] - start[y]);
	for (let k = 0; k < start.length; k++) {
		const i = order ? order[k] : k;
		const end = start[i] + length[i];

		if (end > until) {
			union += end - Math.max(until, start[i]);
			until = end;
		}
	}
	return union;
}

/** The value of the nearest rank in sorted values, n > 0. */
export function percentile(sorted, percent) {
	return sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
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

/** stats() of source.js over lanes. Linear in events of the range but for sorting. */
export function rangeStats(source, a, b, rowIds, by) {
	const gathered = new Gathered(source, a, b, rowIds, by);
	const {start, length, bound} = gathered.layOut(a, b);
	const {text} = groupingBy(source, by);
	const rows = gathered.codes.map((code, group) => {
		const from = bound[group], to = bound[group + 1];
		const values = length.subarray(from, to);
		const union = unionOf(start.subarray(from, to), values);
		const sum = values.reduce((x, y) => x + y, 0);

		values.sort();
		return [text(code), to - from, sum, union, meanOf(sum, to - from),
			percentile(values, 50), percentile(values, 99), sum / (b - a)];
	});

	return tableOf([[by, GROUP_TITLES[by], 'string'], ...STATS_COLUMNS], rows.sort(bySum));
}
