/* SPDX-License-Identifier: MIT */
/*
 * The ledger on every trace: of each tile compute and losses add up to its length, atoms
 * add up to the losses, and over a device's lane all is what overlap and idle say.
 * Findings claim no more than was lost.
 */
#include "derive/ledger/ledger.h"

#include <stdio.h>
#include <string.h>

#include "derive/derivations.h"
#include "session/open/session.h"
#include "support/traces.h"
#include "support/unit.h"

static const char *const windows[] = { "all", "steady", "+1ms..+37ms", "iter:1..2" };

struct totals {
	wl_ns window, compute, loss[WL_N_LOSSES];
};

static void check_tiles(const struct test_trace *trace, const struct wl_ledger_lane *lane,
			struct totals *ret)
{
	size_t a = 0;

	*ret = (struct totals){ .window = 0 };
	for (uint32_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *t = &lane->tile[i];
		wl_ns sum = t->compute, atoms[WL_N_LOSSES] = { 0 };

		for (; a < lane->n_atoms && lane->atom[a].tile == i; a++) {
			assert_true(lane->atom[a].ns > 0);
			atoms[lane->atom[a].loss] += lane->atom[a].ns;
		}
		for (size_t k = 0; k < WL_N_LOSSES; k++) {
			if (atoms[k] != t->loss[k])
				fail_msg("%s: atoms of %s do not add up", trace->name,
					 wl_loss_name((enum wl_loss)k));
			sum += t->loss[k];
			ret->loss[k] += t->loss[k];
		}
		if (sum != t->length)
			fail_msg("%s: tile %u has %lld ns, its parts %lld", trace->name, i,
				 (long long)t->length, (long long)sum);
		ret->window += t->length;
		ret->compute += t->compute;
	}
	assert_int_equal(a, lane->n_atoms);
}

static const struct wl_table *ask(struct wl_session *session, const char *verb, const char *window,
				  struct wl_arena *arena)
{
	const struct wl_request request = { .analysis = wl_analysis_get(verb),
					    .selection = { .window = window } };
	struct wl_document doc;
	struct wl_err err;

	if (wl_session_run(session, &request, arena, &doc, &err) != WL_OK)
		fail_msg("%s: %s", verb, err.msg);
	return doc.sections[0].view.table;
}

/* The sum of a column over the rows of a device, and of a cause if there is one. */
static wl_ns sum_of(const struct wl_table *t, const char *column, uint32_t device,
		    const char *cause)
{
	size_t col, dev, why = 0;
	wl_ns sum = 0;

	assert_non_null(wl_table_find_col(t, column, &col));
	assert_non_null(wl_table_find_col(t, "device", &dev));
	if (cause)
		assert_non_null(wl_table_find_col(t, "cause", &why));
	for (size_t i = 0; i < t->n_rows; i++) {
		if (wl_table_at(t, i, dev).i64 == device &&
		    (!cause || strcmp(wl_table_at(t, i, why).str, cause) == 0))
			sum += wl_table_at(t, i, col).i64;
	}
	return sum;
}

static void check_device(const struct wl_table *overlap, const struct wl_table *idle, uint32_t d,
			 const struct totals *have)
{
	assert_int_equal(have->window, sum_of(overlap, "window", d, NULL));
	assert_int_equal(have->compute, sum_of(overlap, "compute", d, NULL));
	assert_int_equal(have->loss[WL_LOSS_EXPOSED_COPY],
			 sum_of(overlap, "exposed_copy", d, NULL));
	for (unsigned c = 0; c < WL_N_CAUSES; c++)
		assert_int_equal(have->loss[c],
				 sum_of(idle, "sum", d, wl_cause_name((enum wl_cause)c)));
}

/* Slow steps, changes of layouts, tiny kernels, and kernels that wait for pages may also count
 * compute. */
static bool counts_compute(const struct wl_table *t, size_t row, size_t code, size_t subject)
{
	const char *rule = wl_table_at(t, row, code).str, *of = wl_table_at(t, row, subject).str;

	return strcmp(rule, "slow-iterations") == 0 || strcmp(rule, "layout-change") == 0 ||
	       strcmp(rule, "tiny-kernels") == 0 || (of && strcmp(of, "inside kernels") == 0);
}

/* Findings share what was lost: no nanosecond twice. */
static void check_findings(struct wl_session *session, const struct test_trace *trace,
			   const char *window, const struct totals *all, struct wl_arena *arena)
{
	static const char *const args[WL_MAX_PARAMS] = { "true" };
	const struct wl_request request = { .analysis = wl_analysis_get("findings"),
					    .args = args,
					    .selection = { .window = window } };
	struct wl_document doc;
	struct wl_err err;
	const struct wl_table *t;
	size_t code, subject, gpu_time;
	wl_ns claimed = 0, compute = 0, lost = 0;

	if (wl_session_run(session, &request, arena, &doc, &err) != WL_OK)
		fail_msg("findings: %s", err.msg);
	t = doc.sections[0].view.table;
	assert_non_null(wl_table_find_col(t, "code", &code));
	assert_non_null(wl_table_find_col(t, "subject", &subject));
	assert_non_null(wl_table_find_col(t, "gpu_time", &gpu_time));
	for (size_t i = 0; i < t->n_rows; i++) {
		struct wl_cell cell = wl_table_at(t, i, gpu_time);

		if (counts_compute(t, i, code, subject))
			compute += cell.i64;
		else if (cell.set)
			claimed += cell.i64;
	}
	for (size_t k = 0; k < WL_N_LOSSES; k++)
		lost += k == WL_CAUSE_UNUSED ? 0 : all->loss[k];
	if (claimed > lost || claimed + compute > lost + all->compute)
		fail_msg("%s, %s: findings claim %lld ns of %lld", trace->name, window,
			 (long long)(claimed + compute), (long long)lost);
}

static void add_up(struct totals *sum, const struct totals *more)
{
	sum->compute += more->compute;
	for (size_t k = 0; k < WL_N_LOSSES; k++)
		sum->loss[k] += more->loss[k];
}

static void check_window(struct wl_session *session, const struct test_trace *trace,
			 const char *window)
{
	const struct wl_selection selection = { .window = window };
	struct wl_scope_notes notes;
	struct wl_derived derived;
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX / 2));
	struct wl_scope scope;
	struct totals totals, all = { .window = 0 };
	struct wl_err err;

	assert_true(wl_session_derive(session, WL_FROM(LEDGER), NULL, &derived));
	if (wl_selection_resolve(&selection, &derived, &arena, &scope, &notes, &err) == WL_OK) {
		const struct wl_table *overlap = ask(session, "overlap", window, &arena);
		const struct wl_table *idle = ask(session, "idle", window, &arena);
		size_t n_devices = 0, n_on = 0;

		assert_true(wl_scoped_find(&derived, &scope, WL_FROM(LEDGER), &arena));
		for (size_t i = 0; i < derived.ledger->n; i++) {
			check_tiles(trace, &derived.ledger->lane[i], &totals);
			n_devices += derived.ledger->lane[i].of_device;
			if (derived.ledger->lane[i].of_device) {
				check_device(overlap, idle, derived.ledger->lane[i].device,
					     &totals);
				add_up(&all, &totals);
			}
		}
		for (size_t d = 0; d < wl_session_trace(session)->n_devices; d++)
			n_on += scope.device_on[d];
		assert_int_equal(n_devices, n_on);
		check_findings(session, trace, window, &all, &arena);
	}
}

static bool has_operations(const struct wl_trace *t)
{
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (t->family[wl_op_families[i]].n)
			return true;
	}
	return false;
}

static void check_trace(void *ctx, const struct test_trace *trace)
{
	struct wl_input_opts opts = { .budget = NULL };
	struct wl_session *session;
	struct wl_err err;

	(void)ctx;
	if (wl_session_open(trace->path, &opts, &session, &err) != WL_OK)
		return;
	if (wl_session_load_all(session, &err) == WL_OK &&
	    has_operations(wl_session_trace(session)))
		for (size_t i = 0; i < WL_COUNT(windows); i++)
			check_window(session, trace, windows[i]);
	wl_session_close(session);
}

static void every_nanosecond_of_every_trace_has_one_place(void **state)
{
	struct test_traces seen;

	(void)state;
	seen = for_each_trace(check_trace, NULL);
	(void)printf("%zu fixtures and %zu real traces\n", seen.n_fixtures, seen.n_real);
	assert_true(seen.n_fixtures > 0);
	assert_int_equal(seen.n_failed, 0);
}

TEST_MAIN(ledger)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nanosecond_of_every_trace_has_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
