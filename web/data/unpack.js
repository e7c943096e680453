/* SPDX-License-Identifier: MIT */
// From the bytes of a file to lanes and names; see docs/web.md, "The data of a file".

import {Lane} from './lane.js';
import {indexLevels} from './levels.js';
import {NO_MATCH} from './collective.js';
import {NO_LAUNCH, NO_PARENT} from './links.js';
import {PackedNames} from './names.js';
import {FORMAT, categoriesOf} from './source.js';
import {VarintReader} from './varint.js';
/** @import {Head} from '../types.js' */

/** The bytes of Base64. */
export function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/** All of a stream in one array of the size that the head promises. */
async function readAll(stream, size) {
	const bytes = new Uint8Array(size);
	const reader = stream.getReader();
	let at = 0;

	for (;;) {
		const {done, value} = await reader.read();

		if (done)
			break;
		if (at + value.length > size)
			throw new Error('the data of this page are longer than its head says');
		bytes.set(value, at);
		at += value.length;
	}
	if (at < size)
		throw new Error('the data of this page are cut off');
	return bytes;
}

/**
 * Undo Base64 and raw DEFLATE.
 * @param {Iterable<string>} pieces read one after the other, so they can be made on the way
 * @param {number} size bytes before compression
 */
export async function inflatePieces(pieces, size) {
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser is too old for this page: it needs Chromium 103, ' +
			'Firefox 113, Safari 16.4 or later');
	const inflater = new DecompressionStream('deflate-raw');
	const all = readAll(inflater.readable, size);
	const writer = inflater.writable.getWriter();
	const feed = async () => {
		for (const piece of pieces)
			await writer.write(bytesOfBase64(piece));
		await writer.close();
	};

	// Both fail where the data are broken; the reader's reason is the better one.
	const [bytes, fed] = await Promise.allSettled([all, feed()]);
	if (bytes.status === 'rejected')
		throw bytes.reason;
	if (fed.status === 'rejected')
		throw fed.reason;
	return bytes.value;
}

/** The columns of a file by what they are of. */
class Columns {
	/** @param {Head} head */
	constructor(head, bytes) {
		this.bytes = bytes;
		this.at = new Map((head.data?.columns ?? []).map((column) =>
			[`${column[0]} ${column[1]}`, column]));
	}

	/** [key, of, count, offset, bytes]; null where there is none. */
	find(key, of) {
		return this.at.get(`${key} ${of}`) ?? null;
	}

	/** The numbers of a column, made by read(reader, values); null where there is none. */
	read(key, of, Type, read) {
		const column = this.find(key, of);

		if (!column)
			return null;
		const [, , count, offset, length] = column;
		// A value takes a byte at least: no broken count asks for more memory than that.
		if (count > length)
			throw new Error('the data of this page do not fit its head');
		const values = new Type(count);
		read(new VarintReader(this.bytes, offset, length), values);
		return values;
	}
}

/** @param {Head} head */
function unpackNames(head, columns) {
	const plain = (reader, values) => reader.numbers(values);

	const label = columns.read('name.label', -1, Uint32Array, plain) ?? new Uint32Array(0);

	return new PackedNames(head.templates,
		columns.read('name.template', -1, Uint32Array, plain) ?? new Uint32Array(0),
		columns.read('name.category', -1, Uint8Array, plain) ?? new Uint8Array(0),
		columns.read('name.integers', -1, Float64Array, plain) ?? new Float64Array(0),
		{texts: head.labels ?? [], of: label},
		columns.read('name.word', -1, Uint8Array, plain) ?? new Uint8Array(0));
}

/** @param {Head} head */
function unpackLane(head, columns, number, names) {
	const [rowId, n] = head.lanes[number];
	const plain = (reader, values) => reader.numbers(values);
	const dur = columns.read('dur', number, Float64Array, plain) ?? new Float64Array(0);
	const lane = {
		dur,
		start: columns.read('start', number, Float64Array, (reader, values) =>
			reader.starts(values, dur)) ?? new Float64Array(0),
		name: columns.read('name', number, Uint32Array, plain) ?? new Uint32Array(0),
		ref: columns.read('ref', number, Uint32Array, (reader, values) =>
			reader.differences(values, -1, 1)) ?? new Uint32Array(0),
		cat: new Uint8Array(n),
		level: columns.read('level', number, Uint8Array, plain),
	};

	for (const key of ['start', 'dur', 'name', 'ref']) {
		if (lane[key].length !== n)
			throw new Error('the data of this page do not fit its head');
	}
	for (let i = 0; i < n; i++)
		lane.cat[i] = names.categories[lane.name[i]];
	const made = new Lane(lane, categoriesOf(head, head.rows[rowId]));
	if (lane.level)
		indexLevels(made);
	return Object.assign(made, {
		launch: columns.read('launch', number, Uint32Array, (reader, values) =>
			reader.sparse(values, NO_LAUNCH)),
		match: columns.read('match', number, Uint32Array, (reader, values) =>
			reader.sparse(values, NO_MATCH)),
		opener: columns.read('opener', number, Uint32Array, (reader, values) =>
			reader.sparse(values, NO_LAUNCH)),
		func: columns.read('function', number, Uint32Array, plain),
		inFunc: columns.read('in_function', number, Uint32Array, plain),
		targetRow: columns.read('row', number, Uint32Array, plain),
		target: columns.read('target', number, Uint32Array, plain),
		config: columns.read('config', number, Uint32Array, plain),
		bytes: columns.read('bytes', number, Float64Array, plain),
		span: columns.read('span', number, Uint8Array, plain),
		parent: columns.read('parent', number, Uint32Array, (reader, values) =>
			reader.near(values, lane.ref, NO_PARENT)),
	});
}

/**
 * By row its picture over the extent of its trace, pairs of category and share; null for none.
 * @param {Head} head
 */
function unpackPyramid(head, columns, bytes) {
	if (!head.pyramid)
		return null;
	return head.rows.map((_, rowId) => {
		const column = columns.find('columns', rowId);

		return column && bytes.subarray(column[3], column[3] + column[4]);
	});
}

/**
 * Lanes, names and pictures of a file. Linear.
 * @param {Head} head
 * @param {Uint8Array} bytes of all columns
 * @returns {{lanes: Lane[], names: PackedNames, pyramid: ?(Uint8Array|null)[]}} pyramid: null without
 */
export function unpack(head, bytes) {
	if (head.format !== FORMAT)
		throw new Error(`this page has data of format ${head.format}, not ${FORMAT}`);
	const columns = new Columns(head, bytes);
	const names = unpackNames(head, columns);

	return {
		lanes: head.lanes.map((_, number) => unpackLane(head, columns, number, names)),
		names,
		pyramid: unpackPyramid(head, columns, bytes),
	};
}
