/* SPDX-License-Identifier: MIT */
/* range.js - the tab of the range, or of the view without one: account, statistics, gaps. */
import {copyButton} from '../base/copy.js';
import {el, newestOnly, pressButton, swatch} from '../base/dom.js';
import {formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {accountRows, askAccount, commandOfRange, isInDoubt, onlyLongest, partName} from '../data/account.js';
import {timeWords} from '../data/clock.js';
import {fittedTo} from '../data/iterations.js';
import {deviceName, traceLetter} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
import {queryOfName} from '../compare/compared.js';
import {perfettoButton} from './perfetto.js';
import {joinedStats} from './rangepair.js';
import {RowSteps} from './rangesteps.js';
import {goToRow, rowPath} from './lists.js';
import {countedRows, groupsOf, isOfGpus, isPaired, rangeCommand, scopeChoices, scopeDevices,
	scopeTraces} from './scopes.js';
/** @import {App, Head, Table, Timer} from '../types.js' */

/** A view that moves is asked about when it has stood still for this many ms, a range that is dragged sooner. */
const VIEW_PAUSE_MS = 250;
const RANGE_PAUSE_MS = 60;
const GAP_MIN_NS = 10_000;
/** Causes with less of the range are only in the table. */
const LEAST_SHARE = 0.0005;
/** Said of tables that are not of all events. */
export const ONLY_LONGEST = 'of the longest events, which this file has';
const RANGE_EXPORTS = [['perfetto', 'Perfetto file'], ['chrome', 'Chrome JSON'],
	['csv', 'events CSV']];

/** What is looked at: {a, b, what} in whole ns, a < b; the range, else what the view is fitted to, else the view. */
export function rangeOf({range, view, extent, device}, head) {
	const fitted = range ? null : fittedTo(head, view, device);

	if (fitted)
		return fitted;
	const a = Math.round(range ? range.a : Math.max(view.a, extent.begin));
	const b = Math.round(range ? range.b : Math.min(view.b, extent.end));

	return {a, b: Math.max(b, a + 1), what: range ? 'Range' : 'View'};
}

/**
 * Statistics of several GPUs have several times the range to share.
 * @param {Table} table  of stats()
 * @param {number} devices  how many GPUs its rows are of
 */
export function shareOfAll(table, devices) {
	const share = table.columns.findIndex((c) => c.key === 'share');

	if (devices < 2 || share < 0)
		return table;
	return {...table, rows: table.rows.map((row) => row.map(
		(value, i) => (i === share ? value / devices : value)))};
}

/** A table of which the page has only the longest events: shares of the range would be wrong. */
export function withoutShare(table) {
	const kept = table.columns.flatMap((c, i) => (/^(share|union)$/.test(c.key) ? [] : [i]));

	return {...table, columns: kept.map((i) => table.columns[i]),
		rows: table.rows.map((row) => kept.map((i) => row[i]))};
}

/** What shares are of: "12 ms", of several GPUs "2 x 12 ms". */
export const spanText = (span, devices) => (devices > 1 ? `${devices} x ` : '') + formatNs(span);

/**
 * A piece of the bar.
 * @param {Head} head
 */
function accountPiece(head, span, part) {
	const piece = el(part.idle ? 'span.idle' : 'span', {
		title: `${partName(part.key)} ${formatNs(part.ns)}, ${formatRatio(part.ns / span)}`,
	});

	piece.style.flexGrow = String(part.ns);
	if (part.colour >= 0) {
		piece.style.setProperty('--light', head.categories[part.colour].light);
		piece.style.setProperty('--dark', head.categories[part.colour].dark);
	}
	return piece;
}

/**
 * "compute 41.0%  exposed comm 42.0%  idle 17.0%: launch 9.1% ...", before the bar.
 * @param {Head} head
 */
function accountWords(head, label, span, parts) {
	const share = (part) => `${partName(part.key)} ${formatRatio(part.ns / span)}`;
	const idle = parts.filter((part) => part.idle);
	const causes = idle.filter((part) => part.ns / span >= LEAST_SHARE)
		.sort((x, y) => y.ns - x.ns).map(share).join(' · ');
	const idleShare = formatRatio(idle.reduce((sum, part) => sum + part.ns, 0) / span);

	return el('p', {}, el('strong', {}, label),
		...parts.filter((part) => !part.idle).map((part) => el('span', {},
			swatch(head.categories[part.colour]), share(part))),
		el('span', {}, `idle ${idleShare}${isInDoubt(head.findings) ? ' (in doubt: see 1)' : ''}${causes ? `: ${causes}` : ''}`),
		el('span.of', {}, `of ${formatNs(span)}`));
}

/**
 * The account of a GPU in words, as a bar, and as a table for the bar.
 * @param {App} app
 */
function accountView(app, label, span, parts) {
	const {head} = app.source;
	const shown = parts.filter((part) => part.ns > 0 || !part.idle);
	const rows = shown.map((part) => [`${part.idle ? 'idle: ' : ''}${partName(part.key)}`, part.ns,
		part.ns / span]);
	const table = {rows, columns: tableColumns([['part', 'Part', 'string'],
		['time', 'Time', 'duration'], ['share', 'Share', 'ratio']])};
	const mark = (row, index) => {
		const {colour} = shown[rows.indexOf(row)];

		return index || colour < 0 ? null : swatch(head.categories[colour]);
	};

	return el('div.account', {},
		accountWords(head, label, span, parts),
		el('div.account-bar', {'aria-hidden': 'true'},
			...shown.filter((part) => part.ns > 0).map((part) => accountPiece(head, span, part))),
		el('details', {}, el('summary', {}, `${label} in numbers`),
			makeTable(app, `${label}: where ${formatNs(span)} went`, table, {mark})));
}

/**
 * Of what this file has not, nothing is told; of a GPU without a row there is nothing to tell.
 * @param {Head} head
 */
function noAccount(head, device) {
	return head.pyramid ? el('p.empty', {}, `${deviceName(head, device)}: this file has a picture ` +
		'of it and not all events, so it cannot say where the time went.') : null;
}

function rangeSelect(label, choices, value, change) {
	const select = el('select', {on: {change: () => change(select.value)}},
		...choices.map(([key, text]) => el('option', {value: key, selected: key === value}, text)));

	return el('label', {}, `${label} `, select);
}

/** @param {App} app */
function traceTools(app, scope, by, trace, a, b) {
	const {head} = app.source;
	const letter = head.traces.length > 1 ? `${traceLetter(trace)}: ` : '';
	const links = RANGE_EXPORTS.map(([format, label]) =>
		[app.source.exportUrl(format, a, b, trace), label]).filter(([url]) => url);

	return [
		...links.map(([url, label]) => el('a', {href: url, download: true}, letter + label)),
		perfettoButton(app, a, b, trace),
		copyButton(app, `${letter}copy command`, 'command for this range',
			() => rangeCommand(head, scope, trace, a, b, by)),
		hasRanges(head, trace) ? copyButton(app, `${letter}tree command`,
			'command for the NVTX tree of this range',
			() => commandOfRange('tree', head.traces[trace], a, b)) : null,
	];
}

/** @param {Head} head */
function hasRanges(head, trace) {
	return head.rows.some((row) => row.kind === 'nvtx' && row.trace === trace);
}

/** @param {App} app */
function exportTools(app, scope, by, a, b) {
	return el('p.range-tools', {},
		...scopeTraces(app.source.head, scope).flatMap((trace) =>
			traceTools(app, scope, by, trace, a, b)),
		app.source.head.rows.some(({kind}) => kind === 'nvtx') ? pressButton('NVTX tree',
			() => app.panels.show('flame'), {title: 'NVTX ranges of the range'}) : null,
		pressButton('show', () => app.state.show(a, b), {title: 'Show the range'}),
		app.state.range ? pressButton('clear', () => app.state.setRange(null),
			{title: 'Forget the range'}) : null);
}

/**
 * A click on the begin of a gap shows it with what is around.
 * @param {App} app
 */
function gapOptions(app, table) {
	const begin = table.columns.findIndex((c) => c.key === 'start');
	const length = table.columns.findIndex((c) => c.key === 'duration');

	return {
		goIndex: begin, goTitle: 'Show this gap',
		go: (row) => () => app.state.show(row[begin], row[begin] + row[length], 1),
	};
}

/* The operations of a row of statistics, to be lit; null where rows are no operations. */
function litRow({source}, by, [first]) {
	const word = source.head.words.findIndex(({key}) => key === first);

	if (by === 'category')
		return word < 0 ? null : {key: `word ${word}`, text: first, colour: source.head.words[word].colour,
			fits: (name) => source.nameWord(name) === word};
	if (by !== 'name')
		return null;
	const known = new Map();
	const fits = (name) => {
		if (!known.has(name))
			known.set(name, source.nameText(name) === first);
		return known.get(name);
	};

	return {key: `name ${first}`, text: first, colour: -1, fits};
}

/**
 * What a press on a row does: it lights its operations, and goes to the next of them.
 * @param {App} app
 */
function goToStats(app, by, row) {
	const {head} = app.source;
	const lit = litRow(app, by, row);

	if (lit)
		app.state.set('lit', lit);
	if (by === 'stream') {
		const id = head.rows.findIndex((other, i) => rowPath(head, i).replaceAll(' › ', ' / ') === row[0] ||
			other.label === row[0]);

		if (id >= 0)
			goToRow(app, id);
	} else if (by === 'category') {
		app.say(lit ? `Only ${row[0]}. Esc shows all.` : row[0]);
	} else {
		app.panels.seek(queryOfName(row[0]));
	}
}

/**
 * Rows of statistics lead to what they count: a press lights it and goes to the next, the pointer above
 * flashes it. Before the name is its colour, before its share a bar, before its mean step all steps.
 * @param {App} app
 */
function rangeOptions(app, by, table, steps) {
	const {head} = app.source;
	const share = table.columns.findIndex((c) => c.key === 'share');
	const colourOfRow = (row) => (by === 'category' ? head.words.find(({key}) => key === row[0])?.colour ?? -1
		: table.keyOf ? steps.colour(table.keyOf(row)) : -1);

	return {
		go: (row) => () => goToStats(app, by, row),
		goTitle: {name: 'Light these and go to the next', category: 'Light these',
			nvtx: 'Go to the next', stream: 'Go to this row'}[by],
		over: (row) => (row ? litRow(app, by, row) : null),
		mark(row, index) {
			if (index === 0 && colourOfRow(row) >= 0)
				return swatch(head.categories[colourOfRow(row)]);
			if (index === table.perStep)
				return steps.spark(table.keyOf(row));
			if (index !== share || share < 0 || typeof row[share] !== 'number')
				return null;
			const bar = el('span.cell-bar', {'aria-hidden': 'true'});

			bar.style.setProperty('--part', `${Math.min(100, 100 * row[share])}%`);
			return bar;
		},
	};
}

/** The tab: what is chosen in it, and the newest answer. */
class RangePanel {
	/** @param {App} app */
	constructor(app, panel) {
		const {device} = app.state;

		this.app = app;
		this.panel = panel;
		this.by = 'name';
		this.scope = device < 0 ? '' : `gpu:${device}`;
		/** @type {Timer} */
		this.timer = 0;
		this.newest = newestOnly();
		this.steps = new RowSteps(app.source);
	}

	/* Statistics of all GPUs have as many times the range to share. */
	get sharing() {
		return this.scope === 'all' ? this.app.source.head.devices.length : 1;
	}

	/* Of both traces each side's own, joined; gaps are of one side or all. */
	async #askStats(rows, a, b) {
		const {source} = this.app;

		if (!isPaired(this.scope))
			return source.stats(a, b, rows, this.by);
		const sides = [0, 1].map((trace) => rows.filter((id) =>
			source.head.rows[id].trace === trace));

		const [first, second] = await Promise.all(sides.map((ids) => source.stats(a, b, ids, this.by)));

		return joinedStats(first, second);
	}

	async #ask({a, b}) {
		const {source} = this.app;
		const devices = scopeDevices(source.head, this.scope);
		const rows = countedRows(source.head, this.scope);
		const device = this.scope.startsWith('gpu:') ? devices[0] : -1;
		const [accounts, stats, gaps] = await Promise.all([
			Promise.all(devices.map((d) => askAccount(source, d, a, b))),
			this.#askStats(rows, a, b),
			this.#hasGaps(devices) ? source.gaps(a, b, GAP_MIN_NS, device) : null]);

		const isPart = onlyLongest(source.head, rows);

		const shown = isPart ? withoutShare(stats) : shareOfAll(stats, this.sharing);

		return {devices, accounts, gaps, isPart,
			stats: isPaired(this.scope) ? shown : this.steps.withColumn(shown, this.by, rows)};
	}

	#hasGaps(devices) {
		const {head} = this.app.source;

		return !isPaired(this.scope) && isOfGpus(this.scope) && devices.length > 0 &&
			!onlyLongest(head, devices.map((d) => accountRows(head, d).gaps));
	}

	#choices(choices) {
		const choose = (key) => (value) => {
			this[key] = value;
			this.refresh();
		};

		return [rangeSelect('by', groupsOf(this.app.source.head, this.scope), this.by, choose('by')),
			rangeSelect('of', choices, this.scope, choose('scope'))];
	}

	/* Cells of a row change where they are, so that nothing loses the focus. */
	async #fillSteps(table, stats) {
		const isStale = () => !table.isConnected;

		await this.steps.ask(stats, (text) => {
			stats.rows.filter((row) => row[0] === text).forEach((row) => {
				row[stats.perStep] = this.steps.known.get(stats.keyOf(row)).mean;
			});
			table.dispatchEvent(new CustomEvent('refill', {detail: text}));
		}, isStale);
	}

	#draw({a, b, what}, {devices, accounts, stats, gaps, isPart}) {
		const {app} = this;
		const {head} = app.source;
		const choices = scopeChoices(app);
		const of = choices.find(([key]) => key === this.scope)?.[1] ?? '';
		const by = groupsOf(head, this.scope).filter(([key]) => key === this.by)[0][1];
		const views = accounts.map((parts, i) => (parts
			? accountView(app, deviceName(head, devices[i]), b - a, parts)
			: noAccount(head, devices[i])));

		const table = makeTable(app, `${what} by ${by}, ${of}; ${isPart ? ONLY_LONGEST : this.#sharedText(b - a)}`,
			stats, isPaired(this.scope) ? {} : rangeOptions(app, this.by, stats, this.steps));

		this.panel.replaceChildren(
			el('div.range-choices', {}, el('h2', {}, `${what} ${formatNs(b - a)}`,
				el('small', {}, ` from ${timeWords(head, app.state.clock, a)}`)), ...this.#choices(choices)),
			...views.filter(Boolean),
			table,
			exportTools(app, this.scope, this.by, a, b),
			...(gaps ? [this.#gapsView(gaps, of)] : []));
		if (stats.keyOf)
			this.#fillSteps(table, stats).catch(() => {
				/* The table stands; a server that is lost is said elsewhere. */
			});
	}

	#sharedText(span) {
		if (isPaired(this.scope))
			return `the same ${formatNs(span)} of both`;
		const threads = isOfGpus(this.scope) ? '' : ', times of all threads added up';

		return `share of ${spanText(span, this.sharing)}${threads}`;
	}

	/* The table is made when it is first seen. */
	#gapsView(gaps, of) {
		const fill = () => details.append(makeTable(this.app, `Gaps of ${of}`, gaps, gapOptions(this.app, gaps)));
		const details = el('details', {}, el('summary', {}, `Gaps of at least ${formatNs(GAP_MIN_NS)} ` +
			`(${gaps.total ?? gaps.rows.length})`));

		details.addEventListener('toggle', fill, {once: true});
		return details;
	}

	/** The account of a GPU is wanted, or of the first. */
	account(device) {
		this.scope = device < 0 ? '' : `gpu:${device}`;
		this.refresh();
	}

	/* Nothing is asked for a panel that is not seen. */
	async refresh() {
		if (this.panel.hidden)
			return;
		const choices = scopeChoices(this.app);
		const range = rangeOf(this.app.state, this.app.source.head);

		if (choices.length === 0) {
			this.panel.replaceChildren(el('p.empty', {}, 'This trace has no events to count.'));
			return;
		}
		if (!choices.some(([key]) => key === this.scope))
			this.scope = choices[0][0];
		if (!groupsOf(this.app.source.head, this.scope).some(([key]) => key === this.by))
			this.by = 'name';
		try {
			const {stale, value} = await this.newest(() => this.#ask(range));

			if (!stale)
				this.#draw(range, value);
		} catch (problem) {
			this.panel.replaceChildren(el('p.empty', {}, `No statistics: ${problem.message}`));
		}
	}

	soon(ms) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.refresh(), ms);
	}
}

/**
 * Fill the tab and follow range and view.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountRange(app, panel) {
	const range = new RangePanel(app, panel);

	app.state.on('device', (device) => range.account(device));
	app.state.on('range', () => range.soon(RANGE_PAUSE_MS));
	app.state.on('align', () => range.refresh());
	app.state.on('clock', () => range.refresh());
	app.state.on('view', () => app.state.range || range.soon(VIEW_PAUSE_MS));
	return {refresh: () => range.refresh()};
}
