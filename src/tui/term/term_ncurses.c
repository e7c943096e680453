/* SPDX-License-Identifier: MIT */
/*
 * term_ncurses.c - the only file that knows curses, which writes and does not read.
 *
 * Curses has one screen that it knows, and so there is one terminal. What the user types
 * is read past it by tui/listen, signals come as notes of tui/rescue.
 */
#include <curses.h>

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/memory/vec.h"
#include "tui/term/clipboard.h"
#include "tui/term/ink.h"
#include "tui/term/listen.h"
#include "tui/term/rescue.h"
#include "tui/term/term.h"

/* Buttons, and moves while one is pressed; with coordinates in decimal, where it can. */
#define MOUSE_ON  "\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l"

struct wl_term {
	SCREEN *screen;
	struct wl_rescue rescue;
	struct wl_look_caps caps;
	enum wl_depth depth;
	bool light;
	bool like_xterm; /* knows the mouse and the clipboard as xterm does */
	bool mouse;
	int cols, rows;
	bool size_is_news;
	struct wl_listener listener;
	struct wl_budget budget;
	struct wl_screen shown;
	bool shown_in_colour;
	bool forgotten;                         /* what is shown */
	int pair_of_inks[WL_N_INKS][WL_N_INKS]; /* 0: not asked for yet; -1: there is none */
	struct {
		int fg, bg;
	} pair[256]; /* from 1; more than that, the old ABI does not have */
	int n_pairs;
};

static void write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, bytes, n);

		if (put < 0 && errno != EINTR)
			return;
		if (put > 0) {
			bytes += put;
			n -= (size_t)put;
		}
	}
}

static void send_sequence(const char *sequence)
{
	write_all(STDOUT_FILENO, sequence, strlen(sequence));
}

/* ---- Opening and closing ---- */

/* The capability of terminfo, without its delays, which only old hardware needs. */
static void add_capability(struct wl_rescue *r, const char *name)
{
	const char *s = tigetstr(name);

	if (!s || (intptr_t)s == -1)
		return;
	while (*s && r->n < sizeof(r->bytes)) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>') + 1;
		else
			r->bytes[r->n++] = *s++;
	}
}

static bool has_string(const char *name)
{
	const char *s = tigetstr(name);

	return s && (intptr_t)s != -1;
}

/* How many colours to use. A terminal of direct colours has no palette but the first eight. */
static enum wl_depth choose_depth(const struct wl_term_opts *opts)
{
	bool direct = tigetflag("RGB") == 1 || tigetnum("RGB") > 0 || has_string("RGB");
	bool asked = opts->colorterm && (strcmp(opts->colorterm, "truecolor") == 0 ||
					 strcmp(opts->colorterm, "24bit") == 0);

	if (opts->no_colour || !has_colors() || start_color() == ERR ||
	    use_default_colors() == ERR || COLORS < 8)
		return WL_DEPTH_MONO;
	if (direct && COLORS > 256)
		return asked ? WL_DEPTH_RGB : WL_DEPTH_8;
	return COLORS >= 256 ? WL_DEPTH_256 : COLORS >= 16 ? WL_DEPTH_16 : WL_DEPTH_8;
}

static bool ask_size(int *ret_cols, int *ret_rows)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col == 0 || w.ws_row == 0)
		return false;
	*ret_cols = w.ws_col < WL_SCREEN_MAX ? w.ws_col : WL_SCREEN_MAX;
	*ret_rows = w.ws_row < WL_SCREEN_MAX ? w.ws_row : WL_SCREEN_MAX;
	return true;
}

/* Take the size that the terminal has now. */
static void follow_size(struct wl_term *term)
{
	int cols, rows;

	if (!ask_size(&cols, &rows) || (cols == term->cols && rows == term->rows))
		return;
	term->cols = cols;
	term->rows = rows;
	(void)resize_term(rows, cols);
	term->forgotten = true;
	term->size_is_news = true;
}

static void enter(struct wl_term *term)
{
	(void)raw();
	(void)noecho();
	(void)nonl();
	(void)curs_set(0);
	if (term->mouse)
		send_sequence(MOUSE_ON);
	term->forgotten = true;
}

static void leave(struct wl_term *term)
{
	if (term->mouse)
		send_sequence(MOUSE_OFF);
	(void)curs_set(1);
	(void)endwin();
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &term->rescue.modes);
}

static int check(const struct wl_term_opts *opts, struct wl_err *reterr)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return wl_fail(reterr, WL_E_USAGE, "standard input and output must be a terminal");
	if (!opts->term || !*opts->term)
		return wl_fail(reterr, WL_E_USAGE,
			       "TERM is not set; set it to the kind of the terminal");
	if (strcmp(opts->term, "dumb") == 0)
		return wl_fail(reterr, WL_E_USAGE, "a terminal of kind \"dumb\" cannot show this");
	return 0;
}

/* Curses installs handlers of its own, which would outlive it; what was there before stays. */
static SCREEN *new_screen(const char *kind)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction found[WL_COUNT(taken)];
	SCREEN *screen;

	for (size_t i = 0; i < WL_COUNT(taken); i++)
		(void)sigaction(taken[i], NULL, &found[i]);
	screen = newterm(kind, stdout, stdin);
	for (size_t i = 0; i < WL_COUNT(taken); i++)
		(void)sigaction(taken[i], &found[i], NULL);
	return screen;
}

static int start_curses(struct wl_term *term, const struct wl_term_opts *opts,
			struct wl_err *reterr)
{
	term->screen = new_screen(opts->term);
	if (!term->screen)
		return wl_fail(reterr, WL_E_USAGE,
			       "the terminal \"%.100s\" is not known here; set TERM to another",
			       opts->term);
	if (!has_string("cup")) {
		(void)endwin();
		return wl_fail(reterr, WL_E_USAGE, "the terminal \"%.100s\" cannot show this",
			       opts->term);
	}
	(void)typeahead(-1); /* what is typed does not delay what is shown */
	term->cols = COLS;
	term->rows = LINES;
	follow_size(term);
	term->size_is_news = false;
	return 0;
}

static void look_around(struct wl_term *term, const struct wl_term_opts *opts)
{
	term->depth = choose_depth(opts);
	term->light = opts->light;
	term->caps.ascii = opts->ascii;
	term->caps.colourful = term->depth != WL_DEPTH_MONO;
	/* The Linux console has the mouse in its description, but no second screen. */
	term->like_xterm = has_string("kmous") && has_string("rmcup");
	term->mouse = term->like_xterm && !opts->no_mouse;
	if (term->like_xterm) {
		term->rescue.n = strlen(MOUSE_OFF);
		memcpy(term->rescue.bytes, MOUSE_OFF, term->rescue.n);
	}
	add_capability(&term->rescue, "sgr0");
	add_capability(&term->rescue, "cnorm");
	add_capability(&term->rescue, "rmcup");
}

int wl_term_open(const struct wl_term_opts *opts, struct wl_term **ret, struct wl_err *reterr)
{
	int r = check(opts, reterr), note_fd = -1;
	struct wl_term *term;

	if (r < 0)
		return r;
	term = calloc(1, sizeof(*term));
	if (!term)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the terminal");
	wl_screen_init(&term->shown, &term->budget);
	term->rescue.fd = STDOUT_FILENO;
	if (tcgetattr(STDIN_FILENO, &term->rescue.modes) < 0)
		r = wl_fail(reterr, WL_E_IO, "terminal: %s", strerror(errno));
	if (r == 0)
		r = start_curses(term, opts, reterr);
	if (r == 0) {
		look_around(term, opts);
		r = wl_rescue_open(&term->rescue, &note_fd, reterr);
		if (r < 0)
			leave(term);
	}
	if (r < 0) {
		if (term->screen)
			delscreen(term->screen);
		free(term);
		return r;
	}
	wl_listener_init(&term->listener, STDIN_FILENO, note_fd);
	enter(term);
	*ret = term;
	return 0;
}

void wl_term_close(struct wl_term *term)
{
	if (!term)
		return;
	leave(term);
	wl_rescue_close();
	delscreen(term->screen);
	wl_screen_release(&term->shown);
	free(term);
}

struct wl_look_caps wl_term_caps(const struct wl_term *term)
{
	return term->caps;
}

void wl_term_size(const struct wl_term *term, int *ret_cols, int *ret_rows)
{
	*ret_cols = term->cols;
	*ret_rows = term->rows;
}

void wl_term_mouse(struct wl_term *term, bool on)
{
	if (term->like_xterm && on != term->mouse)
		send_sequence(on ? MOUSE_ON : MOUSE_OFF);
	term->mouse = term->like_xterm && on;
}

void wl_term_copy(struct wl_term *term, const char *text)
{
	struct wl_vec out;

	if (!term->like_xterm)
		return;
	wl_vec_init(&out, 1, &term->budget);
	wl_clipboard_put(text, &out);
	if (!out.failed)
		write_all(STDOUT_FILENO, out.data, out.n);
	wl_vec_release(&out);
}

void wl_term_suspend(struct wl_term *term)
{
	leave(term);
	wl_rescue_stop();
	enter(term);
	follow_size(term);
	term->size_is_news = true;
}

/* ---- Showing ---- */

/* The pair of two colours, made when it is first asked for; -1 where there is no room. */
static int pair_with(struct wl_term *term, int fg, int bg)
{
	int most =
		COLOR_PAIRS < (int)WL_COUNT(term->pair) ? COLOR_PAIRS : (int)WL_COUNT(term->pair);

	if (fg == WL_PEN_OWN && bg == WL_PEN_OWN)
		return 0;
	for (int i = 1; i <= term->n_pairs; i++) {
		if (term->pair[i].fg == fg && term->pair[i].bg == bg)
			return i;
	}
	if (term->n_pairs + 1 >= most || init_extended_pair(term->n_pairs + 1, fg, bg) == ERR)
		return -1;
	term->n_pairs++;
	term->pair[term->n_pairs].fg = fg;
	term->pair[term->n_pairs].bg = bg;
	return term->n_pairs;
}

static int pair_of(struct wl_term *term, struct wl_style style, struct wl_pen pen)
{
	int *known = &term->pair_of_inks[style.fg][style.bg];
	int pair;

	if (*known)
		return *known < 0 ? 0 : *known;
	pair = pair_with(term, pen.fg, pen.bg);
	if (pair < 0) /* the foreground says more */
		pair = pair_with(term, pen.fg, WL_PEN_OWN);
	*known = pair > 0 ? pair : -1;
	return *known < 0 ? 0 : *known;
}

static attr_t attrs_of(uint8_t attrs)
{
	return (attrs & WL_ATTR_BOLD ? WA_BOLD : 0) | (attrs & WL_ATTR_REVERSE ? WA_REVERSE : 0) |
	       (attrs & WL_ATTR_UNDERLINE ? WA_UNDERLINE : 0);
}

/* Curses and the screen must agree on how wide a character is, or the line would move. */
static void put_cell(struct wl_term *term, int x, int y, const struct wl_screen_cell *c, int width,
		     enum wl_depth depth)
{
	struct wl_style style = c->style;
	struct wl_pen pen;
	wchar_t text[2] = { (wchar_t)c->cp, 0 };
	cchar_t out;
	int pair;

	if (style.fg >= WL_N_INKS || style.bg >= WL_N_INKS)
		style = WL_STYLE_PLAIN;
	pen = wl_ink_pen(style, depth, term->light);
	if (c->cp >= 0x80 && wcwidth(text[0]) != width) {
		text[0] = '?';
		if (width == 2) {
			struct wl_screen_cell rest = { ' ', style };

			put_cell(term, x + 1, y, &rest, 1, depth);
		}
	}
	pair = depth == WL_DEPTH_MONO ? 0 : pair_of(term, style, pen);
	(void)setcchar(&out, text, attrs_of(pen.attrs), (short)pair, NULL);
	(void)mvadd_wch(y, x, &out);
}

static bool is_same(const struct wl_screen_cell *a, const struct wl_screen_cell *b)
{
	return a->cp == b->cp && a->style.fg == b->style.fg && a->style.bg == b->style.bg &&
	       a->style.attrs == b->style.attrs;
}

/* Whether what is shown is known, so that it may stay where it is the same. */
static bool is_known(struct wl_term *term, const struct wl_screen *screen)
{
	if (!term->forgotten && term->shown.cols == screen->cols &&
	    term->shown.rows == screen->rows && term->shown_in_colour == screen->caps.colourful)
		return true;
	/* Without memory nothing is known the next time either. */
	term->forgotten = !wl_screen_resize(&term->shown, screen->cols, screen->rows);
	term->shown_in_colour = screen->caps.colourful;
	(void)erase();
	(void)clearok(stdscr, true);
	return false;
}

static void put_cells(struct wl_term *term, const struct wl_screen *screen, int cols, int rows)
{
	bool known = is_known(term, screen);
	enum wl_depth depth = screen->caps.colourful ? term->depth : WL_DEPTH_MONO;

	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < cols; x++) {
			size_t i = (size_t)y * (size_t)screen->cols + (size_t)x;
			const struct wl_screen_cell *c = &screen->cell[i];
			bool wide = x + 1 < screen->cols && c[1].cp == 0;

			if (c->cp == 0 || (wide && x + 1 >= cols) ||
			    (known && is_same(c, &term->shown.cell[i])))
				continue;
			put_cell(term, x, y, c, wide ? 2 : 1, depth);
		}
	}
	if (!term->forgotten && screen->cell)
		memcpy(term->shown.cell, screen->cell,
		       (size_t)screen->cols * (size_t)screen->rows * sizeof(*screen->cell));
}

void wl_term_show(struct wl_term *term, const struct wl_screen *screen)
{
	int cols = screen->cols < term->cols ? screen->cols : term->cols;
	int rows = screen->rows < term->rows ? screen->rows : term->rows;
	bool cursor = screen->cursor_x >= 0 && screen->cursor_x < cols && screen->cursor_y >= 0 &&
		      screen->cursor_y < rows;

	put_cells(term, screen, cols, rows);
	if (cursor)
		(void)move(screen->cursor_y, screen->cursor_x);
	(void)curs_set(cursor);
	(void)refresh();
}

void wl_term_forget(struct wl_term *term)
{
	term->forgotten = true;
}

/* ---- What happens ---- */

static void heed(struct wl_term *term, unsigned notes)
{
	if (notes & WL_NOTE_END)
		term->listener.gone = true;
	if (notes & WL_NOTE_STOP)
		wl_term_suspend(term);
	if (notes & WL_NOTE_CONT) {
		enter(term);
		term->size_is_news = true;
	}
	if (notes & (WL_NOTE_SIZE | WL_NOTE_CONT))
		follow_size(term);
}

void wl_term_next(struct wl_term *term, int timeout_ms, struct wl_event *ret)
{
	while (!term->size_is_news && wl_listener_next(&term->listener, timeout_ms, ret))
		heed(term, wl_rescue_notes());
	if (term->size_is_news)
		*ret = (struct wl_event){ .kind = WL_EVENT_RESIZE,
					  .cols = term->cols,
					  .rows = term->rows };
	term->size_is_news = false;
}
