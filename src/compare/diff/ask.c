/* SPDX-License-Identifier: MIT */
#include "compare/diff/ask.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "compare/fingerprint/lists.h"
#include "compare/fingerprint/take.h"

static int keep_measured(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
			 struct wl_err *reterr)
{
	struct wl_fingerprint *f = ctx;
	int r = wl_fp_take_measured(run, f, reterr);

	for (size_t i = 0; r == WL_OK && i < notes->n && f->n_notes < WL_COUNT(f->note); i++)
		f->note[f->n_notes++] = notes->text[i];
	return r;
}

static int keep_replayed(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
			 struct wl_err *reterr)
{
	(void)notes;
	return wl_fp_take_replayed(run, ctx, reterr);
}

/* "gpu 0, rank 3" as the frame has it. */
static const char *selection_of(const struct wl_document *frame, struct wl_arena *arena)
{
	char text[512] = "";
	size_t used = 0;

	/*
	 * snprintf() returns what it would have written, so used may pass the end; then the loop
	 * stops with a cut text.
	 */
	for (size_t i = 0; i < frame->n_selection && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %.80s",
					 i ? ", " : "", frame->selection[i].key,
					 frame->selection[i].str);
	return wl_arena_strdup(arena, text);
}

/* A fact of the frame, as fingerprints carry texts; "" if it is not there, NULL without memory. */
static const char *fact_of(const struct wl_document *frame, const char *key, struct wl_arena *arena)
{
	for (size_t i = 0; i < frame->n_trace; i++) {
		if (strcmp(frame->trace[i].key, key) == 0 && frame->trace[i].str)
			return wl_fp_name(frame->trace[i].str, arena);
	}
	return "";
}

static int visit(struct wl_session *session, const struct wl_request *request,
		 const struct wl_visitor *visitor, struct wl_arena *arena,
		 struct wl_document *ret_frame, struct wl_err *reterr)
{
	struct wl_request asked = *request;

	asked.analysis = NULL;
	asked.document = NULL;
	asked.visitor = visitor;
	return wl_session_run(session, &asked, arena, ret_frame, reterr);
}

int wl_fp_ask_measured(struct wl_session *session, const struct wl_request *request,
		       struct wl_arena *arena, struct wl_fingerprint *ret,
		       struct wl_document *ret_frame, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "diff",
				      .visit = keep_measured,
				      .ctx = ret,
				      .in_detail = true,
				      .reads_facts = true };
	int r;

	wl_fp_want(&visitor.wanted);
	r = visit(session, request, &visitor, arena, ret_frame, reterr);
	if (r < 0)
		return r;
	ret->label = wl_arena_strdup(arena, wl_path_name(ret_frame->trace[0].str));
	ret->window = ret_frame->window_spec;
	ret->selection = selection_of(ret_frame, arena);
	ret->host = fact_of(ret_frame, "host", arena);
	ret->recorded = fact_of(ret_frame, "recorded", arena);
	ret->command = fact_of(ret_frame, "command", arena);
	return ret->label && ret->selection && ret->host && ret->recorded && ret->command
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "no memory to compare the trace");
}

int wl_fp_ask_replayed(struct wl_session *session, const struct wl_request *request,
		       struct wl_arena *arena, struct wl_fingerprint *f, struct wl_err *reterr)
{
	const struct wl_visitor visitor = { .name = "diff",
					    .wanted.from = WL_FROM(WHATIF),
					    .visit = keep_replayed,
					    .ctx = f,
					    .reads_facts = true };
	struct wl_document frame;

	return visit(session, request, &visitor, arena, &frame, reterr);
}

int wl_fp_ask(struct wl_session *session, const struct wl_request *request, struct wl_arena *arena,
	      struct wl_fingerprint *ret, struct wl_document *ret_frame, struct wl_err *reterr)
{
	int r = wl_fp_ask_measured(session, request, arena, ret, ret_frame, reterr);

	if (r == WL_OK && !ret->is_of_sums)
		r = wl_fp_ask_replayed(session, request, arena, ret, reterr);
	return r;
}
