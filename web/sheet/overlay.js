/* SPDX-License-Identifier: MIT */
/*
 * overlay.js - what is drawn over the pixels of a frame with 2D calls: ruler, labels of events,
 * selection, range, marks, arrows, findings. Lengths are CSS pixels.
 */
import {isRangeKind} from '../data/kinds.js';
import {tickTexts} from './ruler.js';
/** @import {Source} from '../types.js' */

export const RULER_HEIGHT = 28;
const LABEL_FONT = '11px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", ' +
	'monospace';
const RULER_FONT = '11px system-ui, sans-serif';
const LABEL_STEP = 6.7;
/** Events are labelled from this width on; below it only with a glyph. */
export const LABEL_WIDTH = 36;

/**
 * What is shown of a name: of an operation its label, of anything else its text.
 * @param {Source} source
 */
export function shownName(source, name) {
	return source.nameWord(name) >= 0 ? source.nameLabel(name) : source.nameText(name);
}

/**
 * The flags of findings on a width, [{x, numbers, text}]: those that would cover each other are one,
 * "⚑1,3". xAt(t) is where a time lies.
 */
export function flagsOf(findings, xAt, width) {
	const flags = [];
	const placed = findings.map(({begin}, i) => ({x: begin === null ? NaN : xAt(begin), n: i + 1}))
		.filter(({x}) => x >= 0 && x < width).sort((f, g) => f.x - g.x || f.n - g.n);
	for (const {x, n} of placed) {
		const last = flags.at(-1);
		if (last && x < last.x + 16 + last.numbers.length * 12)
			last.numbers.push(n);
		else
			flags.push({x, numbers: [n]});
	}
	return flags.map(({x, numbers}) =>
		({x, numbers: numbers.sort((m, n) => m - n), text: `⚑${numbers.join(',')}`}));
}

/** The flag at a place of such a list, which may stand before its x at the right end; or undefined. */
export function flagAt(flags, x, width) {
	return flags.find((flag) => {
		const wide = 14 + flag.text.length * 6;
		const left = Math.min(flag.x, width - wide);
		return x >= left - 3 && x <= left + wide;
	});
}

/** What is said of a flag: the claims of its findings. */
export function flagLines(findings, flag) {
	const claims = flag.numbers.map((n) => `${n} ${findings[n - 1].claim}`);
	const keys = flag.numbers.filter((n) => n < 10).join(', ');
	return [...claims, `click${keys ? `, or key ${keys},` : ''} to see it`];
}

/** What all calls and collectives begin with, by kind of row; it goes first where there is no room. */
const COMMON_BEGINS = {api: /^cu(da)?(?=[A-Z])/, stream: /^ncclDevKernel_|^void /, merged: /^ncclDevKernel_|^void /};
const SHORTEST_CUT = 4;

/**
 * A label in so many characters: without what many begin with, then cut; of a range the last number
 * stays, which tells it from others. Empty where too little would be left.
 */
export function fittedLabel(full, room, kind) {
	if (full.length <= room)
		return full;
	const text = full.replace(COMMON_BEGINS[kind] ?? '', '');
	if (text.length <= room)
		return text;
	const number = isRangeKind(kind) || kind === 'iterations' ? /\d+(?=\D*$)/.exec(text) : null;
	if (number && number.index + number[0].length >= room && number[0].length <= room)
		return number[0].length > room - 2 ? number[0] :
			`${text.slice(0, room - 1 - number[0].length)}…${number[0]}`;
	return room > SHORTEST_CUT ? `${text.slice(0, room - 1)}…` : '';
}

/** Draws over a frame; x(t) is where a time lies, in CSS pixels. */
export class Overlay {
	#names = new Map();

	/** @param {Source} source */
	constructor(context, source) {
		this.context = context;
		this.source = source;
	}

	/** Forgets names: the source knows more now. */
	clear() {
		this.#names.clear();
	}

	#short(name) {
		let text = this.#names.get(name);
		if (text === undefined) {
			text = shownName(this.source, name);
			if (text !== '' && this.#names.size < 50000)
				this.#names.set(name, text);
		}
		return text;
	}

	/** Labels of events: [{x, y, width, height, name, glyph, ink}]. */
	labels(list) {
		const {context} = this;
		context.font = LABEL_FONT;
		context.textBaseline = 'middle';
		context.textAlign = 'left';
		for (const {x, y, width, height, name, glyph, ink, kind} of list) {
			const room = Math.floor((width - 7) / LABEL_STEP);
			const middle = y + height / 2 + 0.5;
			context.fillStyle = ink;
			if (width < LABEL_WIDTH) {
				context.fillText(glyph, x + width / 2 - 4, middle, width);
				continue;
			}
			const full = glyph ? `${glyph} ${this.#short(name)}` : this.#short(name);
			const text = fittedLabel(full, room, kind);
			if (text)
				context.fillText(text, x + 3, middle, width - 5);
		}
	}

	/** Where the length of a range stands on the ruler, {left, right}; null where it is not seen. */
	rangeLabel({a, b}, width, x, text) {
		const from = Math.max(-2, x(a)), to = Math.min(width + 2, x(b));
		if (to < 0 || from > width)
			return null;
		this.context.font = RULER_FONT;
		const wide = this.context.measureText(text).width + 8;
		const left = Math.min(Math.max((from + to) / 2 - wide / 2, 0), width - wide);
		return {left, right: left + wide};
	}

	/**
	 * The ruler of a view over the top of the canvas; no text stands where `taken`, {left, right}
	 * or null, is.
	 */
	ruler(width, theme, ruler, x, taken) {
		const {context} = this;
		context.fillStyle = theme.bar;
		context.fillRect(0, 0, width, RULER_HEIGHT);
		context.fillStyle = theme.line;
		context.fillRect(0, RULER_HEIGHT - 1, width, 1);
		context.font = RULER_FONT;
		context.textBaseline = 'middle';
		context.fillStyle = theme.text;
		let left = 0;
		if (ruler.prefix) {
			context.font = '600 11px system-ui, sans-serif';
			context.fillText(ruler.prefix, 5, 10);
			left = context.measureText(ruler.prefix).width + 14;
			context.font = RULER_FONT;
		}
		const isFree = (at, text) => !taken || at > taken.right + 6 ||
			at + context.measureText(text).width < taken.left - 6;
		context.fillStyle = theme.faint;
		for (const {t} of ruler.ticks)
			context.fillRect(Math.round(x(t)), RULER_HEIGHT - 7, 1, 6);
		const measure = (text) => context.measureText(text).width;
		for (const {at, text} of tickTexts(ruler.ticks, x, {left, width, measure}))
			if (isFree(at, text))
				context.fillText(text, at, 10);
	}

	/** A part of the time axis over all rows, with its length at the ruler, at `label`. */
	range(range, {width, height}, theme, x, text, label) {
		const {context} = this;
		const from = Math.max(-2, x(range.a)), to = Math.min(width + 2, x(range.b));
		if (!label)
			return;
		context.fillStyle = theme.range;
		context.fillRect(from, RULER_HEIGHT, Math.max(1, to - from), height - RULER_HEIGHT);
		context.fillStyle = theme.focus;
		context.fillRect(from, 0, 1, height);
		context.fillRect(to, 0, 1, height);
		context.fillRect(from, RULER_HEIGHT - 3, Math.max(1, to - from), 3);
		context.font = RULER_FONT;
		context.fillStyle = theme.focus;
		context.fillRect(label.left, 3, label.right - label.left, 15);
		context.fillStyle = theme.sheetText;
		context.fillText(text, label.left + 4, 10);
	}

	/** A line through all rows with a sign at the ruler, which stays on a canvas of that width. */
	line(at, height, colour, sign, width = Infinity) {
		const {context} = this;
		context.fillStyle = colour;
		context.fillRect(Math.round(at), RULER_HEIGHT - 10, 1, height);
		if (sign) {
			context.font = '600 11px system-ui, sans-serif';
			const wide = context.measureText(sign).width;
			const x = at + 3 + wide > width ? at - 3 - wide : at + 3;
			context.fillText(sign, x, RULER_HEIGHT - 6);
		}
	}

	/** A sentence in the corner of a canvas. */
	note(text, {width, height}, theme) {
		const {context} = this;
		context.font = RULER_FONT;
		context.textBaseline = 'middle';
		const wide = context.measureText(text).width + 12;
		context.fillStyle = theme.bar;
		context.fillRect(width - wide - 4, height - 22, wide, 18);
		context.fillStyle = theme.text;
		context.fillText(text, width - wide + 2, height - 13);
	}

	/** The outline of an event, at least wide enough to be seen. */
	outline(box, theme) {
		const {context} = this;
		const width = Math.max(3, box.width);
		context.lineWidth = 1;
		context.strokeStyle = theme.sheetText;
		context.strokeRect(box.x - 2.5, box.y - 2.5, width + 4, box.height + 5);
		context.lineWidth = 2;
		context.strokeStyle = theme.pick;
		context.strokeRect(box.x - 1, box.y - 1, width + 1, box.height + 2);
	}

	/** A quiet outline, of one of many. */
	round(box, theme) {
		const {context} = this;
		context.lineWidth = 1.5;
		context.strokeStyle = theme.pick;
		context.strokeRect(box.x, box.y - 0.5, Math.max(2, box.width), box.height + 1);
	}

	/** A bracket over a part of a row, with a text at its left end where there is room. */
	bracket(box, theme, text) {
		const {context} = this;
		const right = box.x + Math.max(3, box.width), y = box.y - 1;
		context.strokeStyle = theme.pick;
		context.lineWidth = 2;
		context.beginPath();
		context.moveTo(box.x, box.y + box.height);
		context.lineTo(box.x, y);
		context.lineTo(right, y);
		context.lineTo(right, box.y + box.height);
		context.stroke();
		context.font = '600 10px system-ui, sans-serif';
		const wide = context.measureText(text).width;
		if (box.width < wide + 12)
			return;
		const left = Math.max(box.x, 0) + 5;
		context.fillStyle = theme.bar;
		context.fillRect(left - 2, y - 6, wide + 4, 11);
		context.fillStyle = theme.text;
		context.textBaseline = 'middle';
		context.fillText(text, left, y);
	}

	/** An arrow from a launch to what it started, as a curve between two points. */
	arrow(from, to, theme) {
		const {context} = this;
		const bend = Math.min(80, Math.abs(to.x - from.x) / 2 + 12);
		context.strokeStyle = context.fillStyle = theme.pick;
		context.lineWidth = 1.5;
		context.beginPath();
		context.moveTo(from.x, from.y);
		context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
		context.stroke();
		context.beginPath();
		context.moveTo(to.x, to.y);
		context.lineTo(to.x - 7, to.y - 4);
		context.lineTo(to.x - 7, to.y + 4);
		context.fill();
	}
}

