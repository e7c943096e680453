/* SPDX-License-Identifier: MIT */
#include "derive/calls/launches.h"

#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

/* Calls with ids 0..n_calls - 1, and operations of random kinds of random calls, or of none. */
static const struct wl_trace *make(struct mem *m, uint64_t seed, uint32_t n_calls, uint32_t n_ops)
{
	mem_init(m);
	for (uint32_t i = 0; i < n_calls; i++)
		MEM_API(m, .start = (wl_ns)10 * i, .end = (wl_ns)10 * i + 5, .corr = i + 1,
			.name = "cudaLaunchKernel");
	for (uint32_t i = 0; i < n_ops; i++)
		MEM_OP(m, wl_op_families[random_below(&seed, WL_N_OP_FAMILIES)],
		       .start = 1000 + (wl_ns)10 * i, .end = 1005 + (wl_ns)10 * i, .pid = 100,
		       .corr = 1 + random_below(&seed, n_calls + 3));
	return mem_seal(m);
}

TEST(each_link_is_in_the_list_of_its_call)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint32_t n_calls = (uint32_t)(seed % 9), n_ops = (uint32_t)(seed % 31);
		struct wl_launches launches;
		struct wl_arena arena;
		struct mem m;
		const struct wl_trace *t = make(&m, seed, n_calls, n_ops);
		const struct wl_links *links = m.derived.links;
		size_t listed = 0, linked = 0;

		wl_arena_init(&arena, 1 << 20);
		assert_non_null(links);
		assert_true(wl_launches_find(t, links, &arena, &launches));
		for (size_t c = 0; c < t->family[WL_F_API].n; c++) {
			for (uint32_t i = launches.first[c]; i < launches.first[c + 1]; i++) {
				uint32_t row;
				enum wl_family_id family = wl_launches_op(t, launches.op[i], &row);
				size_t kind = 0;

				while (wl_op_families[kind] != family)
					kind++;
				assert_true(row < t->family[family].n);
				assert_int_equal(links->of[kind][row], c);
				assert_true(i == launches.first[c] ||
					    launches.op[i] > launches.op[i - 1]);
				listed++;
			}
		}
		for (size_t kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
			for (size_t r = 0; links->of[kind] && r < t->family[wl_op_families[kind]].n;
			     r++)
				linked += links->of[kind][r] != WL_NONE;
		}
		assert_int_equal(listed, linked);
		wl_arena_release(&arena);
		mem_release(&m);
	}
}

TEST(no_memory_is_told)
{
	struct wl_launches launches;
	struct wl_arena arena;
	struct mem m;
	const struct wl_trace *t = make(&m, 3, 5, 20);

	wl_arena_init(&arena, 16);
	assert_false(wl_launches_find(t, m.derived.links, &arena, &launches));
	wl_arena_release(&arena);
	mem_release(&m);
}
