/* SPDX-License-Identifier: MIT */
/*
 * plan_wrap.c - puts a profiler between a launcher and the program.
 *
 * Where only some ranks are profiled, each rank must decide by a variable of its own. A constant
 * line of sh does that; the user's words are its arguments and never part of its text.
 */
#include <string.h>

#include "base/text/shell.h"
#include "capture/plan/plan_parts.h"

/* "0|3" of "0,3". */
static const char *patterns(struct wl_planning *p)
{
	char *text = wl_arena_strdup(p->arena, p->w->ranks);

	for (char *c = text; c && *c; c++) {
		if (*c == ',')
			*c = '|';
	}
	if (!text)
		p->is_failed = true;
	return text ? text : "";
}

static void put_selector(struct wl_planning *p, size_t n_tool, struct wl_argv_words *words)
{
	if (!p->w->ranks)
		return;
	wl_argv_words_add(words, "sh");
	wl_argv_words_add(words, "-c");
	wl_argv_words_addf(words, "case \"$%s\" in %s) ;; *) shift %zu ;; esac; exec \"$@\"",
			   p->rank, patterns(p), n_tool);
	wl_argv_words_add(words, "sh");
}

/*
 * torchrun starts Python itself: "torchrun OPTIONS -m MODULE" becomes "torchrun OPTIONS --no_python
 * TOOL python -m MODULE". PyTorch 1.13 has this spelling only, later ones have both.
 */
static void put_torchrun(struct wl_planning *p, const struct wl_argv_words *tool,
			 struct wl_argv_words *words)
{
	bool is_module = false, is_plain = false;

	for (size_t i = 0; i < p->n_launch; i++) {
		const char *word = p->launch[i];

		if (strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0) {
			is_module = true;
			continue;
		}
		if (strcmp(word, "--no-python") == 0 || strcmp(word, "--no_python") == 0)
			is_plain = true;
		wl_argv_words_add(words, word);
	}
	if (!is_plain)
		wl_argv_words_add(words, "--no_python");
	put_selector(p, tool->n, words);
	wl_argv_words_all(words, tool->word, tool->n);
	if (!is_plain)
		wl_argv_words_add(words, "python");
	if (is_module)
		wl_argv_words_add(words, "-m");
}

/* The directory of reports is mounted; sampling and GPU counters need a capability. */
static void put_container(struct wl_planning *p, const struct wl_argv_words *tool,
			  struct wl_argv_words *words)
{
	const char *dir = p->w->dir ? p->w->dir : ".";
	const bool is_path = dir[0] == '/' || dir[0] == '.';

	wl_argv_words_all(words, p->launch, 2);
	wl_argv_words_add(words, "--cap-add");
	wl_argv_words_add(words, "SYS_ADMIN");
	wl_argv_words_add(words, "-v");
	wl_argv_words_addf(words, "%s%s:%s", is_path ? "" : "./", dir, p->tool_dir);
	wl_argv_words_all(words, p->launch + 2, p->n_launch - 2);
	wl_argv_words_all(words, tool->word, tool->n);
	wl_plan_note(p, "the profiler runs inside the container: the image must have it");
}

/* Options of srun that a batch script can ask for as well. */
static bool is_resource(const char *word)
{
	static const char *const names[] = { "-N",
					     "--nodes",
					     "-n",
					     "--ntasks",
					     "--ntasks-per-node",
					     "-c",
					     "--cpus-per-task",
					     "-G",
					     "--gpus",
					     "--gpus-per-node",
					     "--gpus-per-task",
					     "--gres",
					     "-p",
					     "--partition",
					     "-A",
					     "--account",
					     "-t",
					     "--time" };
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strlen(names[i]) == n && strncmp(names[i], word, n) == 0)
			return true;
	}
	return false;
}

static const char *batch_head(struct wl_planning *p)
{
	const char *head = wl_planf(p, "#!/bin/bash\n#SBATCH --job-name=%s\n", p->name);

	for (size_t i = 1; i < p->n_launch; i++) {
		const char *word = p->launch[i];
		const bool has_value = strchr(word, '=') || i + 1 == p->n_launch;

		if (!is_resource(word))
			continue;
		head = wl_planf(p, "%s#SBATCH %s%s%s\n", head, word, has_value ? "" : " ",
				has_value ? "" : p->launch[i + 1]);
	}
	return head;
}

/* The step that srun is becomes a batch script. */
static void add_batch(struct wl_planning *p, const char *title, struct wl_plan_step *step)
{
	struct wl_argv_words submit = { .arena = p->arena };
	const char *file = wl_planf(p, "%s.sbatch", p->name), *line;

	line = step->argv ? wl_capture_plan_line(step, p->arena) : NULL;
	if (!line) {
		p->is_failed = true;
		return;
	}
	wl_argv_words_add(&submit, "sbatch");
	wl_argv_words_add(&submit, file);
	wl_plan_add(p, &(struct wl_plan_step){
			       .title = title,
			       .file = file,
			       .text = wl_planf(p, "%smkdir -p %s\n%s\n", batch_head(p),
						wl_shell_word(p->tool_dir, p->arena), line),
			       .argv = wl_argv_words_end(p, &submit),
		       });
}

int wl_plan_wrap(struct wl_planning *p, const char *title, const struct wl_argv_words *tool)
{
	struct wl_argv_words words = { .arena = p->arena, .is_failed = tool->is_failed };
	struct wl_plan_step step = { .title = title };

	if (p->w->launcher == WL_LAUNCHER_TORCHRUN && p->rank) {
		put_torchrun(p, tool, &words);
	} else if (p->w->launcher == WL_LAUNCHER_CONTAINER) {
		if (p->n_launch < 3)
			return wl_fail(p->reterr, WL_E_USAGE,
				       "the launcher container wants \"-- docker run OPTIONS IMAGE "
				       "PROGRAM\"");
		put_container(p, tool, &words);
	} else if (p->rank) {
		wl_argv_words_all(&words, p->launch, p->n_launch);
		put_selector(p, tool->n, &words);
		wl_argv_words_all(&words, tool->word, tool->n);
	} else {
		wl_argv_words_all(&words, tool->word, tool->n);
		wl_argv_words_all(&words, p->launch, p->n_launch);
	}
	wl_argv_words_all(&words, p->program, wl_argv_count(p->program));
	step.argv = wl_argv_words_end(p, &words);
	if (p->w->launcher == WL_LAUNCHER_SLURM)
		add_batch(p, title, &step);
	else
		wl_plan_add(p, &step);
	return WL_OK;
}
