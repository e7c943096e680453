/* SPDX-License-Identifier: MIT */
/* search.js - the search box of the header and its tab: hits in the whole trace, one by one. */
import {el, newestOnly, pressButton} from '../base/dom.js';
import {cutText, formatNs} from '../base/format.js';
import {factList} from '../base/tables.js';
import {onlyLongest} from '../data/account.js';
import {timeWords} from '../data/clock.js';
import {LISTED, foundFigures, foundView} from './found.js';
import {filterKeys, parseQuery, resolveQuery} from './query.js';
/** @import {App, EventRef, Found, Head, Timer} from '../types.js' */

/** Columns of the overview's strip of hits. */
const HIT_COLUMNS = 2048;
const TYPING_PAUSE_MS = 200;
/** Hits below so many pixels are zoomed to, until they have so many. */
const LEAST_PIXELS = 8;
const WANTED_PIXELS = 40;

const QUERY_SYNTAX = [
	['gemm', 'names that contain it, in any case'],
	['/gemm.*128/', 'names that match a regular expression; /…/i in any case'],
	['"cudaFree"', 'names that are exactly that'],
	['dur>100us', 'longer than that; also >= < <= ='],
	['cat:comm', 'of a category that begins so'],
	['gpu:3', 'on a GPU'],
	['it:12', 'that begin in an iteration; it:12-14 in several'],
	['nvtx:forward', 'launched or called in an NVTX range whose name contains it, and such ranges; nvtx:"layer 3"'],
	['stream:7', 'on streams of that number'],
	['grid:132', 'kernels of that grid; grid:132x4x1 in all directions'],
	['>', 'at the beginning: the command palette'],
];

/** The search: what is asked for, where we are in it. */
class Search {
	/** @type {number} */
	index;

	/** @param {App} app */
	constructor(app, changed) {
		this.app = app;
		this.changed = changed;
		this.#forget('');
		this.newest = newestOnly();
		this.newestFound = newestOnly();
		/** @type {(condition: string) => void} */
		this.narrow = () => {};
	}

	/* Nothing is known yet of a text. */
	#forget(text) {
		this.text = text;
		this.error = '';
		/** @type {any} of parseQuery() */
		this.query = null;
		/** @type {any} of resolveQuery() */
		this.only = null;
		this.total = 0;
		/** @type {?EventRef} */
		this.hit = null;
		this.index = -1;
		/** @type {?Found} */
		this.found = null;
	}

	/* A new text; nothing is gone to before a key asks for it. */
	async ask(text) {
		if (text !== this.text)
			await this.again(text);
	}

	/* The same, also for the text that was asked for last: times may mean something else now. */
	async again(text) {
		this.#forget(text);
		const query = parseQuery(text);
		const only = query.error !== undefined ? query : resolveQuery(this.app.source.head, query);

		if (only.error) {
			this.error = only.error;
		} else if (Object.values(only).some((v) => v !== null && v !== -1) || query.text) {
			Object.assign(this, {query, only});
			const found = await this.#run(this.app.state.view.a - 1);

			if (!found)
				return;
			this.app.state.setHits(found.hits);
			this.changed();
			return;
		}
		await this.newest(() => null);
		this.app.state.setHits(null);
		this.changed();
	}

	/* The answer after a hit or a time; null where a newer question has overtaken it. */
	async #run(after) {
		const {query, only} = this;

		try {
			const {stale, value} = await this.newest(() => this.app.source.search(
				query.text, query.mode, after, HIT_COLUMNS, only));

			if (stale)
				return null;
			this.total = value.total;
			return value;
		} catch (problem) {
			this.error = problem.message;
			this.app.state.setHits(null);
			this.changed();
			return null;
		}
	}

	/* The sums, where they are seen: they are of all hits. */
	async sumUp() {
		const {query, only} = this;

		if (this.found || !query || !this.total)
			return;
		try {
			const {stale, value} = await this.newestFound(() => this.app.source.found(query.text, query.mode, LISTED, only));

			if (stale || query !== this.query)
				return;
			this.found = value;
		} catch (problem) {
			this.error = problem.message;
		}
		this.changed();
	}

	/* To a hit of the list; Enter goes on from it. */
	async arriveAt(hit) {
		const found = await this.#run(hit);

		if (found)
			this.#arrive(hit, found.index - 1, '');
	}

	/* To the first hit from a time on. */
	async goFrom(time) {
		this.hit = null;
		const found = this.query && await this.#run(time - 1);

		if (found)
			this.#arrive(found.next ?? found.previous, found.next ? found.index : -1, '');
	}

	/* To the next (1) or previous (-1) hit: after the last one, at first from the view on. */
	async go(step) {
		if (!this.query)
			return;
		const {begin, end} = this.app.state.extent;
		const [first, around] = step > 0 ? [this.app.state.view.a - 1, begin - 1]
			: [this.app.state.view.b, end + 1];
		const side = step > 0 ? 'next' : 'previous';
		let found = await this.#run(this.hit ?? first);
		let note = '';

		if (found?.total && !found[side]) {
			found = await this.#run(around);
			note = `, from the ${step > 0 ? 'beginning' : 'end'} again`;
			this.hit = null;
		}
		if (found)
			this.#arrive(found[side], this.#indexAt(found, step), note);
	}

	/* Which one of all it is; -1 where the source does not say how many come before. */
	#indexAt(found, step) {
		if (this.hit && this.index >= 0)
			return this.index + step;
		return found.index === undefined ? -1 : found.index - (step > 0 ? 0 : 1);
	}

	#arrive(hit, index, note) {
		if (hit) {
			Object.assign(this, {hit, index});
			this.app.timeline.goTo(hit);
			this.#zoomTo(hit);
			this.app.say(`${this.countText()}: ${cutText(hit.name)}${note}`);
		} else {
			this.app.say(`Nothing matches ${this.text}.`);
		}
		this.changed();
	}

	/* A hit of a few pixels is looked at more closely, with what is around. */
	#zoomTo({begin, end}) {
		const {view: {a, b}} = this.app.state;
		const pixels = (end - begin) * this.app.timeline.width / (b - a);

		if (pixels < LEAST_PIXELS)
			this.app.state.show(begin, end, this.app.timeline.width / WANTED_PIXELS / 2);
	}

	/* "3/214", or "214" where it is not known which. */
	countText() {
		if (this.error)
			return 'not searched';
		if (!this.query)
			return '';
		return this.index >= 0 ? `${this.index + 1}/${this.total}` : String(this.total);
	}
}

/**
 * What was asked for, in words.
 * @param {Head} head
 */
function queryFacts(search, head, clock) {
	const time = (t) => timeWords(head, clock, t);
	const {query, only, total} = search;
	const isPart = onlyLongest(head, [...head.rows.keys()]);
	const sum = search.found ? `, ${formatNs(search.found.sum)} in all` : '';
	/** @type {[string, string][]} */
	const facts = [['Hits', (isPart ? `${total} of the longest events` : String(total)) + sum]];
	const how = {sub: 'contains', re: 'matches', exact: 'is'}[query.mode];

	if (query.text)
		facts.push([`Name ${how}`, query.text]);
	if (only.min !== null || only.max !== null) {
		facts.push(['Length', [only.min !== null ? `at least ${formatNs(only.min)}` : '',
			only.max !== null ? `at most ${formatNs(only.max)}` : ''].filter(Boolean).join(', ')]);
	}
	if (only.categories || only.words)
		facts.push(['Category', filterKeys(head, only).join(', ')]);
	if (only.device >= 0)
		facts.push(['GPU', head.devices[only.device].label]);
	if (only.range !== null)
		facts.push(['In a range with', only.range]);
	if (query.stream !== null)
		facts.push(['Stream', String(query.stream)]);
	if (only.grid)
		facts.push(['Grid', only.grid.join(' x ')]);
	if (only.a !== null)
		facts.push(['Begins in', `${time(only.a)} to ${time(only.b)}`]);
	return facts;
}

/** @param {App} app */
function searchView(app, search) {
	const {head} = app.source;

	return [
		search.error ? el('p.problem', {}, search.error) : null,
		search.query ? el('div.figures', {}, factList(queryFacts(search, head, app.state.clock)),
			...foundFigures(app, search, search.found)) : null,
		search.query ? el('p', {}, pressButton('◀ previous', () => search.go(-1)), ' ',
			pressButton('next ▶', () => search.go(1))) : null,
		...(search.found ? foundView(app, search, search.found) : []),
		el('details', {open: !search.query}, el('summary', {}, 'What can be searched for'),
			factList(QUERY_SYNTAX.map(([what, text]) => [what, text]))),
	].filter((part) => part !== null);
}

/**
 * Take over the search box and fill the tab.
 * @param {App} app
 * @param {HTMLElement} panel
 * @param {{palette: () => void}} open  what ">" in the box opens
 * @returns {{focus: (text?: string) => void, hit: (step: 1|-1) => void, refresh: () => void,
 *     find: (text: string) => Promise<void>, seek: (text: string) => Promise<void>}} find() goes to the
 *     first hit from 0 on, seek() to the next one; refresh() is called when the tab is shown
 */
export function mountSearch(app, panel, open) {
	const input = /** @type {HTMLInputElement} */ (document.getElementById('search'));
	const count = el('output', {id: 'hit-count', for: 'search', 'aria-label': 'Hits'});
	/** @type {Timer} */
	let timer = 0;
	/** @type {any[]} */
	let drawn = [];
	const draw = () => {
		count.textContent = search.countText();
		count.title = search.error || `${search.total} hits`;
		if (search.error)
			app.say(`Not searched: ${search.error}`);
		input.setAttribute('aria-invalid', String(Boolean(search.error)));
		/* Going from hit to hit leaves the lists as they are, and the focus in them. */
		const shown = [search.query, search.error, search.found, search.total];

		if (drawn.length !== shown.length || shown.some((value, i) => value !== drawn[i]))
			panel.replaceChildren(...searchView(app, search));
		drawn = shown;
		if (!panel.hidden)
			search.sumUp();
	};
	const search = new Search(app, draw);

	/* Lengths that were asked for before give way. */
	search.narrow = (condition) => {
		input.value = `${input.value.replace(/\s*\bdur[<>=]+\S+/g, '').trim()} ${condition}`.trim();
		search.ask(input.value);
		input.focus();
	};
	const typed = () => {
		if (input.value === '>') {
			input.value = '';
			open.palette();
			return;
		}
		clearTimeout(timer);
		timer = setTimeout(() => search.ask(input.value), TYPING_PAUSE_MS);
	};
	const keyed = async (event) => {
		if (event.key === 'Escape') {
			event.preventDefault();
			clearTimeout(timer);
			input.value = '';
			search.ask('');
			document.getElementById('canvas')?.focus();
		} else if (event.key === 'Enter') {
			event.preventDefault();
			clearTimeout(timer);
			await search.ask(input.value);
			app.panels.show('search');
			search.go(event.shiftKey ? -1 : 1);
		} else {
			return;
		}
		event.stopPropagation();
	};

	document.getElementById('search-controls')?.replaceChildren(
		pressButton('◀', () => search.go(-1),
			{'aria-label': 'Previous hit', title: 'Shift+Enter'}),
		count,
		pressButton('▶', () => search.go(1), {'aria-label': 'Next hit', title: 'Enter'}));
	app.state.on('align', () => search.again(input.value));
	app.state.on('clock', () => {
		drawn = [];
		draw();
	});
	input.addEventListener('input', typed);
	input.addEventListener('keydown', keyed);
	draw();
	return {
		focus(text) {
			if (text !== undefined) {
				input.value = text;
				typed();
			}
			input.focus();
			input.select();
		},
		hit: (step) => search.go(step),
		refresh: () => search.sumUp(),
		async seek(text) {
			clearTimeout(timer);
			input.value = text;
			await search.ask(text);
			await search.go(1);
		},
		async find(text) {
			clearTimeout(timer);
			input.value = text;
			await search.ask(text);
			await search.goFrom(0);
		},
	};
}
