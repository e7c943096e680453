/* SPDX-License-Identifier: MIT */
#include "derive/kinds/capture_modes.h"

#include "support/mem.h"
#include "support/unit.h"

static void message(struct mem *m)
{
	mem_message(m, 1, "Process was launched.");
	mem_message(m, 2,
		    "CUDA hardware tracing is not supported on this system. A legacy (software "
		    "instrumented) trace was collected instead.");
}

TEST(what_nothing_says_is_unknown)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	MEM_OP(&m, WL_F_KERNELS, .start = 0, .end = 1);
	t = mem_seal(&m);
	assert_null(wl_capture_graphs(t));
	assert_null(wl_capture_tracing(t));
}

TEST(rows_tell_how_graphs_were_recorded)
{
	for (unsigned i = 1; i < 4; i++) {
		static const char *const want[] = { NULL, "each kernel", "whole graphs", "both" };
		struct mem m;

		mem_init(&m);
		MEM_OP(&m, WL_F_KERNELS, .start = 0, .end = 1);
		if (i & 1) {
			MEM_OP(&m, WL_F_KERNELS, .start = 2, .end = 3);
			((uint64_t *)m.build.column[WL_KERNELS_NODE].data)[1] = 7;
		}
		if (i & 2)
			MEM_OP(&m, WL_F_GRAPHS, .start = 4, .end = 5);
		assert_string_equal(wl_capture_graphs(mem_seal(&m)), want[i]);
		mem_release(&m);
	}
}

static void option(struct mem *m, const char *name, const char *value)
{
	wl_vec_push(&m->build.meta, &(struct wl_meta){ .name = mem_string(m, name),
						       .value = mem_string(m, value) });
}

TEST(where_no_graph_ran_the_option_tells)
{
	struct mem m;

	mem_init(&m);
	option(&m, "PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph");
	assert_string_equal(wl_capture_graphs(mem_seal(&m)), "whole graphs");
	mem_release(&m);
	mem_init(&m);
	option(&m, "CUDA_GRAPH_TRACE_OPTIONS:TRACE_DEVICE_GRAPH_LAUNCH", "true");
	option(&m, "CUDA_GRAPH_TRACE_OPTIONS:MODE", "of tomorrow");
	assert_null(wl_capture_graphs(mem_seal(&m)));
	mem_release(&m);
}

TEST(a_message_tells_that_cuda_was_traced_by_software)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	message(&m);
	assert_string_equal(wl_capture_tracing(mem_seal(&m)), "software");
}
