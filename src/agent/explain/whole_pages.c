/* SPDX-License-Identifier: MIT */
/*
 * whole_pages.c - finds a page by one of its names, and rewrites tables and code for a terminal.
 *
 * A table row becomes an item: its first cell, then each further cell after its column title. Lines
 * indented by four blanks become fenced code.
 */
#include "agent/explain/whole_pages.h"

#include <string.h>

#include "agent/explain/terms.h"
#include "known/builtin.h"

enum { MAX_NAME = 64, MAX_COLUMNS = 6, INDENT = 4 };

/* The file, and other names that users type for it, separated by bars. */
static const struct {
	const char *file, *names;
} pages[] = {
	{ "why-numbers-differ",
	  "why numbers differ|numbers differ|why do numbers differ|different numbers|"
	  "differences|differ|converts|converting|migration|other tools|coming from nsys|"
	  "coming from nsys-ai|nsys stats differs|why your numbers differ|compare with nsys" },
};

/* A part of the document. */
struct piece {
	const char *s;
	size_t n;
};

/* A page being written: the column titles of the current table, and whether the line is code. */
struct sheet {
	struct wl_prose *p;
	struct piece title[MAX_COLUMNS];
	size_t n_titles;
	bool is_code;
};

static struct piece trimmed(const char *s, size_t n)
{
	while (n && *s == ' ') {
		s++;
		n--;
	}
	while (n && s[n - 1] == ' ')
		n--;
	return (struct piece){ s, n };
}

/* The cells of a row; a bar after a backslash is part of a cell. */
static size_t cells_of(struct piece row, struct piece *ret)
{
	size_t n = 0, from = 1;

	for (size_t i = 1; i < row.n && n < MAX_COLUMNS; i++) {
		if (row.s[i] != '|' || row.s[i - 1] == '\\')
			continue;
		ret[n++] = trimmed(row.s + from, i - from);
		from = i + 1;
	}
	return n;
}

static void put_item(struct sheet *sheet, const struct piece *cell, size_t n)
{
	wl_prose_put(sheet->p, "- ");
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && i < sheet->n_titles) {
			wl_prose_put(sheet->p, ". ");
			wl_prose_put_plain(sheet->p, sheet->title[i].s, sheet->title[i].n);
			wl_prose_put(sheet->p, ": ");
		}
		wl_prose_put_plain(sheet->p, cell[i].s, cell[i].n);
	}
	wl_prose_put(sheet->p, "\n");
}

static void put_row(struct sheet *sheet, struct piece row)
{
	struct piece cell[MAX_COLUMNS];
	size_t n = cells_of(row, cell);

	if (n == 0 || (cell[0].n >= 3 && cell[0].s[0] == '-'))
		return; /* the rule below the titles */
	if (sheet->n_titles) {
		put_item(sheet, cell, n);
		return;
	}
	memcpy(sheet->title, cell, n * sizeof(cell[0]));
	sheet->n_titles = n;
}

static bool is_indented(struct piece line)
{
	return line.n > INDENT && strncmp(line.s, "    ", INDENT) == 0;
}

static void put_line(struct sheet *sheet, struct piece line)
{
	bool is_code = is_indented(line);

	if (is_code != sheet->is_code)
		wl_prose_put(sheet->p, "```\n");
	sheet->is_code = is_code;
	if (line.n && line.s[0] == '|') {
		put_row(sheet, line);
		return;
	}
	sheet->n_titles = 0;
	if (is_code)
		wl_prose_put_n(sheet->p, line.s + INDENT, line.n - INDENT);
	else
		wl_prose_put_plain(sheet->p, line.s, line.n);
	wl_prose_put(sheet->p, "\n");
}

static void put_page(struct wl_prose *p, const char *text)
{
	struct sheet sheet = { .p = p };

	while (*text) {
		struct piece line = { text, strcspn(text, "\n") };

		put_line(&sheet, line);
		text += line.n + (text[line.n] == '\n');
	}
	if (sheet.is_code)
		wl_prose_put(p, "```\n");
}

const char *wl_whole_page_name(size_t i)
{
	return i < WL_COUNT(pages) ? pages[i].file : NULL;
}

bool wl_whole_page_put(struct wl_prose *p, const char *word)
{
	const char *text;
	size_t size;

	if (strlen(word) >= MAX_NAME)
		return false;
	for (size_t i = 0; i < WL_COUNT(pages); i++) {
		if (!wl_term_is(pages[i].file, strlen(pages[i].file), word) &&
		    !wl_term_is_among(pages[i].names, word))
			continue;
		text = wl_builtin_find("docs", pages[i].file, &size);
		if (text)
			put_page(p, text);
		return text != NULL;
	}
	return false;
}
