/*
 * event.h - what the user did: a key, the mouse, or another size of the terminal.
 *
 * A key is a character, or one of enum wl_key above all characters, together with
 * modifiers. Keys have names ("q", "Left", "S-Left", "C-t", "A-x", "Tab", "BTab",
 * "Space", "Enter", "Esc", "Backspace", "PgUp", "F1"), by which tables, scripts and
 * configuration speak of them. Shift is named only where it is no other character.
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
	WL_KEY_F1,
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

/* The key of a name that ends at end; 0 for none. A single character is its own name. */
uint32_t wl_key_parse(const char *name, size_t n);

enum { WL_KEY_NAME_BUF = 32 };
const char *wl_key_name(uint32_t key, char buf[WL_KEY_NAME_BUF]);

/*
 * The next event of a script, which is events separated by blanks: names of keys,
 * 'text' in quotes for a key per character, "click:X,Y", "dclick:X,Y", "drag:X,Y,X2,Y2"
 * (press, drag and release), "wheelup:X,Y", "wheeldown:X,Y", "size:WxH", "wait" (until
 * nothing is being computed: kind NONE). Returns false at the end, and with *ret_bad
 * set to what is not understood, NULL else. A word may be several events: *pos keeps
 * where it stands.
 */
struct wl_script_pos {
	const char *at;
	int step;
};
bool wl_script_next(struct wl_script_pos *pos, struct wl_event *ret, const char **ret_bad);

#endif
