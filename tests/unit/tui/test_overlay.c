/* SPDX-License-Identifier: MIT */
#include "tui/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/vec.h"
#include "support/unit.h"
#include "table/heat.h"
#include "tui/term/dump.h"
#include "tui/term/line_edit.h"

static struct wl_budget budget;
static struct wl_screen screen;

static int make_screen(void **state)
{
	(void)state;
	wl_screen_init(&screen, &budget);
	return wl_screen_resize(&screen, 60, 16) ? 0 : -1;
}

static int drop_screen(void **state)
{
	(void)state;
	wl_screen_release(&screen);
	return budget.used == 0 ? 0 : -1;
}

static uint32_t key_of(const char *name)
{
	uint32_t k = wl_key_parse(name, strlen(name));

	assert_true(k);
	return k;
}

/* Keys by name, blanks between; false: the last one ended it. */
static bool press(struct wl_overlay *o, const char *keys)
{
	char copy[256], *rest = copy, *word;
	bool stays = true;

	(void)snprintf(copy, sizeof(copy), "%s", keys);
	while ((word = strsep(&rest, " ")) != NULL) {
		assert_true(stays);
		stays = o->ops->key(o, key_of(word));
	}
	return stays;
}

static const char *shown(struct wl_overlay *o)
{
	static char text[1 << 16];
	struct wl_vec out;

	wl_vec_init(&out, 1, &budget);
	wl_screen_clear(&screen);
	o->ops->draw(o, &screen);
	wl_dump_text(&screen, &out);
	wl_vec_push(&out, "");
	assert_false(out.failed || out.n > sizeof(text));
	memcpy(text, out.data, out.n);
	wl_vec_release(&out);
	return text;
}

static void sees(struct wl_overlay *o, const char *text)
{
	if (!strstr(shown(o), text))
		fail_msg("no \"%s\" in\n%s", text, shown(o));
}

static void misses(struct wl_overlay *o, const char *text)
{
	if (strstr(shown(o), text))
		fail_msg("\"%s\" in\n%s", text, shown(o));
}

/* --- a line that is typed ----------------------------------------------------------------- */

static void edits_to(const char *keys, const char *want)
{
	struct wl_line_edit e;
	char copy[256], *rest = copy, *word;

	(void)snprintf(copy, sizeof(copy), "%s", keys);
	wl_line_edit_init(&e, "a \xc3\xa9\xe2\x82\xac");
	while ((word = strsep(&rest, " ")) != NULL)
		assert_int_not_equal(wl_line_edit_key(&e, key_of(word)), WL_EDIT_NOT_MINE);
	assert_string_equal(e.text, want);
	assert_int_equal(strlen(e.text), e.n);
	assert_true(e.at <= e.n);
}

TEST_WITH(a_line_is_edited_by_characters, make_screen, drop_screen)
{
	edits_to("x", "a \xc3\xa9\xe2\x82\xacx");
	edits_to("Backspace", "a \xc3\xa9");
	edits_to("Backspace Backspace Backspace Backspace Backspace", "");
	edits_to("Left Left z", "a z\xc3\xa9\xe2\x82\xac");
	edits_to("Left Delete Delete", "a \xc3\xa9");
	edits_to("Home Delete Right \xc3\xa4", " \xc3\xa4\xc3\xa9\xe2\x82\xac");
	edits_to("C-w", "a ");
	edits_to("C-w C-w", "");
	edits_to("C-a C-k", "");
	edits_to("Left C-u", "\xe2\x82\xac");
	edits_to("Left C-u End C-e C-b C-f y", "\xe2\x82\xacy");
}

TEST_WITH(a_line_has_an_end, make_screen, drop_screen)
{
	struct wl_line_edit e;

	wl_line_edit_init(&e, "\x1b[31m\xff\n");
	assert_string_equal(e.text, "[31m\xef\xbf\xbd");
	for (int i = 0; i < 2 * WL_LINE_CAP; i++)
		(void)wl_line_edit_key(&e, 0x20AC);
	assert_true(e.n < WL_LINE_CAP);
	assert_int_equal(wl_line_edit_key(&e, WL_KEY_ENTER), WL_EDIT_NOT_MINE);
	assert_int_equal(wl_line_edit_key(&e, WL_KEY_F1), WL_EDIT_NOT_MINE);
	/* Of a long line the part at the cursor is seen. */
	wl_line_edit_draw(&e, &screen, 50, 3, 10, WL_STYLE_PLAIN);
	assert_int_equal(screen.cursor_x, 59);
	assert_int_equal(screen.cursor_y, 3);
}

struct heard {
	char changed[64], done[64];
	int n_changed, n_done;
};

static void on_change(void *ctx, const char *text)
{
	struct heard *h = ctx;

	h->n_changed++;
	(void)snprintf(h->changed, sizeof(h->changed), "%s", text);
}

static void on_done(void *ctx, const char *text)
{
	struct heard *h = ctx;

	h->n_done++;
	(void)snprintf(h->done, sizeof(h->done), "%s", text ? text : "(none)");
}

TEST_WITH(a_prompt_tells_each_change_and_the_end, make_screen, drop_screen)
{
	struct heard h = { .n_done = 0 };
	struct wl_overlay *o = wl_prompt_new(&(struct wl_prompt_opts){ .label = "filter:",
								       .text = "ab",
								       .changed = on_change,
								       .done = on_done,
								       .ctx = &h },
					     &budget);

	assert_non_null(o);
	sees(o, "filter: ab\n");
	assert_int_equal(screen.cursor_x, 10);
	assert_true(press(o, "c F5 Left"));
	assert_int_equal(h.n_changed, 1);
	assert_string_equal(h.changed, "abc");
	assert_false(press(o, "Enter"));
	assert_int_equal(h.n_done, 0);
	o->ops->end(o);
	assert_string_equal(h.done, "abc");
	wl_overlay_free(o);
	o = wl_prompt_new(
		&(struct wl_prompt_opts){
			.label = "filter:", .text = "ab", .done = on_done, .ctx = &h },
		&budget);
	assert_non_null(o);
	assert_false(press(o, "x Esc"));
	o->ops->end(o);
	assert_string_equal(h.done, "(none)");
	wl_overlay_free(o);
}

/* --- a text ------------------------------------------------------------------------------- */

static struct wl_overlay *make_text(int n)
{
	struct wl_overlay *o;
	char text[4096] = "";

	for (int i = 0; i < n; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "line-%d %s\n", i,
			       i % 10 == 7 ? "Seven" : "");
	o = wl_text_new("Title", text, &budget);
	assert_non_null(o);
	return o;
}

TEST_WITH(a_text_is_scrolled, make_screen, drop_screen)
{
	struct wl_overlay *o = make_text(100);
	struct wl_event wheel = {
		.kind = WL_EVENT_MOUSE, .mouse = WL_MOUSE_WHEEL_DOWN, .x = 5, .y = 5
	};

	sees(o, "Title");
	sees(o, "line-0 ");
	assert_true(press(o, "Down j"));
	misses(o, "line-1 ");
	sees(o, "line-2 ");
	assert_true(press(o, "End"));
	sees(o, "line-99 ");
	assert_true(press(o, "PgDn Down"));
	sees(o, "line-99 ");
	assert_true(press(o, "Home"));
	assert_true(o->ops->mouse(o, &wheel));
	misses(o, "line-2 ");
	sees(o, "line-3 ");
	wheel = (struct wl_event){
		.kind = WL_EVENT_MOUSE, .mouse = WL_MOUSE_PRESS, .x = 0, .y = 15
	};
	assert_false(o->ops->mouse(o, &wheel)); /* outside */
	assert_false(press(o, "q"));
	wl_overlay_free(o);
}

TEST_WITH(a_text_is_searched, make_screen, drop_screen)
{
	struct wl_overlay *o = make_text(100);

	(void)shown(o);
	assert_true(press(o, "/ s e v e n"));
	sees(o, "/seven");
	sees(o, "line-7 ");
	assert_true(press(o, "Enter n"));
	sees(o, "line-17 ");
	assert_true(press(o, "n n"));
	sees(o, "line-37 ");
	assert_true(press(o, "N N N N"));
	sees(o, "line-97 "); /* round the beginning */
	assert_true(press(o, "n"));
	sees(o, "line-7 ");
	assert_true(press(o, "Esc")); /* one step back: the search */
	assert_false(press(o, "Esc"));
	wl_overlay_free(o);
}

TEST_WITH(long_lines_are_wrapped_at_blanks, make_screen, drop_screen)
{
	struct wl_overlay *o = wl_text_new(
		"T",
		"one two three four five six seven eight nine ten eleven twelve "
		"thirteen\n\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxY",
		&budget);

	assert_non_null(o);
	sees(o, " eleven  ");
	sees(o, " twelve thirteen ");
	sees(o, "xY");
	wl_overlay_free(o);
	o = wl_text_new("", "", &budget);
	assert_non_null(o);
	(void)shown(o);
	assert_true(press(o, "/ x Enter n N Down End PgUp"));
	wl_overlay_free(o);
}

/* What is beside a key goes on below itself and not below the key. */
TEST_WITH(a_second_column_goes_on_below_itself, make_screen, drop_screen)
{
	struct wl_overlay *o = wl_text_new(
		"T", "  F1      one two three four five six seven eight nine ten\n  F2      x\n",
		&budget);

	assert_non_null(o);
	sees(o, "   F1      one two");
	sees(o, "\u2502           ");
	sees(o, "   F2      x");
	wl_overlay_free(o);
}

/* --- a list ------------------------------------------------------------------------------- */

static void on_choice(void *ctx, size_t i)
{
	*(int *)ctx = (int)i;
}

static int choose(const char *const *items, size_t n, bool is_fuzzy, const char *keys)
{
	int chosen = -1;
	const struct wl_list_opts opts = { "Pick", items, n, is_fuzzy, on_choice, &chosen };
	struct wl_overlay *o = wl_list_new(&opts, &budget);

	assert_non_null(o);
	(void)shown(o);
	if (!press(o, keys))
		o->ops->end(o);
	(void)shown(o);
	wl_overlay_free(o);
	return chosen;
}

static const char *const things[] = { "zoom-in     + Zoom in at the cursor.",
				      "zoom-out    - Zoom out.",
				      "quit        q Leave.",
				      "next-gap    x Go to the next gap.",
				      "gap-none",
				      "pan" };

TEST_WITH(an_item_is_chosen_by_arrows_or_digit, make_screen, drop_screen)
{
	assert_int_equal(choose(things, 6, false, "Enter"), 0);
	assert_int_equal(choose(things, 6, false, "Down Down Enter"), 2);
	assert_int_equal(choose(things, 6, false, "j j k Enter"), 1);
	assert_int_equal(choose(things, 6, false, "End Enter"), 5);
	assert_int_equal(choose(things, 6, false, "4"), 3);
	assert_int_equal(choose(things, 6, false, "9"), -1);
	assert_int_equal(choose(things, 6, false, "Down Esc"), -1);
	assert_int_equal(choose(things, 6, false, "q"), -1);
	assert_int_equal(choose(things, 0, false, "Down Enter 1 Esc"), -1);
}

TEST_WITH(a_fuzzy_list_is_narrowed, make_screen, drop_screen)
{
	assert_int_equal(choose(things, 6, true, "q Enter"), 2);
	assert_int_equal(choose(things, 6, true, "z o Enter"), 0);
	assert_int_equal(choose(things, 6, true, "z u Enter"), 1);
	assert_int_equal(choose(things, 6, true, "g a p Enter"), 4);
	assert_int_equal(choose(things, 6, true, "g a p Down Enter"), 3);
	assert_int_equal(choose(things, 6, true, "L e a v e Enter"), 2); /* in what it says */
	assert_int_equal(choose(things, 6, true, "x y z z Enter"), -1);
	assert_int_equal(choose(things, 6, true, "x y Esc Enter"), 0);
	assert_int_equal(choose(things, 6, true, "x Esc Esc"), -1);
}

TEST_WITH(names_are_scored_by_how_well_they_fit, make_screen, drop_screen)
{
	assert_int_equal(wl_fuzzy_score("xz", "zx"), 0);
	assert_true(wl_fuzzy_score("", "anything") > 0);
	assert_true(wl_fuzzy_score("ZI", "zoom-in") > 0);
	assert_true(wl_fuzzy_score("zi", "zoom-in") > wl_fuzzy_score("zi", "blazing"));
	assert_true(wl_fuzzy_score("pan", "pan-left") > wl_fuzzy_score("pan", "plain-name"));
}

TEST_WITH(a_click_chooses, make_screen, drop_screen)
{
	int chosen = -1;
	const struct wl_list_opts opts = { "Pick", things, 6, false, on_choice, &chosen };
	struct wl_overlay *o = wl_list_new(&opts, &budget);
	struct wl_event e = { .kind = WL_EVENT_MOUSE, .mouse = WL_MOUSE_WHEEL_DOWN };

	assert_non_null(o);
	(void)shown(o);
	assert_true(o->ops->mouse(o, &e));
	e.mouse = WL_MOUSE_PRESS;
	e.x = 30;
	e.y = 1;
	for (int i = 0; wl_screen_at(&screen, i % 60, e.y)->cp != '3'; i++)
		e.y = i / 60;
	assert_false(o->ops->mouse(o, &e));
	o->ops->end(o);
	assert_int_equal(chosen, 2);
	wl_overlay_free(o);
}

/* --- settings ----------------------------------------------------------------------------- */

static void count(void *ctx)
{
	++*(int *)ctx;
}

TEST_WITH(settings_stay_in_their_bounds, make_screen, drop_screen)
{
	static const char *const words[] = { "off", "on" };
	int rows = 2, flag = 0, n_changes = 0;
	const struct wl_setting settings[] = { { "rows", &rows, 1, 4, NULL },
					       { "mouse", &flag, 0, 1, words } };
	struct wl_overlay *o = wl_settings_new(&(struct wl_settings_opts){ .title = "Set",
									   .settings = settings,
									   .n = 2,
									   .changed = count,
									   .ctx = &n_changes },
					       &budget);

	assert_non_null(o);
	sees(o, "rows   < 2 >  (1-4)");
	sees(o, "mouse  < off >");
	assert_true(press(o, "Right + + +"));
	assert_int_equal(rows, 4);
	assert_int_equal(n_changes, 2);
	assert_true(press(o, "Left - - - -"));
	assert_int_equal(rows, 1);
	assert_true(press(o, "Down Right"));
	sees(o, "mouse  < on >");
	assert_true(press(o, "Right"));
	assert_int_equal(flag, 0);
	assert_true(press(o, "Left Space"));
	assert_int_equal(flag, 0);
	assert_int_equal(n_changes, 9);
	assert_false(press(o, "Esc"));
	wl_overlay_free(o);
}

/* --- all ---------------------------------------------------------------------------------- */

TEST_WITH(any_size_will_do, make_screen, drop_screen)
{
	int value = 1, chosen;
	const struct wl_setting set = { "a long name of a setting", &value, 0, 3, NULL };
	const struct wl_list_opts list = { "Pick", things, 6, true, on_choice, &chosen };
	struct wl_overlay *all[] = {
		make_text(30),
		wl_list_new(&list, &budget),
		wl_settings_new(&(struct wl_settings_opts){ .title = "A title that is rather long",
							    .settings = &set,
							    .n = 1 },
				&budget),
		wl_prompt_new(&(struct wl_prompt_opts){ .label = "a label that is rather long:",
							.text = "text" },
			      &budget),
	};

	for (size_t i = 0; i < WL_COUNT(all); i++) {
		assert_non_null(all[i]);
		for (int cols = 0; cols < 12; cols++) {
			for (int rows = 0; rows < 8; rows++) {
				assert_true(wl_screen_resize(&screen, cols, rows));
				(void)shown(all[i]);
				assert_true(press(all[i], "Down PgDn End Up"));
			}
		}
		wl_overlay_free(all[i]);
	}
}

TEST_WITH(a_short_budget_is_no_overlay, make_screen, drop_screen)
{
	int value = 1, chosen;
	const struct wl_setting set = { "name", &value, 0, 3, NULL };
	const struct wl_list_opts list = { "Pick", things, 6, true, on_choice, &chosen };

	for (size_t limit = 1; limit < 1 << 17; limit += 1 + limit / 3) {
		struct wl_budget tight = { .limit = limit };

		wl_overlay_free(wl_text_new("T", "some text", &tight));
		wl_overlay_free(wl_list_new(&list, &tight));
		wl_overlay_free(wl_settings_new(
			&(struct wl_settings_opts){ .title = "T", .settings = &set, .n = 1 },
			&tight));
		wl_overlay_free(wl_prompt_new(&(struct wl_prompt_opts){ .label = "T", .text = "" },
					      &tight));
		assert_int_equal(tight.used, 0);
	}
}

/* --- a heat map ---------------------------------------------------------------------------- */

enum { MAP_RANKS = 40, MAP_STEPS = 90 };

static struct wl_heat_subject map_subject[MAP_RANKS];
static struct wl_heat_item map_item[MAP_RANKS * MAP_STEPS];

/* All on time but rank 7, which is late by 5 ms in step 31, and a little less in step 30. */
static struct wl_heat map_of(size_t ranks, size_t steps)
{
	struct wl_heat heat = { .subject = map_subject,
				.item = map_item,
				.n_subjects = ranks,
				.last = (int64_t)steps - 1,
				.pace = 1000000,
				.n_levels = 6 };

	for (size_t r = 0; r < ranks; r++) {
		map_subject[r] = (struct wl_heat_subject){ (int64_t)r, (int64_t)r };
		for (size_t s = 0; s < steps; s++)
			map_item[heat.n_items++] =
				(struct wl_heat_item){ (uint32_t)r, (int64_t)s,
						       r == 7 && s == 31   ? 5000000
						       : r == 7 && s == 30 ? 4000000
									   : 0 };
	}
	return heat;
}

static void on_cell(void *ctx, uint32_t item)
{
	*(uint32_t *)ctx = item;
}

/* 9 rows of 18 columns have room: a cell is 5 ranks and 5 steps. */
TEST_WITH(a_map_leads_to_its_cells, make_screen, drop_screen)
{
	const struct wl_heat heat = map_of(MAP_RANKS, MAP_STEPS);
	uint32_t chosen = UINT32_MAX;
	const struct wl_heat_opts opts = {
		.title = "Map", .heat = &heat, .chosen = on_cell, .ctx = &chosen
	};
	struct wl_overlay *o = wl_heat_new(&opts, &budget);

	assert_non_null(o);
	sees(o, "rank 7, step 31: 5 ms late");
	sees(o, "A cell is the largest of 5");
	sees(o, "below 1 ms");
	assert_true(press(o, "Left"));
	misses(o, "rank 7, step 31");
	assert_true(press(o, "Right Up Down"));
	sees(o, "rank 7, step 31: 5 ms late");
	assert_true(press(o, "Home PgUp"));
	sees(o, "rank 0, step 0: 0 ns late");
	assert_true(press(o, "End PgDn Right Down"));
	assert_true(press(o, "Left Up Home PgUp Down Right Right Right Right Right Right"));
	assert_false(press(o, "Enter"));
	o->ops->end(o);
	assert_int_equal(chosen, 7 * MAP_STEPS + 31);
	wl_overlay_free(o);
}

TEST_WITH(a_map_closes_without_going_anywhere, make_screen, drop_screen)
{
	const struct wl_heat heat = map_of(8, 10);
	uint32_t chosen = UINT32_MAX;
	const struct wl_heat_opts opts = {
		.title = "Map", .heat = &heat, .chosen = on_cell, .ctx = &chosen
	};
	struct wl_overlay *o = wl_heat_new(&opts, &budget);
	struct wl_screen small;

	assert_non_null(o);
	wl_screen_init(&small, &budget);
	for (int n = 0; n < 30; n++) {
		assert_true(wl_screen_resize(&small, n, n / 2));
		o->ops->draw(o, &small);
		assert_true(press(o, "Right Down"));
	}
	wl_screen_release(&small);
	assert_false(press(o, "Esc"));
	o->ops->end(o);
	assert_int_equal(chosen, UINT32_MAX);
	wl_overlay_free(o);
}
