/* SPDX-License-Identifier: MIT */
/* mcp.c - the command that answers agents: a server of the Model Context Protocol. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/mcp/http.h"
#include "agent/mcp/http_show.h"
#include "agent/mcp/stdio.h"
#include "analysis/args.h"
#include "base/process/pool.h"
#include "cli/commands/ask/trace_opener.h"
#include "cli/docs.h"
#include "cli/status.h"

enum { HTTP, TOKEN, TOKEN_FILE, NO_TOKEN, PAGE, N_PARAMS };

static const struct wl_param params[N_PARAMS] = {
	[HTTP] = { .key = "http",
		   .type = WL_P_COUNT,
		   .help = "Answer over HTTP on this port of 127.0.0.1 instead; 0: one that is "
			   "free." },
	[TOKEN] = { .key = "token",
		    .type = WL_P_STR,
		    .help = "With --http: the secret of the address, 32 digits; by default a new "
			    "one. Other users of the machine see it in ps." },
	[TOKEN_FILE] = { .key = "token-file",
			 .type = WL_P_STR,
			 .help = "With --http: a file that only you can read with the secret; or "
				 "set WARPLENS_TOKEN." },
	[NO_TOKEN] = { .key = "no-token",
		       .type = WL_P_BOOL,
		       .help = "With --http: no secret; every user of this machine can ask." },
	[PAGE] = { .key = "page",
		   .type = WL_P_STR,
		   .help = "The address that \"warplens serve\" printed: agents can move its "
			   "page." },
};

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
	struct wl_args args;
	struct wl_access access;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_opening_room room;
	char skills[WL_PATH_CAP];
	struct wl_toolbox *box;
	struct wl_mcp mcp;
	const atomic_int *stop;
};

static int check(struct offering *o, struct wl_err *reterr)
{
	const struct wl_invocation *inv = o->inv;
	const char *token = inv->param[TOKEN], *file = inv->param[TOKEN_FILE];

	if (inv->n_operands > 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "mcp takes no traces: the agent opens them; usage: warplens mcp");
	if (!inv->param[HTTP] && (token || file || inv->param[NO_TOKEN]))
		return wl_fail(reterr, WL_E_USAGE,
			       "--token, --token-file and --no-token: only with --http");
	if (o->args.value[HTTP].i64 > UINT16_MAX)
		return wl_fail(reterr, WL_E_USAGE, "--http: give a port from 0 to 65535");
	if (inv->param[PAGE] && wl_page_address_check(inv->param[PAGE], reterr) < 0)
		return reterr->code;
	return wl_token_choose(token, file, getenv("WARPLENS_TOKEN"), o->access.token, reterr);
}

/* Until a signal comes. */
static int serve_http(struct offering *o, struct wl_err *reterr)
{
	const struct wl_mcp_http_opts opts = { .mcp = &o->mcp,
					       .access = &o->access,
					       .port = (uint16_t)o->args.value[HTTP].i64,
					       .is_open = o->args.value[NO_TOKEN].flag };
	struct wl_mcp_http *http;
	int r = wl_mcp_http_open(&opts, &http, reterr);

	if (r < 0)
		return r;
	if (opts.is_open)
		(void)printf("http://127.0.0.1:%u/mcp\n", (unsigned)o->access.port);
	else
		(void)printf("http://127.0.0.1:%u/t/%s/mcp\n", (unsigned)o->access.port,
			     o->access.token);
	r = wl_check_stdout(reterr);
	while (r == WL_OK && *o->stop == 0) {
		wl_mcp_http_tend(http);
		/*
		 * Threads of the server answer. This one ends at most 50 ms after a signal, or at
		 * once where the signal is its own.
		 */
		(void)poll(NULL, 0, 50);
	}
	wl_mcp_http_close(http);
	return r == WL_OK ? wl_fail(reterr, WL_E_CANCELED, "mcp: stopped") : r;
}

static int serve_stdio(struct offering *o, struct wl_err *reterr)
{
	const struct wl_mcp_pipe pipe = {
		.mcp = &o->mcp, .in = STDIN_FILENO, .out = stdout, .stop = o->stop
	};

	return wl_mcp_stdio(&pipe, reterr);
}

static int serve(struct offering *o, struct wl_err *reterr)
{
	struct wl_toolbox_opts opts;
	int r;

	o->pool = wl_pool_option(o->inv);
	o->room = (struct wl_opening_room){
		.inv = o->inv, .pool = o->pool, .budget = &o->budget, .page = o->inv->param[PAGE]
	};
	opts = (struct wl_toolbox_opts){ .opener = wl_trace_opener_of(&o->room),
					 .pool = o->pool,
					 .budget = &o->budget,
					 .version = WL_VERSION };
	if (wl_config_folder("skills", o->skills))
		opts.skills = o->skills;
	o->box = wl_toolbox_new(&opts);
	if (!o->box)
		return wl_fail(reterr, WL_E_NOMEM, "mcp: no memory for the server");
	o->mcp = (struct wl_mcp){ .box = o->box, .version = WL_VERSION };
	o->stop = wl_signals_catch();
	wl_signals_end_with("warplens: mcp: stopped\n"); /* also while SQL sorts */
	r = o->inv->param[HTTP] ? serve_http(o, reterr) : serve_stdio(o, reterr);
	wl_signals_release();
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct offering o = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_err err;
	int r = wl_command_args(&o.args, inv, NULL, &err);

	if (r == WL_OK)
		r = check(&o, &err);
	if (r == WL_OK)
		r = serve(&o, &err);
	wl_toolbox_free(o.box);
	wl_pool_free(o.pool);
	wl_args_release(&o.args);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens mcp", "Answer on standard input and output until the input ends." },
	{ NULL, NULL },
};

const struct wl_command wl_command_mcp = {
	.name = "mcp",
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Serve traces to coding agents (Model Context Protocol)" },
	.help = "Serve traces to coding agents by the Model Context Protocol",
	.about = "A server for Claude Code, Cursor, VS Code and others, which start it by "
		 "themselves "
		 "and ask it on standard input: open_trace, findings, analyze, describe and more. "
		 "Replies are bounded, typed and carry the equal command line. It reads traces and "
		 "changes nothing, shows no environment variables and no output of the recorded "
		 "program, and sends nothing anywhere. With --http it prints an address of this "
		 "machine, which several clients can use.",
	.operands = "",
	.examples = examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = FOREIGN,
	.instead = "an agent says so in its calls",
	.run = run,
};
