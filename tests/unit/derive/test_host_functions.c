/* SPDX-License-Identifier: MIT */
#include "derive/calls/host_functions.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

struct fixture {
	struct mem m;
	struct wl_arena arena;
	const struct wl_trace *trace;
	struct wl_host_functions found;
};

static uint32_t place_of(struct mem *m, unsigned stream)
{
	const struct wl_place_key key = { .process = mem_process_key(100),
					  .context = 1,
					  .stream = stream };

	return mem_place(m, &key, true);
}

static void node(struct mem *m, wl_ns start, wl_ns end, unsigned stream, uint32_t corr)
{
	uint32_t place = place_of(m, stream);

	mem_row(m, WL_F_HOST_NODES, start, end);
	mem_put(m, WL_HOST_NODES_PLACE, &place);
	mem_put(m, WL_HOST_NODES_CORR, &corr);
}

static void callback(struct mem *m, wl_ns start, wl_ns end, uint32_t corr, const char *name)
{
	uint32_t thread = mem_thread(m, 100, 9), text = mem_string(m, name);

	mem_row(m, WL_F_CALLBACKS, start, end);
	mem_put(m, WL_CALLBACKS_THREAD, &thread);
	mem_put(m, WL_CALLBACKS_CORR, &corr);
	mem_put(m, WL_CALLBACKS_NAME, &text);
}

static void set_up(struct fixture *f)
{
	struct wl_derived given;

	mem_init(&f->m);
	node(&f->m, 100, 200, 7, 1);
	node(&f->m, 150, 300, 7, 2); /* begins while the first one runs */
	node(&f->m, 180, 400, 8, 3);
	node(&f->m, 500, 600, 8, 3); /* of the same launch */
	node(&f->m, 700, 700, 8, 4); /* of no length */
	callback(&f->m, 110, 190, 1, "decode");
	callback(&f->m, 500, 510, 3, "sample");
	f->trace = mem_seal(&f->m);
	given = (struct wl_derived){ .trace = f->trace };
	wl_arena_init(&f->arena, 1 << 20);
	assert_true(wl_host_functions_find(&given, &f->arena, &f->found));
}

static void tear_down(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->m);
}

static const struct wl_host_function *at(struct fixture *f, unsigned stream, wl_ns t)
{
	wl_ns until = 10000;

	return wl_host_function_at(&f->found, f->trace, place_of(&f->m, stream), t, &until);
}

TEST(a_stream_waits_for_its_own_function_first)
{
	struct fixture f;

	set_up(&f);
	assert_null(at(&f, 7, 50));
	assert_string_equal(at(&f, 7, 150)->name, "decode");
	assert_null(at(&f, 7, 250)->name);
	assert_true(at(&f, 7, 250)->begin == 200);
	/* Nothing is on its own stream then. */
	assert_true(at(&f, 7, 350)->end == 400);
	assert_string_equal(at(&f, 8, 550)->name, "sample");
	assert_null(at(&f, 8, 700));
	tear_down(&f);
}

TEST(time_of_several_streams_counts_once)
{
	struct fixture f;
	uint32_t place[2];

	set_up(&f);
	place[0] = place_of(&f.m, 7);
	place[1] = place_of(&f.m, 8);
	assert_true(wl_host_functions_time(&f.found, place, 1, 0, 1000) == 200);
	assert_true(wl_host_functions_time(&f.found, place + 1, 1, 0, 1000) == 320);
	assert_true(wl_host_functions_time(&f.found, place, 2, 0, 1000) == 400);
	assert_true(wl_host_functions_time(&f.found, place, 2, 250, 520) == 170);
	assert_null(wl_host_function_before(&f.found, place[1], 180));
	assert_true(wl_host_function_before(&f.found, place[1], 650)->begin == 500);
	tear_down(&f);
}
