/* SPDX-License-Identifier: MIT */
// Search over the whole trace, not the view: which names match, and then which events have them.

import {columnAt} from './columns.js';
import {isRecordedKind} from './kinds.js';
import {extentOf} from './source.js';

/**
 * A function that tells whether a text matches; an Error where the query is no pattern. A
 * pattern reads as in `warplens search`: anywhere in the name, (?i) at its start ignores case.
 */
export function matcherOf(query, mode) {
	if (mode === 'exact')
		return (text) => text === query;
	if (mode === 're') {
		const ignoresCase = query.startsWith('(?i)');
		const pattern = ignoresCase ? new RegExp(query.slice(4), 'i') : new RegExp(query);

		return (text) => pattern.test(text);
	}
	const wanted = query.toLowerCase();
	return (text) => text.toLowerCase().includes(wanted);
}

/** A domain with as many colons in its name is not recognised; as in src/serve/shown/bare_names.h. */
const DOMAIN_COLONS = 16;

/**
 * What is behind the shortest of the domains and a colon at the begin of a name, which is how
 * `warplens search` calls an NVTX range; the name itself where it begins with none.
 * @param {Set<string>} domains
 */
export function withoutDomain(name, domains) {
	let colon = domains.size > 0 ? name.indexOf(':') : -1;

	for (let k = 0; colon >= 0 && k < DOMAIN_COLONS; k++) {
		if (domains.has(name.slice(0, colon)))
			return name.slice(colon + 1);
		colon = name.indexOf(':', colon + 1);
	}
	return name;
}

/**
 * By name: 1 where it matches, with or without its domain. Linear in names.
 * @param {string[]} domains of the head
 */
export function matchNames(names, query, mode, domains = []) {
	const matches = matcherOf(query, mode);
	const found = new Uint8Array(names.count);
	const known = new Set(domains);

	for (let n = 0; n < found.length; n++) {
		const name = names.text(n);

		found[n] = matches(name) || matches(withoutDomain(name, known)) ? 1 : 0;
	}
	return found;
}

/** Which comes first: by begin, then row, then ref. */
function compareHits(x, y) {
	return x.begin - y.begin || x.rowId - y.rowId || x.ref - y.ref;
}

/** A place that the next hit is behind and the previous before: of a hit, of a time, of nothing. */
function placeOf(after) {
	if (after === null || after === undefined)
		return {begin: -Infinity, rowId: 0, ref: 0};
	return typeof after === 'number' ? {begin: after, rowId: NaN, ref: NaN} : after;
}

/** Whether an event counts beside its name; see the argument only of source.js. */
function filterOf(source, only) {
	const {min = null, max = null, categories = null, words = null, a = null, b = null} = only ?? {};
	const isOf = (lane, i) => {
		const word = source.nameWord(lane.name[i]);

		return word < 0 ? categories?.includes(lane.cat[i]) : words?.includes(word);
	};

	return (lane, i) => (min === null || lane.dur[i] >= min) &&
		(max === null || lane.dur[i] <= max) &&
		((categories === null && words === null) || isOf(lane, i)) &&
		(a === null || lane.start[i] >= a) && (b === null || lane.start[i] < b);
}

/** The nearest hits on both sides of a place. */
class Nearest {
	constructor(after) {
		this.place = placeOf(after);
		this.next = null;
		this.previous = null;
		this.before = 0; // hits that are not behind the place
	}

	offer(lane, i, rowId) {
		const hit = {begin: lane.start[i], rowId, ref: lane.ref[i]};
		const side = compareHits(hit, this.place);

		this.before += side > 0 ? 0 : 1;
		if (side > 0 && (!this.next || compareHits(hit, this.next) < 0))
			this.next = {...hit, end: lane.end(i), number: lane.name[i]};
		else if (side < 0 && (!this.previous || compareHits(hit, this.previous) > 0))
			this.previous = {...hit, end: lane.end(i), number: lane.name[i]};
	}
}

function asHit(source, found) {
	if (!found)
		return null;
	const {rowId, ref, begin, end, number} = found;

	return {rowId, ref, begin, end, name: source.nameText(number)};
}

/**
 * search() of source.js over lanes. Linear in events.
 * @param {Uint8Array} matches of matchNames()
 */
export function searchLanes(source, matches, after, w, only) {
	const {begin, end} = extentOf(source.head);
	const view = {begin, end: Math.max(end, begin + w), width: w};
	const hits = new Uint32Array(w);
	const counts = filterOf(source, only);
	const nearest = new Nearest(after);
	const device = only?.device ?? -1, trace = only?.trace ?? -1;
	let total = 0;

	source.head.rows.forEach((row, rowId) => {
		if (!isRecordedKind(row.kind) || (device >= 0 && row.device !== device) ||
			(trace >= 0 && row.trace !== trace))
			return;
		for (const lane of source.lanesOf[rowId]) {
			for (let i = 0; i < lane.n; i++) {
				if (!matches[lane.name[i]] || !counts(lane, i))
					continue;
				total++;
				hits[columnAt(view, lane.start[i])]++;
				nearest.offer(lane, i, rowId);
			}
		}
	});
	return {
		total,
		hits,
		index: nearest.before,
		next: asHit(source, nearest.next),
		previous: asHit(source, nearest.previous),
	};
}
