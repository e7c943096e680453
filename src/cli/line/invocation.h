/* SPDX-License-Identifier: MIT */
/* invocation.h - a command line that is parsed. */
#ifndef WL_CLI_INVOCATION_H
#define WL_CLI_INVOCATION_H

#include "cli/line/options.h"
#include "cli/line/trim.h"
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
	const char *foreign; /* the option of another program that it is of; NULL as a rule */
};

/* A command line, parsed. Strings belong to argv or are constant. */
struct wl_invocation {
	struct wl_verb verb;
	bool has_verb;
	const char *given[WL_N_OPTIONS]; /* the text; a flag has ""; NULL where not given */
	struct wl_values opt;            /* the same, parsed; not for help and the like */
	/*
	 * Of a command that compares two sides: the second text of an option that selects, which is
	 * that of the second side; given has the first. NULL where not given twice.
	 */
	const char *again[WL_N_OPTIONS];
	/*
	 * By parameter of the analysis or the command; a switch has "true"; NULL where not
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
	size_t n_before; /* of these before "--"; 0 for all */
	/*
	 * The files of a job that is given by its files: they are one operand, which is the first
	 * of them.
	 */
	const char *job[WL_MAX_JOB];
	size_t n_job, job_at; /* files; its operand */
	char *job_directory;  /* that stands for these files; NULL for none; main frees it */
	bool is_guessed;      /* without --job: the files must prove to be one job */
	bool may_separate;    /* they are put side by side where they do not */
	/*
	 * Files that did not prove to be one are operands from job_at on; exports is the directory
	 * where reports among them are exported already.
	 */
	size_t n_separated;
	const char *exports;
};

#endif
