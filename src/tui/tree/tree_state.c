/* SPDX-License-Identifier: MIT */
/*
 * tree_state.c - the state saved between sessions.
 *
 * Nodes are saved by the labels of their paths, and only those of the aggregated tree: they mean
 * the same in another trace of the same program.
 */
#include <string.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "tui/app/state_json.h"
#include "tui/tree/tree.h"

enum { MOST_OPEN = 200, DEEPEST = WL_PATH_SHOWN };

static const char *const modes[] = { "aggregated", "chronological" };
static const char *const measures[] = { "gpu", "wall", "exposed" };
static const char *const units[] = { "ms", "percent", "call" };

static void save_path(const struct wl_tree_model *m, uint32_t node, struct wl_jsonw *out)
{
	uint32_t chain[DEEPEST];
	size_t n = 0;

	for (; node != WL_NONE && n < DEEPEST; node = wl_tree_get(m, node)->parent)
		chain[n++] = node;
	wl_jsonw_begin_array(out);
	while (n-- > 0)
		wl_jsonw_str(out, wl_tree_get(m, chain[n])->label);
	wl_jsonw_end_array(out);
}

static void save_nodes(const struct wl_tree *t, const struct wl_tree_model *m, struct wl_jsonw *out)
{
	size_t n = 0;

	if (t->display.model == m && t->selected != WL_NONE &&
	    wl_tree_get(m, t->selected)->depth < DEEPEST) {
		wl_jsonw_key(out, "selected");
		save_path(m, t->selected, out);
	}
	wl_jsonw_open_array(out, "open");
	for (uint32_t i = 0; i < wl_tree_n(m) && n < MOST_OPEN; i++) {
		if (!wl_tree_get(m, i)->is_open || wl_tree_get(m, i)->depth >= DEEPEST)
			continue;
		save_path(m, i, out);
		n++;
	}
	wl_jsonw_end_array(out);
}

void wl_tree_save(void *view, struct wl_jsonw *out)
{
	const struct wl_tree *t = view;
	const struct wl_tree_model *m = &t->model[WL_TREE_AGGREGATED];

	wl_jsonw_put_str(out, "mode", modes[t->mode]);
	wl_jsonw_put_str(out, "measure", measures[t->display.measure]);
	wl_jsonw_put_str(out, "unit", units[t->display.unit]);
	wl_jsonw_put_str(out, "sort", wl_tree_col_key(t->display.sort));
	wl_jsonw_put_bool(out, "reversed", t->display.is_reversed);
	wl_jsonw_put_bool(out, "kernels", !t->display.hides_ops);
	wl_state_put_time(out, "min", t->display.min);
	wl_jsonw_put_i64_if(out, "iteration", t->iteration != WL_NONE, t->iteration);
	wl_jsonw_put_bool(out, "second", t->shows_second);
	wl_jsonw_put_str(out, "find", t->find);
	wl_jsonw_open_array(out, "hidden");
	for (size_t i = 0; i < WL_N_TREE_COLS_SHOWN; i++) {
		if (!t->col_on[i])
			wl_jsonw_str(out, wl_tree_col_key((enum wl_tree_col)i));
	}
	wl_jsonw_end_array(out);
	if (m->trace)
		save_nodes(t, m, out);
}

/* The index of a word; unchanged if the word is unknown. */
static void take_word(const struct wl_json *state, const char *key, const char *const *words,
		      unsigned n, unsigned *value)
{
	const struct wl_json *v = wl_json_member(state, key);
	const char *word = v ? wl_json_string(v) : NULL;

	for (unsigned i = 0; word && i < n; i++) {
		if (strcmp(words[i], word) == 0)
			*value = i;
	}
}

static bool take_bool(const struct wl_json *state, const char *key, bool value)
{
	const struct wl_json *v = wl_json_member(state, key);

	if (v)
		(void)wl_json_bool(v, &value);
	return value;
}

static double take_number(const struct wl_json *state, const char *key, double value)
{
	const struct wl_json *v = wl_json_member(state, key);

	if (v)
		(void)wl_json_number(v, &value);
	return value;
}

static bool add_wish(struct wl_tree *t, const struct wl_json *path, bool is_selected)
{
	size_t n = wl_json_size(path);
	const char **label;

	if (!n || n > DEEPEST)
		return true;
	label = WL_NEW(&t->wish_arena, const char *, n);
	for (size_t i = 0; label && i < n; i++) {
		const char *text = wl_json_string(wl_json_at(path, i));

		label[i] = wl_arena_strdup(&t->wish_arena, text ? text : "");
		if (!label[i])
			return false;
	}
	if (!label)
		return false;
	t->wish[t->n_wishes++] = (struct wl_tree_wish){ label, n, is_selected };
	return true;
}

static bool is_array(const struct wl_json *v)
{
	return v && wl_json_type_of(v) == WL_JSON_ARRAY;
}

static void take_nodes(struct wl_tree *t, const struct wl_json *state)
{
	const struct wl_json *open = wl_json_member(state, "open");
	const struct wl_json *selected = wl_json_member(state, "selected");
	size_t n = is_array(open) ? wl_json_size(open) : 0;
	bool ok = true;

	n = n < MOST_OPEN ? n : MOST_OPEN;
	wl_arena_release(&t->wish_arena);
	t->n_wishes = 0;
	t->wish = WL_NEW(&t->wish_arena, struct wl_tree_wish, n + 1);
	for (size_t i = 0; t->wish && ok && i < n; i++) {
		if (is_array(wl_json_at(open, i)))
			ok = add_wish(t, wl_json_at(open, i), false);
	}
	if (t->wish && ok && is_array(selected))
		(void)add_wish(t, selected, true);
}

static void take_columns(struct wl_tree *t, const struct wl_json *hidden)
{
	for (size_t i = 0; i < WL_N_TREE_COLS_SHOWN; i++) {
		t->col_on[i] = 1;
		for (size_t j = 0; j < wl_json_size(hidden); j++) {
			const char *key = wl_json_string(wl_json_at(hidden, j));

			if (key && i > WL_TREE_COL_MEASURE &&
			    strcmp(key, wl_tree_col_key((enum wl_tree_col)i)) == 0)
				t->col_on[i] = 0;
		}
	}
}

void wl_tree_restore(void *view, const struct wl_json *state)
{
	struct wl_tree *t = view;
	const char *cols[WL_N_TREE_COLS_SHOWN];
	const struct wl_json *hidden = wl_json_member(state, "hidden");
	unsigned mode = t->mode, measure = t->display.measure, unit = t->display.unit;
	unsigned sort = t->display.sort;
	double iteration;
	wl_ns min;

	for (size_t i = 0; i < WL_N_TREE_COLS_SHOWN; i++)
		cols[i] = wl_tree_col_key((enum wl_tree_col)i);
	take_word(state, "mode", modes, WL_N_TREE_MODES, &mode);
	take_word(state, "measure", measures, WL_N_TREE_MEASURES, &measure);
	take_word(state, "unit", units, WL_N_TREE_UNITS, &unit);
	take_word(state, "sort", cols, WL_N_TREE_COLS_SHOWN, &sort);
	t->mode = (enum wl_tree_mode)mode;
	t->display.measure = (enum wl_tree_measure)measure;
	t->display.unit = (enum wl_tree_unit)unit;
	t->display.sort = (enum wl_tree_col)sort;
	t->display.is_reversed = take_bool(state, "reversed", false);
	t->display.hides_ops = !take_bool(state, "kernels", true);
	t->shows_second = take_bool(state, "second", true);
	t->display.min = wl_state_time(state, "min", &min) && min > 0 ? min : 0;
	iteration = take_number(state, "iteration", -1);
	t->iteration = iteration >= 0 && iteration < 1e9 ? (uint32_t)iteration : WL_NONE;
	if (is_array(hidden))
		take_columns(t, hidden);
	take_nodes(t, state);
	if (wl_tree_is_ready(t) || t->job[0].is_asked)
		wl_tree_want(t);
	wl_tree_grant(t);
}
