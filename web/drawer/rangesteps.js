/* SPDX-License-Identifier: MIT */
/*
 * rangesteps.js - by row of statistics: its colour, and its time in each step of the trace. Both are asked for after the
 * table stands, and kept: a view that moves asks for nothing again.
 */
import {formatNs} from '../base/format.js';
import {sparkOf} from '../base/spark.js';
/** @import {Head, Source, Table} from '../types.js' */

/** Rows of a table that are asked about, from the first on: each is a search. */
const ROWS_ASKED = 20;

/** The column, at the end of what people see. */
const STEP_COLUMN = {key: 'per_step', title: 'Per step', type: 'duration'};

/**
 * What finds the operations of a row: [query, mode, only]; null where a search cannot.
 * @param {Head} head
 */
function questionOf(head, by, text, rows) {
	if (by === 'name')
		return [text, 'exact', {rows}];
	if (by === 'category') {
		const word = head.words.findIndex(({key}) => key === text);

		return word < 0 ? null : ['', 'sub', {rows, words: [word], categories: []}];
	}
	return null;
}

/**
 * The steps of the process that the first of some rows follows: {first, count}; null for fewer than two.
 * @param {Head} head
 */
function stepsOfRows(head, rows) {
	const row = head.rows[rows[0]];
	const process = row && head.processes[row.device >= 0 ? head.devices[row.device].process : row.process];

	return process?.iterations.length > 1 ? {first: process.first ?? 0, count: process.iterations.length} : null;
}

/** What is known of the rows of tables. */
export class RowSteps {
	/** @param {Source} source */
	constructor(source) {
		this.source = source;
		this.known = new Map();
	}

	/**
	 * The table with its column; as it is where there are no steps, or they are of several traces.
	 * @param {Table} table  of stats()
	 * @param {string} by
	 * @param {number[]} rows  that were counted
	 */
	withColumn(table, by, rows) {
		const {head} = this.source;
		const label = table.columns.findIndex(({key}) => key === 'label');
		const at = label < 0 ? table.columns.length : label;
		const traces = new Set(rows.map((id) => head.rows[id].trace));

		this.steps = traces.size === 1 && /^(name|category)$/.test(by) ? stepsOfRows(head, rows) : null;
		if (!this.steps)
			return table;
		const key = (row) => `${by} ${rows.join()} ${row[0]}`;
		const inserted = (list, value) => [...list.slice(0, at), value, ...list.slice(at)];

		return {...table, columns: inserted(table.columns, STEP_COLUMN),
			rows: table.rows.map((row) => inserted(row, this.known.get(key(row))?.mean ?? null)),
			keyOf: key, perStep: at, asked: table.rows.slice(0, ROWS_ASKED).map((row) => [row[0], questionOf(head, by, row[0], rows)])};
	}

	/* Asks for what is not known, one after the other; changed(text) is called after each. */
	async ask({asked, keyOf}, changed, isStale) {
		const steps = /** @type {{first: number, count: number}} */ (this.steps);

		for (const [text, question] of asked) {
			const key = keyOf([text]);

			if (!question || this.known.has(key))
				continue;
			await new Promise((done) => setTimeout(done));
			if (isStale())
				return;
			const [query, mode, only] = question;
			const found = await this.source.found(query, mode, 1, only);
			const sums = Array.from({length: steps.count}, () => 0);

			for (const [, number, , ns] of found.steps)
				sums[number - steps.first] = ns;
			this.known.set(key, {sums, mean: Math.round(sums.reduce((x, y) => x + y, 0) / steps.count),
				colour: found.list[0]?.category ?? -1});
			changed(text);
		}
	}

	/** The picture of a row, or null while it is not known. */
	spark(key) {
		const {sums, mean} = this.known.get(key) ?? {};

		return sums ? sparkOf(sums, `by step, mean ${formatNs(mean)}, ${formatNs(Math.min(...sums))} to ${formatNs(Math.max(...sums))}`) : null;
	}

	/** The colour of a row, an index of head.categories; -1 while it is not known. */
	colour(key) {
		return this.known.get(key)?.colour ?? -1;
	}
}
