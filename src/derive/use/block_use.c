/* SPDX-License-Identifier: MIT */
#include "derive/use/block_use.h"

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"

const enum wl_column_id wl_block_columns[] = { WL_BLOCKS_START, WL_BLOCKS_END,   WL_BLOCKS_PLACE,
					       WL_BLOCKS_CORR,  WL_BLOCKS_NODE,  WL_BLOCKS_SM,
					       WL_WARPS_START,  WL_WARPS_END,    WL_WARPS_PLACE,
					       WL_WARPS_CORR,   WL_WARPS_NODE,   WL_WARPS_SM,
					       WL_WARPS_BLOCK,  WL_KERNELS_CORR, WL_KERNELS_NODE,
					       WL_N_COLUMNS };

/* Whose blocks: kernels that share one differ in time. No padding. */
struct key {
	uint32_t process, corr, node;
};

/* A kernel whose key some block has. */
struct kernel {
	uint32_t key;
	bool is_on;
	wl_ns start;
	size_t row;
};

/* A block, or a warp. */
struct piece {
	wl_ns start, end;
	uint32_t kernel; /* of the finder's; before that its key */
	uint32_t sm;
	uint64_t block; /* of warps */
};

struct finder {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	struct wl_arena *arena;
	struct wl_intern keys;
	struct kernel *kernel; /* by key, then start */
	size_t n_kernels;
};

/* The columns of a family of pieces. */
struct source {
	enum wl_family_id family;
	const wl_ns *start, *end;
	const uint32_t *place, *corr, *sm;
	const uint64_t *node, *block;
};

static uint32_t low(uint64_t node)
{
	return node == WL_NO_U64 ? 0 : (uint32_t)node;
}

/* Rows with both times; false without memory. */
static bool list_pieces(struct finder *f, const struct source *s, struct piece **ret, size_t *ret_n)
{
	size_t rows = s->start && s->end ? f->trace->family[s->family].n : 0, n = 0;
	struct piece *piece = WL_NEW(f->arena, struct piece, rows);

	for (size_t i = 0; piece && i < rows; i++) {
		const struct key key = { f->trace->places[s->place[i]].process, s->corr[i],
					 low(s->node[i]) };
		uint32_t number;

		if (s->start[i] == WL_NO_TIME || s->end[i] == WL_NO_TIME)
			continue;
		number = wl_intern_put(&f->keys, &key);
		if (number == WL_NONE)
			return false;
		piece[n++] =
			(struct piece){ .start = s->start[i],
					.end = s->end[i] > s->start[i] ? s->end[i] : s->start[i],
					.kernel = number,
					.sm = s->sm[i],
					.block = s->block ? s->block[i] : 0 };
	}
	*ret = piece;
	*ret_n = n;
	return piece != NULL;
}

static uint32_t key_of_kernel(const struct finder *f, const struct wl_ops *ops, size_t row)
{
	const struct key key = { f->trace->places[ops->place[row]].process,
				 wl_kernels_corr(f->trace)[row],
				 low(wl_kernels_node(f->trace)[row]) };

	return wl_intern_find(&f->keys, &key);
}

static bool kernel_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct kernel *k = ctx;

	if (k[a].key != k[b].key)
		return k[a].key < k[b].key;
	return k[a].start < k[b].start;
}

/* Kernels that blocks are of, in order; false without memory. */
static bool list_kernels(struct finder *f)
{
	const struct wl_ops ops = wl_trace_ops(f->trace, WL_F_KERNELS);
	struct kernel *found;
	uint32_t *order;
	size_t n = 0;

	for (size_t i = 0; f->keys.items.n && i < ops.n; i++)
		n += key_of_kernel(f, &ops, i) != WL_NONE;
	found = WL_NEW(f->arena, struct kernel, n);
	f->kernel = WL_NEW(f->arena, struct kernel, n);
	order = WL_NEW(f->arena, uint32_t, 2 * n);
	if (!found || !f->kernel || !order)
		return false;
	for (size_t i = 0; n && i < ops.n; i++) {
		uint32_t key = key_of_kernel(f, &ops, i);
		wl_ns start, end;

		if (key == WL_NONE)
			continue;
		order[f->n_kernels] = (uint32_t)f->n_kernels;
		found[f->n_kernels++] =
			(struct kernel){ key, wl_op_clip(f->trace, f->scope, &ops, i, &start, &end),
					 ops.start[i], i };
	}
	wl_sort_index(order, n, order + n, kernel_less, found);
	for (size_t i = 0; i < n; i++)
		f->kernel[i] = found[order[i]];
	return true;
}

struct wanted {
	const struct kernel *kernel;
	uint32_t key;
	wl_ns start;
};

static bool is_at_or_before(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return w->kernel[i].key < w->key ||
	       (w->kernel[i].key == w->key && w->kernel[i].start <= w->start);
}

/* The last kernel of the key that starts at or before the piece, else the first; WL_NONE. */
static uint32_t kernel_of(const struct finder *f, const struct piece *p)
{
	const struct wanted w = { f->kernel, p->kernel, p->start };
	size_t i = wl_lower_bound(f->n_kernels, is_at_or_before, &w);

	if (i > 0 && f->kernel[i - 1].key == p->kernel)
		return (uint32_t)i - 1;
	return i < f->n_kernels && f->kernel[i].key == p->kernel ? (uint32_t)i : WL_NONE;
}

/* Keep the pieces of kernels that count; those of no kernel at all are foreign. */
static size_t keep_pieces(const struct finder *f, struct piece *piece, size_t n,
			  struct wl_block_runs *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t kernel = kernel_of(f, &piece[i]);

		ret->n_blocks++;
		ret->n_foreign += kernel == WL_NONE;
		if (kernel == WL_NONE || !f->kernel[kernel].is_on)
			continue;
		piece[kept] = piece[i];
		piece[kept++].kernel = kernel;
	}
	return kept;
}

static bool by_sm(const void *ctx, uint32_t a, uint32_t b)
{
	const struct piece *p = ctx;

	if (p[a].kernel != p[b].kernel)
		return p[a].kernel < p[b].kernel;
	if (p[a].sm != p[b].sm)
		return p[a].sm < p[b].sm;
	return p[a].start < p[b].start;
}

static bool by_block(const void *ctx, uint32_t a, uint32_t b)
{
	const struct piece *p = ctx;

	if (p[a].kernel != p[b].kernel)
		return p[a].kernel < p[b].kernel;
	if (p[a].block != p[b].block)
		return p[a].block < p[b].block;
	if (p[a].start != p[b].start)
		return p[a].start < p[b].start;
	return p[a].sm < p[b].sm;
}

/* In the order of less; NULL without memory. */
static struct piece *sorted(const struct finder *f, const struct piece *piece, size_t n,
			    wl_less *less)
{
	struct piece *out = WL_NEW(f->arena, struct piece, n);
	uint32_t *order = WL_NEW(f->arena, uint32_t, 2 * n);

	if (!out || !order)
		return NULL;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	wl_sort_index(order, n, order + n, less, piece);
	for (size_t i = 0; i < n; i++)
		out[i] = piece[order[i]];
	return out;
}

/* The blocks that warps make, at the begin of the same array; warps are by block. */
static size_t fold_warps(struct piece *warp, size_t n, struct wl_block_use *use)
{
	size_t n_blocks = 0;

	for (size_t i = 0, end; i < n; i = end) {
		struct piece block = warp[i];
		wl_ns longest = 0;

		for (end = i;
		     end < n && warp[end].kernel == block.kernel && warp[end].block == block.block;
		     end++) {
			wl_ns len = warp[end].end - warp[end].start;

			longest = len > longest ? len : longest;
			block.end = warp[end].end > block.end ? warp[end].end : block.end;
			use[block.kernel].warp_sum += (double)len;
		}
		use[block.kernel].warps += (int64_t)(end - i);
		use[block.kernel].warp_most += (double)longest * (double)(end - i);
		warp[n_blocks++] = block;
	}
	return n_blocks;
}

/* One multiprocessor's blocks of a kernel: time with any, and the end of the last. */
struct sm_time {
	wl_ns busy, end;
};

static struct sm_time sm_time(const struct piece *p, size_t n)
{
	struct sm_time t = { 0, p[0].start };

	for (size_t i = 0; i < n; i++) {
		wl_ns from = p[i].start > t.end ? p[i].start : t.end;

		if (p[i].end > from)
			t.busy += p[i].end - from;
		t.end = p[i].end > t.end ? p[i].end : t.end;
	}
	return t;
}

static size_t same_sm(const struct piece *p, size_t n)
{
	size_t i = 1;

	while (i < n && p[i].sm == p[0].sm)
		i++;
	return i;
}

/* The blocks of one kernel, by multiprocessor. */
static void measure(const struct piece *p, size_t n, struct wl_block_use *u)
{
	wl_ns begin = p[0].start, end = p[0].end, first_done = INT64_MAX, most = 0;
	double ends = 0;

	for (size_t i = 0, k; i < n; i += k) {
		struct sm_time t;

		k = same_sm(p + i, n - i);
		t = sm_time(p + i, k);
		begin = p[i].start < begin ? p[i].start : begin;
		end = t.end > end ? t.end : end;
		first_done = t.end < first_done ? t.end : first_done;
		most = t.busy > most ? t.busy : most;
		u->sm_busy += (double)t.busy;
		u->sms++;
		ends += (double)(t.end - p[0].start);
	}
	for (size_t i = 0; i < n; i++) {
		wl_ns len = p[i].end - p[i].start;

		u->block_sum = wl_add_up(u->block_sum, len);
		u->block_max = len > u->block_max ? len : u->block_max;
	}
	u->runs = 1;
	u->blocks = (int64_t)n;
	u->span = end - begin;
	u->tail = end - first_done;
	u->sm_span = (double)u->span * u->sms;
	u->sm_idle_tail = (double)(end - p[0].start) * u->sms - ends;
	u->sm_busy_most = (double)most * u->sms;
}

static void measure_all(const struct piece *p, size_t n, struct wl_block_use *use, bool only_new)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && p[end].kernel == p[i].kernel;)
			end++;
		if (!only_new || !use[p[i].kernel].runs)
			measure(p + i, end - i, &use[p[i].kernel]);
	}
}

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct kernel *k = ctx;

	return k[a].row < k[b].row;
}

/* Those that have any, in order of rows; false without memory. */
static bool list_runs(const struct finder *f, const struct wl_block_use *use,
		      struct wl_block_runs *ret)
{
	uint32_t *order = WL_NEW(f->arena, uint32_t, 2 * f->n_kernels);
	size_t n = 0;

	ret->run = WL_NEW(f->arena, struct wl_block_run, f->n_kernels);
	if (!order || !ret->run)
		return false;
	for (uint32_t i = 0; i < f->n_kernels; i++) {
		if (use[i].runs)
			order[n++] = i;
	}
	wl_sort_index(order, n, order + n, row_less, f->kernel);
	for (size_t i = 0; i < n; i++)
		ret->run[i] = (struct wl_block_run){ f->kernel[order[i]].row, use[order[i]] };
	ret->n = n;
	return true;
}

static bool find(struct finder *f, struct wl_block_runs *ret)
{
	const struct wl_trace *t = f->trace;
	const struct source blocks = { WL_F_BLOCKS,       wl_blocks_start(t),
				       wl_blocks_end(t),  wl_blocks_place(t),
				       wl_blocks_corr(t), wl_blocks_sm(t),
				       wl_blocks_node(t), NULL };
	const struct source warps = { WL_F_WARPS,        wl_warps_start(t), wl_warps_end(t),
				      wl_warps_place(t), wl_warps_corr(t),  wl_warps_sm(t),
				      wl_warps_node(t),  wl_warps_block(t) };
	struct piece *block, *warp;
	struct wl_block_use *use;
	size_t n_blocks, n_warps;

	if (!list_pieces(f, &blocks, &block, &n_blocks) ||
	    !list_pieces(f, &warps, &warp, &n_warps) || !list_kernels(f))
		return false;
	n_blocks = keep_pieces(f, block, n_blocks, ret);
	n_warps = keep_pieces(f, warp, n_warps, ret);
	use = WL_NEW(f->arena, struct wl_block_use, f->n_kernels);
	block = sorted(f, block, n_blocks, by_sm);
	warp = sorted(f, warp, n_warps, by_block);
	if (!use || !block || !warp)
		return false;
	measure_all(block, n_blocks, use, false);
	n_warps = fold_warps(warp, n_warps, use);
	warp = sorted(f, warp, n_warps, by_sm);
	if (!warp)
		return false;
	measure_all(warp, n_warps, use, true);
	return list_runs(f, use, ret);
}

bool wl_block_runs_find(const struct wl_trace *trace, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_block_runs *ret)
{
	struct finder f = { .trace = trace, .scope = scope, .arena = arena };
	bool ok;

	*ret = (struct wl_block_runs){ .n = 0 };
	wl_intern_init(&f.keys, sizeof(struct key), wl_arena_budget(arena));
	ok = find(&f, ret);
	wl_intern_release(&f.keys);
	return ok;
}

void wl_block_use_add(struct wl_block_use *to, const struct wl_block_use *use)
{
	to->runs += use->runs;
	to->blocks += use->blocks;
	to->sms = use->sms > to->sms ? use->sms : to->sms;
	to->span = wl_add_up(to->span, use->span);
	to->tail = wl_add_up(to->tail, use->tail);
	to->block_sum = wl_add_up(to->block_sum, use->block_sum);
	to->block_max = use->block_max > to->block_max ? use->block_max : to->block_max;
	to->sm_span += use->sm_span;
	to->sm_idle_tail += use->sm_idle_tail;
	to->sm_busy += use->sm_busy;
	to->sm_busy_most += use->sm_busy_most;
	to->warps += use->warps;
	to->warp_sum += use->warp_sum;
	to->warp_most += use->warp_most;
}
