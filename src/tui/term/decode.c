/* SPDX-License-Identifier: MIT */
/*
 * decode.c - each function that parses gets the bytes from the Esc on, and returns how many
 * of them it took, 0 where there are too few. An event of kind NONE is one that was
 * dropped.
 */
#include "tui/term/decode.h"

#include <assert.h>
#include <string.h>

#include "base/attr.h"
#include "base/text/utf8.h"
#include "tui/term/screen.h"

enum { ESC = 27, BEL = 7 };

void wl_decoder_init(struct wl_decoder *d)
{
	*d = (struct wl_decoder){ .button = 1 };
}

unsigned char *wl_decoder_room(struct wl_decoder *d, size_t *ret_n)
{
	memmove(d->buf, d->buf + d->begin, d->end - d->begin);
	d->end -= d->begin;
	d->begin = 0;
	*ret_n = sizeof(d->buf) - d->end;
	return d->buf + d->end;
}

void wl_decoder_add(struct wl_decoder *d, size_t n)
{
	assert(n <= sizeof(d->buf) - d->end);
	d->end += n;
}

static void set_key(uint32_t key, uint32_t mods, struct wl_event *ret)
{
	key = wl_key_make(key, mods);
	*ret = (struct wl_event){ .kind = key ? WL_EVENT_KEY : WL_EVENT_NONE, .key = key };
}

/* A character or control, without an Esc before it. */
static size_t parse_plain(const unsigned char *p, size_t n, uint32_t mods, struct wl_event *ret)
{
	uint32_t cp;
	size_t len;

	if (p[0] == ESC || p[0] == WL_KEY_BACKSPACE) {
		set_key(p[0], mods, ret);
		return 1;
	}
	if (p[0] < 0x20) {
		/* 1 is Ctrl+A; 0 Ctrl+Space, as nearly all terminals have it. */
		set_key(p[0] == 0   ? ' '
			: p[0] < 27 ? p[0] + 0x60U
				    : p[0] + 0x40U,
			mods | WL_MOD_CTRL, ret);
		return 1;
	}
	len = wl_utf8_decode((const char *)p, n, &cp);
	if (cp == WL_UTF8_INVALID && len == n && len < WL_UTF8_MAX && p[0] >= 0xC2 && p[0] <= 0xF4)
		return 0;
	if (cp == WL_UTF8_INVALID)
		cp = 0;
	set_key(cp, mods, ret);
	return len;
}

/* ---- The mouse ---- */

static void note_press(struct wl_decoder *d, int64_t now, struct wl_event *e)
{
	bool again = d->last.button == e->button && d->last.x == e->x && d->last.y == e->y &&
		     now - d->last.at <= INT64_C(1000000) * WL_DOUBLE_CLICK;

	e->clicks = again ? 2 : 1;
	d->button = e->button;
	d->last.button = again ? 0 : e->button;
	d->last.x = e->x;
	d->last.y = e->y;
	d->last.at = now;
}

/* What reports of the mouse have in common. */
struct report {
	unsigned code; /* two bits of button, then Shift, Alt, Ctrl, moved, wheel */
	int x, y;      /* from 1 */
	bool released; /* as only newer terminals report */
};

static void set_mouse(struct wl_decoder *d, struct report r, int64_t now, struct wl_event *ret)
{
	unsigned code = r.code, button = code & 3;

	*ret = (struct wl_event){ .kind = WL_EVENT_NONE, .x = r.x - 1, .y = r.y - 1 };
	if (r.x < 1 || r.y < 1 || r.x > WL_SCREEN_MAX || r.y > WL_SCREEN_MAX || code >= 128)
		return;
	ret->mods = (code & 4 ? (uint32_t)WL_MOD_SHIFT : 0) |
		    (code & 8 ? (uint32_t)WL_MOD_ALT : 0) | (code & 16 ? (uint32_t)WL_MOD_CTRL : 0);
	if (code & 64) {
		if (button > 1 || r.released)
			return; /* sideways */
		ret->mouse = button == 0 ? WL_MOUSE_WHEEL_UP : WL_MOUSE_WHEEL_DOWN;
	} else if (code & 32) {
		if (button == 3)
			return; /* moved without a button */
		ret->mouse = WL_MOUSE_DRAG;
		ret->button = (int)button + 1;
	} else if (r.released || button == 3) {
		ret->mouse = WL_MOUSE_RELEASE;
		ret->button = button == 3 ? d->button : (int)button + 1;
	} else {
		ret->mouse = WL_MOUSE_PRESS;
		ret->button = (int)button + 1;
		note_press(d, now, ret);
	}
	ret->kind = WL_EVENT_MOUSE;
}

/* ---- Sequences ---- */

enum { MAX_NUMBERS = 4, MAX_NUMBER = 99999 };

/* A control sequence: Esc [ MARK NUMBER;NUMBER... BETWEEN FINAL */
struct csi {
	unsigned char mark; /* one of <=>?, 0 for none */
	unsigned number[MAX_NUMBERS];
	size_t n_numbers;
	bool odd; /* has bytes between, or numbers within numbers */
	unsigned char final;
};

static void add_digit(struct csi *csi, unsigned digit)
{
	unsigned *number = &csi->number[csi->n_numbers - 1];

	*number = *number * 10 + digit;
	if (*number > MAX_NUMBER)
		*number = MAX_NUMBER;
}

/* final 0: what should not be there ended it. */
static size_t read_csi(const unsigned char *p, size_t n, struct csi *ret)
{
	*ret = (struct csi){ .n_numbers = 1 };
	for (size_t i = 2; i < n; i++) {
		if (p[i] >= 0x40 && p[i] <= 0x7e) {
			ret->final = p[i];
			return i + 1;
		}
		if (p[i] < 0x20 || p[i] > 0x7e)
			return i;
		if (p[i] >= '0' && p[i] <= '9')
			add_digit(ret, p[i] - (unsigned)'0');
		else if (p[i] == ';' && ret->n_numbers < MAX_NUMBERS)
			ret->n_numbers++;
		else if (p[i] >= '<' && p[i] <= '?' && i == 2)
			ret->mark = p[i];
		else
			ret->odd = true;
	}
	return 0;
}

/* As xterm numbers modifiers: 1 and a bit for each of Shift, Alt, Ctrl, Meta. */
static uint32_t mods_of(unsigned number)
{
	unsigned bits = number > 0 ? number - 1 : 0;

	return (bits & 1 ? (uint32_t)WL_MOD_SHIFT : 0) |
	       (bits & (2 | 8) ? (uint32_t)WL_MOD_ALT : 0) | (bits & 4 ? (uint32_t)WL_MOD_CTRL : 0);
}

/* By the letter that ends a sequence; 0 for none. */
static uint32_t key_of_letter(unsigned char letter)
{
	static const struct {
		unsigned char letter;
		uint32_t key;
	} table[] = {
		{ 'A', WL_KEY_UP },     { 'B', WL_KEY_DOWN },   { 'C', WL_KEY_RIGHT },
		{ 'D', WL_KEY_LEFT },   { 'H', WL_KEY_HOME },   { 'F', WL_KEY_END },
		{ 'Z', WL_KEY_BTAB },   { 'P', WL_KEY_F1 },     { 'Q', WL_KEY_F1 + 1 },
		{ 'R', WL_KEY_F1 + 2 }, { 'S', WL_KEY_F1 + 3 },
	};

	for (size_t i = 0; i < WL_COUNT(table); i++) {
		if (table[i].letter == letter)
			return table[i].key;
	}
	return 0;
}

/* By the number of a sequence that ends in "~"; 0 for none. */
static uint32_t key_of_number(unsigned number)
{
	static const uint32_t table[] = {
		[1] = WL_KEY_HOME,     [2] = WL_KEY_INSERT,  [3] = WL_KEY_DELETE,
		[4] = WL_KEY_END,      [5] = WL_KEY_PGUP,    [6] = WL_KEY_PGDN,
		[7] = WL_KEY_HOME,     [8] = WL_KEY_END,     [11] = WL_KEY_F1,
		[12] = WL_KEY_F1 + 1,  [13] = WL_KEY_F1 + 2, [14] = WL_KEY_F1 + 3,
		[15] = WL_KEY_F1 + 4,  [17] = WL_KEY_F1 + 5, [18] = WL_KEY_F1 + 6,
		[19] = WL_KEY_F1 + 7,  [20] = WL_KEY_F1 + 8, [21] = WL_KEY_F10,
		[23] = WL_KEY_F1 + 10, [24] = WL_KEY_F12,
	};

	return number < WL_COUNT(table) ? table[number] : 0;
}

/* A key without a mark. */
static void set_csi_key(const struct csi *csi, struct wl_event *ret)
{
	uint32_t mods = mods_of(csi->number[1]);

	if (csi->final >= 'a' && csi->final <= 'd' && csi->number[0] == 0) /* rxvt */
		set_key(key_of_letter((unsigned char)(csi->final - 0x20)), WL_MOD_SHIFT, ret);
	else if (csi->final == '~' && csi->number[0] == 27) /* xterm: other keys with modifiers */
		set_key(csi->number[2], mods, ret);
	else if (csi->final == '~')
		set_key(key_of_number(csi->number[0]), mods, ret);
	else if (csi->final == 'u')
		set_key(csi->number[0] == '\r' ? WL_KEY_ENTER : csi->number[0], mods, ret);
	else
		set_key(key_of_letter(csi->final), mods, ret);
}

static size_t parse_csi(struct wl_decoder *d, const unsigned char *p, size_t n, int64_t now,
			struct wl_event *ret)
{
	struct csi csi;
	size_t len;

	*ret = (struct wl_event){ .kind = WL_EVENT_NONE };
	if (n > 2 && p[2] == '[') { /* Linux console: F1 to F5 are Esc [ [ A to E */
		if (n > 3 && p[3] >= 'A' && p[3] <= 'E')
			set_key(WL_KEY_F1 + (uint32_t)p[3] - 'A', 0, ret);
		return n > 3 ? 4 : 0;
	}
	if (n > 2 && p[2] == 'M') { /* X10: three bytes, each with 32 added */
		if (n < 6)
			return 0;
		if (p[3] >= 32)
			set_mouse(d, (struct report){ p[3] - 32U, p[4] - 32, p[5] - 32, false },
				  now, ret);
		return 6;
	}
	len = read_csi(p, n, &csi);
	if (len == 0 || csi.odd || csi.final == 0)
		return len;
	if (csi.mark == '<' && (csi.final == 'M' || csi.final == 'm') && csi.n_numbers == 3)
		set_mouse(d,
			  (struct report){ csi.number[0], (int)csi.number[1], (int)csi.number[2],
					   csi.final == 'm' },
			  now, ret);
	else if (csi.mark == 0)
		set_csi_key(&csi, ret);
	return len;
}

/* Esc O, maybe a number of modifiers, and a letter: keys in application mode. */
static size_t parse_ss3(const unsigned char *p, size_t n, struct wl_event *ret)
{
	static const char keypad[] = "*+,-./0123456789"; /* j to y */
	uint32_t mods = 0;
	size_t i = 2;

	*ret = (struct wl_event){ .kind = WL_EVENT_NONE };
	if (i < n && p[i] >= '1' && p[i] <= '9')
		mods = mods_of(p[i++] - (unsigned)'0');
	if (i == n)
		return 0;
	if (p[i] < 0x40 || p[i] > 0x7e)
		return i;
	if (p[i] >= 'a' && p[i] <= 'd') /* rxvt */
		set_key(key_of_letter((unsigned char)(p[i] - 0x20)), WL_MOD_CTRL, ret);
	else if (p[i] >= 'j' && p[i] <= 'y')
		set_key((unsigned char)keypad[p[i] - 'j'], mods, ret);
	else if (p[i] == 'M')
		set_key(WL_KEY_ENTER, mods, ret);
	else
		set_key(key_of_letter(p[i]), mods, ret);
	return i + 1;
}

/* Whether what follows the Esc begins a string that ends in BEL or Esc \ */
static bool begins_string(unsigned char c)
{
	return c && strchr("]P_^X", c);
}

/* The bytes up to the end of a string, 0 where it is not there. */
static size_t string_length(const unsigned char *p, size_t n, size_t from)
{
	for (size_t i = from; i < n; i++) {
		if (p[i] == BEL)
			return i + 1;
		if (p[i] == ESC && i + 1 < n)
			return p[i + 1] == '\\' ? i + 2 : i; /* cut off by another sequence */
	}
	return 0;
}

static size_t parse(struct wl_decoder *d, const unsigned char *p, size_t n, int64_t now,
		    struct wl_event *ret)
{
	size_t len;

	*ret = (struct wl_event){ .kind = WL_EVENT_NONE };
	if (p[0] != ESC)
		return parse_plain(p, n, 0, ret);
	if (n == 1)
		return 0;
	if (p[1] == ESC) /* not Alt: a user who types Esc and then an arrow means both */
		return parse_plain(p, n, 0, ret);
	if (p[1] == '[')
		return parse_csi(d, p, n, now, ret);
	if (p[1] == 'O')
		return parse_ss3(p, n, ret);
	if (begins_string(p[1]))
		return string_length(p, n, 2);
	len = parse_plain(p + 1, n - 1, WL_MOD_ALT, ret);
	return len ? len + 1 : 0;
}

/* Of a sequence that does not fit, what began it is enough, and what may be its end. */
static void forget_middle(struct wl_decoder *d)
{
	bool may_end = d->buf[d->end - 1] == ESC;

	d->end = d->begin + 2;
	if (may_end)
		d->buf[d->end++] = ESC;
}

bool wl_decoder_next(struct wl_decoder *d, int64_t now, struct wl_event *ret)
{
	while (d->begin < d->end) {
		size_t n = d->end - d->begin;
		size_t len = parse(d, d->buf + d->begin, n, now, ret);

		if (len == 0) {
			if (n == sizeof(d->buf))
				forget_middle(d);
			return false;
		}
		d->begin += len;
		if (ret->kind != WL_EVENT_NONE)
			return true;
	}
	return false;
}

int wl_decoder_patience(const struct wl_decoder *d)
{
	size_t n = d->end - d->begin;

	return n == 0 ? 0 : n <= 2 ? WL_ESC_DELAY : WL_CUT_DELAY;
}

bool wl_decoder_give_up(struct wl_decoder *d, int64_t now, struct wl_event *ret)
{
	const unsigned char *p;
	size_t n;

	if (wl_decoder_next(d, now, ret))
		return true;
	p = d->buf + d->begin;
	n = d->end - d->begin;
	d->begin = d->end;
	*ret = (struct wl_event){ .kind = WL_EVENT_NONE };
	if (n == 1 && p[0] == ESC)
		set_key(WL_KEY_ESC, 0, ret);
	else if (n == 2 && p[0] == ESC)
		(void)parse_plain(p + 1, 1, WL_MOD_ALT, ret);
	return ret->kind != WL_EVENT_NONE;
}
