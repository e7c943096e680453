/* SPDX-License-Identifier: MIT */
/*
 * query.js - what is typed into the search box, as the source understands it.
 *
 *     gemm            names that contain it          dur>100us   longer than that (>= < <= =)
 *     /gemm.*128/     names that match               cat:comm    of a category that begins so
 *     "cudaFree"      names that are exactly that    gpu:3       on a GPU
 *     nvtx:layer.3    launched in such a range       it:12       begins in iteration 12 (12-14)
 *     stream:7        on streams of that number      grid:132    of kernels, that grid (132x4x1)
 *
 * Several conditions hold at once. A ":" before them all is allowed and means nothing.
 */
/** @import {Answer, Head, Only, Query} from '../types.js' */
const UNIT_NS = {ns: 1, us: 1e3, 'µs': 1e3, 'μs': 1e3, ms: 1e6, s: 1e9};

/** Of a grid that is not known; a source takes smaller sizes. */
const NO_GRID = 2 ** 32 - 1;

/* The words of a text; what is between quotes or slashes is one. */
function queryWords(text) {
	return text.match(/nvtx:"[^"]*"?|"[^"]*"?|\/(?:\\.|[^\\/])*\/i?(?=\s|$)|\S+/g) ?? [];
}

/* A length of time in ns: "100us", "1.5 ms"; a plain number is ns. NaN where it is none. */
function parseLength(text) {
	const [, number, unit] = /^(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s)?$/.exec(text) ?? [];

	return number === undefined ? NaN : Number(number) * UNIT_NS[unit ?? 'ns'];
}

/* Lengths are whole ns, so that every comparison is a smallest and a largest. */
function lengthBounds(operator, ns) {
	switch (operator) {
	case '>': return {min: Math.floor(ns) + 1};
	case '>=': return {min: Math.ceil(ns)};
	case '<': return {max: Math.ceil(ns) - 1};
	case '<=': return {max: Math.floor(ns)};
	default: return {min: Math.ceil(ns), max: Math.floor(ns)};
	}
}

/* One word into query; returns what is wrong with it, or null. */
function takeWord(query, word) {
	const length = /^dur(>=|<=|>|<|=)(.*)$/.exec(word);
	const [, key, value] = /^(cat|gpu|it|nvtx|stream|grid):(.*)$/.exec(word) ?? [];

	if (length) {
		const ns = parseLength(length[2]);

		if (Number.isNaN(ns))
			return `${word}: no length of time; say dur>100us`;
		const bounds = lengthBounds(length[1], ns);

		query.min = Math.max(query.min ?? 0, bounds.min ?? 0) || null;
		if (bounds.max !== undefined)
			query.max = Math.min(query.max ?? Infinity, bounds.max);
	} else if (key === 'cat') {
		if (!value)
			return 'cat: which category? say cat:comm';
		query.category = value;
	} else if (key === 'gpu') {
		if (!/^\d+$/.test(value))
			return 'gpu: which GPU? say gpu:3';
		query.gpu = Number(value);
	} else if (key === 'it') {
		const span = /^(\d+)(?:-(\d+))?$/.exec(value);

		if (!span)
			return 'it: which iteration? say it:12 or it:12-14';
		query.iterations = [Number(span[1]), Number(span[2] ?? span[1])];
	} else if (key === 'nvtx') {
		query.range = value.replace(/^"|"$/g, '');
		if (!query.range)
			return 'nvtx: which range? say nvtx:forward or nvtx:"layer 3"';
	} else if (key === 'stream') {
		if (!/^\d+$/.test(value))
			return 'stream: which number? say stream:7';
		query.stream = Number(value);
	} else if (key === 'grid') {
		if (!/^\d+(x\d+){0,2}$/.test(value) || value.split('x').some((size) => Number(size) >= NO_GRID))
			return 'grid: which size? say grid:132 or grid:132x4x1';
		query.grid = value.split('x').map(Number);
	} else {
		query.words.push(word);
	}
	return null;
}

/**
 * Read a query.
 * @param {string} text  as typed
 * @returns {Answer<Query>} or what is wrong, for people
 */
export function parseQuery(text) {
	/** @type {Omit<Query, 'text'|'mode'> & {words: string[]}} */
	const query = {words: [], min: null, max: null, category: null, gpu: null, iterations: null,
		range: null, stream: null, grid: null};

	for (const word of queryWords(text.trim().replace(/^:/, ''))) {
		const error = takeWord(query, word);

		if (error)
			return {error};
	}
	const {words, ...rest} = query;
	const joined = words.join(' ');
	const regex = /^\/(.*)\/(i?)$/.exec(joined);
	const exact = /^"([^"]*)"$/.exec(joined);

	if (regex)
		return {...rest, mode: 're', text: (regex[2] ? '(?i)' : '') + regex[1]};
	return {...rest, mode: exact ? 'exact' : 'sub', text: exact ? exact[1] : joined};
}

/**
 * Colours that no operation has are categories of their own: host calls, ranges.
 * @param {Head} head
 */
function otherCategories(head) {
	return head.categories.map((category, i) => ({key: category.key, i}))
		.filter(({i}) => !head.words.some(({colour}) => colour === i));
}

/**
 * Categories by the beginning of their key, or of a word in it: "gemm" is "moe_gemm", too.
 * @param {Head} head
 */
function categoriesLike(head, word) {
	const wanted = word.toLowerCase();
	const begins = ({key}) => key.toLowerCase().split(/[^a-z0-9]+/)
		.some((part) => part.startsWith(wanted)) || key.toLowerCase().startsWith(wanted);

	return {
		words: head.words.flatMap((category, i) => (begins(category) ? [i] : [])),
		categories: otherCategories(head).filter(begins).map(({i}) => i),
	};
}

/**
 * The keys of the categories of a filter.
 * @param {Head} head
 * @param {Only} only  of resolveQuery
 */
export function filterKeys(head, {words, categories}) {
	return [...(words ?? []).map((i) => head.words[i].key),
		...(categories ?? []).map((i) => head.categories[i].key)];
}

/**
 * The device that people call GPU n: by the number in its label, else by its place.
 * @param {Head} head
 */
function deviceNumbered(head, n) {
	const named = head.devices.findIndex((d) => Number(/\d+/.exec(d.label)?.[0] ?? -1) === n);

	return named >= 0 ? named : (n < head.devices.length ? n : -1);
}

/*
 * From the begin of the first to the end of the last, over all processes that have them. A
 * process's list may begin with a later iteration than 0.
 */
function iterationSpan(processes, span) {
	const [first, last] = span;
	let a = Infinity;
	let b = -Infinity;

	for (const {iterations, first: number = 0} of processes) {
		for (const [begin, end] of iterations.slice(Math.max(0, first - number),
			Math.max(0, last - number + 1))) {
			a = Math.min(a, begin);
			b = Math.max(b, end);
		}
	}
	return a < b ? {a, b} : null;
}

/** @typedef {Only & {device: number}} Limits */

/**
 * What a query means in a trace: the argument `only` of a source's search.
 * @param {Head} head  of docs/web.md
 * @param {Query} query  of parseQuery, without error
 * @returns {Answer<Limits>} lengths and times in ns; device -1 for all; a, b: only events that begin
 *     in [a, b); spans: the same by trace, of two traces
 */
export function resolveQuery(head, query) {
	/** @type {Limits} */
	const only = {min: query.min, max: query.max, categories: null, words: null, device: -1, a: null,
		b: null, rows: null, grid: query.grid, range: query.range};

	if (query.category !== null) {
		Object.assign(only, categoriesLike(head, query.category));
		if (!filterKeys(head, only).length) {
			const keys = [...head.words, ...otherCategories(head)].map((c) => c.key).join(', ');

			return {error: `no category begins with ${query.category}; there are ${keys}`};
		}
	}
	if (query.gpu !== null) {
		only.device = deviceNumbered(head, query.gpu);
		if (only.device < 0)
			return {error: `the trace has no GPU ${query.gpu}`};
	}
	if (query.stream !== null) {
		only.rows = head.rows.flatMap((row, id) => (row.stream === query.stream ? [id] : []));
		if (!only.rows.length)
			return {error: `the trace has no stream ${query.stream}`};
	}
	if (query.iterations) {
		const of = only.device >= 0 ? head.devices[only.device].process : -1;
		const {iterations} = query;
		const processes = of >= 0 ? [head.processes[of]] : head.processes;
		const span = iterationSpan(processes, iterations);

		if (!span)
			return {error: `the trace has no iteration ${iterations[0]}`};
		Object.assign(only, span);
		/* Of two traces each has its own iterations of these numbers, or none. */
		if (head.traces?.length === 2)
			only.spans = [0, 1].map((trace) => iterationSpan(head.processes.filter(
				(process) => process.trace === trace), iterations) ?? {a: 0, b: 0});
	}
	return only;
}
