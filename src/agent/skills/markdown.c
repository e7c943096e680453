/* SPDX-License-Identifier: MIT */
#include "agent/skills/markdown.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/nearest.h"

enum heading {
	TITLE, /* the text below the name */
	PARAMETERS,
	VERBS,
	SQL,
	FINDINGS,
	ABSTAINS,
	EXPECT,
	NOTES,
};

const char *const wl_skill_headings[] = { "Parameters", "Verbs",  "SQL",   "Findings",
					  "Abstains",   "Expect", "Notes", NULL };

struct reading {
	struct wl_skill_maker *m;
	const char *file;
	char *rest;    /* unread lines; NULL at the end */
	unsigned line; /* number of the last line read */
	enum heading under;
	const char *sql_name; /* from the heading; NULL: none */
	/* The lines of one item, collected until it is complete. */
	char *item;
	size_t n_item;
	unsigned item_line;
	bool in_fence;
	bool has_block;    /* under this heading */
	const char *title; /* of the next call; NULL: none */
};

/* The item is at most as long as the file. */
static void add_to_item(struct reading *r, const char *line, char between)
{
	size_t n = strlen(line);

	if (r->n_item == 0)
		r->item_line = r->line;
	if (r->n_item)
		r->item[r->n_item++] = between;
	memcpy(r->item + r->n_item, line, n);
	r->n_item += n;
	r->item[r->n_item] = '\0';
}

/* Later messages refer to this line. */
static bool go_to(struct reading *r, unsigned line)
{
	char where[256];

	(void)snprintf(where, sizeof(where), "%.200s:%u", r->file, line);
	r->m->where = wl_arena_strdup(r->m->arena, where);
	return r->m->where != NULL;
}

/* ---- Prose, items and blocks ---- */

static int end_paragraph(struct reading *r, struct wl_err *reterr)
{
	struct wl_skill *s = r->m->skill;
	size_t size = strlen(s->about) + r->n_item + 3;
	char *both;

	if (r->n_item == 0)
		return WL_OK;
	if (!s->title) {
		s->title = wl_maker_copy(r->m, r->item, r->n_item);
		return s->title ? WL_OK : wl_maker_no_memory(r->m, reterr);
	}
	both = wl_arena_calloc(r->m->arena, size, 1);
	if (!both)
		return wl_maker_no_memory(r->m, reterr);
	(void)snprintf(both, size, "%s%s%s", s->about, *s->about ? "\n\n" : "", r->item);
	s->about = both;
	return WL_OK;
}

static int end_item(struct reading *r, struct wl_err *reterr)
{
	int status = WL_OK;

	if (r->n_item == 0)
		return WL_OK;
	if (!go_to(r, r->item_line))
		return wl_maker_no_memory(r->m, reterr);
	switch (r->under) {
	case TITLE:
		status = end_paragraph(r, reterr);
		break;
	case PARAMETERS:
		status = wl_maker_param(r->m, r->item, reterr);
		break;
	case FINDINGS:
		status = wl_maker_rule(r->m, r->item, reterr);
		break;
	case ABSTAINS:
		status = wl_maker_abstention(r->m, r->item, reterr);
		break;
	case EXPECT:
		status = wl_maker_expectation(r->m, r->item, reterr);
		break;
	case SQL:
		status = wl_maker_sql(r->m, r->item, r->sql_name, reterr);
		break;
	case VERBS:
	case NOTES:
		break;
	}
	r->n_item = 0;
	return status;
}

/* Read a line of a block of calls: a call, or "# title" of the next one. */
static int read_call(struct reading *r, const char *line, struct wl_err *reterr)
{
	const char *text = line + strspn(line, " \t");
	int status;

	if (*text == '\0')
		return WL_OK;
	if (*text == '#') {
		r->title = text + strspn(text, "# \t");
		return WL_OK;
	}
	if (!go_to(r, r->line))
		return wl_maker_no_memory(r->m, reterr);
	status = wl_maker_call(r->m, text, r->title, reterr);
	r->title = NULL;
	return status;
}

static int read_fence(struct reading *r, struct wl_err *reterr)
{
	r->in_fence = !r->in_fence;
	if (r->in_fence && r->under == SQL && r->has_block)
		return wl_maker_refuse(r->m, reterr,
				       "a second block of SQL under one heading; give it a heading "
				       "of its own: \"## SQL name\"");
	r->has_block = true;
	return r->in_fence ? WL_OK : end_item(r, reterr);
}

static int read_in_fence(struct reading *r, const char *line, struct wl_err *reterr)
{
	if (r->under == VERBS)
		return read_call(r, line, reterr);
	if (r->under == SQL)
		add_to_item(r, line, '\n');
	return WL_OK;
}

/* Read a line of a list: "- item", or, if indented, more of the previous item. */
static int read_in_list(struct reading *r, const char *line, struct wl_err *reterr)
{
	int status;

	if ((line[0] == '-' || line[0] == '*') && line[1] == ' ') {
		status = end_item(r, reterr);
		add_to_item(r, line + 2, ' ');
		return status;
	}
	if (strchr(" \t", line[0]) && r->n_item) {
		add_to_item(r, line + strspn(line, " \t"), ' ');
		return WL_OK;
	}
	if (!go_to(r, r->line))
		return wl_maker_no_memory(r->m, reterr);
	return wl_maker_refuse(r->m, reterr,
			       "under \"%s\" each item is a line that begins with \"- \"; lines "
			       "that go on are indented",
			       wl_skill_headings[r->under - 1]);
}

/* ---- Headings ---- */

static int refuse_heading(struct reading *r, const char *name, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, name);
	for (size_t i = 0; wl_skill_headings[i]; i++)
		wl_nearest_offer(&nearest, wl_skill_headings[i]);
	meant = wl_nearest_get(&nearest);
	return wl_maker_refuse(r->m, reterr,
			       "no heading \"%.60s\"%s%s%s; there are Parameters, Verbs, SQL, "
			       "Findings, Abstains, Expect and Notes",
			       name, meant ? "; did you mean " : "", meant ? meant : "",
			       meant ? "?" : "");
}

static int read_heading(struct reading *r, char *name, struct wl_err *reterr)
{
	char *word = strsep(&name, " ");
	size_t i = 0;

	while (wl_skill_headings[i] && strcasecmp(wl_skill_headings[i], word) != 0)
		i++;
	if (!wl_skill_headings[i])
		return refuse_heading(r, word, reterr);
	r->under = (enum heading)(i + 1);
	r->has_block = false;
	r->sql_name = r->under == SQL && name && *name ? name : NULL;
	if (r->sql_name && !wl_skill_is_name(r->sql_name, strlen(r->sql_name)))
		return wl_maker_refuse(r->m, reterr,
				       "\"%.60s\" is no name of a table: use a-z, 0-9 and _",
				       r->sql_name);
	if (name && *name && r->under != SQL)
		return wl_maker_refuse(r->m, reterr, "write the heading as \"## %s\"",
				       wl_skill_headings[i]);
	return WL_OK;
}

static int read_name(struct reading *r, const char *name, struct wl_err *reterr)
{
	struct wl_skill *s = r->m->skill;

	if (s->name)
		return wl_maker_refuse(r->m, reterr,
				       "a second \"# \" heading; a file is one skill, and its "
				       "parts have \"## \" headings");
	if (!wl_skill_is_name(name, strlen(name)))
		return wl_maker_refuse(r->m, reterr,
				       "\"%.70s\" is no name of a skill: use a-z, 0-9, _ and -, a "
				       "letter first, at most %d characters",
				       name, WL_SKILL_NAME - 1);
	s->name = wl_arena_strdup(r->m->arena, name);
	return s->name ? WL_OK : wl_maker_no_memory(r->m, reterr);
}

static int read_any_heading(struct reading *r, char *line, struct wl_err *reterr)
{
	size_t marks = strspn(line, "#");
	char *name = line + marks + strspn(line + marks, " \t");
	int status = end_item(r, reterr);

	if (status == WL_OK && !go_to(r, r->line))
		return wl_maker_no_memory(r->m, reterr);
	if (status < 0)
		return status;
	if (marks == 1)
		return read_name(r, name, reterr);
	if (marks == 2)
		return read_heading(r, name, reterr);
	return wl_maker_refuse(r->m, reterr, "headings have one or two #");
}

/* ---- Lines ---- */

static int read_plain(struct reading *r, const char *line, struct wl_err *reterr)
{
	switch (r->under) {
	case TITLE:
		if (!*line)
			return end_item(r, reterr);
		add_to_item(r, line, ' ');
		return WL_OK;
	case VERBS:
	case SQL:
		if (!*line)
			return WL_OK;
		return wl_maker_refuse(r->m, reterr,
				       "put the %s between lines of ```; words about it belong "
				       "below the title or under Notes",
				       r->under == SQL ? "SQL" : "calls");
	case NOTES:
		return WL_OK;
	case PARAMETERS:
	case FINDINGS:
	case ABSTAINS:
	case EXPECT:
		break;
	}
	return *line ? read_in_list(r, line, reterr) : WL_OK;
}

static int read_line(struct reading *r, char *line, struct wl_err *reterr)
{
	size_t n = strlen(line);

	while (n && strchr(" \t\r", line[n - 1]))
		line[--n] = '\0';
	if (r->under != TITLE && strncmp(line, "```", 3) == 0)
		return go_to(r, r->line) ? read_fence(r, reterr) : wl_maker_no_memory(r->m, reterr);
	if (r->in_fence)
		return read_in_fence(r, line, reterr);
	if (line[0] == '#')
		return read_any_heading(r, line, reterr);
	if (!r->m->skill->name && *line) {
		if (!go_to(r, r->line))
			return wl_maker_no_memory(r->m, reterr);
		return wl_maker_refuse(r->m, reterr,
				       "begin the file with the skill's name: \"# my_skill\"");
	}
	if (*line && !go_to(r, r->line))
		return wl_maker_no_memory(r->m, reterr);
	return read_plain(r, line, reterr);
}

int wl_skill_from_markdown(struct wl_skill_maker *m, char *text, const char *file,
			   struct wl_err *reterr)
{
	struct reading r = { .m = m, .file = file, .rest = text };
	int status = WL_OK;
	char *line;

	/* Each line of an item may add a blank, and drops its line feed. */
	r.item = wl_arena_calloc(m->arena, strlen(text) + 2, 1);
	if (!r.item)
		return wl_maker_no_memory(m, reterr);
	while (status == WL_OK && (line = strsep(&r.rest, "\n"))) {
		r.line++;
		status = read_line(&r, line, reterr);
	}
	if (status == WL_OK && r.in_fence)
		return wl_maker_refuse(m, reterr, "the block is not closed with ```");
	if (status == WL_OK)
		status = end_item(&r, reterr);
	m->where = file;
	if (status == WL_OK && !m->skill->name)
		return wl_maker_refuse(m, reterr,
				       "the file is empty; begin it with \"# my_skill\"");
	return status;
}
