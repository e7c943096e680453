/*
 * comparebar.js - the bar of a page of two traces: which is A and which B, what lies beside what, and
 * whether B is faster. It is not there with one trace.
 */
import {nearestIteration} from './align.js';
import {el, pressButton} from './dom.js';
import {leaderOf} from './iterations.js';
import {sideChoices} from './pairs.js';

const fileName = (label) => label.split('/').at(-1);

/* A choice of the alignment as the value of an option: its mode, and the name of a range. */
const alignValue = ({mode, name}) => (mode === 'nvtx' ? `nvtx ${name}` : mode);

function alignOptions(pairing, names) {
	const options = [['wall', 'first event']];

	if (pairing.canPair)
		options.unshift(['iteration', 'iteration start'],
			...names.map((name) => [`nvtx ${name}`, `NVTX “${name}”`]));
	return options.map(([value, text]) => el('option', {value}, text.slice(0, 80)));
}

/* Fields for the iterations of both sides, with buttons that step both. */
function pairFields(app) {
	const pairing = app.compare;
	const {head} = app.source;
	const field = (trace, key, letter) => {
		const {iterations, first} = leaderOf(head, trace);
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
	const root = el('span.compare-pair', {}, 'it A ', inputs.a, ' ↔ B ', inputs.b,
		step('◀', -1, 'Previous iteration of both, ( key'),
		step('▶', 1, 'Next iteration of both, ) key'));

	return {root, inputs};
}

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

/* The controls follow the alignment, whoever changes it. */
function alignControls(app) {
	const pairing = app.compare;
	const {state} = app;
	const select = el('select', {on: {change() {
		const [mode, ...name] = select.value.split(' ');

		pairing.choose(mode === 'nvtx' ? {mode, name: name.join(' ')} : {mode});
	}}}, ...alignOptions(pairing, []));
	const fields = pairing.canPair ? pairFields(app) : null;
	const show = () => {
		const value = alignValue(state.align);

		if (![...select.options].some((option) => option.value === value))
			select.add(new Option(`NVTX “${state.align.name}”`, value));
		select.value = value;
		if (!fields)
			return;
		fields.root.hidden = !pairing.hasPair;
		for (const key of ['a', 'b'])
			fields.inputs[key].value = state.align[key] ?? '';
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

/**
 * Fill the bar.
 * @param {object} app  with an AlignedSource, and compare: a Pairing
 * @param {HTMLElement} bar
 */
export function mountCompareBar(app, bar) {
	const {head} = app.source;

	bar.replaceChildren(el('div.compare-line', {}, traceNames(head), ...alignControls(app),
		sideSelect(app)));
	bar.hidden = false;
}
