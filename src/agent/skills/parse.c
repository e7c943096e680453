/* SPDX-License-Identifier: MIT */
/* parse.c - reads a skill from a file: Markdown, or JSON with the same items as texts. */
#include <stdio.h>
#include <string.h>

#include "agent/skills/check.h"
#include "agent/skills/markdown.h"
#include "base/text/json_read.h"
#include "base/text/nearest.h"
#include "base/text/utf8.h"

/* ---- JSON ---- */

typedef int add_fn(struct wl_skill_maker *m, const char *text, struct wl_err *reterr);

static int add_call(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	return wl_maker_call(m, text, NULL, reterr);
}

static int add_sql(struct wl_skill_maker *m, const char *text, struct wl_err *reterr)
{
	return wl_maker_sql(m, text, NULL, reterr);
}

/* The lists in reading order: later ones refer to parameters and tables. */
static const struct {
	const char *key;
	add_fn *add;
} lists[] = {
	{ "parameters", wl_maker_param },
	{ "verbs", add_call },
	{ "sql", add_sql },
	{ "findings", wl_maker_rule },
	{ "abstains", wl_maker_abstention },
	{ "expect", wl_maker_expectation },
};

static const char *const texts[] = { "name", "title", "about", "notes" };

static bool go_to(struct wl_skill_maker *m, const char *file, const char *key, size_t i)
{
	char where[256];

	(void)snprintf(where, sizeof(where), "%.180s: %s[%zu]", file, key, i);
	m->where = wl_arena_strdup(m->arena, where);
	return m->where != NULL;
}

/* Add the items of a text, or of a list of texts. */
static int add_items(struct wl_skill_maker *m, size_t list, const struct wl_json *value,
		     const char *file, struct wl_err *reterr)
{
	bool is_one = wl_json_type_of(value) == WL_JSON_STRING;
	size_t n = is_one ? 1 : wl_json_size(value);
	int r = WL_OK;

	if (!is_one && wl_json_type_of(value) != WL_JSON_ARRAY)
		return wl_maker_refuse(m, reterr, "\"%s\" must be a list of texts",
				       lists[list].key);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		const char *text = wl_json_string(is_one ? value : wl_json_at(value, i));

		if (!go_to(m, file, lists[list].key, i))
			return wl_maker_no_memory(m, reterr);
		r = text ? lists[list].add(m, text, reterr)
			 : wl_maker_refuse(m, reterr, "must be a text");
	}
	m->where = file;
	return r;
}

static int take_text(struct wl_skill_maker *m, const struct wl_json *doc, const char *key,
		     const char **ret, struct wl_err *reterr)
{
	const struct wl_json *value = wl_json_member(doc, key);
	const char *text = value ? wl_json_string(value) : NULL;

	if (value && !text)
		return wl_maker_refuse(m, reterr, "\"%s\" must be a text", key);
	if (!text)
		return WL_OK;
	*ret = wl_maker_copy(m, text, strlen(text));
	return *ret ? WL_OK : wl_maker_no_memory(m, reterr);
}

static int check_keys(const struct wl_skill_maker *m, const struct wl_json *doc,
		      struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	while (wl_json_next(doc, &at, &key, &value)) {
		struct wl_nearest nearest;
		const char *meant;
		bool known = false;

		wl_nearest_init(&nearest, key);
		for (size_t i = 0; i < WL_COUNT(lists); i++) {
			known = known || strcmp(lists[i].key, key) == 0;
			wl_nearest_offer(&nearest, lists[i].key);
		}
		for (size_t i = 0; i < WL_COUNT(texts); i++) {
			known = known || strcmp(texts[i], key) == 0;
			wl_nearest_offer(&nearest, texts[i]);
		}
		meant = wl_nearest_get(&nearest);
		if (!known)
			return wl_maker_refuse(m, reterr,
					       "a skill has no \"%.60s\"%s%s%s; it has name, "
					       "title, about, parameters, verbs, sql, findings, "
					       "abstains, expect and notes",
					       key, meant ? "; did you mean " : "",
					       meant ? meant : "", meant ? "?" : "");
	}
	return WL_OK;
}

static int from_json(struct wl_skill_maker *m, const struct wl_json *doc, const char *file,
		     struct wl_err *reterr)
{
	struct wl_skill *s = m->skill;
	int r = check_keys(m, doc, reterr);

	if (r == WL_OK)
		r = take_text(m, doc, "name", &s->name, reterr);
	if (r == WL_OK && (!s->name || !wl_skill_is_name(s->name, strlen(s->name))))
		return wl_maker_refuse(m, reterr,
				       "\"name\" must be a text of a-z, 0-9, _ and -, a letter "
				       "first, at most %d characters",
				       WL_SKILL_NAME - 1);
	if (r == WL_OK)
		r = take_text(m, doc, "title", &s->title, reterr);
	if (r == WL_OK)
		r = take_text(m, doc, "about", &s->about, reterr);
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(lists); i++) {
		const struct wl_json *value = wl_json_member(doc, lists[i].key);

		if (value)
			r = add_items(m, i, value, file, reterr);
	}
	return r;
}

static int parse_json(struct wl_skill_maker *m, const char *text, size_t n, const char *file,
		      struct wl_err *reterr)
{
	struct wl_json *doc = NULL;
	int r = wl_json_parse(text, n, file, &doc, reterr);

	if (r == WL_OK)
		r = from_json(m, doc, file, reterr);
	wl_json_free(doc);
	return r;
}

/* ---- Both ---- */

/* The line of the first byte that is not text; 0: all bytes are. */
static unsigned find_garbage(const char *text, size_t n)
{
	unsigned line = 1;

	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t took = wl_utf8_decode(text + i, n - i, &cp);

		if (cp == WL_UTF8_INVALID || (cp < ' ' && !strchr("\t\r\n", (int)cp)) || cp == 0 ||
		    cp == 0x7f)
			return line;
		line += cp == '\n';
		i += took;
	}
	return 0;
}

int wl_skill_parse(const char *text, size_t n, const char *name, struct wl_arena *arena,
		   struct wl_skill *ret, struct wl_err *reterr)
{
	struct wl_skill_maker m;
	unsigned garbage;
	char *copy;
	int r;

	if (!wl_maker_init(&m, ret, arena, name))
		return wl_maker_no_memory(&m, reterr);
	if (n > WL_SKILL_BYTES)
		return wl_maker_refuse(&m, reterr, "larger than %d KiB, which no skill is",
				       WL_SKILL_BYTES >> 10);
	garbage = find_garbage(text, n);
	if (garbage)
		return wl_fail(reterr, WL_E_USAGE, "%.200s:%u: a byte that is no text (UTF-8)",
			       name, garbage);
	copy = wl_arena_calloc(arena, n + 1, 1);
	ret->text = copy ? memcpy(copy, text, n) : NULL;
	copy = copy ? wl_arena_strdup(arena, copy) : NULL;
	if (!copy)
		return wl_maker_no_memory(&m, reterr);
	r = copy[strspn(copy, " \t\r\n")] == '{' ? parse_json(&m, text, n, name, reterr)
						 : wl_skill_from_markdown(&m, copy, name, reterr);
	if (r == WL_OK)
		r = wl_maker_end(&m, reterr);
	return r < 0 ? r : wl_skill_check(ret, arena, reterr);
}
