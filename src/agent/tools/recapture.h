/* SPDX-License-Identifier: MIT */
/*
 * recapture.h - the wishes for a capture that repeats the run of a trace.
 *
 * The trace says what started the program, which program it was, which nsys recorded it and what
 * was recorded. A plan made from these wishes loses nothing that the trace has.
 */
#ifndef WL_AGENT_RECAPTURE_H
#define WL_AGENT_RECAPTURE_H

#include "base/memory/arena.h"
#include "capture/plan/plan.h"
#include "model/trace.h"

enum { WL_RECAPTURE_WORDS = 64 };

/* The caller sets what the user gave; zeroes elsewhere. */
struct wl_recapture {
	const char *const *given; /* launcher and program; as many as n_given */
	size_t n_given;           /* 0: the program of the trace */
	bool has_launcher;        /* launcher is the user's */
	enum wl_launcher launcher;
	/* Found. */
	const char *word[WL_RECAPTURE_WORDS + 1]; /* launcher and program, NULL ends */
	size_t n_words;
	bool is_traced;      /* the program is the trace's */
	unsigned had;        /* bits of enum wl_plan_also */
	bool lacks_metrics;  /* of GPUs, which the plan does not record: that needs permission */
	bool had_events;     /* CUDA event records, by an nsys that has an option for them */
	const char *version; /* of the nsys that made the trace, if that records events; NULL */
};

/*
 * Fill in what the trace says; of a trace that does not name its program "python train.py" stands
 * for it. Texts are owned by the arena, the trace and the caller. The families of source tables
 * and of copy kinds must be loaded. WL_E_USAGE for too many words; WL_E_NOMEM.
 */
int wl_recapture_find(const struct wl_trace *trace, struct wl_arena *arena,
		      struct wl_recapture *recapture, struct wl_err *reterr) WL_MUST_CHECK;

/* Say in a plan that its program comes from the trace, where it does, and what it leaves out. */
void wl_recapture_note(const struct wl_recapture *recapture, struct wl_capture_plan *plan);

/* What records a set of enum wl_lack, as far as bits of enum wl_plan_also do. */
unsigned wl_recapture_also(uint32_t lacks);

#endif
