/* SPDX-License-Identifier: MIT */
// Names of events: a template, the integers in it, a category. Texts are made when they are asked
// for, because most never are.

import {unzigzag} from './varint.js';

/**
 * The pieces of a template between which its integers stand; one more than integers. "##" is a
 * "#" of the text.
 */
export function templateParts(template) {
	const parts = [''];

	for (const [piece] of template.matchAll(/##|#|[^#]+/g)) {
		if (piece === '#')
			parts.push('');
		else
			parts[parts.length - 1] += piece === '##' ? '#' : piece;
	}
	return parts;
}

/** The names of a file. */
export class PackedNames {
	/**
	 * @param {string[]} templates of the head
	 * @param {Uint32Array} template by name
	 * @param {Uint8Array} category by name
	 * @param {Float64Array} differences of integers, as varints that are still zigzag: of all
	 *        names one after the other, each against the last name of the same template
	 * @param {{texts: string[], of: Uint32Array}} labels of the head, and by name 1 + its label;
	 *        0 where that is the text
	 * @param {Uint8Array} words by name 1 + index of head.words; 0 for none
	 */
	constructor(templates, template, category, differences,
		labels = {texts: [], of: new Uint32Array(0)}, words = new Uint8Array(0)) {
		this.count = template.length;
		this.template = template;
		this.categories = category;
		this.labels = labels;
		this.words = words;
		this.parts = templates.map(templateParts);
		this.first = new Uint32Array(this.count + 1); // by name: where its integers begin
		this.integers = this.#addUp(differences);
	}

	#addUp(differences) {
		const integers = new Float64Array(differences.length);
		const last = new Int32Array(this.parts.length).fill(-1);
		let at = 0;

		for (let n = 0; n < this.count; n++) {
			const template = this.template[n];
			const parts = this.parts[template];

			if (!parts || at + parts.length - 1 > differences.length)
				throw new Error('the names of this page do not fit its templates');
			this.first[n] = at;
			for (let k = 0; k < parts.length - 1; k++, at++) {
				const of = last[template];
				const before = of < 0 ? 0 : integers[of + k];

				integers[at] = before + unzigzag(differences[at]);
			}
			last[template] = this.first[n];
		}
		this.first[this.count] = at;
		return integers;
	}

	/** The whole text of name n. */
	text(n) {
		const parts = this.parts[this.template[n]];
		let text = parts[0];

		for (let k = 1; k < parts.length; k++)
			text += this.integers[this.first[n] + k - 1] + parts[k];
		return text;
	}

	/** What ranges that differ from name n only in what counts are called, too: "layer #". */
	label(n) {
		const {texts, of} = this.labels;

		return of[n] ? texts[of[n] - 1] : this.text(n);
	}

	/** The category of an operation, an index of head.words; -1 for other names. */
	word(n) {
		return (this.words[n] ?? 0) - 1;
	}

	/** Of name n; of a gaps row an index of head.causes, of a GPU row of head.classes. */
	category(n) {
		return this.categories[n];
	}
}
