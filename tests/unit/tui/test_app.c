/* SPDX-License-Identifier: MIT */
/* The program around the views, with views that only note what reaches them. */
#include "tui/app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory/vec.h"
#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "support/unit.h"
#include "tui/app/state_json.h"
#include "tui/term/dump.h"

static struct wl_budget budget;

/* ---- A view ---- */

struct noting {
	struct wl_app *app;
	const char *name;
	enum wl_action last;
	int n_acts, n_mouse, n_staged, n_answers, value, chosen;
	char line[64];
	bool knows;    /* actions */
	wl_ns arrived; /* where another view led to; 0: nowhere */
};

static bool make(struct wl_app *app, void **ret, const char *name)
{
	struct noting *n = calloc(1, sizeof(*n));

	if (!n)
		return false;
	n->app = app;
	n->name = name;
	n->knows = true;
	n->chosen = -1;
	*ret = n;
	return true;
}

static bool make_first(struct wl_app *app, void **ret)
{
	return make(app, ret, "first");
}

static bool make_second(struct wl_app *app, void **ret)
{
	return make(app, ret, "second");
}

static void draw(void *view, struct wl_screen *s)
{
	const struct noting *n = view;

	(void)wl_screen_print(s, 0, 0, s->cols, WL_STYLE_PLAIN, "view %s", n->name);
	(void)wl_screen_print(s, 0, s->rows - 1, s->cols, WL_STYLE_PLAIN, "state %d", n->value);
}

static bool act(void *view, enum wl_action action)
{
	struct noting *n = view;

	n->last = action;
	n->n_acts++;
	return n->knows;
}

static void mouse(void *view, const struct wl_event *e)
{
	(void)e;
	((struct noting *)view)->n_mouse++;
}

static void arrive(void *view, const struct wl_view_place *place)
{
	((struct noting *)view)->arrived = place ? place->at : 0;
}

static void staged(void *view, int which)
{
	struct noting *n = view;

	(void)which;
	n->n_staged++;
	wl_app_say(n->app, "%s is ready", n->name);
}

static void save(void *view, struct wl_jsonw *out)
{
	const struct noting *n = view;

	wl_jsonw_key(out, "value");
	wl_jsonw_i64(out, n->value);
	wl_state_put_time(out, "time", INT64_C(1234567890123456789));
	wl_jsonw_key(out, "text");
	wl_jsonw_str(out, "it's \"quoted\"");
}

static void restore(void *view, const struct wl_json *state)
{
	struct noting *n = view;
	wl_ns t = 0;

	(void)wl_state_int(state, "value", 0, 100, &n->value);
	if (n->value)
		assert_true(wl_state_time(state, "time", &t));
	assert_true(!n->value || t == INT64_C(1234567890123456789));
}

static const struct wl_view_ops first = { "timeline", make_first, free,   draw, act,
					  mouse,      arrive,     staged, save, restore };
static const struct wl_view_ops second = { "tree", make_second, free,   draw, act,
					   mouse,  arrive,      staged, save, restore };

/* ---- What the tests do ---- */

static struct wl_app_opts options(void)
{
	struct wl_app_opts o = { .views = { &first, &second },
				 .command = { "warplens timeline t.sqlite",
					      "warplens tui t.sqlite" },
				 .budget = &budget,
				 .frozen = true };

	wl_keymap_init(&o.keys);
	return o;
}

static struct wl_app *app_of(const struct wl_app_opts *opts)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_app *app = wl_app_new(opts, &err);

	if (!app)
		fail_msg("%s", err.msg);
	return app;
}

static void play(struct wl_app *app, const char *script)
{
	struct wl_err err = { .code = WL_OK };

	if (wl_app_script(app, script, 60, 12, (struct wl_look_caps){ .ascii = true }, &err) < 0)
		fail_msg("%s", err.msg);
}

static const char *shown(struct wl_app *app)
{
	static char text[1 << 16];
	struct wl_vec out;

	wl_vec_init(&out, 1, &budget);
	wl_dump_text(wl_app_draw(app), &out);
	wl_vec_push(&out, "");
	assert_false(out.failed || out.n > sizeof(text));
	memcpy(text, out.data, out.n);
	wl_vec_release(&out);
	return text;
}

static void sees(struct wl_app *app, const char *text)
{
	if (!strstr(shown(app), text))
		fail_msg("no \"%s\" in\n%s", text, shown(app));
}

static void misses(struct wl_app *app, const char *text)
{
	if (strstr(shown(app), text))
		fail_msg("\"%s\" in\n%s", text, shown(app));
}

static struct noting *view_of(struct wl_app *app, enum wl_view_id id)
{
	return wl_app_view(app, id);
}

/* ---- Events ---- */

TEST(keys_reach_the_view_as_actions)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	struct noting *n = view_of(app, WL_VIEW_TIMELINE);

	play(app, "");
	sees(app, "first is ready"); /* what is not seen says nothing */
	play(app, "d");
	assert_int_equal(n->n_staged, 1);
	assert_int_equal(n->last, WL_ACT_NAMES);
	assert_int_equal(wl_app_name_style(app), WL_NAME_FULL);
	sees(app, "names: full");
	play(app, "Esc");
	assert_int_equal(n->last, WL_ACT_BACK);
	misses(app, "names: full");
	sees(app, "view first");
	sees(app, "state 0");
	sees(app, "h help q quit");
	wl_app_switch(app, WL_VIEW_TREE);
	sees(app, "view second");
	play(app, "d d");
	assert_int_equal(view_of(app, WL_VIEW_TREE)->n_acts, 2);
	assert_int_equal(wl_app_name_style(app), WL_NAME_SHORT);
	assert_false(wl_app_is_done(app));
	play(app, "q d");
	assert_true(wl_app_is_done(app));
	assert_int_equal(view_of(app, WL_VIEW_TREE)->n_acts, 2);
	wl_app_free(app);
}

TEST(help_lists_the_keys_of_the_view)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);

	play(app, "h");
	sees(app, "Help");
	play(app, "/ 'Quit' Enter");
	sees(app, "q F10 C-c");
	play(app, "q"); /* closes help, and nothing else */
	misses(app, "Help");
	assert_false(wl_app_is_done(app));
	play(app, "? C-c");
	assert_true(wl_app_is_done(app));
	wl_app_free(app);
}

TEST(the_palette_does_what_is_typed)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);

	play(app, ": 'names'");
	sees(app, "Actions");
	sees(app, ":names");
	play(app, "Enter");
	misses(app, "Actions");
	assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->last, WL_ACT_NAMES);
	play(app, ": 'quit' Enter");
	assert_true(wl_app_is_done(app));
	wl_app_free(app);
}

TEST(an_unknown_action_is_said)
{
	struct wl_app_opts o = options();
	struct wl_err err;
	struct wl_app *app;

	assert_int_equal(wl_keymap_change(&o.keys, "F2 next-bookmark", "test", &err), WL_OK);
	app = app_of(&o);
	view_of(app, WL_VIEW_TIMELINE)->knows = false;
	play(app, "F2");
	sees(app, "next-bookmark: not here");
	play(app, "F9");
	misses(app, "not here");
	wl_app_free(app);
}

TEST(a_click_on_the_footer_does_it)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	struct noting *n = view_of(app, WL_VIEW_TIMELINE);
	const char *line;
	char click[32];

	play(app, "Esc");
	line = strstr(shown(app), "h help q quit");
	assert_non_null(line);
	while (line[-1] != '\n')
		line--;
	(void)snprintf(click, sizeof(click), "click:%d,10", (int)(strstr(line, "help") - line));
	play(app, "click:3,4");
	assert_true(n->n_mouse > 0);
	n->n_mouse = 0;
	play(app, click);
	sees(app, "Help");
	play(app, "click:3,4"); /* inside of it */
	sees(app, "Help");
	play(app, "click:3,11"); /* outside closes it */
	misses(app, "Help");
	wl_app_free(app);
}

TEST(a_small_screen_waits_for_a_larger_one)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);

	play(app, "size:39x8");
	sees(app, "terminal too small (need 40x8)");
	misses(app, "view first");
	for (int i = 0; i < 60; i++) {
		struct wl_event e = { .kind = WL_EVENT_RESIZE, .cols = i, .rows = i / 3 };

		wl_app_event(app, &e);
		(void)wl_app_draw(app);
		e = (struct wl_event){ .kind = WL_EVENT_KEY, .key = i % 2 ? 'h' : WL_KEY_ESC };
		wl_app_event(app, &e);
		(void)wl_app_draw(app);
	}
	play(app, "Esc Esc size:40x8");
	sees(app, "view first");
	wl_app_free(app);
}

TEST(a_script_with_a_slip_is_refused)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	struct wl_err err;

	assert_int_equal(
		wl_app_script(app, "d Hyper", 60, 12, (struct wl_look_caps){ false }, &err),
		WL_E_USAGE);
	assert_non_null(strstr(err.msg, "Hyper"));
	wl_app_free(app);
}

/* ---- What views call ---- */

static void on_line(void *ctx, const char *text)
{
	struct noting *n = ctx;

	(void)snprintf(n->line, sizeof(n->line), "%s", text ? text : "(none)");
}

static void on_choice(void *ctx, size_t i)
{
	struct noting *n = ctx;

	n->chosen = (int)i;
	wl_app_show_text(n->app, "Chosen", "this one"); /* an end may be a beginning */
}

TEST(views_lead_to_each_other)
{
	const struct wl_view_place place = { .at = 7, .begin = 5, .end = 9 };
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	const struct noting *other = view_of(app, WL_VIEW_TREE);

	play(app, "");
	wl_app_lead(app, WL_VIEW_TREE, &place);
	assert_int_equal(other->arrived, 7);
	sees(app, "view second");
	wl_app_hand_over(app, WL_VIEW_TREE, WL_ACT_CONFIG);
	assert_int_equal(other->last, WL_ACT_CONFIG);
	wl_app_free(app);
}

TEST(views_ask_the_user)
{
	static const char *const items[] = { "one", "two" };
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	struct noting *n = view_of(app, WL_VIEW_TIMELINE);

	play(app, "");
	wl_app_prompt(app, &(struct wl_prompt_opts){ .label = "name:",
						     .text = "",
						     .changed = on_line,
						     .done = on_line,
						     .ctx = n });
	play(app, "'ab'");
	sees(app, "name: ab");
	assert_string_equal(n->line, "ab");
	play(app, "Esc");
	assert_string_equal(n->line, "(none)");
	assert_int_equal(n->n_acts, 0);
	wl_app_show_list(
		app,
		&(struct wl_list_opts){
			.title = "Items", .items = items, .n = 2, .chosen = on_choice, .ctx = n });
	play(app, "2");
	assert_int_equal(n->chosen, 1);
	sees(app, "Chosen");
	/* What is over when something else opens has ended. */
	wl_app_prompt(app, &(struct wl_prompt_opts){
				   .label = "name:", .text = "x", .done = on_line, .ctx = n });
	wl_app_show_text(app, "Other", "text");
	assert_string_equal(n->line, "(none)");
	play(app, "Esc");
	wl_app_show_list(
		app,
		&(struct wl_list_opts){
			.title = "Items", .items = items, .n = 0, .chosen = on_choice, .ctx = n });
	sees(app, "Items: the list is empty");
	wl_app_free(app);
}

static void on_answer(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct noting *n = ctx;

	assert_null(doc);
	assert_int_equal(err->code, WL_E_NODATA);
	n->n_answers++;
}

TEST(a_newer_question_replaces_one_that_waits)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	struct noting *n = view_of(app, WL_VIEW_TIMELINE);
	const struct wl_request q = { .analysis = wl_analysis_get("kernels") };

	wl_app_ask(app,
		   &(struct wl_app_question){
			   .which = 0, .slot = 3, .request = &q, .answered = on_answer, .ctx = n });
	wl_app_ask(app,
		   &(struct wl_app_question){
			   .which = 0, .slot = 3, .request = &q, .answered = on_answer, .ctx = n });
	wl_app_ask(app,
		   &(struct wl_app_question){
			   .which = 0, .slot = 5, .request = &q, .answered = on_answer, .ctx = n });
	assert_true(wl_app_is_busy(app));
	play(app, "wait");
	assert_false(wl_app_is_busy(app));
	assert_int_equal(n->n_answers, 2);
	wl_app_free(app);
}

/* ---- State ---- */

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/test_app.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	(void)state;
	return wl_tree_remove(dir, NULL) < 0 || budget.used != 0 ? -1 : 0;
}

static const char *in_dir(const char *name)
{
	static char path[4][128];
	static int i;

	i = (i + 1) % 4;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *read_text(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

static const struct wl_bookmark mark = { .at = 50,
					 .begin = 10,
					 .end = 90,
					 .row = "GPU 0",
					 .kernel = "gemm",
					 .context = "step > layer",
					 .note = "odd" };

static void save_app(struct wl_app *app)
{
	struct wl_err err = { .code = WL_OK };

	if (wl_app_save(app, &err) < 0)
		fail_msg("%s", err.msg);
}

TEST_WITH(the_state_is_kept, make_dir, drop_dir)
{
	struct wl_app_opts o = options();
	struct wl_app *app;
	struct stat st;

	o.state_file = in_dir("a/b/state.json");
	app = app_of(&o);
	save_app(app); /* nothing was seen yet, so nothing is kept */
	assert_int_not_equal(access(o.state_file, F_OK), 0);
	play(app, "d");
	view_of(app, WL_VIEW_TIMELINE)->value = 42;
	wl_app_add_bookmark(app, &mark);
	save_app(app);
	wl_app_free(app);
	assert_int_equal(stat(o.state_file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	app = app_of(&o);
	assert_int_equal(wl_app_n_bookmarks(app), 1);
	assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->value, 0);
	play(app, "");
	assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->value, 42);
	assert_int_equal(wl_app_name_style(app), WL_NAME_FULL);
	sees(app, "restored your last view; 0 shows everything");
	assert_int_equal(wl_app_bookmark(app, 0)->at, 50);
	assert_int_equal(wl_app_bookmark(app, 0)->end, 90);
	assert_string_equal(wl_app_bookmark(app, 0)->row, "GPU 0");
	assert_string_equal(wl_app_bookmark(app, 0)->context, "step > layer");
	assert_string_equal(wl_app_bookmark(app, 0)->note, "odd");
	wl_app_free(app);
	/* Who says where to begin begins there. */
	o.start = "5s";
	app = app_of(&o);
	play(app, "");
	assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->value, 0);
	assert_int_equal(wl_app_n_bookmarks(app), 1);
	misses(app, "last time");
	wl_app_free(app);
}

TEST_WITH(a_file_that_is_no_state_is_ignored, make_dir, drop_dir)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"warplens_state\": 2, \"timeline\": {\"value\": 7}}",
		"{\"warplens_state\": \"1\"}",
		"{\"warplens_state\": 1, \"timeline\": 5, \"bookmarks\": {}, \"names\": 3}",
		"{\"warplens_state\": 1, \"bookmarks\": [1, {}, {\"at\": \"x\"}, {\"at\": 1e300}]}",
		"{\"warplens_state\": 1, \"timeline\": {\"value\": 1e9}}",
	};
	struct wl_app_opts o = options();

	o.state_file = in_dir("bad.json");
	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		struct wl_app *app;

		write_text(o.state_file, bad[i]);
		app = app_of(&o);
		play(app, "");
		assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->value, 0);
		assert_int_equal(wl_app_n_bookmarks(app), 0);
		if (i < 6)
			sees(app, "ignored ");
		save_app(app);
		wl_app_free(app);
		assert_non_null(strstr(read_text(o.state_file), "{\"warplens_state\":1"));
	}
}

TEST_WITH(bookmarks_can_be_shared, make_dir, drop_dir)
{
	struct wl_app_opts o = options();
	struct wl_bookmark earlier = mark;
	struct wl_err err;
	struct wl_app *app;

	o.state_file = in_dir("state.json");
	o.bookmarks_file = in_dir("marks.json");
	app = app_of(&o);
	play(app, "");
	wl_app_add_bookmark(app, &mark);
	earlier.at = 20;
	wl_app_add_bookmark(app, &earlier);
	earlier.note = "again";
	wl_app_add_bookmark(app, &earlier); /* the same place */
	assert_int_equal(wl_app_n_bookmarks(app), 2);
	assert_string_equal(wl_app_bookmark(app, 0)->note, "again");
	save_app(app);
	wl_app_free(app);
	assert_null(strstr(read_text(o.state_file), "gemm"));
	assert_null(strstr(read_text(o.bookmarks_file), "timeline"));
	app = app_of(&o);
	assert_int_equal(wl_app_n_bookmarks(app), 2);
	wl_app_remove_bookmark(app, 0);
	wl_app_remove_bookmark(app, 7);
	assert_int_equal(wl_app_n_bookmarks(app), 1);
	assert_int_equal(wl_app_bookmark(app, 0)->at, 50);
	wl_app_free(app);
	/* Another file that was named by mistake stays as it is. */
	write_text(o.bookmarks_file, "my notes");
	app = app_of(&o);
	play(app, "");
	assert_int_equal(wl_app_save(app, &err), WL_E_OUTPUT);
	assert_string_equal(read_text(o.bookmarks_file), "my notes");
	wl_app_free(app);
}

static void dump(struct wl_app *app, const char *path)
{
	FILE *f = fopen(path, "w");
	struct wl_jsonw out;

	assert_non_null(f);
	wl_jsonw_init(&out, f);
	wl_app_dump(app, &out);
	wl_jsonw_finish(&out);
	assert_int_equal(fclose(f), 0);
}

/* What stands between the quotes, as a shell takes it. */
static void unquote(const char *line, char *to)
{
	const char *at = strchr(line, '\'');

	assert_non_null(at);
	for (at++; at[0] != '\'' || at[1] == '\\'; at++) {
		if (*at == '\'') {
			assert_memory_equal(at, "'\\''", 4);
			at += 3;
		}
		*to++ = *at;
	}
	*to = '\0';
}

TEST_WITH(a_view_is_printed_as_a_command, make_dir, drop_dir)
{
	struct wl_app_opts o = options();
	struct wl_app *app = app_of(&o);
	char view[4096], want[4096];
	struct wl_err err;

	play(app, "d Esc");
	view_of(app, WL_VIEW_TREE)->value = 17;
	assert_non_null(strstr(wl_app_command_line(app), "warplens timeline t.sqlite --view '{"));
	unquote(wl_app_command_line(app), view);
	dump(app, in_dir("dump"));
	(void)snprintf(want, sizeof(want), "%s", read_text(in_dir("dump")));
	wl_app_free(app);
	o.view = view;
	app = app_of(&o);
	play(app, "Esc");
	dump(app, in_dir("dump"));
	assert_string_equal(read_text(in_dir("dump")), want);
	wl_app_switch(app, WL_VIEW_TREE);
	assert_non_null(strstr(wl_app_command_line(app), "warplens tui t.sqlite --view '{"));
	wl_app_free(app);
	o.view = "{";
	assert_null(wl_app_new(&o, &err));
	assert_int_equal(err.code, WL_E_USAGE);
}

/* ---- A trace ---- */

TEST_WITH(a_trace_that_is_not_there_ends_it, make_dir, drop_dir)
{
	struct wl_app_opts o = options();
	struct wl_err err = { .code = WL_OK };
	struct wl_app *app;

	o.path[0] = in_dir("none.sqlite");
	app = app_of(&o);
	sees(app, "reading");
	assert_int_equal(
		wl_app_script(app, "d", 60, 12, (struct wl_look_caps){ .ascii = true }, &err),
		WL_E_IO);
	assert_true(wl_app_is_done(app));
	assert_int_equal(view_of(app, WL_VIEW_TIMELINE)->n_acts, 0);
	wl_app_free(app);
}

TEST_WITH(while_it_is_read_there_is_help, make_dir, drop_dir)
{
	struct wl_app_opts o = options();
	struct wl_event e = { .kind = WL_EVENT_KEY, .key = 'd' };
	struct wl_app *app;

	o.path[0] = in_dir("none.sqlite");
	app = app_of(&o); /* nothing begins before the first tick */
	wl_app_event(app, &e);
	sees(app, "the trace is still being read");
	e.key = 'h';
	wl_app_event(app, &e);
	sees(app, "Help");
	e.key = WL_KEY_ESC;
	wl_app_event(app, &e);
	e.key = 'q';
	wl_app_event(app, &e);
	assert_true(wl_app_is_done(app));
	wl_app_free(app);
}
