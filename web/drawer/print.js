/* SPDX-License-Identifier: MIT */
/*
 * print.js - the page on paper: findings with a picture of where they are, and the tables. The
 * canvas stays away: it shows whatever was in view. style.css makes it light.
 */
import {el} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {factList, makeTable} from '../base/tables.js';
import {commandOfPair, commandOfRange, onlyLongest} from '../data/account.js';
import {timeWords} from '../data/clock.js';
import {colourOf, traceLetter} from '../data/source.js';
import {checkList} from '../compare/comparebar.js';
import {comparedTables, comparedView} from '../compare/compared.js';
import {comparedTable, verdictWord, waterfallOf} from '../compare/comparison.js';
import {svgElement, waterfallView} from '../compare/waterfall.js';
import {findingSpan} from '../data/evidence.js';
import {captureFacts, gpuTable, iterationTable} from './lists.js';
import {ONLY_LONGEST, shareOfAll, spanText, withoutShare} from './range.js';
import {verbParts, verbsOf} from './verbs.js';
/** @import {App, Head, Source} from '../types.js' */

const STRIP_COLUMNS = 480;
const STRIP_ROW = 12;
const STRIP_LABELS = 150;
const STRIP_ROWS_AT_MOST = 8;

/* One lane as rectangles: columns that look alike are one. */
function laneShapes({cat, share}, y, colour) {
	const shapes = [];

	for (let x = 0, next; x < cat.length; x = next) {
		for (next = x + 1; next < cat.length && cat[next] === cat[x] && share[next] === share[x];)
			next++;
		if (share[x]) {
			const height = Math.max(1, share[x] / 255 * (STRIP_ROW - 2));

			shapes.push(svgElement('rect', {x: STRIP_LABELS + x, y: y + STRIP_ROW - 1 - height,
				width: next - x, height, fill: colour(cat[x])}));
		}
	}
	return shapes;
}

/**
 * The row of a finding and those of its GPU that explain it.
 * @param {Head} head
 */
function stripRows(head, finding) {
	const {device} = head.rows[finding.row];
	const ids = head.rows.flatMap((row, i) => (i === finding.row || (device >= 0 &&
		row.device === device && /^(gpu|stream|gaps)$/.test(row.kind) && row.events) ? [i] : []));

	return ids.slice(0, STRIP_ROWS_AT_MOST);
}

/**
 * A picture of a finding; null where there is nothing to see.
 * @param {Source} source
 */
async function findingStrip(source, finding) {
	const {head} = source;

	if (finding.begin === null || finding.row < 0)
		return null;
	const rows = stripRows(head, finding);
	const {a, b: end} = findingSpan(head, finding);
	const b = Math.max(end, a + STRIP_COLUMNS);
	const pictures = await source.pictures(rows, a, b, STRIP_COLUMNS);
	const image = svgElement('svg', {viewBox: `0 0 ${STRIP_LABELS + STRIP_COLUMNS} ` +
		`${(rows.length + 1) * STRIP_ROW + 4}`, role: 'img', 'aria-label': finding.claim});
	const text = (x, line, anchor, content) => svgElement('text', {x, y: line * STRIP_ROW + 9,
		'text-anchor': anchor, 'font-size': 8}, content);

	rows.forEach((id, line) => {
		const row = head.rows[id];
		const colour = (cat) => head.categories[colourOf(head, row, cat)].light;

		image.append(text(0, line, 'start', row.label.slice(0, 32)),
			...(pictures.get(id) ?? []).slice(0, 1).flatMap((lane) =>
				laneShapes(lane, line * STRIP_ROW, colour)));
	});
	image.append(text(STRIP_LABELS, rows.length, 'start',
		timeWords(head, 'capture', a)),
		text(STRIP_LABELS + STRIP_COLUMNS, rows.length, 'end', `+ ${formatNs(b - a)}`));
	return image;
}

/** @param {Source} source */
async function printedFinding(source, finding, number) {
	const letter = source.head.traces.length > 1 ? `${traceLetter(finding.trace)}: ` : '';

	return el('section.print-finding', {},
		el('h3', {}, `${number} ${letter}${finding.severity}: ${finding.claim}`),
		finding.claim === finding.title ? null : el('p', {}, el('strong', {}, `→ ${finding.title}`)),
		el('p', {}, finding.text),
		factList(finding.lines),
		await findingStrip(source, finding),
		finding.evidence ? el('p', {}, el('code', {}, finding.evidence)) : null);
}

/** @param {App} app */
function printedStats(app, title, devices, table, {a, b, streams}) {
	if (onlyLongest(app.source.head, streams))
		return makeTable(app, `${title}; ${ONLY_LONGEST}`, withoutShare(table));
	return makeTable(app, `${title}; share of ${spanText(b - a, devices)}`,
		shareOfAll(table, devices));
}

/**
 * What was compared, with all its tables; nothing of one trace.
 * @param {App} app
 */
function printedComparison(app) {
	const {head} = app.source;
	const {compare} = head;

	if (!compare)
		return [];
	if (compare.error)
		return [el('h2', {}, 'Comparison'), el('p', {}, `Not compared: ${compare.error}`)];
	const waterfall = waterfallOf(comparedTable(compare, 'budget'));

	return [
		el('h2', {}, 'Comparison'),
		el('p', {}, el('strong', {}, verdictWord(compare)), compare.line),
		compare.why ? el('p', {}, compare.why) : null, checkList(head),
		waterfall ? waterfallView(waterfall, compare.extent) : null,
		...comparedTables(compare).map(({table}) => comparedView(app, table, false)),
		...compare.notes.map((note) => el('p', {}, note)),
	];
}

/* Tabs that are printed as they stand, without what only a pointer or a key can use. */
const PRINTED_TABS = ['serving', 'whatif'];
const NOT_ON_PAPER = '.range-choices, .whatif, .table-tools, .copy, details, p.of button';

function printedTab(tab) {
	const panel = document.getElementById(`panel-${tab}`), title = document.getElementById(`tab-${tab}`);

	if (!panel?.childElementCount || !title || title.hidden)
		return [];
	const copy = el('div', {}, ...[...panel.childNodes].map((node) => node.cloneNode(true)));

	for (const part of copy.querySelectorAll(NOT_ON_PAPER))
		part.remove();
	return [el('h2', {}, title.textContent), copy];
}

/**
 * All that is printed; of the range where there is one, else of the whole trace. With a source that
 * answers at once all of this is done before the print goes on.
 * @param {App} app
 */
async function printedPage(app) {
	const {source, state} = app;
	const {head} = source;
	const a = state.range?.a ?? state.extent.begin;
	const b = state.range?.b ?? state.extent.end;
	const what = `${state.range ? 'Range' : 'Whole trace'}, ${formatNs(b - a)} ` +
		`from ${timeWords(head, state.clock, a)}`;
	const streams = head.rows.flatMap((row, i) => (row.kind === 'stream' ? [i] : []));
	const findings = await Promise.all(head.findings.map(
		(finding, i) => printedFinding(source, finding, i + 1)));
	const tables = [makeTable(app, `GPUs: ${what}`, await gpuTable(source, a, b))];
	const devices = new Set(streams.map((id) => head.rows[id].device)).size;

	for (const [by, title] of [['name', 'Kernels and copies'], ['category', 'Categories'],
		['nvtx', 'NVTX ranges'], ['stream', 'Streams']])
		tables.push(printedStats(app, `${title}: ${what}`, devices,
			await source.stats(a, b, streams, by), {a, b, streams}));
	return [
		el('h2', {}, head.traces.map((trace) => trace.label).join(' and ')),
		el('p', {}, el('code', {}, app.compare ? commandOfPair(head.traces)
			: commandOfRange('timeline', head.traces[0], a, b)), ` · ${head.program}`),
		head.limits?.banner ? el('p', {}, head.limits.banner) : null,
		...printedComparison(app),
		el('h2', {}, 'Findings'), ...findings,
		...PRINTED_TABS.flatMap(printedTab),
		...verbsOf(head).flatMap(([verb, title]) => [el('h2', {}, title),
			...verbParts(app, verb)]),
		el('h2', {}, 'Tables'), ...tables,
		makeTable(app, 'Iterations; against the p50 of their process', iterationTable(head)),
		el('h2', {}, 'Capture'), ...head.traces.map(captureFacts),
	].filter((part) => part !== null);
}

/**
 * Have the page printed as above, no matter what asks for it. A server's answers do not come while a
 * browser prints: of its pages only print() has all, and the paper says so otherwise.
 * @param {App} app
 * @param {(tab: string) => ?Promise<void>} refresh  has a tab filled that may not have been looked at
 * @returns {{print: () => Promise<void>}} prints when all is there
 */
export function mountPrint(app, refresh) {
	const paper = el('section.print-only', {'aria-hidden': 'true'});
	let isFilled = false;
	const clear = () => {
		isFilled = false;
		paper.replaceChildren(el('p', {}, 'The tables of this page are on its server. The action ' +
			'“Print” of the command palette gets them first.'));
	};
	const fill = async () => {
		await Promise.all(PRINTED_TABS.map(refresh));
		paper.replaceChildren(...await printedPage(app));
		for (const table of paper.querySelectorAll('.table-box'))
			table.dispatchEvent(new Event('unfold'));
		isFilled = true;
	};

	const excuse = (problem) => app.say(`Not all can be printed: ${problem.message}`);

	clear();
	document.body.append(paper);
	addEventListener('beforeprint', () => isFilled || fill().catch(excuse));
	addEventListener('afterprint', clear);
	return {print: () => fill().then(() => window.print(), excuse)};
}
