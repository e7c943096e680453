/* SPDX-License-Identifier: MIT */
/*
 * shares.js - what each GPU on the screen does in the view, for the labels of their rows. It is
 * asked when the view has stood still.
 */
import {formatRatio} from '../base/format.js';
import {askAccount, partName} from '../data/account.js';
/** @import {Source, State, Timer} from '../types.js' */

const SHARES_PAUSE_MS = 250;

/* An account as {text, title}: compute alone, and all parts, idle time as one. */
function shareWords(parts, span) {
	const idle = parts.filter((part) => part.idle).reduce((sum, {ns}) => sum + ns, 0);
	const words = [...parts.filter((part) => !part.idle && part.ns > 0), {key: 'idle', ns: idle}]
		.map(({key, ns}) => `${partName(key)} ${formatRatio(ns / span)}`);
	const compute = parts.find(({key}) => key === 'compute')?.ns ?? 0;
	return {text: `compute ${Math.round(100 * compute / span)}%`, title: words.join(', ')};
}

export class GpuShares extends Map {
	/** @type {Timer} */
	#timer = 0;
	#turn = 0;

	/**
	 * rows() -> the rows of rows.js on the screen; changed() is called when shares are known.
	 * @param {Source} source
	 * @param {State} state
	 */
	constructor(source, state, rows, changed) {
		super();
		this.source = source;
		this.state = state;
		this.rows = rows;
		this.changed = changed;
	}

	soon() {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.refresh(), SHARES_PAUSE_MS);
	}

	/** Asks now. What a source does not answer is left empty. */
	async refresh() {
		const turn = ++this.#turn;
		const {view, extent} = this.state;
		const a = Math.round(Math.max(view.a, extent.begin)), b = Math.round(Math.min(view.b, extent.end));
		const gpus = this.rows().filter(({row}) => row.kind === 'gpu' && row.device >= 0);
		const asked = gpus.map(({row}) => askAccount(this.source, row.device, a, Math.max(b, a + 1))
			.catch(() => null));
		const accounts = await Promise.all(asked);
		if (turn !== this.#turn)
			return;
		this.clear();
		gpus.forEach(({id}, i) => {
			if (accounts[i])
				this.set(id, shareWords(accounts[i], Math.max(1, b - a)));
		});
		this.changed();
	}
}
