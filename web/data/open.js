/* SPDX-License-Identifier: MIT */
/*
 * open.js - where this page gets its data: from itself, or from the server that sent it.
 */
import {embeddedSource} from './embedded.js';
import {serverSource} from './server.js';
/** @import {Source} from '../types.js' */

/* What the page cannot do without; the last of them came to browsers in 2023. */
function missingFeature() {
	if (typeof DecompressionStream !== 'function')
		return 'DecompressionStream';
	if (typeof ResizeObserver !== 'function')
		return 'ResizeObserver';
	return null;
}

/**
 * The source of this page.
 * @param {(text: string, share: ?number) => void} progress  is called meanwhile; share of 0..1
 * @returns {Promise<Source>}
 */
export async function openSource(progress) {
	const missing = missingFeature();
	if (missing)
		throw new Error(`This browser is too old for this page (it has no ${missing}). ` +
			'Chromium 103, Firefox 113, Safari 16.4 or later open it.');
	if (document.querySelector('meta[name="source"]')?.getAttribute('content') === 'server')
		return serverSource(location.href, ({stage, done, total}) =>
			progress(`The server reads the trace: ${stage} …`, total > 0 ? done / total : null));
	if (document.getElementById('head'))
		return embeddedSource(document);
	throw new Error('This page has no data: make it with "warplens viewer TRACE -o view.html".');
}
