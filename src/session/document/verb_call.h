/* SPDX-License-Identifier: MIT */
/*
 * verb_call.h - a verb as it is asked: each argument by its name and as a text, which the command
 * line, SQL, skills and tools fill in. A text is parsed when the verb is asked
 * (analysis/args.h).
 */
#ifndef WL_SESSION_VERB_CALL_H
#define WL_SESSION_VERB_CALL_H

#include "analysis/args.h"
#include "session/document/request.h"

/* Not to be copied: the request borrows the arguments. */
struct wl_verb_call {
	struct wl_request is;
	const char *args[WL_MAX_PARAMS]; /* of the analysis, by parameter */
};

/* The verb is an analysis or a document; the other is NULL. What *call selects already stays. */
void wl_verb_call_begin(struct wl_verb_call *call, const struct wl_analysis *analysis,
			const struct wl_document_info *document);

/*
 * What all verbs take, as texts: the first WL_N_SELECTING select, then "where", "sort", "columns"
 * and "section". NULL ends.
 */
enum { WL_N_SELECTING = 6 };
extern const char *const wl_common_keys[];

/* Where such a text belongs; NULL for another key. */
const char **wl_request_place(struct wl_request *request, const char *key);

/* The same, or where the text of an argument of the analysis belongs. */
const char **wl_verb_call_place(struct wl_verb_call *call, const char *key);

/* Set what the name of a verb implies, unless the call says it; NULL implies nothing. */
void wl_verb_call_imply(struct wl_verb_call *call, const struct wl_alias *alias);

#endif
