/* SPDX-License-Identifier: MIT */
/* plan_parts.h - what the parts of the planner share; for src/capture/plan/plan*.c only. */
#ifndef WL_CAPTURE_PLAN_PARTS_H
#define WL_CAPTURE_PLAN_PARTS_H

#include <string.h>

#include "base/file/file.h"
#include "capture/plan/plan.h"

/* A list of words that grows in an arena. Failures stay: look at is_failed at the end. */
struct wl_argv_words {
	struct wl_arena *arena;
	const char **word;
	size_t n, cap;
	bool is_failed;
};

struct wl_planning {
	const struct wl_wishes *w;
	struct wl_arena *arena;
	struct wl_capture_plan *plan;
	struct wl_err *reterr;
	bool is_failed;               /* out of memory, or of steps and notes */
	const char *const *launch;    /* the launcher's words */
	size_t n_launch;              /* 0: plain */
	const char *const *program;   /* the program's, NULL ends */
	const char *rank;             /* variable with the rank; NULL: one report for all */
	const char *tool_dir;         /* the directory of reports as the tool sees it */
	const char *name;             /* of the run */
	const char *session, *output; /* of nsys; for each rank */
};

/* Started by MPICH's own launcher; other ones of MPI count as Open MPI's. */
static inline bool wl_plan_is_hydra(const struct wl_planning *p)
{
	return p->n_launch > 0 && strcmp(wl_path_name(p->launch[0]), "mpiexec.hydra") == 0;
}

void wl_argv_words_add(struct wl_argv_words *words, const char *word);
void wl_argv_words_addf(struct wl_argv_words *words, const char *fmt, ...) WL_PRINTF(2, 3);
void wl_argv_words_all(struct wl_argv_words *words, const char *const *argv, size_t n);

/* The list with its NULL; NULL without memory, which the planning remembers. */
const char *const *wl_argv_words_end(struct wl_planning *p, struct wl_argv_words *words);

/* A text in the arena; "" without memory. */
const char *wl_planf(struct wl_planning *p, const char *fmt, ...) WL_PRINTF(2, 3);

void wl_plan_note(struct wl_planning *p, const char *note);
void wl_plan_add(struct wl_planning *p, const struct wl_plan_step *step);
size_t wl_argv_count(const char *const *argv);

/* Part launcher and program: WL_E_USAGE where that is ambiguous. */
int wl_plan_split(struct wl_planning *p) WL_MUST_CHECK;

/* The words of nsys up to the program; WL_E_USAGE when this version cannot do it. */
enum wl_nsys_command { WL_NSYS_PROFILE, WL_NSYS_LAUNCH, WL_NSYS_START };
int wl_plan_nsys(struct wl_planning *p, enum wl_nsys_command command,
		 struct wl_argv_words *words) WL_MUST_CHECK;

/* The words of ncu up to the program, for one kernel or NULL for any. number: of the report. */
int wl_plan_ncu(struct wl_planning *p, const struct wl_plan_kernel *kernel, size_t number,
		struct wl_argv_words *words) WL_MUST_CHECK;

/* Add the step that runs a tool with launcher and program, as the launcher wants it. */
int wl_plan_wrap(struct wl_planning *p, const char *title,
		 const struct wl_argv_words *tool) WL_MUST_CHECK;

/* The steps of Nsight Operator. */
int wl_plan_kubernetes(struct wl_planning *p) WL_MUST_CHECK;

#endif
