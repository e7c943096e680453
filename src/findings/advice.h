/* SPDX-License-Identifier: MIT */
/*
 * advice.h - what to do about a finding: an action, the usual remedies, and a line for each
 * framework in which the remedy has another name.
 */
#ifndef WL_FINDINGS_ADVICE_H
#define WL_FINDINGS_ADVICE_H

#include "analysis/analysis.h"
#include "known/calls/frameworks.h"

struct wl_advice {
	const char *action;              /* a few words, imperative */
	const char *advice;              /* how, one or two sentences */
	const char *in[WL_N_FRAMEWORKS]; /* the call or option to use; NULL: nothing of its own */
	struct wl_cmdline evidence;      /* what shows it better than the rule's; zeroed: none */
	/* by framework: in place of in, where the trace has no copy to the host; NULL: in holds */
	const char *unread[WL_N_FRAMEWORKS];
};

/* Both engines can schedule the next step during this one. */
#define WL_SCHEDULE_AHEAD                                                                          \
	"schedule one step ahead: --async-scheduling (vLLM), no --disable-overlap-schedule "       \
	"(SGLang)"

/* A wait after which nothing is read is an explicit one. */
/* What a saving without the waits of a call assumes. */
#define WL_NEEDS_RESULT "The trace does not show whether the host needs each result immediately."

#define WL_NO_SYNC_CUDA "remove the explicit cudaDeviceSynchronize or cudaStreamSynchronize"
#define WL_NO_SYNC_PYTORCH                                                                         \
	"remove torch.cuda.synchronize(), and copies to the GPU without non_blocking=True, from "  \
	"the loop"
#define WL_NO_SYNC_JAX "remove block_until_ready() from the loop"

/*
 * The frameworks that the trace proves, as bits; 0: none. By names of kernels, ranges and of
 * the processes that use a GPU. One look at each distinct name.
 */
unsigned wl_frameworks_find(const struct wl_run *run);

/* Whether the trace has a copy from a device to the host: the program reads results. */
bool wl_trace_has_reads(const struct wl_trace *trace);

/* Take the lines for a program that waits, but reads nothing. */
void wl_advice_take_unread(struct wl_advice *advice);

/*
 * Leave the lines of these frameworks: at most three. Where none of them has a line, or none is
 * proven, all have. An engine without one of its own takes that of PyTorch.
 */
void wl_advice_choose(struct wl_advice *advice, unsigned frameworks);

#endif
