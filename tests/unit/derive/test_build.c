/* SPDX-License-Identifier: MIT */
#include "model/build.h"

#include <string.h>

#include "base/attr.h"
#include "support/mem.h"
#include "support/unit.h"

/* A build in which something ran out of memory unnoticed must not be published. */
static void expect_refused(struct wl_vec *v, struct wl_build *b)
{
	struct wl_err err = { .code = WL_OK };

	v->failed = true;
	assert_true(wl_build_failed(b));
	assert_int_equal(wl_build_finish(b, &err), WL_E_NOMEM);
	assert_non_null(strstr(err.msg, "no memory"));
	v->failed = false;
	assert_false(wl_build_failed(b));
	assert_int_equal(wl_build_finish(b, &err), WL_OK);
}

TEST(whatever_fails_is_noticed)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_build *b = &m.build;
	struct wl_vec *const others[] = { &b->place_used,
					  &b->gpus,
					  &b->cuda_devices,
					  &b->process_names,
					  &b->thread_names,
					  &b->mpi_ranks,
					  &b->meta,
					  &b->source_columns,
					  &b->processes,
					  &b->devices,
					  &b->places,
					  &b->threads,
					  &b->place_keys.items,
					  &b->thread_keys.items,
					  &b->kernel_names.items,
					  &b->configs.items,
					  &b->frames.items,
					  &b->stacks.items };

	MEM_OP(&m, WL_F_KERNELS, .end = 1);
	MEM_OP(&m, WL_F_KERNELS, .start = -1, .end = 1);
	MEM_API(&m, .end = 1);
	(void)mem_seal(&m);
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		expect_refused(&b->column[c], b);
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		expect_refused(&b->family[f].long_row, b);
		expect_refused(&b->family[f].long_dur, b);
	}
	for (size_t i = 0; i < WL_COUNT(others); i++)
		expect_refused(others[i], b);
	b->strings.failed = true;
	assert_int_equal(wl_build_finish(b, NULL), WL_E_NOMEM);
}

TEST(everything_is_charged_and_given_back)
{
	struct mem m;

	mem_init(&m);
	for (unsigned i = 0; i < 100; i++) {
		MEM_OP(&m, WL_F_KERNELS, .start = -(wl_ns)i, .end = (wl_ns)1 << 40,
		       .stream = i + 1);
		MEM_API(&m, .start = -(wl_ns)i, .end = 1, .tid = i);
		MEM_NVTX(&m, .end = 1, .name = i ? "x" : "rank=3");
	}
	mem_message(&m, 2, "said");
	mem_table(&m, "T", 1, "c");
	(void)mem_seal(&m);
	assert_true(m.build.budget->used > 0);
	mem_release(&m);
	assert_int_equal(m.build.budget->used, 0);
}

TEST(of_two_names_the_later_counts_wherever_it_stands)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	(void)mem_thread(&m, 100, 1);
	wl_vec_push(&m.build.process_names,
		    &(struct wl_label){ .key = 100, .value = mem_string(&m, "late"), .seq = 2 });
	wl_vec_push(&m.build.process_names,
		    &(struct wl_label){ .key = 100, .value = mem_string(&m, "early"), .seq = 1 });
	t = mem_seal(&m);
	assert_string_equal(wl_str(t, t->processes[0].name), "late");
}
