/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/net/http_retry.h"
#include "cli/commands/fleet/fleet_facts.h"
#include "cli/commands/fleet/fleet_verdict.h"
#include "cli/status.h"
#include "facts/file.h"
#include "facts/gather.h"
#include "fleet/store/push.h"

/* What was looked at: pushed, or found to be no good. By name, as scandir sorts. */
struct seen {
	char *name;
	struct timespec changed;
	off_t size;
};

struct watching {
	const struct wl_fleet_watch *w;
	struct seen *seen;
	size_t n_seen;
	bool has_failed; /* something could not be pushed in this look */
};

static bool is_stopped(const struct watching *s)
{
	return s->w->store->cancel && atomic_load(s->w->store->cancel) != 0;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/*
 * A directory changes when a file in it appears or is replaced by another name; facts files are
 * made under another name and renamed.
 */
static bool is_new(const struct seen *old, const struct stat *st)
{
	return !old || old->size != st->st_size || old->changed.tv_sec != st->st_mtim.tv_sec ||
	       old->changed.tv_nsec != st->st_mtim.tv_nsec;
}

static const struct seen *find_seen(const struct watching *s, const char *name)
{
	for (size_t i = 0; i < s->n_seen; i++)
		if (strcmp(s->seen[i].name, name) == 0)
			return &s->seen[i];
	return NULL;
}

/* A client that was killed after it had pushed a run has not judged it. */
static bool is_judged(const struct watching *s, const struct wl_facts *facts,
		      const struct wl_pushed *pushed)
{
	struct wl_err err;
	bool has;

	if (!pushed->was_there)
		return false;
	return !wl_fleet_is_usual(&s->w->opts) ||
	       wl_facts_i64(facts, WL_FACTS_RUNS_STEP_P50, 0) == WL_FACTS_NONE ||
	       wl_past_verdicts_has(s->w->store, wl_facts_str(facts, WL_FACTS_RUNS_RUN_ID, 0), &has,
				    &err) < 0 ||
	       has;
}

static int push_run(const struct watching *s, const char *path, struct wl_err *reterr)
{
	struct wl_pushed pushed;
	struct wl_facts facts;
	int r = wl_fleet_load(&path, 1, s->w->budget, &facts, reterr);

	if (r < 0)
		return r;
	r = wl_store_push(s->w->store, &facts, &pushed, reterr);
	if (r == WL_OK && !is_judged(s, &facts, &pushed))
		r = wl_fleet_judge_pushed(s->w->store, &facts, &s->w->opts, s->w->budget, reterr);
	wl_facts_release(&facts);
	return r < 0 ? r : wl_check_stdout(reterr);
}

/* False without memory: the run is looked at again next time. */
static bool remember(struct watching *s, const char *name, const struct stat *st)
{
	struct seen *old = NULL;

	for (size_t i = 0; i < s->n_seen && !old; i++)
		if (strcmp(s->seen[i].name, name) == 0)
			old = &s->seen[i];
	if (!old) {
		struct seen *more = realloc(s->seen, (s->n_seen + 1) * sizeof(*more));
		char *copy = more ? strdup(name) : NULL;

		s->seen = more ? more : s->seen;
		if (!copy)
			return false;
		old = &s->seen[s->n_seen++];
		old->name = copy;
	}
	old->changed = st->st_mtim;
	old->size = st->st_size;
	return true;
}

/* A run that is no good is reported and remembered; one that could not be sent is tried again. */
static int look_at(struct watching *s, const char *name, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct stat st;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", s->w->dir, name) >= (int)sizeof(path) ||
	    stat(path, &st) < 0 || !is_new(find_seen(s, name), &st) ||
	    !(wl_path_ends_in(name, WL_FACTS_SUFFIX) ||
	      (S_ISDIR(st.st_mode) && wl_facts_are_at(path))))
		return WL_OK;
	r = push_run(s, path, reterr);
	if (r == WL_OK || r == WL_E_FORMAT || r == WL_E_NODATA)
		(void)remember(s, name, &st);
	if (r == WL_E_OUTPUT || r == WL_E_CANCELED)
		return r;
	if (r < 0) {
		(void)wl_report_failure(reterr);
		s->has_failed = true;
	}
	return WL_OK;
}

static int look(struct watching *s, struct wl_err *reterr)
{
	struct dirent **entry;
	int n = scandir(s->w->dir, &entry, is_shown, alphasort), r = WL_OK;

	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%.200s: %s", s->w->dir, strerror(errno));
	s->has_failed = false;
	for (int i = 0; i < n; i++) {
		if (r == WL_OK && !is_stopped(s))
			r = look_at(s, entry[i]->d_name, reterr);
		free(entry[i]);
	}
	free(entry);
	return r;
}

int wl_fleet_watch(const struct wl_fleet_watch *w, struct wl_err *reterr)
{
	struct watching s = { .w = w };
	int r;

	do {
		r = look(&s, reterr);
		(void)fflush(stdout);
		if (r == WL_OK && !w->is_once)
			r = wl_http_wait((double)w->every_ns / 1e9, w->store->cancel, reterr);
	} while (r == WL_OK && !w->is_once && !is_stopped(&s));
	if (r == WL_OK && w->is_once && s.has_failed)
		r = wl_fail(reterr, WL_E_OUTPUT, "some runs could not be pushed");
	if (r == WL_E_CANCELED)
		r = WL_OK;
	for (size_t i = 0; i < s.n_seen; i++)
		free(s.seen[i].name);
	free(s.seen);
	return r;
}
