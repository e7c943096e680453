/* SPDX-License-Identifier: MIT */
/* demo.c - the command that writes a small trace and walks through it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/text/clean.h"
#include "cli/answer.h"
#include "cli/help/wrap.h"
#include "cli/status.h"
#include "known/builtin.h"

#define DEFAULT_FILE "warplens-demo.sqlite"

enum { MAX_ARGS = 8, TERM = 28 };

/* A command that is shown with its output. The file follows the words. */
struct stop {
	const char *title;
	const char *words;
	const char *text; /* what to see in the output */
};

static const struct stop stops[] = {
	{ "Where did the time go?", "summary",
	  "Two GPUs train for eight steps. The first finding names the cause: GPU 1 runs the same "
	  "kernels slower, and GPU 0 waits for it in every step." },
	{ "Which GPU is slower, and by how much?", "kernels --by device -n 4",
	  "The same kernel with the same number of calls takes longer on GPU 1: its clocks are "
	  "lower, or something else runs there." },
	{ "Why was the GPU idle?", "gaps -n 2",
	  "The longest gap is a pause of the host before step 5. Every gap has a cause and the "
	  "operations around it." },
	{ "Is one step slower than the others?", "iters --gpu 0",
	  "Step 4 ends late, because step 5 begins after the pause." },
};

/* Print the command and what it prints; its exit status. */
static int show(const struct stop *stop, const char *file)
{
	char program[] = "warplens", words[128], path[WL_PATH_CAP], *rest = words;
	char *argv[MAX_ARGS + 3] = { program };
	struct wl_invocation inv;
	struct wl_err err;
	int argc = 1;

	(void)printf("\n== %s\n$ warplens %s ", stop->title, stop->words);
	wl_put_clean(stdout, file);
	(void)puts("\n");
	(void)fflush(stdout);
	(void)snprintf(words, sizeof(words), "%s", stop->words);
	(void)snprintf(path, sizeof(path), "%s", file);
	while (argc <= MAX_ARGS && (argv[argc] = strtok_r(rest, " ", &rest)) != NULL)
		argc++;
	argv[argc++] = path;
	argv[argc] = NULL;
	if (wl_opt_parse(argc, argv, &inv, &err) < 0)
		return wl_report_failure(&err);
	return wl_answer(&inv);
}

static int walk(const char *file)
{
	int status = 0;

	/* One output, from top to bottom. */
	(void)setenv("PAGER", "cat", 1);
	for (size_t i = 0; status == 0 && i < sizeof(stops) / sizeof(*stops); i++) {
		status = show(&stops[i], file);
		(void)putchar('\n');
		wl_wrap(stdout, stops[i].text, 0, 0);
	}
	if (status)
		return status;
	(void)fputs("\n== Go on\n", stdout);
	wl_wrap_term(stdout, "warplens timeline FILE", "all of it on the terminal", TERM);
	wl_wrap_term(stdout, "warplens serve FILE", "the same in a browser", TERM);
	wl_wrap_term(stdout, "warplens YOUR.sqlite",
		     "your own trace: nsys export --type sqlite YOUR.nsys-rep", TERM);
	return wl_finish_stdout();
}

/* What an earlier demo wrote: the same bytes in a regular file. */
static bool is_there(const char *file, const char *trace, size_t size)
{
	char *bytes = NULL;
	size_t n = 0;
	struct stat st;
	bool is_same = lstat(file, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == size &&
		       wl_file_read(file, size, &bytes, &n, NULL) == WL_OK && n == size &&
		       memcmp(bytes, trace, size) == 0;

	free(bytes);
	return is_same;
}

static int run(const struct wl_invocation *inv)
{
	const char *file = inv->opt.output ? inv->opt.output : DEFAULT_FILE;
	struct wl_err err, why;
	size_t size;
	const char *trace = wl_builtin_find("demo", "demo.sqlite", &size);
	bool was_there = is_there(file, trace, size);
	int r = WL_OK;

	(void)wl_signals_catch(); /* a file that is begun is ended */
	if (inv->n_operands > 0)
		r = wl_fail(&err, WL_E_USAGE,
			    "demo takes no trace; -o FILE says where to write its own");
	else if (!was_there && (r = wl_file_write_new(file, trace, size, &why)) < 0)
		r = wl_fail(&err, r, "%.400s; -o FILE writes elsewhere", why.msg);
	wl_signals_release();
	if (r < 0)
		return wl_report_failure(&err);
	(void)fputs(was_there ? "showing " : "wrote ", stdout);
	wl_put_clean(stdout, file);
	(void)puts(", a synthetic trace of two GPUs");
	return walk(file);
}

static const struct wl_example examples[] = {
	{ "warplens demo -o demo.sqlite", "Writes demo.sqlite and shows what it holds." },
	{ NULL, NULL },
};

const struct wl_command wl_command_demo = {
	.name = "demo",
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Write an example trace and walk through it" },
	.help = "Write a small example trace and walk through it",
	.about = "Writes warplens-demo.sqlite, or the FILE of -o: a synthetic trace that is part "
		 "of the program, below 200 kB, and shows "
		 "four "
		 "commands on it with their output. A file that exists is never overwritten: the "
		 "trace of an earlier "
		 "demo is shown again, another file is an error.",
	.operands = "",
	.examples = examples,
	.common = true,
	.without = ~(WL_OPT_BIT(OUTPUT) | WL_OPT_BIT(HELP) | WL_OPT_BIT(VERSION) |
		     WL_OPT_BIT(INTROSPECT)),
	.instead = "demo only writes its own trace",
	.run = run,
};
