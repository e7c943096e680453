/* SPDX-License-Identifier: MIT */
/*
 * panels.js - the drawer under the timeline: tabs, its height, and the dialogs. In a wide window
 * the range stands beside the other tabs.
 */
import {copyText} from '../base/copy.js';
import {el, pressButton} from '../base/dom.js';
import {heatMaps} from '../data/heat.js';
import {isServing} from '../data/serving.js';
import {whatifOf} from '../data/whatif.js';
import {mountCompared} from '../compare/compared.js';
import {mountFindings, showNumbered} from './findings.js';
import {mountFlame} from './flame.js';
import {learnKeyLetters, openHelp} from './help.js';
import {mountLateness} from './lateness.js';
import {mountLists} from './lists.js';
import {openPalette} from './palette.js';
import {mountPrint} from './print.js';
import {mountRange} from './range.js';
import {mountSearch} from './search.js';
import {mountSelection} from './selection.js';
import {mountServing} from './serving.js';
import {mountSql} from './sqlbox.js';
import {mountStacks} from './stacks.js';
import {mountVerb, verbsOf} from './verbs.js';
import {mountWhatif} from './whatif.js';
/** @import {App, Panels, Source} from '../types.js' */

const DRAWER_TABS = [['selection', 'Selection'], ['range', 'Range'], ['findings', 'Findings'],
	['search', 'Search'], ['tables', 'Tables'], ['flame', 'Flame']];
/** The first tab of a page of two traces. */
const COMPARE_TAB = ['compare', 'Compare'];
/** The last but one where a rank is late in a step. */
const LATENESS_TAB = ['lateness', 'Lateness'];
/** After it, of one trace; hidden until it is asked for where nothing says prefill or decode. */
const SERVING_TAB = ['serving', 'Serving'];
/** After it where the run was replayed. */
const WHATIF_TAB = ['whatif', 'What if'];
/** The one after that where host threads have call stacks; a file without them has no code for it. */
const STACKS_TAB = ['stacks', 'Host code'];
/** The last one of a server's page; a file has no code for it. */
const SQL_TAB = ['sql', 'SQL'];
/** Tabs that leave room for the range beside them. */
const NARROW_TABS = new Set(['selection', 'findings', 'search']);
/** Tabs that stay when an event is selected: one goes through what they list. */
const STAYING_TABS = new Set(['search', 'flame', 'tables', 'findings', 'compare', 'lateness',
	'serving', 'whatif', 'roofline', 'stacks', 'sql']);
/** What is said of tabs that not every page has. */
const ABSENT_TABS = {
	whatif: 'This page has no replays: of one trace with at most 150,000 operations; or use warplens whatif.',
	serving: 'Steps of several traces are compared, not shown as prefill and decode.',
	lateness: 'No rank is late in a step of this trace.',
	roofline: 'This page has no counters of kernels; open it with --ncu FILE.',
	stacks: 'The trace has no call stacks; record them with --sample=process-tree.',
	sql: 'A file answers no SQL; use warplens serve or warplens sql.',
};
const WIDE_WINDOW = '(min-width: 1100px)';
const LOW_PAGE = 600;
const DRAWER_LEAST = 90;
const DRAWER_STEP = 24;
const DRAWER_KEY = 'warplens.drawer';

/* In a low window the timeline keeps more of it. */
function mostHeight() {
	return innerHeight < LOW_PAGE ? innerHeight * 0.3 : innerHeight * 0.7;
}

/* Kept by the browser; where it keeps nothing, each page begins without it. */
function readDrawer() {
	try {
		return JSON.parse(localStorage.getItem(DRAWER_KEY) ?? 'null') ?? {};
	} catch {
		return {};
	}
}

function writeDrawer(kept) {
	try {
		localStorage.setItem(DRAWER_KEY, JSON.stringify(kept));
	} catch {
		/* Only a convenience. */
	}
}

/**
 * @param {Source} source
 * @returns {string[][]}
 */
function tabsOf({head, sql}) {
	const late = heatMaps(head).length ? [LATENESS_TAB] : [];

	const stacks = head.traces.some((trace) => trace.stacks) ? [STACKS_TAB] : [];

	return [...(head.compare ? [COMPARE_TAB] : []), ...DRAWER_TABS.slice(0, -1), ...late,
		...(head.traces.length === 1 ? [SERVING_TAB] : []),
		...(head.traces.length === 1 && whatifOf(head.traces[0]) ? [WHATIF_TAB] : []),
		...verbsOf(head), DRAWER_TABS[DRAWER_TABS.length - 1], ...stacks, ...(sql ? [SQL_TAB] : [])];
}

/** The drawer: which tab is open, how high it is. */
class Drawer {
	/** @type {Map<string, HTMLElement>} by key */
	tabs;
	/** @type {Map<string, HTMLElement>} by key */
	panels;
	/** @type {HTMLElement} */
	grip;
	/** @type {HTMLElement} */
	toggleButton;
	/** @type {HTMLElement} */
	bodies;

	/** @param {App} app */
	constructor(app, element) {
		const kept = readDrawer();

		this.app = app;
		this.element = element;
		this.open = kept.open ?? true;
		this.height = Number.isFinite(kept.height) ? kept.height
			: Math.min(270, innerHeight * (app.compare ? 0.26 : 0.32));
		this.choices = tabsOf(app.source);
		this.tab = app.source.head.compare ? 'compare'
			: app.source.head.findings.length ? 'findings' : 'selection';
		this.quiet = new Set(isServing(app.source.head) ? [] : ['serving']);
		this.shown = {};
		this.wide = matchMedia(WIDE_WINDOW);
		this.wide.addEventListener('change', () => this.draw());
		addEventListener('resize', () => this.draw());
		this.#build();
	}

	#build() {
		const tab = (key, label) => pressButton(label, () => this.show(key),
			{role: 'tab', id: `tab-${key}`, 'aria-controls': `panel-${key}`});
		const body = (key) => el('div.panel-body', {role: 'tabpanel', id: `panel-${key}`,
			'aria-labelledby': `tab-${key}`, tabindex: '0', hidden: true});

		this.tabs = new Map(this.choices.map(([key, label]) => [key, tab(key, label)]));
		this.panels = new Map(this.choices.map(([key]) => [key, body(key)]));
		this.grip = el('div.panel-grip', {role: 'separator', tabindex: '0',
			'aria-orientation': 'horizontal', 'aria-label': 'Height of the drawer',
			on: {pointerdown: (event) => this.#drag(event),
				keydown: (event) => this.#gripKey(event)}});
		this.toggleButton = pressButton('', () => this.toggle(), {class: 'panel-toggle'});
		const list = el('div', {role: 'tablist', 'aria-label': 'Details',
			on: {keydown: (event) => this.#tabKey(event)}}, ...this.tabs.values());

		this.bodies = el('div.panel-bodies', {}, ...this.panels.values());
		this.bodies.append(this.panel('range')); /* which stands beside others, at the right */
		this.element.classList.add('panel-drawer');
		this.element.replaceChildren(this.grip, el('div.panel-bar', {}, list, this.toggleButton),
			this.bodies);
	}

	/* What belongs into a tab is asked again when it becomes visible. */
	fill(key, mounted) {
		this.shown[key] = mounted?.refresh ?? (() => {});
	}

	/** What a tab shows is asked for, unless it is not there for the reader. */
	refresh(key) {
		return this.quiet.has(key) ? null : this.shown[key]?.();
	}

	/** Nothing where the page has no such tab. */
	panel(key) {
		return /** @type {HTMLElement} */ (this.panels.get(key));
	}

	label(key, text) {
		this.#tabOf(key).textContent = text;
	}

	#tabOf(key) {
		return /** @type {HTMLElement} */ (this.tabs.get(key));
	}

	draw() {
		const beside = this.open && this.wide.matches && NARROW_TABS.has(this.tab);
		const height = Math.round(Math.max(DRAWER_LEAST, Math.min(this.height, mostHeight())));

		for (const [key, tab] of this.tabs) {
			const chosen = key === this.tab;
			const panel = this.panel(key);
			const visible = this.open && (chosen || (beside && key === 'range'));
			const appears = visible && panel.hidden;

			tab.setAttribute('aria-selected', String(chosen));
			tab.tabIndex = chosen ? 0 : -1;
			tab.hidden = this.quiet.has(key);
			panel.hidden = !visible;
			panel.setAttribute('role', chosen ? 'tabpanel' : 'region');
			if (appears)
				this.shown[key]?.();
		}
		this.bodies.hidden = !this.open;
		this.bodies.style.height = `${height}px`;
		this.grip.hidden = !this.open;
		this.grip.setAttribute('aria-valuenow', String(height));
		this.grip.setAttribute('aria-valuemin', String(DRAWER_LEAST));
		this.grip.setAttribute('aria-valuemax', String(Math.round(mostHeight())));
		this.toggleButton.textContent = this.open ? '▾' : '▴';
		this.toggleButton.setAttribute('aria-label',
			this.open ? 'Close the drawer' : 'Open the drawer');
		this.toggleButton.setAttribute('aria-expanded', String(this.open));
	}

	show(key) {
		this.tab = key;
		this.quiet.delete(key);
		this.#setOpen(true);
	}

	toggle() {
		this.#setOpen(!this.open);
	}

	close() {
		const was = this.open;

		this.#setOpen(false);
		return was;
	}

	#setOpen(open) {
		this.open = open;
		this.#keep();
		this.draw();
	}

	#keep() {
		writeDrawer({open: this.open, height: this.height});
	}

	#setHeight(height) {
		this.height = Math.max(DRAWER_LEAST, Math.min(height, mostHeight()));
		this.#keep();
		this.draw();
	}

	#drag(event) {
		const from = event.clientY + this.bodies.offsetHeight;
		const move = (moved) => this.#setHeight(from - moved.clientY);

		event.preventDefault();
		this.grip.setPointerCapture(event.pointerId);
		this.grip.addEventListener('pointermove', move);
		this.grip.addEventListener('lostpointercapture',
			() => this.grip.removeEventListener('pointermove', move), {once: true});
	}

	#gripKey(event) {
		const step = {ArrowUp: DRAWER_STEP, ArrowDown: -DRAWER_STEP}[event.key];

		if (!step)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.#setHeight(this.height + step);
	}

	#tabKey(event) {
		const keys = [...this.tabs.keys()].filter((key) => !this.quiet.has(key));
		const at = keys.indexOf(this.tab);
		const to = {ArrowRight: at + 1, ArrowLeft: at - 1 + keys.length, Home: 0,
			End: keys.length - 1}[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.show(keys[to % keys.length]);
		this.#tabOf(this.tab).focus();
	}
}

/**
 * A selection or a range brings its tab to the front, unless one goes through a list.
 * @param {App} app
 */
function followState(app, drawer) {
	app.state.on('selection', (selection) => {
		if (selection && drawer.open && !STAYING_TABS.has(drawer.tab))
			drawer.show('selection');
	});
	app.state.on('range', (range) => {
		if (range && drawer.open && drawer.tab === 'selection' && !drawer.wide.matches)
			drawer.show('range');
	});
}

/** @param {App} app */
async function copySelection(app, text) {
	if (!text)
		app.say('Nothing is selected.');
	else if (await copyText(text))
		app.say('Copied the selected event.');
	else
		app.say('The browser does not let the page copy.');
}

/**
 * Fill the drawer and make the dialogs ready.
 * @param {App} app  without panels
 * @param {HTMLElement} element  of the drawer
 * @returns {Panels}
 */
export function mountPanels(app, element) {
	const drawer = new Drawer(app, element);
	const palette = (kind = 'actions') => openPalette(app, kind);
	const selection = mountSelection(app, drawer.panel('selection'));
	const search = mountSearch(app, drawer.panel('search'), {palette});
	const paper = mountPrint(app, (tab) => drawer.refresh(tab));

	drawer.fill('search', search);
	drawer.fill('range', mountRange(app, drawer.panel('range')));
	drawer.fill('flame', mountFlame(app, drawer.panel('flame')));
	mountFindings(app, drawer.panel('findings'));
	if (drawer.panel('stacks'))
		drawer.fill('stacks', mountStacks(app, drawer.panel('stacks')));
	if (drawer.panel('sql'))
		mountSql(app, drawer.panel('sql'));
	if (drawer.panel('lateness'))
		drawer.fill('lateness', mountLateness(app, drawer.panel('lateness')));
	if (drawer.panel('serving'))
		drawer.fill('serving', mountServing(app, drawer.panel('serving')));
	if (drawer.panel('whatif'))
		mountWhatif(app, drawer.panel('whatif'));
	for (const [verb] of verbsOf(app.source.head))
		mountVerb(app, drawer.panel(verb), verb);
	if (app.source.head.compare)
		mountCompared(app, drawer.panel('compare'));
	mountLists(app, drawer.panel('tables'));
	app.state.on('align', () => mountLists(app, drawer.panel('tables')));
	drawer.label('findings', `Findings ${app.source.head.findings.length}`);
	followState(app, drawer);
	drawer.draw();
	learnKeyLetters();
	return {
		toggle: () => drawer.toggle(),
		show(tab) {
			if (drawer.panel(tab))
				drawer.show(tab);
			else
				app.say(ABSENT_TABS[tab]);
		},
		reveal() {
			if (drawer.open)
				drawer.show('selection');
		},
		help: () => openHelp(app),
		palette,
		search: (text) => search.focus(text),
		hit: (step) => search.hit(step),
		find: (text) => search.find(text),
		compared(name) {
			drawer.show('compare');
			const details = /** @type {?HTMLDetailsElement} */ (document.getElementById(`compared-${name}`));

			if (details)
				details.open = true;
			details?.scrollIntoView({block: 'nearest'});
		},
		seek: (text) => search.seek(text),
		finding: (number) => showNumbered(app, number),
		copy: () => copySelection(app, selection.text()),
		print: () => paper.print(),
		close() {
			const dialog = /** @type {?HTMLDialogElement} */ (document.querySelector('dialog[open]'));

			if (!dialog)
				return drawer.close();
			dialog.close();
			return true;
		},
	};
}
