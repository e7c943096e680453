/* SPDX-License-Identifier: MIT */
/* peers.js - the collective of the selected operation: all its members, who arrives last, waiting and transfer. */
import {el} from '../base/dom.js';
import {formatBytes, formatNs, formatRate} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {inspectCollective} from '../data/collective.js';
import {deviceName} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
/** @import {App, Collective, Head} from '../types.js' */

/**
 * A member as the table calls it: its GPU, and its rank where that is another number.
 * @param {Head} head
 */
function memberName(head, {rowId}) {
	const {device, process} = head.rows[rowId];
	const rank = head.processes[process]?.rank ?? null;

	return deviceName(head, device) + (rank === null ? '' : `, rank ${rank}`);
}

/**
 * "AllReduce of 4: GPU 2 is last, 1.2 ms after the first; transfer about 190 us"
 * @param {Head} head
 */
function summary(head, collective, seen) {
	const first = seen.members[0], last = seen.members.at(-1);
	const apart = last.begin - first.begin;
	const order = !collective.clock ? 'arrivals cannot be compared'
		: `${memberName(head, last)} is last, ${formatNs(apart)} after the first`;
	const rates = seen.algbw === null ? '; bytes are not recorded'
		: `; ${formatBytes(collective.bytes)} per rank, ${formatRate(seen.algbw)}, on the bus ${formatRate(seen.busbw)}`;

	return `${collective.title} of ${collective.size}: ${order}; transfer about ${formatNs(seen.transfer)}${rates}`;
}

/**
 * The collective, or why it is not shown.
 * @param {App} app
 * @param {?Collective} collective  of details()
 * @returns {HTMLElement[]}
 */
export function peersView(app, collective) {
	const {head} = app.source;

	if (!collective)
		return [];
	const seen = inspectCollective(collective);

	if (!seen)
		return [el('p', {}, `${collective.title} of ${collective.size}, of which ` +
			`${collective.members.length} are in this page: without the others nothing can be said of waiting.`)];
	const first = seen.members[0].begin;
	const table = {
		columns: tableColumns([['member', 'Member', 'string'], ['after', 'Arrival', 'string'], ['wait', 'Wait', 'duration'],
			['dur', 'Length', 'duration'], ['waiting', 'Waiting', 'ratio']]),
		rows: seen.members.map((member) => [memberName(head, member),
			collective.clock ? `+${formatNs(member.begin - first)}${member.late === 0 ? ', last' : ''}` : '-',
			member.wait, member.end - member.begin, member.wait / (member.end - member.begin || 1)]),
	};
	const bar = (row, index) => {
		const part = el('span.cell-bar', {'aria-hidden': 'true'});

		part.style.setProperty('--part', `${100 * row[4]}%`);
		return index === 4 ? part : null;
	};

	return [
		el('p.peers', {}, summary(head, collective, seen)),
		makeTable(app, 'Members of the collective, by arrival', table, {goTitle: 'Show this member', mark: bar,
			go: (row) => () => app.timeline.goTo({...seen.members[table.rows.indexOf(row)], name: ''})}),
	];
}
