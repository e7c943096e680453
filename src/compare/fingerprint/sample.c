/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/sample.h"

#include "derive/iters/outliers.h"

struct sampling {
	const struct wl_trace *trace;
	const struct wl_iterations *iterations;
	const struct wl_ledger *ledger;
	uint32_t *lane; /* by member */
	size_t n_members;
	size_t n_common;  /* iterations that all members have */
	uint32_t *tile;   /* by member * n_common + iteration; WL_NONE: not whole, or none */
	bool *stands_out; /* by iteration: in some member */
};

static const struct wl_process_iters *iters_of(const struct sampling *s, size_t member)
{
	return &s->iterations->process[s->ledger->lane[s->lane[member]].process];
}

static void find_members(struct sampling *s, struct wl_sample *ret)
{
	for (uint32_t i = 0; i < s->ledger->n; i++) {
		const struct wl_ledger_lane *lane = &s->ledger->lane[i];
		size_t n;

		if (!lane->of_process || lane->process == WL_NONE)
			continue;
		n = s->iterations->process[lane->process].n;
		ret->is_uneven = ret->is_uneven || (s->n_members && n != s->n_common);
		if (s->n_members == 0 || n < s->n_common)
			s->n_common = n;
		s->lane[s->n_members++] = i;
	}
}

static bool find_tiles(struct sampling *s, struct wl_arena *arena)
{
	for (size_t m = 0; m < s->n_members; m++) {
		const struct wl_ledger_lane *lane = &s->ledger->lane[s->lane[m]];
		const bool *outlier = wl_outliers_find(iters_of(s, m), arena);
		uint32_t *tile = s->tile + m * s->n_common;

		if (!outlier)
			return false;
		for (size_t i = 0; i < s->n_common; i++) {
			tile[i] = WL_NONE;
			s->stands_out[i] = s->stands_out[i] || outlier[i];
		}
		for (uint32_t k = 0; k < lane->n_tiles; k++) {
			const struct wl_tile *t = &lane->tile[k];

			if (t->iter < s->n_common && t->is_whole)
				tile[t->iter] = k;
		}
	}
	return true;
}

static bool is_whole(const struct sampling *s, size_t iter)
{
	for (size_t m = 0; m < s->n_members; m++) {
		if (s->tile[m * s->n_common + iter] == WL_NONE)
			return false;
	}
	return true;
}

/* The iterations of the sample, before any are thinned out. */
static size_t choose(const struct sampling *s, uint32_t *ret, struct wl_sample *sample)
{
	size_t n = 0, n_whole = 0, n_outliers = 0;
	bool are_rare;

	for (uint32_t i = 1; i + 1 < s->n_common; i++) {
		n_whole += is_whole(s, i);
		n_outliers += is_whole(s, i) && s->stands_out[i];
	}
	are_rare = wl_outliers_are_rare(n_outliers, n_whole);
	sample->n_left_out = (s->n_common < 2 ? s->n_common : 2) + (are_rare ? n_outliers : 0);
	sample->has_outliers = !are_rare;
	for (uint32_t i = 1; i + 1 < s->n_common; i++) {
		if (is_whole(s, i) && !(are_rare && s->stands_out[i]))
			ret[n++] = i;
	}
	return n;
}

static bool keep(const struct sampling *s, const uint32_t *chosen, struct wl_arena *arena,
		 struct wl_sample *ret)
{
	size_t n_all = ret->n_steps + ret->n_thinned;
	uint32_t **step_of = WL_NEW(arena, uint32_t *, s->trace->n_processes);
	uint32_t *tile = WL_NEW(arena, uint32_t, s->n_members * ret->n_steps);

	if (!step_of || !tile)
		return false;
	for (size_t m = 0; m < s->n_members; m++) {
		size_t n = iters_of(s, m)->n;
		uint32_t *of = WL_NEW(arena, uint32_t, n);

		if (!of)
			return false;
		for (size_t i = 0; i < n; i++)
			of[i] = WL_NONE;
		for (uint32_t k = 0; k < ret->n_steps; k++) {
			uint32_t iter = chosen[k * n_all / ret->n_steps];

			of[iter] = k;
			tile[m * ret->n_steps + k] = s->tile[m * s->n_common + iter];
		}
		step_of[s->ledger->lane[s->lane[m]].process] = of;
	}
	ret->step_of = (const uint32_t *const *)step_of;
	ret->tile = tile;
	return true;
}

bool wl_sample_find(const struct wl_trace *trace, const struct wl_iterations *iterations,
		    const struct wl_ledger *ledger, struct wl_arena *arena, struct wl_sample *ret)
{
	struct sampling s = { .trace = trace, .iterations = iterations, .ledger = ledger };
	uint32_t *chosen;
	size_t n;

	*ret = (struct wl_sample){ .n_steps = 0 };
	s.lane = WL_NEW(arena, uint32_t, ledger->n);
	if (!s.lane)
		return false;
	find_members(&s, ret);
	s.tile = WL_NEW(arena, uint32_t, s.n_members * s.n_common);
	s.stands_out = WL_NEW(arena, bool, s.n_common);
	chosen = WL_NEW(arena, uint32_t, s.n_common);
	if (!s.tile || !s.stands_out || !chosen || !find_tiles(&s, arena))
		return false;
	n = choose(&s, chosen, ret);
	ret->n_steps = n < WL_FP_STEPS ? n : WL_FP_STEPS;
	ret->n_thinned = n - ret->n_steps;
	ret->n_members = s.n_members;
	ret->lane = s.lane;
	return keep(&s, chosen, arena, ret);
}
