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
 *     "detect": ["forward chunk*backward chunk*"],     any range named so: this convention
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
	const char *name;                                        /* as the document says */
	const char *const *detect, *const *anchor, *const *comm; /* globs; NULL ends */
	struct wl_pattern stage; /* of a stage's name; has_stage says whether there is one */
	bool has_stage;
	const char *stage_inside;    /* what names with a stage begin with; "" for any */
	struct wl_purpose *purposes; /* in the order of the file */
	size_t n_purposes;
	struct wl_pattern *rank; /* expressions */
	size_t n_rank;
};

/*
 * From a parsed document, which must outlive it. An unknown member or a value of
 * the wrong type is WL_E_USAGE, and the message names document and member. Free
 * with wl_conventions_free.
 */
int wl_conventions_new(const struct wl_json *doc, const char *document_name,
		       struct wl_conventions **ret, struct wl_err *reterr) WL_MUST_CHECK;
void wl_conventions_free(struct wl_conventions *c); /* accepts NULL */

/* The names of the built-in ones, in the order in which they are tried; NULL ends. */
extern const char *const wl_builtin_conventions[];

/* A built-in one by name; an unknown name is WL_E_USAGE and lists the known ones. */
int wl_conventions_builtin(const char *name, struct wl_conventions **ret,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* What a trace is read by. */
struct wl_followed {
	const struct wl_conventions *conventions;
	struct wl_conventions *detected; /* the same if found by names, to be freed; or NULL */
};

/*
 * The convention that the options name; without one, the first built-in one of whose detect
 * globs fits the name of a range of the trace, else generic. False when memory is exhausted.
 */
bool wl_followed_find(const struct wl_derived *given, struct wl_arena *arena,
		      struct wl_followed *ret) WL_MUST_CHECK;

/* True when one of the globs fits the whole name. */
bool wl_globs_match(const char *const *globs, const char *name);

#endif
