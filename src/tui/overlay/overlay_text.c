/* SPDX-License-Identifier: MIT */
/* overlay_text.c - a text that is read: scrolled, searched. */
#include <string.h>
#include <strings.h>

#include "base/text/utf8.h"
#include "tui/overlay/overlay.h"
#include "tui/term/line_edit.h"

struct text_line {
	const char *at;
	size_t n;   /* bytes */
	int indent; /* cells before it: of a line that goes on, where its last column begins */
};

struct text {
	struct wl_overlay base;
	const char *title, *text;
	struct text_line *line; /* as they were wrapped last, at most cap */
	size_t n, cap;
	int width;     /* for which they were; 0: not yet */
	size_t first;  /* line that is seen first */
	size_t height; /* lines that were seen last time */
	struct wl_overlay_box box;
	bool is_typing;
	struct wl_line_edit find; /* "": nothing is looked for */
	size_t hit;               /* line of the last hit */
};

/* How many bytes of a line fit into width cells, ending at a blank where there is one. */
static size_t fit(const char *at, size_t n, int width)
{
	size_t i = 0, blank = 0;
	int used = 0;

	while (i < n) {
		uint32_t cp;
		size_t step = wl_utf8_decode(at + i, n - i, &cp);

		used += cp == WL_UTF8_INVALID ? 1 : wl_utf8_cp_width(cp);
		if (used > width)
			return blank > 0 ? blank : i > 0 ? i : step;
		if (cp == ' ')
			blank = i;
		i += step;
	}
	return n;
}

/*
 * Where the last column of a line begins, in cells: behind two blanks or more that follow a word.
 * Texts are ours, with a table of keys or facts; a column in the right half leaves no room.
 */
static int hang_of(const char *at, size_t n, int width)
{
	size_t i = 0, column;
	int cells = 0;

	while (i < n && at[i] == ' ')
		i++;
	column = i;
	for (size_t k = i; k + 2 < n; k++) {
		if (at[k] != ' ' && at[k + 1] == ' ' && at[k + 2] == ' ') {
			for (column = k + 1; column < n && at[column] == ' ';)
				column++;
			break;
		}
	}
	for (i = 0; i < column && i < n;) {
		uint32_t cp;

		i += wl_utf8_decode(at + i, n - i, &cp);
		cells += cp == WL_UTF8_INVALID ? 1 : wl_utf8_cp_width(cp);
	}
	return cells <= width / 2 ? cells : 0;
}

/* Each byte begins a line at most, and a line more ends the text: see the room made for them. */
static void wrap(struct text *t, int width)
{
	const char *at = t->text;
	int indent = 0, hang = 0;

	t->n = 0;
	t->width = width;
	while (*at && t->n < t->cap) {
		size_t n = strcspn(at, "\n"), taken = fit(at, n, width - indent);

		if (indent == 0)
			hang = hang_of(at, n, width);
		t->line[t->n++] = (struct text_line){ at, taken, indent };
		at += taken;
		if (taken < n)
			at += strspn(at, " ");
		indent = taken < n ? hang : 0;
		at += *at == '\n';
	}
}

static size_t last_first(const struct text *t)
{
	return t->n > t->height ? t->n - t->height : 0;
}

static bool has(const struct text_line *line, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; n > 0 && i + n <= line->n; i++) {
		if (strncasecmp(line->at + i, what, n) == 0)
			return true;
	}
	return false;
}

static void go_to(struct text *t, size_t line)
{
	t->hit = line;
	t->first = line > t->height / 3 ? line - t->height / 3 : 0;
	if (t->first > last_first(t))
		t->first = last_first(t);
}

/* The next hit from a line on, round the end. */
static void find(struct text *t, size_t from, bool backwards)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t l = backwards ? (from + t->n - i) % t->n : (from + i) % t->n;

		if (has(&t->line[l], t->find.text)) {
			go_to(t, l);
			return;
		}
	}
}

static void draw_line(const struct text *t, struct wl_screen *s, const struct wl_overlay_box *box,
		      int row, const struct text_line *line)
{
	struct wl_style style = WL_STYLE_PLAIN;
	char buf[WL_LINE_CAP];
	size_t n = line->n < sizeof(buf) ? line->n : sizeof(buf) - 1;

	memcpy(buf, line->at, n);
	buf[n] = '\0';
	if (t->find.n > 0 && has(line, t->find.text))
		style.attrs |= WL_ATTR_REVERSE;
	(void)wl_screen_text(s, box->x + line->indent, box->y + row, box->width - line->indent,
			     style, buf);
}

int wl_text_width(const struct wl_screen *s)
{
	enum { WIDEST = 140, MARGIN = 4 };
	int width = s->cols - MARGIN;

	return width < 1 ? 0 : width < WIDEST ? width : WIDEST;
}

static void draw(struct wl_overlay *o, struct wl_screen *s)
{
	struct text *t = (struct text *)o;
	const char *hint = "arrows scroll  / find  n N next  Esc close";
	int width = wl_text_width(s);
	struct wl_overlay_box box;

	if (width < 1)
		return;
	if (t->width != width)
		wrap(t, width);
	box = wl_overlay_frame(s, t->title, t->is_typing ? "" : hint, width,
			       t->n < 4096 ? (int)t->n : 4096);
	t->box = box;
	t->height = (size_t)box.height;
	if (t->first > last_first(t))
		t->first = last_first(t);
	for (int row = 0; row < box.height && t->first + (size_t)row < t->n; row++)
		draw_line(t, s, &box, row, &t->line[t->first + (size_t)row]);
	if (t->is_typing) {
		wl_screen_put(s, box.x, box.y + box.height, '/', WL_STYLE_PLAIN);
		wl_line_edit_draw(&t->find, s, box.x + 1, box.y + box.height, box.width - 1,
				  WL_STYLE_PLAIN);
	}
}

static void type(struct text *t, uint32_t k)
{
	if (k == WL_KEY_ENTER || k == WL_KEY_ESC) {
		t->is_typing = false;
		if (k == WL_KEY_ESC)
			wl_line_edit_init(&t->find, "");
	} else if (wl_line_edit_key(&t->find, k) == WL_EDIT_CHANGED && t->find.n > 0) {
		find(t, t->first, false);
	}
}

static uint32_t as_arrow(uint32_t k)
{
	switch (k) {
	case 'j':
		return WL_KEY_DOWN;
	case 'k':
		return WL_KEY_UP;
	case ' ':
		return WL_KEY_PGDN;
	case 'g':
		return WL_KEY_HOME;
	case 'G':
		return WL_KEY_END;
	default:
		return k;
	}
}

static bool key(struct wl_overlay *o, uint32_t k)
{
	struct text *t = (struct text *)o;

	if (t->is_typing) {
		type(t, k);
		return true;
	}
	if (k == WL_KEY_ESC && t->find.n > 0) {
		wl_line_edit_init(&t->find, "");
		return true;
	}
	if (k == WL_KEY_ESC || k == 'q' || k == 'h' || k == '?' || k == WL_KEY_ENTER)
		return false;
	if (k == '/') {
		t->is_typing = true;
		wl_line_edit_init(&t->find, "");
	} else if ((k == 'n' || k == 'N') && t->find.n > 0 && t->n > 0) {
		find(t, k == 'n' ? t->hit + 1 : t->hit + t->n - 1, k == 'N');
	} else {
		(void)wl_scroll_key(as_arrow(k), last_first(t) + 1, t->height, &t->first);
	}
	return true;
}

static bool mouse(struct wl_overlay *o, const struct wl_event *e)
{
	struct text *t = (struct text *)o;

	if (e->mouse == WL_MOUSE_PRESS)
		return wl_overlay_box_has(&t->box, e->x, e->y);
	for (int i = 0; i < 3; i++) {
		if (e->mouse == WL_MOUSE_WHEEL_UP)
			(void)wl_scroll_key(WL_KEY_UP, last_first(t) + 1, 1, &t->first);
		else if (e->mouse == WL_MOUSE_WHEEL_DOWN)
			(void)wl_scroll_key(WL_KEY_DOWN, last_first(t) + 1, 1, &t->first);
	}
	return true;
}

static const struct wl_overlay_ops ops = {
	.name = "text", .draw = draw, .key = key, .mouse = mouse
};

/* Texts are of our own making; a line of many thousand characters is cut, not drawn in full. */
enum { MAX_LINES = 1 << 16 };

struct wl_overlay *wl_text_new(const char *title, const char *text, struct wl_budget *budget)
{
	struct text *t = wl_overlay_alloc(&ops, sizeof(*t), budget);
	struct wl_arena *arena;

	if (!t)
		return NULL;
	arena = &t->base.arena;
	t->cap = strlen(text) + 1;
	if (t->cap > MAX_LINES)
		t->cap = MAX_LINES;
	t->title = wl_arena_strdup(arena, title);
	t->text = wl_arena_strdup(arena, text);
	t->line = WL_NEW(arena, struct text_line, t->cap);
	t->height = 1;
	if (!t->title || !t->text || !t->line) {
		wl_overlay_free(&t->base);
		return NULL;
	}
	return &t->base;
}
