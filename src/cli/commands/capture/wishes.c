/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/wishes.h"

#include <string.h>

#include "base/file/file.h"
#include "base/text/shell.h"

const char *const wl_wish_graphs[] = { "auto", "node", "graph", NULL };

/* The program as a list that ends; the command line's own may have 4000 words and more. */
static const char *const *program_of(const struct wl_invocation *inv, struct wl_arena *arena)
{
	const char **argv = WL_NEW(arena, const char *, inv->n_operands + 1);

	for (size_t i = 0; argv && i < inv->n_operands; i++)
		argv[i] = inv->operand[i];
	return argv;
}

/* One nsys in another records nothing more, and mostly fails. */
static int check_program(const struct wl_invocation *inv, struct wl_arena *arena,
			 struct wl_err *reterr)
{
	const char *const *word = inv->operand;
	const char *line;

	if (inv->n_operands < 3 || strcmp(wl_path_name(word[0]), "nsys") != 0 ||
	    strcmp(word[1], "profile") != 0)
		return WL_OK;
	line = wl_shell_words(word + 2, inv->n_operands - 2, arena);
	return wl_fail(reterr, WL_E_USAGE,
		       "the program is nsys itself; leave it out: warplens capture%s %.300s",
		       strcmp(wl_verb_name(&inv->verb), "plan") == 0 ? " --dry-run" : "",
		       line ? line : word[2]);
}

int wl_wishes_take(const struct wl_invocation *inv, const union wl_arg *arg, struct wl_arena *arena,
		   struct wl_wishes *ret, struct wl_err *reterr)
{
	const bool is_ncu = arg[WL_WISH_FOR].i64 == WL_GOAL_NCU;

	int r = check_program(inv, arena, reterr);

	if (r < 0)
		return r;
	if (arg[WL_WISH_LIGHT].flag && arg[WL_WISH_FULL].flag)
		return wl_fail(reterr, WL_E_USAGE, "--light and --full: give one of them");
	*ret = (struct wl_wishes){
		.goal = (enum wl_goal)arg[WL_WISH_FOR].i64,
		.launcher = (enum wl_launcher)arg[WL_WISH_LAUNCHER].i64,
		.ranks = arg[WL_WISH_RANKS].str,
		.graphs = (enum wl_graph_trace)arg[WL_WISH_GRAPHS].i64,
		.forks = arg[WL_WISH_FORKS].flag,
		.preset = arg[WL_WISH_FULL].flag    ? WL_PRESET_FULL
			  : arg[WL_WISH_LIGHT].flag ? WL_PRESET_LIGHT
						    : WL_PRESET_NORMAL,
		.tool = is_ncu ? NULL : inv->opt.nsys,
		.program = program_of(inv, arena),
	};
	if (!ret->program)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the command");
	return wl_capture_gate_parse(arg[WL_WISH_GATE].str, &ret->gate, reterr);
}
