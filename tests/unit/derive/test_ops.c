/* SPDX-License-Identifier: MIT */
#include "derive/rows/ops.h"

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

/* Whether a must come before b: by start, then kind, then row. */
static bool comes_before(const struct wl_op *a, const struct wl_op *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return a->kind != b->kind ? a->kind < b->kind : a->row < b->row;
}

static void put_some(struct mem *m, uint64_t *seed)
{
	for (uint32_t n = random_below(seed, 30); n > 0; n--) {
		wl_ns start = random_between(seed, -5, 5);

		MEM_OP(m, wl_op_families[random_below(seed, WL_N_OP_FAMILIES)], .start = start,
		       .end = start +
			      (random_below(seed, 5) ? random_below(seed, 4) : (wl_ns)1 << 40),
		       .device = random_below(seed, 3), .stream = 7 + random_below(seed, 2));
	}
	MEM_OP(m, WL_F_KERNELS, .start = 0, .end = 1);
}

TEST(every_operation_of_the_device_comes_once_and_in_order)
{
	uint64_t seed = 3;

	for (int round = 0; round < 2000; round++) {
		const struct wl_trace *t;
		struct mem m;
		size_t n_seen = 0, n_all = 0;

		mem_init(&m);
		put_some(&m, &seed);
		t = mem_seal(&m);
		for (size_t f = 0; f < WL_N_OP_FAMILIES; f++)
			n_all += t->family[wl_op_families[f]].n;
		for (uint32_t d = 0; d < t->n_devices; d++) {
			struct wl_op_cursor cursor;
			struct wl_op op, last;

			wl_ops_begin(t, d, &cursor);
			for (size_t k = 0; wl_ops_next(&cursor, &op); k++, n_seen++) {
				struct wl_ops ops = wl_trace_ops(t, op.family);

				assert_int_equal(op.family, wl_op_families[op.kind]);
				assert_true(k == 0 || comes_before(&last, &op));
				assert_int_equal(t->places[op.place].device, d);
				assert_int_equal(op.place, ops.place[op.row]);
				assert_int_equal(op.start, ops.start[op.row]);
				assert_int_equal(op.end - op.start,
						 wl_dur(ops.family, ops.dur, op.row));
				last = op;
			}
			assert_false(wl_ops_next(&cursor, &op));
		}
		assert_int_equal(n_seen, n_all);
		mem_release(&m);
	}
}

TEST(operations_have_names)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	MEM_OP(&m, WL_F_KERNELS, .name = "void f<1>(int)", .brief = "f");
	MEM_OP(&m, WL_F_MEMCPYS, .kind = WL_COPY_H2D);
	MEM_OP(&m, WL_F_MEMSETS, .end = 1);
	MEM_OP(&m, WL_F_GRAPHS, .end = 1);
	t = mem_seal(&m);
	assert_string_equal(wl_op_name(t, WL_F_KERNELS, 0), "void f<1>(int)");
	assert_string_equal(wl_op_name(t, WL_F_MEMCPYS, 0), "[CUDA memcpy HtoD]");
	assert_string_equal(wl_op_name(t, WL_F_MEMSETS, 0), "[CUDA memset]");
	assert_string_equal(wl_op_name(t, WL_F_GRAPHS, 0), "(graph)");
}
