/* SPDX-License-Identifier: MIT */
#include "tui/term/event.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/text/utf8.h"

enum { ALL_MODS = WL_MOD_SHIFT | WL_MOD_CTRL | WL_MOD_ALT };

static const struct {
	const char *name;
	uint32_t key;
} named[] = {
	{ "Tab", WL_KEY_TAB },       { "BTab", WL_KEY_BTAB },   { "Enter", WL_KEY_ENTER },
	{ "Esc", WL_KEY_ESC },       { "Space", ' ' },          { "Backspace", WL_KEY_BACKSPACE },
	{ "Left", WL_KEY_LEFT },     { "Right", WL_KEY_RIGHT }, { "Up", WL_KEY_UP },
	{ "Down", WL_KEY_DOWN },     { "Home", WL_KEY_HOME },   { "End", WL_KEY_END },
	{ "PgUp", WL_KEY_PGUP },     { "PgDn", WL_KEY_PGDN },   { "Insert", WL_KEY_INSERT },
	{ "Delete", WL_KEY_DELETE }, { "F1", WL_KEY_F1 },       { "F2", WL_KEY_F1 + 1 },
	{ "F3", WL_KEY_F1 + 2 },     { "F4", WL_KEY_F1 + 3 },   { "F5", WL_KEY_F1 + 4 },
	{ "F6", WL_KEY_F1 + 5 },     { "F7", WL_KEY_F1 + 6 },   { "F8", WL_KEY_F1 + 7 },
	{ "F9", WL_KEY_F1 + 8 },     { "F10", WL_KEY_F10 },     { "F11", WL_KEY_F1 + 10 },
	{ "F12", WL_KEY_F12 },
};

static bool is_visible(uint32_t cp)
{
	return cp <= 0x10FFFF && !(cp >= 0xD800 && cp <= 0xDFFF) && !wl_utf8_is_control(cp) &&
	       !wl_utf8_is_separator(cp) && wl_utf8_cp_width(cp) > 0;
}

/* What Ctrl makes of a character; Ctrl stays where it is another key. */
static uint32_t with_ctrl(uint32_t cp, uint32_t *mods)
{
	uint32_t same = 0;

	if (cp >= 'A' && cp <= 'Z')
		cp += 'a' - 'A';
	if (cp == 'i')
		same = WL_KEY_TAB;
	else if (cp == 'h')
		same = WL_KEY_BACKSPACE;
	else if (cp == 'm' || cp == 'j')
		same = WL_KEY_ENTER;
	else if (cp == '[')
		same = WL_KEY_ESC;
	if (!same)
		return cp;
	*mods &= ~(uint32_t)WL_MOD_CTRL;
	return same;
}

uint32_t wl_key_make(uint32_t key, uint32_t mods)
{
	mods &= ALL_MODS;
	if (key == WL_KEY_TAB && mods & WL_MOD_SHIFT) {
		key = WL_KEY_BTAB;
		mods &= ~(uint32_t)WL_MOD_SHIFT;
	}
	if (key == WL_KEY_TAB || key == WL_KEY_ENTER || key == WL_KEY_ESC ||
	    key == WL_KEY_BACKSPACE || (key >= WL_KEY_FIRST && key <= WL_KEY_F12))
		return key | mods;
	if (!is_visible(key))
		return 0;
	if (mods & WL_MOD_SHIFT) {
		if (key >= 'a' && key <= 'z')
			key -= 'a' - 'A';
		mods &= ~(uint32_t)WL_MOD_SHIFT;
	}
	if (mods & WL_MOD_CTRL)
		key = with_ctrl(key, &mods);
	return key | mods;
}

/* Skip "S-", "C-" and "A-" before something. */
static uint32_t take_mods(const char **name, size_t *n)
{
	uint32_t mods = 0;

	while (*n > 2 && (*name)[1] == '-') {
		if (**name == 'S')
			mods |= WL_MOD_SHIFT;
		else if (**name == 'C')
			mods |= WL_MOD_CTRL;
		else if (**name == 'A')
			mods |= WL_MOD_ALT;
		else
			break;
		*name += 2;
		*n -= 2;
	}
	return mods;
}

uint32_t wl_key_parse(const char *name, size_t n)
{
	uint32_t mods = take_mods(&name, &n), cp;

	if (n == 0)
		return 0;
	for (size_t i = 0; i < WL_COUNT(named); i++) {
		if (strlen(named[i].name) == n && memcmp(named[i].name, name, n) == 0)
			return wl_key_make(named[i].key, mods);
	}
	if (wl_utf8_decode(name, n, &cp) != n || cp <= ' ')
		return 0;
	return wl_key_make(cp, mods);
}

const char *wl_key_name(uint32_t key, char buf[WL_KEY_NAME_BUF])
{
	const char *word = NULL;
	char one[WL_UTF8_MAX + 1] = "";
	uint32_t bare = key & ~(uint32_t)ALL_MODS;

	for (size_t i = 0; i < WL_COUNT(named) && !word; i++) {
		if (named[i].key == bare)
			word = named[i].name;
	}
	if (!word && is_visible(bare)) {
		one[wl_utf8_encode(bare, one)] = '\0';
		word = one;
	}
	if (!word)
		return "?";
	(void)snprintf(buf, WL_KEY_NAME_BUF, "%s%s%s%s", key & WL_MOD_CTRL ? "C-" : "",
		       key & WL_MOD_ALT ? "A-" : "", key & WL_MOD_SHIFT ? "S-" : "", word);
	return buf;
}
