/* SPDX-License-Identifier: MIT */
/*
 * steps.js - from one event to another: neighbours in a row, gaps, the ends of a link.
 */
/** @import {App, Source} from '../types.js' */

/** A first look beside an event is as wide as this many views; then each is four times wider. */
const STEP_LOOKS = 12;
const STEP_MOST = 4000;

/* Of some events, the first after a time, or the last before it; -1 for none. */
function nearest(events, lane, at, step, least) {
	let best = -1;
	for (let i = 0; i < events.n; i++) {
		const isWanted = step > 0 ? events.start[i] > at : events.start[i] < at;
		if (!isWanted || events.lane[i] !== lane || events.dur[i] < least)
			continue;
		if (best < 0 || (step > 0) === (events.start[i] < events.start[best]))
			best = i;
	}
	return best;
}

/**
 * The events of a row in [a, b), halved towards `at` until the source gives all of them.
 * @param {Source} source
 */
async function eventsNear(source, rowId, at, width, step) {
	for (let w = width; ; w /= 4) {
		const a = Math.floor(step > 0 ? at : at - w), b = Math.ceil(step > 0 ? at + w : at + 1);
		const events = await source.events(rowId, a, Math.max(b, a + 1), STEP_MOST);
		if (!events.truncated || w <= 1)
			return events;
	}
}

/** @param {App} app */
async function findBeside(app, rowId, lane, at, step, least = 0) {
	const {extent, view} = app.state;
	let width = (view.b - view.a) / 4;
	for (let look = 0; look < STEP_LOOKS; look++, width *= 4) {
		const events = await eventsNear(app.source, rowId, at, width, step);
		const i = nearest(events, lane, at, step, least);
		if (i >= 0)
			return {rowId, lane, ref: events.ref[i], begin: events.start[i],
				end: events.start[i] + events.dur[i], name: app.source.nameText(events.name[i])};
		if (step > 0 ? at + width > extent.end : at - width < extent.begin)
			return null;
	}
	return null;
}

/**
 * Readers who step through events want to see each.
 * @param {App} app
 */
function goToEvent(app, event) {
	app.timeline.goTo(event);
	app.panels.reveal();
}

/**
 * Selects the next (1) or previous (-1) event of the selection's row, or the focused one.
 * @param {App} app
 */
export async function stepEvent(app, step) {
	const {selection, focusRow, view} = app.state;
	const row = app.timeline.laid.rows.find(({id}) => id === (selection?.rowId ?? focusRow));
	const rowId = selection?.rowId ?? row?.picture ?? -1;
	if (rowId < 0) {
		app.say('Choose a row first, with the arrow keys.');
		return;
	}
	const at = selection ? selection.begin : step > 0 ? view.a - 1 : view.b;
	const lane = selection ? app.timeline.links.laneOf(selection) : 0;
	const found = await findBeside(app, rowId, lane, at, step);
	if (found)
		goToEvent(app, found);
	else
		app.say(`This is the ${step > 0 ? 'last' : 'first'} event of the row.`);
}

/**
 * Goes to the next (1) or previous (-1) gap that can be seen, of the GPU in focus or the first.
 * @param {App} app
 */
export async function stepGap(app, step) {
	const {rows} = app.source.head;
	const device = rows[app.state.focusRow]?.device ?? -1;
	const isGap = (row) => row.kind === 'gaps' && (device < 0 || row.device === device);
	const rowId = rows.findIndex(isGap);
	if (rowId < 0) {
		app.say('There is no row of gaps.');
		return;
	}
	const {selection, view} = app.state;
	const at = selection?.rowId === rowId ? selection.begin : (view.a + view.b) / 2;
	const least = (view.b - view.a) / app.timeline.width;
	const found = await findBeside(app, rowId, 0, at, step, least);
	if (found)
		goToEvent(app, found);
	else
		app.say('No further gap is as wide as a pixel here; zoom in for smaller ones.');
}

/** @param {App} app */
function goToLink(app, link) {
	const {rowId, ref, begin, end, name = ''} = link;
	goToEvent(app, {rowId, ref, begin, end, name});
}

/**
 * Follows a link of the selection to what begins later (1) or earlier (-1).
 * @param {App} app
 */
export function followLink(app, step) {
	const {selection} = app.state;
	const links = app.timeline.links.all.filter(({begin}) =>
		selection && (begin > selection.begin) === step > 0);
	if (links.length === 0) {
		app.say('The selection has no such link.');
		return;
	}
	links.sort((x, y) => step * (x.begin - y.begin));
	goToLink(app, links[0]);
}

/**
 * Goes round the links of the event from which this began.
 * @param {App} app
 */
export function cycleLink(app, step) {
	const link = app.timeline.links.cycle(step);
	if (link)
		goToLink(app, link);
	else
		app.say('The selection has no links.');
}

/**
 * From an operation to the call that launched it, from a call to the first it launched.
 * @param {App} app
 */
export function otherEnd(app) {
	const {rows} = app.source.head;
	const kind = rows[app.state.selection?.rowId ?? -1]?.kind;
	const wanted = kind === 'api' ? 'stream' : 'api';
	const link = app.timeline.links.all.find(({rowId}) => rows[rowId]?.kind === wanted);
	if (link && app.state.selection)
		goToLink(app, link);
	else
		app.say('The selection has no launch.');
}
