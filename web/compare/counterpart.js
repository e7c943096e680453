/* SPDX-License-Identifier: MIT */
/*
 * counterpart.js - of an event of one of two traces the same event of the other: on the row that its row is
 * compared with, in the iteration beside its own, the one of as many of its name.
 */
import {newestOnly} from '../base/dom.js';
import {leaderOf} from '../data/iterations.js';
/** @import {Align, EventRef, Head, PairSource, Source, State} from '../types.js' */

/** Events of an iteration that are looked through. */
const EVENTS_AT_MOST = 20000;

/**
 * The row of the other trace that a row of a GPU is compared with: of its kind, on the GPU beside its own, by label, else
 * by its place.
 * @param {Head} head  of docs/web.md
 * @param {{devices: number[]}[]} pairs  of gpuPairs()
 * @returns {number} its id; -1 for none
 */
export function counterRow(head, pairs, rowId) {
	const {kind, device, trace, label} = head.rows[rowId];
	const pair = pairs.find(({devices}) => device >= 0 && devices[trace] === device);

	if (!pair)
		return -1;
	const like = (of) => head.rows.flatMap((row, id) => (row.kind === kind && row.device === of ? [id] : []));
	const others = like(pair.devices[1 - trace]);
	const bare = (text) => text.replace(/^[A-Z]: /, '');

	return others.find((id) => bare(head.rows[id].label) === bare(label)) ?? others[like(device).indexOf(rowId)] ?? -1;
}

/**
 * The iterations that the GPU of a row follows, on the axis.
 * @param {Head} head
 */
function iterationsOfRow(head, rowId) {
	const {device, trace} = head.rows[rowId];

	return head.processes[head.devices[device]?.process] ?? leaderOf(head, trace);
}

/* Of events those that begin in [begin, end), in order of time: the number of each. */
function inOrder(events, [begin, end]) {
	return [...Array(events.n).keys()].filter((i) => events.start[i] >= begin && events.start[i] < end)
		.sort((x, y) => events.start[x] - events.start[y] || events.ref[x] - events.ref[y]);
}

/**
 * Kernels are the same by name, ranges by their name without numbers.
 * @param {Source} source
 */
function keyOf(source, row, name) {
	const text = source.nameText(name);

	return /^nvtx/.test(row.kind) ? text.replace(/\d+/g, '#') : text;
}

/**
 * The counterpart of an event.
 * @param {PairSource} source
 * @param {Align} align  of align.js
 * @param {{rowId: number, ref: number, begin: number}} event
 * @returns {Promise<?EventRef>}
 */
export async function findCounterpart(source, align, event) {
	const {head, pairs} = source;
	const row = head.rows[event.rowId];
	const other = row && align.mode !== 'wall' ? counterRow(head, pairs, event.rowId) : -1;

	if (other < 0 || align.mode === 'wall')
		return null;
	const [own, beside] = [event.rowId, other].map((id) => iterationsOfRow(head, id));
	const at = own?.iterations.findIndex(([a, b]) => a <= event.begin && event.begin < b) ?? -1;
	const away = (align.b - align.a) * (row.trace === 0 ? 1 : -1);
	const to = at + (own?.first ?? 0) + away - (beside?.first ?? 0);
	const spans = [own?.iterations[at], beside?.iterations[to]];

	if (at < 0 || !spans[1])
		return null;
	const [mine, theirs] = await Promise.all([event.rowId, other].map((id, i) =>
		source.events(id, spans[i][0], spans[i][1], EVENTS_AT_MOST)));
	const order = inOrder(mine, spans[0]);
	const self = order.find((i) => mine.ref[i] === event.ref && mine.start[i] === event.begin);

	if (self === undefined)
		return null;
	const key = keyOf(source, row, mine.name[self]);
	const nth = order.slice(0, order.indexOf(self)).filter((i) => keyOf(source, row, mine.name[i]) === key).length;
	const found = inOrder(theirs, spans[1]).filter((i) => keyOf(source, row, theirs.name[i]) === key)[nth];

	return found === undefined ? null : {rowId: other, ref: theirs.ref[found], begin: theirs.start[found],
		end: theirs.start[found] + theirs.dur[found], name: source.nameText(theirs.name[found])};
}

/**
 * Keeps state.counterpart that of the selection, of an app of two traces.
 * @param {{source: PairSource, state: State}} app
 */
export function followCounterpart({source, state}) {
	const newest = newestOnly();
	const follow = async () => {
		const {selection} = state;
		const align = /** @type {Align} */ (state.align);
		const {stale, value} = await newest(() => (selection ? findCounterpart(source, align, selection) : null))
			.catch(() => ({stale: false, value: null}));

		if (!stale)
			state.set('counterpart', value);
	};

	state.on('selection', follow);
	state.on('align', follow);
	follow();
}
