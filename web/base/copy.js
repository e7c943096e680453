/* SPDX-License-Identifier: MIT */
/* copy.js - what leaves the page by the clipboard: tables as Markdown and CSV, texts. */
import {pressButton} from './dom.js';
import {csvCell, formatCell, isNumberType, markdownText} from './format.js';
/** @import {Table} from '../types.js' */


/**
 * A table as GitHub Markdown, for people: the texts that the page shows.
 * @param {Table} table
 * @returns {string} lines that end in LF
 */
export function tableMarkdown(table) {
	const line = (texts) => `| ${texts.join(' | ')} |\n`;
	const {columns} = table;

	return line(columns.map((c) => markdownText(c.title))) +
		line(columns.map((c) => (isNumberType(c.type) ? '---:' : '---'))) +
		table.rows.map((row) => line(columns.map(
			(c, i) => markdownText(formatCell(row[i], c.type))))).join('');
}

/**
 * A table as CSV (RFC 4180, lines end in LF), for programs: keys as header, values in base
 * units (ns, bytes, ratios of 1); an unknown value is empty, an empty text is quoted.
 * @param {Table} table  what a row has beyond the columns is left out
 */
export function tableCsv(table) {
	const line = (values) => `${values.map(csvCell).join(',')}\n`;

	return line(table.columns.map((c) => c.key)) +
		table.rows.map((row) => line(row.slice(0, table.columns.length))).join('');
}

/* Where the clipboard API is missing (file:// in some browsers) or refuses. */
function copyByTextarea(text) {
	const area = document.createElement('textarea');
	const focused = /** @type {HTMLElement|null} */ (document.activeElement);

	area.value = text;
	area.setAttribute('aria-hidden', 'true');
	area.style.position = 'fixed';
	area.style.opacity = '0';
	/* Inside an open dialog, since nothing outside of it can have the focus. */
	(document.querySelector('dialog[open]') ?? document.body).append(area);
	area.select();
	const done = document.execCommand('copy');

	area.remove();
	focused?.focus?.();
	return done;
}

/**
 * Put a text on the clipboard.
 * @param {string} text
 * @returns {Promise<boolean>} whether it is there now
 */
export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyByTextarea(text);
	}
}

/**
 * A button that copies and says so.
 * @param {{say: (text: string) => void}} app
 * @param {string} label  what stands on it
 * @param {string} what  what is copied, for the label of screen readers and for what is said
 * @param {() => string} text  asked at the click
 */
export function copyButton(app, label, what, text) {
	const copy = async () => {
		const done = await copyText(text());

		app.say(done ? `Copied ${what}.` : `The browser does not let the page copy ${what}.`);
	};

	return pressButton(label, copy, {
		class: 'copy', title: `Copy ${what}`, 'aria-label': `${label}: ${what}`,
	});
}
