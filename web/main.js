/* SPDX-License-Identifier: MIT */
/*
 * main.js - puts the page together: chooses the source of the data, makes the state, mounts
 * timeline, overview, panels, keys and mouse.
 */
import {cutText, formatNs} from './base/format.js';
import {zeroText} from './data/align.js';
import {AlignedSource} from './data/aligned.js';
import {captureNs, clockName, clockOf, clocksOf, timeText, timeWords} from './data/clock.js';
import {firstView} from './data/evidence.js';
import {iterationNumber, iterationsOf} from './data/iterations.js';
import {openSource} from './data/open.js';
import {traceLetter} from './data/source.js';
import {Overview} from './sheet/overview.js';
import {makeTheme, themeOf, watchDisplay} from './sheet/theme.js';
import {Timeline, coarseText} from './sheet/timeline.js';
import {actions, colourModes, currentIteration, perform} from './control/actions.js';
import {addressBar, readFragment} from './control/address.js';
import {followAgent} from './control/follow.js';
import {mountKeys} from './control/keys.js';
import {mountMouse} from './control/mouse.js';
import {State} from './control/state.js';
import {mountCompareBar} from './compare/comparebar.js';
import {followCounterpart} from './compare/counterpart.js';
import {Pairing} from './compare/pairing.js';
import {mountHeadline} from './drawer/headline.js';
import {mountLegend} from './drawer/legend.js';
import {mountPanels} from './drawer/panels.js';
/** @import {App, Head, PageElements, Source, Timer} from './types.js' */

/**
 * @template {string} I
 * @param {I} id
 * @returns {I extends keyof PageElements ? PageElements[I] : HTMLElement}
 */
const byId = (id) => /** @type {any} */ (document.getElementById(id));
/** @returns {HTMLButtonElement} */
const buttonOf = (action) => /** @type {any} */ (document.querySelector(`[data-action="${action}"]`));

/** @param {App} app */
function applyTheme(app) {
	const name = themeOf(app.state.theme);
	document.documentElement.dataset.theme = name;
	const theme = makeTheme(app.source.head.categories, name);
	app.timeline?.setTheme(theme);
	app.overview?.setTheme(theme);
	return theme;
}

/* Said only where there are more arrows than are drawn, and of the launch of a graph. */
function arrowText({launches, arrows, spread}) {
	const together = spread.reduce((sum, {count}) => sum + count, 0);
	if (together > 0)
		return [`one launch of ${together} operations`];
	return launches > arrows.length ? [`${arrows.length} of ${launches} launches drawn`] : [];
}

/**
 * The line under the timeline: what is selected, or what is seen. Said to screen readers, too.
 * @param {App} app
 */
function statusText({state, source, timeline}) {
	const {view, selection, range} = state;
	const time = (t) => timeText(source.head, state.clock, t);
	if (selection?.name)
		return [cutText(selection.name, 120),
			formatNs(selection.end - selection.begin),
			`at ${timeWords(source.head, state.clock, selection.begin)}`,
			source.head.rows[selection.rowId]?.label ?? '',
			...arrowText(timeline.links)].join(', ');
	if (range)
		return `Range of ${formatNs(range.b - range.a)} from ${time(range.a)} ` +
			`to ${timeWords(source.head, state.clock, range.b)}`;
	const zero = state.align ? `; 0 is ${zeroText(state.align)}` : '';
	const {coarse} = timeline.rowPainter;
	return `${time(view.a)} to ${timeWords(source.head, state.clock, view.b)}, ` +
		`${formatNs(view.b - view.a)}${zero}${coarse ? `; ${coarseText(coarse)}` : ''}`;
}

/** @param {App} app */
function mountHeader(app) {
	const {state, source} = app;
	const {head} = source;
	const labels = head.traces.map(({label}) => label);
	const names = head.traces.map(({label, files}) =>
		`${label.split('/').at(-1)}${files > 1 ? ` (job of ${files} files)` : ''}`);
	const lettered = (list) => list.length < 2 ? list.join() :
		list.map((name, i) => `${traceLetter(i)}: ${name}`).join(' · ');
	byId('trace-name').textContent = app.compare ? 'compare' : lettered(names);
	byId('trace-name').title = lettered(labels);
	const select = byId('colour');
	for (const [value, title] of colourModes)
		select.add(new Option(title, value));
	const showColour = () => {
		select.value = state.colourMode;
		app.say(colourModes.find(([mode]) => mode === state.colourMode)?.[2] ?? '');
	};
	select.addEventListener('change', () => state.set('colourMode', select.value));
	state.on('colourMode', showColour);
	showColour();
	mountClock(app);
	document.addEventListener('click', (event) => {
		const target = /** @type {HTMLElement} */ (event.target);
		const id = /** @type {?HTMLElement} */ (target.closest?.('[data-action]'))?.dataset.action;
		const action = id && actions.find((known) => known.id === id);
		if (action)
			perform(app, action);
	});
	const filter = byId('row-filter');
	filter.value = state.filter;
	filter.addEventListener('input', () => state.setFilter(filter.value));
	state.on('filter', (text) => {
		if (filter.value !== text)
			filter.value = text;
	});
	byId('iteration-tools').hidden = iterationsOf(head).length === 0 || app.compare !== null;
	mountBanner(head);
}

/**
 * How tables say points in time.
 * @param {App} app
 */
function makeClock({source: {head}, state}) {
	return {
		name: () => clockName(head, state.clock),
		text: (t) => timeText(head, state.clock, t),
		ns: (t) => captureNs(head, t),
	};
}

/**
 * The choice of a clock; of several traces there is none.
 * @param {App} app
 */
function mountClock(app) {
	const {source, state} = app;
	const select = byId('clock'), known = clocksOf(source.head);
	for (const [value, title] of known)
		select.add(new Option(title, value));
	select.hidden = known.length === 0;
	select.value = clockOf(source.head, state.clock);
	select.addEventListener('change', () => state.set('clock', select.value));
	state.on('clock', () => {
		select.value = clockOf(source.head, state.clock);
		app.say(known.find(([value]) => value === select.value)?.[3] ?? '');
	});
}

/**
 * Said as long as the server does not answer; then what is missing is asked again.
 * @param {App} app
 */
function mountLost(app) {
	const lost = byId('lost');
	app.setLost = (isLost) => {
		if (lost.hidden === !isLost)
			return;
		lost.hidden = !isLost;
		if (!isLost)
			app.timeline.request();
	};
	byId('retry').addEventListener('click', () => app.timeline.request());
	app.timeline.feed.onError = () => app.setLost(true);
}

/** @param {Head} head */
function mountBanner(head) {
	const redacted = head.redacted ? 'Names in this file are hashed.' : null;
	const texts = [head.limits?.banner, redacted].filter(Boolean);
	byId('banner').textContent = texts.join(' ');
	byId('banner').hidden = texts.length === 0;
}

/**
 * What follows the view, but not in every frame of a movement.
 * @param {App} app
 */
function mountStatus(app) {
	/** @type {Timer} */
	let timer = 0;
	let isSaid = false; // the line has what was said, until something moves
	const show = () => {
		timer = 0;
		if (!isSaid)
			byId('status').textContent = statusText(app);
		isSaid = false;
		const i = currentIteration(app);
		const number = i < 0 ? '–' : iterationNumber(app.source.head, i);
		byId('iteration').textContent = `step ${number}`;
		buttonOf('back').disabled = !app.state.canGoBack;
		buttonOf('forward').disabled = !app.state.canGoForward;
	};
	const later = () => {
		timer ||= setTimeout(show, 150);
	};
	for (const name of ['view', 'selection', 'range'])
		app.state.on(name, later);
	app.say = (text) => {
		isSaid = timer !== 0;
		byId('status').textContent = text;
	};
	show();
}

/**
 * What tests look at.
 * @param {App} app
 */
function expose(app) {
	/** @type {any} */ (window).__warplens = {
		columns: (rowId, a, b, w) => app.source.pictures([rowId], a, b, w),
		hit: (x, y) => app.timeline.hit(x, y),
		state: app.state,
		app,
	};
}

/**
 * Two traces have one axis, on which they can be moved. The rest is put together by mountApp().
 * @param {Source} source
 * @returns {App}
 */
function makeApp(source) {
	const app = /** @type {App} */ (/** @type {Partial<App>} */ ({source, actions, say: () => {}, compare: null}));
	if (source.head.traces.length !== 2)
		return {...app, state: new State(source.head, addressBar())};
	const aligned = new AlignedSource(source);
	app.source = aligned;
	app.state = new State(aligned.head, addressBar(),
		{realign: (align) => aligned.align(align)});
	app.compare = new Pairing(app);
	followCounterpart({source: aligned, state: app.state});
	if (app.compare.hasPair && !readFragment(location.hash).view)
		app.compare.showPair();
	return app;
}

/**
 * The step that the first finding is about; what came before and after is in the overview.
 * @param {App} app
 */
function showFirst({state, source}) {
	const first = firstView(source.head);
	if (!first)
		return;
	const room = (first.b - first.a) / 100;
	state.begin(first.a - room, first.b + room);
	state.set('device', first.device);
}

/**
 * Its GPU may be below others.
 * @param {App} app
 */
function revealFirst({state, source, timeline}) {
	const gpu = source.head.rows.findIndex(({kind, device}) => kind === 'gpu' && device === state.device);
	if (state.device > 0 && gpu >= 0)
		requestAnimationFrame(() => timeline.reveal(gpu));
}

/** @param {Source} source */
function mountApp(source) {
	const {view, finding} = readFragment(location.hash);
	const hasView = Boolean(view);
	const app = makeApp(source);
	const {state} = app;
	if (!hasView)
		showFirst(app);
	app.clock = makeClock(app);
	const theme = applyTheme(app);
	app.timeline = new Timeline(app.source, state, {canvas: byId('canvas'), scroller: byId('scroller'),
		sheet: byId('sheet'), labels: byId('labels'), pinned: byId('pinned')}, theme);
	app.overview = new Overview(app.source, state, byId('overview-canvas'), theme);
	mountHeader(app);
	mountStatus(app);
	if (app.compare)
		mountCompareBar(app, byId('compare'));
	app.panels = mountPanels(app, byId('drawer'));
	mountHeadline(app, byId('headline'));
	mountLegend(app, byId('legend'));
	mountMouse(app, byId('canvas'), byId('tooltip'));
	mountKeys(app);
	state.on('theme', () => applyTheme(app));
	watchDisplay(() => applyTheme(app));
	addEventListener('hashchange', () => {
		const {finding} = readFragment(location.hash);
		state.adopt(location.hash);
		if (finding)
			app.panels.finding(finding);
	});
	mountLost(app);
	if (!hasView)
		revealFirst(app);
	expose(app);
	if (finding)
		app.panels.finding(finding);
	const {shown} = source;
	if (shown)
		followAgent(app, () => shown.call(source), hasView);
	byId('cover').hidden = true;
}

function showTrouble(text) {
	byId('cover').hidden = false;
	byId('cover-progress').hidden = true;
	byId('cover-text').textContent = text;
}

async function start() {
	document.documentElement.dataset.theme = themeOf('auto');
	try {
		mountApp(await openSource((text, share) => {
			byId('cover-text').textContent = text;
			if (share === null)
				byId('cover-progress').removeAttribute('value');
			else
				byId('cover-progress').value = share;
		}));
	} catch (error) {
		showTrouble(error.message);
		throw error;
	}
}

start();
