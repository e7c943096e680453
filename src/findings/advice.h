/* SPDX-License-Identifier: MIT */
/*
 * advice.h - advice on a finding: an action, the usual remedies, and a line for each framework that
 * calls the remedy by another name.
 */
#ifndef WL_FINDINGS_ADVICE_H
#define WL_FINDINGS_ADVICE_H

#include "analysis/analysis.h"
#include "known/calls/frameworks.h"

struct wl_advice {
	const char *action;              /* a few words, imperative */
	const char *advice;              /* how, one or two sentences */
	const char *in[WL_N_FRAMEWORKS]; /* the call or option to use; NULL: nothing specific */
	struct wl_cmdline evidence;      /* a better command than the rule's; zeroed: none */
	/* by framework: replaces the member in if the trace has no copy to the host; NULL: no
	 * change */
	const char *unread[WL_N_FRAMEWORKS];
};

/* Both engines can schedule the next step during this one. */
#define WL_SCHEDULE_AHEAD                                                                          \
	"schedule one step ahead: --async-scheduling (vLLM), no --disable-overlap-schedule "       \
	"(SGLang)"

/* If the program reads no results, its waits are explicit. */
/* The caveat of a saving that assumes a call's waits can be dropped. */
#define WL_NEEDS_RESULT "The trace does not show whether the host needs each result immediately."

#define WL_NO_SYNC_CUDA "remove the explicit cudaDeviceSynchronize or cudaStreamSynchronize"
#define WL_NO_SYNC_PYTORCH                                                                         \
	"remove torch.cuda.synchronize(), and copies to the GPU without non_blocking=True, from "  \
	"the loop"
#define WL_NO_SYNC_JAX "remove block_until_ready() from the loop"

/*
 * The frameworks that the trace proves, as bits; 0: none. Judged by the names of kernels, of ranges
 * and of processes that use a GPU. Looks at each distinct name once.
 */
unsigned wl_frameworks_find(const struct wl_run *run);

/* Whether the trace has a copy from a device to the host: the program reads results. */
bool wl_trace_has_reads(const struct wl_trace *trace);

/* Use the lines for a program that waits but reads nothing. */
void wl_advice_take_unread(struct wl_advice *advice);

/*
 * Keep only the lines of these frameworks, at most three. If none of them has a line, or none is
 * proven, keep the lines of all. An engine without its own line takes PyTorch's.
 */
void wl_advice_choose(struct wl_advice *advice, unsigned frameworks);

#endif
