/* SPDX-License-Identifier: MIT */
// Writes what docs/web.md says of a file, in the plainest way: what the program writes is checked
// against the same reader.

import {deflateRawSync} from 'node:zlib';

export function zigzag(v) {
	return v >= 0 ? 2 * v : -2 * v - 1;
}

function pushVarint(bytes, value) {
	let v = value;

	for (; v >= 128; v = Math.floor(v / 128))
		bytes.push(v % 128 + 128);
	bytes.push(v);
}

/** Columns one after the other: bytes, and what the head says of them. */
export class Encoder {
	constructor() {
		this.bytes = [];
		this.columns = [];
	}

	column(key, of, values) {
		const offset = this.bytes.length;

		for (const value of values)
			pushVarint(this.bytes, value);
		this.columns.push([key, of, values.length, offset, this.bytes.length - offset]);
	}

	raw(key, of, count, values) {
		this.columns.push([key, of, count, this.bytes.length, values.length]);
		this.bytes.push(...values);
	}

	/** names: [template number, category, integers] each. */
	names(names) {
		const last = new Map();
		const integers = [];

		for (const [template, , values] of names) {
			values.forEach((v, k) => integers.push(zigzag(v - (last.get(template)?.[k] ?? 0))));
			last.set(template, values);
		}
		this.column('name.template', -1, names.map(([template]) => template));
		this.column('name.category', -1, names.map(([, category]) => category));
		this.column('name.integers', -1, integers);
	}

	/**
	 * Columns start, dur, name, ref of plain arrays; launch or parent (null for none) and their like if there.
	 * @param {number} number
	 * @param {{[column: string]: number[]}} lane
	 */
	lane(number, {start, dur, name, ref, launch, config, bytes, span, parent}) {
		let call = 0;

		this.column('start', number, start.map((t, i) =>
			zigzag(i ? t - start[i - 1] - dur[i - 1] : t)));
		this.column('dur', number, dur);
		this.column('name', number, name);
		this.column('ref', number, ref.map((r, i) => zigzag(r - (i ? ref[i - 1] : -1) - 1)));
		if (span) {
			this.column('span', number, span);
			this.column('parent', number, parent.map((p, i) => (p === null ? 0 : 1 + zigzag(p - ref[i]))));
		}
		if (!launch)
			return;
		this.column('launch', number, launch.map((r) => {
			const value = r === null ? 0 : 1 + zigzag(r - call);

			call = r ?? call;
			return value;
		}));
		this.column('config', number, config);
		this.column('bytes', number, bytes);
	}

	/** head.data. */
	get data() {
		return {bytes: this.bytes.length, pieces: this.pieces().length, columns: this.columns};
	}

	/** Base64 of the compressed bytes, cut into pieces. */
	pieces(size = 4096) {
		const text = deflateRawSync(Uint8Array.from(this.bytes)).toString('base64');

		return text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
	}
}

/**
 * A head around rows and lanes: what unpack and the embedded source need of one.
 * @returns {any}
 */
export function headOf(rows, lanes, more = {}) {
	const keys = (list) => list.map((key) => ({key, light: '#000000', dark: '#000000', colour: 0}));

	return {
		format: 1,
		traces: [{label: 'x', origin: '0', begin: 0, end: 1000, window: null}],
		categories: keys(['gemm', 'attention', 'norm', 'comm', 'copy', 'other', 'host', 'neutral']),
		causes: keys(['exposed_comm', 'exposed_copy', 'unknown', 'launch', 'sync']),
		classes: keys(['compute', 'comm', 'copy']),
		rows: rows.map((row) => ({
			parent: -1, trace: 0, device: -1, process: -1, thread: -1, stream: -1, label: row.kind,
			...row,
		})),
		lanes, templates: [], configs: [], functions: [], data: null, pyramid: null, ...more,
	};
}
