/* SPDX-License-Identifier: MIT */
#include "cli/commands/wishes.h"

const char *const wl_wish_graphs[] = { "auto", "node", "graph", NULL };

/* The program as a list that ends; the command line's own may have 4000 words and more. */
static const char *const *program_of(const struct wl_invocation *inv, struct wl_arena *arena)
{
	const char **argv = WL_NEW(arena, const char *, inv->n_operands + 1);

	for (size_t i = 0; argv && i < inv->n_operands; i++)
		argv[i] = inv->operand[i];
	return argv;
}

int wl_wishes_take(const struct wl_invocation *inv, const union wl_arg *arg, struct wl_arena *arena,
		   struct wl_wishes *ret, struct wl_err *reterr)
{
	const bool is_ncu = arg[WL_WISH_FOR].i64 == WL_GOAL_NCU;

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
