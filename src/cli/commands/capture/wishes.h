/* SPDX-License-Identifier: MIT */
/* wishes.h - what commands that plan a capture have in common. */
#ifndef WL_CLI_COMMANDS_WISHES_H
#define WL_CLI_COMMANDS_WISHES_H

#include "analysis/args.h"
#include "capture/plan/plan.h"
#include "capture/report.h"
#include "cli/line/opt.h"

/* The first parameters of such a command. */
enum wl_wish {
#define WL_WISH(id, ...) WL_WISH_##id,
#include "cli/commands/capture/wishes.def"
#undef WL_WISH
	WL_N_WISHES
};

extern const char *const wl_wish_graphs[];

/* The operands are the program. In the arena; the texts are those of the command line. */
int wl_wishes_take(const struct wl_invocation *inv, const union wl_arg *arg, struct wl_arena *arena,
		   struct wl_wishes *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
