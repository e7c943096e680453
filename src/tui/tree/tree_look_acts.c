/* SPDX-License-Identifier: MIT */
/* tree_look_acts.c - actions on the display: mode, measure, unit, order, columns, iteration. */

#include "base/text/units.h"
#include "tui/tree/tree.h"

/* The selection follows: a path becomes its median range, a range its path. */
static void change_mode(struct wl_tree *t)
{
	if (t->selected != WL_NONE)
		t->wanted_range = wl_tree_median_range(t->display.model, t->selected);
	t->mode = t->mode == WL_TREE_AGGREGATED ? WL_TREE_CHRONOLOGICAL : WL_TREE_AGGREGATED;
	/* Single ranges are sorted by time; folds have none. */
	t->display.sort = t->mode == WL_TREE_CHRONOLOGICAL ? WL_TREE_COL_PATH : WL_TREE_COL_MEASURE;
	t->display.is_reversed = false;
	wl_tree_want(t);
}

static void next_measure(struct wl_tree *t)
{
	static const char *const words[] = { "GPU time", "time on the host",
					     "communication that nothing hides" };

	t->display.measure = (enum wl_tree_measure)((t->display.measure + 1) % WL_N_TREE_MEASURES);
	wl_app_say(t->app, "the tree is about %s", words[t->display.measure]);
	wl_tree_settle(t);
}

static void next_unit(struct wl_tree *t)
{
	t->display.unit = (enum wl_tree_unit)((t->display.unit + 1) % WL_N_TREE_UNITS);
	wl_tree_settle(t);
}

/* The next column on the screen after the one that sorts, to the right or to the left. */
static void sort_beside(struct wl_tree *t, int by)
{
	const struct wl_screen *s = wl_app_screen(t->app);
	enum wl_tree_col on[WL_N_TREE_COLS_SHOWN + 1] = { WL_TREE_COL_PATH };
	size_t n = 1, at = 0;
	struct wl_tree_layout l;

	wl_tree_lay_out(t, s->cols, s->rows, &l);
	for (size_t i = 0; i < l.n_cols; i++) {
		if (l.col[i].col == t->display.sort)
			at = n;
		on[n++] = l.col[i].col;
	}
	t->display.sort = on[(at + n + (size_t)by) % n];
	t->display.is_reversed = false;
	wl_tree_settle(t);
}

static void reverse(struct wl_tree *t)
{
	t->display.is_reversed = !t->display.is_reversed;
	wl_tree_settle(t);
}

static void columns_changed(void *ctx)
{
	wl_tree_settle(ctx);
}

static void choose_columns(struct wl_tree *t)
{
	static const char *const words[] = { "off", "on" };
	struct wl_setting settings[WL_N_TREE_COLS_SHOWN];
	size_t n = 0;

	for (size_t i = WL_TREE_COL_SHARE; i < WL_N_TREE_COLS_SHOWN; i++)
		settings[n++] = (struct wl_setting){ .name = wl_tree_col_key((enum wl_tree_col)i),
						     .value = &t->col_on[i],
						     .min = 0,
						     .max = 1,
						     .words = words };
	wl_app_show_settings(t->app, &(struct wl_settings_opts){ .title = "Columns of the tree",
								 .settings = settings,
								 .n = n,
								 .changed = columns_changed,
								 .ctx = t });
}

static void hide_ops(struct wl_tree *t)
{
	t->display.hides_ops = !t->display.hides_ops;
	wl_tree_settle(t);
}

static void min_given(void *ctx, const char *text)
{
	struct wl_tree *t = ctx;
	struct wl_err err;
	int64_t ns = 0;

	if (!text)
		return;
	if (text[0] && (wl_parse_ns(text, &ns, &err) < 0 || ns < 0)) {
		wl_app_say(t->app, "a length of time is wanted, such as 10us or 1.5ms");
		return;
	}
	t->display.min = ns;
	wl_tree_settle(t);
}

static void ask_min(struct wl_tree *t)
{
	char buf[WL_TREE_CELL];

	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){
			      .label = "hide what is shorter in all than: ",
			      .text = t->display.min ? wl_tree_length(t->display.min, buf) : "",
			      .done = min_given,
			      .ctx = t });
}

static void show_iteration(struct wl_tree *t, uint32_t iteration)
{
	if (t->iteration == iteration)
		return;
	t->iteration = iteration;
	wl_tree_want(t);
}

static void next_iteration(struct wl_tree *t)
{
	uint32_t next = t->iteration == WL_NONE ? 0 : t->iteration + 1;

	if (next < t->n_iterations)
		show_iteration(t, next);
	else
		wl_app_say(t->app, t->n_iterations ? "this is the last iteration"
						   : "the trace has no steps");
}

static void previous_iteration(struct wl_tree *t)
{
	uint32_t at = t->iteration == WL_NONE ? (uint32_t)t->n_iterations : t->iteration;

	if (at > 0)
		show_iteration(t, at - 1);
	else
		wl_app_say(t->app, t->n_iterations ? "this is the first iteration"
						   : "the trace has no steps");
}

static void all_iterations(struct wl_tree *t)
{
	show_iteration(t, WL_NONE);
}

static void second(struct wl_tree *t)
{
	if (!wl_app_scene(t->app, 1)) {
		wl_app_say(t->app, "there is no second trace: give two to compare");
		return;
	}
	t->shows_second = !t->shows_second;
	wl_app_say(t->app, t->shows_second ? "with the second trace" : "without the second trace");
	wl_tree_want(t);
	wl_tree_settle(t);
}

const struct wl_tree_act wl_tree_looks[] = {
	{ WL_ACT_TREE_MODE, .fn = change_mode },
	{ WL_ACT_TREE_MEASURE, .fn = next_measure },
	{ WL_ACT_TREE_UNIT, .fn = next_unit },
	{ WL_ACT_TREE_SORT, .by = sort_beside, .n = 1 },
	{ WL_ACT_TREE_SORT_RIGHT, .by = sort_beside, .n = 1 },
	{ WL_ACT_TREE_SORT_LEFT, .by = sort_beside, .n = -1 },
	{ WL_ACT_TREE_REVERSE, .fn = reverse },
	{ WL_ACT_TREE_COLUMNS, .fn = choose_columns },
	{ WL_ACT_TREE_KERNELS, .fn = hide_ops },
	{ WL_ACT_TREE_MIN, .fn = ask_min },
	{ WL_ACT_TREE_ITERATION_NEXT, .fn = next_iteration },
	{ WL_ACT_TREE_ITERATION_PREV, .fn = previous_iteration },
	{ WL_ACT_TREE_ITERATIONS, .fn = all_iterations },
	{ WL_ACT_SECOND, .fn = second },
	{ .action = WL_ACT_NONE },
};
