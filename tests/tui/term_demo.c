/* SPDX-License-Identifier: MIT */
/*
 * term_demo.c - shows a screen on the terminal and reports events, so that the terminal
 * can be tested without anything else. The environment and --ascii, --no-mouse and
 * --light are read as the program reads them.
 *
 * Keys: q leaves, C-z stops, C-l redraws; G, R and N die of a signal, an abort and a bad
 * address; W reads behind the end of a file that shrank; T copies a text, V switches the
 * mouse, U the colours, X the cursor.
 */
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/map.h"
#include "tui/term/term.h"

enum { N_LINES = 12 };

struct demo {
	struct wl_term *term;
	struct wl_screen screen;
	char line[N_LINES][80]; /* of what happened, the last one last */
	int n_events;
	bool mouse, cursor, done;
	struct wl_map map;
	volatile int *nowhere;
};

static void note(struct demo *d, const char *text)
{
	memmove(d->line[0], d->line[1], sizeof(d->line) - sizeof(d->line[0]));
	(void)snprintf(d->line[N_LINES - 1], sizeof(d->line[0]), "%d: %s", ++d->n_events, text);
}

static void draw_inks(struct demo *d, int y)
{
	for (int ink = 0; ink < WL_N_INKS; ink++) {
		struct wl_style style = { (uint8_t)ink, WL_INK_DEFAULT, 0 };
		struct wl_style pair = { (uint8_t)ink, (uint8_t)((ink + 3) % WL_N_COLOURS), 0 };

		(void)wl_screen_print(&d->screen, 3 * ink, y, 3, style, "%X\xe2\x96\x88",
				      (unsigned)ink);
		wl_screen_put(&d->screen, 3 * ink, y + 1, 0x258c, pair);
	}
}

static void draw(struct demo *d)
{
	static const struct wl_style title = { WL_INK_TITLE, WL_INK_DEFAULT, WL_ATTR_REVERSE };
	struct wl_screen *s = &d->screen;
	int cols, rows;

	wl_term_size(d->term, &cols, &rows);
	if (!wl_screen_resize(s, cols, rows))
		return;
	wl_screen_fill(s, 0, 0, cols, 1, title);
	(void)wl_screen_print(s, 0, 0, cols, title, " demo %dx%d %s %s", cols, rows,
			      s->caps.ascii ? "ascii" : "utf8",
			      s->caps.colourful ? "colour" : "mono");
	draw_inks(d, 1);
	(void)wl_screen_text(
		s, 0, 3, cols, WL_STYLE_PLAIN,
		"text \xe2\x96\x87\xe2\x94\x80\xe2\x96\xb8 wide \xe4\xb8\x80\xe4\xba\x8c|"
		" esc \033[31m end");
	for (int i = 0; i < N_LINES; i++)
		(void)wl_screen_text(s, 0, 4 + i, cols, WL_STYLE_PLAIN, d->line[i]);
	wl_screen_put(s, cols - 1, rows - 1, '$', WL_STYLE_PLAIN);
	if (d->cursor) {
		s->cursor_x = 7;
		s->cursor_y = 3;
	}
	wl_term_show(d->term, s);
}

/* Map a file, shorten it, and look behind its end: base/map repairs that, and nothing is seen. */
static void read_behind_the_end(struct demo *d)
{
	char path[] = "/tmp/term_demo.XXXXXX";
	int fd = mkstemp(path);
	struct wl_err err;

	if (fd < 0 || ftruncate(fd, 65536) < 0 || wl_map_open(path, &d->map, &err) < 0 ||
	    ftruncate(fd, 0) < 0) {
		note(d, "no file");
		return;
	}
	(void)unlink(path);
	(void)close(fd);
	note(d, d->map.data[60000] == 0 && !wl_map_is_whole(&d->map) ? "repaired" : "whole");
}

static void on_key(struct demo *d, uint32_t key)
{
	char buf[WL_KEY_NAME_BUF], text[64];

	(void)snprintf(text, sizeof(text), "key %s", wl_key_name(key, buf));
	note(d, text);
	if (key == 'q')
		d->done = true;
	else if (key == ('z' | WL_MOD_CTRL))
		wl_term_suspend(d->term);
	else if (key == ('l' | WL_MOD_CTRL))
		wl_term_forget(d->term);
	else if (key == 'G')
		(void)raise(SIGSEGV);
	else if (key == 'R')
		abort();
	else if (key == 'N')
		d->n_events = *d->nowhere;
	else if (key == 'W')
		read_behind_the_end(d);
	else if (key == 'T')
		wl_term_copy(d->term, "copied text");
	else if (key == 'V')
		wl_term_mouse(d->term, d->mouse = !d->mouse);
	else if (key == 'U')
		d->screen.caps.colourful = !d->screen.caps.colourful;
	else if (key == 'X')
		d->cursor = !d->cursor;
}

static void on_mouse(struct demo *d, const struct wl_event *e)
{
	static const char *const words[] = { "press", "release", "drag", "wheelup", "wheeldown" };
	char text[80];

	(void)snprintf(text, sizeof(text), "%s%s%s%s button %d clicks %d at %d,%d",
		       e->mods & WL_MOD_CTRL ? "C-" : "", e->mods & WL_MOD_ALT ? "A-" : "",
		       e->mods & WL_MOD_SHIFT ? "S-" : "", words[e->mouse], e->button, e->clicks,
		       e->x, e->y);
	note(d, text);
}

static void run(struct demo *d)
{
	while (!d->done) {
		struct wl_event e;
		char text[64];

		draw(d);
		wl_term_next(d->term, 1000, &e);
		if (e.kind == WL_EVENT_KEY)
			on_key(d, e.key);
		else if (e.kind == WL_EVENT_MOUSE)
			on_mouse(d, &e);
		else if (e.kind == WL_EVENT_QUIT)
			d->done = true;
		else if (e.kind == WL_EVENT_RESIZE) {
			(void)snprintf(text, sizeof(text), "size %dx%d", e.cols, e.rows);
			note(d, text);
		}
	}
}

int main(int argc, char **argv)
{
	struct wl_budget budget = { 0 };
	struct demo d = { .mouse = true, .nowhere = (volatile int *)8 };
	struct wl_err err;
	struct wl_term_opts opts = { .term = getenv("TERM"), .colorterm = getenv("COLORTERM") };
	const char *no_colour = getenv("NO_COLOR");

	(void)setlocale(LC_CTYPE, "");
	opts.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	opts.no_colour = no_colour && *no_colour;
	for (int i = 1; i < argc; i++) {
		opts.ascii |= strcmp(argv[i], "--ascii") == 0;
		opts.no_mouse |= strcmp(argv[i], "--no-mouse") == 0;
		opts.light |= strcmp(argv[i], "--light") == 0;
	}
	if (wl_term_open(&opts, &d.term, &err) < 0) {
		(void)fprintf(stderr, "demo: %s\n", err.msg);
		return 2;
	}
	wl_screen_init(&d.screen, &budget);
	d.screen.caps = wl_term_caps(d.term);
	run(&d);
	wl_map_close(&d.map);
	wl_screen_release(&d.screen);
	wl_term_close(d.term);
	(void)puts("bye");
	return 0;
}
