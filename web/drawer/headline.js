/* SPDX-License-Identifier: MIT */
/*
 * headline.js - the lines above all: how long a step is, where it goes, on which GPUs, and the largest
 * finding with its advice. The figures are those of `warplens summary`; each part leads to where it is shown.
 */
import {el, pressButton, swatch} from '../base/dom.js';
import {formatNs, formatRatio} from '../base/format.js';
import {trendView} from '../compare/trend.js';
import {explainedBy, isInDoubt, partName} from '../data/account.js';
import {savesWords} from './findings.js';
/** @import {App} from '../types.js' */

/** Parts of a step with less than this are not in the line, as in `summary`. */
const LEAST_PART = 0.005;
/** A mean that is further from the median is said. */
const LEAST_OFF = 0.01;
const NOT_IDLE_PARTS = ['compute', 'exposed_comm', 'exposed_copy'];

/**
 * "20 steps, median 53.42 ms", "55 decodes, median 1.06 ms; 5 prefills, median 3.48 ms", or with ranges around them.
 * @param {{count: number, median: number, lengths: [number, number, string][], outer?: [number, number, string],
 *     guess?: boolean}} steps
 */
export function stepWords({count, median, lengths, outer, guess}) {
	/** @param {[number, number, string]} part */
	const partWords = ([n, length, name]) => `${n}${name && ' '}${name}${n === 1 ? ' of' : ', median'} ${formatNs(length)}`;
	/** @type {[number, number, string]} */
	const plain = [count, median, count === 1 ? 'step' : 'steps'];
	const parts = lengths.length ? lengths : [plain];
	const words = `${parts.map(partWords).join('; ')}${outer ? `; in ${partWords(outer)}` : ''}`;

	return guess ? `${words}, guessed` : words;
}

/**
 * Shares of a step: compute, what is exposed, and all idle causes as one.
 * @param {[string, number, number][]} parts  of head.traces[].headline
 * @returns {[string, number][]} key and share
 */
export function headlineShares(parts) {
	const idle = parts.filter(([key]) => !NOT_IDLE_PARTS.includes(key))
		.reduce((sum, [, , share]) => sum + share, 0);

	/** @type {[string, number][]} */
	const shares = parts.filter(([key]) => NOT_IDLE_PARTS.includes(key)).map(([key, , share]) => [key, share]);

	return [...shares, /** @type {[string, number]} */ (['idle', idle])].filter(([, share]) => share >= LEAST_PART);
}

/** Of GPUs that are shown: "4x NVIDIA H100", "2x A, 6x B", "4 GPUs" where names are not known; "" without GPUs. */
export function gpuWords(facts, devices) {
	const shown = devices.flatMap(({label}, i) => (label === null ? [] : [`GPU ${i}`]));
	const names = facts.filter(([name]) => shown.includes(name));
	const counts = new Map();

	for (const [, value] of names)
		counts.set(value, (counts.get(value) ?? 0) + 1);
	if (names.length < shown.length)
		return `${shown.length} GPU${shown.length === 1 ? '' : 's'}`;
	return [...counts].map(([name, n]) => `${n}x ${name.replace(/^NVIDIA /, '')}`).join(', ');
}

/** @param {App} app */
function stepPart(app, steps) {
	const limits = steps.least === undefined || steps.lengths.length ? '' : `${formatNs(steps.least)} to ${formatNs(steps.most)}; `;

	return pressButton('', () => {
		const process = app.source.head.processes.find(({steady}) => steady >= 0);

		if (process)
			app.state.show(...process.iterations[process.steady], 0.01);
	}, {title: 'What a step is, the shortest and the longest; shows the steady step'}).appendChild(
		el('span', {}, el('strong', {}, stepWords(steps)), el('span.of', {title: steps.what}, ` (${limits}${steps.what})`))).parentElement;
}

/** What shares are of, where that is not what the line says of steps: "mean step 1.333 ms:". */
export function meanWords({steps, parts}) {
	const mean = parts.reduce((sum, [, time]) => sum + time, 0);
	const isMedian = steps && steps.lengths.length === 0 && Math.abs(mean - steps.median) <= LEAST_OFF * steps.median;

	return steps && !isMedian ? `mean step ${formatNs(mean)}:` : '';
}

/** What the share of idle time leaves open: that counters contradict it, or which finding has most of it if not the first. */
export function idleWords({findings}, parts) {
	const [most] = parts.filter(([key]) => !NOT_IDLE_PARTS.includes(key)).sort(([, a], [, b]) => b - a);
	const number = most ? explainedBy(findings, most[0]) : 0;
	const isLargest = most && parts.every(([, time]) => time <= most[1]);

	return isInDoubt(findings) ? ' (in doubt: see 1)' : isLargest && number > 1 ? ` (mostly ${partName(most[0])}: see ${number})` : '';
}

/** @param {App} app */
function sharePart(app, key, share, parts) {
	const {head} = app.source;
	const known = head.classes.find((other) => other.key === key);
	const button = pressButton('', () => app.panels.show('range'),
		{title: 'Of the mean step; shows the account of the view'});

	if (known)
		button.append(swatch(head.categories[known.colour]));
	else
		button.append(el('span.swatch.none', {'aria-hidden': 'true'}));
	button.append(`${partName(key)} ${formatRatio(share)}${key === 'idle' ? idleWords(head, parts) : ''}`);
	return button;
}

/**
 * The first finding with how much it matters and what to do, or that there is nothing to save.
 * @param {App} app
 */
function biggestPart(app) {
	const [finding] = app.source.head.findings;

	if (!finding || (finding.saving === null && !isInDoubt(app.source.head.findings)))
		return el('span.headline-plain', {}, 'no loss above 1%');
	const saves = savesWords(finding);
	const advice = finding.title === finding.claim ? null : el('strong', {}, ` → ${finding.title}`);

	return pressButton('', () => app.panels.finding(1), {class: 'headline-biggest', 'data-severity': finding.severity,
		title: `${finding.fixing || finding.title}. Key 1 shows it.`}).appendChild(
		el('span', {}, el('strong', {}, '⚑1 ', el('span.severity', {}, finding.severity), `${saves ? ', ' : ''}${saves}: `),
			finding.claim, advice)).parentElement;
}

/* What was recorded and has no rows; "" where all has. */
const unusedWords = (kinds) => (kinds.length ? `in the trace, not shown: ${kinds.join(', ')}` : '');

/** @param {App} app */
function headlineParts(app, trace) {
	const {head} = app.source;
	const {headline, facts, notes} = trace;
	const gpus = gpuWords(facts, head.devices);
	const unused = unusedWords(trace.unused ?? []);
	const capture = (text) => pressButton(text, () => app.panels.show('tables'), {title: 'Tables of the trace'});

	if (!headline || headline.parts.length === 0)
		return [el('span.headline-plain', {}, el('strong', {}, 'No GPU work: '), notes.join('; ') ||
			'this trace has no GPU operations')];
	const mean = meanWords(headline);

	return [headline.steps ? stepPart(app, headline.steps) : null, mean ? el('span.of', {}, mean) : null,
		...headlineShares(headline.parts).map(([key, share]) => sharePart(app, key, share, headline.parts)),
		gpus ? capture(gpus) : null, biggestPart(app), unused ? capture(unused) : null];
}

/**
 * Fill the line. Of more than two traces it is their trend; of two the bar of the comparison stands for it.
 * @param {App} app
 * @param {HTMLElement} element
 */
export function mountHeadline(app, element) {
	const {traces} = app.source.head;

	const parts = traces.length === 1 ? headlineParts(app, traces[0]) : traces.length > 2 ? [trendView(app)] : [];

	if (!parts.some(Boolean))
		return;
	element.replaceChildren(...parts.filter((part) => part !== null));
	element.hidden = false;
}
