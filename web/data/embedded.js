/* SPDX-License-Identifier: MIT */
// The source of a file: all events are here, as lanes.

import {eventValue} from './colourby.js';
import {NO_VALUE, drawLane, drawLongest} from './columns.js';
import {computeCategory, computeOf} from './delta.js';
import {eventDetails} from './details.js';
import {hitsOf, matchNames} from './find.js';
import {besideHits, sumHits} from './hits.js';
import {isLevelKind} from './kinds.js';
import {drawLevelPyramid, drawLevels} from './levels.js';
import {mergeLanes, mergedRow, streamsOf} from './merge.js';
import {drawPyramid} from './pyramid.js';
import {rangeStats, rangeSums} from './stats.js';
import {inflatePieces, unpack} from './unpack.js';
import {rangeGaps} from './waits.js';
/** @import {Head, Lane, Names, Source} from '../types.js' */

/** So many searches are remembered: one of each of two traces. */
const SEARCHES_KEPT = 2;

/**
 * See source.js. Made by unpack.js of a file, by tests/web/fake.js of nothing.
 * @implements {Source}
 */
export class EmbeddedSource {
	/**
	 * @param {Head} head of docs/web.md
	 * @param {Lane[]} lanes in the order of head.lanes
	 * @param {Names} names
	 * @param {?(Uint8Array|null)[]} pyramid by row: its picture where lanes have the longest only
	 */
	constructor(head, lanes, names, pyramid = null) {
		this.head = head;
		this.names = names;
		this.pyramid = pyramid;
		this.searched = new Map(); // the last searches: what they found
		this.merged = new Map(); // by row of merge.js: its lanes
		this.lanesOf = head.rows.map(() => /** @type {Lane[]} */ ([]));
		head.lanes.forEach(([row], i) => this.lanesOf[row].push(lanes[i]));
	}

	mergeStreams(gpuRow) {
		const id = mergedRow(this.head, gpuRow);
		const parts = streamsOf(this.head, gpuRow).flatMap((row) =>
			this.lanesOf[row].map((lane) => ({lane, row})));

		if (!this.merged.has(id))
			this.merged.set(id, parts.length > 0 ? mergeLanes(parts) : []);
		return this.merged.get(id).length;
	}

	/** ns per column where a row has fixed columns instead of all its events; else 0. */
	resolution(rowId) {
		const columns = this.pyramid?.[rowId];

		if (!columns)
			return 0;
		const {begin, end} = this.head.traces[this.head.rows[rowId].trace];
		return (end - begin) / (columns.length / 2);
	}

	/* The lanes of a row, also of streams that are merged. */
	#lanes(rowId) {
		return this.lanesOf[rowId] ?? this.merged.get(rowId) ?? [];
	}

	nameText(n) {
		return this.names.text(n);
	}

	nameLabel(n) {
		return this.names.label(n);
	}

	nameWord(n) {
		return this.names.word(n);
	}

	nameCategory(n) {
		return this.names.category(n);
	}

	pictures(rowIds, a, b, w, wish = {}) {
		const view = {begin: a, end: b, width: w};

		return new Map(rowIds.map((id) => {
			const pictures = this.#picturesOf(id, view, wish.lanes?.get(id));

			if (wish.by)
				this.#addValues(id, view, wish.by, pictures);
			return [id, pictures];
		}));
	}

	/* Of a row with one picture of all its lanes: of the longest event of any. */
	#addValues(rowId, view, by, pictures) {
		const isOne = Boolean(this.pyramid?.[rowId]);
		const lanes = this.#lanes(rowId).slice(0, isOne ? undefined : pictures.length);
		const events = new Uint32Array(view.width);
		const most = new Float64Array(isOne ? view.width : 0).fill(-1);

		for (const picture of pictures)
			picture.value = new Uint32Array(view.width).fill(NO_VALUE);
		lanes.forEach((lane, number) => {
			const {value} = pictures[isOne ? 0 : number];
			const valueOf = eventValue(this, rowId, lane, by);

			drawLongest(lane, view, events);
			for (let x = 0; x < view.width; x++) {
				const i = events[x];

				if (i === NO_VALUE || (isOne && lane.dur[i] <= most[x]))
					continue;
				if (isOne)
					most[x] = lane.dur[i];
				value[x] = x > 0 && i === events[x - 1] && !isOne ? value[x - 1] : valueOf(i);
			}
		});
	}

	/* What a GPU computes is drawn from its own lane. */
	#computePicture(gpuRow, view) {
		const cat = new Uint8Array(view.width), share = new Uint8Array(view.width);
		const only = computeCategory(this.head);
		const [lane] = this.lanesOf[gpuRow];

		if (this.pyramid?.[gpuRow]) { // as near as a picture tells: by its category
			const [picture] = this.#picturesOf(gpuRow, view);

			return {cat: cat.fill(only), share: picture.share.map((s, x) =>
				(picture.cat[x] === only ? s : 0))};
		}
		drawLane(lane, view, cat, share, only);
		return {cat, share};
	}

	#picturesOf(rowId, view, most) {
		const {width} = view;
		const gpuRow = computeOf(this.head, rowId);
		const blank = () => ({cat: new Uint8Array(width), share: new Uint8Array(width)});

		if (gpuRow >= 0)
			return this.lanesOf[gpuRow].length > 0 ? [this.#computePicture(gpuRow, view)] : [];
		if (this.pyramid?.[rowId]) {
			const picture = blank();
			const extent = this.head.traces[this.head.rows[rowId].trace];

			const draw = isLevelKind(this.head.rows[rowId].kind) ? drawLevelPyramid : drawPyramid;

			draw(this.pyramid[rowId], extent, view, picture.cat, picture.share);
			return [picture];
		}
		return this.#lanes(rowId).slice(0, most).map((lane) => {
			const picture = blank();

			if (lane.level)
				drawLevels(lane, view, picture.cat, picture.share);
			else
				drawLane(lane, view, picture.cat, picture.share);
			return picture;
		});
	}

	events(rowId, a, b, max, wish = {}) {
		const lanes = this.#lanes(rowId);
		const spans = lanes.map((lane) => lane.touching(a, b));
		const all = spans.reduce((sum, {first, end}) => sum + end - first, 0);
		const n = Math.min(all, max);
		const events = {
			n,
			truncated: all > n || this.pyramid !== null,
			lane: new Uint16Array(n),
			start: new Float64Array(n),
			dur: new Float64Array(n),
			name: new Uint32Array(n),
			ref: new Uint32Array(n),
		};
		const columns = ['start', 'dur', 'name', 'ref'];
		let at = 0;

		if (lanes[0]?.parent) {
			events.parent = new Uint32Array(n);
			events.span = new Uint8Array(n);
			columns.push('parent', 'span');
		}
		if (lanes[0]?.targetRow) {
			events.targetRow = new Uint32Array(n);
			columns.push('targetRow');
		}
		if (this.merged.has(rowId)) {
			events.row = new Uint32Array(n);
			columns.push('row');
		}
		lanes.forEach((lane, number) => {
			const {first} = spans[number];
			const end = Math.min(spans[number].end, first + n - at);

			events.lane.fill(number, at, at + end - first);
			for (const column of columns)
				events[column].set(lane[column].subarray(first, end), at);
			at += end - first;
		});
		if (wish.by)
			events.value = this.#valuesOf(rowId, spans, n, wish.by);
		return events;
	}

	#valuesOf(rowId, spans, n, by) {
		const values = new Uint32Array(n);
		let at = 0;

		this.#lanes(rowId).forEach((lane, number) => {
			const valueOf = eventValue(this, rowId, lane, by);

			for (let i = spans[number].first; i < spans[number].end && at < n; i++)
				values[at++] = valueOf(i);
		});
		return values;
	}

	details(rowId, ref, begin) {
		return eventDetails(this, rowId, ref, begin);
	}

	/** Where a file has the longest events only, a table of them has not all there is. */
	#partly(table) {
		return {...table, truncated: table.truncated || this.pyramid !== null};
	}

	sums(a, b, rowId) {
		return rangeSums(this, a, b, rowId);
	}

	stats(a, b, rowIds, by) {
		return this.#partly(rangeStats(this, a, b, rowIds, by));
	}

	gaps(a, b, min, device) {
		return this.#partly(rangeGaps(this, a, b, min, device));
	}

	/* What is asked again is known: the next hit of a million takes no time. Sums are asked for once. */
	#hitsOf(query, mode, only, isKept) {
		const key = JSON.stringify([query, mode, only]);
		const found = this.searched.get(key) ?? hitsOf(this, matchNames(this.names, query, mode, this.head.domains), only);

		if (isKept && !this.searched.has(key)) {
			if (this.searched.size >= SEARCHES_KEPT)
				this.searched.clear();
			this.searched.set(key, found);
		}
		return found;
	}

	search(query, mode, after, w, only) {
		return besideHits(this, this.#hitsOf(query, mode, only, true), after, w);
	}

	found(query, mode, n, only) {
		return sumHits(this, this.#hitsOf(query, mode, only, false), n);
	}

	exportUrl() {
		return null;
	}
}

/** The texts of the pieces; each is dropped from the page when it was read. */
function* takePieces(document) {
	for (const node of [...document.querySelectorAll('script[type="application/x-b64"]')]) {
		yield node.textContent;
		node.remove();
	}
}

/** The source of the page that this is; an Error that says why there is none. */
export async function embeddedSource(document) {
	const head = JSON.parse(document.getElementById('head').textContent);
	const bytes = await inflatePieces(takePieces(document), head.data.bytes);
	const {lanes, names, pyramid} = unpack(head, bytes);

	return new EmbeddedSource(head, lanes, names, pyramid);
}
