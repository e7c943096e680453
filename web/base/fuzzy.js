/* SPDX-License-Identifier: MIT */
/* fuzzy.js - which texts someone may mean who types some letters of them. */

/* Is the letter at i the first of a word? */
function startsWord(text, i) {
	return i === 0 || !/[a-z0-9]/i.test(text[i - 1]) ||
		(/[A-Z]/.test(text[i]) && /[a-z]/.test(text[i - 1]));
}

/* What a letter at i is worth where it follows the one before at once, or not. */
const fuzzyWorth = (text, i, next) => (next ? 8 : startsWord(text, i) ? 6 : 1);

/**
 * How well a text fits: letters of the query in order, better at the start of words, next to
 * each other and in short texts. Takes query times text steps.
 * @param {string} query  blanks are left out
 * @param {string} text
 * @returns {number} larger is better; -Infinity where a letter is missing, 0 for an empty query
 */
export function fuzzyScore(query, text) {
	const wanted = query.toLowerCase().replace(/\s+/g, '');
	const lower = text.toLowerCase();
	/**
	 * best[i]: of the letters so far, with the last of them at i.
	 * @type {?Float64Array}
	 */
	let best = null;

	for (const letter of wanted) {
		const now = new Float64Array(lower.length).fill(-Infinity);
		let before = -Infinity;

		for (let i = 0; i < lower.length; i++) {
			if (lower[i] === letter) {
				now[i] = best === null ? fuzzyWorth(text, i, false)
					: Math.max(before + fuzzyWorth(text, i, false),
						(best[i - 1] ?? -Infinity) + fuzzyWorth(text, i, true));
			}
			before = Math.max(before, best?.[i] ?? -Infinity);
		}
		best = now;
	}
	return best === null ? 0 : Math.max(...best, -Infinity) - text.length / 100;
}

/**
 * The best of a list.
 * @param {string} query
 * @param {any[]} list  not changed
 * @param {(item: any) => string} textOf
 * @param {number} max  how many at most
 * @returns {any[]} best first; of equals the earlier
 */
export function fuzzyBest(query, list, textOf, max) {
	return list.map((item) => ({item, score: fuzzyScore(query, textOf(item))}))
		.filter(({score}) => score > -Infinity)
		.sort((x, y) => y.score - x.score)
		.slice(0, max)
		.map(({item}) => item);
}
