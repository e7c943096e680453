/* SPDX-License-Identifier: MIT */
/*
 * overview.js - the whole trace above the timeline: a bar per iteration, a strip per GPU,
 * findings, search hits, and the window that the timeline shows, which can be moved.
 */
import {formatNs} from '../base/format.js';
import {timeText, timeWords} from '../data/clock.js';
import {leaderOf} from '../data/iterations.js';
import {pairRows} from '../data/pairs.js';
import {colourOf, traceLetter} from '../data/source.js';
import {flagAt, flagLines, flagsOf} from './overlay.js';
import {Painter} from './paint.js';
/** @import {Head, Picture, Process, Source, State, Theme} from '../types.js' */

/** Bars of iterations with their numbers; of two traces each has less. */
const BARS_HEIGHT = 36;
const BARS_HEIGHT_PAIRED = 28;
const NUMBERS_HEIGHT = 12;
const FLAGS_HEIGHT = 15;
const LOW_WINDOW = 600;
/** GPUs beyond these are not drawn; those are counted in the label. */
const MOST_STRIPS = 16;
/** The picture from which iterations are split into classes has so many columns. */
const SPLIT_COLUMNS = 8192;
/** An iteration this much longer than the median one is an outlier. */
const OUTLIER = 1.2;
/** Bars are as high as they are long up to so many medians: one very long step leaves the others their height. */
const HIGHEST = 3;
const CAP_HEIGHT = 1.5;
const EDGE_GRIP = 6;
const LEAST_WINDOW = 4;

function median(values) {
	const sorted = [...values].sort((x, y) => x - y);
	return sorted.length > 0 ? sorted[sorted.length >> 1] : 0;
}

/**
 * GPU rows in the order of the timeline: of two traces each beside its like.
 * @param {Head} head
 */
function overviewGpus(head) {
	const gpus = head.rows.flatMap((row, id) => (row.kind === 'gpu' ? [{row, id}] : []));
	const of = (trace) => gpus.filter(({row}) => row.trace === trace);
	const ordered = head.traces.length === 2 ?
		pairRows(head, of(0), of(1)).flat().filter((gpu) => gpu !== null) : gpus;
	return ordered.map(({id}) => id).slice(0, MOST_STRIPS);
}

/**
 * Traces whose iterations are drawn, from the top: the first, or both of two.
 * @param {Head} head
 */
function overviewSides(head) {
	const traces = head.traces.length === 2 ? [0, 1] : [0];
	return traces.flatMap((trace) => {
		const {iterations = [], first = 0, changed = []} = /** @type {Partial<Process>} */ (leaderOf(head, trace) ?? {});
		const gpu = head.rows.findIndex((row) => row.kind === 'gpu' && row.trace === trace);
		return iterations.length > 0 ? [{iterations, first, changed, gpu,
			splits: /** @type {?Float64Array[]} */ (null),
			letter: traces.length > 1 ? traceLetter(trace) : ''}] : [];
	});
}

/* Shares of an interval by class, from a picture of [begin, end): about, for drawing only. */
function split(picture, extent, [a, b], n) {
	const parts = new Float64Array(n);
	const scale = picture.cat.length / (extent.end - extent.begin);
	const first = Math.floor((a - extent.begin) * scale);
	const last = Math.max(first + 1, Math.ceil((b - extent.begin) * scale));
	for (let i = Math.max(0, first); i < last && i < picture.cat.length; i++)
		if (picture.share[i] > 0)
			parts[picture.cat[i]] += picture.share[i] / 255 / (last - first);
	return parts;
}

export class Overview {
	#frame = 0;
	/** @type {?Map<number, Picture[]>} */
	#strips = null;
	#key = '';
	#axis = 0;
	#width = 0;
	/* What is below the window and above it stays as it is drawn until more than the view or the range changes. */
	#below = document.createElement('canvas');
	#above = document.createElement('canvas');
	#isStale = true;

	/**
	 * @param {Source} source
	 * @param {State} state
	 * @param {Theme} theme
	 */
	constructor(source, state, canvas, theme) {
		this.source = source;
		this.state = state;
		this.canvas = canvas;
		this.theme = theme;
		this.context = canvas.getContext('2d', {alpha: false});
		this.painter = new Painter();
		this.gpus = overviewGpus(source.head);
		this.sides = overviewSides(source.head);
		this.sideHeight = this.sides.length > 1 ? BARS_HEIGHT_PAIRED : BARS_HEIGHT;
		for (const name of ['view', 'range'])
			state.on(name, () => this.#soon());
		state.on('hits', () => this.request());
		new ResizeObserver(() => this.request()).observe(canvas.parentElement);
		state.on('align', () => this.#askAgain());
		this.#askAgain();
	}

	/* All that is asked for once, of the axis that holds now. */
	#askAgain() {
		this.#axis++;
		this.#strips = null;
		this.#askSplits().catch(() => {
			/* Bars are drawn without their parts. */
		});
		this.request();
	}

	get barsHeight() { return this.sides.length * this.sideHeight; }
	/** The iteration at a place, [begin, end]; undefined where there is no bar. */
	iterationAt(x, y) {
		const t = this.timeAt(x);
		return this.sides[Math.floor(y / this.sideHeight)]?.iterations.find(([a, b]) =>
			a <= t && t < b);
	}
	/* Low windows, as those of twice the size are, have little room for many GPUs. */
	get stripHeight() {
		const n = this.gpus.length;
		const usual = n > 12 ? 3 : n > 8 ? 4 : n > 2 ? 6 : 10;
		return innerHeight < LOW_WINDOW ? Math.min(usual, 3) : usual;
	}
	get height() {
		return this.barsHeight + this.gpus.length * (this.stripHeight + 1) + FLAGS_HEIGHT + 4;
	}
	xAt(t) {
		const {begin, end} = this.state.extent;
		return (t - begin) * this.width / (end - begin);
	}
	timeAt(x) {
		const {begin, end} = this.state.extent;
		return begin + x * (end - begin) / this.width;
	}
	/* As of the last frame: to ask the page makes it lay itself out. */
	get width() { return this.#width || this.canvas.clientWidth; }

	/** Draws all at the next animation frame. */
	request() {
		this.#isStale = true;
		this.#soon();
	}

	#soon() {
		this.#frame ||= requestAnimationFrame(() => {
			this.#frame = 0;
			this.draw();
		});
	}

	setTheme(theme) {
		this.theme = theme;
		this.request();
	}

	async #askSplits() {
		const sides = this.sides.filter(({gpu}) => gpu >= 0);
		for (const side of this.sides)
			side.splits = null;
		if (sides.length === 0)
			return;
		const {begin, end} = this.state.extent;
		const axis = this.#axis;
		const w = Math.min(SPLIT_COLUMNS, end - begin);
		const pictures = await this.source.pictures(sides.map(({gpu}) => gpu), begin, end, w);
		const n = this.source.head.classes.length;
		for (const side of axis === this.#axis ? sides : []) {
			const picture = pictures.get(side.gpu)?.[0];
			side.splits = picture ? side.iterations.map((iteration) =>
				split(picture, this.state.extent, iteration, n)) : null;
		}
		this.request();
	}

	/* Strips are asked for once per width and axis. */
	async #askStrips(w) {
		const key = `${w} ${this.#axis}`;
		if (this.#key === key || this.gpus.length === 0)
			return;
		this.#key = key;
		const {begin, end} = this.state.extent;
		const columns = Math.min(w, end - begin);
		try {
			const pictures = await this.source.pictures(this.gpus, begin, end, columns);
			if (this.#key === key)
				this.#strips = pictures;
		} catch {
			this.#key = ''; /* the next frame asks again */
			return;
		}
		this.request();
	}

	/** Draws now; not at all where it is not shown, as on paper. */
	draw() {
		const {canvas, context} = this;
		this.#width = canvas.parentElement.clientWidth;
		if (this.#width === 0)
			return;
		const ratio = devicePixelRatio || 1;
		const css = {width: this.#width, height: this.height};
		const width = Math.min(8192, Math.round(css.width * ratio));
		const height = Math.round(css.height * ratio);
		if (canvas.width !== width || canvas.height !== height) {
			canvas.width = width;
			canvas.height = height;
			canvas.style.height = `${css.height}px`;
			this.#isStale = true;
		}
		this.#askStrips(width);
		if (this.#isStale)
			this.#drawLayers(css, ratio);
		this.#isStale = false;
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.drawImage(this.#below, 0, 0);
		context.setTransform(width / css.width, 0, 0, ratio, 0, 0);
		this.#drawWindow(css);
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.drawImage(this.#above, 0, 0);
		this.#describe();
	}

	/* Both are drawn with this.pen. */
	#drawLayers(css, ratio) {
		const {painter} = this;
		const {width, height} = this.canvas;
		const begin = (layer) => {
			Object.assign(layer, {width, height}); /* which empties it */
			this.pen = layer.getContext('2d');
		};
		painter.resize(width, height);
		painter.begin(this.theme, []);
		this.#drawStrips(ratio, width);
		begin(this.#below);
		this.pen.putImageData(painter.image, 0, 0);
		this.pen.scale(width / css.width, ratio);
		this.#drawIterations();
		this.#drawHits(css);
		begin(this.#above);
		this.pen.scale(width / css.width, ratio);
		this.#drawCaps();
		this.#drawNumbers();
		this.#drawEmpty();
		this.#drawFindings();
	}

	#drawStrips(ratio, width) {
		const {head} = this.source;
		this.gpus.forEach((id, i) => {
			const picture = this.#strips?.get(id)?.[0];
			if (!picture || picture.cat.length !== width)
				return;
			const colours = head.classes.map((_, c) => colourOf(head, head.rows[id], c));
			const y = Math.round((this.barsHeight + 2 + i * (this.stripHeight + 1)) * ratio);
			this.painter.bars(picture, null, colours, y, Math.round(this.stripHeight * ratio), 0);
		});
	}

	#drawIterations() {
		for (const {bars, splits} of this.#bars())
			bars.forEach((bar, i) => this.#drawBar(bar, splits?.[i]));
	}

	/* Tops of bars, which show how long a step is where next to nothing of it is compute, and which steps a change over time
	   has made slower; not dimmed. */
	#drawCaps() {
		for (const {x, bottom, wide, high, isChanged} of this.#bars().flatMap(({bars}) => bars)) {
			this.pen.fillStyle = isChanged ? this.theme.flag : this.theme.faint;
			this.pen.fillRect(x, bottom - high, wide, CAP_HEIGHT);
		}
	}

	/* Of each trace the boxes of its bars, as high as they are long. */
	#bars() {
		const lengths = this.sides.flatMap(({iterations}) => iterations.map(([a, b]) => b - a));
		const longest = lengths.reduce((most, length) => Math.max(most, length), 1);
		const most = Math.min(longest, HIGHEST * median(lengths) || 1);
		return this.sides.map(({iterations, changed, splits}, i) => ({splits, bars: iterations.map(([a, b], k) => {
			const x = this.xAt(a), room = this.xAt(b) - x;
			return {x, isChanged: changed[k] === 1, bottom: (i + 1) * this.sideHeight, wide: Math.max(1, room > 4 ? room - 1 : room),
				high: Math.max(2, Math.min(1, (b - a) / most) * (this.sideHeight - NUMBERS_HEIGHT))};
		})}));
	}

	/* How long there is no GPU work, where that is wide: before the first operation, and after the last. */
	#drawEmpty() {
		const {pen, theme, source: {head}, state: {extent}} = this;
		const [first, last] = (head.traces.length === 1 && head.traces[0].work) || [extent.begin, extent.end];
		pen.font = '11px system-ui, sans-serif';
		pen.textBaseline = 'middle';
		pen.fillStyle = theme.faint;
		for (const [a, b] of [[extent.begin, first], [last, extent.end]]) {
			const text = `no GPU work for ${formatNs(b - a)}`;
			const room = this.xAt(b) - this.xAt(a) - pen.measureText(text).width;
			if (room > 16)
				pen.fillText(text, this.xAt(a) + room / 2, this.height / 2);
		}
	}

	/* Numbers of steps where they have room, those of slow ones first; not dimmed outside of the window. */
	#drawNumbers() {
		const {pen, theme} = this;
		pen.font = '10px system-ui, sans-serif';
		pen.textBaseline = 'top';
		this.sides.forEach((side, i) => {
			const taken = [];
			for (const {x, text, slow} of this.#numbersOf(side)) {
				const end = x + pen.measureText(text).width + 6;
				if (taken.some(([from, to]) => x < to && from < end))
					continue;
				taken.push([x, end]);
				pen.fillStyle = slow ? theme.flag : theme.faint;
				pen.fillText(text, x + 2, i * this.sideHeight + 3);
			}
		});
	}

	#numbersOf({iterations, first, letter}) {
		const usual = median(iterations.map(([a, b]) => b - a));
		return iterations.map(([a, b], i) => {
			const slow = b - a > usual * OUTLIER, x = this.xAt(a);
			const number = `${i === 0 && letter ? `${letter} ` : ''}${first + i}`;
			return {x, room: this.xAt(b) - x, slow, text: slow ? `${number}▲` : number};
		}).filter(({room}) => room > 4).sort((a, b) => b.slow - a.slow);
	}

	#drawBar({x, bottom, wide, high}, shares) {
		const {pen, theme} = this;
		const {head} = this.source;
		pen.fillStyle = theme.line;
		pen.fillRect(x, bottom - high, wide, high);
		let y = bottom;
		shares?.forEach((share, c) => {
			const part = share * high;
			pen.fillStyle = theme.css[head.classes[c].colour];
			pen.fillRect(x, y - part, wide, part);
			y -= part;
		});
	}

	#drawHits(css) {
		const {hits} = this.state;
		if (!hits)
			return;
		const y = css.height - FLAGS_HEIGHT - 1, wide = css.width / hits.length;
		this.pen.fillStyle = this.theme.focus;
		for (let i = 0; i < hits.length; i++)
			if (hits[i] > 0)
				this.pen.fillRect(i * wide, y, Math.max(1, wide), 5);
	}

	#drawFindings() {
		const {pen, theme} = this;
		pen.font = '600 11px system-ui, sans-serif';
		pen.textBaseline = 'alphabetic';
		pen.fillStyle = theme.flag;
		for (const {x, text} of this.#flags())
			pen.fillText(text, Math.min(x, this.width - 22), this.height - 3);
	}

	#flags() {
		return flagsOf(this.source.head.findings, (t) => this.xAt(t), this.width);
	}

	/** The flag at a place, of flagsOf(); undefined for none. */
	flagAt(x, y) {
		return y > this.height - FLAGS_HEIGHT ? flagAt(this.#flags(), x, this.width) :
			undefined;
	}

	/** What is said of a place: of a flag, a bar, a strip; null for nothing. */
	linesAt(x, y) {
		const {head} = this.source;
		const flag = this.flagAt(x, y);
		if (flag)
			return flagLines(head.findings, flag);
		const side = this.sides[Math.floor(y / this.sideHeight)];
		const t = this.timeAt(x);
		const i = side ? side.iterations.findIndex(([a, b]) => a <= t && t < b) : -1;
		if (i >= 0)
			return this.#barLines(side, i);
		const strip = Math.floor((y - this.barsHeight - 2) / (this.stripHeight + 1));
		const gpu = y >= this.barsHeight + 2 ? head.rows[this.gpus[strip]] : undefined;
		return gpu ? [gpu.label, `at ${timeWords(head, this.state.clock, t)}`] : null;
	}

	/* How long the iteration is, against the usual, and its parts, which are about right. */
	#barLines({iterations, changed, splits, first, letter}, i) {
		const {head} = this.source;
		const [a, b] = iterations[i];
		const usual = median(iterations.map(([begin, end]) => end - begin));
		const percent = Math.round(100 * ((b - a) / usual - 1));
		const parts = splits ? head.classes.map(({key}, c) => [key, splits[i][c]])
			.filter(([, share]) => share >= 0.005)
			.map(([key, share]) => `${key.replaceAll('_', ' ')} about ${Math.round(100 * share)}%`) : [];
		return [`${letter ? `${letter} ` : ''}step ${first + i}`, formatNs(b - a),
			percent === 0 ? 'as long as the median step' :
				`${Math.abs(percent)}% ${percent > 0 ? 'longer' : 'shorter'} than the median step`,
			...(changed[i] === 1 ? ['slower than other steps: step times change over time'] : []),
			...parts];
	}

	/** The window in CSS pixels: [from, to], wide enough to be taken. */
	window() {
		const {a, b} = this.state.view;
		const from = this.xAt(a), to = this.xAt(b);
		const pad = Math.max(0, LEAST_WINDOW - (to - from)) / 2;
		return [from - pad, to + pad];
	}

	#drawWindow(css) {
		const {context, theme} = this;
		const [from, to] = this.window();
		const {range} = this.state;
		if (range) {
			context.fillStyle = theme.range;
			const first = this.xAt(range.a);
			context.fillRect(first, 0, Math.max(1, this.xAt(range.b) - first), css.height);
		}
		context.globalAlpha = 0.55;
		context.fillStyle = theme.sheetText;
		context.fillRect(0, 0, Math.max(0, from), css.height);
		context.fillRect(to, 0, Math.max(0, css.width - to), css.height);
		context.globalAlpha = 1;
		context.lineWidth = 2;
		context.strokeStyle = theme.focus;
		context.strokeRect(from + 1, 1, to - from - 2, css.height - 2);
	}

	/* The window as a slider's value, for those who do not see it. */
	#describe() {
		const {view: {a, b}, extent: {begin, end}} = this.state;
		const now = Math.round(100 * ((a + b) / 2 - begin) / (end - begin));
		this.canvas.setAttribute('aria-valuenow', String(Math.min(100, Math.max(0, now))));
		const {head} = this.source, {clock} = this.state;
		this.canvas.setAttribute('aria-valuetext',
			`${timeText(head, clock, a)} to ${timeWords(head, clock, b)}`);
	}

	/** What a pointer at x takes: 'begin' or 'end' (an edge), 'window' (inside it), 'elsewhere'. */
	partAt(x) {
		const [from, to] = this.window();
		const grip = Math.min(EDGE_GRIP, Math.max(2, (to - from) / 3));
		if (Math.abs(x - from) <= grip)
			return 'begin';
		if (Math.abs(x - to) <= grip)
			return 'end';
		return x > from && x < to ? 'window' : 'elsewhere';
	}
}
