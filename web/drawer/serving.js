/* SPDX-License-Identifier: MIT */
/*
 * serving.js - the tab of a serving engine: which steps are prefill and decode, the time per output token over time, how
 * decodes spread, and where their time goes. See data/serving.js for the figures.
 */
import {barChart} from '../base/bars.js';
import {el, newestOnly, swatch} from '../base/dom.js';
import {formatCount, formatNs, formatRatio} from '../base/format.js';
import {makeTable} from '../base/tables.js';
import {accountRows, onlyLongest, partName} from '../data/account.js';
import {accountOfSteps, histogramOf, servingOf, stepLabels, stepsByLabel, stepsByLength, servingSteps,
	usualLimit} from '../data/serving.js';
import {deviceName} from '../data/source.js';
import {tableColumns} from '../data/stats.js';
/** @import {App} from '../types.js' */
/** @import {ServingStep} from '../data/serving.js' */

/** More decodes are drawn by groups of neighbours, each as high as its longest. */
const TOKEN_BARS = 180;
const HISTOGRAM_BINS = 24;

const servingOption = (value, text) => el('option', {value}, text);

/** What is chosen and shown. */
class ServingView {
	/** @param {App} app */
	constructor(app) {
		const again = {change: () => this.refresh()};

		this.app = app;
		this.newest = newestOnly();
		this.device = el('select', {on: {change: () => this.#choose()}}, ...app.source.head.devices.flatMap((device, i) =>
			(device.process >= 0 ? [servingOption(i, deviceName(app.source.head, i))] : [])));
		this.by = el('select', {on: again});
		this.prefill = el('select', {on: again});
		this.limit = el('input', {type: 'number', min: '0', step: 'any', size: '8', on: again});
		this.ofLimit = el('label', {}, 'prefill from ', this.limit, ' ms');
		this.ofPrefill = el('label', {}, 'prefill are ', this.prefill);
		this.choices = el('p.range-choices', {}, el('label', {}, 'steps of ', this.device),
			el('label', {}, 'decode are ', this.by), this.ofPrefill, this.ofLimit);
		this.body = el('div');
		this.isChosen = false;
	}

	/* What can be chosen depends on the GPU. */
	async #choose() {
		const {source} = this.app;
		const device = Number(this.device.value);
		const steps = servingSteps(source.head, device);
		const labels = await stepLabels(source, device);
		const named = labels.map(([label, n]) => servingOption(`=${label}`, `ranges ${label} (${formatCount(n)})`));

		this.by.replaceChildren(...(steps.some(({kind}) => kind) ? [servingOption('kind', 'those with decode in a name')] : []),
			...(steps.length ? [servingOption('length', 'steps shorter than prefills')] : []), ...named);
		this.prefill.replaceChildren(servingOption('', 'none'), ...named.map((option) => option.cloneNode(true)));
		this.limit.value = String(usualLimit(source.head, steps) / 1e6);
		this.isChosen = true;
		await this.refresh();
	}

	#steps() {
		const {source} = this.app;
		const device = Number(this.device.value);
		const steps = servingSteps(source.head, device);

		if (this.by.value.startsWith('='))
			return stepsByLabel(source, device, this.by.value.slice(1), this.prefill.value.slice(1));
		return this.by.value === 'length' ? stepsByLength(steps, Number(this.limit.value) * 1e6) : steps;
	}

	async refresh() {
		if (!this.device.value)
			return;
		if (!this.isChosen) {
			await this.#choose();
			return;
		}
		this.ofLimit.hidden = this.by.value !== 'length';
		this.ofPrefill.hidden = !this.by.value.startsWith('=');
		const {stale, value} = await this.newest(async () => {
			const steps = await this.#steps();
			const own = steps.filter(({kind, hasPeriod}) => kind === 'decode' && hasPeriod);

			return {steps, own, account: await accountOfSteps(this.app.source, Number(this.device.value), own)};
		});

		if (!stale)
			this.body.replaceChildren(...this.#draw(value));
	}

	#show(a, b, text) {
		this.app.state.setRange({a, b});
		this.app.state.show(a, b, 0.1);
		this.app.say(text);
	}

	#draw({steps, own, account}) {
		const {kinds, tokens, tpot} = servingOf(steps);
		const between = tokens.reduce((sum, token) => sum + token.between, 0);

		if (!own.length)
			return [el('p.empty', {}, 'No decodes: choose what they are.')];
		return [
			el('p', {'aria-live': 'polite'}, ...kinds.flatMap(({kind, n, spread}, i) => [i ? '; ' : '',
				el('strong', {}, `${formatCount(n)} ${kind}`), `, median ${formatNs(spread.p50)}`]), '.',
			...(tokens.length ? [' Time per output token: mean ', el('strong', {}, formatNs(Math.round(tpot.sum / tpot.n))),
				`, p50 ${formatNs(tpot.p50)}, p99 ${formatNs(tpot.p99)}` + (between ? `; ${formatRatio(between / tpot.sum)} of it ` +
				'is prefills between decodes.' : '.')] : [])),
			el('div.serving', {},
				el('figure', {}, this.#strip(tokens), el('figcaption', {},
					`Time from a decode to the next, over time, up to ${formatNs(tpot.most)}: `,
					el('span.bar-key', {}, 'decode'), ' ', el('span.bar-key.second', {}, 'prefill between'))),
				el('figure', {}, ...this.#histogram(own))),
			this.#account(own, account),
			this.#table(steps),
		];
	}

	#strip(tokens) {
		const size = Math.ceil(tokens.length / TOKEN_BARS) || 1;
		const longest = Array.from({length: Math.ceil(tokens.length / size)}, (_, i) => tokens.slice(i * size, (i + 1) * size)
			.reduce((x, y) => (y.own + y.between > x.own + x.between ? y : x)));

		return barChart('Time per output token over time', longest.map(({step, own, between}) => {
			const text = `step ${step.number}: ${formatNs(own + between)} to the next decode` +
				(between ? `, ${formatNs(between)} of it prefill` : '');

			return {parts: [own, between], text, go: () => this.#show(step.begin, step.end + between, text)};
		}));
	}

	/** @param {ServingStep[]} own */
	#histogram(own) {
		const bins = histogramOf(own.map((step) => ({...step, ns: step.end - step.begin})), HISTOGRAM_BINS);

		const most = own.reduce((high, {begin, end}) => Math.max(high, end - begin), 0);
		const words = `Decodes by length, from ${formatNs(bins[0].from)} to ${formatNs(most)}` +
			(bins.length > HISTOGRAM_BINS ? '; the longest 1% are the last bar' : '');

		return [barChart('Decodes by length', bins.map(({from, to, items}) => {
			const text = `${formatNs(from)} to ${formatNs(to)}: ${formatCount(items.length)}`;
			let next = 0;

			return {parts: [items.length], text, go: () => {
				const step = items[next++ % items.length];

				if (step)
					this.#show(step.begin, step.end, `Step ${step.number}: ${formatNs(step.ns)}`);
			}};
		})), el('figcaption', {}, words)];
	}

	/* Where the mean decode goes; idle time is what is between the operations of decodes. */
	#account(own, {parts, truncated}) {
		const {head} = this.app.source;
		const rows = accountRows(head, Number(this.device.value));
		const sum = parts.reduce((all, {ns}) => all + ns, 0);
		const shown = parts.filter(({ns}) => ns > 0).sort((x, y) => x.idle - y.idle || y.ns - x.ns);

		if (truncated || onlyLongest(head, [rows.gpu, rows.gaps]))
			return el('p.empty', {}, 'Where decodes spend their time: the page does not have all gaps.');
		return makeTable(this.app, `Where ${formatCount(own.length)} decodes go`, {
			columns: tableColumns([['part', 'Part', 'string'], ['mean', 'Per decode', 'duration'], ['sum', 'All', 'duration'],
				['share', 'Share', 'ratio']]),
			rows: shown.map(({key, idle, ns}, i) => [(idle && key !== 'idle' ? 'idle: ' : '') + partName(key), Math.round(ns / own.length), ns,
				ns / sum, i]),
		}, {mark: (row, index) => (index === 0 && shown[row[4]].colour >= 0 ? swatch(head.categories[shown[row[4]].colour]) : null),
			go: (row) => (shown[row[4]].longest ? () => this.#show(shown[row[4]].longest.a, shown[row[4]].longest.b,
				`The longest: ${row[0]}`) : null), goTitle: 'Show the longest'});
	}

	#table(steps) {
		const details = el('details', {}, el('summary', {}, 'Steps as a table'));

		details.addEventListener('toggle', () => details.append(makeTable(this.app, 'Steps', {
			columns: tableColumns([['iter', 'Step', 'count'], ['kind', 'Kind', 'string'], ['start', 'Start', 'time'],
				['period', 'Period', 'duration']]),
			rows: steps.map(({number, kind, begin, end, hasPeriod}) => [number, kind, begin, hasPeriod ? end - begin : null, end]),
		}, {go: (row) => () => this.#show(row[2], row[4], `Step ${row[0]}, ${row[1]}`), goTitle: 'Show this step'})), {once: true});
		return details;
	}
}

/**
 * Fill the tab.
 * @param {App} app
 * @param {HTMLElement} panel
 * @returns {{refresh: () => void}} asks again; to be called when the panel becomes visible
 */
export function mountServing(app, panel) {
	const view = new ServingView(app);

	panel.replaceChildren(view.device.options.length ? view.choices
		: el('p.empty', {}, 'No steps were found in this trace, and no NVTX ranges can be chosen.'), view.body);
	app.state.on('align', () => {
		view.isChosen = false;
		if (!panel.hidden)
			view.refresh();
	});
	return {refresh: () => view.refresh()};
}
