/* findings.js - the tab of findings: what is said, by what it is shown, and where. */
import {copyButton} from './copy.js';
import {el, pressButton} from './dom.js';
import {formatNs, formatRatio} from './format.js';
import {goToRow} from './lists.js';

/* "saves 2.1 ms, 3.2%", or what of it is known. */
function savingText(finding) {
	const parts = [];

	if (finding.saving !== null && finding.saving !== undefined)
		parts.push(formatNs(finding.saving));
	if (finding.share !== null && finding.share !== undefined)
		parts.push(formatRatio(finding.share));
	return parts.length ? ` · up to ${parts.join(', ')}` : '';
}

/**
 * Go where a finding is to be seen.
 * @param {object} app
 * @param {object} finding  of head.findings
 */
export function showFinding(app, finding) {
	if (finding.begin === null)
		return;
	app.state.setRange({a: finding.begin, b: finding.end});
	app.state.show(finding.begin, finding.end);
	if (finding.row >= 0)
		goToRow(app, finding.row);
	app.say(`${finding.title}: ${finding.text}`);
}

function findingItem(app, finding, number) {
	const {head} = app.source;
	const trace = head.traces.length > 1 ? `${head.traces[finding.trace].label}: ` : '';
	const row = finding.row >= 0 ? ` · ${head.rows[finding.row].label}` : '';

	return el('li.finding', {id: `finding-${number}`},
		el('h2', {}, `${number} ${trace}${finding.title}`),
		el('p', {}, finding.text, el('span.of', {}, `${savingText(finding)}${row}`)),
		el('p.finding-tools', {},
			finding.begin === null ? null : pressButton('show', () => showFinding(app, finding),
				{'aria-label': `show: ${finding.title}`}),
			finding.evidence ? el('code', {}, finding.evidence) : null,
			finding.evidence ? copyButton(app, 'copy', 'command', () => finding.evidence) : null));
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
		: el('p.empty', {}, 'No finding: nothing in this trace stands out.'));
}
