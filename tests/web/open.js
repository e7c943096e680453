/* SPDX-License-Identifier: MIT */
/* open.js - stands in for that of web/ in pages of tests: made-up data. */
import {fakeSource} from './fake.js';

/** See web/data/open.js. */
export async function openSource() {
	return fakeSource();
}
