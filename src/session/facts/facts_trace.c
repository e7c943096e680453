/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Where commands look for the trace of this name; NULL without memory. */
static char *find_trace(const char *facts, const char *name)
{
	const char *last = wl_path_name(facts);
	size_t size = strlen(facts) + strlen(name) + 2;
	char *path = malloc(size);

	if (!path)
		return NULL;
	if (strchr(name, '/')) /* anyone may have written the facts: a name is no path */
		return memcpy(path, name, strlen(name) + 1);
	(void)snprintf(path, size, "%s/%s", facts, name);
	if (access(path, F_OK) < 0)
		(void)snprintf(path, size, "%.*s%s", (int)(last - facts), facts, name);
	if (access(path, F_OK) < 0 && access(name, F_OK) == 0)
		(void)snprintf(path, size, "%s", name);
	return path;
}

/* Its name is kept with the facts of one trace. */
static char *name_trace(const struct wl_facts *f, const char *path)
{
	size_t n = 0;
	const char *kept = wl_facts_answers_find(&f->answers, wl_facts_trace_answer, &n);
	char *name = kept && wl_utf8_is_valid(kept, n) ? strndup(kept, n) : NULL;
	char *found = name ? find_trace(path, name) : strdup(WL_CMDLINE_TRACE);

	free(name);
	return found;
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
	f->name = name_trace(&f->facts, path);
	if (!f->path || !f->name) {
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
	free(f->name);
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
	char answers[160];

	list_answers(f->is_job, answers, sizeof(answers));
	if (f->is_job)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s: these are facts of several traces, which answer %sreport "
			       "and diff over everything and, but for findings, over steps "
			       "(--window steady, iter:N); ask the facts of a rank or the traces "
			       "themselves",
			       f->job.trace.path, answers);
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s: these facts have no answer to that; they answer %sreport and diff "
		       "over everything, --window steady or iter:N, with one option of the verb at "
		       "a time. Ask the trace %.60s for %s",
		       f->path, answers, f->name, verb);
}
