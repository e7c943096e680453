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

		mem_op(m, wl_op_families[random_below(seed, WL_N_OP_FAMILIES)],
		       &(struct mem_op){ .start = start,
					 .end = start + (random_below(seed, 5)
								 ? random_below(seed, 4)
								 : (wl_ns)1 << 40),
					 .device = random_below(seed, 3),
					 .stream = 7 + random_below(seed, 2) });
	}
	mem_op(m, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 1 });
}

static void every_operation_of_the_device_comes_once_and_in_order(void **state)
{
	uint64_t seed = 3;

	(void)state;
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

static void operations_have_names(void **state)
{
	const struct wl_trace *t;
	struct mem m;

	(void)state;
	mem_init(&m);
	mem_op(&m, WL_F_KERNELS, &(struct mem_op){ .name = "void f<1>(int)", .brief = "f" });
	mem_op(&m, WL_F_MEMCPYS, &(struct mem_op){ .kind = WL_COPY_H2D });
	mem_op(&m, WL_F_MEMSETS, &(struct mem_op){ .end = 1 });
	mem_op(&m, WL_F_GRAPHS, &(struct mem_op){ .end = 1 });
	t = mem_seal(&m);
	assert_string_equal(wl_op_name(t, WL_F_KERNELS, 0), "void f<1>(int)");
	assert_string_equal(wl_op_name(t, WL_F_MEMCPYS, 0), "[CUDA memcpy HtoD]");
	assert_string_equal(wl_op_name(t, WL_F_MEMSETS, 0), "[CUDA memset]");
	assert_string_equal(wl_op_name(t, WL_F_GRAPHS, 0), "(graph)");
	mem_release(&m);
}

TEST_MAIN(ops)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_of_the_device_comes_once_and_in_order),
		cmocka_unit_test(operations_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
