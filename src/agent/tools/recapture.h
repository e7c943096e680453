/* SPDX-License-Identifier: MIT */
/*
 * recapture.h - derives the options of a new capture that repeats a trace's run.
 *
 * The trace says what started the program, which program it was, which nsys recorded it and what
 * was recorded. A plan made from these options records everything that the trace has.
 */
#ifndef WL_AGENT_RECAPTURE_H
#define WL_AGENT_RECAPTURE_H

#include "base/memory/arena.h"
#include "capture/plan/plan.h"
#include "model/trace.h"

enum { WL_RECAPTURE_WORDS = 64 };

/* The caller sets what the user gave and zeroes the rest. */
struct wl_recapture {
	const char *const *given; /* n_given words: launcher and program */
	size_t n_given;           /* 0: the program of the trace */
	bool has_launcher;        /* launcher is the user's */
	enum wl_launcher launcher;
	/* Found. */
	const char *word[WL_RECAPTURE_WORDS + 1]; /* launcher and program, NULL ends */
	size_t n_words;
	bool is_traced;      /* the program is the trace's */
	unsigned had;        /* bits of enum wl_plan_also */
	bool lacks_metrics;  /* GPU metrics, which the plan does not record: needs permission */
	bool had_events;     /* has CUDA event records, from an nsys with an option for them */
	const char *version; /* of the trace's nsys, if that can record events; else NULL */
};

/*
 * Fill in what the trace says; if it does not name its program, "python train.py" is used. Texts
 * are owned by the arena, the trace and the caller. The families of source tables and of copy kinds
 * must be loaded. WL_E_USAGE for too many words; WL_E_NOMEM.
 */
int wl_recapture_find(const struct wl_trace *trace, struct wl_arena *arena,
		      struct wl_recapture *recapture, struct wl_err *reterr) WL_MUST_CHECK;

/* Note in a plan that its program is the trace's, if it is, and what the plan leaves out. */
void wl_recapture_note(const struct wl_recapture *recapture, struct wl_capture_plan *plan);

/* The bits of enum wl_plan_also that record a set of enum wl_lack, where such bits exist. */
unsigned wl_recapture_also(uint32_t lacks);

#endif
