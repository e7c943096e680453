/* SPDX-License-Identifier: MIT */
#include "derive/kinds/intervals.h"

#include <string.h>

#include "derive/kinds/activity.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

/* Sets of nanoseconds as flags: what every function must agree with. */
enum { SPAN = 48, MAX_LIST = 12, N_ROUNDS = 20000 };

static void mark(bool *set, wl_ns begin, wl_ns end)
{
	for (wl_ns t = begin; t < end; t++)
		set[t] = true;
}

/* The set is the flags, in order, its intervals neither touch nor are empty, its sums are right. */
static void expect_set(const struct wl_intervals *set, const bool *want)
{
	bool got[SPAN] = { false };
	wl_ns sum = 0;

	for (size_t i = 0; i < set->n; i++) {
		assert_true(set->at[i].begin < set->at[i].end);
		assert_true(i == 0 || set->at[i - 1].end < set->at[i].begin);
		assert_int_equal(set->before[i], sum);
		mark(got, set->at[i].begin, set->at[i].end);
		sum += set->at[i].end - set->at[i].begin;
	}
	assert_memory_equal(got, want, sizeof(got));
	assert_int_equal(wl_intervals_length(set), sum);
}

static void make_random(uint64_t *seed, struct wl_arena *arena, struct wl_intervals *ret,
			bool *flags)
{
	struct wl_interval list[MAX_LIST];
	size_t n = random_below(seed, MAX_LIST + 1);
	wl_ns begin = 0;

	memset(flags, 0, SPAN * sizeof(*flags));
	for (size_t i = 0; i < n; i++) {
		wl_ns length = random_below(seed, 8);

		begin += random_below(seed, 4);
		list[i] = (struct wl_interval){ begin, begin + length };
		mark(flags, begin, begin + length);
	}
	if (random_below(seed, 2)) {
		assert_true(wl_intervals_union(list, n, arena, ret));
		return;
	}
	for (size_t i = 0; i < n; i++) { /* in any order */
		size_t k = random_below(seed, (unsigned)n);
		struct wl_interval other = list[k];

		list[k] = list[i];
		list[i] = other;
	}
	assert_true(wl_intervals_unite(list, n, arena, ret));
}

TEST(sets_are_what_flags_per_nanosecond_say)
{
	uint64_t seed = 1;

	for (int round = 0; round < N_ROUNDS; round++) {
		struct wl_arena arena;
		struct wl_intervals a, b, both, only;
		bool in_a[SPAN], in_b[SPAN], want[SPAN];
		wl_ns from = random_below(&seed, SPAN), to = random_below(&seed, SPAN), covered = 0;

		wl_arena_init(&arena, 1 << 20);
		make_random(&seed, &arena, &a, in_a);
		make_random(&seed, &arena, &b, in_b);
		expect_set(&a, in_a);
		assert_true(wl_intervals_intersect(&a, &b, &arena, &both));
		for (size_t i = 0; i < SPAN; i++)
			want[i] = in_a[i] && in_b[i];
		expect_set(&both, want);
		assert_true(wl_intervals_subtract(&a, &b, &arena, &only));
		for (size_t i = 0; i < SPAN; i++)
			want[i] = in_a[i] && !in_b[i];
		expect_set(&only, want);
		for (wl_ns t = from; t < to; t++)
			covered += in_a[t];
		assert_int_equal(wl_intervals_covered(&a, from, to), covered);
		wl_arena_release(&arena);
	}
}

TEST(neighbours_that_touch_are_one)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const struct wl_interval list[] = {
		{ 0, 5 }, { 5, 5 }, { 5, 9 }, { 10, 10 }, { 12, 13 }
	};
	struct wl_intervals set, empty;

	assert_true(wl_intervals_union(list, WL_COUNT(list), &arena, &set));
	assert_int_equal(set.n, 2);
	assert_int_equal(set.at[0].end, 9);
	assert_int_equal(wl_intervals_length(&set), 10);
	assert_int_equal(wl_intervals_covered(&set, -100, 100), 10);
	assert_int_equal(wl_intervals_covered(&set, 8, 13), 2);
	assert_int_equal(wl_intervals_covered(&set, 8, 8), 0);
	assert_int_equal(wl_intervals_covered(&set, 13, 8), 0);
	assert_true(wl_intervals_union(NULL, 0, &arena, &empty));
	assert_int_equal(wl_intervals_length(&empty), 0);
	assert_int_equal(wl_intervals_covered(&empty, 0, 100), 0);
}

TEST(no_memory_is_said)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 40));
	static const struct wl_interval list[] = { { 0, 1 }, { 2, 3 }, { 4, 5 } };
	struct wl_intervals set;

	assert_false(wl_intervals_union(list, WL_COUNT(list), &arena, &set));
}

struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_classes classes;
	struct mem_scope scope;
};

static void make_world(struct world *w, uint64_t *seed)
{
	mem_init(&w->mem);
	for (uint32_t n = 1 + random_below(seed, 20); n > 0; n--) {
		wl_ns start = random_below(seed, SPAN - 8);

		MEM_OP(&w->mem, wl_op_families[random_below(seed, WL_N_OP_FAMILIES)],
		       .start = start, .end = start + random_below(seed, 8),
		       .device = random_below(seed, 2), .stream = 7 + random_below(seed, 2),
		       .name = random_below(seed, 2) ? "gemm" : "ncclDevKernel_X");
	}
	w->trace = mem_seal(&w->mem);
	wl_arena_init(&w->arena, 1 << 20);
	assert_true(wl_classes_find(&w->mem.derived, &w->arena, &w->classes));
	mem_scope_whole(&w->scope, w->trace);
}

/* Every operation of the device, asked one by one. */
static void mark_device(const struct world *w, const struct wl_scope *scope, uint32_t device,
			unsigned mask, bool *want)
{
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(w->trace, wl_op_families[f]);

		for (size_t i = 0; i < ops.n; i++) {
			wl_ns start = ops.start[i], end = start + wl_dur(ops.family, ops.dur, i);
			enum wl_class class =
				wl_class_of(w->trace, &w->classes, wl_op_families[f], i);

			if (w->trace->places[ops.place[i]].device == device && mask >> class & 1 &&
			    (!scope || wl_op_clip(w->trace, scope, &ops, i, &start, &end)))
				mark(want, start, end);
		}
	}
}

TEST(a_device_has_the_time_of_the_classes_asked_for)
{
	uint64_t seed = 7;

	for (int round = 0; round < 1000; round++) {
		wl_ns begin = random_below(&seed, SPAN / 2);
		struct world w;

		make_world(&w, &seed);
		if (random_below(&seed, 2))
			mem_scope_window(&w.scope, w.trace, begin, begin + random_below(&seed, 20));
		w.scope.place_on[random_below(&seed, (uint32_t)w.trace->n_places)] = false;
		for (uint32_t d = 0; d < w.trace->n_devices; d++) {
			for (unsigned mask = 0; mask < 1U << WL_N_CLASSES; mask++) {
				const struct wl_scope *scope =
					random_below(&seed, 4) ? &w.scope.scope : NULL;
				bool want[SPAN] = { false };
				struct wl_activity activity;
				struct wl_intervals set;

				assert_true(wl_activity_of_device(w.trace, scope, &w.classes, d,
								  &w.arena, &activity));
				assert_true(wl_activity_intervals(&activity, mask,
								  scope ? &scope->device[d] : NULL,
								  &w.arena, &set));
				mark_device(&w, scope, d, mask, want);
				expect_set(&set, want);
				if (mask + 1 < 1U << WL_N_CLASSES)
					continue;
				assert_true(
					wl_intervals_of_device(w.trace, scope, d, &w.arena, &set));
				expect_set(&set, want);
			}
		}
		wl_arena_release(&w.arena);
		mem_release(&w.mem);
	}
}
