/* SPDX-License-Identifier: MIT */
/* serve.c - the command that shows traces in a browser, which asks for what it draws. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/args.h"
#include "base/text/clean.h"
#include "cli/confine.h"
#include "cli/job.h"
#include "cli/open.h"
#include "cli/status.h"
#include "serve/http/server.h"

enum { PORT, BIND, HOST, TOKEN, TOKEN_FILE, NCU, N_PARAMS };

static const struct wl_param params[N_PARAMS] = {
	[PORT] = { .key = "port",
		   .type = WL_P_COUNT,
		   .def = "0",
		   .help = "Port to listen on; 0: one that is free." },
	[BIND] = { .key = "bind",
		   .type = WL_P_STR,
		   .def = "127.0.0.1",
		   .help = "Address to listen on; others than this machine reach only another "
			   "one." },
	[HOST] = { .key = "host",
		   .type = WL_P_STR,
		   .help = "A further name of this machine that browsers may call it by." },
	[TOKEN] = { .key = "token",
		    .type = WL_P_STR,
		    .help = "The secret of the address, 32 digits; by default a new one. Other "
			    "users of the machine see it in ps." },
	[TOKEN_FILE] = { .key = "token-file",
			 .type = WL_P_STR,
			 .help = "A file that only you can read with the secret; or set "
				 "WARPLENS_TOKEN." },
	[NCU] = { .key = "ncu",
		  .type = WL_P_DOC,
		  .is_ncu = true,
		  .help = "A report of Nsight Compute, as for roofline; adds its chart." },
};

#define FOREIGN                                                                                    \
	(WL_OPT_BIT(FORMAT) | WL_OPT_BIT(OUTPUT) | WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(COLOR) |      \
	 WL_OPT_BIT(SECTION) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |          \
	 WL_OPT_BIT(COLUMNS) | WL_OPT_BIT(STATS) | WL_OPT_BIT(VERBOSE))

/* What a server is made of; all of it lives until it stops. */
struct serving {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_index_opts index;
	struct wl_opened opened[WL_MAX_SHOWN];
	struct wl_served_opts opts;
	struct wl_served served;
	struct wl_access access;
	char host[128]; /* the address as a browser writes it */
	struct wl_server *server;
};

/* ---- What is asked ---- */

static bool is_wildcard(const char *address)
{
	return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
}

/* What every server answers to by itself. */
static bool is_loopback(const char *address)
{
	return strcmp(address, "127.0.0.1") == 0 || strcmp(address, "::1") == 0;
}

static int set_access(struct serving *s, struct wl_err *reterr)
{
	const char *address = s->args.value[BIND].str;

	/* Who listens on one address is called by it. */
	(void)snprintf(s->host, sizeof(s->host), strchr(address, ':') ? "[%.100s]" : "%.100s",
		       address);
	s->access.host = s->args.value[HOST].str;
	/* Requests that call the server by any other name are refused, against DNS rebinding. */
	if (!s->access.host && !is_wildcard(address) && !is_loopback(address))
		s->access.host = s->host;
	return wl_token_choose(s->inv->param[TOKEN], s->inv->param[TOKEN_FILE],
			       getenv("WARPLENS_TOKEN"), s->access.token, reterr);
}

static int check_options(const struct serving *s, struct wl_err *reterr)
{
	if (s->inv->n_operands < 1 || s->inv->n_operands > WL_MAX_SHOWN)
		return wl_fail(reterr, WL_E_USAGE,
			       "serve: give 1 to %d traces; usage: warplens serve TRACE...",
			       WL_MAX_SHOWN);
	if (s->args.value[PORT].i64 < 0 || s->args.value[PORT].i64 > UINT16_MAX)
		return wl_fail(reterr, WL_E_USAGE, "--port: give a number from 0 to 65535");
	return WL_OK;
}

static void describe(struct serving *s)
{
	s->opts.n = s->inv->n_operands;
	s->opts.program = "warplens " WL_VERSION;
	s->opts.scratch = getenv("TMPDIR");
	s->opts.budget = &s->budget;
	for (size_t i = 0; i < s->opts.n; i++) {
		s->opts.label[i] = s->inv->operand[i];
		s->opts.files[i] = wl_job_files(s->inv, i);
		s->opts.trace[i] = (struct wl_loading){
			.path = s->opened[i].database,
			.input = { .pool = s->pool,
				   .budget = &s->budget,
				   .reader = s->inv->opt.reader },
			.index = wl_index_is_wanted(s->inv) ? &s->index : NULL,
			.request = wl_opened_request(s->inv, &s->docs, s->pool),
			.budget = &s->budget,
		};
	}
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct serving *s, struct wl_err *reterr)
{
	const struct wl_invocation *inv = s->inv;
	int r = wl_docs_init(&s->docs, inv, inv->param, reterr);

	if (r == WL_OK)
		r = wl_command_args(&s->args, inv, s->docs.param, reterr);
	if (r == WL_OK)
		r = check_options(s, reterr);
	if (r == WL_OK)
		r = set_access(s, reterr);
	if (r < 0)
		return r;
	s->pool = wl_pool_option(inv);
	s->index = wl_index_options(inv);
	describe(s);
	return wl_opened_check(inv, &s->opts.trace[0].request, reterr);
}

static int find_databases(struct serving *s, const atomic_int *cancel, struct wl_err *reterr)
{
	const struct wl_opening how = { .inv = s->inv, .pool = s->pool, .budget = &s->budget };
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < s->opts.n; i++) {
		r = wl_opened_export(&s->opened[i], s->inv->operand[i], s->inv, cancel, reterr);
		if (r == WL_OK)
			r = wl_opened_prove(&s->opened[i], &how, cancel, reterr);
	}
	return r;
}

/* ---- What is said ---- */

static int tell_address(const struct serving *s, struct wl_err *reterr)
{
	const char *address = s->args.value[BIND].str;
	const char *name = s->access.host ? s->access.host : s->host;
	unsigned port = s->access.port;
	char here[256] = "HOST";

	if (is_wildcard(address) && !s->access.host)
		name = "127.0.0.1";
	(void)fputs("http://", stdout);
	wl_put_clean(stdout, name);
	(void)printf(":%u/t/%s/\n", port, s->access.token);
	if (gethostname(here, sizeof(here) - 1) < 0)
		(void)snprintf(here, sizeof(here), "HOST");
	if (is_loopback(address)) {
		(void)printf("from elsewhere: ssh -L %u:%s:%u ", port, s->host, port);
		wl_put_clean(stdout, here);
		(void)fputs(", then the same address\n", stdout);
	} else {
		(void)fputs("note: anyone who has this address can read the trace; the connection "
			    "is not encrypted\n",
			    stderr);
	}
	return wl_check_stdout(reterr);
}

static void tell_ready(const struct serving *s)
{
	(void)fprintf(stderr, "serve: ready, %" PRIu64 " events; Ctrl-C stops\n",
		      wl_show_count_all(&s->served.show));
}

/* ---- All ---- */

static void pause_for(long ms)
{
	(void)nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Until a signal comes. A trace that cannot be read is reported to the page, then to the shell. */
static int wait(struct serving *s, const atomic_int *cancel, struct wl_err *reterr)
{
	enum { TICK = 50, LAST_WORDS = 2000 };
	bool told = false;

	while (*cancel == 0) {
		enum wl_served_state state = wl_served_state(&s->served);

		if (state == WL_SERVED_FAILED) {
			pause_for(LAST_WORDS);
			*reterr = s->served.err;
			return reterr->code;
		}
		if (state == WL_SERVED_READY && !told) {
			/* Files that are no job are served again, by another socket. */
			if (s->inv->may_separate)
				wl_confine_listening();
			tell_ready(s);
			told = true;
		}
		wl_server_tend(s->server);
		pause_for(TICK);
	}
	return wl_fail(reterr, WL_E_CANCELED, "serve: stopped");
}

static bool has_files(struct serving *s)
{
	bool has = atomic_load(&s->served.n_files) > 0;

	for (size_t i = 0; i < s->opts.n; i++)
		has = has || s->opened[i].export_dir.path[0] != '\0';
	return has;
}

/*
 * Stopping does not wait for what does not look at the flag, such as SQL that sorts. Exports do,
 * so no file is left behind.
 */
static void leave(struct serving *s, const struct wl_err *err)
{
	/*
	 * The first is for what looks at the flag, the second for an export that is being written.
	 * Without files it ends at most 0.14 s after a signal.
	 */
	enum { TICK = 10, PATIENCE = 60, PATIENCE_FILES = 1500 };

	wl_served_end(&s->served);
	for (int ms = 0; s->served.jobs && !wl_jobs_is_idle(s->served.jobs); ms += TICK) {
		if (ms >= (has_files(s) ? PATIENCE_FILES : PATIENCE)) {
			for (size_t i = 0; i < s->opts.n; i++)
				wl_opened_drop_file(&s->opened[i]);
			_exit(wl_report_failure(err));
		}
		pause_for(TICK);
	}
}

/* The directory of exports is kept for files that turn out to be no job. */
static int serve(struct serving *s, struct wl_tmpdir *ret_exports, const atomic_int *cancel,
		 struct wl_err *reterr)
{
	const struct wl_server_opts opts = { .address = s->args.value[BIND].str,
					     .port = (uint16_t)s->args.value[PORT].i64,
					     .n_threads = wl_pool_threads(s->pool),
					     .access = &s->access,
					     .served = &s->served };
	int r = find_databases(s, cancel, reterr);

	if (r == WL_OK)
		r = wl_served_begin(&s->served, &s->opts, reterr);
	if (r == WL_OK)
		r = wl_server_open(&opts, &s->server, reterr);
	if (r == WL_OK && !s->inv->may_separate)
		wl_confine_listening();
	if (r == WL_OK)
		r = tell_address(s, reterr);
	if (r == WL_OK)
		r = wait(s, cancel, reterr);
	if (r == WL_E_CANCELED)
		leave(s, reterr);
	wl_served_stop(&s->served);
	wl_server_close(s->server);
	wl_served_release(&s->served);
	if (r == WL_E_NOJOB && s->inv->may_separate)
		wl_opened_keep(&s->opened[0], ret_exports);
	for (size_t i = 0; i < s->opts.n; i++)
		wl_opened_release(&s->opened[i]);
	return r;
}

/* Files that are one job, or each of them: wl_opened_either(). */
static int serve_as(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
		    struct wl_err *reterr)
{
	struct serving *s = calloc(1, sizeof(*s));
	int r;

	(void)ctx;
	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	s->inv = inv;
	s->budget.limit = inv->opt.memory;
	r = prepare(s, reterr);
	if (r == WL_OK) {
		r = serve(s, ret_exports, wl_signals_catch(), reterr);
		wl_signals_release();
	}
	wl_docs_release(&s->docs);
	wl_args_release(&s->args);
	wl_pool_free(s->pool);
	free(s);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err = { .code = WL_OK };
	int r = wl_opened_either(inv, serve_as, NULL, &err);

	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_alias aliases[] = {
	{ .name = "web" },      { .name = "open" },         { .name = "view" },
	{ .name = "diff-web" }, { .name = "timeline-web" }, { .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens serve run.sqlite", "Print an address; open it in a browser." },
	{ "warplens serve run.sqlite --port 8080", "Always the same port." },
	{ NULL, NULL },
};

const struct wl_command wl_command_serve = {
	.name = "serve",
	.topic = WL_TOPIC_LOOK,
	.listed = { .level = WL_LEVEL_SECOND, .line = "Browse traces in a browser, any size" },
	.help = "Browse traces of any size in a browser",
	.about = "Prints an address of this machine and answers there until Ctrl-C. The page is "
		 "that "
		 "of \"warplens viewer\", but it asks for what it draws, so a trace may have a "
		 "hundred million events. Only this machine can reach it, and only who knows the "
		 "secret in the address; from elsewhere, use the ssh line that is printed. Nothing "
		 "is changed and nothing is sent anywhere. --window gives the first view.",
	.operands = "TRACE...",
	.aliases = aliases,
	.examples = examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = FOREIGN,
	.instead = "a server prints no table",
	.several = WL_SEVERAL_BESIDE,
	.run = run,
};
