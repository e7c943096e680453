/* SPDX-License-Identifier: MIT */
#include "agent/skills/template.h"

#include <string.h>

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

const char *wl_template_next(const char *text, size_t *ret_n)
{
	for (const char *open = strchr(text, '{'); open; open = strchr(open + 1, '{')) {
		size_t n = strspn(open + 1, NAME_CHARS);

		/* {3} is a quantifier in a pattern. */
		if (n == 0 || open[1 + n] != '}' || strchr("0123456789", open[1]))
			continue;
		*ret_n = n;
		return open;
	}
	return NULL;
}

/* A growing text. */
struct text {
	struct wl_arena *arena;
	char *bytes; /* NULL: memory ran out */
	size_t n, cap;
};

static void put(struct text *t, const char *bytes, size_t n)
{
	if (!t->bytes)
		return;
	if (t->n + n + 1 > t->cap) {
		size_t cap = (t->n + n + 1) * 2;
		char *more = wl_arena_calloc(t->arena, cap, 1);

		if (more)
			memcpy(more, t->bytes, t->n);
		t->bytes = more;
		t->cap = cap;
	}
	if (t->bytes)
		memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static void put_value(struct text *t, const char *value, bool quoted)
{
	if (!quoted) {
		put(t, value, strlen(value));
		return;
	}
	put(t, "\"", 1);
	for (; *value; value++) {
		if (*value == '"')
			put(t, "\"", 1);
		put(t, value, 1);
	}
	put(t, "\"", 1);
}

const char *wl_template_fill(const char *text, wl_template_value *value, void *ctx, bool quoted,
			     struct wl_arena *arena)
{
	struct text t = { .arena = arena, .cap = strlen(text) + 64 };
	const char *open;
	size_t n;

	t.bytes = wl_arena_calloc(arena, t.cap, 1);
	while ((open = wl_template_next(text, &n))) {
		const char *found = value(ctx, open + 1, n);

		put(&t, text, (size_t)(open - text));
		if (found)
			put_value(&t, found, quoted);
		else
			put(&t, open, n + 2);
		text = open + n + 2;
	}
	put(&t, text, strlen(text));
	if (t.bytes)
		t.bytes[t.n] = '\0';
	return t.bytes;
}
