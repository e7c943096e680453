/* SPDX-License-Identifier: MIT */
/* timeline.c - the commands that show a trace on the terminal: its timeline, its NVTX tree. */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/clean.h"
#include "base/text/json_write.h"
#include "cli/commands/timeline/viewing.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "session/select/window.h"
#include "tui/app/app.h"
#include "tui/term/dump.h"

enum {
	START,
	VIEW,
	PRINT_VIEW,
	ASCII,
	NO_MOUSE,
	KEYS,
	BOOKMARKS,
	SNAPSHOT,
	SCRIPT,
	COLOUR,
	DUMP_STATE,
	N_PARAMS
};

static const struct wl_param params[N_PARAMS] = {
	[START] = { .key = "start",
		    .type = WL_P_STR,
		    .help = "Begin there: a time (39.4s), i12 for an iteration, %50 or a name." },
	[VIEW] = { .key = "view",
		   .type = WL_P_STR,
		   .help = "Begin with a view that --print-view has printed." },
	[PRINT_VIEW] = { .key = "print-view",
			 .type = WL_P_BOOL,
			 .help = "At the end, print the command line that shows the same view." },
	[ASCII] = { .key = "ascii", .type = WL_P_BOOL, .help = "Draw with ASCII only." },
	[NO_MOUSE] = { .key = "no-mouse",
		       .type = WL_P_BOOL,
		       .help = "Leave the mouse to the terminal." },
	[KEYS] = { .key = "keys",
		   .type = WL_P_STR,
		   .help = "Other keys: WASD, or lines of a key and an action." },
	[BOOKMARKS] = { .key = "bookmarks",
			.type = WL_P_STR,
			.help = "Keep bookmarks in FILE, to share them." },
	[SNAPSHOT] = { .key = "snapshot",
		       .type = WL_P_STR,
		       .help = "Without a terminal: print the screen of this size as text." },
	[SCRIPT] = { .key = "script",
		     .type = WL_P_STR,
		     .help = "Before the snapshot, press these keys, such as: + + Tab." },
	[COLOUR] = { .key = "colour", .type = WL_P_BOOL, .help = "Print the snapshot in colours." },
	[DUMP_STATE] = { .key = "dump-state",
			 .type = WL_P_BOOL,
			 .help = "Print the state as JSON: at the end, or in place of the "
				 "snapshot." },
};

#define FOREIGN                                                                                    \
	(WL_OPT_BIT(FORMAT) | WL_OPT_BIT(OUTPUT) | WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(COLOR) |      \
	 WL_OPT_BIT(SECTION) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |          \
	 WL_OPT_BIT(COLUMNS) | WL_OPT_BIT(STATS) | WL_OPT_BIT(VERBOSE))

/* What a viewer is made of; all of it lives until it is left. */
struct viewing {
	const struct wl_invocation *inv;
	enum wl_view_id first;
	struct wl_docs docs;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_opened opened[2];
	char state_file[WL_PATH_CAP];
	struct wl_app_opts opts;
	struct wl_app *app;
	int cols, rows; /* of a snapshot */
};

static bool is_ascii(const struct viewing *v)
{
	return v->inv->param[ASCII] || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* ---- What is asked ---- */

static int check_options(const struct viewing *v, struct wl_err *reterr)
{
	static const size_t for_snapshot[] = { SCRIPT, COLOUR };
	const struct wl_invocation *inv = v->inv;
	const char *verb = inv->verb.command->name;

	for (size_t i = 0; i < WL_COUNT(for_snapshot); i++) {
		if (inv->param[for_snapshot[i]] && !inv->param[SNAPSHOT])
			return wl_fail(reterr, WL_E_USAGE, "%s: --%s needs --snapshot WxH", verb,
				       params[for_snapshot[i]].key);
	}
	if (inv->n_operands < 1 || inv->n_operands > 2)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: give a trace, or two to compare, or the files of one job with "
			       "--job; usage: warplens %s TRACE [TRACE2]",
			       verb, verb);
	if (!inv->param[SNAPSHOT] && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: this needs a terminal; --snapshot 80x24 prints the screen as "
			       "text",
			       verb);
	return WL_OK;
}

static int parse_size(struct viewing *v, struct wl_err *reterr)
{
	const char *given = v->inv->param[SNAPSHOT];
	char *x, *end = NULL;
	long cols, rows;

	if (!given)
		return WL_OK;
	cols = strtol(given, &x, 10);
	rows = *x == 'x' ? strtol(x + 1, &end, 10) : 0;
	if (*x != 'x' || *end != '\0' || cols < 1 || rows < 1 || cols > 1000 || rows > 1000)
		return wl_fail(reterr, WL_E_USAGE,
			       "--snapshot %.40s: give columns and rows, such as 80x24", given);
	v->cols = (int)cols;
	v->rows = (int)rows;
	return WL_OK;
}

/* A mistake in the script is reported before minutes of reading and not after. */
static int check_script(const struct viewing *v, struct wl_err *reterr)
{
	struct wl_script_pos pos = { .at = v->inv->param[SCRIPT] };
	struct wl_event event;
	const char *bad = NULL;

	while (pos.at && wl_script_next(&pos, &event, &bad))
		;
	if (bad)
		return wl_fail(reterr, WL_E_USAGE, "--script: \"%.*s\" is not an event",
			       (int)strcspn(bad, " "), bad);
	return WL_OK;
}

/* What the user keeps in a file must not be the trace itself. */
static int spare_traces(const struct viewing *v, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < v->inv->n_operands; i++)
		r = wl_spare_trace(v->inv->param[BOOKMARKS], v->inv->operand[i], "--bookmarks",
				   reterr);
	return r;
}

enum { MAX_KEY_FILE = 64 << 10 };

static int read_keys(struct viewing *v, struct wl_err *reterr)
{
	const char *given = v->inv->param[KEYS];
	char *lines, *text;
	size_t n;
	int r;

	wl_keymap_init(&v->opts.keys);
	if (!given)
		return WL_OK;
	if (strcmp(given, "perfetto") == 0)
		return wl_keymap_change(&v->opts.keys, wl_keys_perfetto, given, reterr);
	r = wl_file_read(given, MAX_KEY_FILE + 1, &lines, &n, reterr);
	if (r < 0)
		return r;
	text = n <= MAX_KEY_FILE ? strndup(lines, n) : NULL;
	free(lines);
	if (n > MAX_KEY_FILE)
		return wl_fail(reterr, WL_E_USAGE, "--keys %.200s: it has more than %d bytes",
			       given, MAX_KEY_FILE);
	r = text ? wl_keymap_change(&v->opts.keys, text, given, reterr)
		 : wl_fail(reterr, WL_E_NOMEM, "no memory for keys");
	free(text);
	return r;
}

/*
 * The ruler then has times of the trace's clock, so that --trim 0.39 0.42 shows 390 to 420 ms as in
 * every other verb. Otherwise times begin with the trace.
 */
static bool is_absolute(const char *window)
{
	struct wl_window w;
	struct wl_err err;

	return window && wl_window_parse(window, &w, &err) == WL_OK && w.kind == WL_WINDOW_TIMES &&
	       !w.begin_relative && !w.end_relative;
}

static int fill_options(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_invocation *inv = v->inv;
	struct wl_app_opts *o = &v->opts;
	const char *test = getenv("WARPLENS_TEST");

	o->views[WL_VIEW_TIMELINE] = &wl_timeline_view;
	o->views[WL_VIEW_TREE] = &wl_tree_view;
	o->first = v->first;
	o->start = inv->param[START];
	o->window = inv->opt.window;
	o->absolute = is_absolute(o->window);
	o->view = inv->param[VIEW];
	o->bookmarks_file = inv->param[BOOKMARKS];
	o->budget = &v->budget;
	/* A snapshot has the same bytes each time: it shows no clock and no timing. */
	o->frozen = inv->param[SNAPSHOT] || (test && strcmp(test, "1") == 0);
	o->is_picture = inv->param[SNAPSHOT] && !inv->param[SCRIPT] && !inv->param[VIEW] &&
			!inv->param[PRINT_VIEW] && !inv->param[DUMP_STATE];
	v->pool = wl_pool_option(inv);
	o->request = wl_opened_request(inv, &v->docs, v->pool);
	o->input.reader = inv->opt.reader;
	o->input.pool = v->pool;
	o->input.budget = &v->budget;
	o->index = wl_index_options(inv);
	o->indexed = wl_index_is_wanted(inv);
	/* A snapshot shows the trace and not the saved view of it. */
	if (!inv->param[SNAPSHOT] && wl_state_path(inv->operand[0], v->state_file))
		o->state_file = v->state_file;
	o->command[WL_VIEW_TIMELINE] = wl_again_command(inv, "timeline", &v->arena);
	o->command[WL_VIEW_TREE] = wl_again_command(inv, "tui", &v->arena);
	return o->command[WL_VIEW_TIMELINE] && o->command[WL_VIEW_TREE]
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "no memory for the viewer");
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_invocation *inv = v->inv;
	int r = check_options(v, reterr);

	if (r == WL_OK)
		r = parse_size(v, reterr);
	if (r == WL_OK)
		r = check_script(v, reterr);
	if (r == WL_OK)
		r = spare_traces(v, reterr);
	if (r == WL_OK)
		r = read_keys(v, reterr);
	if (r == WL_OK)
		r = wl_docs_init(&v->docs, inv, NULL, reterr);
	if (r == WL_OK)
		r = fill_options(v, reterr);
	return r < 0 ? r : wl_opened_check(inv, &v->opts.request, reterr);
}

/* Reports are exported before the screen is taken: nsys takes its time, and reports on stderr. */
static int find_databases(struct viewing *v, const atomic_int *cancel, struct wl_err *reterr)
{
	const struct wl_invocation *inv = v->inv;
	const struct wl_opening how = { .inv = inv, .pool = v->pool, .budget = &v->budget };
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < inv->n_operands; i++) {
		r = wl_opened_export(&v->opened[i], inv->operand[i], inv, cancel, reterr);
		if (r == WL_OK)
			r = wl_opened_prove(&v->opened[i], &how, cancel, reterr);
		v->opts.path[i] = v->opened[i].database;
		v->opts.label[i] = inv->operand[i];
	}
	return r;
}

/* ---- What is shown ---- */

static void print_state(struct wl_app *app)
{
	struct wl_jsonw out;

	wl_jsonw_init(&out, stdout);
	wl_app_dump(app, &out);
	wl_jsonw_finish(&out);
}

/* Without colours the log of a CI job may keep it. */
static void put_lines(const char *text, char *end)
{
	*end = '\0';
	wl_put_clean_lines(stdout, text);
}

static int print_screen(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_screen *screen = wl_app_draw(v->app);
	struct wl_vec out;
	char *end;
	int r = WL_OK;

	wl_vec_init(&out, 1, &v->budget);
	if (v->inv->param[COLOUR])
		wl_dump_ansi(screen, WL_DEPTH_256, &out);
	else
		wl_dump_text(screen, &out);
	end = wl_vec_extend(&out, 1);
	if (!end)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the screen");
	else if (v->inv->param[COLOUR])
		(void)fwrite(out.data, 1, out.n - 1, stdout);
	else
		put_lines(out.data, end);
	wl_vec_release(&out);
	return r;
}

static int snapshot(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_look_caps caps = { .ascii = is_ascii(v),
					   .colourful = v->inv->param[COLOUR] != NULL };
	const char *script = v->inv->param[SCRIPT];
	int r = wl_app_script(v->app, script ? script : "", v->cols, v->rows, caps, reterr);

	if (r == WL_OK && !v->inv->param[DUMP_STATE])
		r = print_screen(v, reterr);
	return r;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Some terminals tell their colours: "15;0", the last one is the background. */
static bool is_light(void)
{
	const char *colours = getenv("COLORFGBG"), *last = colours ? strrchr(colours, ';') : NULL;

	return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static int show(struct viewing *v, struct wl_err *reterr)
{
	const struct wl_term_opts opts = { .term = getenv("TERM"),
					   .colorterm = getenv("COLORTERM"),
					   .ascii = is_ascii(v),
					   .no_colour = is_set("NO_COLOR"),
					   .light = is_light(),
					   .no_mouse = v->inv->param[NO_MOUSE] != NULL };
	struct wl_term *term = NULL;
	int r = wl_term_open(&opts, &term, reterr);

	if (r == WL_OK)
		r = wl_app_run(v->app, term, reterr);
	wl_term_close(term);
	return r;
}

/* That something could not be kept does not undo what was seen. */
static void keep(struct viewing *v)
{
	struct wl_err err;

	if (wl_app_save(v->app, &err) == WL_OK)
		return;
	(void)fputs("note: ", stderr);
	wl_put_clean(stderr, err.msg);
	(void)fputc('\n', stderr);
}

static int view(struct viewing *v, struct wl_err *reterr)
{
	int r;

	v->app = wl_app_new(&v->opts, reterr);
	if (!v->app)
		return reterr->code;
	r = v->inv->param[SNAPSHOT] ? snapshot(v, reterr) : show(v, reterr);
	if (r < 0)
		return r;
	keep(v);
	if (v->inv->param[DUMP_STATE])
		print_state(v->app);
	if (v->inv->param[PRINT_VIEW])
		(void)puts(wl_app_command_line(v->app));
	return wl_check_stdout(reterr);
}

/*
 * Quitting does not wait for what is being computed: some of it takes seconds and cannot be
 * stopped. All that must be written is written.
 */
static void leave_at_once(struct viewing *v, int r, const struct wl_err *err)
{
	if (!v->app || v->inv->param[SNAPSHOT] || !wl_app_is_busy(v->app))
		return;
	wl_opened_drop_file(&v->opened[0]);
	wl_opened_drop_file(&v->opened[1]);
	_exit(r < 0 ? wl_report_failure(err) : 0);
}

static int view_as(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
		   struct wl_err *reterr)
{
	struct viewing *v = calloc(1, sizeof(*v));
	const enum wl_view_id *first = ctx;
	const atomic_int *cancel;
	int r;

	if (!v)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the viewer");
	v->inv = inv;
	v->first = *first;
	v->budget.limit = inv->opt.memory;
	wl_arena_init_on(&v->arena, &v->budget);
	r = prepare(v, reterr);
	if (r == WL_OK) {
		cancel = wl_signals_catch();
		r = find_databases(v, cancel, reterr);
		/* On a terminal Ctrl-C is a key, which the screen takes. */
		if (inv->param[SNAPSHOT])
			v->opts.input.cancel = cancel;
		if (r == WL_OK)
			r = view(v, reterr);
		leave_at_once(v, r, reterr);
		wl_app_free(v->app);
		if (r == WL_E_NOJOB && inv->may_separate)
			wl_opened_keep(&v->opened[0], ret_exports);
		wl_opened_release(&v->opened[0]);
		wl_opened_release(&v->opened[1]);
		wl_signals_release();
	}
	wl_docs_release(&v->docs);
	wl_arena_release(&v->arena);
	wl_pool_free(v->pool);
	free(v);
	return r;
}

static int run_view(const struct wl_invocation *inv, enum wl_view_id first)
{
	struct wl_err err = { .code = WL_OK };
	int r = wl_opened_either(inv, view_as, &first, &err);

	return r < 0 ? wl_report_failure(&err) : 0;
}

static int run_timeline(const struct wl_invocation *inv)
{
	return run_view(inv, WL_VIEW_TIMELINE);
}

static int run_tui(const struct wl_invocation *inv)
{
	return run_view(inv, WL_VIEW_TREE);
}

static const struct wl_example timeline_examples[] = {
	{ "warplens timeline run.sqlite", "h explains the keys, q leaves." },
	{ "warplens timeline run.sqlite --gpu 0 --window iter:3", "Begin with one iteration." },
	{ "warplens timeline run.sqlite --snapshot 100x30 --script '+ + Tab'",
	  "Without a terminal: press keys, print the screen." },
	{ NULL, NULL },
};

static const struct wl_example tui_examples[] = {
	{ "warplens tui run.sqlite", "h explains the keys, q leaves." },
	{ "warplens tui run.sqlite --snapshot 100x30", "Without a terminal: print the screen." },
	{ NULL, NULL },
};

#define ABOUT                                                                                      \
	"A second trace is compared with the first. The screen is there at once, and fills while " \
	"the trace is read. The view and bookmarks are kept for the next time, in a file below "   \
	"$XDG_STATE_HOME and never beside the trace. Nothing is sent anywhere."

const struct wl_command wl_command_timeline = {
	.name = "timeline",
	.topic = WL_TOPIC_LOOK,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Browse the trace in the terminal; \"serve\" opens it in a browser",
		    .all = "Browse the trace in the terminal; -o FILE.html writes a page" },
	.help = "Look at a trace on the terminal: rows of events over time",
	.about = "Shows GPUs, streams, NVTX ranges, threads and causes of idle time as rows over "
		 "time, on any terminal of at least 40x8 cells. Colour is the kind of work, "
		 "brightness the busy share: a stream that is 10% busy looks 10% busy at every "
		 "zoom. --window sets the first view. " ABOUT,
	.operands = "TRACE [TRACE2]",
	.examples = timeline_examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = FOREIGN,
	.instead = "a viewer prints no table",
	.several = WL_SEVERAL_PAIR,
	.run = run_timeline,
};

static const struct wl_form tui_forms[] = { { WL_FORM("timeline", "tree") }, { .verb = NULL } };

const struct wl_command wl_command_tui = {
	.name = "tui",
	.topic = WL_TOPIC_LOOK,
	.forms = tui_forms,
	.help = "Look at the NVTX tree of a trace on the terminal",
	.about = "Shows NVTX ranges as a tree that folds, with their GPU time and kernels, on any "
		 "terminal of at least 40x8 cells; Tab goes to the timeline. " ABOUT,
	.operands = "TRACE [TRACE2]",
	.examples = tui_examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = FOREIGN,
	.instead = "a viewer prints no table",
	.several = WL_SEVERAL_PAIR,
	.run = run_tui,
};
