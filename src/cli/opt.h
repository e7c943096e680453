/* SPDX-License-Identifier: MIT */
/* opt.h - parses the command line by options.def and the parameters of the verb. */
#ifndef WL_CLI_OPT_H
#define WL_CLI_OPT_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/options.h"
#include "cli/trim.h"
#include "cli/verb.h"

enum {
	WL_MAX_TRACES = 64,
	WL_MAX_JOB = 4096, /* files of --job */
	WL_MAX_OPERANDS = WL_MAX_JOB + WL_MAX_PARAMS,
	WL_MAX_MANY = WL_MAX_TRACES,
	WL_LINES_BUF = 1024
};

/* One of the values of an option that may be given several times. */
struct wl_many {
	size_t param; /* index of the parameter */
	const char *text;
};

/* A command line, parsed. Strings belong to argv or are constant. */
struct wl_invocation {
	struct wl_verb verb;
	bool has_verb;
	const char *given[WL_N_OPTIONS]; /* the text; a flag has ""; NULL where not given */
	struct wl_values opt;            /* the same, parsed; not for help and the like */
	/*
	 * Of the analysis or the command, by parameter; a switch has "true"; NULL where not
	 * given. Of an option that may be given several times the last; all are in many.
	 */
	const char *param[WL_MAX_PARAMS];
	const char *second[WL_N_OPTIONS]; /* the second word of an option that takes two */
	char window[WL_WINDOW_BUF];       /* --window, where --trim or the like makes it */
	struct wl_many many[WL_MAX_MANY]; /* in the order of the command line */
	char lines[WL_LINES_BUF];         /* of an analysis: the texts of its option that may be
					     given several times, a line each */
	size_t n_many;
	const char *operand[WL_MAX_OPERANDS]; /* what is neither verb nor option */
	size_t n_operands;
	/*
	 * The files of a job that is given by its files: they are one operand, which is the first
	 * of them.
	 */
	const char *job[WL_MAX_JOB];
	size_t n_job, job_at; /* files; its operand */
	bool is_guessed;      /* without --job: the files must prove to be one job */
};

/*
 * Parse. The first operand is the verb; where it is none but could be a file, the
 * verb is summary. An option that an alias implies counts as given. Unknown verbs and options are
 * WL_E_USAGE, with the nearest known one in the message, and so are values that are malformed.
 */
int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Make the verb another one, by name or alias, which must exist; its own options are those that
 * the name implies.
 */
int wl_opt_as(struct wl_invocation *inv, const char *name, struct wl_err *reterr) WL_MUST_CHECK;

#endif
