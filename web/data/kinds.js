/* SPDX-License-Identifier: MIT */
// The kinds of rows: what src/derive/tracks/tracks.def says of each, and how high its lanes are.

/**
 * By kind: whose row it is, what its events are, and the height of a lane in CSS pixels. The last is of
 * the page alone: all streams of a GPU as one row.
 */
export const ROW_KINDS = {
	gpu: {of: 'device', holds: 'gpu_time', height: 22},
	iterations: {of: 'device', holds: 'iterations', height: 16},
	'nvtx-gpu': {of: 'device', holds: 'projections', height: 15},
	'nvtx-comm': {of: 'device', holds: 'projections', height: 15},
	stream: {of: 'device', holds: 'ops', height: 18},
	gaps: {of: 'device', holds: 'gaps', height: 14},
	counter: {of: 'device', holds: 'levels', height: 24},
	process: {of: 'process', holds: 'threads', height: 14},
	nvtx: {of: 'process', holds: 'ranges', height: 15},
	api: {of: 'process', holds: 'calls', height: 14},
	osrt: {of: 'process', holds: 'calls', height: 12},
	overhead: {of: 'trace', holds: 'calls', height: 12},
	path: {of: 'trace', holds: 'path', height: 16},
	merged: {of: 'device', holds: 'ops', height: 18},
};

/** Of rows that only group others. */
const NO_KIND = {of: 'trace', holds: '', height: 14};

export const kindOf = (kind) => ROW_KINDS[kind] ?? NO_KIND;

/** Its events are those of the trace, each once; those of other rows are made of them. */
export const isRecordedKind = (kind) => ['ops', 'ranges', 'calls'].includes(kindOf(kind).holds);

/** Its events are pieces of time that was accounted for: their colour and length say nothing else. */
export const isAccountKind = (kind) => ['gpu_time', 'iterations', 'gaps'].includes(kindOf(kind).holds);

/** Its events are samples of a counter, drawn as high as they are. */
export const isLevelKind = (kind) => kindOf(kind).holds === 'levels';

/** Its events are NVTX ranges, on the clock of the thread or of the GPU. */
export const isRangeKind = (kind) => ['ranges', 'projections'].includes(kindOf(kind).holds);

/** Its events are NVTX ranges where their work lies on a GPU. */
export const isProjectionKind = (kind) => kindOf(kind).holds === 'projections';

/** It is the first of the rows of a GPU or a process. */
export const isHeadKind = (kind) => ['gpu_time', 'threads'].includes(kindOf(kind).holds);
