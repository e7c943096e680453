/* SPDX-License-Identifier: MIT */
/*
 * perfetto.js - hand a range to Perfetto's own page. That page is on the internet; the data go from
 * this window to that one and are not sent anywhere. Only a page from a server can do it: a file
 * has no exporter.
 */
import {pressButton} from '../base/dom.js';
import {formatNs} from '../base/format.js';
import {traceLetter} from '../data/source.js';
/** @import {App} from '../types.js' */

const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 100;
const PINGS_AT_MOST = 300;

/* Perfetto's page answers PONG once it listens; resolves to whether it ever did. */
function untilPerfettoListens(target) {
	return new Promise((resolve) => {
		let left = PINGS_AT_MOST;
		const done = (listens) => {
			clearInterval(timer);
			removeEventListener('message', heard);
			resolve(listens);
		};
		const heard = (event) => {
			if (event.origin === PERFETTO && event.source === target && event.data === 'PONG')
				done(true);
		};
		const timer = setInterval(() => {
			if (target.closed || --left < 0)
				done(false);
			else
				target.postMessage('PING', PERFETTO);
		}, PING_MS);

		addEventListener('message', heard);
	});
}

/**
 * The window is opened first: browsers allow that only while a click is handled.
 * @param {App} app
 */
async function openInPerfetto(app, url, {a, b, trace}) {
	const target = window.open(PERFETTO);

	if (!target) {
		app.say('The browser does not let the page open another one.');
		return;
	}
	app.say('Perfetto gets the range …');
	const [listens, answer] = await Promise.all([untilPerfettoListens(target), fetch(url)]);

	if (!listens)
		throw new Error(`${PERFETTO} does not answer`);
	if (!answer.ok)
		throw new Error(`the server answers ${answer.status}`);
	const title = `${app.source.head.traces[trace].label}, ${formatNs(b - a)}`;
	const buffer = await answer.arrayBuffer();

	target.postMessage({perfetto: {buffer, title, fileName: 'range.pftrace'}}, PERFETTO);
	app.say('Perfetto has the range.');
}

/**
 * A button that opens [a, b) ns of a trace in Perfetto's page.
 * @param {App} app
 * @returns {HTMLElement|null} null where the source cannot export
 */
export function perfettoButton(app, a, b, trace = 0) {
	const url = app.source.exportUrl('perfetto', a, b, trace);
	const letter = app.source.head.traces.length > 1 ? `${traceLetter(trace)}: ` : '';
	const open = () => openInPerfetto(app, url, {a, b, trace}).catch((problem) =>
		app.say(`Perfetto did not get the range: ${problem.message}`));

	return url === null ? null : pressButton(`${letter}open in Perfetto`, open,
		{title: `Opens ${PERFETTO} (needs the internet); the data stay in this browser`});
}
