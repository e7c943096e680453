/* SPDX-License-Identifier: MIT */
/*
 * layout.js - the labels of rows beside the canvas: real elements, so that they can be read,
 * focused and clicked. Only rows on the screen have one.
 */
import {isLevelKind} from '../data/kinds.js';
import {levelText} from '../data/levels.js';
/** @import {State} from '../types.js' */

/** What the buttons of a row do when they are on. */
const UNDO = {pinned: 'Unpin', hiddenRows: 'Show', merged: 'Show each stream'};
/** Labels of rows higher than this, in CSS pixels, stand at their top. */
const TALL = 40;

function rowButton(className, label, text) {
	const button = document.createElement('button');
	button.type = 'button';
	button.className = className;
	button.setAttribute('aria-label', label);
	button.textContent = text;
	return button;
}

function labelled(className, text) {
	const span = document.createElement('span');
	span.className = className;
	span.textContent = text;
	return span;
}

/*
 * What stands at the right of a label: how much of the view a GPU computes, what fills the row of a
 * counter, or levels not shown.
 */
function shareText(row, shares) {
	if (isLevelKind(row.row.kind))
		return levelText(row.row, row.row.top);
	if (row.row.kind !== 'gpu')
		return row.hiddenLanes > 0 ? `+${row.hiddenLanes}` : '';
	return shares.get(row.id)?.text ?? '';
}

export class RowLabels {
	#elements = new Map();
	#key = '';

	/**
	 * list is the element that holds them; shares: Map by id of GPU rows, see GpuShares.
	 * @param {State} state
	 */
	constructor(list, state, shares) {
		this.list = list;
		this.state = state;
		this.shares = shares;
	}

	/** Shows the rows of rows.js that are between two heights. */
	show(rows, offset, from, to) {
		const shown = rows.filter((row) => row.y + row.height >= from && row.y <= to);
		const key = this.#keyOf(shown, offset);
		if (key === this.#key)
			return;
		this.#key = key;
		const old = this.#elements;
		this.#elements = new Map();
		let next = this.list.firstElementChild;
		for (const row of shown) {
			const part = `${row.open} ${row.depth} ${row.height} ${this.state.pinned.has(row.id)} ` +
				`${this.state.merged.has(row.id)} ${shareText(row, this.shares)}`;
			const before = old.get(row.id);
			const entry = before?.part === part ? before : {part, element: this.#make(row)};
			if (entry.element === next) {
				next = next.nextElementSibling;
			} else {
				const hadFocus = before?.element.contains(document.activeElement);
				if (before && before.element === next)
					next = next.nextElementSibling;
				before?.element.remove();
				this.list.insertBefore(entry.element, next);
				if (hadFocus)
					entry.element.querySelector('button')?.focus();
			}
			old.delete(row.id);
			this.#elements.set(row.id, entry);
			entry.element.style.top = `${offset + row.y}px`;
			entry.element.style.height = `${row.height}px`;
			entry.element.classList.toggle('focus', row.id === this.state.focusRow);
		}
		for (const {element} of old.values())
			element.remove();
	}

	#keyOf(rows, offset) {
		const ids = rows.map((row) => `${row.id},${row.y},${row.height},${row.open},` +
			`${this.shares.get(row.id)?.text}`).join(' ');
		const {focusRow, pinned, merged} = this.state;
		return `${offset} ${focusRow} ${[...pinned]} ${[...merged]} ${ids}`;
	}

	#make(row) {
		const element = document.createElement('div');
		element.className = row.pair ? 'row delta' : row.top ? 'row top' :
			row.height > TALL ? 'row tall' : 'row';
		element.setAttribute('role', 'listitem');
		element.dataset.row = row.id;
		element.style.paddingLeft = `${2 + row.depth * 10}px`;
		element.append(row.foldable ? this.#fold(row) : labelled('name', row.text));
		element.title = this.#explained(row);
		element.append(labelled('share', shareText(row, this.shares)));
		if (!['rest', 'counters', 'nvtx-apart'].includes(row.row.kind))
			element.append(this.#tool('pinned', row.id, 'Pin', '⊤'),
				this.#tool('hiddenRows', row.id, 'Hide', '×', 'hide'));
		if (row.merges)
			element.append(this.#tool('merged', row.id, 'Merge streams', '≡', 'merge'));
		element.addEventListener('click', () => this.state.set('focusRow', row.id));
		return element;
	}

	#explained(row) {
		if (row.pair)
			return `${row.row.label}: up where B computes more than A, down where it computes less`;
		if (isLevelKind(row.row.kind))
			return `${row.row.label}: mean and, fainter, highest value; ` +
				`${levelText(row.row, row.row.top)} fills the row`;
		const said = this.shares.get(row.id)?.title;
		const busy = said ? `; of the view ${said}` : '';
		const more = row.hiddenLanes > 0 ? `, ${row.hiddenLanes} more levels are not shown` : '';
		return `${row.row.label}: ${row.row.events} events${busy}${more}`;
	}

	#fold(row) {
		const button = rowButton('fold', row.text, '');
		button.setAttribute('aria-expanded', String(row.open));
		button.append(labelled('text', row.text));
		button.addEventListener('click', () => this.state.toggleRow('toggled', row.id));
		return button;
	}

	#tool(set, id, word, sign, place = '') {
		const button = rowButton(`tool ${place}`, set === 'merged' ? word : `${word} this row`, sign);
		const isOn = this.state[set].has(id);
		button.tabIndex = -1;
		button.title = isOn ? UNDO[set] : word;
		button.setAttribute('aria-pressed', String(isOn));
		button.addEventListener('click', (event) => {
			event.stopPropagation();
			this.state.toggleRow(set, id);
		});
		return button;
	}
}
