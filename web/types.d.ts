/* SPDX-License-Identifier: MIT */
/*
 * types.d.ts - the shapes of what modules of the page hand to each other, for the checker of types: the head of
 * docs/web.md, the answers of sources as data/source.js describes them, and the page itself.
 */
import type {Pairing} from './compare/pairing.js';
import type {Overview} from './sheet/overview.js';
import type {Lane as BareLane} from './data/lane.js';
import type {MadeTheme} from './sheet/theme.js';
import type {Timeline} from './sheet/timeline.js';
import type {State as Store} from './control/state.js';

/** [begin, end] in ns. */
export type Span = [number, number];

/** A part of the axis: a view, a range. */
export interface Range {
	a: number;
	b: number;
}

export interface Colours {
	light: string;
	dark: string;
}

/** A cause of idle time, a class of a GPU's time, or a category of operations. */
export interface Coloured {
	key: string;
	colour: number;
	glyph?: string;
}

export interface Column {
	key: string;
	title: string;
	type: string;
	unit?: string;
}

export interface Table {
	columns: Column[];
	rows: any[][];
	total?: number;
	truncated?: boolean;
	labels?: (string | null)[];
}

/** Sums by the first column of a table of a source's stats(). */
export interface Sums {
	columns: {key: string}[];
	rows: any[][];
}

/** A section of `warplens diff`. */
export interface CompareTable extends Table {
	name: string;
	title: string;
	total: number;
}

export interface Compare {
	error?: string;
	verdict: string | null;
	line: string;
	why: string;
	extent: string;
	periods: number[][];
	notes: string[];
	tables: CompareTable[];
}

export interface VerbTable extends Table {
	verb: string;
	title: string;
	missing: string | null;
	notes: string[];
	figure: string | null;
}

export interface Headline {
	steps: {
		count: number;
		median: number;
		least: number;
		most: number;
		what: string;
		guess: boolean;
		lengths: [number, number, string][];
		outer?: [number, number, string];
	} | null;
	parts: [string, number, number][];
}

/** The heat map of `warplens ranks --by step`. */
export interface Lateness {
	first: number;
	last: number;
	columns: number;
	perRow: number;
	perColumn: number;
	pace: number;
	inks: number[];
	subjects: [number, number][];
	ns: number[];
	which: number[] | null;
}

export interface CallStacks {
	total: number;
	all: number;
	texts: string[];
	nodes: [number, number, number, number, number][];
}

export interface Trace {
	label: string;
	files: number;
	given?: string[] | null;
	origin: string;
	begin: number;
	end: number;
	window: Span | null;
	facts: [string, string][];
	notes: string[];
	unused?: string[];
	coverage: {[name: string]: {have: number, of: number}};
	work: Span | null;
	collectives: any[];
	headline: Headline | null;
	lateness: Lateness | null;
	tables?: VerbTable[];
	stacks?: {[during: string]: CallStacks} | null;
	whatif?: any[][] | null;
}

/** A row of the head; its id is its index. */
export interface Row {
	parent: number;
	trace: number;
	kind: string;
	label: string;
	brief: string;
	device: number;
	process: number;
	thread: number;
	stream: number;
	events: number;
	busy: number;
	top?: number;
	unit?: string;
}

export interface Process {
	trace: number;
	pid: number;
	rank: number | null;
	name: string;
	anchor: number;
	iterations: Span[];
	kinds: number[];
	changed: number[];
	hosts: Span[];
	marked: number;
	first: number;
	steady: number;
	method: string;
	marker: string | null;
}

export interface Device {
	trace: number;
	label: string;
	process: number;
}

export interface Finding {
	trace: number;
	code: string;
	severity: string;
	claim: string;
	beyond?: string;
	title: string;
	text: string;
	evidence: string;
	lines: [string, string][];
	row: number;
	begin: number | null;
	end: number | null;
	saving: number | null;
	replayed: number | null;
	fixing: string;
	share: number | null;
	saves_share: number | null;
	saves_kind: string;
	/** It is no bound, or its error is a quarter of it or more. */
	saves_about: boolean;
	part: string;
	/** Of that part in the account; 0 where all of the claim lies outside of the steps. */
	part_time: number | null;
}

/** The head of docs/web.md. */
export interface Head {
	format: number;
	program: string;
	traces: Trace[];
	categories: ({key: string} & Colours)[];
	heats: Colours[];
	words: Coloured[];
	causes: Coloured[];
	classes: Coloured[];
	rows: Row[];
	lanes: [number, number][];
	processes: Process[];
	devices: Device[];
	findings: Finding[];
	domains: string[];
	templates: string[];
	labels?: any;
	functions: [string, string][];
	configs: number[][];
	data: {bytes: number, pieces: any[], columns: any[][]} | null;
	pyramid: {columns: number} | null;
	limits: {banner: string | null} | null;
	redacted: boolean;
	compare?: Compare | null;
}

/** Enough of an event to find it again. */
export interface EventRef {
	rowId: number;
	ref: number;
	begin: number;
	end: number;
	name?: string;
	category?: number;
}

/** Names by number, as a source has them all. */
export interface Names {
	count: number;
	text(n: number): string;
	label(n: number): string;
	word(n: number): number;
	category(n: number): number;
}

/** A lane with the columns that only some rows have, and what is kept of them. */
export type Lane = BareLane & {
	launch?: Uint32Array | null;
	match?: Uint32Array | null;
	opener?: Uint32Array | null;
	func?: Uint32Array | null;
	inFunc?: Uint32Array | null;
	targetRow?: Uint32Array | null;
	target?: Uint32Array | null;
	config?: Uint32Array | Uint8Array | null;
	bytes?: Float64Array | null;
	span?: Uint8Array | null;
	parent?: Uint32Array | null;
	row?: Uint32Array;
	part?: Uint32Array;
	index?: Uint32Array;
	parts?: {lane: Lane, row: number}[];
};

/** The answer to events(). */
export interface Events {
	n: number;
	truncated: boolean;
	lane: Uint16Array;
	start: Float64Array;
	dur: Float64Array;
	name: Uint32Array;
	ref: Uint32Array;
	value?: Uint32Array;
	parent?: Uint32Array;
	span?: Uint8Array;
	targetRow?: Uint32Array;
	row?: Uint32Array;
}

/** Those of a kind of rows that have these columns, too. */
export type EventsWith<C extends keyof Events> = Events & Required<Pick<Events, C>>;

export interface Picture {
	cat: Uint8Array;
	share: Uint8Array;
	value?: Uint32Array;
}

/** What is wanted of pictures and events beyond the least. */
export interface Wish {
	by?: string | null;
	lanes?: Map<number, number>;
}

/** The collective of an operation that is matched. */
export interface Collective {
	title: string;
	size: number;
	ranks: number;
	clock: number;
	volume: number;
	bus: number;
	bytes: number;
	members: EventRef[];
}

export interface Link extends EventRef {
	label: string;
}

export interface Details {
	name: string;
	category: number;
	begin: number;
	end: number;
	facts: [string, string][];
	links: Link[];
	usual: {count: number, p50: number} | null;
	collective: Collective | null;
	spread: {rowId: number, begin: number, end: number, count: number}[];
}

/** Limits of a search; null or absent for none. */
export interface Only {
	min?: number | null;
	max?: number | null;
	categories?: number[] | null;
	words?: number[] | null;
	device?: number | null;
	trace?: number | null;
	a?: number | null;
	b?: number | null;
	spans?: (Range | null)[] | null;
	rows?: number[] | null;
	grid?: number[] | null;
	range?: string | null;
}

export interface Hits {
	total: number;
	index: number;
	next: EventRef | null;
	previous: EventRef | null;
	hits: Uint32Array;
}

export interface Found {
	total: number;
	sum: number;
	devices: [number, number, number][];
	steps: [number, number, number, number][];
	lengths: [number, number][];
	list: EventRef[];
}

export type Soon<T> = T | Promise<T>;

/** Where the page gets its data: see data/source.js. */
export interface Source {
	head: Head;
	pictures(rowIds: number[], a: number, b: number, w: number, wish?: Wish): Soon<Map<number, Picture[]>>;
	events(rowId: number, a: number, b: number, max: number, wish?: Wish): Soon<Events>;
	nameText(n: number): string;
	nameLabel(n: number): string;
	nameCategory(n: number): number;
	nameWord(n: number): number;
	details(rowId: number, ref: number, begin?: number): Soon<Details | null>;
	stats(a: number, b: number, rowIds: number[], by: string): Soon<Table>;
	gaps(a: number, b: number, min: number, device: number): Soon<Table>;
	search(query: string, mode: string, after: EventRef | number | null, w: number, only?: Only): Soon<Hits>;
	found(query: string, mode: string, n: number, only?: Only): Soon<Found>;
	exportUrl(format: string, a: number, b: number, trace?: number): string | null;
	onNames?(callback: () => void): void;
	resolution?(rowId: number): number;
	mergeStreams?(gpuRow: number): Soon<number>;
	sums?(a: number, b: number, rowId: number): Soon<Table>;
	stacksIn?(during: string, a: number, b: number, trace: number): Soon<CallStacks>;
	sql?(text: string, trace: number): Soon<Table>;
	shown?(): Promise<any>;
	/** Of two traces: see data/aligned.js. */
	shifts?: number[];
	align?(wanted: Align | null): {align: Align, moved: number[]};
}

/** A source with all events, as lanes, and what modules keep in it: data/embedded.js. */
export interface LaneSource extends Source {
	names: Names;
	lanesOf: Lane[][];
	durations?: Map<string, any>;
	members?: Map<number, any[]>[];
}

/** A source of two traces on one axis: data/aligned.js. */
export interface PairSource extends Source {
	inner: Source;
	pairs: {devices: number[], rows: number[]}[];
}

/** How two traces lie on one axis: see data/align.js. */
export type Align = {mode: 'wall'} | {mode: 'iteration', a: number, b: number} |
	{mode: 'nvtx', a: number, b: number, shifts: number[], name: string};

/** The operations that are looked at: see control/state.js. */
export interface Lit {
	key: string;
	text: string;
	colour: number;
	fits(name: number, category: number): boolean;
}

/** What the user looks at: see control/state.js. */
export type State = Store;

/** What can be done by a key, a button or the palette: see control/actions.js. */
export interface Action {
	id: string;
	title: string;
	keys: string[];
	group: string;
	run(app: App): unknown;
	hold?(app: App, seconds: number): unknown;
	everywhere?: boolean;
	when?(app: App): boolean;
}

/** The drawer and the dialogs: see drawer/panels.js. */
export interface Panels {
	toggle(): void;
	/** A tab by its key; what the page does not have is said. */
	show(tab: string): void;
	/** Brings what is known of the selection to the front, where the drawer is open. */
	reveal(): void;
	help(): void;
	palette(kind?: string): void;
	search(text?: string): void;
	hit(step: 1 | -1): void;
	/** Goes to the first hit from the aligned place on. */
	find(text: string): void;
	compared(name: string): void;
	/** Goes to the next hit. */
	seek(text: string): void;
	finding(number: number): void;
	copy(): void;
	print(): void;
	/** Whether a dialog or the drawer was open. */
	close(): boolean;
}

/** A row that is laid on the sheet: see sheet/rows.js. */
export interface LaidRow {
	id: number;
	row: Row;
	y: number;
	height: number;
	lanes: number;
	laneHeight: number;
	picture: number;
	drawn: number[];
	open: boolean;
	top: boolean;
	pair?: number[];
	[more: string]: any;
}

export interface Laid {
	rows: LaidRow[];
	pinned: LaidRow[];
	height: number;
	pinnedHeight: number;
}

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** What setTimeout() answers; 0 for none. */
export type Timer = ReturnType<typeof setTimeout> | 0;

/** What was made, or what is wrong, for people. */
export type Answer<T> = (T & {error?: undefined}) | ({error: string} & {[K in keyof T]?: undefined});

/** What is typed into the search box: see drawer/query.js. Lengths in ns, both ends count. */
export interface Query {
	text: string;
	mode: string;
	min: number | null;
	max: number | null;
	category: string | null;
	gpu: number | null;
	iterations: [number, number] | null;
	range: string | null;
	stream: number | null;
	grid: number[] | null;
}

/** What a flame view draws: a tree whose children stand side by side. */
export interface FlameLike {
	name: string;
	depth: number;
	total: number;
	children: Map<string, any>;
}

/** A rectangle of a flame view: x and width in shares of the root's time. */
export interface FlameBox<T = FlameLike> {
	node: T;
	x: number;
	width: number;
	path: string[];
}

/** How tables say points in time. */
export interface Clock {
	name(): string;
	text(t: number): string;
	ns(t: number): number | string | bigint;
}

/** The element that el() of base/dom.js makes: its tag is before the first dot. */
export type ElementOf<T extends string> = T extends `${infer Tag}.${string}` ? ElementOf<Tag> :
	T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement;

/** Elements of page.html by id, of which more is asked than of any. */
export interface PageElements {
	'canvas': HTMLCanvasElement;
	'overview-canvas': HTMLCanvasElement;
	'colour': HTMLSelectElement;
	'clock': HTMLSelectElement;
	'row-filter': HTMLInputElement;
	'cover-progress': HTMLProgressElement;
}

/** Colours for the theme that holds: see sheet/theme.js. */
export type Theme = MadeTheme & {[word: string]: any};

/** The page: what main.js puts together. */
export interface App {
	source: Source;
	state: State;
	actions: Action[];
	say(text: string): void;
	setLost(isLost: boolean): void;
	clock: Clock;
	timeline: Timeline;
	overview: Overview;
	panels: Panels;
	compare: Pairing | null;
}
