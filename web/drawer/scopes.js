/* SPDX-License-Identifier: MIT */
/*
 * scopes.js - what statistics of a range are of, as a word: "gpu:0", "all" GPUs, "pair:0" of two
 * traces or all "pairs", "row:7" alone, or "host:nvtx", the rows of a kind of all processes.
 */
import {commandOfRange} from '../data/account.js';
import {gpuPairs} from '../data/pairs.js';
import {deviceName} from '../data/source.js';
/** @import {App, Head} from '../types.js' */

/** Kinds of rows of the host: [kind, title, the verb whose answer is the table by name]. */
const HOST_KINDS = [['nvtx', 'NVTX ranges', 'nvtx --exact-names'], ['api', 'CUDA calls', 'api'],
	['osrt', 'OS calls', 'osrt']];

const GPU_GROUPS = [['name', 'kernel'], ['category', 'category'], ['nvtx', 'NVTX range'],
	['stream', 'stream']];
const HOST_GROUPS = [['name', 'name'], ['stream', 'row']];

/** Whether a scope sets trace A against B. */
export const isPaired = (scope) => /^pair/.test(scope);

/** Whether it is of what GPUs did, whose time is accounted for; else of rows of the host. */
export const isOfGpus = (scope) => !scope.startsWith('host:');

/**
 * GPUs of a scope: one, those of a pair, all, or none. Indexes of head.devices.
 * @param {Head} head
 */
export function scopeDevices(head, scope) {
	const [kind, id] = scope.split(':');

	if (kind === 'pair')
		return gpuPairs(head)[Number(id)].devices;
	if (kind === 'host')
		return [];
	return kind === 'gpu' ? [Number(id)] : [...head.devices.keys()];
}

/**
 * Rows whose events are counted: of GPUs their streams, those of a kind, or one row alone.
 * @param {Head} head
 */
export function countedRows(head, scope) {
	const devices = scopeDevices(head, scope);
	const [kind, of] = scope.split(':');

	if (kind === 'row')
		return [Number(of)];
	return head.rows.flatMap((row, i) => ((kind === 'host' ? row.kind === of
		: row.kind === 'stream' && devices.includes(row.device)) ? [i] : []));
}

/**
 * What events of a scope can be grouped by: [value of STATS_BY, title].
 * @param {Head} head
 */
export function groupsOf(head, scope) {
	const [kind, id] = scope.split(':');
	const isHost = kind === 'host' || (kind === 'row' && head.rows[Number(id)].kind !== 'stream');

	return isHost ? HOST_GROUPS : GPU_GROUPS;
}

/**
 * The scopes that there are: [value, title]; none of a trace without such rows.
 * @param {App} app
 */
export function scopeChoices(app) {
	const {head} = app.source;
	const choices = head.devices.map((_, i) => [`gpu:${i}`, deviceName(head, i)]);
	const row = app.state.selection?.rowId ?? app.state.focusRow;
	const pairs = app.compare ? gpuPairs(head) : [];

	choices.unshift(...pairs.map(({devices}, i) =>
		[`pair:${i}`, `A ⇄ B: ${head.devices[devices[0]].label}`]),
	...(pairs.length > 1 ? [['pairs', 'A ⇄ B: all GPUs']] : []));
	if (head.devices.length > 1)
		choices.push(['all', 'all GPUs']);
	for (const [kind, title] of HOST_KINDS) {
		if (head.rows.some((other) => other.kind === kind))
			choices.push([`host:${kind}`, title]);
	}
	if (row >= 0 && head.rows[row])
		choices.push([`row:${row}`, `row ${head.rows[row].label}`]);
	return choices;
}

/** The verb whose answer is the table of GPUs, by what it is grouped by. */
const GPU_VERBS = {name: 'kernels --by name', category: 'kernels --by category',
	nvtx: 'nvtx --exact-names', stream: 'streams'};

/**
 * The command whose answer is the table; GPUs are chosen by their number.
 * @param {Head} head
 */
export function rangeCommand(head, scope, trace, a, b, by = 'name') {
	const host = HOST_KINDS.find(([kind]) => scope === `host:${kind}`);
	const device = /^(gpu|pair):/.test(scope) ? scopeDevices(head, scope)
		.map((d) => head.devices[d]).find((other) => other.trace === trace) : null;
	const gpu = /\d+/.exec(device?.label ?? '')?.[0];

	return commandOfRange(host?.[2] ?? `${GPU_VERBS[by]}${gpu ? ` --gpu ${gpu}` : ''}`,
		head.traces[trace], a, b);
}

/**
 * Traces that a scope is of.
 * @param {Head} head
 */
export function scopeTraces(head, scope) {
	const rows = countedRows(head, scope).map((id) => head.rows[id].trace);

	return rows.length > 0 ? [...new Set(rows)] : [0];
}
