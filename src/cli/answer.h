/* SPDX-License-Identifier: MIT */
/* answer.h - runs an analysis or a document for the command line and prints it. */
#ifndef WL_CLI_ANSWER_H
#define WL_CLI_ANSWER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/memory/arena.h"
#include "cli/line/opt.h"
#include "table/document.h"

struct wl_session;
struct wl_request;

/*
 * Looks at the trace before it is asked, and may change what: NULL for nothing. Looks at the answer
 * before it is printed, and may add to it what lives in the arena. Both are called again where
 * files turn out to be no job.
 */
struct wl_answer_look {
	void (*settle)(void *ctx, struct wl_session *session, struct wl_request *request);
	void (*look)(void *ctx, struct wl_document *doc, struct wl_arena *arena);
	/* Looks at a failure, and returns whether it has answered instead. NULL for nothing. */
	bool (*failed)(void *ctx, struct wl_err *err);
	void *ctx;
};

/* Returns an exit status; failures were reported. look may be NULL. */
int wl_answer_looked_at(const struct wl_invocation *inv, const struct wl_answer_look *look);

/* The same without a look. */
int wl_answer(const struct wl_invocation *inv);

#endif
