/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposure.h"

#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

/* Every nanosecond is asked one by one. */
enum { SPAN = 64, N_GROUPS = 3, MAX_OPS = 24, MAX_TILES = 12 };

struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_classes classes;
	struct wl_activity all; /* of device 0 */
	struct mem_scope scope;
	struct wl_op op[MAX_OPS]; /* of device 0, as the scope admits them */
	enum wl_class class[MAX_OPS];
	size_t n_ops;
	bool is[WL_N_CLASSES][SPAN]; /* the class is under way */
};

static void note_ops(struct world *w)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	w->n_ops = 0;
	wl_ops_begin(w->trace, 0, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		enum wl_class class = wl_class_of(w->trace, &w->classes, op.family, op.row);

		if (!w->scope.place_on[op.place] ||
		    !wl_clip(&w->scope.scope, w->scope.device[0], &op.start, &op.end))
			continue;
		for (wl_ns t = op.start; t < op.end; t++)
			w->is[class][t] = true;
		w->class[w->n_ops] = class;
		w->op[w->n_ops++] = op;
	}
}

static void make_world(struct world *w, uint64_t *seed)
{
	*w = (struct world){ .n_ops = 0 };
	mem_init(&w->mem);
	MEM_OP(&w->mem, WL_F_KERNELS, .start = 1, .end = 2, .name = "gemm");
	for (uint32_t n = random_below(seed, MAX_OPS - 1); n > 0; n--) {
		wl_ns start = random_below(seed, SPAN / 2);

		MEM_OP(&w->mem, wl_op_families[random_below(seed, 2) ? 0 : random_below(seed, 4)],
		       .start = start,
		       .end = start + random_below(seed, random_below(seed, 4) ? 8 : SPAN / 2),
		       .device = random_below(seed, 4) == 0,
		       .stream = 7 + random_below(seed, N_GROUPS),
		       .name = random_below(seed, 2) ? "gemm" : "ncclDevKernel_X");
	}
	w->trace = mem_seal(&w->mem);
	wl_arena_init(&w->arena, 1 << 20);
	assert_true(wl_classes_find(&w->mem.derived, &w->arena, &w->classes));
	assert_true(wl_activity_of_device(w->trace, NULL, &w->classes, 0, &w->arena, &w->all));
	mem_scope_whole(&w->scope, w->trace);
	if (random_below(seed, 2))
		mem_scope_window(&w->scope, w->trace, random_below(seed, 10),
				 10 + random_below(seed, SPAN - 10));
	note_ops(w);
}

static void release_world(struct world *w)
{
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static uint32_t group_in(const struct world *w, const struct wl_op *op)
{
	return w->trace->places[op->place].stream - 7;
}

static uint32_t group_of(void *ctx, const struct wl_op *op)
{
	return group_in(ctx, op);
}

static void add_parts(struct wl_comm_parts *p, const struct world *w, const struct wl_op *op,
		      wl_ns begin, wl_ns end)
{
	wl_ns length = 0, exposed = 0;
	double overlap;

	for (wl_ns t = op->start > begin ? op->start : begin; t < op->end && t < end; t++) {
		length++;
		exposed += !w->is[WL_COMPUTE][t];
	}
	if (length == 0)
		return;
	overlap = (double)(length - exposed) / (double)length;
	p->sum += length;
	p->exposed_sum += exposed;
	p->overlap_min = !p->has_overlap || overlap < p->overlap_min ? overlap : p->overlap_min;
	p->overlap_max = !p->has_overlap || overlap > p->overlap_max ? overlap : p->overlap_max;
	p->has_overlap = true;
}

static void expect_parts(const struct wl_comm_parts *got, const struct wl_comm_parts *want)
{
	assert_int_equal(got->sum, want->sum);
	assert_int_equal(got->exposed_sum, want->exposed_sum);
	assert_int_equal(got->has_overlap, want->has_overlap);
	assert_true(got->overlap_min == want->overlap_min);
	assert_true(got->overlap_max == want->overlap_max);
}

/* One group, or all operations. */
static void expect_exposure(const struct world *w, const struct wl_exposure *got, uint32_t group)
{
	struct wl_exposure want = { .n_ops = 0 };
	bool own[WL_N_CLASSES][SPAN] = { { false } };

	for (size_t i = 0; i < w->n_ops; i++) {
		if (group != WL_NONE && group_in(w, &w->op[i]) != group)
			continue;
		want.n_ops++;
		want.n_graphs += w->op[i].family == WL_F_GRAPHS;
		want.n_comm += w->class[i] == WL_COMM;
		want.n_comm_kernels += w->class[i] == WL_COMM && w->op[i].family == WL_F_KERNELS;
		for (wl_ns t = w->op[i].start; t < w->op[i].end; t++)
			own[w->class[i]][t] = true;
		if (w->class[i] == WL_COMM)
			add_parts(&want.parts, w, &w->op[i], 0, SPAN);
	}
	for (size_t t = 0; t < SPAN; t++) {
		want.compute += own[WL_COMPUTE][t];
		want.comm += own[WL_COMM][t];
		want.copy += own[WL_COPY][t];
		want.exposed += own[WL_COMM][t] && !w->is[WL_COMPUTE][t];
		want.exposed_copy += own[WL_COPY][t] && !w->is[WL_COMPUTE][t] && !w->is[WL_COMM][t];
	}
	assert_int_equal(got->n_ops, want.n_ops);
	assert_int_equal(got->n_graphs, want.n_graphs);
	assert_int_equal(got->n_comm, want.n_comm);
	assert_int_equal(got->n_comm_kernels, want.n_comm_kernels);
	assert_int_equal(got->compute, want.compute);
	assert_int_equal(got->comm, want.comm);
	assert_int_equal(got->copy, want.copy);
	assert_int_equal(got->exposed, want.exposed);
	assert_int_equal(got->exposed_copy, want.exposed_copy);
	expect_parts(&got->parts, &want.parts);
}

TEST(groups_are_what_each_nanosecond_says)
{
	uint64_t seed = 11;

	for (int round = 0; round < 3000; round++) {
		struct wl_exposures e;
		struct world w;

		make_world(&w, &seed);
		assert_true(wl_exposure_find(w.trace, &w.scope.scope, &w.classes, &w.all, group_of,
					     &w, &w.arena, &e));
		assert_true(e.n <= N_GROUPS);
		for (uint32_t g = 0; g < e.n; g++)
			expect_exposure(&w, &e.group[g], g);
		expect_exposure(&w, &e.device, WL_NONE);
		release_world(&w);
	}
}

/* Given as intervals in any order, communication of a device has the same parts. */
TEST(lists_are_what_each_nanosecond_says)
{
	uint64_t seed = 13;

	for (int round = 0; round < 3000; round++) {
		struct wl_interval list[MAX_OPS];
		const struct wl_interval *sorted;
		struct wl_exposure got, want = { .n_ops = 0 };
		struct wl_intervals compute;
		struct world w;
		size_t n = 0;

		make_world(&w, &seed);
		for (size_t i = w.n_ops; i > 0; i--) {
			if (w.class[i - 1] != WL_COMM)
				continue;
			list[n++] = (struct wl_interval){ w.op[i - 1].start, w.op[i - 1].end };
			add_parts(&want.parts, &w, &w.op[i - 1], 0, SPAN);
		}
		for (size_t t = 0; t < SPAN; t++) {
			want.comm += w.is[WL_COMM][t];
			want.exposed += w.is[WL_COMM][t] && !w.is[WL_COMPUTE][t];
		}
		assert_true(wl_activity_intervals(&w.all, WL_ON_COMPUTE, NULL, &w.arena, &compute));
		sorted = wl_intervals_sort(list, n, &w.arena);
		assert_non_null(sorted);
		wl_exposure_of_comm(&compute, sorted, n, &got);
		assert_int_equal(got.n_comm, n);
		assert_int_equal(got.comm, want.comm);
		assert_int_equal(got.exposed, want.exposed);
		expect_parts(&got.parts, &want.parts);
		release_world(&w);
	}
}

TEST(tiles_are_what_each_nanosecond_says)
{
	uint64_t seed = 12;

	for (int round = 0; round < 3000; round++) {
		struct wl_interval tiles[MAX_TILES];
		struct wl_comm_parts got[MAX_TILES];
		struct wl_intervals compute;
		struct world w;
		size_t n = 1 + random_below(&seed, MAX_TILES);
		wl_ns at = random_below(&seed, 6);

		make_world(&w, &seed);
		for (size_t i = 0; i < n; i++) {
			tiles[i].begin = at + (random_below(&seed, 4) ? 0 : 2);
			at = tiles[i].end = tiles[i].begin + random_below(&seed, 8);
		}
		assert_true(wl_activity_intervals(&w.all, WL_ON_COMPUTE, &w.scope.device[0],
						  &w.arena, &compute));
		assert_true(wl_exposure_tiles(w.trace, &w.scope.scope, &w.classes, 0, &compute,
					      tiles, n, &w.arena, got));
		for (size_t i = 0; i < n; i++) {
			struct wl_comm_parts want = { .sum = 0 };

			for (size_t k = 0; k < w.n_ops; k++) {
				if (w.class[k] == WL_COMM)
					add_parts(&want, &w, &w.op[k], tiles[i].begin,
						  tiles[i].end);
			}
			expect_parts(&got[i], &want);
		}
		release_world(&w);
	}
}

static uint32_t fail_group(void *ctx, const struct wl_op *op)
{
	(void)ctx;
	(void)op;
	return WL_GROUP_FAIL;
}

static uint32_t no_group(void *ctx, const struct wl_op *op)
{
	(void)ctx;
	(void)op;
	return WL_NO_GROUP;
}

TEST(groups_may_be_absent_or_fail)
{
	struct wl_exposures e;
	uint64_t seed = 1;
	struct world w;

	make_world(&w, &seed);
	assert_true(wl_exposure_find(w.trace, &w.scope.scope, &w.classes, &w.all, no_group, NULL,
				     &w.arena, &e));
	assert_int_equal(e.n, 0);
	expect_exposure(&w, &e.device, WL_NONE);
	assert_false(wl_exposure_find(w.trace, &w.scope.scope, &w.classes, &w.all, fail_group, NULL,
				      &w.arena, &e));
	release_world(&w);
}

/* Sums of lengths that nobody has measured stop instead of running over. */
TEST(sums_stop_at_the_largest_number)
{
	struct wl_comm_parts a = { .sum = INT64_MAX - 1, .exposed_sum = 5 };
	const struct wl_comm_parts b = { .sum = 7,
					 .exposed_sum = 6,
					 .overlap_min = 0.25,
					 .overlap_max = 0.5,
					 .has_overlap = true };

	wl_comm_parts_join(&a, &b);
	assert_int_equal(a.sum, INT64_MAX);
	assert_int_equal(a.exposed_sum, 11);
	assert_true(a.has_overlap && a.overlap_min == 0.25 && a.overlap_max == 0.5);
}

/* Of two parts the extremes are those of either, whichever comes first. */
TEST(extremes_of_parts_join)
{
	const struct wl_comm_parts narrow = { .overlap_min = 0.25,
					      .overlap_max = 0.5,
					      .has_overlap = true };
	const struct wl_comm_parts wide = { .overlap_min = 0.125,
					    .overlap_max = 1,
					    .has_overlap = true };
	const struct wl_comm_parts none = { .has_overlap = false };
	struct wl_comm_parts a = narrow, b = wide;

	wl_comm_parts_join(&a, &wide);
	wl_comm_parts_join(&b, &narrow);
	wl_comm_parts_join(&b, &none);
	assert_true(a.has_overlap && a.overlap_min == 0.125 && a.overlap_max == 1);
	assert_true(b.has_overlap && b.overlap_min == 0.125 && b.overlap_max == 1);
}
