/* SPDX-License-Identifier: MIT */
#include "derive/use/branches.h"

#include <string.h>

#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { SPAN = 300, N_TRACES = 400 };

struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct mem_scope scope;
	const struct wl_forest *forest;
	struct wl_folds folds;
	struct wl_branch_uses uses;
	bool by_fold;
};

static void world_init(struct world *w)
{
	*w = (struct world){ .by_fold = true };
	mem_init(&w->mem);
	wl_arena_init(&w->arena, 64 << 20);
}

static void world_find(struct world *w)
{
	const struct wl_fold_opts opts = { .by_path = true };
	const struct wl_derived *d = &w->mem.derived;
	struct wl_branch_spec spec;

	w->forest = d->forest;
	assert_non_null(w->forest);
	assert_true(wl_folds_find(d, w->forest, &opts, &w->arena, &w->folds));
	spec = (struct wl_branch_spec){ .forest = w->forest,
					.folds = w->by_fold ? &w->folds : NULL,
					.iterations = d->iterations };
	assert_true(wl_branch_uses_find(d, &w->scope.scope, &spec, &w->arena, &w->uses));
}

static void world_release(struct world *w)
{
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static void put_launch(struct world *w, unsigned corr, wl_ns at, struct mem_op op)
{
	MEM_API(&w->mem, .start = at, .end = at + 1, .corr = corr);
	op.corr = corr;
	mem_op(&w->mem, WL_F_KERNELS, &op);
}

static void put_range(struct world *w, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&w->mem, .start = start, .end = end, .name = name);
}

static size_t fold_called(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->folds.n; i++) {
		if (strcmp(wl_fold_name(&w->folds, i), name) == 0)
			return i;
	}
	fail_msg("no fold %s", name);
	return 0;
}

#define NCCL "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)"

/* Step 0 and 1: a kernel in forward, one in the step itself, a collective half of it hidden. */
static void put_steps(struct world *w)
{
	for (unsigned i = 0; i < 3; i++) {
		wl_ns at = 100 * (wl_ns)i;

		put_range(w, at, at + 90, i == 0 ? "step 0" : i == 1 ? "step 1" : "step 2");
		put_range(w, at + 5, at + 25, "forward");
		put_launch(w, 10 * i + 1, at + 6,
			   (struct mem_op){ .start = at + 10, .end = at + 20 });
		put_launch(w, 10 * i + 2, at + 26,
			   (struct mem_op){ .start = at + 30, .end = at + 40 });
		put_launch(w, 10 * i + 3, at + 8,
			   (struct mem_op){
				   .start = at + 35, .end = at + 45, .stream = 8, .name = NCCL });
	}
	put_launch(w, 99, 95, (struct mem_op){ .start = 96, .end = 98 });
}

TEST(own_work_is_told_from_that_inside)
{
	WITH(struct world, w, world_release, world_init(&w));
	const struct wl_branch_use *step, *forward;

	put_steps(&w);
	w.trace = mem_seal(&w.mem);
	mem_scope_whole(&w.scope, w.trace);
	world_find(&w);
	step = &w.uses.of[fold_called(&w, "step #")];
	forward = &w.uses.of[fold_called(&w, "forward")];
	assert_int_equal(step->gpu.ops, 9);
	assert_int_equal(step->gpu.sum, 90);
	assert_int_equal(step->gpu.busy, 75);
	assert_int_equal(step->own, 30);
	assert_int_equal(step->comm, 30);
	assert_int_equal(step->exposed, 15);
	assert_int_equal(forward->gpu.busy, 60);
	assert_int_equal(forward->own, 60);
	assert_int_equal(forward->exposed, 15);
	assert_int_equal(w.uses.outside.gpu.busy, 2);
	assert_int_equal(w.uses.all.gpu.busy, 77);
	assert_int_equal(w.uses.all.exposed, 15);
}

TEST(iterations_share_out_the_time)
{
	WITH(struct world, w, world_release, world_init(&w));
	size_t forward;

	put_steps(&w);
	w.trace = mem_seal(&w.mem);
	mem_scope_whole(&w.scope, w.trace);
	world_find(&w);
	forward = fold_called(&w, "forward");
	assert_int_equal(w.uses.n_iterations, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w.uses.busy_at[forward * 3 + i], 20);
	mem_scope_window(&w.scope, w.trace, 100, 200);
	world_find(&w);
	assert_int_equal(w.uses.busy_at[forward * 3], 0);
	assert_int_equal(w.uses.busy_at[forward * 3 + 1], 20);
}

/* Ranges that cross, start/end ranges, two threads, two devices, calls in any of them. */
static void put_random(struct world *w, uint64_t *seed)
{
	static const char *const names[] = { "a", "b", "layer 1", "layer 2" };
	unsigned n = 1 + random_below(seed, 25);

	for (unsigned i = random_below(seed, 12); i-- > 0;) {
		wl_ns start = random_between(seed, 0, SPAN - 1);

		MEM_NVTX(&w->mem, .start = start, .end = random_between(seed, start, SPAN),
			 .tid = random_below(seed, 2),
			 .kind = random_below(seed, 4) ? WL_NVTX_PUSH_POP : WL_NVTX_START_END,
			 .name = names[random_below(seed, 4)]);
	}
	put_range(w, 0, 1, "a");
	for (unsigned i = 1; i <= n; i++) {
		wl_ns at = random_between(seed, 0, SPAN - 2);
		wl_ns start = random_between(seed, 0, SPAN - 1);

		MEM_API(&w->mem, .start = at, .end = at + random_below(seed, 3),
			.tid = random_below(seed, 2), .corr = i);
		MEM_OP(&w->mem, WL_F_KERNELS, .start = start,
		       .end = random_between(seed, start, SPAN), .device = random_below(seed, 2),
		       .stream = 7 + random_below(seed, 2), .corr = random_below(seed, n + 3),
		       .name = random_below(seed, 2) ? NCCL : "gemm");
	}
}

/* Whether the call was made in the branch; *ret_own: in no range inside it. */
static bool is_in(const struct world *w, uint32_t call, size_t branch, bool *ret_own)
{
	const struct wl_forest *f = w->forest;
	const struct wl_trace *t = w->trace;
	wl_ns from, to;

	*ret_own = false;
	if (call == WL_NONE)
		return false;
	from = wl_api_start(t)[call];
	to = from + wl_api_dur(t)[call];
	for (uint32_t i = (uint32_t)f->n; i-- > 0;) {
		*ret_own = i == f->of_call[call];
		if (branch == (w->by_fold ? w->folds.of_node[i] : i) &&
		    wl_nvtx_thread(t)[f->row[i]] == wl_api_thread(t)[call] && f->start[i] <= from &&
		    f->end[i] >= to)
			return true;
	}
	*ret_own = true;
	for (size_t i = 0; i < f->n_spans; i++) {
		uint32_t row = f->span[i];
		wl_ns start = wl_nvtx_start(t)[row];

		if (branch == (w->by_fold ? w->folds.of_span[i] : f->n + i) &&
		    wl_nvtx_thread(t)[row] == wl_api_thread(t)[call] && start <= from &&
		    start + wl_nvtx_dur(t)[row] >= to && wl_span_is_on_one_thread(t, row))
			return true;
	}
	return false;
}

/* Nanosecond by nanosecond. */
static struct wl_branch_use expected(struct world *w, size_t branch)
{
	const struct wl_links *links = w->mem.derived.links;
	const struct wl_classes *classes = w->mem.derived.classes;
	struct wl_ops ops = wl_trace_ops(w->trace, WL_F_KERNELS);
	struct wl_branch_use u = { .own = 0 };

	for (uint32_t d = 0; d < w->trace->n_devices; d++) {
		bool busy[SPAN] = { false }, own[SPAN] = { false }, comm[SPAN] = { false };
		bool compute[SPAN] = { false };

		for (size_t row = 0; row < ops.n; row++) {
			bool is_comm = wl_class_of(w->trace, classes, WL_F_KERNELS, row) == WL_COMM;
			wl_ns start = ops.start[row], end = start + ops.dur[row];
			bool is_own, in = is_in(w, links->of[WL_OP_KERNEL][row], branch, &is_own);

			if (w->trace->places[ops.place[row]].device != d)
				continue;
			for (wl_ns i = start; i < end; i++)
				compute[i] = compute[i] || !is_comm;
			if (!in || !wl_op_clip(w->trace, &w->scope.scope, &ops, row, &start, &end))
				continue;
			u.gpu.ops++;
			u.gpu.sum += end - start;
			for (wl_ns i = start; i < end; i++) {
				busy[i] = true;
				own[i] = own[i] || is_own;
				comm[i] = comm[i] || is_comm;
			}
		}
		for (size_t i = 0; i < SPAN; i++) {
			u.gpu.busy += busy[i];
			u.own += own[i];
			u.comm += comm[i];
			u.exposed += comm[i] && !compute[i];
		}
	}
	return u;
}

TEST(random_traces_agree_with_the_definition)
{
	uint64_t seed = 5;

	for (unsigned n = 0; n < N_TRACES; n++) {
		struct world w;

		world_init(&w);
		put_random(&w, &seed);
		w.trace = mem_seal(&w.mem);
		w.by_fold = n % 2;
		if (n % 3)
			mem_scope_whole(&w.scope, w.trace);
		else
			mem_scope_window(&w.scope, w.trace, 40, 200);
		world_find(&w);
		for (size_t i = 0; i < w.uses.n; i++) {
			struct wl_branch_use want = expected(&w, i);

			assert_memory_equal(&w.uses.of[i], &want, sizeof(want));
		}
		world_release(&w);
	}
}

/* The figures that both have are the same, also where the forest has spans. */
TEST(busy_time_is_that_of_range_use)
{
	uint64_t seed = 77;

	for (unsigned n = 0; n < N_TRACES; n++) {
		struct wl_range_uses ranges;
		struct world w;

		world_init(&w);
		put_random(&w, &seed);
		w.trace = mem_seal(&w.mem);
		mem_scope_whole(&w.scope, w.trace);
		world_find(&w);
		assert_true(wl_range_uses_find(&w.mem.derived, &w.scope.scope, w.forest, &w.folds,
					       &w.arena, &ranges));
		for (size_t i = 0; i < w.uses.n; i++)
			assert_memory_equal(&w.uses.of[i].gpu, &ranges.of[i].gpu,
					    sizeof(struct wl_gpu_use));
		world_release(&w);
	}
}
