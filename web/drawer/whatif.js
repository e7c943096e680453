/* SPDX-License-Identifier: MIT */
/*
 * whatif.js - the tab of what would be: a slider per class of operations and the scenarios of `warplens whatif`, each with
 * the step that a replay predicts. One thing is different at a time: what several change together is no sum.
 */
import {copyButton} from '../base/copy.js';
import {el, pressButton, swatch} from '../base/dom.js';
import {formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {commandOfTrace, partName} from '../data/account.js';
import {tableColumns} from '../data/stats.js';
import {answerText, whatifOf} from '../data/whatif.js';
/** @import {App} from '../types.js' */

const CLASS_WORDS = {compute: 'compute', comm: 'communication', copy: 'copies', mpi: 'MPI calls'};
const SLIDER_STEP = 25;
const SLIDER_MOST = 125;

/** What is chosen and drawn. */
class WhatifView {
	/** @param {App} app */
	constructor(app, known) {
		const [{headline}] = app.source.head.traces;

		this.app = app;
		this.known = known;
		this.most = Math.max(...[...known.rows, ...known.classes.flatMap(({stops}) => [...stops.values()])]
			.filter(({isStep}) => isStep === (known.step !== null)).flatMap(({before, after}) => [before, after]));
		this.sliders = known.classes.map((one) => this.#slider(one));
		this.text = el('p', {'aria-live': 'polite'});
		this.then = el('div.whatif-bar');
		this.now = el('div.account-bar', {}, ...(headline?.parts ?? []).map(([key, ns]) => this.#part(key, ns)));
		this.element = el('div', {},
			el('p.of', {}, `What a replay predicts for the ${known.step === null ? 'run' : 'mean step'} if one thing is different; ` +
				'several together: warplens whatif with --with for each. ',
			pressButton('light the critical path', () => app.state.set('path', app.state.path ? '' : 'lit'), {title: 'P'})),
			el('div.whatif', {}, ...this.sliders.map(({element}) => element)),
			this.text, el('div.whatif-bars', {'aria-hidden': 'true'}, el('span', {}, 'now'), el('div', {}, this.now),
				el('span', {}, 'then'), el('div', {}, this.then)), this.#table());
		this.#show(null);
	}

	#part(key, ns) {
		const {head} = this.app.source;
		const known = [...head.classes, ...head.causes].find((other) => other.key === key);
		const span = el('span', {title: `${partName(key)} ${formatNs(ns)}`});

		if (known)
			for (const theme of ['light', 'dark'])
				span.style.setProperty(`--${theme}`, head.categories[known.colour][theme]);
		span.style.flexGrow = String(ns);
		return span;
	}

	#slider({name, stops}) {
		const said = el('output');
		const input = el('input', {type: 'range', min: '0', max: String(SLIDER_MOST), step: String(SLIDER_STEP), value: '100',
			on: {input: () => {
				const percent = Number(input.value);

				for (const other of this.sliders)
					if (other.input !== input)
						other.set(100);
				set(percent);
				this.#show(stops.get(percent) ?? null, `${CLASS_WORDS[name] ?? name} at ${percent}%`);
			}}});
		const set = (percent) => {
			input.value = String(percent);
			input.setAttribute('aria-valuetext', `${percent}% of its time`);
			said.textContent = `${percent}%`;
		};

		set(100);
		return {input, set, element: el('label', {}, `${CLASS_WORDS[name] ?? name} `, input, ' ', said)};
	}

	/* The step as it is, or as an answer has it. */
	#show(answer, what = '') {
		const {step} = this.known;
		const [first] = this.known.rows;
		const now = step ?? first?.before ?? 0;
		const after = answer?.after ?? now;
		const command = answer && commandOfTrace(`whatif --with ${answer.scenario}`, this.app.source.head.traces[0]);

		this.now.style.width = `${now / this.most * 100}%`;
		this.then.style.width = `${Math.max(0, after) / this.most * 100}%`;
		this.text.replaceChildren(el('strong', {}, answer ? what : 'now'), ` ${answer
			? answerText(answer, formatNs, formatRatio) + (answer.isStep === (step !== null) ? '' : ' (of the run)')
			: formatNs(now)}${answer?.next ? `; then most is ${answer.next}` : ''}. `,
		...(command ? [copyButton(this.app, 'copy command', 'command', () => command)] : []));
	}

	#table() {
		const {rows} = this.known;

		return makeTable(this.app, 'Scenarios, the largest saving first', {
			columns: tableColumns([['scenario', 'Scenario', 'string'], ['after', 'Then', 'duration'],
				['less', 'Less', 'duration'], ['share', 'Share', 'ratio'], ['of', 'Of', 'string'], ['forecast', 'Kind', 'string'],
				['why', 'What changes', 'string']]),
			rows: rows.map(({scenario, before, after, isStep, forecast, why}, i) => [scenario, after, before - after,
				(before - after) / before, isStep ? 'step' : 'run', forecast, why, i]),
		}, {go: (row) => () => {
			for (const slider of this.sliders)
				slider.set(100);
			this.#show(rows[row[7]], row[0]);
		}, goTitle: 'Draw this step', mark: (row, index) => (index === 0 ? this.#mark(row[0]) : null)});
	}

	#mark(scenario) {
		const {head} = this.app.source;
		const key = /^comm|overlap|no-wait/.test(scenario) ? 'exposed_comm' : /^cop|pinned/.test(scenario) ? 'exposed_copy' : '';
		const known = head.classes.find((other) => other.key === key);

		return known ? swatch(head.categories[known.colour]) : null;
	}
}

/**
 * Fill the tab; only where the page has answers.
 * @param {App} app
 * @param {HTMLElement} panel
 */
export function mountWhatif(app, panel) {
	panel.replaceChildren(new WhatifView(app, whatifOf(app.source.head.traces[0])).element);
}
