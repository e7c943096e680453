/* SPDX-License-Identifier: MIT */
#include "tui/app/actions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "support/unit.h"
#include "tui/app/footer.h"

static uint32_t key(const char *name)
{
	uint32_t k = wl_key_parse(name, strlen(name));

	assert_true(k);
	return k;
}

TEST(each_action_is_described)
{
	for (size_t a = 1; a < WL_N_ACTIONS; a++) {
		const struct wl_action_info *info = &wl_actions[a];
		size_t n = strlen(info->help);

		assert_true(info->views != 0);
		assert_true(n > 0 && isupper((unsigned char)info->help[0]));
		assert_int_equal(info->help[n - 1], '.');
		assert_true(strlen(info->foot) <= 12);
		for (const char *c = info->name; *c; c++)
			assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) ||
				    *c == '-');
		assert_int_equal(wl_action_find(info->name), a); /* so names are unique */
	}
	assert_int_equal(wl_action_find("no-such-action"), WL_ACT_NONE);
	assert_int_equal(wl_action_find("none"), WL_ACT_NONE);
}

TEST(a_key_means_one_action_per_view)
{
	static struct wl_keymap map;

	wl_keymap_init(&map);
	for (size_t i = 0; i < map.n; i++) {
		char name[WL_KEY_NAME_BUF];

		if (wl_keymap_find(&map, map.at[i].view, map.at[i].key) != map.at[i].action)
			fail_msg("key %s means %s and %s in view %d",
				 wl_key_name(map.at[i].key, name),
				 wl_actions[map.at[i].action].name,
				 wl_actions[wl_keymap_find(&map, map.at[i].view, map.at[i].key)]
					 .name,
				 (int)map.at[i].view);
	}
}

TEST(help_has_every_action_once)
{
	size_t n_seen[WL_N_ACTIONS] = { 0 };

	assert_non_null(wl_help_items[0].title);
	for (size_t i = 0; i < wl_n_help_items; i++)
		n_seen[wl_help_items[i].action] += wl_help_items[i].title == NULL;
	for (size_t a = 1; a < WL_N_ACTIONS; a++)
		assert_int_equal(n_seen[a], 1);
}

TEST(keys_are_found_by_view)
{
	static struct wl_keymap map;

	wl_keymap_init(&map);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TIMELINE, 'q'), WL_ACT_QUIT);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, key("F10")), WL_ACT_QUIT);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, key("C-c")), WL_ACT_QUIT);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, 0x1F600), WL_ACT_NONE);
	assert_int_equal(wl_keymap_key(&map, WL_VIEW_TREE, WL_ACT_HELP, 0), 'h');
	assert_int_equal(wl_keymap_key(&map, WL_VIEW_TREE, WL_ACT_HELP, 1), '?');
	assert_int_equal(wl_keymap_key(&map, WL_VIEW_TREE, WL_ACT_HELP, 3), 0);
}

TEST(keys_can_be_changed)
{
	static struct wl_keymap map;
	struct wl_err err;

	wl_keymap_init(&map);
	assert_int_equal(wl_keymap_change(&map,
					  "# my own\n\n  F2 help\nq none\r\nC-x quit\nF2 redraw",
					  "keys", &err),
			 WL_OK);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TIMELINE, key("F2")), WL_ACT_REDRAW);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, 'q'), WL_ACT_NONE);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, key("C-x")), WL_ACT_QUIT);
	assert_int_equal(wl_keymap_find(&map, WL_VIEW_TREE, 'h'), WL_ACT_HELP);
	/* One's own key comes first in help and footer. */
	assert_int_equal(wl_keymap_key(&map, WL_VIEW_TREE, WL_ACT_QUIT, 0), key("C-x"));
	assert_int_equal(wl_keymap_key(&map, WL_VIEW_TREE, WL_ACT_QUIT, 1), key("F10"));
}

static void wrong(const char *lines, const char *message)
{
	static struct wl_keymap map, before;
	struct wl_err err;

	wl_keymap_init(&map);
	before = map;
	assert_int_equal(wl_keymap_change(&map, lines, "my.keys", &err), WL_E_USAGE);
	if (!strstr(err.msg, message))
		fail_msg("%s", err.msg);
	assert_memory_equal(&map, &before, sizeof(map));
}

TEST(a_slip_in_a_key_file_is_told_by_its_line)
{
	wrong("q none\nHyper help", "my.keys:2: no key \"Hyper\"");
	wrong("x hepl", "my.keys:1: no action \"hepl\"; did you mean help?");
	wrong("x xyzzyxyzzy", "my.keys:1: no action \"xyzzyxyzzy\"; the key : lists them");
	wrong("\n\nx", "my.keys:3: give a key and an action");
	wrong("x help me", "my.keys:1: more than a key and an action");
}

TEST(the_keys_of_perfetto_fit_the_table)
{
	static struct wl_keymap map;
	struct wl_err err;

	wl_keymap_init(&map);
	if (wl_keymap_change(&map, wl_keys_perfetto, "perfetto", &err) < 0)
		fail_msg("%s", err.msg);
	/* Whatever lost its key got another one. */
	for (size_t a = 1; a < WL_N_ACTIONS; a++) {
		for (unsigned v = 0; v < WL_N_VIEWS; v++) {
			if (wl_actions[a].views >> v & 1 && *wl_actions[a].keys &&
			    !wl_keymap_key(&map, (enum wl_view_id)v, (enum wl_action)a, 0))
				fail_msg("%s has no key", wl_actions[a].name);
		}
	}
}

TEST(the_footer_gives_way_from_the_end)
{
	static struct wl_keymap map;
	struct wl_budget budget = { .limit = 0 };
	struct wl_screen s;
	struct wl_footer f;

	wl_keymap_init(&map);
	wl_screen_init(&s, &budget);
	for (int cols = 1; cols < 300; cols++) {
		assert_true(wl_screen_resize(&s, cols, 2));
		wl_footer_draw(&f, &s, 0, 1, &map, WL_VIEW_TREE);
		for (size_t i = 0; i < f.n; i++) {
			assert_true(f.at[i].begin < f.at[i].end && f.at[i].end <= cols);
			assert_true(i == 0 || f.at[i].begin >= f.at[i - 1].end);
			assert_int_equal(wl_footer_at(&f, f.at[i].begin), f.at[i].action);
		}
		assert_int_equal(wl_footer_at(&f, cols), WL_ACT_NONE);
		if (cols >= 13) { /* "h help q quit": whatever else must go */
			assert_int_equal(f.at[f.n - 1].action, WL_ACT_QUIT);
			assert_int_equal(f.at[f.n - 2].action, WL_ACT_HELP);
		}
	}
	wl_screen_release(&s);
}

/* --- the manual --------------------------------------------------------------------------- */

static const char head[] = "<!-- keys: written by ACCEPT=1 ctest -R unit.actions -->\n";
static const char foot[] = "<!-- end of keys -->";

/* Keys as code; a grave accent wants two of them around it, and a stroke would end the cell. */
static void put_keys(FILE *out, const char *keys)
{
	char copy[128], *rest = copy, *key;

	(void)snprintf(copy, sizeof(copy), "%s", keys);
	while ((key = strsep(&rest, " ")) != NULL && *key)
		(void)fprintf(out, strcmp(key, "`") == 0 ? "`` %s `` " : "`%s` ", key);
}

static void put_group(FILE *out, size_t title)
{
	static const char *const views[] = { "", "timeline", "tree", "both" };

	(void)fprintf(out, "\n### %s\n\n| key | action | in | what it does |\n|---|---|---|---|\n",
		      wl_help_items[title].title);
	for (size_t i = title + 1; i < wl_n_help_items && !wl_help_items[i].title; i++) {
		const struct wl_action_info *a = &wl_actions[wl_help_items[i].action];

		(void)fputs("| ", out);
		put_keys(out, a->keys);
		(void)fprintf(out, "| %s | %s | %s |\n", a->name, views[a->views & 3], a->help);
	}
}

static char *read_page(const char *path)
{
	char *bytes, *text;
	struct wl_err err;
	size_t n;

	if (wl_file_read(path, 1 << 20, &bytes, &n, &err) < 0)
		fail_msg("%s", err.msg);
	text = strndup(bytes, n);
	assert_non_null(text);
	free(bytes);
	return text;
}

static void accept_page(const char *path, const char *page)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(page, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

TEST(the_manual_lists_the_keys)
{
	const char *source = getenv("WARPLENS_SOURCE"), *accept = getenv("ACCEPT");
	char path[512], *page, *want = NULL, *begin, *end;
	size_t n;
	FILE *out;

	if (!source)
		skip();
	(void)snprintf(path, sizeof(path), "%s/docs/timeline.md", source);
	page = read_page(path);
	begin = strstr(page, head);
	end = strstr(page, foot);
	assert_true(begin && end);
	out = open_memstream(&want, &n);
	assert_non_null(out);
	(void)fwrite(page, 1, (size_t)(begin - page), out);
	(void)fputs(head, out);
	for (size_t i = 0; i < wl_n_help_items; i++) {
		if (wl_help_items[i].title)
			put_group(out, i);
	}
	(void)fprintf(out, "\n%s", end);
	assert_int_equal(fclose(out), 0);
	if (accept && strcmp(accept, "1") == 0)
		accept_page(path, want);
	else if (strcmp(page, want) != 0)
		fail_msg("docs/timeline.md: run ACCEPT=1 ctest -R unit.actions, and read the diff");
	free(want);
	free(page);
}
