/* SPDX-License-Identifier: MIT */
#include "tui/app/actions.h"

#include <assert.h>
#include <string.h>

#include "base/text/nearest.h"

const struct wl_action_info wl_actions[WL_N_ACTIONS] = {
	[WL_ACT_NONE] = { 0, "none", "", "", "" },
#define WL_ACTION(ID, views, name, keys, foot, help)                                               \
	[WL_ACT_##ID] = { views, name, keys, foot, help },
#include "tui/app/actions.def"
#undef WL_ACTION
};

const struct wl_help_item wl_help_items[] = {
#define WL_ACTION_GROUP(title)                       { title, WL_ACT_NONE },
#define WL_ACTION(ID, views, name, keys, foot, help) { NULL, WL_ACT_##ID },
#include "tui/app/actions.def"
#undef WL_ACTION
};

const size_t wl_n_help_items = WL_COUNT(wl_help_items);

/* What these keys did before is done with Alt. */
const char wl_keys_perfetto[] = "w zoom-in\n"
				"s zoom-out\n"
				"a pan-left\n"
				"d pan-right\n"
				"A page-left\n"
				"D page-right\n"
				"f zoom-to\n"
				". next-event\n"
				", previous-event\n"
				"A-w write-screen\n"
				"A-s statistics\n"
				"A-a clock\n"
				"A-d names\n"
				"A-D second-trace\n"
				"A-f links\n"
				"A-. next-bookmark\n"
				"A-, previous-bookmark\n";

/* The next word of a line, which a newline ends as well; its length, 0 for none. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " \t\r");
	return strcspn(*at, " \t\r\n");
}

void wl_keymap_init(struct wl_keymap *map)
{
	map->n = 0;
	for (size_t a = 0; a < WL_N_ACTIONS; a++) {
		const char *at = wl_actions[a].keys;

		for (size_t n = next_word(&at); n > 0; at += n, n = next_word(&at)) {
			uint32_t key = wl_key_parse(at, n);

			assert(key);
			for (unsigned v = 0; v < WL_N_VIEWS; v++) {
				if (!(wl_actions[a].views >> v & 1))
					continue;
				assert(map->n < WL_MAX_KEYS);
				map->at[map->n].key = key;
				map->at[map->n].view = (enum wl_view_id)v;
				map->at[map->n++].action = (enum wl_action)a;
			}
		}
	}
}

static void take_away(struct wl_keymap *map, enum wl_view_id view, uint32_t key)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n; i++) {
		if (map->at[i].key != key || map->at[i].view != view)
			map->at[n++] = map->at[i];
	}
	map->n = n;
}

/* In front, so that footer and help show the user's own keys first. */
static bool bind(struct wl_keymap *map, uint32_t key, enum wl_action action)
{
	for (unsigned v = 0; v < WL_N_VIEWS; v++) {
		enum wl_view_id view = (enum wl_view_id)v;

		if (action != WL_ACT_NONE && !(wl_actions[action].views >> v & 1))
			continue;
		take_away(map, view, key);
		if (action == WL_ACT_NONE)
			continue;
		if (map->n == WL_MAX_KEYS)
			return false;
		memmove(&map->at[1], &map->at[0], map->n * sizeof(map->at[0]));
		map->n++;
		map->at[0].key = key;
		map->at[0].view = view;
		map->at[0].action = action;
	}
	return true;
}

static enum wl_action find_action(const char *name, size_t n)
{
	for (size_t a = 1; a < WL_N_ACTIONS; a++) {
		if (strncmp(wl_actions[a].name, name, n) == 0 && !wl_actions[a].name[n])
			return (enum wl_action)a;
	}
	return WL_ACT_NONE;
}

enum wl_action wl_action_find(const char *name)
{
	return find_action(name, strlen(name));
}

static int unknown_action(const char *source, int line, const char *name, size_t n,
			  struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *near;
	char given[64];

	if (n >= sizeof(given))
		n = sizeof(given) - 1;
	memcpy(given, name, n);
	given[n] = '\0';
	wl_nearest_init(&nearest, given);
	for (size_t a = 1; a < WL_N_ACTIONS; a++)
		wl_nearest_offer(&nearest, wl_actions[a].name);
	near = wl_nearest_get(&nearest);
	return near ? wl_fail(reterr, WL_E_USAGE, "%.200s:%d: no action \"%s\"; did you mean %s?",
			      source, line, given, near)
		    : wl_fail(reterr, WL_E_USAGE,
			      "%.200s:%d: no action \"%s\"; the key : lists them", source, line,
			      given);
}

static int change_line(struct wl_keymap *map, const char *text, const char *source, int line,
		       struct wl_err *reterr)
{
	enum wl_action action;
	const char *key_name;
	size_t n_key = next_word(&text), n;
	uint32_t key;

	if (n_key == 0 || *text == '#')
		return WL_OK;
	key_name = text;
	key = wl_key_parse(text, n_key);
	text += n_key;
	n = next_word(&text);
	if (!key)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s:%d: no key \"%.*s\"; write a character or a name such as "
			       "Left, S-Left, C-t, F2",
			       source, line, (int)(n_key < 40 ? n_key : 40), key_name);
	if (n == 0)
		return wl_fail(reterr, WL_E_USAGE, "%.200s:%d: give a key and an action", source,
			       line);
	action = find_action(text, n);
	if (action == WL_ACT_NONE && !(n == 4 && strncmp(text, "none", 4) == 0))
		return unknown_action(source, line, text, n, reterr);
	text += n;
	if (next_word(&text) > 0)
		return wl_fail(reterr, WL_E_USAGE, "%.200s:%d: more than a key and an action",
			       source, line);
	if (!bind(map, key, action))
		return wl_fail(reterr, WL_E_USAGE, "%.200s:%d: more than %d keys", source, line,
			       WL_MAX_KEYS);
	return WL_OK;
}

int wl_keymap_change(struct wl_keymap *map, const char *lines, const char *source,
		     struct wl_err *reterr)
{
	struct wl_keymap changed = *map;
	int r = WL_OK;

	for (int line = 1; r == WL_OK && *lines; line++) {
		r = change_line(&changed, lines, source, line, reterr);
		lines += strcspn(lines, "\n");
		lines += *lines == '\n';
	}
	if (r == WL_OK)
		*map = changed;
	return r;
}

enum wl_action wl_keymap_find(const struct wl_keymap *map, enum wl_view_id view, uint32_t key)
{
	for (size_t i = 0; i < map->n; i++) {
		if (map->at[i].key == key && map->at[i].view == view)
			return map->at[i].action;
	}
	return WL_ACT_NONE;
}

uint32_t wl_keymap_key(const struct wl_keymap *map, enum wl_view_id view, enum wl_action action,
		       size_t i)
{
	for (size_t k = 0; k < map->n; k++) {
		if (map->at[k].view == view && map->at[k].action == action && i-- == 0)
			return map->at[k].key;
	}
	return 0;
}
