/* SPDX-License-Identifier: MIT */
#include "cli/help/prose.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/explain/explanation.h"
#include "base/text/clean.h"
#include "cli/help/wrap.h"

enum { PROSE = 2, CODE = 4 };

/* Where a page goes, and whether a fence is open. */
struct page {
	FILE *out;
	bool is_code;
};

static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

static bool is_item(const char *line)
{
	return strncmp(line, "- ", 2) == 0;
}

/* All lines up to one that is blank, a heading, a fence or the next item. */
static size_t paragraph_length(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != '\n' && text[n] != '#' && strncmp(text + n, "```", 3) != 0 &&
	       (n == 0 || !is_item(text + n))) {
		n += line_length(text + n);
		n += text[n] == '\n';
	}
	return n;
}

/* "[text](address)" becomes "text": nothing on a terminal follows the address. */
static void drop_links(char *text)
{
	char *to = text;

	while (*text) {
		char *middle = *text == '[' ? strstr(text, "](") : NULL;
		char *end = middle ? strchr(middle, ')') : NULL;

		if (!end || memchr(text + 1, '[', (size_t)(middle - text - 1))) {
			*to++ = *text++;
			continue;
		}
		memmove(to, text + 1, (size_t)(middle - text - 1));
		to += middle - text - 1;
		text = end + 1;
	}
	*to = '\0';
}

static bool put_paragraph(struct page *p, const char *text, size_t n)
{
	char *copy = strndup(text, n);

	if (!copy)
		return false;
	drop_links(copy);
	(void)fprintf(p->out, "%*s", PROSE, "");
	wl_wrap(p->out, copy, PROSE, is_item(copy) ? CODE : PROSE);
	free(copy);
	return true;
}

/* Print what begins at text; returns its bytes, 0 without memory. */
static size_t put_block(struct page *p, const char *text)
{
	size_t n = line_length(text), whole = n + (text[n] == '\n');

	if (strncmp(text, "```", 3) == 0) {
		p->is_code = !p->is_code;
		return whole;
	}
	if (p->is_code || n == 0) {
		(void)fprintf(p->out, "%*s", n ? CODE : 0, "");
		wl_put_clean_part(p->out, text, n);
		(void)fputc('\n', p->out);
		return whole;
	}
	if (text[0] == '#') {
		size_t marks = strspn(text, "# ");

		wl_put_clean_part(p->out, text + marks, n - marks);
		(void)fputc('\n', p->out);
		return whole;
	}
	n = paragraph_length(text);
	return put_paragraph(p, text, n) ? n : 0;
}

int wl_prose_print(FILE *out, const char *text, struct wl_err *reterr)
{
	struct page p = { .out = out };

	while (*text) {
		size_t n = put_block(&p, text);

		if (n == 0)
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
		text += n;
	}
	return WL_OK;
}

int wl_prose_explain(const char *word, bool is_any, struct wl_err *reterr)
{
	struct wl_explanation found;
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, WL_PROSE_MEMORY);
	r = wl_explanation_of(word, &arena, &found, reterr);
	if (r == WL_OK && !is_any && found.kind == WL_EXPLAINED_KERNEL)
		r = wl_fail(reterr, WL_E_USAGE, "%s could only be the name of a kernel", word);
	if (r == WL_OK)
		r = wl_prose_print(stdout, found.text, reterr);
	wl_arena_release(&arena);
	return r;
}
