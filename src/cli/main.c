/* SPDX-License-Identifier: MIT */
/* main.c - the warplens command. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/completions.h"
#include "cli/confine.h"
#include "cli/help/help.h"
#include "cli/job.h"
#include "cli/line/opt.h"
#include "cli/status.h"

/* "warplens tree --tui" is how people look for "warplens tui". */
static int take_tui(int argc, char **argv)
{
	static char tui[] = "tui";
	int n = 2;

	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[1], "tree") == 0 && strcmp(argv[i], "--tui") == 0)
			argv[1] = tui;
		else
			argv[n++] = argv[i];
	}
	if (n < argc)
		argv[n] = NULL;
	return n < argc ? n : argc;
}

/*
 * Who closes a standard descriptor must not find a trace or a socket of ours under its number.
 * Each is opened the other way round, so that using it stays an error.
 */
static void fill_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

static int run(const struct wl_invocation *inv)
{
	int status;

	wl_confine(inv);
	status = inv->verb.command ? inv->verb.command->run(inv) : wl_answer(inv);
	if (status == 0 && inv->opt.stats) {
		char words[64];

		(void)fprintf(stderr, "stats: %-24s %12s\n", "sandbox",
			      wl_confine_words(words, sizeof(words)));
	}
	return status;
}

int main(int argc, char **argv)
{
	struct wl_invocation inv;
	struct wl_err err;
	int status;

	fill_descriptors();

	/* A closed pipe ends us quietly, also under a parent that ignores the signal. */
	(void)signal(SIGPIPE, SIG_DFL);
	/* Only the character set: numbers are written the same everywhere. */
	(void)setlocale(LC_CTYPE, "");
#ifdef WL_COMPLETIONS
	wl_completions = wl_completion_files;
#endif
	argc = take_tui(argc, argv);
	if (wl_opt_parse(argc, argv, &inv, &err) < 0)
		return wl_report_failure(&err);
	if (inv.given[WL_OPT_VERSION]) {
		(void)puts("warplens " WL_VERSION);
		return wl_finish_stdout();
	}
	if (inv.given[WL_OPT_INTROSPECT]) {
		wl_help_introspect(stdout);
		return wl_finish_stdout();
	}
	if (inv.given[WL_OPT_HELP]) {
		if (inv.has_verb)
			wl_help_brief(&inv.verb, stdout);
		else
			wl_help_overview(stdout);
		return wl_finish_stdout();
	}
	if (!inv.has_verb && argc > 1) {
		(void)wl_fail(&err, WL_E_USAGE,
			      "no trace given; usage: warplens [VERB] [OPTIONS] TRACE");
		return wl_report_failure(&err);
	}
	if (!inv.has_verb) {
		wl_help_usage(stderr);
		return 2;
	}
	inv.job_directory = wl_job_directory(&inv);
	status = run(&inv);
	free(inv.job_directory);
	return status;
}
