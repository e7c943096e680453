/* SPDX-License-Identifier: MIT */
#include "fleet/history/movers.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/sort.h"

enum { BEFORE, AFTER, N_GROUPS };

struct total {
	double ns, calls;
	uint32_t n_runs;
};

struct totals {
	struct total *of[N_GROUPS]; /* by thing */
	struct total all[N_GROUPS];
	size_t n_runs[N_GROUPS];
	enum wl_hist_absence absence;
};

static void count(struct total *t, const struct wl_hist_cell *cell)
{
	t->ns += (double)cell->ns;
	t->calls += cell->calls;
	t->n_runs++;
}

static struct total mean_of(const struct totals *t, uint32_t what, int group)
{
	struct total mean = t->of[group][what];
	double n = (double)t->n_runs[group];

	if (t->absence == WL_HIST_IS_OTHER) {
		if (!mean.n_runs)
			mean = t->all[group];
		n = mean.n_runs ? mean.n_runs : 1;
	}
	mean.ns /= n;
	mean.calls /= n;
	return mean;
}

static struct wl_hist_mover mover_of(const struct totals *t, uint32_t what)
{
	struct total before = mean_of(t, what, BEFORE), after = mean_of(t, what, AFTER);
	struct wl_hist_mover m = { .what = what,
				   .n_before = t->of[BEFORE][what].n_runs,
				   .n_after = t->of[AFTER][what].n_runs,
				   .before = llround(before.ns),
				   .after = llround(after.ns) };

	m.change = m.after - m.before;
	if (before.calls > 0) {
		double effect = (after.calls - before.calls) * before.ns / before.calls;

		/* More than a double counts exactly is no effect of calls. */
		m.by_count = fabs(effect) < 0x1p53 ? llround(effect) : 0;
	}
	if (before.calls <= 0 && after.calls > 0)
		m.by_count = m.change; /* as in diff: what is on one side only is all count */
	m.by_duration = m.change - m.by_count;
	return m;
}

static bool is_larger(const void *context, uint32_t a, uint32_t b)
{
	const struct wl_hist_mover *m = context;

	return llabs(m[a].change) > llabs(m[b].change);
}

static bool fill(const struct totals *t, size_t n_whats, struct wl_arena *arena,
		 struct wl_arena *scratch, struct wl_hist_mover **ret, size_t *ret_n)
{
	struct wl_hist_mover *found = WL_NEW(scratch, struct wl_hist_mover, n_whats + 1);
	uint32_t *order = WL_NEW(scratch, uint32_t, n_whats + 1);
	uint32_t *tmp = WL_NEW(scratch, uint32_t, n_whats + 1);
	size_t n = 0;

	if (!found || !order || !tmp)
		return false;
	for (uint32_t i = 0; i < n_whats; i++) {
		if (!t->of[BEFORE][i].n_runs && !t->of[AFTER][i].n_runs)
			continue;
		order[n] = (uint32_t)n;
		found[n++] = mover_of(t, i);
	}
	wl_sort_index(order, n, tmp, is_larger, found);
	*ret = WL_NEW(arena, struct wl_hist_mover, n + 1);
	if (!*ret)
		return false;
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = found[order[i]];
	*ret_n = n;
	return true;
}

bool wl_hist_movers(const struct wl_hist_cell *cells, size_t n, size_t n_whats,
		    const struct wl_hist_verdict *groups, enum wl_hist_absence absence,
		    struct wl_arena *arena, struct wl_hist_mover **ret, size_t *ret_n)
{
	struct totals t = { .n_runs = { groups->at - groups->from, groups->end - groups->at },
			    .absence = absence };
	struct wl_arena scratch;
	bool ok = true;

	wl_arena_init_child(&scratch, arena);
	for (int g = 0; g < N_GROUPS; g++) {
		t.of[g] = WL_NEW(&scratch, struct total, n_whats + 1);
		ok = ok && t.of[g];
	}
	for (size_t i = 0; ok && i < n; i++) {
		const struct wl_hist_cell *c = &cells[i];
		int group = c->run < groups->at ? BEFORE : AFTER;

		if (c->run < groups->from || c->run >= groups->end)
			continue;
		count(&t.of[group][c->what], c);
		count(&t.all[group], c);
	}
	ok = ok && fill(&t, n_whats, arena, &scratch, ret, ret_n);
	wl_arena_release(&scratch);
	return ok;
}
