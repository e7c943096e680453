/* SPDX-License-Identifier: MIT */
#include "cli/commands/ask/ask_llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/llm/answer.h"
#include "agent/llm/box.h"
#include "agent/llm/shapes.h"
#include "agent/llm/trace_names.h"
#include "agent/tools/toolbox.h"
#include "analysis/args.h"
#include "base/process/pool.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/authorities.h"
#include "cli/commands/ask/trace_opener.h"
#include "cli/print.h"
#include "cli/status.h"

const char *const wl_ask_shapes[] = { "auto", "anthropic", "openai", NULL };

/*
 * The texts of a conversation. Results of tools are at most 8 of 40 kB, so this is more than a
 * server has reason to send.
 */
enum { MEMORY = 64 << 20 };

/* A question under way. */
struct asking {
	const struct wl_invocation *inv;
	const char *trace, *question;
	struct wl_args args;
	char url[WL_LLM_URL_CAP], system[WL_LLM_SYSTEM_CAP];
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_opening_room room;
	struct wl_trace_opener opener; /* of the room */
	struct wl_trace_names names;
	struct wl_toolbox *box;
	struct wl_llm_box tools;
	struct wl_llm_veil *veil;
	struct wl_llm_opts opts;
	struct wl_arena arena;
	struct wl_llm_answer answer;
};

/* ---- Options ---- */

int wl_ask_llm_check(const struct wl_invocation *inv, struct wl_err *reterr)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(&inv->verb, &n);

	for (size_t i = 0; !inv->param[WL_ASK_LLM] && i < WL_N_ASK_LLM_PARAMS; i++) {
		if (inv->param[i])
			return wl_fail(reterr, WL_E_USAGE, "--%s: only with --llm URL",
				       params[i].key);
	}
	return WL_OK;
}

/* The model decides what it looks at, and the answer is text. */
static int refuse_foreign(const struct wl_invocation *inv, struct wl_err *reterr)
{
	static const enum wl_option_id foreign[] = {
		WL_OPT_WINDOW, WL_OPT_GPU,    WL_OPT_PID,    WL_OPT_RANK,  WL_OPT_STREAM,
		WL_OPT_MARKER, WL_OPT_FORMAT, WL_OPT_OUTPUT, WL_OPT_LIMIT, WL_OPT_TIMEUNIT,
	};

	for (size_t i = 0; i < WL_COUNT(foreign); i++) {
		if (inv->given[foreign[i]])
			return wl_fail(reterr, WL_E_USAGE,
				       "--%s: not with --llm; say it in the question",
				       wl_options[foreign[i]].long_name);
	}
	return WL_OK;
}

static bool is_https(const char *url)
{
	return strncasecmp(url, "https:", 6) == 0;
}

/*
 * The key: our own variable for any server, those of the providers by shape, and only where the
 * connection is encrypted: a server of this machine must not get them by the way.
 */
static const char *find_key(const struct wl_llm_shape *shape, const char *url)
{
	const char *key = getenv("WARPLENS_LLM_KEY");

	if ((!key || !*key) && is_https(url))
		key = getenv(shape == &wl_llm_anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY");
	return key && *key ? key : NULL;
}

static int read_options(struct asking *a, struct wl_err *reterr)
{
	const struct wl_invocation *inv = a->inv;
	const char *base = inv->param[WL_ASK_LLM], *shape = inv->param[WL_ASK_SHAPE];
	int r = wl_command_args(&a->args, inv, NULL, reterr);

	if (r == WL_OK)
		r = refuse_foreign(inv, reterr);
	if (r == WL_OK && inv->param[WL_ASK_TRANSCRIPT])
		r = wl_spare_trace(inv->param[WL_ASK_TRANSCRIPT], a->trace, "--transcript", reterr);
	if (r < 0)
		return r;
	a->opts.shape = shape && strcmp(shape, "auto") != 0 ? wl_llm_shape_find(shape)
							    : wl_llm_shape_of(base);
	r = wl_llm_url(a->opts.shape, base, a->url, reterr);
	if (r < 0)
		return r;
	a->opts.url = a->url;
	a->opts.key = find_key(a->opts.shape, a->url);
	a->opts.ca_file = wl_find_authorities();
	a->opts.model = inv->param[WL_ASK_MODEL] ? inv->param[WL_ASK_MODEL] : "default";
	if (!inv->param[WL_ASK_MODEL] && is_https(a->url))
		return wl_fail(reterr, WL_E_USAGE, "--llm: say which model with --model NAME");
	a->opts.is_stream = !a->args.value[WL_ASK_NO_STREAM].flag;
	a->opts.reply_tokens = a->args.value[WL_ASK_MAX_TOKENS].i64;
	if (a->opts.reply_tokens < 1)
		return wl_fail(reterr, WL_E_USAGE, "--max-tokens: give 1 or more");
	return WL_OK;
}

/* ---- The trace ---- */

/* The model may name any path in its calls: only the trace of the question is opened. */
static int open_trace(void *ctx, const char *path, struct wl_trace_reading *reading,
		      struct wl_tool_trace *ret, struct wl_err *reterr)
{
	struct asking *a = ctx;
	int r;

	if (strcmp(path, a->trace) != 0)
		return wl_fail(reterr, WL_E_USAGE, "only the trace t1 can be asked here");
	r = a->opener.open(a->opener.ctx, path, reading, ret, reterr);
	if (r == WL_OK)
		wl_trace_names_of(&a->names, ret->session);
	return r;
}

static void close_trace(void *ctx, struct wl_tool_trace *trace)
{
	struct asking *a = ctx;

	wl_trace_names_of(&a->names, NULL);
	a->opener.close(a->opener.ctx, trace);
}

static bool gather(void *ctx, struct wl_llm_veil *veil)
{
	struct asking *a = ctx;

	return wl_trace_names_gather(&a->names, veil);
}

static int make_tools(struct asking *a, struct wl_err *reterr)
{
	struct wl_toolbox_opts opts;

	a->pool = wl_pool_option(a->inv);
	a->room = (struct wl_opening_room){ .inv = a->inv, .pool = a->pool, .budget = &a->budget };
	a->opener = wl_trace_opener_of(&a->room);
	opts = (struct wl_toolbox_opts){
		.opener = { .open = open_trace, .close = close_trace, .ctx = a },
		.pool = a->pool,
		.budget = &a->budget,
		.version = WL_VERSION,
	};
	a->box = wl_toolbox_new(&opts);
	a->veil = a->args.value[WL_ASK_REDACT].flag ? wl_llm_veil_new() : NULL;
	if (!a->box || (a->args.value[WL_ASK_REDACT].flag && !a->veil))
		return wl_fail(reterr, WL_E_NOMEM, "ask: no memory for the tools");
	a->tools = (struct wl_llm_box){ .box = a->box,
					.cancel = a->opts.cancel,
					.veil = a->veil,
					.gather = gather,
					.context = a };
	return wl_llm_box_open(&a->tools, reterr);
}

/* Before anything is sent: a trace that cannot be read is no matter for a model. */
static int open_first(struct asking *a, struct wl_err *reterr)
{
	const struct wl_llm_tools tools = wl_llm_box_tools(&a->tools);
	char *args = NULL, *text = NULL;
	size_t n;
	FILE *out = open_memstream(&args, &n);
	struct wl_jsonw w;
	bool is_error = false;
	int r;

	if (!out)
		return wl_fail(reterr, WL_E_NOMEM, "ask: no memory");
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "path", a->trace);
	wl_jsonw_end_object(&w);
	r = fclose(out) == 0
		    ? tools.call(tools.context, "open_trace", args, &text, &is_error, reterr)
		    : wl_fail(reterr, WL_E_NOMEM, "ask: no memory");
	if (r == WL_OK && is_error)
		r = wl_llm_box_failure(text, reterr);
	free(args);
	free(text);
	return r;
}

/* ---- The answer ---- */

static void print_event(void *context, enum wl_llm_event event, const char *what)
{
	(void)context;
	if (event != WL_LLM_CALLING && event != WL_LLM_RETRYING)
		return;
	(void)fputs(event == WL_LLM_CALLING ? "warplens: the model calls " : "warplens: ", stderr);
	wl_put_clean(stderr, what);
	(void)fputs(event == WL_LLM_CALLING ? "\n" : "; trying again\n", stderr);
}

/* Names that were put back may hold what a terminal or a log takes as a command. */
static void print_answer(const char *text)
{
	size_t n = strlen(text);

	wl_put_clean_lines(stdout, text);
	if (n && text[n - 1] != '\n')
		(void)fputc('\n', stdout);
}

static void print_cost(const struct asking *a)
{
	const struct wl_llm_run *run = &a->answer.run;
	const struct wl_numbers_check *check = &a->answer.check;
	char in[WL_UNITS_BUF], out[WL_UNITS_BUF];

	(void)fprintf(stderr, "cost: %d request%s, %d tool call%s, %s tokens in, %s out",
		      run->n_requests, run->n_requests == 1 ? "" : "s", run->n_calls,
		      run->n_calls == 1 ? "" : "s", wl_fmt_count(in, run->usage.input),
		      wl_fmt_count(out, run->usage.output));
	if (run->n_calls == 0)
		(void)fputs("; no tool was called: the answer does not come from this trace",
			    stderr);
	else if (a->answer.is_checked)
		(void)fprintf(stderr, "; %zu of %zu numbers found in tool results",
			      check->n_numbers - check->n_unfound - check->n_asked,
			      check->n_numbers);
	(void)fputc('\n', stderr);
}

/* For the user alone: a transcript has names of the trace and what the model said of them. */
static int write_transcript(const struct asking *a, const struct wl_err *how, struct wl_err *reterr)
{
	struct wl_file file;
	int r = wl_file_begin(a->inv->param[WL_ASK_TRANSCRIPT], &file, reterr);

	if (r < 0)
		return r;
	if (file.temp[0] && fchmod(fileno(file.stream), S_IRUSR | S_IWUSR) != 0) {
		wl_file_abort(&file);
		return wl_fail(reterr, WL_E_OUTPUT, "--transcript: cannot make the file private");
	}
	wl_llm_transcript(file.stream, &a->opts, a->question, &a->answer, how);
	return wl_file_commit(&file, reterr);
}

static int ask(struct asking *a, struct wl_err *reterr)
{
	const struct wl_llm_tools tools = wl_llm_box_tools(&a->tools);
	struct wl_err failed;
	int r, w = WL_OK;

	a->opts.system = wl_llm_system(1, a->system);
	a->opts.veil = a->veil;
	a->opts.tell = isatty(STDERR_FILENO) ? print_event : NULL;
	r = wl_llm_answer(&a->opts, &tools, a->question, &a->answer, reterr);
	if (a->inv->param[WL_ASK_TRANSCRIPT])
		w = write_transcript(a, r < 0 ? reterr : NULL, &failed);
	if (r == WL_OK) {
		print_answer(a->answer.text);
		print_cost(a);
	}
	if (r == WL_OK && w < 0) {
		*reterr = failed;
		return w;
	}
	return r == WL_OK ? wl_check_stdout(reterr) : r;
}

static void release(struct asking *a)
{
	wl_llm_answer_release(&a->answer);
	wl_llm_box_close(&a->tools);
	wl_toolbox_free(a->box);
	wl_llm_veil_free(a->veil);
	wl_pool_free(a->pool);
	wl_arena_release(&a->arena);
	wl_args_release(&a->args);
}

int wl_ask_llm(const struct wl_invocation *inv, const char *trace, const char *question)
{
	struct asking a = { .inv = inv,
			    .trace = trace,
			    .question = question,
			    .budget = { .limit = inv->opt.memory } };
	struct wl_err err;
	int r;

	wl_arena_init(&a.arena, MEMORY);
	a.answer.run.talk.arena = &a.arena;
	a.opts.cancel = wl_signals_catch();
	r = read_options(&a, &err);
	if (r == WL_OK)
		r = make_tools(&a, &err);
	if (r == WL_OK)
		r = open_first(&a, &err);
	if (r == WL_OK)
		r = ask(&a, &err);
	release(&a);
	wl_signals_release();
	return r < 0 ? wl_report_failure(&err) : 0;
}
