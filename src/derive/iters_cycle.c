/* Cycles of exact names: layer 0 to 7, and again from 0, is one step of eight ranges. */
#include <stdio.h>

#include "base/sort.h"
#include "derive/iters_parts.h"
#include "derive/period.h"
#include "facts/steps.h"

/* Whether so many distinct names can repeat at all; spares steps that are counted up. */
static bool may_cycle(const struct wl_iter_input *in, const uint32_t *exact, size_t n,
		      struct wl_arena *arena, bool *ret)
{
	bool *seen = WL_NEW(arena, bool, in->names->n);
	size_t n_distinct = 0;

	for (size_t i = 0; seen && i < n; i++) {
		n_distinct += !seen[exact[i]];
		seen[exact[i]] = true;
	}
	*ret = n_distinct > 1 && 2 * n_distinct <= n;
	return seen != NULL;
}

/* The phase with the longest median time on the host since the range before; the first of equals.
 */
static size_t find_phase(const struct wl_markers *m, size_t period, wl_ns *room)
{
	size_t best = 0;
	wl_ns most = -1;

	for (size_t phase = 0; phase < period; phase++) {
		size_t found = 0;

		for (size_t i = phase ? phase : period; i < m->n; i += period)
			room[found++] = m->at[i].start - m->at[i - 1].end;
		if (found == 0)
			continue;
		wl_sort_i64(room, found);
		if (room[wl_rank(found, 50)] > most) {
			most = room[wl_rank(found, 50)];
			best = phase;
		}
	}
	return best;
}

/* Each from its first range to the start of the next cycle. */
static void join(struct wl_markers *m, size_t phase, size_t period)
{
	size_t n = 0;

	for (size_t i = phase; i < m->n; i += period) {
		size_t next = i + period;

		m->at[n++] =
			(struct wl_marker){ m->at[i].start,
					    next < m->n ? m->at[next].start : m->at[m->n - 1].end,
					    m->at[i].row };
	}
	m->n = n;
}

static bool find_cycle(const struct wl_iter_input *in, const struct wl_markers *m,
		       struct wl_arena *scratch, struct wl_period *ret, size_t *ret_phase)
{
	uint32_t *exact = WL_NEW(scratch, uint32_t, m->n);
	wl_ns *room = WL_NEW(scratch, wl_ns, m->n);
	bool worth_it;

	*ret = (struct wl_period){ .length = 0 };
	if (!exact || !room)
		return false;
	for (size_t i = 0; i < m->n; i++)
		exact[i] = wl_range_name_of(in->names, m->at[i].row)->same_exact;
	if (!may_cycle(in, exact, m->n, scratch, &worth_it))
		return false;
	if (!worth_it)
		return true;
	if (!wl_period_find(exact, m->n, scratch, ret))
		return false;
	*ret_phase = ret->length > 1 ? find_phase(m, ret->length, room) : 0;
	return true;
}

bool wl_iter_join_cycles(const struct wl_iter_input *in, struct wl_steps_found *found,
			 struct wl_arena *arena)
{
	struct wl_arena scratch;
	struct wl_period period;
	char is[256];
	size_t phase = 0;
	bool ok;

	/* Steps that begin anew in every epoch are steps all the same. */
	if (found->markers.n == 0 || wl_name_is_step(found->what))
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = find_cycle(in, &found->markers, &scratch, &period, &phase);
	wl_arena_release(&scratch);
	if (!ok)
		return false;
	if (period.length < 2) {
		found->is_guess = wl_name_is_layer(found->what);
		return true;
	}
	join(&found->markers, phase, period.length);
	found->is_joined = true;
	(void)snprintf(is, sizeof(is), "cycle of %zu NVTX ranges `%.200s`", period.length,
		       found->what);
	found->is = wl_arena_strdup(arena, is);
	return found->is != NULL;
}
