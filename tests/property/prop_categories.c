/* SPDX-License-Identifier: MIT */
/*
 * Categories on random traces: under each attribution the parts add up to the busy
 * time that the sweep of classes finds, and what is exclusive is attributed, and what is
 * attributed was active. Shares and owners are held against one look at each segment
 * between two boundaries.
 */
#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/kinds/category_times.h"
#include "derive/kinds/intervals.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { N_TRACES = 600, MAX_OPS = 40, N_CATEGORIES = 6 };

static const char text[] = "{\"t\": {\"m\": {\"^a\": \"A\", \"^b\": \"B\", \"^c\": \"C\","
			   " \"^d\": \"D\"}}}";

struct world {
	struct mem mem;
	struct wl_arena arena;
	struct mem_scope scope;
	struct wl_category_rules rules;
	struct wl_category_map map;
	struct mem_op op[MAX_OPS];
	unsigned n;
};

static void make(struct world *w, const struct wl_json *doc, uint64_t *seed)
{
	static const char *const names[] = { "a1", "b", "c", "d", "x", "a2" };
	const struct wl_rule_choice choice = { .engine = "t", .user = doc };
	wl_ns span = random_below(seed, 2) ? 20 : 100000;
	const struct wl_derived_opts opts = { .marker = NULL };
	struct wl_derivations derivations;
	struct wl_derived derived;
	const struct wl_trace *t;
	const struct wl_named *named;

	mem_init(&w->mem);
	wl_arena_init(&w->arena, 1 << 22);
	w->n = 1 + random_below(seed, MAX_OPS);
	for (unsigned i = 0; i < w->n; i++) {
		wl_ns start = random_between(seed, 0, span);

		w->op[i] = (struct mem_op){ .start = start,
					    .end = start + random_between(seed, 0, 1 + span / 3),
					    .stream = 7 + random_below(seed, 4),
					    .name = names[random_below(seed, 6)] };
		mem_op(&w->mem, WL_F_KERNELS, &w->op[i]);
	}
	t = mem_seal(&w->mem);
	if (random_below(seed, 3))
		mem_scope_whole(&w->scope, t);
	else
		mem_scope_window(&w->scope, t, span / 4, span / 2);
	assert_int_equal(
		wl_category_rules_init(&w->rules, &choice, wl_arena_budget(&w->arena), NULL),
		WL_OK);
	derived = derive_all(&derivations, t, &opts);
	named = derived.named;
	assert_non_null(named);
	assert_true(wl_category_map_make(t, named, &w->rules, &w->arena, &w->map));
	wl_derivations_release(&derivations);
}

static void release(struct world *w)
{
	wl_category_rules_release(&w->rules);
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static uint8_t category_of(const struct world *w, const struct mem_op *op)
{
	size_t n_given_up = 0;
	const struct wl_kernel_facts facts = wl_kernel_named(op->name);
	int c = wl_category_of_name(&w->rules, op->name, &facts, &n_given_up);

	assert_in_range(c, 0, N_CATEGORIES - 1);
	return (uint8_t)c;
}

static int by_time(const void *a, const void *b)
{
	wl_ns x = *(const wl_ns *)a, y = *(const wl_ns *)b;

	return (x > y) - (x < y);
}

/* Whether x stands before y in the order of starts; equal ones stand as their rows do. */
static bool is_earlier(const struct mem_op *x, const struct mem_op *y)
{
	if (x->start != y->start)
		return x->start < y->start;
	return x->stream < y->stream;
}

/* The time of each category in a segment, in units of which all counts are divisors. */
enum { UNIT = 60 };

static void look_at(const struct world *w, wl_ns begin, wl_ns end, int64_t share[], wl_ns first[],
		    wl_ns last[])
{
	const struct mem_op *earliest = NULL, *latest = NULL;
	bool on[N_CATEGORIES] = { false };
	int64_t n_on = 0;

	for (unsigned i = 0; i < w->n; i++) {
		const struct mem_op *op = &w->op[i];

		if (op->start > begin || op->end < end || op->start == op->end)
			continue;
		n_on += !on[category_of(w, op)];
		on[category_of(w, op)] = true;
		earliest = !earliest || is_earlier(op, earliest) ? op : earliest;
		latest = !latest || !is_earlier(op, latest) ? op : latest;
	}
	if (!earliest)
		return;
	for (unsigned c = 0; c < N_CATEGORIES; c++)
		share[c] += on[c] ? (end - begin) * UNIT / n_on : 0;
	first[category_of(w, earliest)] += end - begin;
	last[category_of(w, latest)] += end - begin;
}

struct expected {
	int64_t share[N_CATEGORIES];
	wl_ns first[N_CATEGORIES], last[N_CATEGORIES];
};

static struct expected by_segments(const struct world *w)
{
	const struct wl_interval *window = &w->scope.device[0];
	struct expected e = { { 0 }, { 0 }, { 0 } };
	wl_ns time[2 * MAX_OPS + 2];
	size_t n = 0;

	time[n++] = window->begin;
	time[n++] = window->end;
	for (unsigned i = 0; i < w->n; i++) {
		time[n++] = w->op[i].start;
		time[n++] = w->op[i].end;
	}
	qsort(time, n, sizeof(time[0]), by_time);
	for (size_t i = 0; i + 1 < n; i++) {
		if (time[i] < time[i + 1] && time[i] >= window->begin && time[i + 1] <= window->end)
			look_at(w, time[i], time[i + 1], e.share, e.first, e.last);
	}
	return e;
}

/* Two kernels that only their row tells apart may stand in either order. */
static bool has_twins(const struct world *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		for (unsigned k = 0; k < i; k++) {
			if (!is_earlier(&w->op[i], &w->op[k]) && !is_earlier(&w->op[k], &w->op[i]))
				return true;
		}
	}
	return false;
}

static void check(struct world *w, enum wl_attribution how, const struct expected *e)
{
	const struct wl_trace *t = &w->mem.build.trace;
	const struct wl_category_question q = {
		.trace = t, .scope = &w->scope.scope, .map = &w->map, .n = N_CATEGORIES, .how = how
	};
	struct wl_category_time time[N_CATEGORIES];
	struct wl_intervals on;
	wl_ns busy, total = 0;

	assert_int_equal(w->rules.n, N_CATEGORIES);
	assert_true(wl_category_times_find(&q, &w->arena, time, &busy));
	assert_true(wl_intervals_of_device(t, &w->scope.scope, 0, &w->arena, &on));
	assert_true(busy == wl_intervals_length(&on));
	for (unsigned c = 0; c < N_CATEGORIES; c++) {
		int64_t off = time[c].elapsed * UNIT - e->share[c];

		total += time[c].elapsed;
		assert_true(time[c].exclusive <= time[c].elapsed);
		assert_true(time[c].elapsed <= time[c].active && time[c].active <= time[c].sum);
		if (how == WL_ATTRIBUTE_SHARE)
			assert_true(off > -UNIT && off < UNIT);
		else if (!has_twins(w))
			assert_true(time[c].elapsed ==
				    (how == WL_ATTRIBUTE_FIRST ? e->first[c] : e->last[c]));
	}
	assert_true(total == busy);
}

static void time_adds_up_however_it_is_attributed(void **state)
{
	struct wl_json *doc;
	uint64_t seed = 7;

	(void)state;
	assert_int_equal(wl_json_parse(text, strlen(text), "t", &doc, NULL), WL_OK);
	for (int i = 0; i < random_cases(N_TRACES); i++) {
		struct world w;
		struct expected e;

		make(&w, doc, &seed);
		e = by_segments(&w);
		check(&w, WL_ATTRIBUTE_SHARE, &e);
		check(&w, WL_ATTRIBUTE_FIRST, &e);
		check(&w, WL_ATTRIBUTE_LAST, &e);
		release(&w);
	}
	wl_json_free(doc);
}

TEST_MAIN(categories)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_adds_up_however_it_is_attributed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
