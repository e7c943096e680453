/* SPDX-License-Identifier: MIT */
#include "session/answer/facts_path.h"

#include "analysis/axes.h"
#include "session/answer/facts_walk.h"
#include "session/open/session_parts.h"

/* Clocks of the traces that are open, as the facts have them. */
static int set_clocks(const struct wl_facts_following *w, struct wl_session *session,
		      struct wl_arena *scratch, struct wl_err *reterr)
{
	const struct wl_trace *t = wl_session_trace(session);
	struct wl_trace_file *file = WL_NEW(scratch, struct wl_trace_file, t->n_files);

	if (!file)
		return wl_facts_path_no_memory(reterr);
	for (size_t i = 0; i < t->n_files; i++) {
		uint32_t at = wl_facts_path_file(w, wl_str(t, t->files[i].path));
		const struct wl_trace_file *of =
			at == WL_NONE ? &t->files[i] : &w->job->trace.files[at];

		file[i] = t->files[i];
		file[i].offset = of->offset;
		file[i].drift = of->drift;
		file[i].clock_state = of->clock_state;
		file[i].fitted = of->fitted;
	}
	return wl_session_set_clocks(session, file, reterr);
}

static int open_round(const struct wl_facts_following *w, struct wl_arena *scratch,
		      struct wl_session **ret, struct wl_err *reterr)
{
	const char **name = WL_NEW(scratch, const char *, w->n_open);
	size_t n = 0;

	if (!name)
		return wl_facts_path_no_memory(reterr);
	for (size_t i = 0; i < w->job->trace.n_files; i++) {
		if (w->is_open[i])
			name[n++] = w->name[i];
	}
	return wl_session_open_some(w->dir, name, n, w->asked->opts, ret, reterr);
}

/* Load and find what the verb and the walk want, of all that the traces have. */
static int visit_all(struct wl_facts_following *w, struct wl_session *session,
		     struct wl_arena *scratch, struct wl_err *reterr)
{
	const struct wl_selection all = { .gpu = NULL };
	struct wl_visitor wanting = { .name = w->verb->name };
	const struct wl_request request = { .visitor = &wanting,
					    .pool = w->asked->request->pool,
					    .stop = w->asked->request->stop };
	struct wl_scope_notes notes = { 0 };
	struct wl_derived derived;
	struct wl_scope scope;
	int r;

	wl_analysis_want(w->verb, w->asked->arg, &wanting.wanted);
	wl_want(&wanting.wanted,
		WL_FROM(PATH) | WL_FROM(GRAPH) | WL_FROM(MATCHES) | WL_FROM(LINKS) |
			WL_FROM(CLASSES) | WL_FROM(HOSTS) | WL_FROM(HOST_CLOCKS) | WL_FROM(RANKS),
		NULL);
	wl_selection_want(&all, &wanting.wanted);
	r = wl_session_load(session, &request, reterr);
	if (r < 0)
		return r;
	if (!wl_session_derive(session, wanting.wanted.from, request.pool, &derived))
		return wl_facts_path_no_memory(reterr);
	r = wl_selection_resolve(&all, &derived, scratch, &scope, &notes, reterr);
	if (r == WL_OK && !wl_scoped_find(&derived, &scope, wanting.wanted.from, scratch))
		r = wl_facts_path_no_memory(reterr);
	if (r == WL_OK)
		r = wl_facts_path_visit(w,
					&(struct wl_run){ .trace = wl_session_trace(session),
							  .scope = &scope,
							  .derived = &derived,
							  .arena = scratch,
							  .pool = request.pool },
					reterr);
	return r;
}

static int run_round(struct wl_facts_following *w, struct wl_err *reterr)
{
	struct wl_session *session = NULL;
	struct wl_arena scratch;
	int r;

	wl_arena_init_on(&scratch, wl_arena_budget(w->arena));
	r = open_round(w, &scratch, &session, reterr);
	if (r == WL_OK)
		r = set_clocks(w, session, &scratch, reterr);
	if (r == WL_OK)
		r = visit_all(w, session, &scratch, reterr);
	wl_session_close(session);
	wl_arena_release(&scratch);
	return r;
}

static int follow(struct wl_facts_following *w, struct wl_err *reterr)
{
	int r = WL_OK;

	do {
		w->missing = WL_NONE;
		r = run_round(w, reterr);
		if (r == WL_OK && w->missing != WL_NONE)
			wl_facts_path_open(w, w->missing);
	} while (r == WL_OK && w->missing != WL_NONE);
	return r;
}

int wl_facts_path_find(const struct wl_facts_path *asked, struct wl_arena *arena,
		       struct wl_table *ret, struct wl_err *reterr)
{
	struct wl_facts_following w = { .asked = asked,
					.f = &asked->facts->facts,
					.job = &asked->facts->job,
					.verb = asked->request->analysis,
					.arena = arena,
					.ret = ret };
	struct wl_arena scratch;
	enum wl_axis axis;
	int r;

	if (wl_axis_asked(w.verb, asked->arg, &axis))
		return wl_facts_path_ask_traces(
			&w, "ranks that are not visited have coordinates, too", reterr);
	wl_arena_init_child(&scratch, arena);
	r = wl_facts_path_find_names(&w, &scratch, reterr);
	if (r == WL_OK)
		r = wl_facts_path_find_dir(&w, w.name[wl_facts_path_open_ends(&w)], reterr);
	if (r == WL_OK &&
	    !wl_facts_ops_make(w.job->derived.matches, w.job->trace.n_processes, &scratch, &w.ops))
		r = wl_facts_path_no_memory(reterr);
	if (r == WL_OK)
		r = follow(&w, reterr);
	wl_arena_release(&scratch);
	return r;
}
