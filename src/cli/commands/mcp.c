/* SPDX-License-Identifier: MIT */
/* mcp.c - the command that answers agents: a server of the Model Context Protocol. */
#include <stdlib.h>
#include <unistd.h>

#include "agent/mcp/stdio.h"
#include "analysis/args.h"
#include "base/pool.h"
#include "cli/commands/trace_opener.h"
#include "cli/status.h"

#define FOREIGN                                                                                    \
	(WL_OPT_BIT(FORMAT) | WL_OPT_BIT(OUTPUT) | WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(COLOR) |      \
	 WL_OPT_BIT(SECTION) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |          \
	 WL_OPT_BIT(COLUMNS) | WL_OPT_BIT(STATS) | WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(WINDOW) |      \
	 WL_OPT_BIT(TRIM) | WL_OPT_BIT(GPU) | WL_OPT_BIT(PID) | WL_OPT_BIT(RANK) |                 \
	 WL_OPT_BIT(STREAM) | WL_OPT_BIT(MARKER) | WL_OPT_BIT(CONVENTIONS) | WL_OPT_BIT(JOB) |     \
	 WL_OPT_BIT(KEEP_EXPORT))

/* What a server is made of; all of it lives until it stops. */
struct offering {
	const struct wl_invocation *inv;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_opening_room room;
	struct wl_toolbox *box;
};

static int serve(struct offering *o, const atomic_int *stop, struct wl_err *reterr)
{
	const struct wl_mcp mcp = { .box = o->box, .version = WL_VERSION };
	const struct wl_mcp_pipe pipe = {
		.mcp = &mcp, .in = STDIN_FILENO, .out = stdout, .stop = stop
	};

	return wl_mcp_stdio(&pipe, reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct offering o = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	const atomic_int *stop = wl_signals_catch();
	struct wl_toolbox_opts opts;
	struct wl_err err;
	int r;

	o.pool = wl_pool_option(inv);
	o.room = (struct wl_opening_room){ .inv = inv, .pool = o.pool, .budget = &o.budget };
	opts = (struct wl_toolbox_opts){ .opener = wl_trace_opener_of(&o.room),
					 .pool = o.pool,
					 .budget = &o.budget,
					 .version = WL_VERSION };
	o.box = wl_toolbox_new(&opts);
	r = o.box ? serve(&o, stop, &err) : wl_fail(&err, WL_E_NOMEM, "mcp: no memory");
	wl_toolbox_free(o.box);
	wl_pool_free(o.pool);
	wl_signals_release();
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens mcp", "Answer on standard input and output until the input ends." },
	{ NULL, NULL },
};

const struct wl_command wl_command_mcp = {
	.name = "mcp",
	.topic = WL_TOPIC_HAND_ON,
	.help = "Let coding agents ask traces (Model Context Protocol)",
	.about = "A server for Claude Code, Cursor, VS Code and others, which start it by "
		 "themselves "
		 "and ask it on standard input: open_trace, findings, analyze, describe and more. "
		 "Replies are bounded, typed and carry the equal command line. It reads traces and "
		 "changes nothing, shows no environment variables and no output of the recorded "
		 "program, and sends nothing anywhere.",
	.operands = "",
	.examples = examples,
	.common = true,
	.without = FOREIGN,
	.instead = "an agent says so in its calls",
	.run = run,
};
