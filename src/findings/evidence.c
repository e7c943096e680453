/* SPDX-License-Identifier: MIT */
#include "findings/evidence.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/text/units.h"
#include "table/filter.h"

/* An atom's values in the columns of the verb idle. No padding. */
struct row {
	const char *detail, *opened_by;
	uint64_t loss;
};

enum { CAUSE, DETAIL, OPENED_BY };

static const struct wl_col cols[] = {
	[CAUSE] = { "cause", "Cause", WL_T_ENUM, WL_KEY, "Cause of the idle time." },
	[DETAIL] = { "detail", "Detail", WL_T_STR, WL_KEY, "Call or range." },
	[OPENED_BY] = { "opened_by", "Opened by", WL_T_STR, WL_KEY, "Call." },
};

struct weighing {
	struct wl_rule_state *d;
	const struct wl_finding *f;
	struct wl_arena scratch;
	bool *is_shown; /* by atom of the finding's GPU */
	wl_ns shown, own, none;
};

static const struct wl_rule_gpu *gpu_of(const struct weighing *w)
{
	return &w->d->gpu[w->f->gpu];
}

static const char *where_of(const struct wl_cmdline *command)
{
	for (size_t i = 0; i < WL_CMDLINE_OPTIONS && command->option[i].name; i++) {
		if (strcmp(command->option[i].name, "where") == 0)
			return command->option[i].value;
	}
	return NULL;
}

/* Whether the command shows idle time by cause, in the steps of the finding. */
static bool can_weigh(const struct wl_rule_state *d, const struct wl_finding *f)
{
	const struct wl_cmdline *command = &f->evidence;

	if (!f->claim || f->kind != WL_FINDING_SAVING || f->is_elsewhere ||
	    command->gpus != WL_GPUS_ONE || command->has_steps != d->gpu[f->gpu].by_step)
		return false;
	return strcmp(command->verb, "idle") == 0 && where_of(command);
}

static void put_row(struct wl_table *t, const struct row *row)
{
	wl_table_row(t);
	wl_put_str(t, CAUSE, wl_cause_name((enum wl_cause)row->loss));
	wl_put_str(t, DETAIL, row->detail);
	wl_put_str(t, OPENED_BY, row->opened_by);
}

/* Find which of the distinct rows the command keeps. */
static bool keep_rows(struct weighing *w, const struct wl_intern *rows, bool *keeps)
{
	const struct row *row = rows->items.data;
	struct wl_filter filter = { .table = NULL };
	struct wl_table t;
	struct wl_err err;
	bool ok = true;

	wl_table_init(&t, &w->scratch, cols, WL_COUNT(cols));
	for (size_t i = 0; i < rows->items.n; i++)
		put_row(&t, &row[i]);
	ok = !t.failed &&
	     wl_filter_init(&filter, &t, where_of(&w->f->evidence), &w->scratch, &err) == WL_OK;
	for (size_t i = 0; ok && i < rows->items.n; i++)
		keeps[i] = wl_filter_match(&filter, i, &err) == 1;
	wl_filter_release(&filter);
	return ok;
}

static bool find_rows(struct weighing *w)
{
	const struct wl_ledger_lane *lane = gpu_of(w)->lane;
	uint32_t *of = WL_NEW(&w->scratch, uint32_t, lane->n_atoms + 1);
	struct wl_intern rows;
	bool *keeps, ok = of != NULL;

	wl_intern_init(&rows, sizeof(struct row), wl_arena_budget(w->d->run->arena));
	for (size_t i = 0; ok && i < lane->n_atoms; i++) {
		const struct wl_atom *atom = &lane->atom[i];

		of[i] = WL_NONE;
		if (atom->loss >= WL_N_CAUSES)
			continue;
		of[i] = wl_intern_put(&rows,
				      &(struct row){ atom->detail, atom->opener, atom->loss });
		ok = of[i] != WL_NONE;
	}
	keeps = ok ? WL_NEW(&w->scratch, bool, rows.items.n + 1) : NULL;
	ok = keeps && keep_rows(w, &rows, keeps);
	for (size_t i = 0; ok && i < lane->n_atoms; i++)
		w->is_shown[i] = of[i] != WL_NONE && keeps[of[i]];
	wl_intern_release(&rows);
	return ok;
}

static void add_up(struct weighing *w)
{
	const struct wl_rule_gpu *gpu = gpu_of(w);
	const struct wl_taken *taken = w->d->taken.data;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		if (!w->is_shown[i] || !gpu->in_sample[gpu->lane->atom[i].tile])
			continue;
		w->shown += gpu->lane->atom[i].ns;
		w->none += gpu->left[i];
	}
	for (size_t i = 0; i < w->d->taken.n; i++) {
		if (taken[i].claim == w->f->claim && taken[i].gpu == w->f->gpu &&
		    w->is_shown[taken[i].atom])
			w->own += taken[i].ns;
	}
}

/* "8.917 ms of this", "7.35 ms of the 15.67 ms that this finding claims" */
static const char *say_own(const struct weighing *w, wl_ns claim)
{
	char own[WL_UNITS_BUF], all[WL_UNITS_BUF];

	(void)wl_fmt_ns(own, w->own, WL_UNIT_AUTO);
	if (20 * w->own >= 19 * claim)
		return wl_say(w->d, "%s of this", own);
	return wl_say(w->d, "%s of the %s that this finding claims", own,
		      wl_fmt_ns(all, claim, WL_UNIT_AUTO));
}

static const char *say(const struct weighing *w, wl_ns claim)
{
	wl_ns others = w->shown - w->own - w->none;
	const char *own = say_own(w, claim), *theirs = "", *none = "";
	char time[WL_UNITS_BUF];

	if (others > 0)
		theirs =
			wl_say(w->d, "%s%s that other findings claim", w->none > 0 ? ", " : " and ",
			       wl_fmt_ns(time, others, WL_UNIT_AUTO));
	if (w->none > 0)
		none = wl_say(w->d, " and %s that none claims",
			      wl_fmt_ns(time, w->none, WL_UNIT_AUTO));
	if (!own || !theirs || !none)
		return NULL;
	if (!gpu_of(w)->by_step)
		return wl_say(w->d, "%s The evidence shows %s%s%s.", w->f->limits, own, theirs,
			      none);
	return wl_say(w->d, "%s In steps %u-%u the evidence shows %s%s%s.", w->f->limits,
		      gpu_of(w)->first, gpu_of(w)->last, own, theirs, none);
}

static bool weigh(struct wl_rule_state *d, struct wl_finding *f)
{
	struct weighing w = { .d = d, .f = f };
	wl_ns claim = (wl_ns)(f->window_share * (double)d->gpu[f->gpu].window + 0.5);
	bool ok;

	wl_arena_init_child(&w.scratch, d->run->arena);
	w.is_shown = WL_NEW(&w.scratch, bool, gpu_of(&w)->lane->n_atoms + 1);
	ok = w.is_shown && find_rows(&w);
	if (ok)
		add_up(&w);
	if (ok && (20 * (w.shown - w.own) >= claim || 20 * (claim - w.own) >= claim)) {
		f->limits = say(&w, claim);
		ok = f->limits != NULL;
	}
	wl_arena_release(&w.scratch);
	return ok;
}

bool wl_evidence_weigh(struct wl_rule_state *d)
{
	struct wl_finding *all = d->findings.data;
	bool ok = !d->taken.failed;

	for (size_t i = 0; ok && i < d->findings.n; i++)
		ok = !can_weigh(d, &all[i]) || weigh(d, &all[i]);
	return ok;
}
