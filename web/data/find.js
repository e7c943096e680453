/* SPDX-License-Identifier: MIT */
// Search over the whole trace, not the view: which names match, and then which events have them.

import {eventValue} from './colourby.js';
import {NO_VALUE} from './columns.js';
import {isRangeKind, isRecordedKind} from './kinds.js';
import {NO_PARENT} from './links.js';
/** @import {Lane, LaneSource} from '../types.js' */

/* What the browser says is wrong begins with the pattern, or with words around it. */
function patternOf(query) {
	const ignoresCase = query.startsWith('(?i)');

	try {
		return ignoresCase ? new RegExp(query.slice(4), 'i') : new RegExp(query);
	} catch (problem) {
		throw new SyntaxError(`/${query}/ is no regular expression: ${problem.message.split(': ').at(-1)}`);
	}
}

/**
 * A function that says whether a text matches; an Error where the query is no pattern. A
 * pattern reads as in `warplens search`: anywhere in the name, (?i) at its start ignores case.
 */
export function matcherOf(query, mode) {
	if (mode === 'exact')
		return (text) => text === query;
	if (mode === 're') {
		const pattern = patternOf(query);

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

/**
 * The refs of the NVTX ranges of a trace whose name contains a text, in any case, and of all ranges inside these.
 * Linear in ranges.
 * @param {LaneSource} source
 */
function rangesCalled(source, trace, text) {
	const matches = matcherOf(text, 'sub');
	const known = new Map(), parents = new Map(), refs = new Set();
	const isCalled = (name) => {
		if (!known.has(name))
			known.set(name, matches(source.nameText(name)));
		return known.get(name);
	};

	source.head.rows.forEach((row, rowId) => {
		if (row.trace !== trace || row.kind !== 'nvtx')
			return;
		for (const lane of source.lanesOf[rowId]) {
			for (let i = 0; i < lane.n; i++) {
				parents.set(lane.ref[i], lane.parent?.[i] ?? NO_PARENT);
				if (isCalled(lane.name[i]))
					refs.add(lane.ref[i]);
			}
		}
	});
	/* A way up ends at a range that is found, or that is known to be in none. */
	const outside = new Set([NO_PARENT]);
	for (const ref of parents.keys()) {
		const way = [];
		let at = ref;

		for (; !refs.has(at) && !outside.has(at); at = parents.get(at) ?? NO_PARENT) {
			way.push(at);
			outside.add(at);
		}
		if (refs.has(at)) {
			for (const other of way) {
				outside.delete(other);
				refs.add(other);
			}
		}
	}
	return refs;
}

/**
 * Whether the grid of an event has these sizes: of x, of x and y, or of all.
 * @param {LaneSource} source
 */
function hasGrid(source, grid, number) {
	const config = source.head.configs[number - 1];

	return config !== undefined && grid.every((size, i) => config[i] === size);
}

/**
 * Whether event i of a lane counts beside its name, by row: see the argument only of source.js.
 * @param {LaneSource} source
 * @returns {(rowId: number, lane: Lane) => ?((i: number) => boolean)} null where the row has none
 */
function filterOf(source, only) {
	const {min = null, max = null, categories = null, words = null, a = null, b = null, rows = null,
		grid = null, range = null, device = -1, trace = -1} = only ?? {};
	const {head} = source;
	const called = range === null ? null : head.traces.map((_, i) => rangesCalled(source, i, range));
	const isOf = (lane, i) => {
		const word = source.nameWord(lane.name[i]);

		return word < 0 ? categories?.includes(lane.cat[i]) : words?.includes(word);
	};

	return (rowId, lane) => {
		const row = head.rows[rowId];

		if (!isRecordedKind(row.kind) || (device >= 0 && row.device !== device) ||
			(trace >= 0 && row.trace !== trace) || (rows && !rows.includes(rowId)))
			return null;
		const rangeAt = called && (isRangeKind(row.kind) ? (i) => lane.ref[i]
			: eventValue(source, rowId, lane, 'range'));
		const isInside = (ref) => ref !== NO_VALUE && called?.[row.trace].has(ref);

		return (i) => (min === null || lane.dur[i] >= min) &&
			(max === null || lane.dur[i] <= max) &&
			((categories === null && words === null) || isOf(lane, i)) &&
			(a === null || lane.start[i] >= a) && (b === null || lane.start[i] < b) &&
			(grid === null || hasGrid(source, grid, lane.config?.[i] ?? 0)) &&
			(rangeAt === null || isInside(rangeAt(i)));
	};
}

/**
 * The events of a source that match, by lane: [{rowId, lane, at: Uint32Array, in order}]. Linear in events.
 * @param {Uint8Array} matches of matchNames()
 */
export function hitsOf(source, matches, only) {
	const filter = filterOf(source, only);
	const parts = [];

	source.lanesOf.forEach((lanes, rowId) => {
		for (const lane of lanes) {
			const counts = filter(rowId, lane);
			const at = [];

			for (let i = 0; counts && i < lane.n; i++) {
				if (matches[lane.name[i]] && counts(i))
					at.push(i);
			}
			if (at.length)
				parts.push({rowId, lane, at: Uint32Array.from(at)});
		}
	});
	return parts;
}
