/* SPDX-License-Identifier: MIT */
/* What is declared is what is loaded, found and seen. */
#include "derive/derivations.h"

#include <string.h>

#include "base/process/pool.h"
#include "derive/calls/launch.h"
#include "derive/iters/iters.h"
#include "derive/kinds/named.h"
#include "derive/ledger/ledger.h"
#include "support/mem.h"
#include "support/unit.h"

static const uint64_t all = (UINT64_C(1) << WL_N_DERIVATIONS) - 1;

TEST(a_line_is_below_what_it_is_from)
{
	for (size_t i = 0; i < WL_N_DERIVATIONS; i++)
		assert_true(wl_derivation_infos[i].from < UINT64_C(1) << i);
}

TEST(a_closure_has_what_its_members_are_from)
{
	assert_true(wl_from_closure(0) == 0);
	assert_true(wl_from_closure(WL_FROM(LINKS)) == WL_FROM(LINKS));
	assert_true(wl_from_closure(WL_FROM(STAGES)) ==
		    (WL_FROM(STAGES) | WL_FROM(FOREST) | WL_FROM(FOLLOWED) | WL_FROM(RANGE_NAMES)));
	for (size_t i = 0; i < WL_N_DERIVATIONS; i++) {
		uint64_t closed = wl_from_closure(UINT64_C(1) << i);

		assert_true(wl_from_closure(closed) == closed);
		for (size_t k = 0; k < WL_N_DERIVATIONS; k++) {
			if (closed >> k & 1)
				assert_true((wl_derivation_infos[k].from & ~closed) == 0);
		}
	}
}

TEST(columns_are_those_of_the_closure_and_ones_own)
{
	static const enum wl_column_id own[] = { WL_API_RESULT, WL_N_COLUMNS };
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns got;

	wl_want(&wanted, WL_FROM(BLOCKING), own);
	got = wl_wanted_columns(&wanted);
	assert_true(wl_columns_has(&got, WL_API_RESULT));
	assert_true(wl_columns_has(&got, WL_MEMCPYS_DST));
	assert_true(wl_columns_has(&got, WL_KERNELS_CORR)); /* of the links below */
	assert_false(wl_columns_has_family(&got, WL_F_NVTX));
	assert_false(wl_columns_has(&wanted.columns, WL_KERNELS_CORR));
}

/* Work that is cheap to load must stay so. */
TEST(some_stay_away_from_what_they_do_not_read)
{
	const struct wl_wanted classes = { .from = WL_FROM(CLASSES) };
	const struct wl_wanted launch = { .from = WL_FROM(LAUNCH_TIMES) };
	const struct wl_columns of_classes = wl_wanted_columns(&classes);
	const struct wl_columns of_launch = wl_wanted_columns(&launch);

	assert_false(wl_columns_has(&of_classes, WL_KERNELS_CORR));
	assert_false(wl_columns_has_family(&of_launch, WL_F_NVTX));
	assert_false(wl_columns_has_family(&of_launch, WL_F_OSRT));
	assert_false(wl_from_closure(WL_FROM(COLLECTIVES)) & WL_FROM(FOREST));
}

static void put_steps(struct mem *m)
{
	for (unsigned i = 0; i < 8; i++) {
		const wl_ns begin = (wl_ns)i * 100;

		MEM_NVTX(m, .start = begin, .end = begin + 90, .tid = 1, .name = "step");
		MEM_API(m, .start = begin + 5, .end = begin + 9, .tid = 1, .corr = i + 1);
		MEM_OP(m, WL_F_KERNELS, .start = begin + 20, .end = begin + 80, .corr = i + 1);
	}
}

TEST(a_view_has_what_was_declared_and_nothing_else)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_derivations d;
	struct wl_derived view;

	put_steps(&m);
	wl_derivations_init(&d, mem_seal(&m), &(struct wl_derived_opts){ 0 }, NULL, NULL);
	assert_true(wl_derivations_find(&d, WL_FROM(ITERATIONS) | WL_FROM(HOSTS), NULL));
	view = wl_derivations_view(&d, WL_FROM(ITERATIONS), NULL);
	assert_non_null(view.iterations);
	assert_non_null(view.links);
	assert_null(view.hosts);  /* found, but not declared */
	assert_null(view.stages); /* neither */
	assert_null(view.ledger);
	view = wl_derivations_view(&d, all, NULL);
	assert_non_null(view.hosts);
	assert_null(view.stages); /* declared, but not found */
	wl_derivations_release(&d);
}

/* The graph of a job in which nobody is late would be replayed by nobody. */
TEST(what_is_for_later_is_loaded_but_found_when_it_is_asked_for)
{
	const uint64_t later = WL_FROM(GRAPH) | WL_FROM(REPLAY_PLAN) | WL_FROM(PATH);
	const struct wl_wanted wanted = { .from = WL_FROM(WHATIF) };
	const struct wl_columns columns = wl_wanted_columns(&wanted);
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_derived *with, *again;
	struct wl_derivations d;
	struct wl_derived view;
	struct wl_arena arena;

	assert_true(wl_columns_has(&columns, WL_EVENTS_EVENT));
	assert_false(wl_from_closure(WL_FROM(WHATIF)) & later);
	assert_true((later & ~wl_from_reach(WL_FROM(WHATIF))) == 0);
	assert_true((later & ~wl_from_later(WL_FROM(STRAGGLERS))) == 0);
	assert_true(wl_from_later(WL_FROM(LEDGER)) == 0);
	put_steps(&m);
	wl_arena_init(&arena, 1 << 20);
	wl_derivations_init(&d, mem_seal(&m), &(struct wl_derived_opts){ 0 }, NULL, NULL);
	assert_true(wl_derivations_find(&d, WL_FROM(WHATIF), NULL));
	assert_non_null(d.all.stragglers);
	assert_null(d.all.graph);
	view = wl_derivations_view(&d, WL_FROM(WHATIF), NULL);
	with = wl_derived_with(&view, later, &arena);
	assert_non_null(with);
	assert_null(view.graph);
	assert_ptr_equal(with->graph, d.all.graph);
	assert_non_null(with->replay_plan);
	assert_non_null(with->path);
	assert_null(with->rank_holds); /* declared, but not asked for */
	assert_ptr_equal(with->stragglers, view.stragglers);
	assert_ptr_equal(wl_derived_with(with, later, &arena), with);
	again = wl_derived_with(&view, WL_FROM(GRAPH), &arena);
	assert_non_null(again);
	assert_ptr_equal(again->graph, with->graph);
	assert_null(again->path);
	assert_true(wl_derived_only(&view, WL_FROM(LEDGER)).may == 0);
	wl_arena_release(&arena);
	wl_derivations_release(&d);
}

TEST(each_is_found_once_and_stays)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_derivations d;
	struct wl_derived view;
	size_t used;

	put_steps(&m);
	wl_derivations_init(&d, mem_seal(&m), &(struct wl_derived_opts){ 0 }, NULL, NULL);
	assert_true(wl_derivations_find(&d, 0, NULL));
	assert_null(d.store); /* nobody asked for anything */
	assert_true(wl_derivations_find(&d, WL_FROM(LINKS), NULL));
	view = wl_derivations_view(&d, WL_FROM(LINKS), NULL);
	assert_true(wl_derivations_find(&d, WL_FROM(IDLE), NULL));
	assert_ptr_equal(wl_derivations_view(&d, WL_FROM(IDLE), NULL).links, view.links);
	used = d.arena.used;
	assert_true(wl_derivations_find(&d, WL_FROM(IDLE) | WL_FROM(LINKS), NULL));
	assert_int_equal(d.arena.used, used);
	wl_derivations_release(&d);
}

TEST(what_is_of_a_scope_is_added_to_a_view)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_derived view, less;
	struct mem_scope scope;
	struct wl_arena arena;

	put_steps(&m);
	mem_scope_whole(&scope, mem_seal(&m));
	wl_arena_init(&arena, 1 << 20);
	view = m.derived;
	assert_true(wl_scoped_find(&view, &scope.scope, WL_FROM(LEDGER), &arena));
	assert_non_null(view.ledger);
	assert_int_equal(view.ledger->n, 1);
	less = wl_derived_only(&view, WL_FROM(LINKS));
	assert_null(less.ledger);
	assert_non_null(less.links);
	wl_arena_release(&arena);
}

/* What does not depend on the window is shared, and all of the scope that was asked before. */
TEST(scopes_are_kept_for_who_asks_again)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_interval other[1];
	struct wl_derived view[4];
	struct wl_derivations d;
	struct mem_scope scope;
	struct wl_scope window;

	put_steps(&m);
	mem_scope_whole(&scope, mem_seal(&m));
	window = scope.scope;
	other[0] = (struct wl_interval){ window.device[0].begin, window.device[0].end - 1 };
	window.device = other;
	window.whole = false;
	wl_derivations_init(&d, &m.build.trace, &(struct wl_derived_opts){ 0 }, NULL, NULL);
	for (size_t i = 0; i < WL_COUNT(view); i++) {
		view[i] = m.derived;
		assert_true(wl_derivations_scope(&d, &view[i], i % 2 ? &window : &scope.scope,
						 WL_FROM(LEDGER), NULL));
	}
	assert_ptr_equal(view[0].activity, view[1].activity);
	assert_ptr_equal(view[0].ledger_basis, view[1].ledger_basis);
	assert_true(view[0].ledger != view[1].ledger);
	assert_ptr_equal(view[0].ledger, view[2].ledger);
	assert_ptr_equal(view[1].ledger, view[3].ledger);
	assert_true(view[1].ledger->lane[0].tile[0].begin == other[0].begin);
	/* What is forgotten is found again; what no window changes stays. */
	wl_derivations_forget_scopes(&d);
	for (size_t i = 0; i < WL_N_KEPT_SCOPES; i++)
		assert_false(d.scopes.last[i].any);
	view[2] = m.derived;
	assert_true(wl_derivations_scope(&d, &view[2], &scope.scope, WL_FROM(LEDGER), NULL));
	assert_ptr_equal(view[0].activity, view[2].activity);
	assert_int_equal(view[2].ledger->n, 1);
	wl_derivations_release(&d);
}

/* On threads as in line; and a budget that does not suffice is no more than that. */
TEST(threads_and_budgets_change_nothing)
{
	struct wl_pool *pool = wl_pool_new(3);
	struct mem m;

	mem_init(&m);
	put_steps(&m);
	(void)mem_seal(&m);
	for (size_t limit = 0; limit < 60000; limit += 500) {
		struct wl_budget budget = { .limit = limit };
		struct wl_derivations d;

		wl_derivations_init(&d, &m.build.trace, &(struct wl_derived_opts){ 0 }, NULL,
				    &budget);
		for (size_t try = 0; try < 2; try++) {
			if (!wl_derivations_find(&d, all, try ? NULL : pool))
				continue;
			assert_int_equal(d.all.iterations->process[0].n,
					 m.derived.iterations->process[0].n);
			assert_memory_equal(d.all.links->of[WL_OP_KERNEL],
					    m.derived.links->of[WL_OP_KERNEL],
					    8 * sizeof(uint32_t));
		}
		wl_derivations_release(&d);
		assert_int_equal(budget.used, 0);
	}
	mem_release(&m);
	wl_pool_free(pool);
}
