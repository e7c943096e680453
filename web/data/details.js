/* SPDX-License-Identifier: MIT */
// What is known of one event: facts as texts, and links to the events that belong to it.

import {formatBytes, formatCount, formatNs, formatRate, formatRatio, formatOnClock} from '../base/format.js';
import {NO_MATCH, collectiveOf} from './collective.js';
import {isAccountKind, isLevelKind, isProjectionKind, isRangeKind} from './kinds.js';
import {lowerBound} from './lane.js';
import {findEvent, launchOf, launchSpread, launchedBy, rangesAround} from './links.js';
import {CAUSE_ROWS, CLASS_ROWS} from './source.js';
import {percentile} from './stats.js';
import {functionOf, gapAround, openedBy} from './waits.js';
/** @import {LaneSource} from '../types.js' */

/** An event has at most so many links. */
const MAX_LINKS = 200;

function linkTo(label, {lane, i, rowId}) {
	return {label, rowId, ref: lane.ref[i], begin: lane.start[i], end: lane.end(i)};
}

/**
 * The key of an event's category, as its row reads it; of an operation as `categories` does.
 * @param {LaneSource} source
 */
function categoryKey(source, row, name, category) {
	const {head} = source;
	const word = row.kind === 'stream' ? source.nameWord(name) : -1;

	if (word >= 0)
		return head.words[word].key;
	if (row.kind === CAUSE_ROWS)
		return head.causes[category].key;
	return (row.kind === CLASS_ROWS ? head.classes : head.categories)[category].key;
}

/**
 * Visit the lanes of all rows of a row's kind and trace.
 * @param {LaneSource} source
 */
function visitLanes(source, row, fn) {
	source.head.rows.forEach((other, rowId) => {
		if (other.kind === row.kind && other.trace === row.trace)
			source.lanesOf[rowId].forEach(fn);
	});
}

/**
 * Durations of all events of a row's kind and trace, name by name: {first: by name, values}. Linear.
 * @param {LaneSource} source
 */
function layDurations(source, row) {
	const first = new Uint32Array(source.names.count + 1);

	visitLanes(source, row, ({n, name}) => {
		for (let i = 0; i < n; i++)
			first[name[i] + 1]++;
	});
	for (let k = 1; k < first.length; k++)
		first[k] += first[k - 1];
	const next = first.slice(), values = new Float64Array(first[first.length - 1]);

	visitLanes(source, row, ({n, name, dur}) => {
		for (let i = 0; i < n; i++)
			values[next[name[i]]++] = dur[i];
	});
	return {first, values, sorted: new Set()};
}

/**
 * Durations of the events of a name in the rows of a kind of a trace, sorted. Linear in events once per kind and trace.
 * @param {LaneSource} source
 */
function durationsOf(source, row, name) {
	const key = `${row.trace} ${row.kind}`;

	source.durations ??= new Map();
	if (!source.durations.has(key))
		source.durations.set(key, layDurations(source, row));
	const {first, values, sorted} = source.durations.get(key);
	const own = values.subarray(first[name], first[name + 1]);

	if (!sorted.has(name))
		own.sort();
	sorted.add(name);
	return own;
}

/**
 * Facts that place a duration among those of its name, and usual of source.js.
 * @param {LaneSource} source
 */
function rankOf(source, row, lane, i) {
	const sorted = durationsOf(source, row, lane.name[i]);
	const p50 = percentile(sorted, 50);
	const shorter = lowerBound(sorted, 0, sorted.length, lane.dur[i]);

	if (sorted.length < 2 || isAccountKind(row.kind) || isLevelKind(row.kind))
		return {facts: [], usual: null};
	return {
		facts: [
			['Of this name', `${formatCount(sorted.length)}, p50 ${formatNs(p50)}, ` +
				`p99 ${formatNs(percentile(sorted, 99))}`],
			['Longer than', `${formatRatio(shorter / sorted.length)} of them`],
		],
		usual: {count: sorted.length, p50},
	};
}

/** Facts of the launch configuration; what the trace does not tell is not there. */
function configFacts(config) {
	if (!config)
		return [];
	const [gx, gy, gz, bx, by, bz, registers, fixed, dynamic] = config;
	const known = (value) => value !== null && value >= 0;
	const facts = [];

	if (known(gx))
		facts.push(['Grid', `${gx}x${gy}x${gz}`]);
	if (known(bx))
		facts.push(['Block', `${bx}x${by}x${bz}`]);
	if (known(registers))
		facts.push(['Registers', formatCount(registers)]);
	if (known(fixed) && known(dynamic))
		facts.push(['Shared memory',
			`${formatBytes(fixed)} static, ${formatBytes(dynamic)} dynamic`]);
	return facts;
}

function bytesFacts(bytes, dur) {
	if (!bytes)
		return [];
	return [['Bytes', dur > 0 ? `${formatBytes(bytes)}, ${formatRate(bytes / dur * 1e9)}`
		: formatBytes(bytes)]];
}

/**
 * NVTX around a call: a fact and a link for each range, the innermost first.
 * @param {LaneSource} source
 */
function rangesAt(source, {rowId, lane: api, i: call}) {
	const ranges = rangesAround(source, rowId, api, call);
	const text = ({lane, i}) => source.nameText(lane.name[i]);

	if (!ranges.length)
		return {facts: [], links: []};
	return {
		facts: [['NVTX', ranges.map(text).join(' \u203a ')]],
		links: ranges.reverse().map((range) => linkTo(`NVTX ${text(range)}`, range)),
	};
}

/** @param {LaneSource} source */
function streamDetails(source, {lane, i, rowId}) {
	const facts = [
		...configFacts(lane.config?.[i] ? source.head.configs[lane.config[i] - 1] : null),
		...(lane.match && lane.match[i] !== NO_MATCH ? [] : bytesFacts(lane.bytes?.[i], lane.dur[i])),
	];
	const call = launchOf(source, rowId, lane, i);

	if (!call)
		return {facts, links: []};
	const begin = call.lane.start[call.i];
	const around = rangesAt(source, call);
	facts.push(['Launch', `${source.nameText(call.lane.name[call.i])}, ` +
		`${formatNs(call.lane.dur[call.i])}, ${source.head.rows[call.rowId].label}`]);
	facts.push(['From launch to start', formatNs(lane.start[i] - begin)]);
	return {
		facts: [...facts, ...around.facts],
		links: [linkTo('Launch', call), ...around.links],
		spread: launchSpread(source, call.rowId, call.lane.ref[call.i]),
	};
}

/** @param {LaneSource} source */
function apiDetails(source, {lane, i, rowId}) {
	const launched = launchedBy(source, rowId, lane.ref[i], MAX_LINKS);
	const around = rangesAt(source, {rowId, lane, i});
	const spread = launchSpread(source, rowId, lane.ref[i]);
	const n = spread.reduce((sum, {count}) => sum + count, 0) || launched.length;
	const count = n > 0 ? [['Launched', formatCount(n)]] : [];
	const text = (op) => `Launched ${source.nameText(op.lane.name[op.i])}`;

	return {
		facts: [...count, ...around.facts],
		links: [...launched.map((op) => linkTo(text(op), op)), ...around.links],
		spread,
	};
}

/**
 * The same range in other rows: on its thread, and where its work lies on GPUs.
 * @param {LaneSource} source
 */
function rangeDetails(source, {lane, i, rowId}) {
	const row = source.head.rows[rowId];
	const links = [];

	source.head.rows.forEach((other, id) => {
		if (id === rowId || !isRangeKind(other.kind) || other.trace !== row.trace || other.thread !== row.thread)
			return;
		const found = findEvent(source, id, lane.ref[i]);
		const where = isProjectionKind(other.kind) ? 'On the GPU' : 'On the thread';

		if (found)
			links.push(linkTo(`${where}: ${other.label}`, found));
	});
	return {facts: [], links};
}

/**
 * The gap that a part of idle time belongs to: how long, between which operations, and where the host was.
 * @param {LaneSource} source
 */
function wholeGap(source, gap) {
	const facts = [['Gap', formatNs(gap.end - gap.begin)]];
	const links = [];

	for (const [label, op] of [['Before', gap.before], ['After', gap.after]]) {
		if (op) {
			facts.push([label, source.nameText(op.lane.name[op.i])]);
			links.push(linkTo(`${label} ${source.nameText(op.lane.name[op.i])}`, op));
		}
	}
	const call = gap.after && launchOf(source, gap.after.rowId, gap.after.lane, gap.after.i);

	if (call) {
		facts.push(['Ended by', `${source.nameText(call.lane.name[call.i])}, ${source.head.rows[call.rowId].label}`]);
		links.push(linkTo(`Ended by ${source.nameText(call.lane.name[call.i])}`, call));
	}
	return {facts, links};
}

/**
 * The gap, the function that was run in it, and what opened it.
 * @param {LaneSource} source
 */
function gapDetails(source, {lane, i, rowId}) {
	const gap = gapAround(source, rowId, lane, i);
	const {facts, links} = gap ? wholeGap(source, gap) : {facts: [], links: []};
	const opened = openedBy(source, rowId, lane, i);
	const func = functionOf(source, lane, i);

	if (func)
		facts.push(['Function', `${func.name}, ${formatRatio(func.share)} of the gap`]);
	if (!opened)
		return {facts, links};
	return {
		facts: [...facts, ['Opened by', opened.by], ...(opened.in === null ? [] : [['Opened in', opened.in]])],
		links: [...links, linkTo(`Opened by ${opened.by}`, opened.call)],
	};
}

/** Classes of the critical path that segments are named by; of others the name is that of the event. */
const NAMED_CLASSES = ['host', 'mpi', 'return', 'queue_full', 'loading', 'profiler', 'callback', 'latency', 'dispatch', 'dependency',
	'unknown'];

/**
 * What a segment of the critical path is spent on, by its name, the kind of the event's row and its
 * colour. Whether communication is matched (transfer) or not (comm) is not in the page.
 */
export function segmentClass(name, kind, category) {
	if (NAMED_CLASSES.includes(name))
		return name;
	if (kind === 'api')
		return 'api';
	if (category === 'communication')
		return 'communication';
	return name.startsWith('[CUDA memcpy') && !name.includes('DtoD') ? 'copy' : 'compute';
}

/**
 * The event that a segment of the critical path is spent in, or leads up to.
 * @param {LaneSource} source
 */
function segmentDetails(source, {lane, i}) {
	const rowId = (lane.targetRow?.[i] ?? 0) - 1;
	const target = rowId < 0 ? null : findEvent(source, rowId, lane.target[i]);
	const spent = segmentClass(source.nameText(lane.name[i]), source.head.rows[rowId]?.kind,
		source.head.categories[lane.cat[i]].key);

	return {facts: [['Critical path', spent]], links: target ? [linkTo('Event', target)] : []};
}

/** @param {LaneSource} source */
function moreOf(source, event) {
	switch (source.head.rows[event.rowId].kind) {
	case 'stream':
		return streamDetails(source, event);
	case 'api':
		return apiDetails(source, event);
	case 'nvtx':
	case 'nvtx-gpu':
	case 'nvtx-comm':
		return rangeDetails(source, event);
	case CAUSE_ROWS:
		return gapDetails(source, event);
	case 'path':
		return segmentDetails(source, event);
	default:
		return {facts: [], links: []};
	}
}

/**
 * details() of source.js over lanes; null for no such event. Linear in events of its kind.
 * @param {LaneSource} source
 */
export function eventDetails(source, rowId, ref, begin) {
	const event = findEvent(source, rowId, ref, begin);

	if (!event)
		return null;
	const {lane, i} = event;
	const row = source.head.rows[rowId];
	const more = moreOf(source, event);
	const rank = rankOf(source, row, lane, i);

	return {
		name: source.nameText(lane.name[i]),
		category: lane.cat[i],
		begin: lane.start[i],
		end: lane.end(i),
		facts: [
			['Row', row.label],
			['Category', categoryKey(source, row, lane.name[i], lane.cat[i])],
			['Start (capture clock)', formatOnClock(source.head.traces[row.trace].origin, lane.start[i])],
			['Duration', formatNs(lane.dur[i])],
			...more.facts,
			...rank.facts,
		],
		links: more.links,
		usual: rank.usual,
		collective: collectiveOf(source, event),
		spread: more.spread ?? [],
	};
}
