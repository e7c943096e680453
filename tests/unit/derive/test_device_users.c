/* SPDX-License-Identifier: MIT */
#include "derive/idle/device_users.h"

#include "support/mem.h"
#include "support/unit.h"

static void op(struct mem *m, unsigned pid, wl_ns length)
{
	MEM_OP(m, WL_F_KERNELS, .start = 0, .end = length, .pid = pid);
}

TEST(the_busiest_that_iterates_is_chosen)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_process_iters iters[3] = { { .n = 5 }, { .n = 0 }, { .n = 5 } };
	const struct wl_iterations iterations = { .process = iters };
	struct wl_device_users users;
	struct wl_streams streams;
	struct mem_scope scope;
	const struct wl_trace *t;

	for (unsigned pid = 100; pid < 103; pid++)
		wl_vec_push(&m.build.cuda_devices, &(struct wl_cuda_device){ pid, 0, 0, WL_NONE });
	op(&m, 100, 30);
	op(&m, 100, 5);
	op(&m, 101, 90);
	op(&m, 102, 34);
	t = mem_seal(&m);
	mem_scope_whole(&scope, t);
	assert_true(wl_streams_find(t, &arena, &streams));
	assert_true(wl_device_users_find(t, &scope.scope, &streams, &arena, &users));
	assert_int_equal(users.n, 3);
	assert_int_equal(users.at[0].time, 35);
	assert_int_equal(users.at[1].time, 90);
	assert_int_equal(wl_device_iterates_with(&users, &iterations, 0), 0);
	assert_int_equal(wl_device_iterates_with(&users, &iterations, 1), WL_NONE);
	iters[0].n = 0;
	assert_int_equal(wl_device_iterates_with(&users, &iterations, 0), 2);
	for (size_t i = 0; i < t->n_places; i++)
		scope.place_on[i] = t->places[i].process == 1;
	assert_true(wl_device_users_find(t, &scope.scope, &streams, &arena, &users));
	assert_int_equal(users.n, 3);
	assert_int_equal(users.at[2].time, 0);
	assert_int_equal(wl_device_iterates_with(&users, &iterations, 0), WL_NONE);
}
