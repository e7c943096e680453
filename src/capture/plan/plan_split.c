/* SPDX-License-Identifier: MIT */
/*
 * plan_split.c - where the words of a launcher end and those of the program begin.
 *
 * Options of launchers take zero, one or two words, which only a table can tell. An option that
 * the table does not have is an error rather than a guess: the user then writes "--" between.
 */
#include <string.h>

#include "capture/plan/plan_parts.h"

static const struct {
	enum wl_launcher launcher;
	const char *name;
	size_t words;
} options[] = {
#define WL_LAUNCH_OPTION(launcher, name, words) { WL_LAUNCHER_##launcher, name, words },
#include "capture/plan/launchers.def"
#undef WL_LAUNCH_OPTION
};

/* How many words an option has with itself; 0: unknown. */
static size_t width(enum wl_launcher launcher, const char *word)
{
	if (strncmp(word, "--", 2) == 0 && strchr(word, '='))
		return 1;
	for (size_t i = 0; i < WL_COUNT(options); i++) {
		if (options[i].launcher == launcher && strcmp(options[i].name, word) == 0)
			return 1 + options[i].words;
	}
	return 0;
}

/* Words that stand before the options: "docker run", "srun". */
static size_t count_names(enum wl_launcher launcher, size_t n)
{
	size_t names = launcher == WL_LAUNCHER_CONTAINER ? 2 : 1;

	return n < names ? n : names;
}

static int find_program(struct wl_planning *p, const char *const *argv, size_t n, size_t *ret)
{
	size_t i = count_names(p->w->launcher, n);

	while (i < n && argv[i][0] == '-') {
		size_t words = width(p->w->launcher, argv[i]);

		if (words == 0)
			return wl_fail(p->reterr, WL_E_USAGE,
				       "%.60s %.60s: where does the program begin? Write \"--\" "
				       "before it",
				       argv[0], argv[i]);
		i += words;
	}
	*ret = i + (p->w->launcher == WL_LAUNCHER_CONTAINER); /* the image */
	return WL_OK;
}

/* What stands behind "--" with a launcher; NULL without one. */
static const char *pattern_of(enum wl_launcher launcher)
{
	static const char *const patterns[WL_N_LAUNCHERS] = {
		[WL_LAUNCHER_TORCHRUN] = "torchrun --nproc-per-node 8 train.py",
		[WL_LAUNCHER_MPIRUN] = "mpirun -n 8 ./app",
		[WL_LAUNCHER_SLURM] = "srun -n 8 ./app",
		[WL_LAUNCHER_CONTAINER] = "docker run OPTIONS IMAGE PROGRAM",
	};

	return patterns[launcher];
}

/* All words of the command, for a message. */
static const char *say(struct wl_planning *p, size_t n)
{
	const char *all = n ? p->w->program[0] : "";

	for (size_t i = 1; i < n; i++)
		all = wl_planf(p, "%s %s", all, p->w->program[i]);
	return all;
}

/* The missing word is unknown: the first ones are the launcher's, whatever they are. */
static int fail_short(struct wl_planning *p, size_t n)
{
	const char *pattern = pattern_of(p->w->launcher), *only;

	if (!pattern)
		return wl_fail(p->reterr, WL_E_USAGE,
			       "no program: give it behind \"--\", such as \"-- python train.py\"");
	if (n == 0)
		return wl_fail(p->reterr, WL_E_USAGE,
			       "no program: give launcher and program behind \"--\", such as "
			       "\"-- %s\"",
			       pattern);
	only = say(p, n);
	return wl_fail(p->reterr, WL_E_USAGE,
		       "behind \"--\" is only \"%.80s\": give both launcher and program, such as "
		       "\"-- %s\"",
		       only, pattern);
}

/* "docker run", "podman exec", "enroot start": the second word of what starts a container. */
static bool is_container(const char *const *argv, size_t n)
{
	static const char *const verbs[] = { "run", "exec", "start" };

	for (size_t i = 0; n > 1 && i < WL_COUNT(verbs); i++) {
		if (strcmp(argv[1], verbs[i]) == 0)
			return true;
	}
	return false;
}

/* Words of a program would be taken for an image, and its options mixed with those of docker. */
static int check_container(struct wl_planning *p, size_t n)
{
	if (p->w->launcher != WL_LAUNCHER_CONTAINER || is_container(p->w->program, n))
		return WL_OK;
	return wl_fail(p->reterr, WL_E_USAGE,
		       "\"%.80s\" does not start a container: give launcher and program behind "
		       "\"--\", such as \"-- %s\", or leave --launcher container out",
		       say(p, n), pattern_of(p->w->launcher));
}

int wl_plan_split(struct wl_planning *p)
{
	const char *const *argv = p->w->program;
	size_t n = wl_argv_count(argv), at = 0, skip = 0;
	int r = WL_OK;

	if (pattern_of(p->w->launcher)) {
		while (at < n && strcmp(argv[at], "--") != 0)
			at++;
		skip = at < n;
		if (!skip)
			r = find_program(p, argv, n, &at);
	}
	if (r < 0)
		return r;
	if (at + skip >= n)
		return fail_short(p, n);
	r = check_container(p, n);
	if (r < 0)
		return r;
	p->launch = argv;
	p->n_launch = at;
	p->program = argv + at + skip;
	return WL_OK;
}
