/* SPDX-License-Identifier: MIT */
/*
 * chains.c - converts the rows of call chains to stacks. A million samples have tens of millions of
 * frames, nearly all seen before. Memos of frames by their cells, and of stacks by caller and
 * frames, save most rows a lookup in a table that exceeds the cache. Most of a chain is code that
 * many chains share, so frames are looked up several at a time.
 */
#include "read/chains.h"
#include "base/memory/compare.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_BITS = 16, STACK_BITS = 18, BLOCK_BITS = 14, BLOCK = 8 };

struct frame_slot {
	int64_t symbol, module;
	uint32_t frame;
	uint8_t special, used;
};

struct stack_slot {
	struct wl_stack stack;
	uint32_t number; /* plus 1; 0 marks a free slot */
};

/* A run of nested stacks, found by caller and frames from the outermost inwards. */
struct block_slot {
	uint32_t caller;
	uint32_t frame[BLOCK];
	uint32_t number; /* of the innermost, plus 1; 0 marks a free slot */
};

/* A frame of the chain being read. */
struct link {
	int64_t depth;
	uint32_t frame;
};

/* A row of a table whose chains are scattered. */
struct late_row {
	int64_t chain;
	struct link link;
	uint32_t row;
};

struct reading {
	struct wl_build *build;
	const struct wl_strings_map *strings;
	struct wl_raw_map *chains;
	int id, symbol, module, depth, special;
	size_t n_columns;
	bool is_open; /* a chain is being read */
	bool sorted;  /* its frames arrived innermost first */
	bool failed;
	bool scattered; /* the rows of a chain are not contiguous, or too many and unsorted */
	bool is_late;   /* rows are kept, to be sorted */
	int64_t chain;
	size_t n;
	struct wl_vec late; /* struct late_row */
	struct link link[WL_CHAIN_FRAMES];
	uint32_t path[WL_CHAIN_FRAMES]; /* its frames, outermost first */
	struct frame_slot frames[1 << FRAME_BITS];
	struct stack_slot stacks[1 << STACK_BITS];
	struct block_slot blocks[1 << BLOCK_BITS];
};

static size_t slot_of(uint64_t a, uint64_t b, unsigned bits)
{
	/* Odd constants without a pattern: the fractions of the golden ratio and of its square
	 * root. */
	uint64_t sum = a * UINT64_C(0x9e3779b97f4a7c15) + b * UINT64_C(0xd6e8feb86659fd93);

	return (size_t)((sum ^ sum >> 32) * UINT64_C(0xff51afd7ed558ccd) >> (64 - bits));
}

/* "0x7cfa652fc0ca" */
static bool is_address(const char *text)
{
	return text[0] == '0' && text[1] == 'x' && text[2] &&
	       text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] == '\0';
}

/* The last part of a path such as "/usr/lib/libc.so.6": it is what users see, and equal on every
 * machine. */
static uint32_t file_name(struct reading *r, uint32_t module)
{
	struct wl_string_pool *strings = &r->build->strings;
	const char *path = module == WL_NONE ? "" : wl_string_get(strings, module);
	const char *slash = strrchr(path, '/');
	size_t n = slash ? strlen(slash + 1) : 0;
	char name[256]; /* the longest name that file systems allow */

	if (n == 0 || n >= sizeof(name))
		return module;
	/* The pool may move when it adds one of its own strings. */
	memcpy(name, slash + 1, n);
	module = wl_string_put(strings, name, n);
	r->failed |= module == WL_NONE;
	return module;
}

static uint32_t make_frame(struct reading *r, const struct frame_slot *cells)
{
	struct wl_stack_frame f = { .symbol = wl_strings_map_get(r->strings, cells->symbol),
				    .module = wl_strings_map_get(r->strings, cells->module),
				    .kind = WL_FRAME_FUNCTION };
	const char *text = f.symbol == WL_NONE ? NULL : wl_string_get(&r->build->strings, f.symbol);
	bool is_named = text && *text && !is_address(text);
	uint32_t number;

	/* Not every version sets the flag; such an entry is also recognised by being its own
	 * module. */
	if (cells->special || (text && text[0] == '[' && f.symbol == f.module)) {
		f.kind = WL_FRAME_NOTE;
	} else {
		f.module = file_name(r, f.module);
		if (!is_named)
			f = (struct wl_stack_frame){ WL_NONE, f.module, WL_FRAME_ADDRESS };
	}
	number = wl_intern_put(&r->build->frames, &f);
	r->failed |= number == WL_NONE;
	return number;
}

static uint32_t frame_of(struct reading *r, const struct wl_batch *batch, size_t row)
{
	struct frame_slot cells = { .symbol = wl_cell_int(batch, r->symbol, row, -1),
				    .module = wl_cell_int(batch, r->module, row, -1),
				    .special = wl_cell_int(batch, r->special, row, 0) != 0,
				    .used = 1 };
	struct frame_slot *slot =
		&r->frames[slot_of((uint64_t)cells.symbol, (uint64_t)cells.module, FRAME_BITS)];

	if (!slot->used || slot->symbol != cells.symbol || slot->module != cells.module ||
	    slot->special != cells.special) {
		cells.frame = make_frame(r, &cells);
		*slot = cells;
	}
	return slot->frame;
}

static uint32_t stack_of(struct reading *r, uint32_t caller, uint32_t frame)
{
	const struct wl_stack stack = { caller, frame };
	struct stack_slot *slot = &r->stacks[slot_of(caller, frame, STACK_BITS)];

	if (!slot->number || slot->stack.caller != caller || slot->stack.frame != frame) {
		uint32_t number = wl_intern_put(&r->build->stacks, &stack);

		r->failed |= number == WL_NONE;
		*slot = (struct stack_slot){ stack, number + 1 };
	}
	return slot->number - 1;
}

static uint32_t block_of(struct reading *r, uint32_t caller, const uint32_t frame[BLOCK])
{
	uint64_t pair[BLOCK / 2], sum = caller;
	struct block_slot *slot;
	uint32_t stack = caller;

	memcpy(pair, frame, sizeof(pair));
	for (size_t i = 0; i < WL_COUNT(pair); i++)
		sum = (sum ^ pair[i]) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 29);
	slot = &r->blocks[slot_of(sum, caller, BLOCK_BITS)];
	if (slot->number && slot->caller == caller && memcmp(slot->frame, frame, sizeof(pair)) == 0)
		return slot->number - 1;
	for (size_t i = 0; i < BLOCK; i++)
		stack = stack_of(r, stack, frame[i]);
	*slot = (struct block_slot){ .caller = caller, .number = stack + 1 };
	memcpy(slot->frame, frame, sizeof(pair));
	return stack;
}

WL_COMPARE_BY(by_depth, link, depth)

static bool is_unnamed(const struct reading *r, uint32_t frame)
{
	const struct wl_stack_frame *frames = r->build->frames.items.data;

	return frames[frame].kind == WL_FRAME_ADDRESS;
}

/* The chain is complete: turn it into a stack, from the outermost frame inwards. */
static void close_chain(struct reading *r)
{
	uint32_t stack = WL_NONE, last = WL_NONE;
	size_t n = 0, i = 0;

	if (!r->is_open || r->failed)
		return;
	if (!r->sorted)
		qsort(r->link, r->n, sizeof(r->link[0]), by_depth);
	for (size_t k = r->n; k-- > 0;) {
		uint32_t frame = r->link[k].frame;

		if (frame == last && is_unnamed(r, frame))
			continue;
		r->path[n++] = frame;
		last = frame;
	}
	for (; i + BLOCK <= n; i += BLOCK)
		stack = block_of(r, stack, r->path + i);
	for (; i < n; i++)
		stack = stack_of(r, stack, r->path[i]);
	wl_raw_map_put(r->chains, r->chain, stack);
	r->is_open = false;
}

static void add_frame(struct reading *r, int64_t chain, struct link link)
{
	bool in_order;

	if (!r->is_open || chain != r->chain) {
		close_chain(r);
		r->is_open = r->sorted = true;
		r->chain = chain;
		r->n = 0;
	}
	in_order = r->n == 0 || r->link[r->n - 1].depth < link.depth;
	r->sorted = r->sorted && (in_order || r->is_late);
	if (r->n < WL_CHAIN_FRAMES)
		r->link[r->n++] = link;
	else if (!r->sorted)
		r->scattered = true;
}

static void take_row(struct reading *r, const struct wl_batch *batch, size_t row)
{
	struct late_row late = { .chain = wl_cell_int(batch, r->id, row, 0),
				 .link.depth = wl_cell_int(batch, r->depth, row, 0),
				 .row = (uint32_t)r->late.n };

	if (!wl_cell_is_set(batch, r->id, row))
		return;
	late.link.frame = frame_of(r, batch, row);
	if (r->is_late)
		wl_vec_push(&r->late, &late);
	else
		add_frame(r, late.chain, late.link);
}

static int no_memory(const struct reading *r, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its call stacks", r->build->path);
}

static int take_rows(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct reading *r = ctx;

	for (size_t i = 0; i < batch->n && !r->failed; i++)
		take_row(r, batch, i);
	r->build->n_mistyped += wl_batch_mistyped(batch, r->n_columns);
	if (r->failed || r->late.failed || r->chains->raw.failed || r->chains->id.failed)
		return no_memory(r, reterr);
	return WL_OK;
}

static const char *table_of(enum wl_family_id family)
{
	return family == WL_F_SAMPLES ? "SAMPLING_CALLCHAINS"
	       : family == WL_F_OSRT  ? "OSRT_CALLCHAINS"
				      : "CUDA_CALLCHAINS";
}

bool wl_chains_reads(const char *table)
{
	return strcmp(table, table_of(WL_F_SAMPLES)) == 0 ||
	       strcmp(table, table_of(WL_F_OSRT)) == 0 || strcmp(table, table_of(WL_F_API)) == 0;
}

static void ask(struct reading *r, struct wl_probe_scan *query, const struct wl_probe *probe)
{
	r->id = wl_probe_scan_ask(query, probe, "id", WL_WANT_INT);
	r->symbol = wl_probe_scan_ask(query, probe, "symbol", WL_WANT_INT);
	r->module = wl_probe_scan_ask(query, probe, "module", WL_WANT_INT);
	r->depth = wl_probe_scan_ask(query, probe, "stackDepth", WL_WANT_INT);
	r->special = wl_probe_scan_ask(query, probe, "specialEntry", WL_WANT_INT);
	r->n_columns = query->scan.n_columns;
}

static int run_scan(struct reading *r, const struct wl_probe_scan *query,
		    const struct wl_probe *probe, struct wl_err *reterr)
{
	int result = wl_probe_scan_run(query, probe, take_rows, r, reterr);

	if (result == WL_E_RETRY) {
		wl_raw_map_clear(r->chains);
		r->is_open = false;
		r->late.n = 0;
		result = wl_probe_scan_run(query, probe, take_rows, r, reterr);
	}
	close_chain(r);
	return result;
}

/* Whether more rows of a chain came after it was closed. */
static bool has_twice(const struct wl_raw_map *sealed)
{
	const int64_t *raw = sealed->raw.data;

	for (size_t i = 1; !sealed->ascending && i < sealed->raw.n; i++) {
		if (raw[i] == raw[i - 1])
			return true;
	}
	return false;
}

static int by_chain(const void *va, const void *vb)
{
	const struct late_row *a = va, *b = vb;

	if (a->chain != b->chain)
		return a->chain > b->chain ? 1 : -1;
	if (a->link.depth != b->link.depth)
		return a->link.depth > b->link.depth ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* nsys writes chains one after the other. For other files, all rows are kept and sorted. */
static int read_scattered(struct reading *r, const struct wl_probe_scan *query,
			  const struct wl_probe *probe, struct wl_err *reterr)
{
	const struct late_row *late;
	int result;

	wl_raw_map_clear(r->chains);
	r->is_late = true;
	result = run_scan(r, query, probe, reterr);
	if (result < 0)
		return result;
	if (r->late.n)
		qsort(r->late.data, r->late.n, sizeof(struct late_row), by_chain);
	late = r->late.data;
	for (size_t i = 0; i < r->late.n && !r->failed; i++)
		add_frame(r, late[i].chain, late[i].link);
	close_chain(r);
	return WL_OK;
}

static int read_chains(struct reading *r, const struct wl_probe *probe, enum wl_family_id family,
		       struct wl_err *reterr)
{
	struct wl_probe_scan query;
	int result;

	wl_probe_scan_init(&query, probe, table_of(family));
	ask(r, &query, probe);
	if (query.table == WL_NONE || r->id < 0)
		return WL_OK;
	result = run_scan(r, &query, probe, reterr);
	if (result < 0)
		return result;
	if (r->failed || !wl_raw_map_seal(r->chains))
		return no_memory(r, reterr);
	if (!r->scattered && !has_twice(r->chains))
		return WL_OK;
	result = read_scattered(r, &query, probe, reterr);
	if (result < 0)
		return result;
	return !r->failed && wl_raw_map_seal(r->chains) ? WL_OK : no_memory(r, reterr);
}

/* The numbers by which calls refer to their chains. */
struct named_chains {
	int at; /* of the query */
	size_t n, n_zero;
	int64_t most;
};

static int take_numbers(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct named_chains *n = ctx;

	(void)reterr;
	for (size_t i = 0; i < batch->n; i++) {
		int64_t chain = wl_cell_int(batch, n->at, i, -1);

		n->n += chain >= 0;
		n->n_zero += chain == 0;
		n->most = chain > n->most ? chain : n->most;
	}
	return WL_OK;
}

/*
 * In exports of schema 2.9.1 calls count their chains from 0, and the table of chains from 1: 38
 * calls with 0 to 37, 38 chains with 1 to 38, and each call's function is in the chain with the
 * next number. Newer exports count both from 1, and calls without a stack have no number or 0. The
 * rule is therefore: as many calls as chains, one call has number 0, and the last chain has no
 * call.
 */
static int align_with_calls(struct reading *r, const struct wl_probe *probe, struct wl_err *reterr)
{
	struct named_chains named = { .most = -1 };
	int64_t *raw = r->chains->raw.data;
	size_t n = r->chains->raw.n;
	struct wl_probe_scan query;
	int result;

	if (n == 0 || raw[0] != 1)
		return WL_OK;
	wl_probe_scan_init(&query, probe, "CUPTI_ACTIVITY_KIND_RUNTIME");
	named.at = wl_probe_scan_ask(&query, probe, "callchainId", WL_WANT_INT);
	if (query.table == WL_NONE || named.at < 0)
		return WL_OK;
	result = wl_probe_scan_run(&query, probe, take_numbers, &named, reterr);
	if (result == WL_E_RETRY) {
		named = (struct named_chains){ .at = named.at, .most = -1 };
		result = wl_probe_scan_run(&query, probe, take_numbers, &named, reterr);
	}
	if (result < 0 || named.n != n || named.n_zero != 1 || named.most + 1 != raw[n - 1])
		return result;
	for (size_t i = 0; i < n; i++)
		raw[i]--;
	return WL_OK;
}

int wl_chains_load(struct wl_probe *probe, enum wl_family_id family,
		   const struct wl_strings_map *strings, struct wl_raw_map *ret_chains,
		   struct wl_err *reterr)
{
	struct reading *r = calloc(1, sizeof(*r));
	int result;

	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its call stacks",
			       probe->build->path);
	r->build = probe->build;
	r->strings = strings;
	r->chains = ret_chains;
	wl_vec_init(&r->late, sizeof(struct late_row), probe->build->budget);
	result = read_chains(r, probe, family, reterr);
	if (result == WL_OK && family == WL_F_API)
		result = align_with_calls(r, probe, reterr);
	wl_vec_release(&r->late);
	free(r);
	return result;
}
