/* SPDX-License-Identifier: MIT */
/* legend.js - what colours of operations mean, below the timeline; a press leaves only one. */
import {el, pressButton, swatch} from '../base/dom.js';
/** @import {App, Head, Source} from '../types.js' */

/**
 * The colours of operations, as far as the trace has such: index of head.categories, and the categories of
 * operations that have it.
 * @param {Head} head
 * @returns {{colour: number, words: string[]}[]}
 */
export function legendOf(head) {
	return head.categories.map((_, colour) => ({colour,
		words: head.words.filter((word) => word.colour === colour).map(({key}) => key)}))
		.filter(({words}) => words.length > 0);
}

/**
 * What is looked at: the operations of one colour.
 * @param {Source} source
 */
function litColour(source, colour, text) {
	return {key: `colour ${colour}`, text, colour, fits: (name) => source.nameCategory(name) === colour};
}

/** What is neither a colour nor a name. */
const SIGNS = 'Hatched: communication that no compute overlaps. NCCL *: every kernel of the stream communicates. ' +
	'↧: ranges where their compute lies on the GPU. # in a name: any number. +1: levels that are not shown. ' +
	'▲: a slow step. ⚑: a finding. A sign before the text of a gap is its cause: ';

/** @param {App} app */
function signsButton(app) {
	const text = `${SIGNS}${app.source.head.causes.filter(({glyph}) => glyph)
		.map(({glyph, key}) => `${glyph} ${key}`).join(', ')}.`;

	return pressButton('signs', () => app.say(text), {title: text});
}

/** @param {App} app */
function legendButton(app, {colour, words}) {
	const {head} = app.source;
	const {key} = head.categories[colour];
	const button = pressButton('', () => {
		const isOn = app.state.lit?.key === `colour ${colour}`;

		app.state.set('lit', isOn ? null : litColour(app.source, colour, key));
		app.say(isOn ? 'All operations.' : `Only operations of this colour: ${words.join(', ')}. Esc shows all.`);
	}, {title: `${words.join(', ')}: show only these`, 'aria-pressed': 'false'});

	button.append(swatch(head.categories[colour]), words.length > 1 ? key : words[0]);
	button.dataset.colour = colour;
	return button;
}

/**
 * Fill the legend.
 * @param {App} app
 * @param {HTMLElement} element
 */
export function mountLegend(app, element) {
	const {head} = app.source;
	const host = head.rows.some(({kind}) => kind === 'api') && head.categories.find(({key}) => key === 'host');
	const buttons = legendOf(head).map((part) => legendButton(app, part));

	if (!head.rows.some(({kind}) => kind === 'stream'))
		return;
	element.replaceChildren(...buttons, ...(host ? [el('span', {}, swatch(host), 'host')] : []), signsButton(app));
	element.hidden = false;
	app.state.on('lit', (lit) => {
		for (const button of buttons)
			button.setAttribute('aria-pressed', String(lit?.key === `colour ${button.dataset.colour}`));
	});
}
