/* SPDX-License-Identifier: MIT */
/* reasons.c - why a trace has no GPU work, and the capture that would show it. */
#include <string.h>

#include "analysis/empty.h"

WL_DECLARE_ANALYSIS(reasons);

enum { WHAT, TEXT };

static const struct wl_col cols[] = {
	[WHAT] = { "what", "No GPU work", WL_T_ENUM, WL_KEY | WL_PROSE,
		   "What the sentence is: a `reason`, a message of the `profiler`, or what to do "
		   "`next`." },
	[TEXT] = { "text", "Because", WL_T_STR, WL_PROSE, "A sentence." },
};

enum { MOST_MESSAGES = 4 };

/* Some messages have several lines. */
static void add_row(const struct wl_run *r, struct wl_table *out, const char *what,
		    const char *text)
{
	char *line = wl_arena_strdup(r->arena, text);

	for (char *c = line ? strpbrk(line, "\r\n") : NULL; c; c = strpbrk(c, "\r\n"))
		*c = ' ';
	wl_table_row(out);
	wl_put_str(out, WHAT, what);
	wl_put_str(out, TEXT, line);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const char *message[MOST_MESSAGES];
	struct wl_no_gpu why;
	size_t n;

	(void)reterr;
	if (wl_has_operations(r->trace)) {
		wl_table_note(out, "the trace has GPU work");
		return WL_OK;
	}
	wl_why_no_gpu(r->trace, &why);
	add_row(r, out, "reason", why.reason);
	n = wl_messages_about_cuda(r->trace, message, MOST_MESSAGES);
	for (size_t i = 0; i < n; i++)
		add_row(r, out, "profiler", message[i]);
	add_row(r, out, "next", why.remedy);
	return WL_OK;
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	(void)arg;
	wl_want(wanted, 0, wl_empty_columns);
}

const struct wl_analysis wl_analysis_reasons = {
	.name = "reasons",
	.help = "Show why the trace has no GPU work",
	.about = "The reason as far as the trace shows one, messages of the profiler about CUDA, "
		 "and "
		 "what to do.",
	.on_host = true,
	.want = want,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
