/* range.js - the tab of the range, or of the view without one: account, statistics, gaps. */
import {askAccount, commandOfRange, partName} from './account.js';
import {copyButton} from './copy.js';
import {el, newestOnly, pressButton, swatch} from './dom.js';
import {formatNs, formatRatio, formatTime} from './format.js';
import {makeTable} from './tables.js';

/** A view that moves is asked about when it has stood still for this many ms. */
const RANGE_PAUSE_MS = 250;
const GAP_MIN_NS = 10_000;
/** Causes with less of the range are only in the table. */
const LEAST_SHARE = 0.0005;
const GROUPS = [['name', 'kernel'], ['category', 'category'], ['nvtx', 'NVTX range'],
	['stream', 'stream']];
const EXPORTS = [['perfetto', 'Perfetto'], ['chrome', 'Chrome JSON'], ['csv', 'events CSV']];

/** What is looked at: {a, b, what} in ns; the range, else the view within the trace. */
export function rangeOf(state) {
	if (state.range)
		return {...state.range, what: 'Range'};
	const a = Math.round(Math.max(state.view.a, state.extent.begin));
	const b = Math.round(Math.min(state.view.b, state.extent.end));

	return {a, b: Math.max(b, a + 1), what: 'View'};
}

/* "busy 41.0%  comm 42.0%  ...", a bar of it, and a table for the bar. */
function accountView(app, label, span, parts) {
	const {head} = app.source;
	const patch = (part) => (part.colour < 0 ? null : swatch(head.categories[part.colour]));
	const bar = el('div.account-bar', {'aria-hidden': 'true'});

	for (const part of parts.filter((p) => p.ns > 0)) {
		const piece = el(part.idle ? 'span.idle' : 'span', {
			title: `${partName(part.key)} ${formatNs(part.ns)}, ${formatRatio(part.ns / span)}`,
		});

		piece.style.flexGrow = String(part.ns);
		if (part.colour >= 0) {
			piece.style.setProperty('--light', head.categories[part.colour].light);
			piece.style.setProperty('--dark', head.categories[part.colour].dark);
		}
		bar.append(piece);
	}
	const shown = parts.filter((part) => part.ns > 0 || !part.idle);
	const idle = parts.filter((part) => part.idle).reduce((sum, part) => sum + part.ns, 0);
	const rows = shown.map((part) => [
		part.idle ? `idle: ${partName(part.key)}` : partName(part.key), part.ns,
		part.ns / span]);
	const table = {rows, columns: [{key: 'part', title: 'Part', type: 'string'},
		{key: 'time', title: 'Time', type: 'duration'}, {key: 'share', title: 'Share', type: 'ratio'}]};
	const share = (part) => `${partName(part.key)} ${formatRatio(part.ns / span)}`;
	const causes = parts.filter((part) => part.idle && part.ns / span >= LEAST_SHARE)
		.sort((x, y) => y.ns - x.ns);

	return el('div.account', {},
		el('p', {}, el('strong', {}, label),
			...parts.filter((part) => !part.idle).map((part) => el('span.part', {}, patch(part), share(part))),
			el('span.part', {}, `idle ${formatRatio(idle / span)}`,
				causes.length ? `: ${causes.map(share).join(' · ')}` : ''),
			el('span.of', {}, `of ${formatNs(span)}`)),
		bar,
		el('details', {}, el('summary', {}, `${label} in numbers`),
			makeTable(app, `${label}: where ${formatNs(span)} went`, table, {
				mark: (row, index) => (index ? null : patch(shown[rows.indexOf(row)])),
			})));
}

function rangeSelect(label, choices, value, change) {
	const select = el('select', {on: {change: () => change(select.value)}},
		...choices.map(([key, text]) => el('option', {value: key, selected: key === value}, text)));

	return el('label', {}, `${label} `, select);
}

/* Rows whose events are counted: of a GPU its streams, or one row alone. */
function countedRows(head, scope) {
	const [kind, id] = scope.split(':');

	if (kind === 'row')
		return [Number(id)];
	return head.rows.flatMap((row, i) => (row.kind === 'stream' &&
		(kind === 'all' || row.device === Number(id)) ? [i] : []));
}

function scopeChoices(app) {
	const {head} = app.source;
	const many = head.traces.length > 1;
	const choices = head.devices.map((device, i) => [`gpu:${i}`,
		many ? `${head.traces[device.trace].label}: ${device.label}` : device.label]);
	const row = app.state.selection?.rowId ?? app.state.focusRow;

	if (head.devices.length > 1)
		choices.push(['all', 'all GPUs']);
	if (row >= 0 && head.rows[row])
		choices.push([`row:${row}`, `row ${head.rows[row].label}`]);
	return choices;
}

function exportTools(app, trace, a, b) {
	const links = EXPORTS.map(([format, label]) => [app.source.exportUrl(format, a, b), label])
		.filter(([url]) => url);

	return el('p.range-tools', {},
		...links.map(([url, label]) => el('a', {href: url, download: true}, label)),
		copyButton(app, 'copy command', 'command for this range',
			() => commandOfRange('kernels', trace, a, b)),
		pressButton('show', () => app.state.show(a, b), {title: 'Show the range'}),
		app.state.range ? pressButton('clear', () => app.state.setRange(null),
			{title: 'Forget the range'}) : null);
}

/* A click on the begin of a gap shows it with what is around. */
function gapOptions(app, table) {
	const begin = table.columns.findIndex((c) => c.key === 'start');
	const length = table.columns.findIndex((c) => c.key === 'duration');

	return {
		goIndex: begin, goTitle: 'Show this gap',
		go: (row) => () => app.state.show(row[begin], row[begin] + row[length], 1),
	};
}

/**
 * Fill the tab and follow range and view.
 * @param {object} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountRange(app, panel) {
	const newest = newestOnly();
	const choice = {by: 'name', scope: ''};
	let timer = 0;
	const statistics = async (a, b) => {
		const {head} = app.source;
		const device = choice.scope.startsWith('gpu:') ? Number(choice.scope.slice(4)) : -1;
		const devices = device >= 0 ? [device] : head.devices.map((_, i) => i);
		const accounts = await Promise.all(devices.map((d) => askAccount(app.source, d, a, b)));
		const stats = await app.source.stats(a, b, countedRows(head, choice.scope), choice.by);
		const gaps = await app.source.gaps(a, b, GAP_MIN_NS, device);

		return {devices, accounts, stats, gaps};
	};
	const draw = ({a, b, what}, found) => {
		const {head} = app.source;
		const span = b - a;
		const names = scopeChoices(app);
		const of = names.find(([key]) => key === choice.scope)?.[1] ?? '';
		const change = (key) => (value) => {
			choice[key] = value;
			refresh();
		};
		const label = (d) => head.devices[d].label;

		panel.replaceChildren(
			el('div.range-choices', {},
				el('h3', {}, `${what} ${formatNs(span)}`,
					el('small', {}, ` from ${formatTime(a)}`)),
				rangeSelect('by', GROUPS, choice.by, change('by')),
				rangeSelect('of', names, choice.scope, change('scope'))),
			...found.accounts.flatMap((parts, i) => (parts
				? [accountView(app, label(found.devices[i]), span, parts)] : [])),
			makeTable(app, `${what} by ${GROUPS.find(([key]) => key === choice.by)[1]}, ${of}; ` +
				`share of ${formatNs(span)}`, found.stats),
			exportTools(app, head.traces[0], a, b),
			el('details', {}, el('summary', {}, `Gaps of at least ${formatNs(GAP_MIN_NS)} ` +
				`(${found.gaps.rows.length}${found.gaps.truncated ? ' or more' : ''})`),
			makeTable(app, `Gaps of ${of}`, found.gaps, gapOptions(app, found.gaps))));
	};
	const refresh = async () => {
		if (panel.hidden || !panel.isConnected)
			return;
		if (!scopeChoices(app).some(([key]) => key === choice.scope))
			choice.scope = scopeChoices(app)[0]?.[0] ?? 'all';
		const range = rangeOf(app.state);

		try {
			const {stale, value} = await newest(() => statistics(range.a, range.b));

			if (!stale)
				draw(range, value);
		} catch (problem) {
			panel.replaceChildren(el('p.empty', {}, `No statistics: ${problem.message}`));
		}
	};
	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(refresh, RANGE_PAUSE_MS);
	};

	app.state.on('range', refresh);
	app.state.on('view', () => app.state.range || soon());
	return {refresh};
}
