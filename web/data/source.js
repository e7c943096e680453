/* SPDX-License-Identifier: MIT */
// Where the page gets its data: embedded.js has it in the file, server.js asks for it,
// tests/web/fake.js makes it up for tests; aligned.js lays two traces of another beside each other. This is what all
// offer; each function may return a promise but for those of names. A server rejects
// pictures with an AbortError when the same rows were asked for another view before the answer came;
// nothing else is stopped.
//
//   head
//       the head of docs/web.md.
//   pictures(rowIds, a, b, w, wish) -> Map(rowId -> [{cat: Uint8Array(w), share: Uint8Array(w)}])
//       the columns of columns.js, one picture per lane. Whole numbers, b - a >= w >= 1.
//       wish.lanes, Map(rowId -> number), says how many lanes of a row are wanted, its first ones;
//       more may come. With wish.by, one of colourby.js's VALUE_MODES, pictures also have value:
//       Uint32Array(w), the number of the column's longest event; NO_VALUE where there is none.
//   resolution(rowId) -> ns per column where pictures of the row are made of fixed columns, because
//       not all its events are here; else 0. A server has no such function.
//   events(rowId, a, b, max, wish) -> {n, truncated, lane: Uint16Array, start: Float64Array,
//                                dur: Float64Array, name: Uint32Array, ref: Uint32Array}
//       events with a part in [a, b), lane by lane, in order of start; at most max of them. With
//       wish.by they have value: Uint32Array, too; by 'range' it is the ref of the innermost NVTX
//       range around the launch or call. Those of NVTX rows have parent: Uint32Array,
//       the ref of the range that they stand below in the tree, NO_PARENT for none, which lies in
//       a lane before unless the event is a start/end range; and span: Uint8Array, STYLE_PUSH_POP,
//       STYLE_START_END or STYLE_MARK of links.js. Those of the critical path have targetRow: Uint32Array, the
//       row of the operation or call that each leads to, counted from 1; 0 for none.
//   mergeStreams(gpuRow) -> how many lanes the row mergedRow() of merge.js has: all streams of the
//       GPU row in the fewest lanes. Pictures and events can be asked of it then; its events have
//       row: Uint32Array, the row that they are of.
//   nameText(n) -> string, nameLabel(n) -> string, nameCategory(n) -> number, nameWord(n) -> number
//       what docs/web.md calls a name. The label of an NVTX range has # for what only counts;
//       that of a kernel is its base name with what tells it apart; of other names it is the text. The word of an operation is its category, an index of
//       head.words; of other names it is -1. A server's names arrive later: the text is empty then, and
//       onNames(callback) says when to draw again.
//   details(rowId, ref, begin) -> {name, category, begin, end, facts: [[label, text]...],
//                                  links: [{label, rowId, ref, begin, end}...],
//                                  usual: {count, p50} or null, collective: null or
//                                  {title, size, ranks, clock, volume, bus, bytes, members: [{rowId, ref, begin, end}...]},
//                                  spread: [{rowId, begin, end, count}...]} or null
//       begin tells events of one ref apart, as gaps have it; without it the first is meant.
//       usual is of all events of its name (ns). spread: by row where the operations of its launch,
//       or of the call that it is, lie; nothing where these are fewer than two. NVTX ranges are
//       links "NVTX ...", innermost first.
//       collective: of an operation that is matched, "AllReduce", how many members it has, ranks of the
//       communicator, clock 0 where arrivals cannot be compared, bytes of the message (0: not recorded); algbw is bytes
//       times volume by time, busbw that times bus. members: those that rows show.
//   stats(a, b, rowIds, by) -> {columns: [{key, title, type}], rows: [[...]], total, truncated}
//       by is one of STATS_BY, and the key of the first column. Each event counts with its part in
//       [a, b), as in `warplens kernels --window`. Types are those of COLUMN_TYPES; null is an
//       empty cell. total is how many rows there are; only the first come where truncated.
//   sums(a, b, rowId) -> columns category and sum of stats() of a row by category, and rows of 0; only where
//       the events of rows are in the page: ask by askSums() of account.js
//   gaps(a, b, min, device) -> the same kind of table
//       the times in [a, b) of at least min ns in which nothing ran, the longest first;
//       device is an index of head.devices, or -1 for all.
//   search(query, mode, after, w, only) -> {total, index, next, previous, hits: Uint32Array(w)}
//       mode is one of SEARCH_MODES; next and previous: {rowId, ref, begin, end, category, name} or null, of
//       the matches behind and before `after`: a hit, or a time, or null for the first. The
//       order is by begin, rowId, ref; index: how many come before the next. hits: how many
//       begin in each of w columns over the extent of all traces. only: {min, max (ns of
//       duration), categories and words (indexes; an operation counts by its word, all else by its
//       category), device, trace, a, b (begins in [a, b)), spans ({a, b} by
//       trace, instead of a and b; aligned.js only), rows (ids), grid (its sizes: of x, of x and y,
//       or all), range (a text: launched or called in an NVTX range that contains it, or such a
//       range, or inside one)}, each null or absent for no limit, device
//       also -1. What is no pattern: an Error. A range with a domain is found with and without it.
//   found(query, mode, n, only) -> {total, sum, devices: [[device, count, ns]...],
//                                   steps: [[trace, number, count, ns]...],
//                                   lengths: [[bin, count]...], list: [{rowId, ref, begin, end, category, name}...]}
//       sums of all matches of search(): ns of their lengths; by GPU, device -1 for the host; by the step
//       of their process in whose time on the GPU they begin, without those in none; by length, in bins
//       of hits.js. list: the n longest, the longest first.
//   stacksIn(during, a, b, trace) -> call stacks of host threads in [a, b) of a trace, as docs/web.md has
//       them; only of a server: the head of a file has those of the whole trace
//   sql(text, trace) -> the same kind of table as stats(): what a statement of SQL answers of a trace;
//       only of a server. What SQL refuses: an Error.
//   exportUrl(format, a, b, trace = 0) -> string, or null where the source can write nothing
//       of one of the traces, and [a, b) since its own origin

/** The version of docs/web.md that this page reads. */
export const FORMAT = 1;

/** What stats() groups by. */
export const STATS_BY = ['name', 'category', 'nvtx', 'stream'];

/** How search() reads a query: anywhere in any case; a regular expression; the whole name. */
export const SEARCH_MODES = ['sub', 're', 'exact'];

/** Types of columns of tables, as the program's JSON names them: time is a point, both in ns. */
export const COLUMN_TYPES = ['string', 'enum', 'count', 'time', 'duration', 'bytes', 'ratio',
	'rate', 'number', 'id', 'bool'];

/** The kinds of rows whose category is no colour: of the head's causes, of its classes. */
export const CAUSE_ROWS = 'gaps';
export const CLASS_ROWS = 'gpu';

/**
 * The colour of a category of a row, an index of head.categories.
 * @param {Head} head
 * @param {{kind: string}} row
 */
export function colourOf(head, row, category) {
	if (row.kind === CAUSE_ROWS)
		return head.causes[category].colour;
	return row.kind === CLASS_ROWS ? head.classes[category].colour : category;
}

/**
 * How many categories the lanes of a row have.
 * @param {Head} head
 */
export function categoriesOf(head, row) {
	if (row.kind === CAUSE_ROWS)
		return head.causes.length;
	return row.kind === CLASS_ROWS ? head.classes.length : head.categories.length;
}

/**
 * Whether an answer comes later.
 * @template T
 * @param {T|Promise<T>} answer
 * @returns {answer is Promise<T>}
 */
export function isPromise(answer) {
	return typeof /** @type {any} */ (answer)?.then === 'function';
}

/** What a trace is called where there are several: A, B, ... */
export function traceLetter(trace) {
	return String.fromCharCode(65 + trace);
}

/**
 * Which trace something is of, where there are several: by letter, as the rows have it.
 * @param {Head} head
 */
export function ofTrace(head, trace) {
	return head.traces?.length > 1 ? `${traceLetter(trace)}: ` : '';
}

/**
 * A GPU as it is called on the page: "GPU 0", of two traces "A: GPU 0".
 * @param {Head} head
 * @param {number} device
 */
export function deviceName(head, device) {
	return ofTrace(head, head.devices[device].trace) + head.devices[device].label;
}

/**
 * The first begin and the last end of all traces: {begin, end}.
 * @param {Head} head
 */
export function extentOf(head) {
	return {
		begin: Math.min(...head.traces.map((trace) => trace.begin)),
		end: Math.max(...head.traces.map((trace) => trace.end)),
	};
}
/** @import {Head} from '../types.js' */
