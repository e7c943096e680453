/* SPDX-License-Identifier: MIT */
/*
 * plan.h - the plan of a request: its analyses, their arguments, and whether any
 * trace could answer it. wl_request_check() of session.h is here.
 */
#ifndef WL_SESSION_PLAN_H
#define WL_SESSION_PLAN_H

#include "analysis/args.h"
#include "derive/nvtx/conventions.h"
#include "session/document/request.h"

/* One analysis, or the sections of a document, all or one. */
struct wl_plan {
	struct wl_section_info section[WL_MAX_SECTIONS];
	size_t n;
	bool single;
	bool on_host; /* no section speaks of devices */
};

/* WL_E_USAGE for an unknown section, and where options do not fit what is shown. */
int wl_plan_make(const struct wl_request *request, struct wl_plan *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* Leave out what is of jobs alone, unless it is asked for, where the trace is one file. */
void wl_plan_fit(struct wl_plan *plan, const struct wl_trace *trace);

/* The arguments of a section; release them with wl_args_release, also after a failure. */
int wl_plan_args(struct wl_args *args, const struct wl_request *request,
		 const struct wl_section_info *section, struct wl_err *reterr) WL_MUST_CHECK;

/* What a section wants with its arguments. */
int wl_section_want(const struct wl_request *request, const struct wl_section_info *section,
		    struct wl_wanted *wanted, struct wl_err *reterr) WL_MUST_CHECK;

/* What finding the scope of a request wants: its selection, and its marker. */
void wl_scope_want(const struct wl_request *request, struct wl_wanted *wanted);

/* All that a request wants. */
int wl_plan_want(const struct wl_request *request, const struct wl_plan *plan,
		 struct wl_wanted *wanted, struct wl_err *reterr) WL_MUST_CHECK;

/* The convention that was named, NULL for none. Free it. WL_E_USAGE where there is no such one. */
int wl_request_conventions(const struct wl_named_doc *named, struct wl_conventions **ret,
			   struct wl_err *reterr) WL_MUST_CHECK;

#endif
