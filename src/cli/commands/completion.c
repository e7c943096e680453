/* SPDX-License-Identifier: MIT */
/* completion.c - the command that prints the completion script of a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/completions.h"
#include "cli/line/opt.h"
#include "cli/status.h"

/*
 * Set by main() in the whole program. The scripts are made of what a program without them says of
 * itself, which is why they are not linked in here.
 */
const struct wl_builtin *wl_completions;

static const struct {
	const char *shell, *file;
} scripts[] = {
	{ "bash", "warplens.bash" },
	{ "zsh", "_warplens" },
	{ "fish", "warplens.fish" },
};

static const struct wl_builtin *find(const char *shell)
{
	const char *file = NULL;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		file = strcmp(scripts[i].shell, shell) == 0 ? scripts[i].file : file;
	for (const struct wl_builtin *b = wl_completions; file && b && b->folder; b++) {
		if (strcmp(b->name, file) == 0)
			return b;
	}
	return NULL;
}

static int run(const struct wl_invocation *inv)
{
	const struct wl_builtin *script = inv->n_operands == 1 ? find(inv->operand[0]) : NULL;
	struct wl_err err;

	if (!script) {
		(void)wl_fail(&err, WL_E_USAGE,
			      "completion: name a shell; usage: warplens completion bash|zsh|fish");
		return wl_report_failure(&err);
	}
	(void)fwrite(script->text, 1, script->size, stdout);
	return wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens completion bash", "source <(warplens completion bash) in ~/.bashrc uses it." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	return i < sizeof(scripts) / sizeof(*scripts) ? scripts[i].shell : NULL;
}

const struct wl_command wl_command_completion = {
	.name = "completion",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Print the completion script of a shell",
	.about = "Prints the script that completes verbs, options, choices, columns and traces in "
		 "bash, "
		 "zsh or fish: the one that make install and the package install.",
	.operands = "bash|zsh|fish",
	.examples = examples,
	.word = word_at,
	.run = run,
};
