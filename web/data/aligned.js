/* SPDX-License-Identifier: MIT */
/*
 * aligned.js - a source of two traces on one axis: another source, whose times of each trace are
 * moved by the shift of that trace. What was drawn stays exact: shifts are whole ns.
 */
import {askSums} from './account.js';
import {shiftsOf, usualAlign} from './align.js';
import {columnAt} from './columns.js';
import {gpuPairs} from './pairs.js';
import {deviceName, extentOf, isPromise, traceLetter} from './source.js';
/** @import {Align, Head, Source, Span} from '../types.js' */

/* fn of an answer, at once where it is here at once. */
function whenHere(answer, fn) {
	return isPromise(answer) ? answer.then(fn) : fn(answer);
}

function whenAllHere(answers, fn) {
	return answers.some(isPromise)
		? Promise.all(answers).then(fn) : fn(answers);
}

/** @returns {Span} */
const copyOf = ([begin, end]) => [begin, end];

/**
 * The parts of a head that have times, as objects of their own: these move.
 * @param {Head} head
 * @returns {Head}
 */
function movable(head) {
	return {
		...head,
		traces: head.traces.map((trace) => ({...trace})),
		processes: head.processes.map((process) => ({...process,
			iterations: process.iterations.map(copyOf),
			hosts: (process.hosts ?? []).map(copyOf)})),
		findings: head.findings.map((finding) => ({...finding})),
	};
}

const before = (t, shift) => (t === null ? null : t - shift);

/* Times in columns of a table on the axis. */
function movedTable(table, shift) {
	const times = table.columns.flatMap(({type}, i) => (type === 'time' ? [i] : []));

	if (times.length === 0 || shift === 0)
		return table;
	return {...table, rows: table.rows.map((row) => row.map(
		(value, i) => (times.includes(i) ? before(value, shift) : value)))};
}

/* Tables of the same columns as one, the largest of a column first. first(table i, text). */
function joinedTables(tables, key, first) {
	const [by, label] = [key, 'label'].map((of) =>
		tables[0].columns.findIndex((column) => column.key === of));
	const cell = (i, value, at) => (at === 0 || (at === label && value !== null)
		? first(i, value) : value);

	return {
		columns: tables[0].columns.map((column, i) => (i === 0 ? {...column, type: 'string'}
			: column)),
		rows: tables.flatMap(({rows}, i) => rows.map((row) =>
			row.map((value, at) => cell(i, value, at)))).sort((x, y) => y[by] - x[by]),
		total: tables.reduce((sum, {total}) => sum + total, 0),
		truncated: tables.some(({truncated}) => truncated),
	};
}

/* Which of two hits comes first: by begin, then row, then ref. */
function hitOrder(x, y) {
	return x.begin - y.begin || x.rowId - y.rowId || x.ref - y.ref;
}

/**
 * See source.js. Its head is always the same object; align() changes the times in it.
 * @implements {Source}
 */
export class AlignedSource {
	/** @param {Source} inner  a source of two traces, whose head stays as it is */
	constructor(inner) {
		this.inner = inner;
		this.head = movable(inner.head);
		this.shifts = [0, 0];
		this.pairs = gpuPairs(this.head);
		const {mergeStreams, sql, stacksIn} = inner;
		if (mergeStreams)
			this.mergeStreams = (gpuRow) => mergeStreams.call(inner, gpuRow);
		if (sql)
			this.sql = async (text, trace) => movedTable(await sql.call(inner, text, trace), this.shifts[trace]);
		if (stacksIn)
			this.stacksIn = (during, a, b, trace) =>
				stacksIn.call(inner, during, a + this.shifts[trace], b + this.shifts[trace], trace);
	}

	/**
	 * Lays the traces beside each other again.
	 * @param {?Align} wanted  of align.js; null, and what these traces have not, is the usual
	 * @returns {{align: Align, moved: number[]}} what holds now, and by how many ns the times of
	 *     each trace have moved on the axis
	 */
	align(wanted) {
		const {head: own} = this.inner;
		const wish = wanted && shiftsOf(own, wanted);
		const align = wish ? /** @type {Align} */ (wanted) : usualAlign(own);
		const shifts = wish ?? /** @type {number[]} */ (shiftsOf(own, align));
		const moved = this.shifts.map((old, trace) => old - shifts[trace]);

		this.shifts = shifts;
		this.#moveHead(own);
		return {align, moved};
	}

	#moveHead(own) {
		const {head, shifts} = this;

		own.traces.forEach(({origin, begin, end, window}, i) => Object.assign(head.traces[i], {
			origin: String(BigInt(origin) + BigInt(shifts[i])),
			begin: begin - shifts[i], end: end - shifts[i],
			window: window && window.map((t) => t - shifts[i])}));
		own.processes.forEach((process, i) => {
			for (const key of ['iterations', 'hosts']) {
				(process[key] ?? []).forEach((span, k) => {
					head.processes[i][key][k] = span.map((t) => t - shifts[process.trace]);
				});
			}
		});
		own.findings.forEach(({begin, end, trace}, i) => Object.assign(head.findings[i],
			{begin: before(begin, shifts[trace]), end: before(end, shifts[trace])}));
	}

	/* Merged streams of a GPU and what it computes are of its trace. */
	#traceOf(rowId) {
		const {rows} = this.head;

		return rows[rowId % rows.length].trace;
	}

	#shiftOf(rowId) {
		return this.shifts[this.#traceOf(rowId)];
	}

	/* Rows by trace: [[trace, ids]...], without traces that have none. */
	#byTrace(rowIds) {
		return [0, 1].map((trace) => [trace,
			rowIds.filter((id) => this.#traceOf(id) === trace)])
			.filter(([, ids]) => ids.length > 0);
	}

	nameText(n) {
		return this.inner.nameText(n);
	}

	nameLabel(n) {
		return this.inner.nameLabel(n);
	}

	nameWord(n) {
		return this.inner.nameWord(n);
	}

	nameCategory(n) {
		return this.inner.nameCategory(n);
	}

	onNames(callback) {
		this.inner.onNames?.(callback);
	}

	resolution(rowId) {
		return this.inner.resolution?.(rowId) ?? 0;
	}

	pictures(rowIds, a, b, w, wish) {
		const answers = this.#byTrace(rowIds).map(([trace, ids]) =>
			this.inner.pictures(ids, a + this.shifts[trace], b + this.shifts[trace], w, wish));

		return whenAllHere(answers, (maps) => new Map(maps.flatMap((map) => [...map])));
	}

	events(rowId, a, b, max, wish) {
		const shift = this.#shiftOf(rowId);

		return whenHere(this.inner.events(rowId, a + shift, b + shift, max, wish), (events) =>
			({...events, start: events.start.map((t) => t - shift)}));
	}

	details(rowId, ref, begin) {
		const shift = this.#shiftOf(rowId);
		const at = begin === undefined ? undefined : begin + shift;
		const moved = (thing) => ({...thing, begin: thing.begin - shift, end: thing.end - shift});
		const own = `Start in ${traceLetter(this.#traceOf(rowId))} (capture clock)`;

		return whenHere(this.inner.details(rowId, ref, at), (details) => details && {
			...moved(details),
			facts: details.facts.map(([label, text]) => [label === 'Start (capture clock)' ? own : label,
				text]),
			links: details.links.map(moved),
			collective: details.collective && {...details.collective, members: details.collective.members.map(moved)},
			...(details.spread && {spread: details.spread.map(moved)}),
		});
	}

	/** Of rows of both traces: each trace's own statistics, with its letter before the names. */
	stats(a, b, rowIds, by) {
		const parts = this.#byTrace(rowIds);

		if (parts.length === 0)
			return this.inner.stats(a, b, rowIds, by);
		const answers = parts.map(([trace, ids]) =>
			this.inner.stats(a + this.shifts[trace], b + this.shifts[trace], ids, by));

		return whenAllHere(answers, (tables) => (tables.length < 2 ? tables[0]
			: joinedTables(tables, 'sum', (i, text) => `${traceLetter(parts[i][0])}: ${text}`)));
	}

	sums(a, b, rowId) {
		const shift = this.#shiftOf(rowId);

		return askSums(this.inner, a + shift, b + shift, rowId);
	}

	gaps(a, b, min, device) {
		const {head} = this;
		const devices = device < 0 ? [...head.devices.keys()] : [device];

		if (devices.length === 0)
			return this.inner.gaps(a, b, min, device);
		const answers = devices.map((d) => {
			const shift = this.shifts[head.devices[d].trace];

			return whenHere(this.inner.gaps(a + shift, b + shift, min, d), (table) =>
				movedTable(table, shift));
		});

		return whenAllHere(answers, (tables) => (tables.length === 1 ? tables[0]
			: joinedTables(tables, 'duration', (i) => deviceName(head, devices[i]))));
	}

	search(query, mode, after, w, only) {
		const answers = this.shifts.map((shift, trace) => this.inner.search(query, mode,
			this.#ownPlace(after, shift), w, this.#ownLimits(only, shift, trace)));

		return whenAllHere(answers, (found) => ({
			total: found[0].total + found[1].total,
			index: found[0].index + found[1].index,
			next: this.#nearestHit(found, 'next', 1),
			previous: this.#nearestHit(found, 'previous', -1),
			hits: this.#joinedHits(found, w),
		}));
	}

	found(query, mode, n, only) {
		const answers = this.shifts.map((shift, trace) => this.inner.found(query, mode, n,
			this.#ownLimits(only, shift, trace)));

		return whenAllHere(answers, (found) => this.#joinedFound(found, n));
	}

	#joinedFound(found, n) {
		const lengths = new Map();
		const list = found.flatMap((part, trace) => part.list.map((hit) => this.#moved(hit, trace)));

		for (const [bin, count] of found.flatMap((part) => part.lengths))
			lengths.set(bin, (lengths.get(bin) ?? 0) + count);
		return {
			total: found[0].total + found[1].total,
			sum: found[0].sum + found[1].sum,
			devices: found.flatMap((part) => part.devices),
			steps: found.flatMap((part) => part.steps),
			lengths: [...lengths].sort((x, y) => x[0] - y[0]),
			list: list.sort((x, y) => y.end - y.begin - (x.end - x.begin) || hitOrder(x, y)).slice(0, n),
		};
	}

	#moved(hit, trace) {
		return {...hit, begin: hit.begin - this.shifts[trace], end: hit.end - this.shifts[trace]};
	}

	#ownPlace(after, shift) {
		if (after === null || after === undefined)
			return after;
		return typeof after === 'number' ? after + shift : {...after, begin: after.begin + shift};
	}

	/* Of a GPU that is of the other trace the one that it is compared with; times in own ones. */
	#ownLimits(only, shift, trace) {
		const moved = (t) => (t === null || t === undefined ? null : t + shift);
		const {a, b} = only?.spans?.[trace] ?? only ?? {};
		const pair = this.pairs.find(({devices}) => devices.includes(only?.device));

		return {...only, a: moved(a), b: moved(b), trace,
			device: pair ? pair.devices[trace] : only?.device};
	}

	#nearestHit(found, side, sign) {
		const hits = found.flatMap((part, trace) => (part[side] ? [this.#moved(part[side], trace)] : []));

		return hits.sort((x, y) => sign * hitOrder(x, y))[0] ?? null;
	}

	/* Columns of each trace lie elsewhere now, so a hit may be drawn one column beside its own. */
	#joinedHits(found, w) {
		const own = extentOf(this.inner.head), {begin, end} = extentOf(this.head);
		const view = {begin, end: Math.max(end, begin + w), width: w};
		const hits = new Uint32Array(w);

		found.forEach((part, trace) => part.hits.forEach((n, x) => {
			const t = own.begin + (x + 0.5) * (own.end - own.begin) / w - this.shifts[trace];

			if (n > 0)
				hits[columnAt(view, Math.floor(t))] += n;
		}));
		return hits;
	}

	/** Of one of the traces, the first where none is named. */
	exportUrl(format, a, b, trace = 0) {
		return this.inner.exportUrl(format, a + this.shifts[trace], b + this.shifts[trace], trace);
	}
}
