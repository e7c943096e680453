/* SPDX-License-Identifier: MIT */
/*
 * event.h - an input event: a key, the mouse, or a resize of the terminal.
 *
 * A key is a character, or one of enum wl_key above all characters, together with
 * modifiers. Keys have names ("q", "Left", "S-Left", "C-t", "A-x", "Tab", "BTab",
 * "Space", "Enter", "Esc", "Backspace", "PgUp", "F1"), by which tables, scripts and
 * configuration speak of them. Shift is named only where it is no other character.
 *
 * A key has one number. Keys that terminals send alike are one key: C-i is Tab,
 * C-h Backspace, C-m and C-j Enter, C-[ Esc; S-Tab is BTab; C-A is C-a.
 */
#ifndef WL_TUI_EVENT_H
#define WL_TUI_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_key {
	WL_KEY_TAB = '\t',
	WL_KEY_ENTER = '\n',
	WL_KEY_ESC = 27,
	WL_KEY_BACKSPACE = 127,
	WL_KEY_FIRST = 0x110000,
	WL_KEY_LEFT = WL_KEY_FIRST,
	WL_KEY_RIGHT,
	WL_KEY_UP,
	WL_KEY_DOWN,
	WL_KEY_HOME,
	WL_KEY_END,
	WL_KEY_PGUP,
	WL_KEY_PGDN,
	WL_KEY_INSERT,
	WL_KEY_DELETE,
	WL_KEY_BTAB,
	WL_KEY_F1, /* F2 and so on follow */
	WL_KEY_F10 = WL_KEY_F1 + 9,
	WL_KEY_F12 = WL_KEY_F1 + 11,
};

enum wl_mod { WL_MOD_SHIFT = 1 << 24, WL_MOD_CTRL = 1 << 25, WL_MOD_ALT = 1 << 26 };

enum wl_event_kind {
	WL_EVENT_NONE, /* time went by */
	WL_EVENT_KEY,
	WL_EVENT_MOUSE,
	WL_EVENT_RESIZE,
	WL_EVENT_QUIT, /* the terminal is gone, or a signal asks to end */
};

enum wl_mouse {
	WL_MOUSE_PRESS,
	WL_MOUSE_RELEASE,
	WL_MOUSE_DRAG,
	WL_MOUSE_WHEEL_UP,
	WL_MOUSE_WHEEL_DOWN
};

struct wl_event {
	enum wl_event_kind kind;
	uint32_t key; /* character or enum wl_key, with modifiers */
	enum wl_mouse mouse;
	int button;     /* 1 left, 2 middle, 3 right */
	int clicks;     /* of a press: 2 for a double click */
	uint32_t mods;  /* of the mouse */
	int x, y;       /* cell, from 0 */
	int cols, rows; /* of a resize */
};

/* The one number of a key with modifiers, as told above; 0 where there is no such key. */
uint32_t wl_key_make(uint32_t key, uint32_t mods);

/* The key of a name of n bytes; 0 for none. A single character is its own name. */
uint32_t wl_key_parse(const char *name, size_t n);

/* Its name, in buf; "?" for what is no key. */
enum { WL_KEY_NAME_BUF = 32 };
const char *wl_key_name(uint32_t key, char buf[WL_KEY_NAME_BUF]);

/*
 * The next event of a script, which is words separated by blanks:
 *
 *     NAME                       a key
 *     'text'                     a key per character; '' in it is one quote
 *     '                          alone: the key itself
 *     click:X,Y  dclick:X,Y      press and release, once or twice
 *     wheelup:X,Y  wheeldown:X,Y
 *     drag:X,Y,X2,Y2             press, move and release
 *     size:WxH                   of the terminal
 *     wait                       until nothing is being computed: kind NONE
 *
 * S-, C- and A- before a word of the mouse are modifiers; m and r before click and drag
 * are the middle and the right button ("A-wheelup:9,4", "rdrag:9,4,20,4").
 *
 * Returns false at the end, and then sets *ret_bad to the word that is not understood,
 * NULL if all was. A word may be several events: step counts them. Begin with
 * { script, 0 }.
 */
struct wl_script_pos {
	const char *at;
	int step;
};
bool wl_script_next(struct wl_script_pos *pos, struct wl_event *ret, const char **ret_bad);

#endif
