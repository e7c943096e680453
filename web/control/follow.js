/* SPDX-License-Identifier: MIT */
/*
 * follow.js - asks the server once a second: whether an agent points at a window, and whether it is
 * still there.
 */
/** @import {App} from '../types.js' */

const FOLLOW_MS = 1000;

/**
 * Moves the view to a window of the server's, and says so.
 * @param {App} app
 */
function showWanted(app, {trace, a, b}) {
	const shift = app.source.shifts?.[trace] ?? 0;

	app.state.setRange({a: a + shift, b: b + shift});
	app.state.show(a + shift, b + shift);
	app.say('An agent shows this window; Alt+Left goes back.');
}

/**
 * Asks the server now and then, while the page is seen. A page that is opened or loaded again with
 * a view of its own keeps it.
 * @param {App} app
 * @param {() => Promise<{serial: number, trace: number, a: number, b: number}>} ask
 * @param {boolean} hasView
 */
export function followAgent(app, ask, hasView) {
	let seen = hasView ? null : 0;
	const look = async () => {
		if (document.visibilityState === 'hidden')
			return;
		const wanted = await ask();
		if (seen !== null && wanted.serial > seen)
			showWanted(app, wanted);
		seen = wanted.serial;
	};
	const again = () => look().then(() => app.setLost(false), () => app.setLost(true))
		.finally(() => setTimeout(again, FOLLOW_MS));

	again();
}
