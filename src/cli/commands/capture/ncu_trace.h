/* SPDX-License-Identifier: MIT */
/* ncu_trace.h - the kernels of an Nsight Compute report joined to those of a trace, printed. */
#ifndef WL_CLI_NCU_TRACE_H
#define WL_CLI_NCU_TRACE_H

#include "base/err.h"
#include "cli/line/opt.h"

/* by is the argument of --by, which a join does not take; NULL where it was not given. */
int wl_ncu_join_show(const struct wl_invocation *inv, const char *trace, const char *by,
		     struct wl_err *reterr) WL_MUST_CHECK;

#endif
