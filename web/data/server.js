/* SPDX-License-Identifier: MIT */
// The source of a served page: everything is asked for, nothing is kept but names and the
// pictures of the last view. See docs/web.md, "The server".

const VIEW_MAGIC = 0x31564c57;
const VIEW_HEAD_BYTES = 32;
const NAME_PAGE = 2000; // names that are asked for at a time
const POLL_MS = 250;
const ASKED_TOGETHER = 4; // lanes of a row, up to which rows are in one question

/** The address of a question; parameters that are null or absent are left out. */
function addressOf(base, path, parameters) {
	const url = new URL(path, base);

	for (const [key, value] of Object.entries(parameters)) {
		if (value !== null && value !== undefined)
			url.searchParams.set(key, value);
	}
	return url.href;
}

/** An answer of the server, or an Error with its words. */
async function ask(address, signal) {
	const response = await fetch(address, {signal});

	if (response.ok)
		return response;
	const {error} = await response.json().catch(() => ({}));
	throw new Error(error ?? `the server answers ${response.status}`);
}

async function askJson(address) {
	return (await ask(address)).json();
}

/** "3,4,9-20" of numbers. */
export function rowList(rowIds) {
	const sorted = [...new Set(rowIds)].sort((x, y) => x - y);
	const runs = [];

	for (const id of sorted) {
		if (runs.length && runs.at(-1)[1] === id - 1)
			runs.at(-1)[1] = id;
		else
			runs.push([id, id]);
	}
	return runs.map(([first, last]) => first === last ? first : `${first}-${last}`).join(',');
}

/** The pictures of an answer to view, by row; hasValues: a number per column follows each. */
export function readPictures(buffer, hasValues = false) {
	const view = new DataView(buffer);
	const bytes = new Uint8Array(buffer);
	const pictures = new Map();

	if (buffer.byteLength < VIEW_HEAD_BYTES || view.getUint32(0, true) !== VIEW_MAGIC)
		throw new Error('the server answers with something that is no picture');
	const width = view.getUint32(8, true), rows = view.getUint32(12, true);
	let at = VIEW_HEAD_BYTES;
	for (let r = 0; r < rows; r++) {
		const lanes = [];

		for (let left = view.getUint32(at + 4, true), from = at + 8; left > 0; left--) {
			const picture = {cat: new Uint8Array(width), share: new Uint8Array(width)};

			for (let x = 0; x < width; x++) {
				picture.cat[x] = bytes[from++];
				picture.share[x] = bytes[from++];
			}
			if (hasValues) {
				picture.value = new Uint32Array(buffer.slice(from, from + 4 * width));
				from += 4 * width;
			}
			lanes.push(picture);
		}
		pictures.set(view.getUint32(at, true), lanes);
		at += 8 + lanes.length * width * (hasValues ? 6 : 2);
	}
	return pictures;
}

/**
 * The columns of an answer to events; hasValues: a column of numbers is behind them; hasRows: then
 * one of the rows that they are of; hasParents: then those of NVTX ranges;
 * hasTargets: one of the rows that segments of the critical path lead to.
 */
export function readEvents(buffer, {hasValues = false, hasRows = false, hasParents = false,
	hasTargets = false} = {}) {
	const length = new DataView(buffer).getUint32(0, true);
	const json = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
	const {n, truncated} = JSON.parse(json);
	let at = 4 + length;
	// Where the columns begin need not be a multiple of their size: they are copied.
	const take = (Type) => {
		const from = at;

		at += n * Type.BYTES_PER_ELEMENT;
		return new Type(buffer.slice(from, at));
	};

	const events = {
		n,
		truncated,
		start: take(Float64Array),
		dur: take(Float64Array),
		name: take(Uint32Array),
		ref: take(Uint32Array),
		lane: take(Uint16Array),
	};

	if (hasValues)
		events.value = take(Uint32Array);
	if (hasRows)
		events.row = take(Uint32Array);
	if (hasParents) {
		events.parent = take(Uint32Array);
		events.span = take(Uint8Array);
	}
	if (hasTargets)
		events.targetRow = take(Uint32Array);
	return events;
}

/** Names that come in pages, when one is wanted. */
class ServerNames {
	constructor(load) {
		this.load = load; // (from, n) -> promise of what docs/web.md says of names
		this.pages = new Map();
		this.listeners = [];
	}

	/** [text, category, label or null, word or -1]; null where it is still to come. */
	find(n) {
		const number = Math.floor(n / NAME_PAGE);
		const page = this.pages.get(number);

		if (page === undefined)
			this.#fetch(number);
		return page?.[n % NAME_PAGE] ?? null;
	}

	async #fetch(number) {
		this.pages.set(number, null);
		try {
			this.pages.set(number, await this.load(number * NAME_PAGE, NAME_PAGE));
			this.listeners.forEach((callback) => callback());
		} catch {
			this.pages.delete(number); // the next draw asks again
		}
	}
}

/**
 * See source.js.
 * @implements {Source}
 */
export class ServerSource {
	/**
	 * @param {string} base the page's own address, which ends in "/"
	 * @param {Head} head the answer to meta
	 */
	constructor(base, head) {
		this.base = base;
		this.head = head;
		this.underWay = new Map(); // by address: promises
		this.views = new Map(); // by what is drawn: {address, controller} of the last request
		this.last = {key: '', pictures: new Map()};
		this.names = new ServerNames((from, n) =>
			askJson(addressOf(base, 'names', {from, n})));
	}

	/** What several want at once is asked for once. */
	#shared(address, read) {
		if (!this.underWay.has(address)) {
			const answer = read(address).finally(() => this.underWay.delete(address));

			this.underWay.set(address, answer);
		}
		return this.underWay.get(address);
	}

	#json(path, parameters) {
		return this.#shared(addressOf(this.base, path, parameters), askJson);
	}

	/** Pictures; an older request for other times of the same rows is stopped. */
	#view(a, b, w, {rows, lanes, by}) {
		const address = addressOf(this.base, 'view', {a, b, w, rows, lanes, by});
		const what = `${w} ${rows} ${lanes} ${by}`, older = this.views.get(what);

		if (older && older.address !== address)
			older.controller.abort();
		return this.#shared(address, async () => {
			const controller = new AbortController();

			this.views.set(what, {address, controller});
			try {
				const response = await ask(address, controller.signal);

				return readPictures(await response.arrayBuffer(), by !== undefined);
			} finally {
				if (this.views.get(what).controller === controller)
					this.views.delete(what);
			}
		});
	}

	onNames(callback) {
		this.names.listeners.push(callback);
	}

	nameText(n) {
		return this.names.find(n)?.[0] ?? '';
	}

	nameLabel(n) {
		const name = this.names.find(n);

		return name ? name[2] ?? name[0] : '';
	}

	nameWord(n) {
		return this.names.find(n)?.[3] ?? -1;
	}

	nameCategory(n) {
		return this.names.find(n)?.[1] ?? 0;
	}

	/**
	 * Most rows show few of their lanes, so those that show more are asked for by themselves.
	 * @param {number[]} rowIds
	 * @param {number} a
	 * @param {number} b
	 * @param {number} w
	 * @param {Wish} wish
	 */
	async pictures(rowIds, a, b, w, {by, lanes} = {}) {
		const key = `${a} ${b} ${w} ${by}`;
		const known = this.last.key === key ? this.last.pictures : new Map();
		const wanted = (id) => lanes?.get(id) ?? Infinity;
		const missing = rowIds.filter((id) => !(known.get(id)?.asked >= wanted(id)));
		const groups = [missing.filter((id) => wanted(id) <= ASKED_TOGETHER),
			missing.filter((id) => wanted(id) > ASKED_TOGETHER)];

		await Promise.all(groups.filter((ids) => ids.length > 0).map(async (ids) => {
			const asked = Math.max(...ids.map(wanted));
			const what = {rows: rowList(ids), lanes: asked < Infinity ? asked : undefined, by};

			for (const [id, pictures] of await this.#view(a, b, w, what))
				known.set(id, {asked, pictures});
			this.last = {key, pictures: known};
		}));
		return new Map(rowIds.map((id) => [id, known.get(id)?.pictures ?? []]));
	}

	/**
	 * See source.js.
	 * @param {number} rowId
	 * @param {number} a
	 * @param {number} b
	 * @param {number} max
	 * @param {Wish} wish
	 */
	events(rowId, a, b, max, {by} = {}) {
		const address = addressOf(this.base, 'events', {row: rowId, a, b, max, by});

		return this.#shared(address, async () =>
			readEvents(await (await ask(address)).arrayBuffer(), {
				hasValues: by !== undefined,
				hasRows: rowId >= this.head.rows.length,
				hasParents: /^nvtx/.test(this.head.rows[rowId]?.kind ?? ''),
				hasTargets: this.head.rows[rowId]?.kind === 'path',
			}));
	}

	async mergeStreams(gpuRow) {
		return (await this.#json('merge', {row: gpuRow})).lanes;
	}

	details(rowId, ref, begin) {
		return this.#json('event', {row: rowId, ref, at: begin});
	}

	stats(a, b, rowIds, by) {
		return this.#json('stats', {a, b, rows: rowList(rowIds), by});
	}

	gaps(a, b, min, device) {
		return this.#json('gaps', {a, b, min, device: device < 0 ? null : device});
	}

	#askSearch(query, mode, filter, more) {
		const only = filter ?? {};

		return this.#json('search', {
			q: query, mode, min: only.min, max: only.max,
			cat: only.categories?.join(',') || null, word: only.words?.join(',') || null, gpu: only.device < 0 ? null : only.device,
			rows: only.rows ? rowList(only.rows) : null, grid: only.grid?.join(','), range: only.range,
			trace: only.trace, a: only.a, b: only.b, ...more,
		});
	}

	async search(query, mode, after, w, filter) {
		const place = after && typeof after === 'object'
			? `${after.begin},${after.rowId},${after.ref}` : after;
		const found = await this.#askSearch(query, mode, filter, {after: place, w});

		return {...found, hits: Uint32Array.from(found.hits)};
	}

	found(query, mode, n, filter) {
		return this.#askSearch(query, mode, filter, {list: n});
	}

	/** The window that another program wants to be seen: {serial, trace, a, b}; serial 0 for none. */
	shown() { return this.#json('shown', {}); }

	stacksIn(during, a, b, trace) {
		return this.#json('stacks', {during, a, b, trace});
	}

	sql(text, trace) {
		const several = this.head.traces.length > 1;

		return this.#json('sql', {q: text, trace: several ? trace : null});
	}

	exportUrl(format, a, b, trace = 0) {
		const several = this.head.traces.length > 1;

		return addressOf(this.base, 'export', {fmt: format, a, b, trace: several ? trace : null});
	}
}

/**
 * The source of the server that this page came from, once it has read its traces.
 * @param {string} base the page's address
 * @param {(said: {stage: string, done: number, total: number}) => void} tell is called while it reads
 */
export async function serverSource(base, tell) {
	for (;;) {
		const progress = await askJson(addressOf(base, 'progress', {}));

		if (progress.error)
			throw new Error(progress.error);
		if (progress.stage === 'ready')
			break;
		tell(progress);
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	return new ServerSource(base, await askJson(addressOf(base, 'meta', {})));
}
/** @import {Head, Source, Wish} from '../types.js' */
