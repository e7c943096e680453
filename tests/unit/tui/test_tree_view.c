/* SPDX-License-Identifier: MIT */
/*
 * The tree on a screen, through the program, with keys from a script. Whole screens are
 * compared with files of tests/tui/tree; ACCEPT=1 writes them.
 */
#include "tui/tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "support/random.h"
#include "support/unit.h"
#include "tui/term/dump.h"
#include "tui/timeline/timeline.h"

static struct wl_budget budget;

struct shown {
	char path[2][512];
	struct wl_app_opts opts;
	struct wl_app *app;
};

static const char *fixture(const char *name, char buf[512])
{
	const char *dir = getenv("WARPLENS_FIXTURES");

	if (!dir)
		skip();
	(void)snprintf(buf, 512, "%s/%s.sqlite", dir, name);
	return buf;
}

static void shown_init(struct shown *x, const char *name, const char *second)
{
	struct wl_err err = { .code = WL_OK };

	*x = (struct shown){ .opts = { .views = { &wl_timeline_view, &wl_tree_view },
				       .label = { "train.sqlite", NULL },
				       .first = WL_VIEW_TREE,
				       .command = { "warplens timeline", "warplens tui" },
				       .budget = &budget,
				       .frozen = true } };
	x->opts.path[0] = fixture(name, x->path[0]);
	if (second)
		x->opts.path[1] = fixture(second, x->path[1]);
	x->opts.input.budget = &budget;
	wl_keymap_init(&x->opts.keys);
	x->app = wl_app_new(&x->opts, &err);
	if (!x->app)
		fail_msg("%s", err.msg);
}

static void shown_release(struct shown *x)
{
	wl_app_free(x->app);
	assert_int_equal(budget.used, 0);
}

static struct wl_tree *tree_of(struct shown *x)
{
	return wl_app_view(x->app, WL_VIEW_TREE);
}

static void play_at(struct shown *x, const char *script, int cols, int rows)
{
	struct wl_err err = { .code = WL_OK };

	if (wl_app_script(x->app, script, cols, rows, (struct wl_look_caps){ .colourful = true },
			  &err) < 0)
		fail_msg("%s", err.msg);
}

static void play(struct shown *x, const char *script)
{
	play_at(x, script, 80, 24);
}

/* The screen now; borrowed until the next call. */
static char *screen(struct shown *x)
{
	static char text[1 << 18];
	struct wl_vec out;

	wl_vec_init(&out, 1, &budget);
	wl_dump_text(wl_app_draw(x->app), &out);
	assert_true(!out.failed && out.n < sizeof(text));
	memcpy(text, out.data, out.n);
	text[out.n] = '\0';
	wl_vec_release(&out);
	return text;
}

/* The footer is that of the program, and has keys of other sources. */
static void blank_footer(char *text, int rows)
{
	char *line = text, *end;

	for (int i = 0; i < rows - 2; i++)
		line = strchr(line, '\n') + 1;
	end = strchr(line, '\n');
	memmove(line, end, strlen(end) + 1);
}

static void compare_with_file(const char *name, const char *text)
{
	static char want[1 << 18];
	char path[1024];
	const char *source = getenv("WARPLENS_SOURCE");
	FILE *f;
	size_t n;

	assert_non_null(source);
	(void)snprintf(path, sizeof(path), "%s/tests/tui/tree/%s.txt", source, name);
	if (getenv("ACCEPT")) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(text, f) >= 0);
		assert_int_equal(fclose(f), 0);
		return;
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing: ACCEPT=1 writes it", path);
	n = fread(want, 1, sizeof(want) - 1, f);
	want[n] = '\0';
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, want);
}

TEST(a_screen_is_as_drawn_before)
{
	static const struct {
		const char *name, *fixture, *second, *script;
		int cols, rows;
	} shots[] = {
		{ "steps_80", "steps", NULL, "9", 80, 24 },
		{ "steps_200", "steps", NULL, "9", 200, 50 },
		{ "steps_40", "steps", NULL, "9", 40, 8 },
		{ "time_80", "steps", NULL, "A Right", 80, 24 },
		{ "second_80", "steps_before", "steps_after", "9", 80, 24 },
		{ "second_120", "steps_before", "steps_after", "9", 120, 30 },
		{ "ranks_80", "two_ranks", NULL, "9", 80, 24 },
		{ "hostile_80", "hostile", NULL, "9", 80, 24 },
	};

	for (size_t i = 0; i < WL_COUNT(shots); i++) {
		struct shown x;
		char *text;

		shown_init(&x, shots[i].fixture, shots[i].second);
		play_at(&x, shots[i].script, shots[i].cols, shots[i].rows);
		text = screen(&x);
		blank_footer(text, shots[i].rows);
		compare_with_file(shots[i].name, text);
		shown_release(&x);
	}
}

/* The label of the selected range, the short name of the selected operation. */
static const char *selected(struct shown *x)
{
	static char buf[WL_TREE_NAME];
	const struct wl_tree *t = tree_of(x);

	if (t->selected == WL_NONE)
		return "";
	if (wl_tree_get(t->display.model, t->selected)->kind == WL_TREE_OP)
		return wl_tree_name(t, t->selected, buf);
	return wl_tree_get(t->display.model, t->selected)->label;
}

static size_t n_rows(struct shown *x)
{
	return tree_of(x)->rows.n;
}

static const struct wl_tree_node *node_at(struct shown *x)
{
	const struct wl_tree *t = tree_of(x);

	assert_int_not_equal(t->selected, WL_NONE);
	return wl_tree_get(t->display.model, t->selected);
}

static void sees(struct shown *x, const char *text)
{
	if (!strstr(screen(x), text))
		fail_msg("no \"%s\" in\n%s", text, screen(x));
}

/* The fixture has 15 steps, each with a forward that runs three kernels. */
TEST(keys_fold_and_unfold)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "1");
	assert_int_equal(n_rows(&x), 1);
	assert_string_equal(selected(&x), "step #");
	play(&x, "Right");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "Right");
	assert_string_equal(selected(&x), "forward");
	play(&x, "Left");
	assert_string_equal(selected(&x), "step #");
	play(&x, "Left");
	assert_int_equal(n_rows(&x), 1);
	play(&x, "Space");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "Enter");
	assert_int_equal(n_rows(&x), 1);
	play(&x, "e");
	assert_int_equal(n_rows(&x), 5);
	play(&x, "c");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "E");
	assert_int_equal(n_rows(&x), 5);
	play(&x, "C");
	assert_int_equal(n_rows(&x), 1);
	play(&x, "2");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "9 z");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "z");
	assert_int_equal(n_rows(&x), 5);
}

TEST(keys_move_the_selection)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "9 End");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "K");
	assert_true(strncmp(selected(&x), "nccl", 4) == 0);
	play(&x, "K K J K");
	assert_string_equal(selected(&x), "gemm");
	play(&x, "u");
	assert_string_equal(selected(&x), "forward");
	play(&x, "Home l l l l");
	assert_string_equal(selected(&x), "gemm");
	play(&x, "k k j Up Down");
	assert_string_equal(selected(&x), "forward");
	play(&x, "PgDn");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "PgUp C-d C-u");
	assert_string_equal(selected(&x), "step #");
}

TEST(finding_unfolds_what_it_needs)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "1 / 'NORM'");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "Esc");
	assert_string_equal(selected(&x), "step #");
	play(&x, "1 / '/^(gemm|old)/' Enter");
	assert_string_equal(selected(&x), "gemm");
	sees(&x, "find: /^(gemm|old)/");
	play(&x, "n");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "n");
	assert_string_equal(selected(&x), "gemm");
	play(&x, "N");
	assert_string_equal(selected(&x), "old_norm");
	/* What begins like something else is found on the way. */
	play(&x, "/ C-u 'gemmx' Enter");
	sees(&x, "nothing is called");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "/ C-u '/(/' Enter");
	assert_string_equal(selected(&x), "old_norm");
	play(&x, "Esc");
	sees(&x, "find: -");
}

TEST(columns_sort_and_can_be_chosen)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "9 s s s");
	sees(&x, "sort: calls");
	play(&x, "<");
	sees(&x, "sort: self");
	play(&x, "< < <");
	sees(&x, "sort: PATH");
	play(&x, "S Home l l");
	assert_true(tree_of(&x)->display.is_reversed);
	play(&x, "End");
	assert_true(strncmp(selected(&x), "nccl", 4) == 0);
	play(&x, "> w");
	sees(&x, "wall us/it");
	play(&x, "w");
	sees(&x, "exp. us/it");
	play(&x, "w %");
	sees(&x, "GPU %");
	play(&x, "%");
	sees(&x, "GPU/call");
	play(&x, "% f Right Esc");
	assert_int_not_equal(
		tree_of(&x)->col_on[WL_TREE_COL_SHARE] + tree_of(&x)->col_on[WL_TREE_COL_SELF], 2);
	play(&x, "m '1us' Enter");
	sees(&x, "min 1.00us");
	play(&x, "m C-u '1s' Enter");
	sees(&x, "nothing is as long");
	play(&x, "m C-u 'x' Enter");
	sees(&x, "a length of time is wanted");
}

TEST(an_iteration_can_be_seen_alone)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));
	wl_ns all;

	play(&x, "3 l");
	all = node_at(&x)->is.gpu;
	assert_string_equal(selected(&x), "forward");
	play(&x, ")");
	sees(&x, "steps 0..0 (1)");
	assert_string_equal(selected(&x), "forward");
	assert_true(node_at(&x)->is.gpu < all);
	play(&x, ") )");
	sees(&x, "steps 2..2 (1)");
	play(&x, "( ( (");
	sees(&x, "this is the first iteration");
	play(&x, "i (");
	sees(&x, "steps 14..14 (1)");
	play(&x, ")");
	sees(&x, "this is the last iteration");
	play(&x, "Esc");
	sees(&x, "steps 0..14 (15)");
	assert_int_equal(node_at(&x)->is.gpu, all);
}

TEST(time_orders_single_ranges)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "A");
	sees(&x, "mode: chronological  30 ranges");
	assert_int_equal(n_rows(&x), 15);
	assert_string_equal(selected(&x), "step 0");
	play(&x, "Down Right Right");
	assert_string_equal(selected(&x), "forward");
	assert_int_equal(node_at(&x)->is.calls, 1);
	play(&x, "l");
	assert_int_equal(node_at(&x)->kind, WL_TREE_OP);
	play(&x, "A");
	sees(&x, "mode: aggregated");
	play(&x, "A / 'step 9' Enter");
	assert_string_equal(selected(&x), "step 9");
}

TEST(the_timeline_shows_the_median_range)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));
	const struct wl_timeline *t;

	play(&x, "2 Down Tab");
	t = wl_app_view(x.app, WL_VIEW_TIMELINE);
	assert_int_not_equal(t->view.track, WL_NONE);
	assert_true(t->view.cursor >= t->view.begin && t->view.cursor < t->view.end);
	sees(&x, "step ");
}

TEST(the_way_there_leads_back)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));
	const struct wl_timeline *t;
	wl_ns begin, end;

	wl_app_switch(x.app, WL_VIEW_TIMELINE);
	play(&x, "");
	t = wl_app_view(x.app, WL_VIEW_TIMELINE);
	for (uint32_t i = 0; t->view.track == WL_NONE || i < 20; i++) {
		const struct wl_scene *scene = wl_app_scene(x.app, 0);

		if (scene->tracks.at[t->view.track].kind == WL_TRACK_NVTX_GPU)
			break;
		play(&x, "Down");
	}
	play(&x, "Tab + + +");
	begin = t->view.begin;
	end = t->view.end;
	play(&x, "C-t");
	sees(&x, "nvtx tree");
	assert_int_not_equal(tree_of(&x)->selected, WL_NONE);
	assert_int_equal(node_at(&x)->kind, WL_TREE_RANGE);
	assert_int_equal(tree_of(&x)->came_to, tree_of(&x)->selected);
	play(&x, "Tab");
	assert_int_equal(t->view.begin, begin);
	assert_int_equal(t->view.end, end);
	/* Who has moved meanwhile goes on from there. */
	play(&x, "C-t 9 End Tab");
	assert_true(t->view.begin != begin || t->view.end != end);
}

TEST(the_tree_is_written_to_a_file)
{
	struct shown x;
	char path[] = "/tmp/tree_view_XXXXXX.csv", script[128], line[256];
	int fd = mkstemps(path, 4);
	FILE *f;

	assert_true(fd >= 0);
	shown_init(&x, "steps_before", NULL);
	play(&x, ": 'tree-export' Enter C-u 'no-ending' Enter");
	sees(&x, "the ending chooses the format");
	(void)snprintf(script, sizeof(script), ": 'tree-export' Enter C-u '%s' Enter", path);
	play(&x, script);
	sees(&x, "wrote /tmp/tree_view_");
	f = fdopen(fd, "r");
	assert_non_null(f);
	assert_non_null(f = freopen(path, "r", f));
	assert_non_null(fgets(line, sizeof(line), f));
	assert_true(strncmp(line, "id,parent,name", 14) == 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(unlink(path), 0);
	shown_release(&x);
}

TEST(users_of_a_kernel_are_listed)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps", NULL));

	play(&x, "9 / 'gemm' Enter b");
	sees(&x, "2 paths that run gemm");
	play(&x, "2");
	assert_string_equal(selected(&x), "gemm<bf16>");
	assert_int_equal(wl_tree_get(tree_of(&x)->display.model, node_at(&x)->parent)->kind,
			 WL_TREE_OUTSIDE);
	play(&x, "Enter");
	sees(&x, "Kernel");
}

TEST(bookmarks_are_of_the_timeline)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "'");
	sees(&x, "there are no bookmarks");
	play(&x, "2 Down B");
	assert_int_equal(wl_app_n_bookmarks(x.app), 1);
	assert_string_equal(wl_app_bookmark(x.app, 0)->context, "step ×15 › forward");
	play(&x, "B 'look here' Enter");
	assert_int_equal(wl_app_n_bookmarks(x.app), 1);
	assert_string_equal(wl_app_bookmark(x.app, 0)->note, "look here");
	play(&x, ".");
	assert_null(strstr(screen(&x), "nvtx tree"));
}

TEST(what_cannot_be_had_is_given_up)
{
	static const char text[] = "{\"iteration\":99,\"mode\":\"chronological\"}";
	struct wl_json *doc;
	struct wl_err err;
	struct shown x;

	assert_int_equal(wl_json_parse(text, strlen(text), "state", &doc, &err), WL_OK);
	shown_init(&x, "steps_before", NULL);
	play(&x, "");
	wl_tree_restore(tree_of(&x), doc);
	play(&x, "wait");
	sees(&x, "there are 15 iterations");
	sees(&x, "mode: aggregated");
	assert_int_equal(tree_of(&x)->iteration, WL_NONE);
	wl_json_free(doc);
	shown_release(&x);
}

TEST(the_mouse_selects_folds_and_sorts)
{
	WITH(struct shown, x, shown_release, shown_init(&x, "steps_before", NULL));

	play(&x, "9 click:20,5");
	assert_string_equal(selected(&x), "gemm");
	play(&x, "click:3,4");
	assert_string_equal(selected(&x), "forward");
	assert_int_equal(n_rows(&x), 2);
	play(&x, "dclick:10,4");
	assert_int_equal(n_rows(&x), 5);
	play(&x, "click:65,2");
	sees(&x, "sort: calls");
	play(&x, "click:65,2");
	assert_true(tree_of(&x)->display.is_reversed);
	play(&x, "wheeldown:10,10 wheelup:10,10 click:10,20");
}

TEST(the_second_trace_is_compared)
{
	struct shown x;
	struct wl_tree *t;

	shown_init(&x, "steps_before", "steps_after");
	play(&x, "9");
	t = tree_of(&x);
	assert_non_null(t->display.second);
	sees(&x, "Δp50");
	assert_int_equal(wl_tree_change(&t->display, t->selected), 1);
	play(&x, "D");
	assert_null(t->display.second);
	play(&x, "D ) i A A");
	assert_non_null(t->display.second);
	shown_release(&x);
	shown_init(&x, "steps_before", NULL);
	play(&x, "D");
	sees(&x, "no second trace");
	shown_release(&x);
}

static void save(struct shown *x, char *buf, size_t size)
{
	struct wl_jsonw w;
	FILE *f = fmemopen(buf, size, "w");

	assert_non_null(f);
	wl_jsonw_init(&w, f);
	wl_jsonw_begin_object(&w);
	wl_tree_save(tree_of(x), &w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	assert_int_equal(fclose(f), 0);
}

TEST(the_state_comes_back)
{
	static char was[1 << 16], is[1 << 16];
	struct wl_json *doc;
	struct wl_err err;
	struct shown x;

	shown_init(&x, "steps_before", NULL);
	play(&x, "1 Right Down s S z w m '2ns' Enter )");
	save(&x, was, sizeof(was));
	shown_release(&x);
	assert_non_null(strstr(was, "[\"step #\",\"forward\"]"));
	assert_int_equal(wl_json_parse(was, strlen(was), "state", &doc, &err), WL_OK);
	shown_init(&x, "steps_before", NULL);
	play(&x, "9");
	wl_tree_restore(tree_of(&x), doc);
	play(&x, "wait");
	save(&x, is, sizeof(is));
	assert_string_equal(is, was);
	assert_string_equal(selected(&x), "forward");
	wl_json_free(doc);
	shown_release(&x);
}

static void check(struct shown *x)
{
	const struct wl_tree *t = tree_of(x);
	const char *text = screen(x);

	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
		assert_true(end - text <= (ptrdiff_t)4 * 200);
	if (!wl_tree_is_ready(t))
		return;
	if (!t->rows.n) {
		assert_int_equal(t->selected, WL_NONE);
		return;
	}
	assert_true(t->row < t->rows.n);
	assert_int_equal(((const uint32_t *)t->rows.data)[t->row], t->selected);
	for (uint32_t i = wl_tree_get(t->display.model, t->selected)->parent; i != WL_NONE;
	     i = wl_tree_get(t->display.model, i)->parent)
		assert_true(wl_tree_get(t->display.model, i)->is_open);
}

TEST(any_keys_leave_it_sound)
{
	static const char *const fixtures[] = { "steps", "nested", "hostile", "no_gpu" };
	static const char *const words[] = {
		"Up",          "Down",
		"PgUp",        "PgDn",
		"Home",        "End",
		"Left",        "Right",
		"Enter",       "Space",
		"c",           "e",
		"C",           "E",
		"1",           "2",
		"5",           "9",
		"J",           "K",
		"u",           "l",
		"A",           "w",
		"%",           "s",
		"S",           "<",
		">",           "z",
		"(",           ")",
		"i",           "b",
		"n",           "N",
		"d",           "D",
		"B",           "y",
		"Y",           "Esc",
		"Tab",         "C-t",
		"/ 'e' Enter", "m '1us' Enter",
		"m Enter",     "f Right Esc",
		"click:3,5",   "dclick:9,7",
		"click:60,2",  "wheeldown:5,5",
		"size:80x24",  "size:40x8",
		"size:200x50", "size:61x13",
	};
	uint64_t seed = 11;

	for (size_t f = 0; f < WL_COUNT(fixtures); f++) {
		struct shown x;

		shown_init(&x, fixtures[f], NULL);
		play(&x, "");
		for (int i = 0; i < 400; i++) {
			const struct wl_screen *s = wl_app_screen(x.app);

			wl_app_switch(x.app, WL_VIEW_TREE);
			play_at(&x, words[random_below(&seed, WL_COUNT(words))], s->cols, s->rows);
			check(&x);
		}
		shown_release(&x);
	}
}
