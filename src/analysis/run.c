/* SPDX-License-Identifier: MIT */
/* run.c - runs an analysis: the part that all analyses share. */
#include "analysis/analysis.h"

#include <string.h>

#include "analysis/axes.h"
#include "analysis/clock_note.h"
#include "analysis/empty.h"
#include "analysis/foreign_note.h"
#include "analysis/missing_ranks.h"

static void want_always(const struct wl_analysis *a, struct wl_wanted *wanted)
{
	wl_want(wanted, a->from, a->needs);
	wl_want(wanted, 0, a->needs_any);
	wl_want(wanted, 0, a->uses);
}

void wl_analysis_want(const struct wl_analysis *a, const union wl_arg *arg,
		      struct wl_wanted *wanted)
{
	want_always(a, wanted);
	if (a->shows_idle)
		wl_want(wanted, WL_FROM(FOREIGN_WORK), NULL);
	if (a->want)
		a->want(arg, wanted);
}

struct wl_columns wl_analysis_columns(const struct wl_analysis *a)
{
	struct wl_wanted wanted = { .from = 0 };

	want_always(a, &wanted);
	return wl_wanted_columns(&wanted);
}

/* The first family of the list that has no rows; WL_N_FAMILIES if all have rows. */
static enum wl_family_id empty_family(const struct wl_trace *t, const enum wl_column_id *list)
{
	for (; list && *list != WL_N_COLUMNS; list++) {
		if (t->family[wl_column_infos[*list].family].n == 0)
			return wl_column_infos[*list].family;
	}
	return WL_N_FAMILIES;
}

static bool all_empty(const struct wl_trace *t, const enum wl_column_id *list)
{
	if (!list)
		return false;
	for (; *list != WL_N_COLUMNS; list++) {
		if (t->family[wl_column_infos[*list].family].n)
			return false;
	}
	return true;
}

static int check_needs(const struct wl_analysis *a, const struct wl_trace *t, struct wl_err *reterr)
{
	enum wl_family_id missing = empty_family(t, a->needs);
	const char *why;

	if (missing == WL_N_FAMILIES && all_empty(t, a->needs_any))
		missing = wl_column_infos[a->needs_any[0]].family;
	if (missing == WL_N_FAMILIES)
		return WL_OK;
	why = a->why_empty ? a->why_empty(t) : NULL;
	if (why)
		return wl_fail(reterr, WL_E_NODATA, "%s", why);
	return wl_fail_empty(t, missing, reterr);
}

static int check_lacks(const struct wl_analysis *a, const struct wl_run *run, struct wl_err *reterr)
{
	const char *why = a->lacks ? a->lacks(run) : NULL;

	return why ? wl_fail(reterr, WL_E_NODATA, "%s", why) : WL_OK;
}

/* Dropped rows are missing from every number: note it. */
static void note_dropped(const struct wl_trace *t, const struct wl_columns *columns,
			 struct wl_table *out)
{
	for (enum wl_family_id id = 0; id < WL_N_FAMILIES; id++) {
		size_t n = t->family[id].n_dropped;

		if (n && wl_columns_has_family(columns, id))
			wl_table_note(out, "%zu row%s of %s skipped: invalid time or device", n,
				      n == 1 ? "" : "s", wl_family_infos[id].help);
	}
}

/* Families whose absence needs no note: no overhead is good news, few calls have other kinds of
 * cost or wait for host functions, most programs do not use MPI, and most exports omit payloads. */
static bool may_lack(enum wl_family_id id)
{
	return id == WL_F_OVERHEAD || id == WL_F_CALL_COSTS || id == WL_F_JITS ||
	       id == WL_F_CALLBACKS || id == WL_F_MPI_COLLS || id == WL_F_MPI_OTHERS ||
	       id == WL_F_MPI_P2P || id == WL_F_MPI_WAITS || id == WL_F_NCCL_CALLS;
}

/* "--trace=osrt" alone would not record CUDA: the note says to add such a word to --trace. */
static void note_family(const struct wl_family_info *f, const char *verb, struct wl_table *out)
{
	static const char trace[] = "nsys profile --trace=";
	const size_t n = sizeof(trace) - 1;

	if (strncmp(f->capture, trace, n) == 0)
		wl_table_remark(out, "%s %s not recorded (add %s to --trace)", f->help, verb,
				f->capture + n);
	else
		wl_table_remark(out, "%s %s not recorded (record with %s)", f->help, verb,
				f->capture);
}

/* Notes host rows that would improve the answer but were not recorded. */
static void note_absent(const struct wl_trace *t, const struct wl_analysis *a, struct wl_table *out)
{
	struct wl_wanted wanted = { .from = a->from };
	struct wl_columns columns;

	wl_want(&wanted, 0, a->uses);
	columns = wl_wanted_columns(&wanted);
	for (enum wl_family_id id = 0; id < WL_N_FAMILIES; id++) {
		const struct wl_family_info *f = &wl_family_infos[id];

		if (f->order == WL_BY_THREAD && !may_lack(id) && t->family[id].n == 0 &&
		    !(out->told >> id & 1) && wl_columns_has_family(&columns, id))
			note_family(f, id == WL_F_SCHED ? "was" : "were", out);
	}
}

void wl_analysis_table(const struct wl_analysis *a, const union wl_arg *arg, struct wl_arena *arena,
		       struct wl_table *out)
{
	uint64_t hidden = a->hidden ? a->hidden(arg) : 0;
	enum wl_axis axis;

	if (wl_axis_asked(a, arg, &axis)) {
		wl_axis_table(a, axis, arena, out);
		return;
	}
	wl_table_init(out, arena, a->cols, a->n_cols);
	if (a->is_tree)
		wl_table_tree(out);
	for (size_t i = 0; i < a->n_cols; i++) {
		if (hidden >> i & 1)
			wl_table_hide(out, i);
	}
}

/* Fills its rows, or merges rows of ranks with the same coordinate. */
static int fill(const struct wl_analysis *a, const struct wl_run *run, struct wl_table *out,
		struct wl_err *reterr)
{
	struct wl_table rows;
	enum wl_axis axis;
	int r;

	if (!wl_axis_asked(a, run->arg, &axis))
		return a->run(run, out, reterr);
	wl_table_init(&rows, run->arena, a->cols, a->n_cols);
	r = a->run(run, &rows, reterr);
	return r < 0 ? r : wl_axis_group(a, axis, &rows, out, reterr);
}

int wl_analysis_run(const struct wl_analysis *a, const struct wl_run *run, struct wl_table *out,
		    struct wl_err *reterr)
{
	const struct wl_columns columns = wl_analysis_columns(a);
	int r = check_needs(a, run->trace, reterr);

	if (r >= 0)
		r = check_lacks(a, run, reterr);
	if (r < 0)
		return r;
	wl_analysis_table(a, run->arg, run->arena, out);
	/* Must be the first note: it calls all idle time of the answer into question. */
	if (a->shows_idle)
		wl_foreign_note(run, out);
	r = fill(a, run, out, reterr);
	if (r < 0)
		return r;
	if (a->across_ranks) {
		wl_missing_ranks_note(run->trace, out);
		wl_clock_note(run->trace, out);
	}
	note_dropped(run->trace, &columns, out);
	/* Remarks about the whole trace go next to what it cannot answer. */
	if (!a->on_host)
		note_absent(run->trace, a, out);
	return wl_table_ok(out) ? WL_OK : wl_no_memory(a, reterr);
}
