/* SPDX-License-Identifier: MIT */
/*
 * whatif.js - what a step would take if something were different: `whatif` of docs/web.md, replayed by the program.
 */
/** @import {Trace} from '../types.js' */

/**
 * One answer of whatif.
 * @param {any[]} row  [scenario, per_step, saving, measured, forecast, next, why]
 * @param {?number} step
 */
function answerOf(row, step) {
	const [scenario, perStep, saving, measured, forecast, next, why] = row;
	const isStep = step !== null && perStep !== null;

	return {scenario, forecast, next, why: why ?? '', saving, isStep,
		before: isStep ? step : measured, after: isStep ? step - perStep : measured - saving};
}

/**
 * The answers of a page.
 * @param {Pick<Trace, 'whatif'|'headline'>} trace  of head.traces
 * @returns {{step: ?number, rows: any[], classes: {name: string, stops: Map}[]}|null} step: the mean step, null without
 *     steps; an answer is {scenario, forecast, next, why, saving, before, after, isStep}: ns of a step, or of the run where
 *     isStep is false. stops: by percent of the time of a class, without 100. null where the page has none
 */
export function whatifOf({whatif, headline}) {
	if (!whatif?.length)
		return null;
	const step = headline?.steps ? headline.parts.reduce((sum, [, ns]) => sum + ns, 0) : null;
	const classes = new Map();
	const rows = [];

	for (const row of whatif.filter(([, , saving]) => saving !== null)) {
		const [, name, percent] = /^class=(\w+):(\d+)%$/.exec(row[0]) ?? [];

		if (!name)
			rows.push(answerOf(row, step));
		else
			classes.set(name, (classes.get(name) ?? new Map()).set(Number(percent), answerOf(row, step)));
	}
	return {step, rows, classes: [...classes].map(([name, stops]) => ({name, stops}))};
}

/** What is said of an answer: "41.2 ms, 12.2 ms (22.8%) less, at most" */
export function answerText({before, after, forecast}, formatNs, formatRatio) {
	const less = before - after;
	const change = less === 0 ? 'as now' : `${formatNs(Math.abs(less))} (${formatRatio(Math.abs(less) / before)}) ` +
		`${less > 0 ? 'less' : 'more'}`;

	return `${formatNs(after)}: ${change}${forecast === 'prediction' ? '' : `, ${forecast}`}`;
}
