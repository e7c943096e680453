/* SPDX-License-Identifier: MIT */
/* findings.js - the tab of findings: what is said, by what it is shown, and where. */
import {copyButton} from '../base/copy.js';
import {el, pressButton} from '../base/dom.js';
import {formatRatio} from '../base/format.js';
import {factList} from '../base/tables.js';
import {findingDevice, findingSpan} from '../data/evidence.js';
import {traceLetter} from '../data/source.js';
import {goToRow, rowPath} from './lists.js';
/** @import {App, Finding} from '../types.js' */

/** "saves ≤ 4.3%": of the run, the number of a finding; "" for one without a saving. */
export function savesWords({saves_share: share, saves_kind: kind, saves_about: about}) {
	const sign = about ? '~\u00a0' : {'at most': '≤\u00a0', 'at least': '≥\u00a0'}[kind] ?? '';

	return share === null || share === undefined ? '' : `saves ${sign}${formatRatio(share)}`;
}

/* "fixing this saves 2.0 ms …", or without sentences "saves ≤ 3.2%". */
function savingText(finding) {
	return finding.text ? finding.fixing : savesWords(finding);
}

/**
 * Go where a finding is to be seen.
 * @param {App} app
 * @param {Finding} finding  of head.findings
 */
export function showFinding(app, finding) {
	if (finding.begin === null)
		return;
	const {a, b} = findingSpan(app.source.head, finding);

	app.state.setRange({a, b});
	app.state.show(a, b);
	app.state.set('device', findingDevice(app.source.head, finding));
	if (finding.row >= 0)
		goToRow(app, finding.row);
	app.say(finding.text ? `${finding.title}: ${finding.text}` : finding.title);
}

/**
 * What is folded: how, and the command that shows it as a table.
 * @param {App} app
 */
function findingMore(app, finding) {
	const command = finding.evidence;

	if (finding.lines.length === 0 && !command)
		return null;
	return el('details', {}, el('summary', {}, finding.lines.length ? 'how' : 'command'),
		factList(finding.lines),
		command ? el('p.finding-tools', {}, el('code', {}, command),
			copyButton(app, 'copy', 'command', () => command)) : null);
}

/** @param {App} app */
function findingItem(app, finding, number) {
	const {head} = app.source;
	const trace = head.traces.length > 1 ? `${traceLetter(finding.trace)}: ` : '';
	const row = finding.row >= 0 ? rowPath(head, finding.row) : '';
	const behind = [savingText(finding), row].filter(Boolean).join(' · ');
	const advice = finding.title === finding.claim ? null : el('strong', {}, `→ ${finding.title}`);

	return el('li.finding', {id: `finding-${number}`, tabindex: '-1', 'data-severity': finding.severity},
		el('h2', {}, `${number} `, el('span.severity', {}, finding.severity), ` ${trace}${finding.claim}`,
			finding.begin === null ? null : pressButton('show', () => showFinding(app, finding),
				{'aria-label': `show: ${finding.claim}`})),
		el('p', {}, advice, behind ? el('span.of', {}, `${advice ? ' · ' : ''}${behind}`) : null),
		finding.beyond ? el('p', {}, finding.beyond) : null,
		findingMore(app, finding));
}

/**
 * Show a finding by its number: its place, and what is said of it.
 * @param {App} app
 * @param {number} number  from 1
 */
export function showNumbered(app, number) {
	const finding = app.source.head.findings[number - 1];

	if (!finding) {
		app.say(`There is no finding ${number}.`);
		return;
	}
	app.panels.show('findings');
	document.getElementById(`finding-${number}`)?.scrollIntoView({block: 'nearest'});
	showFinding(app, finding);
	if (finding.begin === null)
		app.say(`${finding.claim}: not at one place.`);
}

/**
 * Fill the tab.
 * @param {App} app
 * @param {HTMLElement} panel
 */
export function mountFindings(app, panel) {
	const {findings} = app.source.head;
	const items = findings.map((finding, i) => findingItem(app, finding, i + 1));

	panel.replaceChildren(items.length ? el('ol.findings', {}, ...items)
		: el('p.empty', {}, 'No findings in this trace.'));
}
