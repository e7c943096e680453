/* SPDX-License-Identifier: MIT */
/* findings.js - the tab of findings: what is said, by what it is shown, and where. */
import {copyButton} from '../base/copy.js';
import {el, pressButton} from '../base/dom.js';
import {formatNs, formatRatio} from '../base/format.js';
import {factList} from '../base/tables.js';
import {traceLetter} from '../data/source.js';
import {goToRow} from './lists.js';

/* "; fixing this saves 2.0 ms …", or without sentences " · up to 2.1 ms, 3.2%", or what of it is known. */
function savingText(finding) {
	const share = finding.share === null ? '' : formatRatio(finding.share);

	if (finding.text)
		return finding.fixing && `; ${finding.fixing}`;
	if (finding.saving === null)
		return share && ` · ${share}`;
	return ` · up to ${formatNs(finding.saving)}${share && `, ${share}`}`;
}

/**
 * Where a finding is to be seen: [a, b) in whole ns, a < b. A finding that only points is seen in
 * the iteration around it, else in a hundredth of its trace.
 * @param {object} head  of docs/web.md
 * @param {object} finding  of head.findings, with a begin
 */
export function findingSpan(head, finding) {
	const {begin, end, trace} = finding;

	if (end > begin)
		return {a: Math.floor(begin), b: Math.ceil(end)};
	const device = finding.row >= 0 ? head.rows[finding.row].device : -1;
	const process = head.processes[head.devices[device]?.process] ??
		head.processes.find((other) => other.trace === trace);
	const around = process?.iterations.find(([a, b]) => a <= begin && begin < b);
	const room = Math.ceil((head.traces[trace].end - head.traces[trace].begin) / 200) + 1;

	return around ? {a: around[0], b: around[1]}
		: {a: Math.floor(begin) - room, b: Math.ceil(begin) + room};
}

/**
 * Go where a finding is to be seen.
 * @param {object} app
 * @param {object} finding  of head.findings
 */
export function showFinding(app, finding) {
	if (finding.begin === null)
		return;
	const {a, b} = findingSpan(app.source.head, finding);

	app.state.setRange({a, b});
	app.state.show(a, b);
	if (finding.row >= 0)
		goToRow(app, finding.row);
	app.say(finding.text ? `${finding.title}: ${finding.text}` : finding.title);
}

function findingItem(app, finding, number) {
	const {head} = app.source;
	const trace = head.traces.length > 1 ? `${traceLetter(finding.trace)}: ` : '';
	const command = finding.evidence;
	const row = finding.row >= 0 ? ` · ${head.rows[finding.row].label}` : '';

	return el('li.finding', {id: `finding-${number}`},
		el('h2', {}, `${number} ${trace}${finding.title}`),
		el('p', {}, finding.text, el('span.of', {}, `${savingText(finding)}${row}`)),
		factList(finding.lines),
		el('p.finding-tools', {},
			finding.begin === null ? null : pressButton('show', () => showFinding(app, finding),
				{'aria-label': `show: ${finding.title}`}),
			command ? el('code', {}, command) : null,
			command ? copyButton(app, 'copy', 'command', () => command) : null));
}

/**
 * Fill the tab.
 * @param {object} app
 * @param {HTMLElement} panel
 */
export function mountFindings(app, panel) {
	const {findings} = app.source.head;
	const items = findings.map((finding, i) => findingItem(app, finding, i + 1));

	panel.replaceChildren(items.length ? el('ol.findings', {}, ...items)
		: el('p.empty', {}, 'No findings in this trace.'));
}
