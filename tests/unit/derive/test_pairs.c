/* SPDX-License-Identifier: MIT */
#include "derive/comm/pairs.h"

#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { SPAN = 64, N_ROUNDS = 2000 };

static const char *const names[] = { "gemm", "ncclDevKernel_AllReduce_x",
				     "ncclDevKernel_AllGather_x", "nvshmem_x" };

static void put_some(struct mem *m, uint64_t *seed)
{
	MEM_OP(m, WL_F_KERNELS, .start = 1, .end = 2, .name = "gemm");
	for (uint32_t n = random_below(seed, 20); n > 0; n--) {
		wl_ns start = random_below(seed, SPAN / 2);

		MEM_OP(m, wl_op_families[random_below(seed, 2) ? 0 : random_below(seed, 4)],
		       .start = start, .end = start + random_below(seed, SPAN / 4),
		       .device = random_below(seed, 4) == 0, .stream = 7 + random_below(seed, 2),
		       .name = names[random_below(seed, 4)]);
	}
}

/* Which sets are under way at each nanosecond, by asking every operation. */
static void mark(const struct wl_trace *t, const struct mem_scope *s, const struct wl_classes *c,
		 const struct wl_collectives *k, unsigned *mask)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(t, 0, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		enum wl_class class = wl_class_of(t, c, op.family, op.row);
		unsigned bits = 1U << class;

		if (!s->place_on[op.place] || !wl_clip(&s->scope, s->device[0], &op.start, &op.end))
			continue;
		if (class == WL_COMM)
			bits |= 1U << (WL_N_CLASSES + wl_collective_of(t, k, op.family, op.row));
		for (wl_ns at = op.start; at < op.end; at++)
			mask[at] |= bits;
	}
}

TEST(pairs_are_what_each_nanosecond_says)
{
	uint64_t seed = 5;

	for (int round = 0; round < N_ROUNDS; round++) {
		const struct wl_classes *classes;
		const struct wl_collectives *collectives;
		const struct wl_trace *t;
		unsigned mask[SPAN] = { 0 };
		struct mem_scope scope;
		struct wl_arena arena;
		struct wl_pairs p;
		struct mem m;

		mem_init(&m);
		put_some(&m, &seed);
		t = mem_seal(&m);
		wl_arena_init(&arena, 1 << 20);
		classes = m.derived.classes;
		collectives = m.derived.collectives;
		assert_non_null(collectives);
		mem_scope_whole(&scope, t);
		if (random_below(&seed, 2))
			mem_scope_window(&scope, t, random_below(&seed, 10),
					 10 + random_below(&seed, 40));
		assert_true(wl_pairs_find(&m.derived, &scope.scope, 0, &arena, &p));
		mark(t, &scope, classes, collectives, mask);
		for (unsigned a = 0; a < WL_N_SETS; a++) {
			for (unsigned b = 0; b < WL_N_SETS; b++) {
				wl_ns want = 0;

				for (size_t at = 0; at < SPAN; at++)
					want += mask[at] >> a & mask[at] >> b & 1;
				assert_int_equal(p.ns[a][b], want);
			}
		}
		wl_arena_release(&arena);
		mem_release(&m);
	}
}

TEST(operations_without_length_are_counted)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct mem_scope scope;
	const struct wl_trace *t;
	struct wl_arena arena;
	struct wl_pairs p;

	MEM_OP(&m, WL_F_KERNELS, .start = 5, .end = 5, .name = names[1]);
	MEM_OP(&m, WL_F_GRAPHS, .start = 5, .end = 9);
	t = mem_seal(&m);
	wl_arena_init(&arena, 1 << 20);
	mem_scope_whole(&scope, t);
	assert_true(wl_pairs_find(&m.derived, &scope.scope, 0, &arena, &p));
	assert_int_equal(p.n_ops[WL_COMM], 1);
	assert_int_equal(p.n_ops[WL_N_CLASSES + WL_ALL_REDUCE], 1);
	assert_int_equal(p.ns[WL_COMM][WL_COMM], 0);
	assert_int_equal(p.n_comm_kernels, 1);
	assert_int_equal(p.n_graphs, 1);
	wl_arena_release(&arena);
}
