/* SPDX-License-Identifier: MIT */
/* path_savings.c - what the run would save without the time of a class, as whatif replays it. */

#include "analysis/path/path_rows.h"
#include "analysis/words/whatif_words.h"
#include "base/text/units.h"
#include "derive/graph/scenario/held_out.h"
#include "derive/iters/iters.h"

#define CLASS(name) (1U << WL_PATH_##name)

/* The scenarios that remove time, largest parts first; dispatch, dependency and unknown time cannot
 * be removed. */
static const struct {
	const char *scenario;
	unsigned classes;  /* classes whose time on the path it removes */
	unsigned also;     /* other classes that it also removes */
	const char *frees; /* what else it removes, if it saves more than these classes have */
} savings[] = {
	{ "class=compute:0", CLASS(COMPUTE), 0, "kernels that are hidden now" },
	{ "comm-free", CLASS(COMM) | CLASS(TRANSFER), 0, "communication that is hidden now" },
	{ "class=copy:0", CLASS(COPY), 0, "copies that are hidden now" },
	{ "host-callback", CLASS(CALLBACK), 0,
	  "waits for functions of the host that are hidden now" },
	{ "module-load-in-loop", CLASS(LOADING), 0, "calls that load, which are api here" },
	{ "host-free", CLASS(HOST) | CLASS(API) | CLASS(RETURN) | CLASS(PROFILER),
	  CLASS(LATENCY) | CLASS(LOADING) | CLASS(QUEUE), "host time that is hidden now" },
	{ "launch-free", CLASS(LATENCY), 0, "launch calls, which are api here" },
	{ "class=mpi:0", CLASS(MPI), 0, "MPI calls that are hidden now" },
};

static wl_ns time_of(const struct wl_path_rows *r, unsigned classes)
{
	wl_ns sum = 0;

	for (unsigned i = 0; i < WL_N_PATH_CLASSES; i++)
		sum += classes & 1U << i ? r->time[i] : 0;
	return sum;
}

/* The saving is shown once, at the class with the most time, or in a note if it exceeds the
 * classes' time. */
static void put_saving(struct wl_path_rows *r, struct wl_table *out, size_t s, wl_ns saving)
{
	/*
	 * A replay without copies, which had 3.5 ms on the path, saved 56.4 ms, because the
	 * scenario also removed hidden copies. Beside the class, that number would be read as the
	 * class's own. Up to a tenth more than the classes' time is attributed to knock-on effects.
	 */
	const double much = 1.1;
	wl_ns held = time_of(r, savings[s].classes | savings[s].also);
	bool is_held = (double)saving <= much * (double)held;
	unsigned most = WL_N_PATH_CLASSES;
	char time[WL_UNITS_BUF];

	for (unsigned i = 0; i < WL_N_PATH_CLASSES; i++) {
		if (!(savings[s].classes & 1U << i) || r->time[i] == 0)
			continue;
		r->saving[i].scenario = savings[s].scenario;
		most = most == WL_N_PATH_CLASSES || r->time[i] > r->time[most] ? i : most;
	}
	if (is_held) {
		r->saving[most].is_here = true;
		r->saving[most].saving = saving;
	} else {
		wl_table_note(out, "%s saves %s; it also removes %s", savings[s].scenario,
			      wl_fmt_ns(time, saving, WL_UNIT_AUTO), savings[s].frees);
	}
}

static int run_scenario(struct wl_path_rows *r, struct wl_whatif *w, size_t s, struct wl_table *out,
			struct wl_err *reterr)
{
	struct wl_whatif_result result;
	struct wl_asked ask;
	const char *remark;
	int status = wl_ask_parse(savings[s].scenario, r->run->arena, &ask, reterr);

	if (status == WL_OK)
		status = wl_whatif_run(w, &ask, 1, &result, reterr);
	/* The classes have time on the path but no activity that the scenario can change. */
	if (status == WL_E_NOMATCH)
		return WL_OK;
	if (status < 0 || result.refused)
		return status;
	put_saving(r, out, s, result.saving);
	if (!wl_whatif_is_held(&result))
		return status;
	remark = wl_whatif_say(&result, r->run->arena);
	if (!remark)
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	wl_table_note(out, "%s saves %s", savings[s].scenario, remark);
	return status;
}

/* Notes if the program's first step began before the first operation. */
static void note_begin(const struct wl_path_rows *r, struct wl_table *out)
{
	const struct wl_iterations *all = r->run->derived->iterations;
	const struct wl_interval window = r->path->window;
	wl_ns first = window.begin;
	char time[WL_UNITS_BUF];

	for (size_t i = 0; r->run->scope->whole && i < r->run->trace->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		if (p->n && p->by_marker && p->at[p->by_marker[0]].host.begin < first)
			first = p->at[p->by_marker[0]].host.begin;
	}
	if (window.begin - first > (window.end - window.begin) / 100)
		wl_table_note(
			out,
			"the path starts at the first GPU operation; %s of step 0 comes before it",
			wl_fmt_ns(time, window.begin - first, WL_UNIT_AUTO));
}

static void note_mpi(const struct wl_path_rows *r, struct wl_table *out)
{
	if (r->time[WL_PATH_MPI])
		wl_table_note(out, "class=mpi:0 also removes waiting in unmatched MPI calls");
}

int wl_path_savings_find(struct wl_path_rows *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_run *run = r->run;
	struct wl_fidelity fidelity;
	struct wl_whatif w;
	int status = WL_OK;

	note_begin(r, out);
	if (!wl_whatif_begin(run->derived, NULL, run->arena, &w) ||
	    !wl_fidelity_find(&w, run->arena, &fidelity))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	if (fidelity.refused) {
		wl_table_note(out, "no savings: the run could not be replayed (%s)",
			      wl_refusal_say(fidelity.refused));
		return WL_OK;
	}
	/* Fidelity is that of the whole trace: a window may not have three steps to compare. */
	if (!run->scope->whole &&
	    !wl_whatif_begin(run->derived, run->scope->process, run->arena, &w))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	for (size_t i = 0; status == WL_OK && i < WL_COUNT(savings); i++) {
		/* Each costs a replay, and saves nothing if its classes are not on the path. */
		if (time_of(r, savings[i].classes))
			status = run_scenario(r, &w, i, out, reterr);
	}
	note_mpi(r, out);
	return status;
}
