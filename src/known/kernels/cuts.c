/* SPDX-License-Identifier: MIT */
#include "known/kernels/cuts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/memory/texts.h"
#include "base/text/utf8.h"
#include "known/kernels/forks.h"

/* The distinct names, in order. */
struct cutting {
	const struct wl_cut_opts *opts;
	struct wl_arena *arena;
	const char **name;
	const char **cut;
	size_t n;
	bool **keep; /* by name and byte: what must stay; whole characters are looked at */
};

/* A name on its way to a width: the columns that its kept characters and ellipses take. */
struct fitting {
	const char *name;
	size_t length, columns, dots;
	bool *keep;
};

/* The columns of the character at a byte, and how many bytes it has. */
static size_t columns_at(const char *s, size_t *ret_bytes)
{
	const char *next = s;
	uint32_t cp = wl_utf8_next(&next);

	*ret_bytes = (size_t)(next - s);
	/* What would reorder text is shown as a replacement. */
	return wl_utf8_is_bidi(cp) ? 1 : (size_t)wl_utf8_cp_width(cp);
}

/* The beginning of the character that has byte i. */
static size_t character_of(const char *s, size_t i)
{
	while (i > 0 && ((unsigned char)s[i] & 0xC0) == 0x80)
		i--;
	return i;
}

static bool starts_gap(const struct fitting *f, size_t i)
{
	return i < f->length && !f->keep[i] && (i == 0 || f->keep[i - 1]);
}

/* Keep the bytes from a up to b, whole characters, if they fit. Linear in b - a. */
static bool fill(struct fitting *f, size_t a, size_t b, size_t width)
{
	size_t columns = f->columns, bytes;

	for (size_t i = a; i < b; i += bytes) {
		size_t w = columns_at(f->name + i, &bytes);

		columns += f->keep[i] ? 0 : w;
		columns -= starts_gap(f, i) ? f->dots : 0;
	}
	if (b < f->length && !f->keep[b] && f->keep[b - 1])
		columns -= f->dots; /* counted again below */
	if (b < f->length && !f->keep[b])
		columns += f->dots;
	if (columns > width)
		return false;
	memset(f->keep + a, true, b - a);
	f->columns = columns;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The columns of what is kept. */
static size_t measure(const struct fitting *f)
{
	size_t columns = 0, bytes;

	for (size_t i = 0; i < f->length; i += bytes) {
		size_t w = columns_at(f->name + i, &bytes);

		columns += f->keep[i] ? w : starts_gap(f, i) ? f->dots : 0;
	}
	return columns;
}

/* Keep characters from the beginning while they fit. */
static void grow_head(struct fitting *f, size_t width)
{
	size_t bytes;

	for (size_t i = 0; i < f->length; i += bytes) {
		(void)columns_at(f->name + i, &bytes);
		if (!f->keep[i] && !fill(f, i, i + bytes, width))
			break;
	}
}

/* Keep the beginning and the end, half of the room for either. */
static void grow_ends(struct fitting *f, size_t width)
{
	size_t room = width > f->dots ? width - f->dots : 0;

	grow_head(f, width - room / 2);
	for (size_t end = f->length, i; end > 0; end = i) {
		i = character_of(f->name, end - 1);
		if (f->keep[i] || !fill(f, i, end, width))
			break;
	}
}

/* Whether all that must stay is at the beginning. */
static bool is_head_only(const struct fitting *f)
{
	size_t i = 0;

	while (i < f->length && f->keep[i])
		i++;
	while (i < f->length && !f->keep[i])
		i++;
	return i == f->length;
}

/* Whole words around what must stay, then the rest from the beginning or from both ends. */
static void grow(struct fitting *f, size_t width)
{
	for (size_t i = 0, end; i<f->length; i = end> i ? end : i + 1) {
		bool must = false;

		for (end = i; end < f->length && is_word(f->name[end]); end++)
			must |= f->keep[end];
		if (must)
			(void)fill(f, i, end, width);
	}
	if (is_head_only(f))
		grow_ends(f, width);
	else
		grow_head(f, width);
}

/* Write what is kept; NULL without memory. */
static const char *join(const struct cutting *c, const struct fitting *f)
{
	const char *dots = c->opts->ascii ? "..." : "\u2026";
	size_t bytes = 1;
	char *text, *at;

	for (size_t i = 0; i < f->length; i++)
		bytes += f->keep[i] ? 1 : starts_gap(f, i) ? strlen(dots) : 0;
	text = WL_NEW(c->arena, char, bytes);
	at = text;
	for (size_t i = 0; text && i < f->length; i++) {
		if (f->keep[i])
			*at++ = f->name[i];
		else if (starts_gap(f, i))
			at = stpcpy(at, dots);
	}
	return text;
}

/* The beginning of a name, and its number. */
static const char *number(const struct cutting *c, size_t i)
{
	const char *dots = c->opts->ascii ? "..." : "\u2026";
	size_t n_dots = c->opts->ascii ? 3 : 1, width = c->opts->width, used = 0, bytes, end = 0;
	char tail[32], *text;

	(void)snprintf(tail, sizeof(tail), "#%zu", i + 1);
	width = width > n_dots + strlen(tail) ? width - n_dots - strlen(tail) : 0;
	for (; c->name[i][end]; end += bytes) {
		used += columns_at(c->name[i] + end, &bytes);
		if (used > width)
			break;
	}
	text = WL_NEW(c->arena, char, end + strlen(dots) + strlen(tail) + 1);
	if (!text)
		return NULL;
	memcpy(text, c->name[i], end);
	(void)stpcpy(stpcpy(text + end, width ? dots : ""), tail);
	return text;
}

static bool cut_one(struct cutting *c, size_t i)
{
	struct fitting f = { .name = c->name[i],
			     .length = strlen(c->name[i]),
			     .dots = c->opts->ascii ? 3 : 1,
			     .keep = c->keep[i] };

	if (wl_utf8_width(f.name) <= c->opts->width) {
		c->cut[i] = f.name;
		return true;
	}
	f.columns = measure(&f);
	if (f.columns > c->opts->width) {
		c->cut[i] = number(c, i);
		return c->cut[i] != NULL;
	}
	grow(&f, c->opts->width);
	c->cut[i] = join(c, &f);
	return c->cut[i] != NULL;
}

static void keep_character(void *ctx, size_t i, uint32_t at)
{
	const struct cutting *c = ctx;
	size_t bytes;

	if (c->name[i][at] == '\0')
		return; /* it ends where others go on */
	(void)columns_at(c->name[i] + at, &bytes);
	memset(c->keep[i] + at, true, bytes);
}

static size_t count_shared(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	/* A character that differs in its last byte differs as a whole. */
	return character_of(a, n) < character_of(b, n) ? character_of(a, n) : character_of(b, n);
}

static bool mark(struct cutting *c)
{
	uint32_t *shared = WL_NEW(c->arena, uint32_t, c->n);
	uint32_t *stack = WL_NEW(c->arena, uint32_t, c->n);

	c->keep = WL_NEW(c->arena, bool *, c->n);
	if (!shared || !stack || !c->keep)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		c->keep[i] = WL_NEW(c->arena, bool, strlen(c->name[i]) + 1);
		if (!c->keep[i])
			return false;
		if (i > 0)
			shared[i] = (uint32_t)count_shared(c->name[i - 1], c->name[i]);
	}
	wl_forks_mark(shared, c->n, stack, keep_character, c);
	return true;
}

/* Which names look like another one; false without memory. */
static bool find_alike(const struct cutting *c, bool *ret_alike, size_t *ret_n)
{
	const uint32_t *first = wl_texts_merge(c->cut, c->n, c->arena);

	*ret_n = 0;
	if (!first)
		return false;
	memset(ret_alike, 0, c->n * sizeof(*ret_alike));
	for (size_t i = 0; i < c->n; i++) {
		if (first[i] != i) {
			ret_alike[i] = ret_alike[first[i]] = true;
			++*ret_n;
		}
	}
	return true;
}

/*
 * Forks tell names apart if all are cut at the same places. Growing may undo that, and so may
 * a name with an ellipsis of its own: what looks alike gets a number, in the end all do.
 */
static bool settle(struct cutting *c)
{
	bool *alike = WL_NEW(c->arena, bool, c->n + 1);
	size_t n_alike = 1;

	for (int round = 0; alike && n_alike && round < 3; round++) {
		if (!find_alike(c, alike, &n_alike))
			return false;
		for (size_t i = 0; n_alike && i < c->n; i++) {
			if (round < 2 && !alike[i])
				continue;
			c->cut[i] = number(c, i);
			if (!c->cut[i])
				return false;
		}
	}
	return alike != NULL;
}

static bool name_less(const void *ctx, uint32_t a, uint32_t b)
{
	const char *const *name = ctx;

	return strcmp(name[a], name[b]) < 0;
}

/* The distinct names in order, and by name which of them it is; false without memory. */
static bool sort_names(struct cutting *c, const char *const *name, size_t n, uint32_t *which)
{
	uint32_t *order = WL_NEW(c->arena, uint32_t, 2 * n);

	c->name = WL_NEW(c->arena, const char *, n);
	if (!order || !c->name)
		return false;
	wl_sort_all(order, n, name_less, name);
	for (size_t i = 0; i < n; i++) {
		const char *text = name[order[i]];

		if (c->n == 0 || strcmp(c->name[c->n - 1], text) != 0)
			c->name[c->n++] = text;
		which[order[i]] = (uint32_t)(c->n - 1);
	}
	return true;
}

static bool all_fit(const char *const *name, size_t n, size_t width)
{
	for (size_t i = 0; i < n; i++) {
		if (wl_utf8_width(name[i]) > width)
			return false;
	}
	return true;
}

bool wl_names_cut(const char *const *name, size_t n, const struct wl_cut_opts *opts,
		  struct wl_arena *arena, const char **ret)
{
	struct cutting c = { .opts = opts, .arena = arena };
	uint32_t *which;

	if (n == 0 || all_fit(name, n, opts->width)) {
		memmove(ret, name, n * sizeof(*ret));
		return true;
	}
	which = WL_NEW(arena, uint32_t, n);
	if (!which || !sort_names(&c, name, n, which) || !mark(&c))
		return false;
	c.cut = WL_NEW(arena, const char *, c.n);
	if (!c.cut)
		return false;
	for (size_t i = 0; i < c.n; i++) {
		if (!cut_one(&c, i))
			return false;
	}
	if (!settle(&c))
		return false;
	for (size_t i = 0; i < n; i++)
		ret[i] = c.cut[which[i]];
	return true;
}
