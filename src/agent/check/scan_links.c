/* SPDX-License-Identifier: MIT */
/* scan_links.c - units and nouns that a number takes from its neighbour or heading. */
#include <string.h>

#include "agent/check/scan_parts.h"

enum { MAX_CELLS = 64 };

/* ---- Neighbours ---- */

struct link {
	const char *text;
	bool is_range;
	bool keeps_unit; /* the unit before it may also apply after it */
};

/* What links two numbers of one kind, ignoring blanks and markup around it. */
static const struct link links[] = {
	{ "-", true, false },       { "\u2013", true, false },
	{ "\u2014", true, false },  { "..", true, false },
	{ "...", true, false },     { "\u2026", true, false },
	{ "to", true, false },      { "through", true, false },
	{ ",", false, false },      { "/", false, false },
	{ "and", false, false },    { ", and", false, false },
	{ "or", false, false },     { "vs", false, false },
	{ "vs.", false, false },    { "versus", false, false },
	{ "\u2192", false, false }, { "->", false, false },
	{ "of", false, true },      { "against", false, false },
	{ "&", false, false },      { "\u00b1", false, true },
	{ "+/-", false, true },     { "compared to", false, false },
	{ "from", false, false },   { "compared with", false, false },
};

static const struct link *link_of(const char *begin, const char *end)
{
	while (begin < end && wl_scan_gap(begin))
		begin += wl_scan_gap(begin);
	while (end > begin && strchr(" *_`", end[-1]))
		end--;
	for (size_t i = 0; i < WL_COUNT(links); i++) {
		size_t n = strlen(links[i].text);

		if ((size_t)(end - begin) == n && memcmp(begin, links[i].text, n) == 0)
			return &links[i];
	}
	return NULL;
}

/* Pass on to the next number: the noun in "GPUs 0 and 1", the unit in "20 us ± 3 of 197". */
static void hand_on(const char *text, const struct wl_said *a, struct wl_said *b)
{
	const struct link *link = link_of(text + a->end, text + b->begin);

	if (!link || b->has_unit || a->kind != WL_SAID_NUMBER || b->kind != WL_SAID_NUMBER)
		return;
	if (a->noun && !b->noun)
		b->noun = a->noun;
	if (link->keeps_unit && !b->has_other && (a->has_unit || a->has_other)) {
		b->has_other = true;
		b->other = a->has_unit ? a->unit : a->other;
	}
}

/* Goes from last to first: "1, 2 and 5 ms" passes its unit on twice. */
void wl_scan_link(const char *text, struct wl_said_list *list, size_t from)
{
	for (size_t i = list->n; i-- > from + 1;) {
		struct wl_said *a = &list->at[i - 1], *b = &list->at[i];
		const struct link *link = link_of(text + a->end, text + b->begin);

		if (!link || a->kind != WL_SAID_NUMBER || b->kind != WL_SAID_NUMBER)
			continue;
		a->is_range = link->is_range;
		if (a->has_unit || !(b->has_unit || b->has_other))
			continue;
		a->has_other = true;
		a->other = b->has_unit ? b->unit : b->other;
	}
	for (size_t i = from + 1; i < list->n; i++)
		hand_on(text, &list->at[i - 1], &list->at[i]);
}

/* ---- Tables ---- */

struct heading {
	bool has_unit;
	struct wl_quantity unit;
};

static const char *line_end(const char *line)
{
	return line + strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	line = line_end(line);
	return *line ? line + 1 : line;
}

static bool is_row(const char *line)
{
	line += strspn(line, " ");
	return *line == '|';
}

static bool is_rule(const char *line)
{
	size_t n = strspn(line, " |:-");

	return is_row(line) && line + n == line_end(line) && memchr(line, '-', n);
}

/* "Total (ms)", "Time [us]", "Share %", "Total, ms", "Sum ms" */
static struct heading heading_of(const char *begin, const char *end)
{
	struct heading h = { 0 };

	for (const char *p = begin; p < end && !h.has_unit; p++) {
		bool is_bracket = *p == '(' || *p == '[';
		size_t n = 0;

		if (*p == '%' || is_bracket || (p > begin && p[-1] == ' '))
			n = wl_quantity_at(p + is_bracket, !is_bracket && *p != '%', &h.unit);
		if (n == 0)
			continue;
		/* A single letter is a unit only in brackets, a word only at the end. */
		if (is_bracket)
			h.has_unit = p[1 + n] == ')' || p[1 + n] == ']';
		else
			h.has_unit = *p == '%' || (n > 1 && p + n + strspn(p + n, " *_") >= end);
	}
	return h;
}

static size_t read_headings(const char *line, struct heading h[MAX_CELLS])
{
	const char *end = line_end(line), *cell = strchr(line, '|') + 1;
	size_t n = 0;

	while (cell < end && n < MAX_CELLS) {
		const char *bar = memchr(cell, '|', (size_t)(end - cell));

		if (!bar)
			bar = end;
		h[n++] = heading_of(cell, bar);
		cell = bar + 1;
	}
	return n;
}

/* Give each number of a row without a unit that of its heading. */
static void dress_row(const char *text, const char *line, const struct heading *h, size_t n_cells,
		      struct wl_said_list *list, size_t from)
{
	const char *end = line_end(line);

	for (size_t i = from; i < list->n; i++) {
		struct wl_said *s = &list->at[i];
		const char *at = text + s->begin;
		size_t cell = 0;

		if (at < line || at >= end || s->has_unit || s->kind != WL_SAID_NUMBER)
			continue;
		for (const char *p = strchr(line, '|') + 1; p < at; p++)
			cell += *p == '|';
		if (cell < n_cells && h[cell].has_unit) {
			s->has_unit = true;
			s->unit = h[cell].unit;
		}
	}
}

void wl_scan_tables(const char *text, struct wl_said_list *list, size_t from)
{
	struct heading h[MAX_CELLS];

	for (const char *line = text; *line;) {
		const char *rule = next_line(line);
		size_t n_cells;

		if (!is_row(line) || !is_rule(rule)) {
			line = rule;
			continue;
		}
		n_cells = read_headings(line, h);
		for (line = next_line(rule); *line && is_row(line); line = next_line(line))
			dress_row(text, line, h, n_cells, list, from);
	}
}
