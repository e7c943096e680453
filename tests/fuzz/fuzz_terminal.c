/* SPDX-License-Identifier: MIT */
/*
 * fuzz_terminal.c - the bytes come from a terminal, are a script of events, and stand as a
 * name in a trace.
 *
 * Whatever comes is keys that have names, or nothing, and all of it is used up. Whatever is
 * drawn leaves no byte on the terminal that is a command.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tui/term/decode.h"
#include "tui/term/dump.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void check_event(const struct wl_event *e)
{
	char buf[WL_KEY_NAME_BUF];

	if (e->kind == WL_EVENT_KEY) {
		const char *name = wl_key_name(e->key, buf);

		need(wl_key_parse(name, strlen(name)) == e->key);
	} else if (e->kind == WL_EVENT_MOUSE) {
		need(e->x >= 0 && e->y >= 0 && e->x < WL_SCREEN_MAX && e->y < WL_SCREEN_MAX);
	}
}

/* The first byte says how many come at a time. */
static void decode(const uint8_t *data, size_t size)
{
	struct wl_decoder d;
	struct wl_event e;
	size_t step = size > 0 ? data[0] % 16 + 1U : 1;

	wl_decoder_init(&d);
	for (size_t i = 0; i < size; i += step) {
		size_t room, n = size - i < step ? size - i : step;
		unsigned char *at = wl_decoder_room(&d, &room);

		need(room > 0);
		n = n < room ? n : room;
		memcpy(at, data + i, n);
		wl_decoder_add(&d, n);
		while (wl_decoder_next(&d, (int64_t)i, &e))
			check_event(&e);
	}
	while (wl_decoder_give_up(&d, 0, &e))
		check_event(&e);
	need(wl_decoder_patience(&d) == 0);
}

static void run_script(const char *text)
{
	struct wl_script_pos pos = { text, 0 };
	struct wl_event e;
	const char *bad;

	while (wl_script_next(&pos, &e, &bad))
		check_event(&e);
	need(!bad || (bad >= text && bad <= text + strlen(text)));
}

static void draw(const char *text, size_t size, bool ascii)
{
	struct wl_budget budget = { 0 };
	struct wl_screen s;
	struct wl_vec out;
	const unsigned char *p;

	wl_screen_init(&s, &budget);
	s.caps.ascii = ascii;
	need(wl_screen_resize(&s, 20, 4));
	(void)wl_screen_text(&s, -3, 0, 30, WL_STYLE_PLAIN, text);
	need(wl_screen_label(&s, 1, 1, 10, WL_STYLE_PLAIN, text) <= 10);
	for (size_t i = 0; i + 1 < size; i += 2)
		(void)wl_screen_text(&s, (text[i] & 31) - 4, 2, 3, WL_STYLE_PLAIN, text + i);
	wl_vec_init(&out, 1, &budget);
	wl_dump_cells(&s, &out);
	p = out.data;
	for (size_t i = 0; i < out.n; i++)
		need(p[i] == '\n' || (p[i] >= ' ' && p[i] != 127 && (p[i] < 128 || !ascii)));
	wl_vec_release(&out);
	wl_screen_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	need(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	decode(data, size);
	run_script(text);
	draw(text, strlen(text), false);
	draw(text, strlen(text), true);
	free(text);
	return 0;
}
