/* SPDX-License-Identifier: MIT */
/* iters_cycle.c - finds cycles of exact names: layers 0 to 7, then 0 again, form a step of 8
 * ranges. */
#include <stdio.h>
#include <string.h>

#include "derive/iters/iters_parts.h"
#include "known/calls/steps.h"

/*
 * The shortest p with exact[i] == exact[i + p] for all i, found from the borders of all prefixes.
 * Knuth, Morris and Pratt: the shortest period of a sequence is its length minus its longest
 * border. Linear.
 */
static size_t find_period(const uint32_t *exact, size_t n, size_t *border)
{
	size_t k = 0;

	for (size_t i = 1; i < n; i++) {
		while (k > 0 && exact[i] != exact[k])
			k = border[k - 1];
		k += exact[i] == exact[k];
		border[i] = k;
	}
	return n - k;
}

/* Sorts by length, which puts layer 2 before layer 10, then by bytes. */
static bool is_lower(const char *a, const char *b)
{
	size_t n_a = strlen(a), n_b = strlen(b);

	return n_a != n_b ? n_a < n_b : strcmp(a, b) < 0;
}

/* The position of the lowest name in the cycle: a capture may begin in the middle of one. */
static size_t find_phase(const struct wl_range_names *names, const uint32_t *exact, size_t period)
{
	size_t best = 0;

	for (size_t i = 1; i < period; i++) {
		if (is_lower(names->name[exact[i]].exact, names->name[exact[best]].exact))
			best = i;
	}
	return best;
}

/* Join each cycle into a marker, from its first range to the start of the next cycle. */
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

/* The length of the cycle, 0 for none, and where the first one begins. False without memory. */
static bool find_cycle(const struct wl_iter_input *in, const struct wl_markers *m,
		       struct wl_arena *scratch, size_t *ret_length, size_t *ret_phase)
{
	uint32_t *exact = WL_NEW(scratch, uint32_t, m->n);
	size_t *border = WL_NEW(scratch, size_t, m->n), period;

	*ret_length = *ret_phase = 0;
	if (!exact || !border)
		return false;
	for (size_t i = 0; i < m->n; i++)
		exact[i] = wl_range_name_of(in->names, m->at[i].row)->same_exact;
	period = find_period(exact, m->n, border);
	/* At least two full cycles are needed: one alone shows no repetition. */
	if (period > 1 && 2 * period <= m->n) {
		*ret_length = period;
		*ret_phase = find_phase(in->names, exact, period);
	}
	return true;
}

bool wl_iter_join_cycles(const struct wl_iter_input *in, struct wl_steps_found *found,
			 struct wl_arena *arena)
{
	struct wl_arena scratch;
	size_t period, phase;
	char is[256];
	bool ok;

	/* Steps whose numbers restart in every epoch are still steps. */
	if (found->markers.n == 0 || wl_name_is_step(found->what))
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = find_cycle(in, &found->markers, &scratch, &period, &phase);
	wl_arena_release(&scratch);
	if (!ok)
		return false;
	if (period == 0) {
		found->is_guess = wl_name_is_layer(found->what);
		return true;
	}
	join(&found->markers, phase, period);
	found->is_joined = true;
	(void)snprintf(is, sizeof(is), "cycle of %zu NVTX ranges `%.200s`", period, found->what);
	found->is = wl_arena_strdup(arena, is);
	return found->is != NULL;
}
