/* SPDX-License-Identifier: MIT */
/*
 * conventions.h - naming conventions of frameworks for NVTX ranges: ranks, iterations,
 * stages, purposes of streams.
 *
 * A convention is a JSON document; built-in ones are in src/known/conventions and
 * read the same way:
 *
 *   {
 *     "name": "pithtrain",
 *     "detect": ["forward chunk*backward chunk*"],     a range with this name selects it
 *     "rank": ["re:^rank=(\\d+)"],                     first group is the rank
 *     "anchor": ["forward chunk*backward chunk*"],     ranges that mark iterations
 *     "stage": { "pattern": "re:stage[1-5]_[fbw]", "inside": "layer" },
 *     "purposes": { "ep_a2a": ["re:stage[24]_[fb]"] },
 *     "comm": ["*my_all_reduce*"]                      kernels that communicate
 *   }
 *
 * All members but name are optional. detect and anchor are globs for the whole
 * name of a range, without its domain; stage, rank and purposes are patterns
 * (base/text/pattern.h), of which rank must be an expression. comm are globs for the
 * base name of a kernel.
 */
#ifndef WL_DERIVE_CONVENTIONS_H
#define WL_DERIVE_CONVENTIONS_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "base/text/json_read.h"
#include "base/text/pattern.h"
#include "model/trace.h"

struct wl_derived;

struct wl_purpose {
	struct wl_pattern pattern;
	const char *name;
};

struct wl_conventions {
	const char *name;                                        /* as given in the document */
	const char *const *detect, *const *anchor, *const *comm; /* globs; NULL-terminated */
	struct wl_pattern stage; /* finds the stage in a name; unset unless has_stage */
	bool has_stage;
	const char *stage_inside;    /* prefix of names that contain a stage; "" for any */
	struct wl_purpose *purposes; /* in the order of the file */
	size_t n_purposes;
	struct wl_pattern *rank; /* expressions */
	size_t n_rank;
};

/*
 * Make a convention from a parsed document, which must outlive it. An unknown member or a value of
 * the wrong type is WL_E_USAGE, and the message names the document and the member. Free with
 * wl_conventions_free.
 */
int wl_conventions_new(const struct wl_json *doc, const char *document_name,
		       struct wl_conventions **ret, struct wl_err *reterr) WL_MUST_CHECK;
void wl_conventions_free(struct wl_conventions *c); /* accepts NULL */

/* The names of the built-in conventions in the order they are tried, NULL-terminated. */
extern const char *const wl_builtin_conventions[];

/* Get a built-in convention by name. An unknown name is WL_E_USAGE; the message lists the known
 * ones. */
int wl_conventions_builtin(const char *name, struct wl_conventions **ret,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* The convention that a trace is read with. */
struct wl_followed {
	const struct wl_conventions *conventions;
	struct wl_conventions *detected; /* the same if it was detected, to be freed; else NULL */
};

/*
 * The convention that the options name; without one, the first built-in convention with a detect
 * glob that matches a range name of the trace, else generic. False when memory is exhausted.
 */
bool wl_followed_find(const struct wl_derived *given, struct wl_arena *arena,
		      struct wl_followed *ret) WL_MUST_CHECK;

/* True when one of the globs matches the whole name. */
bool wl_globs_match(const char *const *globs, const char *name);

#endif
