/* SPDX-License-Identifier: MIT */
/* script.c - events written down, for tests and for those who want a picture of a view. */
#include <string.h>

#include "base/attr.h"
#include "base/text/utf8.h"
#include "tui/term/event.h"
#include "tui/term/screen.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (s[n] && !is_blank(s[n]))
		n++;
	return n;
}

/* A number that a screen can have. */
static bool take_number(const char **s, const char *end, int *ret)
{
	int n = 0;

	if (*s == end || **s < '0' || **s > '9')
		return false;
	for (; *s < end && **s >= '0' && **s <= '9'; (*s)++) {
		n = n * 10 + (**s - '0');
		if (n > WL_SCREEN_MAX)
			return false;
	}
	*ret = n;
	return true;
}

/* Numbers with that between them, up to the end. */
static bool take_numbers(const char *s, const char *end, char between, int *ret, int n)
{
	for (int i = 0; i < n; i++) {
		if (i > 0 && (s == end || *s++ != between))
			return false;
		if (!take_number(&s, end, &ret[i]))
			return false;
	}
	return s == end;
}

static bool take_prefix(const char **s, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(end - *s) < n || memcmp(*s, prefix, n) != 0)
		return false;
	*s += n;
	return true;
}

/* In the order in which wl_key_name writes them. */
static uint32_t take_mods(const char **s, const char *end)
{
	static const struct {
		const char *prefix;
		uint32_t mod;
	} known[] = { { "C-", WL_MOD_CTRL }, { "A-", WL_MOD_ALT }, { "S-", WL_MOD_SHIFT } };
	uint32_t mods = 0;

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		if (take_prefix(s, end, known[i].prefix))
			mods |= known[i].mod;
	}
	return mods;
}

enum { N_STEPS = 4 };

/* What a word of the mouse is made of; at says whether a step is at the second place. */
static const struct gesture {
	const char *word;
	int n_places, n_steps;
	enum wl_mouse step[N_STEPS];
	int clicks[N_STEPS];
	size_t at[N_STEPS];
} gestures[] = {
	{ "click:", 1, 2, { WL_MOUSE_PRESS, WL_MOUSE_RELEASE }, { 1 }, { 0 } },
	{ "dclick:",
	  1,
	  4,
	  { WL_MOUSE_PRESS, WL_MOUSE_RELEASE, WL_MOUSE_PRESS, WL_MOUSE_RELEASE },
	  { 1, 0, 2 },
	  { 0 } },
	{ "wheelup:", 1, 1, { WL_MOUSE_WHEEL_UP }, { 0 }, { 0 } },
	{ "wheeldown:", 1, 1, { WL_MOUSE_WHEEL_DOWN }, { 0 }, { 0 } },
	{ "drag:", 2, 3, { WL_MOUSE_PRESS, WL_MOUSE_DRAG, WL_MOUSE_RELEASE }, { 1 }, { 0, 1, 1 } },
};

/* The event of a step of a word of the mouse; *ret_n_steps is how many there are. */
static bool parse_mouse(const char *s, const char *end, int step, struct wl_event *ret,
			int *ret_n_steps)
{
	uint32_t mods = take_mods(&s, end);
	int button = 1, place[4];

	if (take_prefix(&s, end, "m"))
		button = 2;
	else if (take_prefix(&s, end, "r"))
		button = 3;
	for (size_t i = 0; i < WL_COUNT(gestures); i++) {
		const struct gesture *g = &gestures[i];

		if (!take_prefix(&s, end, g->word))
			continue;
		if (!take_numbers(s, end, ',', place, 2 * g->n_places))
			return false;
		*ret = (struct wl_event){ .kind = WL_EVENT_MOUSE,
					  .mouse = g->step[step],
					  .clicks = g->clicks[step],
					  .mods = mods,
					  .x = place[2 * g->at[step]],
					  .y = place[2 * g->at[step] + 1] };
		if (ret->mouse < WL_MOUSE_WHEEL_UP)
			ret->button = button;
		*ret_n_steps = g->n_steps;
		return true;
	}
	return false;
}

static bool parse_word(const char *s, const char *end, int step, struct wl_event *ret,
		       int *ret_n_steps)
{
	const char *at = s;
	int size[2];
	uint32_t key = wl_key_parse(s, (size_t)(end - s));

	*ret_n_steps = 1;
	if (key) {
		*ret = (struct wl_event){ .kind = WL_EVENT_KEY, .key = key };
		return true;
	}
	if (take_prefix(&at, end, "size:")) {
		if (!take_numbers(at, end, 'x', size, 2))
			return false;
		*ret = (struct wl_event){ .kind = WL_EVENT_RESIZE,
					  .cols = size[0],
					  .rows = size[1] };
		return true;
	}
	if (take_prefix(&at, end, "wait") && at == end) {
		*ret = (struct wl_event){ .kind = WL_EVENT_NONE };
		return true;
	}
	return parse_mouse(s, end, step, ret, ret_n_steps);
}

enum { IN_TEXT = -1 }; /* a step */

/* Go to the next word, and into it where it is a text. */
static bool find_word(struct wl_script_pos *pos)
{
	while (is_blank(*pos->at))
		pos->at++;
	if (pos->at[0] == '\'' && pos->at[1] && !is_blank(pos->at[1])) {
		pos->at++;
		pos->step = IN_TEXT;
	}
	return *pos->at || pos->step == IN_TEXT;
}

static bool next_of_word(struct wl_script_pos *pos, struct wl_event *ret)
{
	size_t n = word_length(pos->at);
	int n_steps;

	if (!parse_word(pos->at, pos->at + n, pos->step, ret, &n_steps))
		return false;
	if (++pos->step == n_steps) {
		pos->step = 0;
		pos->at += n;
	}
	return true;
}

static bool next_of_text(struct wl_script_pos *pos, struct wl_event *ret)
{
	const char *s = pos->at;
	uint32_t cp = wl_utf8_next(&s);

	*ret = (struct wl_event){ .kind = WL_EVENT_KEY, .key = wl_key_make(cp, 0) };
	if (!ret->key)
		return false;
	pos->at = cp == '\'' ? s + 1 : s;
	return true;
}

bool wl_script_next(struct wl_script_pos *pos, struct wl_event *ret, const char **ret_bad)
{
	*ret_bad = NULL;
	while (pos->step != 0 || find_word(pos)) {
		bool in_text = pos->step == IN_TEXT;

		if (in_text && pos->at[0] == '\'' && pos->at[1] != '\'') {
			pos->at++;
			pos->step = 0;
			continue;
		}
		if (in_text ? next_of_text(pos, ret) : next_of_word(pos, ret))
			return true;
		*ret_bad = pos->at;
		return false;
	}
	return false;
}
