/* SPDX-License-Identifier: MIT */
#include "serve/shown/templates.h"

#include <string.h>

#include "base/memory/texts.h"
#include "derive/nvtx/range_names.h"

/* The integers are differences of doubles on the other side: twice as much must be exact. */
#define MAX_INTEGER ((UINT64_C(1) << 52) - 1)

/* The digits [at, end) as a number that is written the same; false where there is none. */
static bool read_number(const char *name, size_t at, size_t end, uint64_t *ret)
{
	uint64_t v = 0;

	if (name[at] == '0' && end - at > 1)
		return false;
	for (; at < end; at++) {
		v = v * 10 + (uint64_t)(name[at] - '0');
		if (v > MAX_INTEGER)
			return false;
	}
	*ret = v;
	return true;
}

/* The next number that leaves the name, from byte at on: where it begins and ends. */
static bool find_number(const char *name, size_t at, size_t *ret_begin, size_t *ret_end,
			uint64_t *ret)
{
	for (size_t i = at, end; name[i]; i = end) {
		if (wl_label_part(name, i, &end) == WL_LABEL_NUMBER &&
		    read_number(name, i, end, ret)) {
			*ret_begin = i;
			*ret_end = end;
			return true;
		}
	}
	return false;
}

bool wl_template_integer(const char *name, size_t *at, uint64_t *ret)
{
	size_t begin;

	/* Looked for once: after an integer there is none. */
	return (*at > 0 || !strchr(name, '#')) && find_number(name, *at, &begin, at, ret);
}

static void double_signs(const char *name, char *buf)
{
	for (; *name; name++) {
		if (*name == '#')
			*buf++ = '#';
		*buf++ = *name;
	}
	*buf = '\0';
}

void wl_template_write(const char *name, char *buf)
{
	size_t at = 0, begin, end;
	uint64_t number;

	if (strchr(name, '#')) {
		double_signs(name, buf);
		return;
	}
	for (; find_number(name, at, &begin, &end, &number); at = end) {
		buf = mempcpy(buf, name + at, begin - at);
		*buf++ = '#';
	}
	(void)stpcpy(buf, name + at);
}

/* What the template takes, with its terminator, and how many integers leave the name. */
static size_t measure(const char *name, size_t *n_integers)
{
	size_t size = strlen(name) + 1, at = 0;
	uint64_t v;

	for (const char *c = strchr(name, '#'); c; c = strchr(c + 1, '#'))
		size++;
	while (wl_template_integer(name, &at, &v))
		++*n_integers;
	return size;
}

static const char **write_all(const struct wl_names *names, struct wl_arena *arena,
			      size_t *n_integers)
{
	const char **text = WL_NEW(arena, const char *, names->n + 1);

	for (size_t i = 0; text && i < names->n; i++) {
		char *t = WL_NEW(arena, char, measure(names->at[i].text, n_integers));

		if (!t)
			return NULL;
		wl_template_write(names->at[i].text, t);
		text[i] = t;
	}
	return text;
}

bool wl_templates_find(const struct wl_names *names, struct wl_arena *arena,
		       struct wl_templates *ret)
{
	size_t n_integers = 0, n = 0;
	const char **text = write_all(names, arena, &n_integers);
	uint32_t *first = text ? wl_texts_merge(text, names->n, arena) : NULL;
	uint32_t *of_name = WL_NEW(arena, uint32_t, names->n + 1);

	if (!first || !of_name)
		return false;
	for (size_t i = 0; i < names->n; i++) {
		if (first[i] != i) {
			of_name[i] = of_name[first[i]];
			continue;
		}
		text[n] = text[i];
		of_name[i] = (uint32_t)n++;
	}
	*ret = (struct wl_templates){ n, text, of_name, n_integers };
	return true;
}
