/* SPDX-License-Identifier: MIT */
#include "session/document/doc_frame.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/host_window.h"
#include "base/text/units.h"
#include "derive/iters/iters.h"
#include "model/command.h"
#include "session/document/doc_step.h"
#include "session/select/extent.h"

enum { MAX_DETAILS = 4 };

/* The models of the GPUs that were used, each once: "NVIDIA H100, NVIDIA A100"; NULL for none. */
static const char *gpu_models(const struct wl_trace *t, struct wl_arena *arena)
{
	enum { TEXT_CAP = 256 };
	char text[TEXT_CAP] = "";
	size_t used = 0;

	for (size_t i = 0; i < t->n_devices && used < sizeof(text); i++) {
		uint32_t name = t->devices[i].name;
		bool is_new = name != WL_NONE;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = t->devices[k].name != name;
		if (is_new)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.100s",
						 used ? ", " : "", wl_str(t, name));
	}
	return used ? wl_arena_strdup(arena, text) : NULL;
}

/* GPUs, host, date and command, as far as the file tells; returns how many. */
static size_t put_details(const struct wl_trace *t, struct wl_arena *arena,
			  struct wl_fact ret[MAX_DETAILS])
{
	time_t seconds = (time_t)(t->utc_start / 1000000000);
	const char *models = gpu_models(t, arena), *command = wl_command_line(t, arena);
	char date[64];
	struct tm tm;
	size_t n = 0;

	if (models)
		ret[n++] = (struct wl_fact){ "gpu", models, 0 };
	if (t->host != WL_NONE)
		ret[n++] = (struct wl_fact){ "host", wl_str(t, t->host), 0 };
	if (t->utc_start > 0 && gmtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm) > 0)
		ret[n++] = (struct wl_fact){ "recorded", wl_arena_strdup(arena, date), 0 };
	if (command && *command)
		ret[n++] = (struct wl_fact){ "command", command, 0 };
	return n;
}

static const struct wl_fact *make_facts(const struct wl_framing *g, struct wl_arena *arena,
					size_t *ret_n)
{
	const struct wl_trace *t = g->trace;
	const char *nsys = wl_trace_meta(t, "EXPORT_PRODUCT_VERSION");
	const char *schema = wl_trace_meta(t, "EXPORT_SCHEMA_VERSION");
	/* Path, version and schema; the path comes first, which answers.c and join.c rely on. */
	struct wl_fact *f = WL_NEW(arena, struct wl_fact, 3 + MAX_DETAILS);
	size_t n = 0;

	if (!f)
		return NULL;
	f[n++] = (struct wl_fact){ "path", g->label ? g->label : t->path, 0 };
	if (nsys)
		f[n++] = (struct wl_fact){ "nsys", nsys, 0 };
	if (schema)
		f[n++] = (struct wl_fact){ "schema", schema, 0 };
	if (g->in_detail)
		n += put_details(t, arena, f + n);
	*ret_n = n;
	return f;
}

/* Neighbours are compared: equality is transitive. */
static bool same_windows(const struct wl_trace *t, const struct wl_scope *s)
{
	const struct wl_interval *first = NULL;

	for (size_t i = 0; i < t->n_devices; i++) {
		if (!s->device_on[i])
			continue;
		if (first && (first->begin != s->device[i].begin || first->end != s->device[i].end))
			return false;
		first = &s->device[i];
	}
	return true;
}

/* The windows of the devices, or one for all where they agree; NULL without memory. */
static struct wl_doc_window *put_windows(const struct wl_framing *g, struct wl_arena *arena,
					 struct wl_document *doc)
{
	const struct wl_trace *t = g->trace;
	bool same = same_windows(t, g->scope);
	struct wl_doc_window *w = WL_NEW(arena, struct wl_doc_window, t->n_devices);
	size_t n = 0;

	doc->n_devices = 0;
	for (size_t i = 0; w && i < t->n_devices; i++) {
		if (!g->scope->device_on[i])
			continue;
		doc->n_devices++;
		if (!same || n == 0)
			w[n++] = (struct wl_doc_window){ same ? -1 : (int64_t)i,
							 g->scope->device[i].begin,
							 g->scope->device[i].end };
	}
	doc->windows = w;
	doc->n_windows = n;
	return w;
}

/* Columns of the host rows that the plan speaks of; NULL where it speaks of none. */
static const enum wl_column_id *host_columns(const struct wl_plan *plan)
{
	const struct wl_analysis *a = plan->n ? wl_analysis_get(plan->section[0].analysis) : NULL;
	const enum wl_column_id *list = !a ? NULL : a->needs ? a->needs : a->needs_any;

	if (!plan->on_host || !list ||
	    wl_family_infos[wl_column_infos[list[0]].family].order != WL_BY_THREAD)
		return NULL;
	return list;
}

bool wl_frame_is_of_whole(const struct wl_plan *plan)
{
	return plan->on_host && !host_columns(plan);
}

/* The window of host rows: as asked for, and where it is open the extent of the rows. */
static bool put_host_window(const struct wl_framing *g, const enum wl_column_id *list,
			    struct wl_arena *arena, struct wl_document *doc)
{
	const struct wl_trace *t = g->trace;
	struct wl_doc_window *w = WL_NEW(arena, struct wl_doc_window, 1);
	struct wl_interval extent = { INT64_MAX, INT64_MIN }, hull = { WL_TIME_MAX, -WL_TIME_MAX };

	if (!w)
		return false;
	if (!wl_host_window_widen(t, g->scope, list, &extent))
		return true; /* no process is selected: there is nothing to speak of */
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_interval *p = &g->scope->process[i];

		if (!g->scope->process_on[i] || p->begin == p->end)
			continue;
		hull.begin = p->begin < hull.begin ? p->begin : hull.begin;
		hull.end = p->end > hull.end ? p->end : hull.end;
	}
	/* No selected process has a window with time in it. */
	if (hull.end < hull.begin)
		hull = (struct wl_interval){ 0, 0 };
	/*
	 * An end at WL_TIME_MAX is open (window.c), and the rows themselves say how far it reaches.
	 */
	*w = (struct wl_doc_window){ -1, hull.begin <= -WL_TIME_MAX ? extent.begin : hull.begin,
				     hull.end >= WL_TIME_MAX ? extent.end : hull.end };
	if (w->end < w->begin) /* as asked for, it lies outside of all rows */
		w->end = w->begin;
	doc->windows = w;
	doc->n_windows = 1;
	return true;
}

/* The selection as it was written. */
static bool put_selection(const struct wl_framing *g, struct wl_arena *arena,
			  struct wl_document *doc)
{
	const struct wl_selection *s = g->selection;
	const struct wl_fact given[] = { { "gpu", s->gpu, 0 },
					 { "pid", s->pid, 0 },
					 { "rank", s->rank, 0 },
					 { "stream", s->stream, 0 } };
	struct wl_fact *facts = WL_NEW(arena, struct wl_fact, WL_COUNT(given));

	for (size_t i = 0; facts && i < WL_COUNT(given); i++) {
		if (given[i].str)
			facts[doc->n_selection++] = given[i];
	}
	doc->selection = facts;
	return facts != NULL;
}

/* Windows of answers over the whole trace differ where they count other rows: that is said. */
static void note_window(const struct wl_framing *g, const enum wl_column_id *list,
			struct wl_arena *arena, struct wl_scope_notes *notes,
			const struct wl_document *doc)
{
	const struct wl_doc_window *w = doc->windows;
	char buf[WL_HOST_WINDOW_BUF];
	const char *words = NULL;

	if (doc->n_windows == 1)
		words = wl_host_window_words(
			g->trace, g->scope, list,
			g->plan->on_host ? NULL : &(struct wl_interval){ w->begin, w->end }, buf);
	if (words)
		wl_scope_note_window(notes, arena, words);
}

/*
 * A window that was asked for may begin long before the first operation, or end after the last: by
 * definition that time is idle, of the cause unused.
 */
static void note_idle(const struct wl_framing *g, struct wl_arena *arena,
		      struct wl_scope_notes *notes)
{
	const struct wl_trace *t = g->trace;
	struct wl_interval all = { 0, 0 };
	wl_ns outside = 0;
	char text[WL_UNITS_BUF], begin[WL_UNITS_BUF], end[WL_UNITS_BUF];

	if (g->scope->whole || !wl_extent_find(t, g->scope, &all))
		return;
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct wl_interval *w = &g->scope->device[i];
		wl_ns before, after;

		if (!g->scope->device_on[i] || w->begin >= w->end)
			continue;
		before = (w->end < all.begin ? w->end : all.begin) - w->begin;
		after = w->end - (w->begin > all.end ? w->begin : all.end);
		before = (before > 0 ? before : 0) + (after > 0 ? after : 0);
		/* Within a hundredth it is not worth a line. */
		if (before > outside && before > (w->end - w->begin) / 100)
			outside = before;
	}
	if (!outside)
		return;
	wl_fmt_times(begin, end, (const int64_t[]){ all.begin, all.end }, WL_UNIT_AUTO);
	wl_scope_note(notes, arena,
		      "%s of the window lie outside of all GPU work, which is from %s to %s: they "
		      "count as idle",
		      wl_fmt_ns(text, outside, WL_UNIT_AUTO), begin, end);
}

/*
 * The time that the document speaks of, and the columns of the host rows that widen it: NULL where
 * none do.
 */
static bool put_time(const struct wl_framing *g, struct wl_arena *arena, struct wl_document *doc,
		     const enum wl_column_id **ret_counted)
{
	struct wl_doc_window *w;
	struct wl_interval hull;

	*ret_counted = g->plan->on_host ? host_columns(g->plan) : NULL;
	if (*ret_counted)
		return put_host_window(g, *ret_counted, arena, doc);
	w = put_windows(g, arena, doc);
	if (!w)
		return false;
	/* An answer over the whole trace that also counts host rows speaks of their time, too. */
	if (!g->scope->whole || doc->n_windows != 1 || !g->plan->n)
		return true;
	*ret_counted = wl_analysis_get(g->plan->section[0].analysis)->needs_any;
	hull = (struct wl_interval){ w->begin, w->end };
	(void)wl_host_window_widen(g->trace, g->scope, *ret_counted, &hull);
	w->begin = hull.begin;
	w->end = hull.end;
	return true;
}

bool wl_frame_put_section(const struct wl_framing *g, const struct wl_document *doc,
			  struct wl_arena *arena, struct wl_section *ret)
{
	struct wl_document own = { .n_devices = -1 };
	struct wl_doc_window window, *kept;
	const enum wl_column_id *counted;

	if (wl_frame_is_of_whole(g->plan))
		return true;
	if (!put_time(g, arena, &own, &counted))
		return false;
	if (!wl_document_differs(doc, &own, &window))
		return true;
	kept = WL_NEW(arena, struct wl_doc_window, 1);
	if (kept)
		*kept = window;
	ret->window = kept;
	return kept != NULL;
}

bool wl_frame_put(const struct wl_framing *g, struct wl_arena *arena, struct wl_scope_notes *notes,
		  struct wl_document *doc)
{
	const struct wl_selection *s = g->selection;
	const enum wl_column_id *counted;

	doc->trace = make_facts(g, arena, &doc->n_trace);
	doc->in_detail = g->in_detail;
	if (!doc->trace)
		return false;
	if (wl_frame_is_of_whole(g->plan)) {
		if (s->gpu || s->pid || s->rank || s->stream || s->window)
			wl_scope_note(
				notes, arena,
				"--gpu, --pid, --rank, --stream and --window are ignored: this "
				"answer is about the whole trace");
		return true;
	}
	if (!put_selection(g, arena, doc))
		return false;
	if (!put_time(g, arena, doc, &counted))
		return false;
	if (counted)
		note_window(g, counted, arena, notes, doc);
	if (!g->plan->on_host)
		note_idle(g, arena, notes);
	return true;
}

/* An answer that does not speak of steps has no note that says what one is. */
static bool speaks_of_steps(const struct wl_document *doc)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];
		const struct wl_note *note =
			s->missing || !s->view.table ? NULL : s->view.table->notes;

		for (; note; note = note->next) {
			if (note->is_of_steps)
				return true;
		}
	}
	return false;
}

bool wl_frame_put_step(const struct wl_trace *t, const struct wl_iterations *all,
		       const struct wl_scope *scope, struct wl_arena *arena,
		       struct wl_document *doc)
{
	struct wl_doc_step *step;
	struct wl_step_sum sum;

	/* The frame repeats what a table says about steps. */
	if (!speaks_of_steps(doc) || !wl_iterations_sum(t, all, scope->process_on, &sum))
		return true;
	step = WL_NEW(arena, struct wl_doc_step, 1);
	if (!step)
		return false;
	*step = (struct wl_doc_step){ .method = wl_iter_method_name(sum.example->method),
				      .what = wl_arena_strdup(arena, sum.example->is),
				      .count = (int64_t)sum.n,
				      .median = sum.median,
				      .n_processes = (int64_t)sum.n_processes,
				      .is_guess = sum.example->is_guess };
	doc->step = step;
	return step->what && wl_doc_step_parts(sum.example, arena, step);
}
