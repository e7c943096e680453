// The source of a served page: everything is asked for, nothing is kept but names and the
// pictures of the last view. See docs/web.md, "The server".

const VIEW_MAGIC = 0x31564c57;
const VIEW_HEAD_BYTES = 32;
const NAME_PAGE = 2000; // names that are asked for at a time
const POLL_MS = 250;

/** An answer of the server, or an Error with its words. */
async function ask(base, path, parameters, signal) {
	const url = new URL(path, base);

	for (const [key, value] of Object.entries(parameters)) {
		if (value !== null && value !== undefined)
			url.searchParams.set(key, value);
	}
	const response = await fetch(url, {signal});
	if (response.ok)
		return response;
	const {error} = await response.json().catch(() => ({}));
	throw new Error(error ?? `the server answers ${response.status}`);
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

/** The pictures of an answer to view, by row. */
export function readPictures(buffer) {
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
			lanes.push(picture);
		}
		pictures.set(view.getUint32(at, true), lanes);
		at += 8 + lanes.length * width * 2;
	}
	return pictures;
}

/** The columns of an answer to events. */
export function readEvents(buffer) {
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

	return {
		n,
		truncated,
		start: take(Float64Array),
		dur: take(Float64Array),
		name: take(Uint32Array),
		ref: take(Uint32Array),
		lane: take(Uint16Array),
	};
}

/** Names that come in pages, when somebody wants one. */
class ServerNames {
	constructor(load) {
		this.load = load; // (from, n) -> promise of [text, category] each
		this.pages = new Map();
		this.listeners = [];
	}

	/** [text, category]; null where it is still to come. */
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

/** See source.js. */
export class ServerSource {
	/**
	 * @param {string} base the page's own address, which ends in "/"
	 * @param {object} head the answer to meta
	 */
	constructor(base, head) {
		this.base = base;
		this.head = head;
		this.pending = new Map(); // by what is asked: who can stop it
		this.last = {key: null, pictures: new Map()};
		this.names = new ServerNames(async (from, n) =>
			(await ask(base, 'names', {from, n})).json());
	}

	/** Ask; what was asked before under this name is of no use any more, and stops. */
	async #only(what, path, parameters, read) {
		const controller = new AbortController();

		this.pending.get(what)?.abort();
		this.pending.set(what, controller);
		try {
			const response = await ask(this.base, path, parameters, controller.signal);

			return await read(response);
		} finally {
			if (this.pending.get(what) === controller)
				this.pending.delete(what);
		}
	}

	#json(what, path, parameters) {
		return this.#only(what, path, parameters, (response) => response.json());
	}

	onNames(callback) {
		this.names.listeners.push(callback);
	}

	nameText(n) {
		return this.names.find(n)?.[0] ?? '';
	}

	nameCategory(n) {
		return this.names.find(n)?.[1] ?? 0;
	}

	async pictures(rowIds, a, b, w) {
		const key = `${a} ${b} ${w}`;
		const known = this.last.key === key ? this.last.pictures : new Map();
		const missing = rowIds.filter((id) => !known.has(id));

		if (missing.length) {
			const rows = rowList(missing);
			// The overview asks beside the timeline: stale is a view of the same rows.
			const more = await this.#only(`view ${w} ${rows}`, 'view', {a, b, w, rows},
				async (response) => readPictures(await response.arrayBuffer()));

			for (const [id, lanes] of more)
				known.set(id, lanes);
			this.last = {key, pictures: known};
		}
		return new Map(rowIds.map((id) => [id, known.get(id) ?? []]));
	}

	events(rowId, a, b, max) {
		return this.#only(`events ${rowId}`, 'events', {row: rowId, a, b, max},
			async (response) => readEvents(await response.arrayBuffer()));
	}

	details(rowId, ref, begin) {
		return this.#json('event', 'event', {row: rowId, ref, at: begin});
	}

	stats(a, b, rowIds, by) {
		return this.#json(`stats ${by}`, 'stats', {a, b, rows: rowList(rowIds), by});
	}

	gaps(a, b, min, device) {
		return this.#json('gaps', 'gaps', {a, b, min, device: device < 0 ? null : device});
	}

	async search(query, mode, after, w, only = {}) {
		const place = after && typeof after === 'object'
			? `${after.begin},${after.rowId},${after.ref}` : after;
		const found = await this.#json('search', 'search', {
			q: query, mode, after: place, w, min: only.min, max: only.max,
			cat: only.categories?.join(','), gpu: only.device < 0 ? null : only.device,
			a: only.a, b: only.b,
		});

		return {...found, hits: Uint32Array.from(found.hits)};
	}

	exportUrl(format, a, b) {
		const query = `fmt=${encodeURIComponent(format)}&a=${a}&b=${b}`;

		return new URL(`export?${query}`, this.base).href;
	}
}

/**
 * The source of the server that this page came from, once it has read its traces.
 * @param {string} base the page's address
 * @param {function({stage: string, done: number, total: number})} tell is called while it reads
 */
export async function serverSource(base, tell) {
	for (;;) {
		const progress = await (await ask(base, 'progress', {})).json();

		if (progress.error)
			throw new Error(progress.error);
		if (progress.stage === 'ready')
			break;
		tell(progress);
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	return new ServerSource(base, await (await ask(base, 'meta', {})).json());
}
