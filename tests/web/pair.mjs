/* SPDX-License-Identifier: MIT */
// Two traces of a source: the made-up one twice, the second with all its times moved and, where
// asked for, with kernels that take longer.

import {EmbeddedSource} from '../../web/data/embedded.js';
import {fakeSource} from './fake.js';
import {Lane} from '../../web/data/lane.js';
/** @import {Head, Row} from '../../web/types.js' */

function movedLane(lane, by, durationOf) {
	const moved = new Lane({
		start: lane.start.map((t) => t + by),
		dur: lane.dur.map(durationOf),
		cat: lane.cat, name: lane.name, ref: lane.ref,
	}, lane.categories);

	for (const key of ['launch', 'config', 'bytes', 'parent', 'span'])
		moved[key] = lane[key];
	return moved;
}

/** @typedef {(dur: number, i?: number, row?: import('../../web/types.js').Row) => number} Shorter */

/**
 * A source of two traces. by: ns that all times of B are later; first: number of B's first
 * iteration; shorter(dur, i, row): how long an event of B is, at most dur.
 * @param {{by?: number, first?: number, shorter?: Shorter}} options
 */
export function pairSource({by = 0, first = 0, shorter = (dur) => dur} = {}) {
	const a = fakeSource(), b = fakeSource();
	const {head} = a, n = head.rows.length, devices = head.devices.length;
	const later = ([from, to]) => [from + by, to + by];
	const both = /** @type {import('../../web/types.js').Head} */ ({
		...head,
		traces: [{...head.traces[0], label: 'a.sqlite'}, {...head.traces[0], label: 'dir/b.sqlite',
			begin: by, end: head.traces[0].end + by}],
		rows: [...head.rows, ...b.head.rows.map((row) => ({...row, trace: 1,
			parent: row.parent < 0 ? -1 : row.parent + n,
			device: row.device < 0 ? -1 : row.device + devices,
			process: row.process < 0 ? -1 : row.process + 1}))],
		lanes: [...head.lanes, ...head.lanes.map(([row, count]) => [row + n, count])],
		processes: [head.processes[0], {...b.head.processes[0], trace: 1, pid: 5000, first,
			iterations: b.head.processes[0].iterations.map(later),
			hosts: b.head.processes[0].hosts.map(later)}],
		devices: [...head.devices, ...head.devices.map((device) => ({...device, trace: 1,
			process: 1}))],
		findings: [...head.findings, {...head.findings[0], trace: 1, row: head.findings[0].row + n,
			begin: head.findings[0].begin + by, end: head.findings[0].end + by}],
		compare: null,
	});
	const moved = b.lanesOf.flatMap((lanes, row) => lanes.map((lane) =>
		movedLane(lane, by, (dur, i) => shorter(dur, i, b.head.rows[row]))));

	return new EmbeddedSource(both, [...a.lanesOf.flat(), ...moved], a.names);
}
