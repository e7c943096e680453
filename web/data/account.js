/* SPDX-License-Identifier: MIT */
/*
 * account.js - where the time of a GPU went in a range: compute, communication and copies that
 * nothing hides, and idle time by cause. The parts are whole ns and add up to the range.
 */
/** @import {Head, Source, Sums} from '../types.js' */

/** Categories of a gaps row that are no idle time: other classes account for them. */
const NOT_IDLE = new Set(['exposed_comm', 'exposed_copy']);

/* Sums of a table of stats() by the text of its first column. */
function sumsByKey(table) {
	const column = table.columns.findIndex((c) => c.key === 'sum');

	return new Map(table.rows.map((row) => [row[0], row[column]]));
}

/**
 * The account of one GPU.
 * @param {Pick<Head, 'classes'|'causes'>} head  of docs/web.md
 * @param {number} span  of the range, ns
 * @param {Sums} classes  stats() of the GPU's row by category
 * @param {?Sums} causes  stats() of its gaps row by category; null where there is none
 * @returns {{key: string, colour: number, ns: number, idle: boolean}[]} parts of the span, none
 *     negative; colour is an index of head.categories, -1 for none. What no cause explains,
 *     before the first operation and after the last, is "unused".
 */
export function gpuAccount(head, span, classes, causes) {
	const busy = sumsByKey(classes);
	const idle = causes ? sumsByKey(causes) : new Map();
	const parts = head.classes.map(({key, colour}) => (
		{key, colour, ns: busy.get(key) ?? 0, idle: false}));

	for (const {key, colour} of head.causes) {
		if (!NOT_IDLE.has(key) && idle.get(key))
			parts.push({key, colour, ns: idle.get(key), idle: true});
	}
	const rest = span - parts.reduce((sum, part) => sum + part.ns, 0);

	if (rest > 0)
		parts.push({key: causes ? 'unused' : 'idle', colour: -1, ns: rest, idle: true});
	return parts;
}

/**
 * A class or a cause as people read it: "exposed comm".
 * @param {string} key
 */
export const partName = (key) => key.replaceAll('_', ' ');

/**
 * Whether idle time is in doubt: a finding without a saving comes before one with a saving only where it puts those below it
 * in doubt.
 * @param {{saving: ?number}[]} findings  of head
 */
export const isInDoubt = ([first, next]) => Boolean(first && first.saving === null && next && next.saving !== null);

/**
 * The number, from 1, of the finding that claims most of a part of the account; 0 for none. One whose claim lies outside of
 * the steps has a part_time of 0, one that is of the part and claims nothing has null.
 * @param {{part: string, part_time: ?number}[]} findings  of head
 */
export function explainedBy(findings, key) {
	/** @param {{part_time: ?number}} finding */
	const claims = ({part_time: ns}) => (ns === 0 ? -1 : ns ?? 0);
	const most = Math.max(...findings.filter(({part}) => part === key).map(claims), -1);

	return most < 0 ? 0 : findings.findIndex((finding) => finding.part === key && claims(finding) === most) + 1;
}

/**
 * The rows of a GPU that its account is made of.
 * @param {Head} head
 * @returns {{gpu: number, gaps: number}} ids; -1 where the trace has none
 */
export function accountRows(head, device) {
	const find = (kind) => head.rows.findIndex((r) => r.kind === kind && r.device === device);

	return {gpu: find('gpu'), gaps: find('gaps')};
}

/**
 * Has the page only the longest events of some of these rows? Then sums and counts of them are less
 * than the truth. Files of large traces are so.
 * @param {Pick<Head, 'pyramid'|'data'>} head
 * @param {number[]} rowIds
 */
export function onlyLongest(head, rowIds) {
	const pictured = new Set((head.pyramid && head.data?.columns ? head.data.columns : [])
		.filter(([key]) => key === 'columns').map(([, row]) => row));

	return rowIds.some((id) => pictured.has(id));
}

/**
 * Sums of a row by category: of stats(), where the source has no shorter way to them.
 * @param {Source} source
 */
export function askSums(source, a, b, rowId) {
	return source.sums?.(a, b, rowId) ?? source.stats(a, b, [rowId], 'category');
}

/**
 * Ask a source for the account of a GPU in [a, b) ns.
 * @param {Source} source
 * @returns {Promise<?ReturnType<typeof gpuAccount>>} as gpuAccount; null where the trace has no such row, or the
 *     page not all of it
 */
export async function askAccount(source, device, a, b) {
	const rows = accountRows(source.head, device);

	if (rows.gpu < 0 || onlyLongest(source.head, [rows.gpu, rows.gaps]))
		return null;
	const [classes, causes] = await Promise.all([askSums(source, a, b, rows.gpu),
		rows.gaps < 0 ? null : askSums(source, a, b, rows.gaps)]);

	return gpuAccount(source.head, b - a, classes, causes);
}

/** A word of a shell's command line, whatever is in it. */
export function shellWord(text) {
	return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The command that answers the same question about a range, with times on the trace's clock.
 * @param {string} verb  of warplens, with options
 * @param {{label: string, origin: string, given?: ?string[]}} trace  of head.traces
 * @param {number} a  ns since origin; b too
 */
export function commandOfRange(verb, trace, a, b) {
	const time = (t) => `${BigInt(trace.origin) + BigInt(Math.round(t))}ns`;

	return `${commandOfTrace(verb, trace)} --window ${time(a)}..${time(b)}`;
}

/**
 * A command on a whole trace; of a job that was given by its files, on all of them.
 * @param {string} verb  of warplens, with options
 * @param {{label: string, given?: ?string[]}} trace  of head.traces
 */
export function commandOfTrace(verb, trace) {
	const files = trace.given?.length ? ['--job', ...trace.given.map(shellWord)] : [shellWord(trace.label)];

	return `warplens ${verb} ${files.join(' ')}`;
}

/**
 * The command that makes a page with other steps: NVTX ranges of a name, whatever its numbers.
 * @param {{label: string}} trace  of head.traces
 * @param {string} name  of one of the ranges
 */
export function commandOfSteps(trace, name) {
	const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '[0-9]+');

	return `${commandOfTrace(`viewer --marker ${shellWord(`re:^${pattern}$`)}`, trace)} -o steps.html`;
}

/**
 * The command that compares two traces.
 * @param {{label: string}[]} traces  of the head
 */
export function commandOfPair(traces) {
	return `warplens diff ${traces.map(({label}) => shellWord(label)).join(' ')}`;
}
