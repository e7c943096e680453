/* SPDX-License-Identifier: MIT */
/* sides.h - the operands of diff and baseline: a trace or a baseline as a fingerprint. */
#ifndef WL_CLI_SIDES_H
#define WL_CLI_SIDES_H

#include "base/file/file.h"
#include "cli/docs.h"
#include "cli/line/opt.h"
#include "cli/open.h"
#include "compare/fingerprint/fingerprint.h"
#include "table/document.h"

struct wl_budget;
struct wl_pool;

/* The answer of facts that is the fingerprint of their trace. */
#define WL_FINGERPRINT_ANSWER "fingerprint"

#define WL_BASELINE_PREFIX "baseline:" /* of an operand that names one */

/* What sides are made with; release also after a failure. */
struct wl_siding {
	const struct wl_invocation *inv;
	struct wl_docs docs;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_costs costs; /* of --stats */
	/* The trace that was read last stays open, for wl_side_replay(); of none there is no
	 * session. */
	struct wl_opened last;
	const char *last_path;
	struct wl_arena arena; /* owns the sides */
};

/* A side, and the frame that describes it. */
struct wl_side_read {
	struct wl_fingerprint f;
	struct wl_document frame;
	size_t number;      /* of the side, 0 or 1 */
	bool lacks_replays; /* what scenarios save was not asked yet */
};

int wl_siding_init(struct wl_siding *s, const struct wl_invocation *inv,
		   struct wl_err *reterr) WL_MUST_CHECK;
void wl_siding_release(struct wl_siding *s);

/*
 * The trace of a side, 0 or 1, of a line with one operand or two. One with a selection given twice
 * is both sides.
 */
const char *wl_side_operand(const struct wl_invocation *inv, size_t side);

/* What is asked of that side: of a selection that is given twice, the one of the side. */
struct wl_request wl_side_request(const struct wl_siding *s, size_t side);

/* Whether an option that selects is given for each side. */
bool wl_sides_differ(const struct wl_invocation *inv);

/* Open a trace and load what the request needs. Release it, also after a failure. */
int wl_side_open(struct wl_siding *s, const char *path, const struct wl_request *request,
		 struct wl_opened *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Take the fingerprint of a trace, as measured. Selection, window and naming are those of the
 * command line, for the side with this number.
 */
int wl_side_of_trace(struct wl_siding *s, const char *path, size_t side, struct wl_side_read *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Add what scenarios save, where the side lacks that. A trace that is not the last is read again.
 */
int wl_side_replay(struct wl_siding *s, const char *path, struct wl_side_read *side,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Where baselines are: the option, else $WARPLENS_BASELINE_DIR. WL_E_USAGE where neither says. */
int wl_baseline_dir(const char *option, const char **ret, struct wl_err *reterr) WL_MUST_CHECK;

/* The file of a baseline; WL_E_USAGE for a name that is not of [A-Za-z0-9._-], or begins with a
 * dot.
 */
int wl_baseline_path(const char *dir, const char *name, char ret_path[WL_PATH_CAP],
		     struct wl_err *reterr) WL_MUST_CHECK;

/* No file has this name, but a baseline in the directory of wl_baseline_dir(). */
bool wl_is_baseline_only(const char *option, const char *name);

/* Read the baseline of this name in the directory. */
int wl_side_of_baseline(struct wl_siding *s, const char *dir, const char *name,
			struct wl_side_read *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
