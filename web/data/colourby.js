/* SPDX-License-Identifier: MIT */
// What rows are coloured by other than the category: a number per event, and the colour of it.

import {DURATION_COLOURS, NAME_COLOURS} from '../base/hues.js';
import {NO_VALUE} from './columns.js';
import {isAccountKind, isLevelKind, isRangeKind} from './kinds.js';
import {NO_EVENT} from './lane.js';
import {callRangeNames, rangeNames} from './links.js';
/** @import {LaneSource} from '../types.js' */

/** Modes in which a source tells a number per event (source.js, wish.by). */
export const VALUE_MODES = ['name', 'nvtx', 'duration'];

/** Durations have colours from this many ns on, and so many per decade. */
const SHORTEST = 1000;
const PER_DECADE = 2;

const LONGEST_VALUE = NO_VALUE - 1;

/** Has no common divisor with NAME_COLOURS, and is about a third of it. */
const NAME_STEP = 7;

/**
 * What a source is asked for in a state's colour mode; undefined for nothing. Of streams it is
 * only where several are one row.
 */
export function valueMode({colourMode, merged}) {
	if (colourMode === 'stream')
		return merged.size > 0 ? colourMode : undefined;
	return VALUE_MODES.find((mode) => mode === colourMode);
}

/** Whether a row of a kind is coloured by category, or as a whole, whatever such numbers say. */
export function isFixed(kind, by) {
	return isAccountKind(kind) || isLevelKind(kind) || (by === 'stream' && kind !== 'merged');
}

/** @param {LaneSource} source */
function namesOfRanges(source, rowId, lane, column) {
	const {kind} = source.head.rows[rowId];

	if (isRangeKind(kind))
		return lane[column];
	if (kind === 'api')
		return callRangeNames(source, rowId, lane, column);
	return kind === 'stream' ? rangeNames(source, rowId, lane, column) : null;
}

/**
 * Of an event of several rows: what it is in its own.
 * @param {LaneSource} source
 */
function mergedValue(source, lane, by) {
	const valueOf = lane.parts.map((part) => eventValue(source, part.row, part.lane, by));

	return (i) => valueOf[lane.part[i]](lane.index[i]);
}

/**
 * The number of event i of a lane of an embedded source, as a function: of 'name' that of its name;
 * of 'nvtx' that of the innermost range around its launch or call, of 'range' the ref of that, of a range its own; of
 * 'duration' ns, of 'stream' its row. NO_VALUE for none.
 * @param {LaneSource} source
 */
export function eventValue(source, rowId, lane, by) {
	if (lane.parts && by !== 'name' && by !== 'duration')
		return mergedValue(source, lane, by);
	if (by === 'stream')
		return () => rowId;
	if (by === 'duration')
		return (i) => Math.min(lane.dur[i], LONGEST_VALUE);
	const names = by === 'name' ? lane.name
		: namesOfRanges(source, rowId, lane, by === 'range' ? 'ref' : 'name');

	return (i) => names === null || names[i] === NO_EVENT ? NO_VALUE : names[i];
}

/**
 * The colour of such a number, an index of a theme's colours; first: {names, durations, none},
 * where in the theme these begin. Names with neighbouring numbers, which occur first beside each
 * other, have colours far apart.
 */
export function valueColour(by, value, first) {
	if (value === NO_VALUE)
		return first.none;
	if (by !== 'duration')
		return first.names + value * NAME_STEP % NAME_COLOURS;
	const step = Math.floor(PER_DECADE * Math.log10(Math.max(value, SHORTEST) / SHORTEST));

	return first.durations + Math.min(step, DURATION_COLOURS - 1);
}

/**
 * By column of a picture with values the index of its colour, colourOf(value). A column without a
 * value and with a share got the rest of the column before, and has its colour; but of 'nvtx' it
 * may be in no range.
 */
export function columnColours(picture, by, colourOf) {
	const {value, share} = picture;
	const colours = new Uint8Array(value.length);
	let last = colourOf(NO_VALUE);

	for (let x = 0; x < value.length; x++) {
		if (value[x] !== NO_VALUE || by === 'nvtx')
			last = colourOf(value[x]);
		if (share[x] > 0)
			colours[x] = last;
	}
	return colours;
}
