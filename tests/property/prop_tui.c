/* SPDX-License-Identifier: MIT */
/*
 * Random keys, text, mouse and sizes on the viewers: nothing crashes, the view stays inside of
 * the trace, the cursor inside of the view, and no screen holds what a terminal would obey.
 *
 * property tui [EVENTS [SEED]]: how many per trace. Each change has a few, soak/tui.sh more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/utf8.h"
#include "support/db.h"
#include "support/random.h"
#include "support/traces.h"
#include "support/unit.h"
#include "tui/app/app_parts.h"
#include "tui/timeline/timeline.h"

enum { FEW = 1500 };

static long n_events = FEW;
static uint64_t seed = 1;
static struct wl_tmpdir room; /* where what is exported goes */

struct playing {
	struct wl_app *app;
	uint64_t random;
	char last[256]; /* events before the present one, for people */
};

static const uint32_t odd_keys[] = { 0xE9,         0x20AC,     0x4E00,      0x1F600,
				     0x301,        0x202E,     0x1B,        WL_KEY_BACKSPACE,
				     WL_KEY_ENTER, WL_KEY_TAB, WL_KEY_F1,   WL_KEY_DELETE,
				     WL_KEY_HOME,  WL_KEY_END, WL_KEY_BTAB, 'c' | WL_MOD_CTRL };

static uint32_t random_key(struct playing *p)
{
	const struct wl_keymap *keys = &p->app->opts.keys;

	switch (random_below(&p->random, 8)) {
	case 0:
		return ' ' + random_below(&p->random, 95);
	case 1:
		return odd_keys[random_below(&p->random, WL_COUNT(odd_keys))];
	case 2:
		return WL_KEY_ESC; /* or it would stay in what lies over the view */
	default:
		return keys->at[random_below(&p->random, (uint32_t)keys->n)].key;
	}
}

static struct wl_event random_event(struct playing *p)
{
	const struct wl_screen *s = &p->app->screen;
	const uint32_t kind = random_below(&p->random, 100);

	if (kind < 2)
		return (struct wl_event){ .kind = WL_EVENT_RESIZE,
					  .cols = (int)random_between(&p->random, 1, 300),
					  .rows = (int)random_between(&p->random, 1, 100) };
	if (kind < 12)
		return (struct wl_event){
			.kind = WL_EVENT_MOUSE,
			.mouse = (enum wl_mouse)random_below(&p->random, 5),
			.button = (int)random_between(&p->random, 1, 3),
			.clicks = (int)random_between(&p->random, 1, 2),
			.mods = random_below(&p->random, 4) ? 0 : WL_MOD_SHIFT,
			.x = (int)random_between(&p->random, -1, s->cols),
			.y = (int)random_between(&p->random, -1, s->rows),
		};
	return (struct wl_event){ .kind = WL_EVENT_KEY, .key = random_key(p) };
}

/* Paths that are typed must stay in the room. */
static bool is_safe(const struct playing *p, const struct wl_event *e)
{
	return e->kind != WL_EVENT_KEY || e->key != '/' || !p->app->overlay;
}

static void note(struct playing *p, const struct wl_event *e)
{
	char name[WL_KEY_NAME_BUF], word[64];
	size_t n;

	if (e->kind == WL_EVENT_KEY)
		(void)snprintf(word, sizeof(word), " %s", wl_key_name(e->key, name));
	else if (e->kind == WL_EVENT_RESIZE)
		(void)snprintf(word, sizeof(word), " size:%dx%d", e->cols, e->rows);
	else
		(void)snprintf(word, sizeof(word), " mouse%d:%d,%d", (int)e->mouse, e->x, e->y);
	n = strlen(word);
	if (strlen(p->last) + n >= sizeof(p->last))
		memmove(p->last, p->last + 64, strlen(p->last + 64) + 1);
	(void)snprintf(p->last + strlen(p->last), sizeof(p->last) - strlen(p->last), "%s", word);
}

static void check_screen(const struct playing *p, const struct wl_screen *s)
{
	for (int y = 0; y < s->rows; y++) {
		for (int x = 0; x < s->cols; x++) {
			const struct wl_screen_cell *c = wl_screen_at(s, x, y);

			if (c->cp && (wl_utf8_is_control(c->cp) || wl_utf8_is_bidi(c->cp)))
				fail_msg("U+%04X at %d,%d after%s", (unsigned)c->cp, x, y, p->last);
			if (c->style.fg >= WL_N_INKS || c->style.bg >= WL_N_INKS)
				fail_msg("no such ink at %d,%d after%s", x, y, p->last);
			if (c->cp == 0 && (x == 0 || wl_screen_at(s, x - 1, y)->cp == 0))
				fail_msg("half a character at %d,%d after%s", x, y, p->last);
		}
	}
	if (s->cursor_x >= s->cols || s->cursor_y >= s->rows)
		fail_msg("the cursor is at %d,%d after%s", s->cursor_x, s->cursor_y, p->last);
}

static void check_view(const struct playing *p)
{
	const struct wl_timeline *t = wl_app_view(p->app, WL_VIEW_TIMELINE);
	const struct wl_scene *scene = wl_app_scene(p->app, 0);
	const struct wl_interval all = scene->tracks.extent;

	if (t->view.begin < all.begin || t->view.end > all.end || t->view.begin >= t->view.end)
		fail_msg("view %lld..%lld, trace %lld..%lld after%s", (long long)t->view.begin,
			 (long long)t->view.end, (long long)all.begin, (long long)all.end, p->last);
	if (t->view.cursor < t->view.begin || t->view.cursor >= t->view.end)
		fail_msg("cursor %lld, view %lld..%lld after%s", (long long)t->view.cursor,
			 (long long)t->view.begin, (long long)t->view.end, p->last);
	if (t->view.track != WL_NONE && t->view.track >= scene->tracks.n)
		fail_msg("row %u of %zu after%s", t->view.track, scene->tracks.n, p->last);
}

static void play(struct playing *p)
{
	for (long i = 0; i < n_events; i++) {
		struct wl_event e = random_event(p);

		if (!is_safe(p, &e))
			continue;
		note(p, &e);
		wl_app_event(p->app, &e);
		wl_app_tick(p->app);
		check_screen(p, wl_app_draw(p->app));
		check_view(p);
		/* Now and then what was asked is answered first, else keys overtake it. */
		if (random_below(&p->random, 4) == 0 && wl_app_is_busy(p->app)) {
			wl_worker_wait(p->app->worker);
			wl_app_tick(p->app);
		}
	}
}

static void play_trace(void *ctx, const struct test_trace *trace)
{
	static struct wl_budget budget;
	static struct wl_app_opts opts;
	struct playing p = { .random = seed };
	struct wl_err err = { .code = WL_OK };

	(void)ctx;
	if (trace->damaged)
		return;
	print_message("%s\n", trace->name);
	opts = (struct wl_app_opts){ .views = { &wl_timeline_view, &wl_tree_view },
				     .path = { trace->path, trace->path },
				     .command = { "warplens timeline", "warplens tui" },
				     .budget = &budget,
				     .frozen = true };
	opts.input.budget = &budget;
	wl_keymap_init(&opts.keys);
	p.app = wl_app_new(&opts, &err);
	if (!p.app ||
	    wl_app_script(p.app, "", 80, 24, (struct wl_look_caps){ false, true }, &err) < 0) {
		fail_msg("%s: %s", trace->name, err.msg);
		return;
	}
	play(&p);
	wl_app_free(p.app);
	assert_int_equal(budget.used, 0);
}

/* Each change plays with these; a campaign with all. */
static void play_some(void *ctx, const struct test_trace *trace)
{
	static const char *const some[] = { "fixture.hostile", "fixture.nested", "fixture.streams",
					    "fixture.two_ranks" };

	for (size_t i = 0; i < WL_COUNT(some); i++) {
		if (strcmp(trace->name, some[i]) == 0)
			play_trace(ctx, trace);
	}
}

static void random_events_do_no_harm(void **state)
{
	struct test_traces seen;

	(void)state;
	if (n_events > FEW)
		seen = for_each_trace(play_trace, NULL);
	else
		seen = for_each_fixture(play_some, NULL);
	if (seen.n_fixtures == 0)
		skip();
	assert_int_equal(seen.n_failed, 0);
}

static void an_empty_trace_is_no_trap(void **state)
{
	struct db *db = db_open(state, "empty.sqlite");
	struct test_trace trace = { .name = "empty" };

	db_make_tables(db, DB_3_25_0);
	trace.path = db_close(db);
	play_trace(NULL, &trace);
}

static int enter(void **state)
{
	struct wl_err err;

	if (wl_tmpdir_open(NULL, &room, &err) < 0 || chdir(room.path) < 0)
		return -1;
	return db_setup(state);
}

static int leave(void **state)
{
	wl_tmpdir_close(&room);
	return db_teardown(state);
}

TEST_MAIN(tui)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_events_do_no_harm, enter, leave),
		cmocka_unit_test_setup_teardown(an_empty_trace_is_no_trap, enter, leave),
	};

	if (argc > 1)
		n_events = strtol(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
