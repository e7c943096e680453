/* SPDX-License-Identifier: MIT */
#include "derive/graph/scenario/late_verdict.h"

#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/scenario/held_out.h"

/* Two verdicts need no replay: pipeline stages are late by design, and other kinds of work are not
 * compared. */
static bool rests_on_replays(enum wl_late_verdict verdict)
{
	return verdict != WL_LATE_STAGES && verdict != WL_LATE_OTHER_WORK;
}

/* Leave the verdict open: no rank is named, and none is cleared. */
static void leave_open(struct wl_stragglers *s)
{
	if (s->n || rests_on_replays(s->verdict))
		s->verdict = WL_LATE_UNREPLAYED;
	s->n_tried = s->n;
	s->n_sets_tried = s->n_sets;
	s->n = s->n_sets = s->n_changes = 0;
}

/* The forecast is the same for all sets, because they are replayed together, as findings do. */
static bool keep_forecast(const struct wl_whatif_result *result, struct wl_arena *arena,
			  struct wl_stragglers *s)
{
	const struct wl_forecasted as = wl_fidelity_forecast(s->fidelity, result, result->saving);
	struct wl_late_set *set = WL_NEW(arena, struct wl_late_set, s->n_sets);

	for (size_t i = 0; set && i < s->n_sets; i++) {
		set[i] = s->set[i];
		set[i].is_at_least = as.forecast == WL_LOWER_BOUND;
	}
	s->set = set;
	s->error = as.error;
	return set != NULL;
}

/* Run the same replay as findings and whatif. */
static bool foresee(struct wl_whatif *w, struct wl_arena *arena, struct wl_stragglers *s)
{
	const struct wl_derived *whole = w->given;
	struct wl_derived given = *whole;
	struct wl_whatif_result result;
	struct wl_asked ask;
	struct wl_err err;
	int r = wl_ask_parse("no-straggler", w->arena, &ask, &err);

	given.stragglers = s;
	w->given = &given;
	if (r == WL_OK)
		r = wl_whatif_run(w, &ask, 1, &result, &err);
	w->given = whole;
	if (r != WL_OK)
		return r != WL_E_NOMEM;
	if (result.refused) {
		s->refused = result.refused;
		leave_open(s);
		return true;
	}
	return keep_forecast(&result, arena, s);
}

static bool judge(const struct wl_derived *given, struct wl_arena *arena, struct wl_arena *scratch,
		  struct wl_stragglers *s)
{
	struct wl_fidelity *fidelity = WL_NEW(arena, struct wl_fidelity, 1);
	struct wl_whatif w;

	if (!fidelity || !wl_whatif_begin(given, NULL, scratch, &w) ||
	    !wl_fidelity_find(&w, scratch, fidelity))
		return false;
	s->fidelity = fidelity;
	s->refused = fidelity->refused;
	if (s->refused || (s->n == 0 && s->hold > 0))
		leave_open(s);
	return s->n == 0 || foresee(&w, arena, s);
}

bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret)
{
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = wl_stragglers_try(given, arena, ret) &&
	     (ret->suspects->n == 0 || judge(given, arena, &scratch, ret));
	wl_arena_release(&scratch);
	return ok;
}
