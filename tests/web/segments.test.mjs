/* SPDX-License-Identifier: MIT */
// What a segment of the critical path is spent on, as the page without a server says it.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {segmentClass} from '../../web/data/details.js';

test('a segment has the class of its name, or of the event it is spent in', () => {
	assert.equal(segmentClass('latency', 'stream', 'neutral'), 'latency');
	assert.equal(segmentClass('host', 'api', 'host'), 'host');
	assert.equal(segmentClass('cudaLaunchKernel', 'api', 'host'), 'api');
	assert.equal(segmentClass('gemm', 'stream', 'gemm'), 'compute');
	assert.equal(segmentClass('ncclDevKernel_AllReduce', 'stream', 'communication'), 'communication');
	assert.equal(segmentClass('[CUDA memcpy HtoD]', 'stream', 'copy'), 'copy');
	assert.equal(segmentClass('[CUDA memcpy DtoD]', 'stream', 'copy'), 'compute');
	assert.equal(segmentClass('reshape_and_cache', 'stream', 'copy'), 'compute');
});
