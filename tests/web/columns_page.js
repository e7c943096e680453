/* SPDX-License-Identifier: MIT */
// Run in a browser by tests/browser/columns.sh: the lanes and views of lanes_dump are in the page,
// one per line; says in the page how many views were drawn otherwise than by the program.

import {drawLane} from './columns.js';
import {Lane} from './lane.js';

function laneOfLine({start, dur, cat, categories}) {
	return new Lane({
		start: Float64Array.from(start),
		dur: Float64Array.from(dur),
		cat: Uint8Array.from(cat),
		name: new Uint32Array(start.length),
		ref: new Uint32Array(start.length),
	}, categories);
}

function isSame(lane, view) {
	const cat = new Uint8Array(view.width), share = new Uint8Array(view.width);

	drawLane(lane, view, cat, share);
	return view.cat.every((c, x) => c === cat[x] && view.share[x] === share[x]);
}

const lines = document.getElementById('lanes');
let lane = null, views = 0, wrong = 0;

for (const line of lines.textContent.trim().split('\n')) {
	const said = JSON.parse(line);

	if (said.start) {
		lane = laneOfLine(said);
		continue;
	}
	views++;
	wrong += isSame(lane, said) ? 0 : 1;
}
lines.remove();
document.body.textContent = `${views} views, ${wrong} wrong`;
