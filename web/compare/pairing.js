/* SPDX-License-Identifier: MIT */
/*
 * pairing.js - which iterations of two traces lie beside each other, and by what: the choices
 * behind the compare bar and the iteration keys.
 */
import {canPair, nearestIteration, pairSpan, steppedPair} from '../data/align.js';
import {leaderOf} from '../data/iterations.js';
/** @import {Align, App, Head, PairSource, Process, Source} from '../types.js' */

/** Ranges that are looked at in an iteration, how deep they may be nested, how many are offered. */
const RANGE_EVENTS = 2000;
const RANGE_DEPTH = 4;
const RANGE_CHOICES = 12;
/** A name is offered if so many iterations of both traces have it, spread over them. */
const RANGE_SAMPLE = 4;
const NAMES_WAIT_MS = 3000;

/**
 * Where the ranges of iteration i of a trace are looked for: a row, and the time in which they begin.
 * The host runs ahead of the GPU: what an iteration owns on the thread that marks it is in the
 * time that the head says. Without one its ranges are those whose work begins in it on the GPU.
 * Null where there is no such row.
 * @param {Head} head
 */
export function placeOfRanges(head, trace, i) {
	const leader = /** @type {Process} */ (leaderOf(head, trace));
	const process = head.processes.indexOf(leader);
	const host = leader.hosts?.[i];
	const thread = host ? leader.marked : leader.anchor;
	const row = head.rows.findIndex((r) => r.kind === (host ? 'nvtx' : 'nvtx-gpu') &&
		r.process === process && r.thread === thread);
	const [begin, end] = host ?? leader.iterations[i];

	return row < 0 ? null : {row, begin, end};
}

/**
 * Texts of names; those of a server may be on their way.
 * @param {Source} source
 */
async function textsOf(source, numbers) {
	const isHere = () => numbers.every((n) => source.nameText(n) !== '');

	if (!isHere())
		await new Promise((/** @type {(nothing?: void) => void} */ resolve) => {
			source.onNames?.(() => isHere() && resolve());
			setTimeout(resolve, source.onNames ? NAMES_WAIT_MS : 0);
		});
	return numbers.map((n) => source.nameText(n));
}

/**
 * By name of a range the begin of its first in iteration i, in the trace's own time.
 * @param {Source} source
 */
async function rangesIn(source, trace, i) {
	const place = placeOfRanges(source.head, trace, i);

	if (!place)
		return new Map();
	const {row, begin, end} = place;
	const events = await source.events(row, begin, end, RANGE_EVENTS);
	const inside = [...Array(events.n).keys()].filter((k) => events.lane[k] < RANGE_DEPTH &&
		events.start[k] >= begin && events.start[k] < end)
		.sort((x, y) => events.start[y] - events.start[x]);
	const texts = await textsOf(source, inside.map((k) => events.name[k]));

	return new Map(inside.map((k, at) => [texts[at], events.start[k]]));
}

/* Indexes of some iterations, spread over all but the first and the last. */
function sampled(iterations) {
	const n = iterations.length;

	return [...new Set(Array.from({length: RANGE_SAMPLE}, (_, i) =>
		Math.min(n - 1, Math.floor((i + 1) * n / (RANGE_SAMPLE + 1)))))];
}

/** The pair that is looked at, of an app with an AlignedSource. */
export class Pairing {
	/** @type {?Promise<string[]>} */
	#names = null;

	/** @param {Pick<App, 'source'|'state'|'say'>} app */
	constructor(app) {
		const {source, state} = app;

		this.app = app;
		this.source = /** @type {PairSource} */ (source);
		this.state = state;
		this.canPair = canPair(source.head);
	}

	/** Iterations are paired, so that they can be stepped. */
	get hasPair() {
		return this.state.align?.mode !== 'wall';
	}

	/** Shows the pair, and 0, with some room around: a range on the host may begin long before it. */
	showPair() {
		const {begin, end} = /** @type {{begin: number, end: number}} */ (pairSpan(this.source.head, this.state.align));

		this.state.show(Math.min(begin, 0), Math.max(end, 0), 0.04);
	}

	/** Goes on in both traces by as many iterations. */
	async step(step) {
		const {head} = this.source;
		const align = this.#pair();
		const pair = steppedPair(head, align, step);

		if (pair.a === align.a)
			this.app.say(`There is no iteration ${step < 0 ? 'before' : 'after'} on both sides.`);
		else
			await this.choose(pair);
	}

	/**
	 * Changes the alignment: {mode, a, b, name}, each as it is where it is missing. Numbers of
	 * iterations that there are not become the nearest.
	 */
	async choose(change) {
		const {source, state} = this;
		const now = {a: 0, b: 0, ...this.#lastPair, ...state.align, ...change};
		const {mode, name} = now;

		if (mode === 'wall') {
			this.#lastPair = state.align;
			state.setAlign({mode}, {followsA: true});
			return;
		}
		const a = nearestIteration(source.head, 0, now.a);
		const b = nearestIteration(source.head, 1, now.b);
		const isOther = change.mode !== undefined;
		const shifts = mode === 'nvtx' ? await this.#rangeBegins(name, a, b) : null;

		if (mode === 'nvtx' && shifts === null)
			this.app.say(`Not both of these iterations have the range ${name}.`);
		state.setAlign(shifts ? {mode, a, b, shifts, name} : {mode: 'iteration', a, b},
			{followsA: isOther});
		if (isOther)
			this.showPair();
		this.app.say(`Iteration ${a} of A beside ${b} of B.`);
	}

	/** @type {?Align|{}} */
	#lastPair = {};

	/* The alignment, where iterations are paired. */
	#pair() {
		return /** @type {Align & {a: number, b: number}} */ (this.state.align);
	}

	/* Iterations of the traces' own time. */
	#own(trace) {
		return /** @type {Process} */ (leaderOf(this.source.inner.head, trace));
	}

	async #rangeBegins(name, a, b) {
		const found = await Promise.all([a, b].map((number, trace) =>
			rangesIn(this.source.inner, trace, number - this.#own(trace).first)));
		const begins = found.map((ranges) => ranges.get(name));

		return begins.includes(undefined) ? null : begins;
	}

	/** Names of ranges that both traces have in each of their iterations, in order of time. */
	async rangeNames() {
		if (!this.canPair)
			return [];
		this.#names ??= this.#findNames();
		return this.#names;
	}

	async #findNames() {
		const spans = [0, 1].flatMap((trace) => sampled(this.#own(trace).iterations)
			.map((i) => [trace, i]));
		const found = await Promise.all(spans.map(([trace, i]) =>
			rangesIn(this.source.inner, trace, i)));
		const begin = found[0];

		return [...begin.keys()].filter((name) => name !== '' &&
			found.every((ranges) => ranges.has(name)))
			.sort((x, y) => begin.get(x) - begin.get(y)).slice(0, RANGE_CHOICES);
	}
}
