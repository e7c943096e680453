/* main.c - the warplens command. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "cli/answer.h"
#include "cli/help.h"
#include "cli/opt.h"
#include "cli/status.h"

int main(int argc, char **argv)
{
	struct wl_invocation inv;
	struct wl_err err;

	/* A closed pipe ends us quietly, also under a parent that ignores the signal. */
	(void)signal(SIGPIPE, SIG_DFL);
	/* Only the character set: numbers are written the same everywhere. */
	(void)setlocale(LC_CTYPE, "");
	if (wl_opt_parse(argc, argv, &inv, &err) < 0)
		return wl_report_failure(&err);
	if (inv.value[WL_OPT_VERSION]) {
		(void)puts("warplens " WL_VERSION);
		return wl_finish_stdout();
	}
	if (inv.value[WL_OPT_INTROSPECT]) {
		wl_help_introspect(stdout);
		return wl_finish_stdout();
	}
	if (inv.value[WL_OPT_HELP]) {
		if (inv.has_verb)
			wl_help_verb(&inv.verb, stdout);
		else
			wl_help_overview(stdout);
		return wl_finish_stdout();
	}
	if (!inv.has_verb) {
		wl_help_overview(stderr);
		return 2;
	}
	return inv.verb.command ? inv.verb.command->run(&inv) : wl_answer(&inv);
}
