/* SPDX-License-Identifier: MIT */
/*
 * plan_export.c - the step that exports what a plan records, with payloads.
 *
 * --include-blobs is newer than nsys 2023.4.4, whose help lacks it. Exports of 2024.6.2 are the
 * oldest known that have the column for payloads (schema 3.16.1).
 */
#include <string.h>

#include "capture/plan/plan_parts.h"

/* Reports of ranks are found by the part of their name that all have in common. */
static void put_loop(struct wl_argv_words *words, const char *output, size_t n)
{
	wl_argv_words_add(words, "sh");
	wl_argv_words_add(words, "-c");
	wl_argv_words_add(words, "for report in \"$1\"*.nsys-rep; do nsys export --type sqlite "
				 "--include-blobs=true \"$report\"; done");
	wl_argv_words_add(words, "sh");
	wl_argv_words_addf(words, "%.*s", (int)n, output);
}

int wl_capture_plan_export(struct wl_capture_plan *plan, struct wl_arena *arena,
			   struct wl_err *reterr)
{
	struct wl_planning p = { .arena = arena, .plan = plan, .reterr = reterr };
	struct wl_argv_words words = { .arena = arena };
	const char *output = plan->output ? plan->output : "./%h";
	const size_t common = strcspn(output, "%");

	if (output[common]) {
		put_loop(&words, output, common);
	} else {
		wl_argv_words_add(&words, "nsys");
		wl_argv_words_add(&words, "export");
		wl_argv_words_add(&words, "--type");
		wl_argv_words_add(&words, "sqlite");
		wl_argv_words_add(&words, "--include-blobs=true");
		wl_argv_words_addf(&words, "%s.nsys-rep", output);
	}
	wl_plan_add(&p,
		    &(struct wl_plan_step){ .title = "Export each report with the payloads of NCCL",
					    .argv = wl_argv_words_end(&p, &words) });
	wl_plan_note(&p, "--include-blobs needs nsys 2024.6 or later");
	return p.is_failed ? wl_fail(reterr, WL_E_NOMEM, "no memory for the plan of the capture")
			   : WL_OK;
}
