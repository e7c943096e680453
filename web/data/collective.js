/* SPDX-License-Identifier: MIT */
// Collectives: which operations belong together, who came when, and what is waiting and what transfer.

/** Of lane.match: the operation is a member of no collective that is known. */
export const NO_MATCH = 0xffffffff;

/**
 * By trace and match the operations of a file: Map(match -> [{rowId, lane, i}]). Linear, once.
 * @param {LaneSource} source
 */
function membersOf(source, trace) {
	source.members ??= [];
	if (!source.members[trace]) {
		const all = new Map();

		source.head.rows.forEach((row, rowId) => {
			for (const lane of row.kind === 'stream' && row.trace === trace ? source.lanesOf[rowId] : []) {
				lane.match?.forEach((match, i) => {
					if (match !== NO_MATCH)
						all.set(match, [...(all.get(match) ?? []), {rowId, lane, i}]);
				});
			}
		});
		source.members[trace] = all;
	}
	return source.members[trace];
}

/**
 * The collective of an event of a file, as details() of source.js has it; null for none.
 * @param {LaneSource} source
 * @param {{rowId: number, lane: Lane, i: number}} event
 * @returns {Collective|null}
 */
export function collectiveOf(source, {rowId, lane, i}) {
	const match = lane.match?.[i] ?? NO_MATCH;
	const {trace} = source.head.rows[rowId];

	if (match === NO_MATCH)
		return null;
	const [, title, size, ranks, clock, volume, bus] =
		source.head.traces[trace].collectives.findLast(([first]) => first <= match);

	return {title, size, ranks, clock, volume, bus, bytes: lane.bytes?.[i] ?? 0,
		members: (membersOf(source, trace).get(match) ?? []).map((member) => ({rowId: member.rowId, ref: member.lane.ref[member.i],
			begin: member.lane.start[member.i], end: member.lane.end(member.i)}))};
}

/**
 * What a collective says of its members, in the order of their arrival; as `nccl --list` has it.
 * @param {Collective} collective  of details()
 * @returns {?{transfer: number, members: {rowId: number, ref: number, begin: number, end: number, wait: number,
 *     late: ?number}[], algbw: number|null, busbw: number|null}} ns; wait: how much longer than the transfer it took,
 *     late: how long before the last it came; bytes per second. Null where members are missing.
 */
export function inspectCollective({size, clock, volume, bus, bytes, members}) {
	if (members.length < size)
		return null;
	const transfer = Math.min(...members.map(({begin, end}) => end - begin));
	const last = Math.max(...members.map(({begin}) => begin));
	const algbw = bytes && transfer > 0 ? bytes * volume * 1e9 / transfer : null;

	return {
		transfer,
		algbw,
		busbw: algbw === null ? null : algbw * bus,
		members: [...members].sort((x, y) => x.begin - y.begin || x.rowId - y.rowId).map((member) => ({...member,
			wait: member.end - member.begin - transfer, late: clock ? last - member.begin : null})),
	};
}
/** @import {Collective, Lane, LaneSource} from '../types.js' */
