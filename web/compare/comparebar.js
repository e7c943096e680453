/* SPDX-License-Identifier: MIT */
/*
 * comparebar.js - the bar of a page of two traces: which is A and which B, what lies beside what,
 * and whether B is faster. It is not there with one trace.
 */
import {el, pressButton} from '../base/dom.js';
import {nearestIteration} from '../data/align.js';
import {leaderOf} from '../data/iterations.js';
import {sideChoices} from '../data/pairs.js';
import {traceLetter} from '../data/source.js';
import {comparedView} from './compared.js';
import {comparableChecks, comparedTable, verdictNumber, verdictWord, waterfallOf} from
	'./comparison.js';
import {periodChart, waterfallView} from './waterfall.js';
/** @import {App, Head, Process} from '../types.js' */
/** @import {Pairing} from './pairing.js' */

/** Heights of a window, in CSS pixels, from which verdict and waterfall are unfolded at first. */
const VERDICT_ROOM = 800;
const WATERFALL_ROOM = 850;
const FOLD_KEY = 'warplens.compare';

/* Kept by the browser; where it keeps nothing, each page begins without it. */
function keptFold(name, usual) {
	try {
		return JSON.parse(localStorage.getItem(`${FOLD_KEY}.${name}`) ?? 'null') ?? usual;
	} catch {
		return usual;
	}
}

function keepFold(name, open) {
	try {
		localStorage.setItem(`${FOLD_KEY}.${name}`, String(open));
	} catch {
		/* Only a convenience. */
	}
}

const fileName = (label) => label.split('/').at(-1);

/**
 * A choice of the alignment as the value of an option: its mode, and the name of a range.
 * @param {{mode: string, name?: string}} align
 */
const alignValue = ({mode, name}) => (mode === 'nvtx' ? `nvtx ${name}` : mode);

function alignOptions(pairing, names) {
	const options = [['wall', 'first event']];

	if (pairing.canPair)
		options.unshift(['iteration', 'iteration start'],
			...names.map((name) => [`nvtx ${name}`, `NVTX “${name}”`]));
	return options.map(([value, text]) => el('option', {value}, text.slice(0, 80)));
}

/**
 * Fields for the iterations of both sides, with buttons that step both.
 * @param {App} app
 */
function pairFields(app) {
	const pairing = /** @type {Pairing} */ (app.compare);
	const {head} = app.source;
	const field = (trace, key, letter) => {
		const {iterations, first} = /** @type {Process} */ (leaderOf(head, trace));
		const change = () => pairing.choose({[key]: nearestIteration(head, trace,
			Number(input.value) || first)});
		const input = el('input', {type: 'number', min: first,
			max: first + iterations.length - 1, 'aria-label': `Iteration of ${letter}`,
			on: {change}});

		return input;
	};
	const inputs = {a: field(0, 'a', 'A'), b: field(1, 'b', 'B')};
	const step = (sign, by, title) => pressButton(sign, () => pairing.step(by),
		{title, 'aria-label': title});
	const root = el('span.compare-pair', {}, 'step A ', inputs.a, ' ↔ B ', inputs.b,
		step('◀', -1, 'Previous iteration of both, ( key'),
		step('▶', 1, 'Next iteration of both, ) key'));

	return {root, inputs};
}

/** @param {App} app */
function sideSelect({state, source}) {
	const select = el('select', {on: {change: () => state.set('sides', select.value)}},
		...sideChoices(source.head).map(([value, title]) => el('option', {value}, title)));
	const show = () => {
		select.value = state.sides;
	};

	state.on('sides', show);
	show();
	return el('label', {title: 'V key'}, 'rows ', select);
}

/**
 * The controls follow the alignment, no matter what changes it.
 * @param {App} app
 */
function alignControls(app) {
	const pairing = /** @type {Pairing} */ (app.compare);
	const {state} = app;
	const select = el('select', {on: {change() {
		const [mode, ...name] = select.value.split(' ');

		pairing.choose(mode === 'nvtx' ? {mode, name: name.join(' ')} : {mode});
	}}}, ...alignOptions(pairing, []));
	const fields = pairing.canPair ? pairFields(app) : null;
	const show = () => {
		const align = /** @type {{mode: string, name?: string, a?: number, b?: number}} */ (state.align);
		const value = alignValue(align);

		if (![...select.options].some((option) => option.value === value))
			select.add(new Option(`NVTX “${align.name}”`, value));
		select.value = value;
		if (!fields)
			return;
		fields.root.hidden = !pairing.hasPair;
		for (const key of ['a', 'b'])
			fields.inputs[key].value = align[key] ?? '';
	};

	state.on('align', show);
	show();
	pairing.rangeNames().then((names) => {
		select.replaceChildren(...alignOptions(pairing, names));
		show();
	}, () => {
		/* Ranges are not offered; the other choices remain. */
	});
	return [el('label', {title: 'What of both lies at 0'}, 'align ', select), fields?.root ?? null];
}

function traceNames({traces}) {
	const name = (letter, {label}) => el('span.compare-name', {title: label},
		el('strong', {}, letter), ` ${fileName(label)}`);

	return el('span.compare-names', {}, name('A', traces[0]), ' ⇄ ', name('B', traces[1]));
}

/* Verdict with its figures, and the periods that it is about. */
function verdictLine(compare) {
	const longest = compare.periods.flat().reduce((most, period) => Math.max(most, period), 1);
	const charts = compare.periods.flatMap((periods, i) => (periods.length > 0
		? [el('span.compare-periods', {}, `${traceLetter(i)} `,
			periodChart(traceLetter(i), periods, longest))] : []));

	const {lead, rest} = compare;
	const number = verdictNumber(compare);

	return el('p.compare-verdict', {},
		number ? el(`strong.compare-number.${compare.verdict}`, {}, number) : null,
		el('span', {}, el('strong', {},
			number ? verdictWord(compare).replace(/^\S+ /, '') : verdictWord(compare), lead), el('span.of', {}, rest)),
		el('span.compare-charts', {}, ...charts));
}

/**
 * Whether the traces can be compared: what holds and what does not, in words.
 * @param {Head} head
 */
export function checkList(head) {
	return el('div.compare-checks', {}, el('span', {}, 'comparable?'),
		el('ul', {'aria-label': 'Comparable?'}, ...comparableChecks(head).map(
			({ok, text, more}) => el('li', {title: more},
				el(ok ? 'span.good' : 'span.doubtful', {}, ok ? '✔ ' : '⚠ '), text))));
}

/**
 * Where the change comes from: a sentence, and folded a picture with its table.
 * @param {App} app
 */
function whyView(app, compare) {
	const waterfall = waterfallOf(comparedTable(compare, 'budget'));

	if (!waterfall)
		return compare.why ? el('p', {}, compare.why) : null;
	return el('details.compare-why', {open: keptFold('why', innerHeight >= WATERFALL_ROOM),
		on: {toggle: ({target}) => keepFold('why', target.open)}},
	el('summary', {}, compare.why || 'Where the time went'),
	waterfallView(waterfall, compare.extent, (kind) => app.panels.compared(kind === 'idle' ? 'idle' : 'kernels')),
	el('details', {}, el('summary', {}, 'In numbers'),
		comparedView(app, comparedTable(compare, 'budget'), false)));
}

/**
 * What diff says; it may have refused.
 * @param {App} app
 */
function verdictView(app, compare) {
	if (compare.error)
		return [el('p.compare-verdict', {}, el('span.doubtful', {}, '⚠ '),
			`Not compared: ${compare.error}`)];
	return [verdictLine(compare), checkList(app.source.head), whyView(app, compare)];
}

/* All but the first line folds away; the answer in short stays. */
function foldButton(compare, body) {
	const short = compare.error ? 'not compared'
		: `${verdictWord(compare)}${compare.lead}`;
	const show = () => {
		button.textContent = body.hidden ? `▸ ${short}` : '▾ verdict';
		button.setAttribute('aria-expanded', String(!body.hidden));
	};
	const button = pressButton('', () => {
		body.hidden = !body.hidden;
		keepFold('verdict', !body.hidden);
		show();
	}, {class: 'compare-fold', 'aria-controls': body.id});

	body.hidden = !keptFold('verdict', innerHeight >= VERDICT_ROOM);
	show();
	return button;
}

/**
 * Fill the bar.
 * @param {App} app  with an AlignedSource, and compare: a Pairing
 * @param {HTMLElement} bar
 */
export function mountCompareBar(app, bar) {
	const {head} = app.source;
	const body = el('div.compare-body', {id: 'compare-body'}, ...(head.compare
		? verdictView(app, head.compare) : []).filter(Boolean));

	bar.replaceChildren(el('div.compare-line', {}, traceNames(head), ...alignControls(app),
		sideSelect(app), head.compare ? foldButton(head.compare, body) : null), body);
	bar.hidden = false;
}
