/* SPDX-License-Identifier: MIT */
/*
 * facts_trace.h - facts where a trace is expected: answers that were kept, and no columns.
 */
#ifndef WL_SESSION_FACTS_TRACE_H
#define WL_SESSION_FACTS_TRACE_H

#include "base/file/file.h"
#include "facts/facts.h"
#include "session/document/answers.h"
#include "session/facts/facts_job.h"

struct wl_facts_trace {
	struct wl_facts facts;
	struct wl_facts_job job; /* of one trace: a trace of which nothing is known */
	bool is_job;             /* of several traces; of one they have answers, and only these */
	struct wl_arena arena;   /* owns the job */
	char *path;
	char *trace; /* name of the file that the facts of one trace are of; NULL: not known */
};

/* Open the facts at a path (facts/gather.h). */
int wl_facts_trace_open(const char *path, struct wl_budget *budget, struct wl_facts_trace **ret,
			struct wl_err *reterr) WL_MUST_CHECK;
void wl_facts_trace_close(struct wl_facts_trace *facts); /* accepts NULL */

/*
 * Where the trace is that the facts of one are of, by its name: in the directory traces; where that
 * is NULL, in a directory of facts, beside the facts, in the directory above, or where the program
 * runs. False where it is not.
 */
bool wl_facts_trace_find(const struct wl_facts_trace *facts, const char *traces,
			 char ret[WL_PATH_CAP]);

struct wl_answer_source wl_facts_trace_answers(const struct wl_facts_trace *facts);

/* Facts answer this verb, over everything: its analysis says so, and documents have what there is.
 */
bool wl_facts_have_verb(const char *verb);

/*
 * It asks for one of them, or for a document: these have what there is. Of several traces also
 * for a visitor that reads facts.
 */
bool wl_facts_answer(const struct wl_facts_trace *facts, const struct wl_request *request);

/*
 * Name what takes longer on the ranks of a job that others may wait for (facts_suspects.h), which
 * reads more of the facts: of n files if they were given, else where they were opened. Nothing is
 * done without such ranks. Fails as wl_facts_gather().
 */
int wl_facts_trace_explain(struct wl_facts_trace *facts, const char *const *files, size_t n,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* The window by which answers are kept: NULL for all. */
const char *wl_facts_window(const char *window);

/* WL_E_USAGE: these facts do not answer the request; says what they do and to ask the trace. */
int wl_facts_trace_refuse(const struct wl_facts_trace *facts, const struct wl_request *request,
			  struct wl_err *reterr);

/* The text of a section of a document that is not kept; the other one of several traces. */
extern const char wl_not_in_facts[], wl_not_in_job_facts[];

/* The answer that holds the name of the trace's file. */
extern const char wl_facts_trace_answer[];

#endif
