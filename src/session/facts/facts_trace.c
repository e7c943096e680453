/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/text/utf8.h"
#include "derive/graph/late/late_suspects.h"
#include "facts/gather.h"
#include "session/document/document_info.h"
#include "session/facts/facts_suspects.h"

const char wl_not_in_facts[] = "not kept in facts: ask the trace itself";
const char wl_not_in_job_facts[] =
	"not kept in facts of several traces: ask the facts of a rank, or the traces";
const char wl_facts_trace_answer[] = "trace";

/* A trace, or the directory of a job, can be of that name there. dir "" is where we are. */
static bool has(const char *dir, size_t n_dir, const char *name, char ret[WL_PATH_CAP])
{
	const char *slash = n_dir == 0 || dir[n_dir - 1] == '/' ? "" : "/";
	int n = snprintf(ret, WL_PATH_CAP, "%.*s%s%s", (int)n_dir, dir, slash, name);
	struct stat st;

	return n > 0 && n < WL_PATH_CAP && stat(ret, &st) == 0 &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* In the directory above this one, by its name where it has one. */
static bool has_above(const char *dir, size_t n, const char *name, char ret[WL_PATH_CAP])
{
	char above[WL_PATH_CAP];
	size_t last;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	for (last = n; last > 0 && dir[last - 1] != '/';)
		last--;
	if (n > 0 && last < n && dir[last] != '.')
		return has(dir, last, name, ret);
	if (n + 4 > sizeof(above))
		return false;
	(void)snprintf(above, sizeof(above), "%.*s%s", (int)n, dir, n ? "/.." : "..");
	return has(above, strlen(above), name, ret);
}

bool wl_facts_trace_find(const struct wl_facts_trace *f, const char *traces, char ret[WL_PATH_CAP])
{
	const char *name = f->trace, *path = f->path;
	size_t n = (size_t)(wl_path_name(path) - path);

	/* Anyone may have written the facts: a name is no path. */
	if (!name || strchr(name, '/') || *name == '.' || *name == '\0')
		return false;
	if (traces)
		return has(traces, strlen(traces), name, ret);
	return (wl_path_is_dir(path) && has(path, strlen(path), name, ret)) ||
	       has(path, n, name, ret) || has_above(path, n, name, ret) || has("", 0, name, ret);
}

/* Its name is kept with the facts of one trace; false without memory. */
static bool name_trace(struct wl_facts_trace *f)
{
	size_t n = 0;
	const char *kept = wl_facts_answers_find(&f->facts.answers, wl_facts_trace_answer, &n);

	if (!kept || !wl_utf8_is_valid(kept, n))
		return true;
	f->trace = strndup(kept, n);
	return f->trace != NULL;
}

int wl_facts_trace_open(const char *path, struct wl_budget *budget, struct wl_facts_trace **ret,
			struct wl_err *reterr)
{
	struct wl_facts_trace *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to open it", path);
	r = wl_facts_gather(&path, 1, wl_facts_job_tables, budget, &f->facts, reterr);
	if (r < 0) {
		free(f);
		return r;
	}
	f->path = strdup(path);
	if (!f->path || !name_trace(f)) {
		wl_facts_trace_close(f);
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to open it", path);
	}
	wl_arena_init_on(&f->arena, budget);
	/* Facts of one trace have answers, and only these. */
	f->is_job = f->facts.answers.item.n == 0;
	if (f->is_job && !wl_facts_job_make(&f->facts, f->path, &f->arena, &f->job)) {
		wl_facts_trace_close(f);
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to match its ranks", path);
	}
	if (!f->is_job) {
		f->job.trace = (struct wl_trace){ .path = f->path,
						  .reader = "facts",
						  .duration = WL_NO_TIME,
						  .host = WL_NONE,
						  .job = WL_NONE };
		/* Facts are only written of traces that have such rows. */
		f->job.trace.family[WL_F_KERNELS].present = true;
	}
	*ret = f;
	return WL_OK;
}

void wl_facts_trace_close(struct wl_facts_trace *f)
{
	if (!f)
		return;
	wl_arena_release(&f->arena);
	wl_facts_release(&f->facts);
	free(f->path);
	free(f->trace);
	free(f);
}

int wl_facts_trace_explain(struct wl_facts_trace *f, const char *const *files, size_t n,
			   struct wl_err *reterr)
{
	const char *path = f->path;
	struct wl_facts facts;
	bool ok;
	int r;

	if (!f->is_job || f->job.suspects->n == 0 || f->job.suspects->at[0].op[0].name)
		return WL_OK;
	r = wl_facts_gather(n ? files : &path, n ? n : 1, wl_facts_suspects_tables, f->facts.budget,
			    &facts, reterr);
	if (r < 0)
		return r;
	/* Files may have been replaced since. */
	ok = facts.n[WL_FACTS_RANKS] != f->facts.n[WL_FACTS_RANKS] ||
	     wl_facts_suspects_compare(&facts, f->job.derived.matches, f->job.suspects, &f->arena);
	wl_facts_release(&facts);
	return ok ? WL_OK
		  : wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to compare its ranks", path);
}

/* A copy: cells of a table point into it, and it is parsed in place. */
static bool fetch(const void *ctx, const char *name, struct wl_arena *arena, struct wl_unpack *ret)
{
	const struct wl_facts_trace *f = ctx;
	size_t n;
	const char *bytes = wl_facts_answers_find(&f->facts.answers, name, &n);
	char *copy = bytes ? WL_NEW(arena, char, n) : NULL;

	if (!copy)
		return false;
	memcpy(copy, bytes, n);
	*ret = (struct wl_unpack){ .at = copy, .left = n };
	return true;
}

struct wl_answer_source wl_facts_trace_answers(const struct wl_facts_trace *f)
{
	return (struct wl_answer_source){ fetch, f };
}

const char *wl_facts_window(const char *window)
{
	return window && strcmp(window, "all") != 0 ? window : NULL;
}

bool wl_facts_have_verb(const char *verb)
{
	const struct wl_analysis *a = wl_analysis_find(verb);

	if (a && (a->facts == WL_FACTS_RUN || a->facts == WL_FACTS_FIND))
		return true;
	return wl_document_find(verb) != NULL;
}

bool wl_facts_answer(const struct wl_facts_trace *f, const struct wl_request *q)
{
	if (q->analysis)
		return wl_facts_have_verb(q->analysis->name);
	return !q->visitor || (q->visitor->reads_facts && f->is_job);
}

/* "findings, overlap, ...": verbs and documents that facts answer, of several traces as well path.
 */
static void list_answers(bool of_job, char *ret, size_t cap)
{
	size_t used = 0;

	*ret = '\0';
	for (size_t i = 0; i < wl_n_analyses && used < cap; i++) {
		const struct wl_analysis *a = wl_analyses[i];

		if (wl_facts_have_verb(a->name) || (of_job && a->facts == WL_FACTS_FOLLOW))
			used += (size_t)snprintf(ret + used, cap - used, "%s, ", a->name);
	}
	for (size_t i = 0; i < wl_n_documents && used < cap; i++)
		used += (size_t)snprintf(ret + used, cap - used, "%s, ", wl_documents[i]->name);
}

int wl_facts_trace_refuse(const struct wl_facts_trace *f, const struct wl_request *request,
			  struct wl_err *reterr)
{
	const char *verb = request->visitor    ? request->visitor->name
			   : request->analysis ? request->analysis->name
					       : request->document->name;
	char answers[160], found[WL_PATH_CAP];
	bool is_there = wl_facts_trace_find(f, request->traces, found);

	list_answers(f->is_job, answers, sizeof(answers));
	if (f->is_job)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s: these are facts of several traces, which answer %sreport "
			       "and diff over everything and, but for findings, over steps "
			       "(--window steady, iter:N); ask the facts of a rank or the traces "
			       "themselves",
			       f->job.trace.path, answers);
	return wl_fail(reterr, WL_E_USAGE,
		       "%.140s: these facts have no answer to that; they answer %sreport and diff "
		       "over everything, --window steady or iter:N, with one option of the verb at "
		       "a time. Ask the trace%s%.120s for %s",
		       f->path, answers, is_there || f->trace ? " " : " itself",
		       is_there   ? found
		       : f->trace ? f->trace
				  : "",
		       verb);
}
