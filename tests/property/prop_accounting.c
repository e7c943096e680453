/* SPDX-License-Identifier: MIT */
/*
 * The sweep against its definition, on random traces: every boundary between two
 * operations is collected, and for each elementary segment all operations are asked
 * whether they are under way. Parts add up to the window, and tiles to the whole.
 */
#include "derive/kinds/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { N_TRACES = 1000, MAX_OPS = 60, MAX_TIMES = 2 * MAX_OPS + 16 };

/* One operation, as a scan of the trace finds it. */
struct op {
	wl_ns start, end;
	uint32_t device, place;
	unsigned mask;
	bool is_graph;
};

struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_classes classes;
	struct mem_scope scope;
	struct op op[MAX_OPS];
	size_t n_ops;
};

/* On few and on many moments, with lengths from none to beyond 32 bits. */
static struct mem_op random_op(uint64_t *seed, wl_ns span)
{
	static const char *const names[] = { "gemm", "void at::native::reduce_kernel<1>(int)",
					     "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)",
					     "void vllm::cross_device_reduce_1stage<half>(int)" };
	static const uint8_t kinds[] = { WL_COPY_H2D, WL_COPY_D2D, WL_COPY_P2P };
	wl_ns start = random_between(seed, -span, span);
	wl_ns length = random_below(seed, 5) ? random_between(seed, 0, 1 + span / 8)
					     : random_between(seed, 0, 2 * span);

	return (struct mem_op){ .start = start,
				.end = random_below(seed, 8) ? start + length : start,
				.pid = 100 + random_below(seed, 2),
				.device = random_below(seed, 2),
				.stream = 7 + random_below(seed, 3),
				.corr = random_below(seed, 10),
				.name = names[random_below(seed, 4)],
				.kind = kinds[random_below(seed, 3)] };
}

/* Calls 1 to 9, some of them inside an NCCL range: copies that these launched communicate. */
static void put_host(struct world *w, uint64_t *seed)
{
	for (unsigned pid = 100; pid < 102; pid++) {
		mem_nvtx(&w->mem,
			 &(struct mem_range){ .start = 0, .end = 50, .pid = pid, .name = "ncclX" });
		for (unsigned corr = 1; corr < 10; corr++) {
			wl_ns at = random_below(seed, 100);

			mem_api(&w->mem,
				&(struct mem_call){
					.start = at, .end = at + 1, .pid = pid, .corr = corr });
		}
	}
}

static void note_ops(struct world *w)
{
	const struct wl_trace *t = w->trace;

	w->n_ops = 0;
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);

		for (size_t i = 0; i < ops.n; i++) {
			bool is_kernel = wl_op_families[f] == WL_F_KERNELS;

			w->op[w->n_ops++] = (struct op){
				.start = ops.start[i],
				.end = ops.start[i] + wl_dur(ops.family, ops.dur, i),
				.device = t->places[ops.place[i]].device,
				.place = ops.place[i],
				.mask = 1U << wl_class_of(t, &w->classes, wl_op_families[f], i) |
					(is_kernel ? WL_ON_KERNEL : 0),
				.is_graph = wl_op_families[f] == WL_F_GRAPHS,
			};
		}
	}
}

static void make_world(struct world *w, uint64_t *seed)
{
	static const wl_ns spans[] = { 5, 100, 1000000, (wl_ns)1 << 40 };
	wl_ns span = spans[random_below(seed, 4)];

	mem_init(&w->mem);
	put_host(w, seed);
	for (uint32_t n = 1 + random_below(seed, MAX_OPS); n > 0; n--) {
		struct mem_op op = random_op(seed, span);

		/* Kernels, and the others in turn; not every trace has replays. */
		mem_op(&w->mem, wl_op_families[random_below(seed, 2) ? 0 : random_below(seed, 4)],
		       &op);
	}
	w->trace = mem_seal(&w->mem);
	wl_arena_init(&w->arena, 1 << 20);
	assert_true(wl_classes_find(&w->mem.derived, &w->arena, &w->classes));
	note_ops(w);
	mem_scope_whole(&w->scope, w->trace);
}

static void release_world(struct world *w)
{
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static int by_time(const void *va, const void *vb)
{
	const wl_ns *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Everything that is under way at every moment of [begin, end), between two boundaries. */
static unsigned mask_of(const struct world *w, uint32_t device, wl_ns begin, wl_ns end)
{
	unsigned mask = 0;

	for (size_t i = 0; i < w->n_ops; i++) {
		const struct op *o = &w->op[i];

		if (o->device == device && w->scope.place_on[o->place] && o->start <= begin &&
		    o->end >= end)
			mask |= o->mask;
	}
	return mask;
}

/* The boundaries inside the window, and its ends, ascending. */
static size_t boundaries(const struct world *w, struct wl_interval window, wl_ns *out)
{
	size_t n = 0;

	out[n++] = window.begin;
	out[n++] = window.end;
	for (size_t i = 0; i < w->n_ops; i++) {
		if (w->op[i].start > window.begin && w->op[i].start < window.end)
			out[n++] = w->op[i].start;
		if (w->op[i].end > window.begin && w->op[i].end < window.end)
			out[n++] = w->op[i].end;
	}
	qsort(out, n, sizeof(*out), by_time);
	return n;
}

static void slow_usage(const struct world *w, uint32_t device, struct wl_usage *ret)
{
	struct wl_interval window = w->scope.device[device];
	wl_ns at[MAX_TIMES];
	size_t n = boundaries(w, window, at);

	*ret = (struct wl_usage){ .n_ops = 0 };
	for (size_t i = 1; i < n; i++) {
		if (at[i] > at[i - 1])
			ret->ns[mask_of(w, device, at[i - 1], at[i])] += at[i] - at[i - 1];
	}
	for (size_t i = 0; i < w->n_ops; i++) {
		const struct op *o = &w->op[i];
		bool inside = o->start == o->end
				      ? o->start >= window.begin && o->start < window.end
				      : window.begin < window.end && o->start < window.end &&
						o->end > window.begin;

		if (o->device != device || !w->scope.place_on[o->place] ||
		    (!w->scope.scope.whole && !inside))
			continue;
		ret->n_ops++;
		ret->n_graphs += o->is_graph;
		ret->n_comm += (o->mask & WL_ON_COMM) && (o->mask & WL_ON_KERNEL);
	}
}

static void expect_usage(const struct wl_usage *got, const struct wl_usage *want)
{
	assert_memory_equal(got->ns, want->ns, sizeof(got->ns));
	assert_int_equal(got->n_ops, want->n_ops);
	assert_int_equal(got->n_graphs, want->n_graphs);
	assert_int_equal(got->n_comm, want->n_comm);
}

/* compute + exposed communication + exposed copies + idle is the window. */
static void expect_identity(const struct wl_usage *u, struct wl_interval window)
{
	wl_ns compute = wl_usage_any(u, WL_ON_COMPUTE);
	wl_ns comm = wl_usage_without(u, WL_ON_COMM, WL_ON_COMPUTE);
	wl_ns copy = wl_usage_without(u, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM);

	assert_int_equal(compute + comm + copy + u->ns[0], window.end - window.begin);
}

/* Some window, some streams: often with edges where operations begin and end. */
static void random_scope(struct world *w, uint64_t *seed)
{
	wl_ns span = w->scope.device[0].end - w->scope.device[0].begin + 2;
	wl_ns from = w->scope.device[0].begin - 1, edge[2];

	if (random_below(seed, 4) == 0) {
		mem_scope_whole(&w->scope, w->trace);
	} else {
		for (size_t i = 0; i < 2; i++) {
			const struct op *o = &w->op[random_below(seed, (uint32_t)w->n_ops)];

			edge[i] = random_below(seed, 2)   ? random_between(seed, from, from + span)
				  : random_below(seed, 2) ? o->start
							  : o->end;
		}
		mem_scope_window(&w->scope, w->trace, edge[0] < edge[1] ? edge[0] : edge[1],
				 edge[0] < edge[1] ? edge[1] : edge[0]);
	}
	for (size_t i = 0; i < w->trace->n_places && random_below(seed, 2); i++)
		w->scope.place_on[i] = random_below(seed, 4) != 0;
}

static struct wl_activity look_at(struct world *w, uint32_t device)
{
	struct wl_activity activity;

	assert_true(wl_activity_of_device(w->trace, &w->scope.scope, &w->classes, device, &w->arena,
					  &activity));
	return activity;
}

static void sweep(struct world *w, uint32_t device, struct wl_usage *ret)
{
	const struct wl_activity activity = look_at(w, device);

	wl_sweep_usage(w->trace, &w->scope.scope, &w->classes, &activity, ret);
}

static void usage_equals_a_scan_of_every_segment(void **state)
{
	uint64_t seed = 1;
	size_t n_devices = 0, n_comm_copies = 0;

	(void)state;
	for (int i = 0; i < random_cases(N_TRACES); i++) {
		static struct world w;

		make_world(&w, &seed);
		n_devices = w.trace->n_devices > n_devices ? w.trace->n_devices : n_devices;
		for (size_t k = 0; w.classes.copy_is_comm && k < w.trace->family[WL_F_MEMCPYS].n;
		     k++)
			n_comm_copies += w.classes.copy_is_comm[k];
		for (int round = 0; round < 3; round++) {
			for (uint32_t d = 0; d < w.trace->n_devices; d++) {
				struct wl_usage got, want;

				sweep(&w, d, &got);
				slow_usage(&w, d, &want);
				expect_usage(&got, &want);
				expect_identity(&got, w.scope.device[d]);
			}
			random_scope(&w, &seed);
		}
		release_world(&w);
	}
	assert_int_equal(n_devices, 4);                /* the generator reaches */
	assert_in_range(n_comm_copies, 100, SIZE_MAX); /* what it is made for */
}

static void tiles_add_up_to_the_whole_for_every_mask(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < random_cases(N_TRACES); i++) {
		static struct world w;
		struct wl_interval whole;
		wl_ns cut[8];

		make_world(&w, &seed);
		whole = w.scope.device[0];
		for (size_t c = 0; c < 8; c++)
			cut[c] = random_between(&seed, whole.begin, whole.end);
		cut[0] = whole.begin;
		cut[7] = whole.end;
		qsort(cut, 8, sizeof(*cut), by_time);
		for (uint32_t d = 0; d < w.trace->n_devices; d++) {
			struct wl_usage all, tile;

			mem_scope_whole(&w.scope, w.trace);
			sweep(&w, d, &all);
			for (size_t c = 1; c < 8; c++) {
				mem_scope_window(&w.scope, w.trace, cut[c - 1], cut[c]);
				sweep(&w, d, &tile);
				for (size_t mask = 0; mask < WL_N_MASKS; mask++)
					all.ns[mask] -= tile.ns[mask];
			}
			for (size_t mask = 0; mask < WL_N_MASKS; mask++)
				assert_int_equal(all.ns[mask], 0);
		}
		release_world(&w);
	}
}

static wl_ns slow_covered(const struct world *w, uint32_t device, unsigned wanted, wl_ns time)
{
	struct wl_interval window = w->scope.device[device];
	wl_ns at[MAX_TIMES], sum = 0;
	size_t n;

	window.end = time < window.end ? time : window.end;
	if (window.end <= window.begin)
		return 0;
	n = boundaries(w, window, at);
	for (size_t i = 1; i < n; i++) {
		if (mask_of(w, device, at[i - 1], at[i]) & wanted)
			sum += at[i] - at[i - 1];
	}
	return sum;
}

static void covered_time_equals_a_scan_up_to_each_moment(void **state)
{
	enum { N = 12 };
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < random_cases(N_TRACES); i++) {
		static struct world w;
		wl_ns time[N], got[N];

		make_world(&w, &seed);
		random_scope(&w, &seed);
		for (uint32_t d = 0; d < w.trace->n_devices; d++) {
			unsigned wanted = 1 + random_below(&seed, WL_N_MASKS - 1);
			struct wl_activity activity;

			for (size_t k = 0; k < N; k++) {
				const struct op *o = &w.op[random_below(&seed, (uint32_t)w.n_ops)];

				time[k] =
					(k % 2 ? o->start : o->end) + random_between(&seed, -1, 1);
			}
			qsort(time, N, sizeof(*time), by_time);
			memset(got, 0xff, sizeof(got));
			activity = look_at(&w, d);
			wl_sweep_covered(&activity, w.scope.device[d], wanted, time, N, got);
			for (size_t k = 0; k < N; k++)
				assert_int_equal(got[k], slow_covered(&w, d, wanted, time[k]));
		}
		release_world(&w);
	}
}

TEST_MAIN(accounting)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage_equals_a_scan_of_every_segment),
		cmocka_unit_test(tiles_add_up_to_the_whole_for_every_mask),
		cmocka_unit_test(covered_time_equals_a_scan_up_to_each_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
