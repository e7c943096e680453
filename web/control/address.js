/* SPDX-License-Identifier: MIT */
/*
 * address.js - the state as the fragment of an address, which can be mailed: whole
 * nanoseconds, row ids as a list of numbers and runs. A fragment is untrusted: what does not
 * parse is left out.
 */
import {alignWord, readAlign} from '../data/align.js';
/** @import {State, Timer} from '../types.js' */

/** Characters; parts that do not fit are left out. */
const ADDRESS_LIMIT = 4000;

function numbersOf(text, n) {
	const parts = (text ?? '').split('~').map((part) => part === '' ? NaN : Number(part));
	return parts.length === n && parts.every(Number.isSafeInteger) ? parts : null;
}

/** A set of row ids as "3,9-20", in order. */
export function listOfRows(rows) {
	const ids = [...rows].sort((x, y) => x - y);
	const parts = [];
	for (let i = 0; i < ids.length;) {
		let j = i;
		while (j + 1 < ids.length && ids[j + 1] === ids[j] + 1)
			j++;
		parts.push(j > i ? `${ids[i]}-${ids[j]}` : `${ids[i]}`);
		i = j + 1;
	}
	return parts.join(',');
}

/** The set of such a list; at most 10,000 rows. */
export function rowsOfList(text) {
	const rows = new Set();
	for (const part of text.split(',')) {
		const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part);
		if (!match)
			continue;
		const last = Number(match[2] ?? match[1]);
		for (let id = Number(match[1]); id <= last && rows.size < 10000; id++)
			rows.add(id);
	}
	return rows;
}

/**
 * The fragment of a state, without "#".
 * @param {State} state
 */
export function writeFragment(state) {
	const parts = [`v=${state.view.a}~${state.view.b}`];
	const {selection, range, align} = state;
	if (align)
		parts.push(`align=${alignWord(align)}`);
	if (selection)
		parts.push(`sel=${selection.rowId}~${selection.ref}~${selection.begin}~${selection.end}`);
	if (range)
		parts.push(`range=${Math.round(range.a)}~${Math.round(range.b)}`);
	for (const [key, name] of addressRows)
		if (state[name].size > 0)
			parts.push(`${key}=${listOfRows(state[name])}`);
	for (const [key, name, usual] of addressWords)
		if (state[name] !== usual)
			parts.push(`${key}=${encodeURIComponent(state[name])}`);
	for (const mark of state.marks)
		if (mark.kept)
			parts.push(`mark=${mark.begin}~${mark.end}~${encodeURIComponent(mark.text)}`);
	return parts.reduce((whole, part) =>
		whole.length + part.length < ADDRESS_LIMIT ? `${whole}&${part}` : whole);
}

const addressRows = [['rows', 'toggled'], ['pin', 'pinned'], ['hide', 'hiddenRows'],
	['merge', 'merged']];
const addressWords = [['filter', 'filter', ''], ['colour', 'colourMode', 'category'],
	['group', 'grouping', 'rank'], ['side', 'sides', 'all'], ['clock', 'clock', 'capture'],
	['path', 'path', '']];

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return '';
	}
}

/**
 * The fields that a fragment names, with or without "#".
 * @param {string} fragment
 * @returns {{[field: string]: any}}
 */
export function readFragment(fragment) {
	const said = {};
	const marks = [];
	for (const part of fragment.replace(/^#/, '').slice(0, ADDRESS_LIMIT).split('&')) {
		const at = part.indexOf('=');
		const key = part.slice(0, at), value = part.slice(at + 1);
		if (key === 'v' || key === 'range') {
			const pair = numbersOf(value, 2);
			if (pair && pair[0] < pair[1])
				said[key === 'v' ? 'view' : 'range'] = {a: pair[0], b: pair[1]};
		} else if (key === 'sel') {
			const four = numbersOf(value, 4);
			if (four) {
				const [rowId, ref, begin, end] = four;
				said.selection = {rowId, ref, begin, end, name: ''};
			}
		} else if (key === 'align') {
			said.align = readAlign(value);
		} else if (key === 'finding') {
			const number = numbersOf(value, 1);
			if (number?.[0] > 0)
				said.finding = number[0];
		} else if (key === 'mark') {
			const [begin, end, ...text] = value.split('~');
			const pair = numbersOf(`${begin}~${end}`, 2);
			if (pair)
				marks.push({begin: pair[0], end: pair[1], text: decoded(text.join('~')),
					kept: true});
		}
		const rows = addressRows.find(([known]) => known === key);
		if (rows)
			said[rows[1]] = rowsOfList(value);
		const word = addressWords.find(([known]) => known === key);
		if (word)
			said[word[1]] = decoded(value);
	}
	if (marks.length > 0)
		said.marks = marks;
	return said;
}

/**
 * Where a page keeps the fragment: the address bar, written at most three times a second. After a jump, which
 * the number of jumps says, it is a new entry: the browser's Back leads to the view before.
 */
export function addressBar() {
	/** @type {Timer} */
	let timer = 0;
	let wanted = null, seen = 0, last = 0;
	return {
		read: () => location.hash,
		write(fragment, jumps = 0) {
			wanted = fragment;
			last = jumps;
			timer ||= setTimeout(() => {
				timer = 0;
				if (location.hash === `#${wanted}`)
					return;
				const isNew = last !== seen && location.hash !== '';
				seen = last;
				history[isNew ? 'pushState' : 'replaceState'](history.state, '', `#${wanted}`);
			}, 350);
		},
	};
}
