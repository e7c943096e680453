/* SPDX-License-Identifier: MIT */
/*
 * actions.js - everything that can be done by a key, a button or the palette: one table.
 */
import {clockOf, clocksOf} from '../data/clock.js';
import {iterationNumber, iterationsOf} from '../data/iterations.js';
import {streamsOf} from '../data/merge.js';
import {sideChoices} from '../data/pairs.js';
import {groupings} from '../sheet/groups.js';
import {cycleLink, followLink, otherEnd, stepEvent, stepGap} from './steps.js';
/** @import {Action, App} from '../types.js' */

/** @param {App} app */
function zoomed(app, factor) {
	const {a, b} = app.state.view;
	const {pointer} = app.timeline;
	const at = pointer === null ? (a + b) / 2 : app.timeline.timeAt(pointer);
	app.state.setView(at - (at - a) * factor, at + (b - at) * factor);
}

/** @param {App} app */
function panned(app, share) {
	const {a, b} = app.state.view;
	app.state.setView(a + (b - a) * share, b + (b - a) * share);
}

/**
 * The iteration in the middle of the view: its index, or -1 before the first.
 * @param {App} app
 */
export function currentIteration(app) {
	const {a, b} = app.state.view;
	const middle = (a + b) / 2;
	const list = iterationsOf(app.source.head);
	let low = 0, high = list.length;
	while (low < high) {
		const at = low + high >> 1;
		if (list[at][0] <= middle)
			low = at + 1;
		else
			high = at;
	}
	return low - 1;
}

/** @param {App} app */
function showIteration(app, step) {
	if (app.compare?.hasPair) {
		if (step === 0)
			app.compare.showPair();
		return step === 0 ? undefined : app.compare.step(step);
	}
	const list = iterationsOf(app.source.head);
	if (list.length === 0) {
		app.say('No iterations were found in this trace.');
		return;
	}
	const i = Math.min(list.length - 1, Math.max(0, currentIteration(app) + step));
	app.state.show(...list[i], 0.01);
	app.say(`Iteration ${iterationNumber(app.source.head, i)}, one of ${list.length}.`);
}

/** @param {App} app */
function moveFocus(app, step) {
	const {rows} = app.timeline.laid;
	const at = rows.findIndex(({id}) => id === app.state.focusRow);
	const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
	if (!next)
		return;
	app.state.set('focusRow', next.id);
	app.timeline.reveal(next.id);
	const fold = next.foldable ? next.open ? ', unfolded' : ', folded' : '';
	const events = next.pair ? '' : `, ${next.row.events} events`;
	app.say(`${next.row.label}${events}${fold}.`);
}

/** @param {App} app */
function foldFocus(app, wantsOpen) {
	const row = app.timeline.laid.rows.find(({id}) => id === app.state.focusRow);
	if (row?.foldable && row.open !== wantsOpen)
		app.state.toggleRow('toggled', row.id);
}

/** @param {App} app */
function centreSelection(app) {
	const {selection, range, view} = app.state;
	const what = selection ?? (range && {begin: range.a, end: range.b});
	if (!what) {
		app.say('Nothing is selected.');
		return;
	}
	/* At the ends of the trace it cannot be in the middle: what does not move is centred. */
	const span = view.b - view.a, middle = (what.begin + what.end) / 2;
	app.state.setView(middle - span / 2, middle + span / 2, {jump: true});
	if (Math.abs(app.state.view.a - view.a) < span / 200)
		app.state.show(what.begin, what.end, 0.25);
	if (selection)
		app.timeline.reveal(selection.rowId);
}

/** @param {App} app */
function markSelection(app, kept) {
	const {selection, range, marks} = app.state;
	const what = selection ?? (range && {begin: range.a, end: range.b});
	if (!what)
		return;
	const others = marks.filter((mark) => mark.kept);
	app.state.set('marks', [...others, {begin: Math.round(what.begin), end: Math.round(what.end),
		text: kept ? `${others.length + 1}` : '', kept}]);
}

/** @param {App} app */
function bookmark(app) {
	const {view, marks} = app.state;
	const n = marks.filter((mark) => mark.kept).length + 1;
	app.state.set('marks', [...marks, {begin: view.a, end: view.b, text: `B${n}`, kept: true}]);
	app.say(`Bookmark B${n}.`);
}

/** @param {App} app */
function nextBookmark(app) {
	const kept = app.state.marks.filter((mark) => mark.kept);
	if (kept.length === 0) {
		app.say('There is no bookmark yet; B makes one.');
		return;
	}
	const {a} = app.state.view;
	const next = kept.find((mark) => mark.begin > a + 1) ?? kept[0];
	app.state.setView(next.begin, Math.max(next.end, next.begin + 1), {jump: true});
	app.say(`Bookmark ${next.text}.`);
}

/**
 * Esc takes away one thing at a time: selection, what is isolated, range, marks that do not stay, the drawer.
 * @param {App} app
 */
function escape(app) {
	const {state} = app;
	const kept = state.marks.filter((mark) => mark.kept);
	if (state.selection)
		state.setSelection(null);
	else if (state.lit)
		state.set('lit', null);
	else if (state.range)
		state.setRange(null);
	else if (kept.length < state.marks.length)
		state.set('marks', kept);
	else
		app.panels.close();
}

/** @param {App} app */
function pinFocus(app) {
	if (app.state.focusRow >= 0)
		app.state.toggleRow('pinned', app.state.focusRow);
}

/**
 * Of the GPU that the row in focus is of, else of the first on the sheet.
 * @param {App} app
 */
function mergeFocus(app) {
	const {state, timeline} = app;
	if (state.grouping !== 'rank') {
		app.say('Streams can be merged where rows are grouped by GPU.');
		return;
	}
	let node = timeline.tree.nodes.get(state.focusRow);
	while (node && node.row.kind !== 'gpu')
		node = node.parent;
	node ??= timeline.laid.rows.find(({row}) => row.kind === 'gpu');
	const streams = node ? streamsOf(app.source.head, node.id) : [];
	if (streams.length < 2) {
		app.say('Choose a GPU with several streams first, with the arrow keys.');
		return;
	}
	state.toggleRow('merged', node.id);
	app.say(state.merged.has(node.id) ? `${node.row.label}: its ${streams.length} streams in the ` +
		'fewest lanes.' : `${node.row.label}: its streams each in its row.`);
}

/** @param {App} app */
function groupRows(app, value) {
	if (app.source.head.traces.length > 1) {
		app.say('Rows of several traces stand side by side; they cannot be grouped otherwise.');
		return;
	}
	app.state.set('grouping', value);
	app.say(`Rows are grouped ${groupings.filter(([known]) => known === value)[0][1]}.`);
}

/** @param {App} app */
function resetRows({state}) {
	for (const name of ['toggled', 'pinned', 'hiddenRows', 'merged'])
		state.set(name, new Set());
	state.set('grouping', groupings[0][0]);
	state.setFilter('');
}

/**
 * Each trace alone, then what compares their GPUs, then all again.
 * @param {App} app
 */
function nextSide({state, source, say}) {
	const choices = sideChoices(source.head);
	if (choices.length === 0) {
		say('There is only one trace.');
		return;
	}
	const at = choices.findIndex(([value]) => value === state.sides);
	const [value, title] = choices[(at + 1) % choices.length];
	state.set('sides', value);
	say(`Rows: ${title}.`);
}

/** Ways to colour rows: [value, title, what is said of it]. */
export const colourModes = [
	['category', 'colour: category', 'Colour is the category with the most time in a column.'],
	['name', 'colour: name', 'Colour is the name of the longest event in a column.'],
	['nvtx', 'colour: NVTX range', 'Colour is the innermost NVTX range around the launch of the ' +
		'longest event in a column, and that of the range itself.'],
	['stream', 'colour: stream', 'Colour is the stream.'],
	['duration', 'colour: duration', 'Colour is the length of the longest event in a column, ' +
		'from 1 us or less, faint, to 100 ms or more, strong.'],
];

const hasPath = ({source}) => source.head.rows.some(({kind, events}) => kind === 'path' && events > 0);

/** @param {App} app */
function lightPath(app) {
	const {state, say} = app;
	if (!hasPath(app)) {
		say('This page has no critical path.');
		return;
	}
	state.set('path', state.path ? '' : 'lit');
	say(state.path ? 'The line through the rows is the critical path.' : 'The critical path is a row again.');
}

/** @param {App} app */
function nextColour({state}) {
	const at = colourModes.findIndex(([mode]) => mode === state.colourMode);
	state.set('colourMode', colourModes[(at + 1) % colourModes.length][0]);
}

/** @param {App} app */
function nextClock({state, source, say}) {
	const known = clocksOf(source.head);
	if (known.length === 0) {
		say('Times of several traces are on one axis.');
		return;
	}
	const at = known.findIndex(([value]) => value === clockOf(source.head, state.clock));
	state.set('clock', known[(at + 1) % known.length][0]);
}

/**
 * Actions that go on while their key is held: app and the frame's share of a second.
 * @type {Action[]}
 */
const heldActions = [
	{id: 'zoom-in', title: 'Zoom in at the pointer', keys: ['W'], group: 'Move',
		hold: (app, s) => zoomed(app, 0.2 ** s)},
	{id: 'zoom-out', title: 'Zoom out', keys: ['S'], group: 'Move',
		hold: (app, s) => zoomed(app, 5 ** s)},
	{id: 'pan-left', title: 'Pan left', keys: ['A', 'ArrowLeft'], group: 'Move',
		hold: (app, s) => panned(app, -0.8 * s)},
	{id: 'pan-right', title: 'Pan right', keys: ['D', 'ArrowRight'], group: 'Move',
		hold: (app, s) => panned(app, 0.8 * s)},
].map((action) => ({...action, run: (app) => action.hold(app, 0.2)}));

/** @type {Action[]} */
const viewActions = [
	{id: 'fit', title: 'Show everything', keys: ['0'], group: 'Move',
		run: ({state}) => state.setView(state.extent.begin, state.extent.end, {jump: true})},
	{id: 'start', title: 'Go to the start', keys: ['Home'], group: 'Move', run({state}) {
		const {view: {a, b}, extent: {begin}} = state;
		state.setView(begin, begin + b - a, {jump: true});
	}},
	{id: 'end', title: 'Go to the end', keys: ['End'], group: 'Move', run({state}) {
		const {view: {a, b}, extent: {end}} = state;
		state.setView(end - (b - a), end, {jump: true});
	}},
	{id: 'back', title: 'Previous view', keys: ['Alt+ArrowLeft'], group: 'Move',
		run: ({state}) => state.back()},
	{id: 'forward', title: 'Next view', keys: ['Alt+ArrowRight'], group: 'Move',
		run: ({state}) => state.forward()},
	{id: 'iteration-previous', title: 'Previous iteration', keys: ['('], group: 'Move',
		run: (app) => showIteration(app, -1)},
	{id: 'iteration-next', title: 'Next iteration', keys: [')'], group: 'Move',
		run: (app) => showIteration(app, 1)},
	{id: 'iteration-fit', title: 'Show this iteration', keys: ['I'], group: 'Move',
		run: (app) => showIteration(app, 0)},
	{id: 'gap-next', title: 'Next gap of the GPU', keys: ['X'], group: 'Move',
		run: (app) => stepGap(app, 1)},
	{id: 'gap-previous', title: 'Previous gap of the GPU', keys: ['Shift+X'], group: 'Move',
		run: (app) => stepGap(app, -1)},
];

/** @type {Action[]} */
const selectActions = [
	{id: 'event-next', title: 'Next event of the row', keys: ['.'], group: 'Select',
		run: (app) => stepEvent(app, 1)},
	{id: 'event-previous', title: 'Previous event of the row', keys: [','], group: 'Select',
		run: (app) => stepEvent(app, -1)},
	{id: 'centre', title: 'Centre the selection; again: fit it', keys: ['F'], group: 'Select',
		run: centreSelection},
	{id: 'range', title: 'The selected event as range', keys: ['R'], group: 'Select', run({state}) {
		if (state.selection)
			state.setRange({a: state.selection.begin, b: state.selection.end});
	}},
	{id: 'range-view', title: 'All rows of the view as range', keys: ['Ctrl+A'], group: 'Select',
		run: ({state}) => state.setRange(state.view)},
	{id: 'mark', title: 'Mark the selection until the next mark', keys: ['M'], group: 'Select',
		run: (app) => markSelection(app, false)},
	{id: 'mark-kept', title: 'Mark the selection', keys: ['Shift+M'], group: 'Select',
		run: (app) => markSelection(app, true)},
	{id: 'link-previous', title: 'Follow a link to an earlier event', keys: ['['], group: 'Select',
		run: (app) => followLink(app, -1)},
	{id: 'link-next', title: 'Follow a link to a later event', keys: [']'], group: 'Select',
		run: (app) => followLink(app, 1)},
	{id: 'cycle-previous', title: 'Previous of the links', keys: ['Ctrl+['], group: 'Select',
		run: (app) => cycleLink(app, -1)},
	{id: 'cycle-next', title: 'Next of the links', keys: ['Ctrl+]'], group: 'Select',
		run: (app) => cycleLink(app, 1)},
	{id: 'launch', title: 'From kernel to launch and back', keys: ['O'], group: 'Select',
		run: otherEnd},
	{id: 'bookmark', title: 'Bookmark this view', keys: ['B'], group: 'Select', run: bookmark},
	{id: 'bookmark-next', title: 'Next bookmark', keys: ["'"], group: 'Select', run: nextBookmark},
	{id: 'escape', title: 'Clear, then close', keys: ['Escape'], group: 'Select', run: escape},
];

/** @type {Action[]} */
const rowActions = [
	{id: 'row-next', title: 'Next row', keys: ['ArrowDown'], group: 'Rows',
		run: (app) => moveFocus(app, 1)},
	{id: 'row-previous', title: 'Previous row', keys: ['ArrowUp'], group: 'Rows',
		run: (app) => moveFocus(app, -1)},
	{id: 'row-unfold', title: 'Unfold the row', keys: ['Shift+ArrowDown'], group: 'Rows',
		run: (app) => foldFocus(app, true)},
	{id: 'row-fold', title: 'Fold the row', keys: ['Shift+ArrowUp'], group: 'Rows',
		run: (app) => foldFocus(app, false)},
	{id: 'row-pin', title: 'Pin the row at the top', keys: ['Shift+T'], group: 'Rows',
		run: pinFocus},
	{id: 'streams-merge', title: 'Merge the streams of the GPU, or show each', keys: [],
		group: 'Rows', run: mergeFocus},
	...groupings.map(([value, title]) => ({id: `group-${value}`, title: `Group rows ${title}`,
		keys: [], group: 'Rows', run: (app) => groupRows(app, value)})),
	{id: 'rows-reset', title: 'Fold, pin and hide as at the start', keys: [], group: 'Rows',
		run: resetRows},
	{id: 'colour', title: 'Next way to colour', keys: ['C'], group: 'Rows', run: nextColour},
	{id: 'clock', title: 'Next clock: capture, first event, iteration', keys: ['T'], group: 'Rows',
		run: nextClock},
	{id: 'path', title: 'Light the critical path through the rows', keys: ['P'], group: 'Rows', run: lightPath,
		when: hasPath},
	{id: 'compare', title: 'Rows of trace A, of B, Δ, or of both', keys: ['V'], group: 'Rows',
		run: nextSide},
	{id: 'theme', title: 'Light or dark', keys: [], group: 'Rows', run({state}) {
		state.setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
	}},
];

/** @type {Action[]} */
const drawerActions = [
	{id: 'drawer', title: 'Open or close the drawer', keys: ['Q'], group: 'Find',
		run: ({panels}) => panels.toggle()},
	{id: 'search', title: 'Search the whole trace', keys: ['/'], group: 'Find',
		run: ({panels}) => panels.search()},
	{id: 'hit-next', title: 'Next search hit', keys: ['Enter'], group: 'Find',
		run: ({panels}) => panels.hit(1)},
	{id: 'hit-previous', title: 'Previous search hit', keys: ['Shift+Enter'], group: 'Find',
		run: ({panels}) => panels.hit(-1)},
	{id: 'find-row', title: 'Find a row', keys: ['Ctrl+P'], group: 'Find', everywhere: true,
		run: ({panels}) => panels.palette('rows')},
	{id: 'palette', title: 'Command palette', keys: ['Ctrl+Shift+P', 'F1'], group: 'Find',
		everywhere: true, run: ({panels}) => panels.palette('actions')},
	{id: 'findings', title: 'Findings', keys: [], group: 'Find',
		run: ({panels}) => panels.show('findings')},
	...Array.from({length: 9}, (_, i) => ({id: `finding-${i + 1}`, title: `Show finding ${i + 1}`,
		keys: [`${i + 1}`], group: 'Find', run: ({panels}) => panels.finding(i + 1),
		when: ({source}) => i < source.head.findings.length})),
	{id: 'lateness', title: 'Lateness by rank and step', keys: [], group: 'Find',
		run: ({panels}) => panels.show('lateness')},
	{id: 'serving', title: 'Prefill and decode of a serving engine', keys: [], group: 'Find',
		run: ({panels}) => panels.show('serving')},
	{id: 'whatif', title: 'What a step takes if something is different', keys: [], group: 'Find',
		run: ({panels}) => panels.show('whatif')},
	{id: 'roofline', title: 'Roofline of measured kernels', keys: [], group: 'Find',
		run: ({panels}) => panels.show('roofline')},
	{id: 'flame', title: 'NVTX ranges as a flame view', keys: [], group: 'Find',
		run: ({panels}) => panels.show('flame')},
	{id: 'stacks', title: 'Host code as a flame graph', keys: [], group: 'Find',
		run: ({panels}) => panels.show('stacks')},
	{id: 'sql', title: 'SQL on the trace, of a server', keys: [], group: 'Find',
		run: ({panels}) => panels.show('sql')},
	{id: 'copy', title: 'Copy the selection as text', keys: ['Ctrl+C'], group: 'Find',
		run: ({panels}) => panels.copy()},
	{id: 'print', title: 'Print', keys: [], group: 'Find', run: ({panels}) => panels.print()},
	{id: 'help', title: 'Keys and help', keys: ['?'], group: 'Find',
		run: ({panels}) => panels.help()},
];

/**
 * All actions: {id, title, keys, group, run(app)}; hold(app, seconds) where the key may be held,
 * everywhere where it works in a text field, too; when(app) says whether it can be done here. keys.js
 * says how keys are written.
 * @type {Action[]}
 */
export const actions = [...heldActions, ...viewActions, ...selectActions, ...rowActions,
	...drawerActions];

/**
 * Runs an action of the table; what goes wrong later, as with a server that is gone, is said.
 * @param {App} app
 */
export async function perform(app, action) {
	try {
		await action.run(app);
	} catch (error) {
		app.say(`This did not work: ${error.message}`);
	}
}
