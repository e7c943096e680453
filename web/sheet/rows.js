/* SPDX-License-Identifier: MIT */
/*
 * rows.js - which rows of the trace are on the sheet, in which order, how high: a pure
 * function of the head and of what the user folded, pinned, hid and filtered. Of two traces what
 * belongs together stands together, with a strip between their GPUs.
 */
import {computeRow} from '../data/delta.js';
import {findingDevice, firstEvidence} from '../data/evidence.js';
import {isHeadKind, isLevelKind, kindOf} from '../data/kinds.js';
import {mergedRow} from '../data/merge.js';
import {isOnSide, pairRows} from '../data/pairs.js';
import {traceLetter} from '../data/source.js';
/** @import {Head, Laid, State} from '../types.js' */

/** Heights in CSS pixels: of a row without lanes, of a strip between GPUs, between rows. */
const HEADING_HEIGHT = 24;
const DELTA_HEIGHT = 30;
const ROW_GAP = 3;
/** Lanes of a row that are shown, folded and unfolded; NVTX may be nested much deeper. */
const FEW_LANES = 4;
/** Of two traces fewer, so that what is compared stands close together. */
const FEW_LANES_PAIRED = 2;
const MOST_LANES = 32;
/** Whether rows of the kind start with a group's strip. */
const isTop = (kind) => isHeadKind(kind) || kind === 'group';
/** Under a GPU of trace B, ranges come last: they are the mirror image of those of A. */
const MIRRORED = ['stream', 'gaps', 'counters', 'nvtx-apart', 'nvtx-gpu', 'iterations'];

/**
 * The rows as a tree: nodes by id, {id, row, text, lanes, children: [node], parent}. The rows of
 * all but the busiest thread of a process are under a node of their own, whose id is that of
 * the process row beyond all rows of the head; so are the counters of a GPU, and its ranges projected on
 * communication and copies, beyond all other nodes. A GPU with several streams has a node of all of them,
 * mergedRow(), which is shown in their place where the user merges them; it has no lanes
 * before. Of two traces there is a node between each pair of GPUs, with `pair`, their ids, and an
 * id beyond those.
 */
export class RowTree {
	/** @type {Set<number>} */
	open;

	/** @param {Head} head */
	constructor(head, {canMerge = false} = {}) {
		this.head = head;
		this.nodes = new Map();
		this.roots = [];
		this.fewLanes = head.traces.length === 2 ? FEW_LANES_PAIRED : FEW_LANES;
		const lanes = new Uint32Array(head.rows.length);
		for (const [row] of head.lanes)
			lanes[row]++;
		head.rows.forEach((row, id) => {
			const node = {id, row, text: this.#textOf(row), lanes: lanes[id], children: [],
				parent: null};
			this.nodes.set(id, node);
			this.#place(node);
		});
		if (head.traces.length === 2)
			this.#pairUp();
		if (canMerge)
			this.roots.forEach((node) => this.#addMerged(node));
		this.#openByDefault();
	}

	#addMerged(gpu) {
		const streams = gpu.children.filter(({row}) => row.kind === 'stream');
		if (gpu.row.kind !== 'gpu' || streams.length < 2)
			return;
		const id = mergedRow(this.head, gpu.id);
		const row = {...streams[0].row, kind: 'merged', label: 'All streams', brief: 'all', stream: -1,
			events: streams.reduce((sum, node) => sum + node.row.events, 0)};
		const node = {id, row, text: row.label, lanes: 0, children: [], parent: gpu};
		this.nodes.set(id, node);
		gpu.children.splice(gpu.children.indexOf(streams[0]), 0, node);
	}

	/** The row in which events of a row are shown: the row itself, or its GPU's merged streams. */
	shownRow(rowId, merged) {
		const row = this.head.rows[rowId];
		const all = row?.kind === 'stream' && merged.has(row.parent) ?
			mergedRow(this.head, row.parent) : rowId;
		return this.nodes.has(all) ? all : rowId;
	}

	/* GPUs first, then processes, then the rest, each of A before its like of B. */
	#pairUp() {
		const {roots} = this;
		const of = (trace, kind) => roots.filter(({row}) => row.trace === trace &&
			(isTop(row.kind) ? row.kind : '') === kind);
		const pairs = ['gpu', 'process', ''].flatMap((kind) =>
			pairRows(this.head, of(0, kind), of(1, kind)));
		this.roots = pairs.flatMap(([first, second]) => first?.row.kind === 'gpu' && second ?
			[first, this.#between(first, second), second] : [first, second].filter(Boolean));
		const place = ({row}) => MIRRORED.indexOf(row.kind);
		for (const {row, children} of this.roots)
			if (row.kind === 'gpu' && row.trace === 1)
				children.sort((x, y) => place(x) - place(y));
	}

	#between(first, second) {
		const id = computeRow(this.head, first.id);
		const row = {...first.row, kind: 'delta', label: `Δ compute ${first.row.label}`, brief: 'Δ',
			trace: -1, events: 0, busy: 0};
		const node = {id, row, text: 'Δ compute ▲ B more ▼ less', lanes: 0, children: [],
			parent: null, pair: [first.id, second.id]};
		this.nodes.set(id, node);
		return node;
	}

	/* Of several traces each has a letter, as the compare page calls them. */
	#textOf(row) {
		const isOne = this.head.traces.length < 2 || row.parent >= 0;
		return isOne ? row.label : `${traceLetter(row.trace)}: ${row.label}`;
	}

	#place(node) {
		const parent = this.nodes.get(node.row.parent);
		if (!parent) {
			this.roots.push(node);
			return;
		}
		const first = parent.children[0]?.row?.thread;
		const folder = isLevelKind(node.row.kind) ? this.#countersOf(parent)
			: node.row.kind === 'nvtx-comm' ? this.#apartOf(parent) : null;
		if (folder) {
			node.parent = folder;
			folder.children.push(node);
			folder.row.events += node.row.events;
			return;
		}
		const isRest = parent.row.kind === 'process' && first !== undefined &&
			first !== node.row.thread;
		const home = isRest ? this.#restOf(parent) : parent;
		node.parent = home;
		home.children.push(node);
	}

	#restOf(parent) {
		return this.#folder(parent, this.head.rows.length + parent.id, 'rest', 'other threads');
	}

	#countersOf(gpu) {
		return this.#folder(gpu, 4 * this.head.rows.length + gpu.id, 'counters', 'Counters');
	}

	#apartOf(gpu) {
		return this.#folder(gpu, 5 * this.head.rows.length + gpu.id, 'nvtx-apart', 'NVTX↧ comm, copies');
	}

	/* The node of rows that are folded at first. */
	#folder(parent, id, kind, label) {
		let node = this.nodes.get(id);
		if (!node) {
			const row = {...parent.row, kind, label, events: 0, busy: 0};
			node = {id, row, text: row.label, lanes: 0, children: [], parent};
			this.nodes.set(id, node);
			parent.children.push(node);
		}
		return node;
	}

	/*
	 * Of each trace the GPU that shows its first finding, else the first, and the process that
	 * drives it.
	 */
	#openByDefault() {
		this.open = new Set();
		for (let trace = 0; trace < this.head.traces.length; trace++) {
			const groups = this.roots.filter(({row}) => row.trace === trace);
			const gpus = groups.filter(({row}) => row.kind === 'gpu');
			const processes = groups.filter(({row}) => row.kind === 'process');
			const evidence = this.head.traces.length === 1 ? firstEvidence(this.head, trace) : null;
			const device = evidence ? findingDevice(this.head, evidence) : -1;
			const gpu = gpus.find(({row}) => row.device === device) ?? gpus[0];
			const driver = this.head.devices[gpu?.row.device]?.process ?? -1;
			if (gpu)
				this.open.add(gpu.id);
			const process = processes.find(({row}) => row.process === driver) ?? processes[0];
			if (process)
				this.open.add(process.id);
		}
	}

	/** Whether the children of a node are shown; toggled: ids that differ from the default. */
	isOpen(id, toggled) {
		return this.open.has(id) !== toggled.has(id);
	}

	/** The ids that must be toggled, beside those that are, for a row to be on the sheet. */
	toUnfold(id, toggled) {
		const wanted = new Set(toggled);
		for (let node = this.nodes.get(id)?.parent; node; node = node.parent) {
			if (this.isOpen(node.id, toggled))
				continue;
			if (!wanted.delete(node.id))
				wanted.add(node.id);
		}
		return wanted;
	}
}

/* The row whose picture a node shows: its own; of a folded process its busiest CUDA calls. */
function pictureOf(node, open) {
	if (node.lanes > 0 || open)
		return node;
	const inside = (of) => {
		for (const child of of.children) {
			const found = child.row.kind === 'api' && child.lanes > 0 ? child : inside(child);
			if (found)
				return found;
		}
		return null;
	};
	return inside(node) ?? node;
}

/* Of streams and the row of all of them, one or the other is shown. */
function isMergedAway({row}, merged) {
	if (row.kind === 'merged')
		return !merged.has(row.parent);
	return row.kind === 'stream' && merged.has(row.parent);
}

/* Groups are, and rows with many lanes. */
function isFoldable(node, fewLanes) {
	return node.children.length > 0 || node.lanes > fewLanes;
}

function placed({head, fewLanes}, node, depth, y, open) {
	const shown = pictureOf(node, open);
	const lanes = Math.min(shown === node ? node.lanes : 1, open ? MOST_LANES : fewLanes);
	const laneHeight = kindOf(shown.row.kind).height;
	const bare = node.pair ? DELTA_HEIGHT : HEADING_HEIGHT;
	const height = lanes === 0 ? bare : Math.max(lanes * laneHeight, HEADING_HEIGHT - 8);
	const picture = shown.lanes > 0 ? shown.id : -1;
	return {
		id: node.id, row: node.row, text: node.text, depth, y, height, lanes, laneHeight,
		picture,
		of: shown.row,
		pair: node.pair ?? null,
		drawn: node.pair?.map((id) => computeRow(head, id)) ?? [picture],
		kind: shown.row.kind,
		hiddenLanes: shown === node ? node.lanes - lanes : 0,
		foldable: isFoldable(node, fewLanes),
		open,
		top: isTop(node.row.kind),
		merges: node.children.some(({row}) => row.kind === 'merged'),
	};
}

/**
 * The rows on the sheet for a state (its toggled, pinned, hiddenRows, merged, filter, sides):
 * {pinned, rows, height, pinnedHeight}. Each row: id, row (of the head), depth, y and height in CSS
 * pixels (pinned ones from the top of the pinned part), text (its label), lanes that are drawn and
 * laneHeight, hiddenLanes, picture (the row id whose lanes are drawn, -1 for none), of (that row)
 * and kind (of it), pair (of a strip: the GPUs of A and B), drawn (the rows whose
 * pictures are needed, -1 for none), foldable, open, top (of a GPU, process
 * or group), merges (it has several streams). A filter shows the rows whose label has all its words
 * and what they are under.
 * @param {RowTree} tree
 * @param {Pick<State, 'toggled'|'pinned'|'hiddenRows'|'merged'|'filter'|'sides'>} state
 * @returns {Laid}
 */
export function layRows(tree, state) {
	const merged = new Set([...state.merged].filter((id) =>
		tree.nodes.get(mergedRow(tree.head, id))?.row.kind === 'merged'));
	const words = state.filter.toLowerCase().split(/\s+/).filter((word) => word !== '');
	const fits = (node) => words.every((word) => node.row.label.toLowerCase().includes(word));
	const rows = [];
	let y = 0;
	const add = (node, depth, passed) => {
		if (state.hiddenRows.has(node.id) || isMergedAway(node, merged))
			return;
		const fit = passed || fits(node);
		const isGroup = node.children.length > 0;
		const open = state.sides !== 'delta' && ((isGroup && words.length > 0) ||
			tree.isOpen(node.id, state.toggled));
		const at = rows.length, before = y;
		const self = placed(tree, node, depth, y, open && isFoldable(node, tree.fewLanes));
		rows.push(self);
		y += self.height + ROW_GAP;
		if (open)
			for (const child of node.children)
				add(child, depth + 1, fit);
		if (!fit && rows.length === at + 1) {
			rows.length = at;
			y = before;
		}
	};
	for (const node of tree.roots)
		if (isOnSide(node.row, state.sides))
			add(node, 0, words.length === 0);
	return {rows, height: y, ...pinnedRows(tree, state)};
}

/** @param {Pick<State, 'pinned'|'toggled'>} state */
function pinnedRows(tree, state) {
	const pinned = [];
	let y = 0;
	for (const id of state.pinned) {
		const node = tree.nodes.get(id);
		if (!node)
			continue;
		const self = placed(tree, node, 0, y, false);
		const of = node.parent ? `${node.parent.row.brief} ` : '';
		pinned.push({...self, foldable: false, text: of + self.text});
		y += self.height + ROW_GAP;
	}
	return {pinned, pinnedHeight: y};
}

/** The row of such a list at a height, or null between rows. Logarithmic. */
export function rowAt(rows, y) {
	let low = 0, high = rows.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (rows[middle].y + rows[middle].height <= y)
			low = middle + 1;
		else
			high = middle;
	}
	const row = rows[low];
	return row && row.y <= y ? row : null;
}
