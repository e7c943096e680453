/* SPDX-License-Identifier: MIT */
#include "agent/check/evidence.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"

/* A result being read. */
struct reading {
	struct wl_evidence *e;
	const char *verb;            /* NULL if the result names none */
	struct wl_text names, prose; /* of this result only, one per line */
};

/* What is known about a value. */
struct context {
	const char *key;
	enum wl_column_kind kind;
	struct wl_quantity unit;
	bool is_any;
};

void wl_evidence_release(struct wl_evidence *e)
{
	free(e->fact);
	wl_text_release(&e->names);
	wl_text_release(&e->texts);
	wl_text_release(&e->advice);
	wl_said_release(&e->asked);
	*e = (struct wl_evidence){ .column = e->column };
}

static void add_fact(struct wl_evidence *e, const struct wl_tool_fact *fact)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? 2 * e->cap : 256;
		struct wl_tool_fact *all = reallocarray(e->fact, cap, sizeof(*all));

		e->failed = e->failed || !all;
		if (!all)
			return;
		e->fact = all;
		e->cap = cap;
	}
	e->fact[e->n++] = *fact;
}

/* ---- Sentences ---- */

static void add_said(struct wl_evidence *e, const struct wl_said *s, struct wl_quantity unit)
{
	double sign = s->sign < 0 ? -1 : 1;

	add_fact(e, &(struct wl_tool_fact){ .value = sign * s->value * unit.scale,
					    .dim = unit.dim,
					    .is_signed = s->sign != 0,
					    .noun = s->noun });
}

static void add_prose(struct wl_evidence *e, const char *text)
{
	struct wl_said_list list = { 0 };

	wl_scan(text, &list);
	e->failed = e->failed || list.failed;
	for (size_t i = 0; i < list.n; i++) {
		const struct wl_said *s = &list.at[i];

		if (s->kind != WL_SAID_NUMBER)
			continue;
		add_said(e, s, s->unit);
		if (s->has_other)
			add_said(e, s, s->other);
		if (s->noun && s->is_range && i + 1 < list.n)
			add_fact(e, &(struct wl_tool_fact){ .value = s->value,
							    .dim = WL_DIM_PLAIN,
							    .noun = s->noun,
							    .is_range = true,
							    .end = list.at[i + 1].value });
	}
	wl_said_release(&list);
}

/* Blank out each name that a sentence quotes. */
static void blank_name(char *prose, const char *name, size_t n)
{
	for (char *at = prose; (at = memmem(at, strlen(at), name, n)) != NULL; at += n)
		memset(at, ' ', n);
}

static bool has_digit(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (isdigit((unsigned char)s[i]))
			return true;
	}
	return false;
}

static void take_sentences(struct reading *r)
{
	const char *name = wl_text_get(&r->names);

	if (!r->prose.bytes)
		return;
	while (*name) {
		size_t n = strcspn(name, "\n");

		/* A one-digit name would blank out other numbers. */
		if (n > 2 && has_digit(name, n))
			blank_name(r->prose.bytes, name, n);
		name += n + (name[n] == '\n');
	}
	add_prose(r->e, r->prose.bytes);
}

/* ---- JSON ---- */

static void put_line(struct wl_text *t, const char *line)
{
	/* One per line: a newline inside a text would split it in two. */
	for (; *line; line++)
		wl_text_put(t, *line == '\n' ? " " : line, 1);
	wl_text_put(t, "\n", 1);
}

static void take_name(struct reading *r, const char *name)
{
	put_line(&r->names, name);
	put_line(&r->e->names, name);
	put_line(&r->e->texts, name);
}

static void take_prose(struct reading *r, const char *text)
{
	wl_text_puts(&r->prose, text);
	wl_text_put(&r->prose, "\n", 1);
	put_line(&r->e->texts, text);
}

/* Text in a cell is a name unless it is known to be the program's. */
static void take_text(struct reading *r, const char *text, const struct context *c)
{
	if (c->kind == WL_COLUMN_PROSE)
		take_prose(r, text);
	else if (c->kind == WL_COLUMN_ADVICE)
		put_line(&r->e->advice, text);
	else
		take_name(r, text);
}

static void take_number(struct reading *r, double v, const struct context *c)
{
	add_fact(r->e, &(struct wl_tool_fact){ .value = v * c->unit.scale,
					       .dim = c->unit.dim,
					       .is_any = c->is_any,
					       .is_signed = true,
					       .noun = wl_noun_of_key(c->key) });
}

/* Identifiers are strings of digits. */
static bool number_of(const char *text, double *ret)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '-')
		return false;
	*ret = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*ret);
}

static struct context context_of(const struct reading *r, const char *key,
				 const struct wl_json *units)
{
	struct context c = { .key = key, .unit = { WL_DIM_PLAIN, 1 } };
	struct wl_quantity of_column = { 0 }; /* not needed if the reply has a unit */
	const char *unit = wl_json_text_of(units, key);
	bool has_unit =
		(unit && wl_quantity_named(unit, &c.unit)) || wl_quantity_of_key(key, &c.unit);

	if (r->e->column)
		c.kind = r->e->column(r->verb, key, has_unit ? &of_column : &c.unit);
	/* SQL columns may hold anything. */
	c.is_any = !has_unit && c.kind != WL_COLUMN_NUMBER && !wl_noun_of_key(key) &&
		   (!r->verb || strcmp(r->verb, "sql") == 0);
	return c;
}

static void take_cell(struct reading *r, const struct wl_json *cell, const struct context *c)
{
	const char *text = wl_json_string(cell);
	double v;

	if (wl_json_number(cell, &v) || (text && number_of(text, &v)))
		take_number(r, v, c);
	else if (text)
		take_text(r, text, c);
}

static void take_rows(struct reading *r, const struct wl_json *table, const struct wl_json *columns,
		      const struct wl_json *rows)
{
	const struct wl_json *units = wl_json_value_of(table, "units");

	for (size_t col = 0; col < wl_json_size(columns); col++) {
		const char *key = wl_json_string(wl_json_at(columns, col));
		struct context c = context_of(r, key ? key : "", units);

		for (size_t row = 0; row < wl_json_size(rows); row++) {
			const struct wl_json *cells = wl_json_at(rows, row);

			if (col < wl_json_size(cells) && wl_json_type_of(cells) == WL_JSON_ARRAY)
				take_cell(r, wl_json_at(cells, col), &c);
		}
	}
}

/* These echo what the model sent; keys and columns are the program's own names. */
static bool is_echo(const char *key)
{
	static const char *const echoes[] = { "how",   "spec", "next_cursor", "columns",
					      "units", "rows", "cursor",      "query" };

	for (size_t i = 0; i < WL_COUNT(echoes); i++) {
		if (strcmp(key, echoes[i]) == 0)
			return true;
	}
	return false;
}

/* People see coverage as a share: {"have": 152, "of": 192} is 79.2 %. */
static void take_coverage(struct reading *r, const struct wl_json *object)
{
	const struct wl_json *have = wl_json_value_of(object, "have");
	const struct wl_json *of = wl_json_value_of(object, "of");
	double a, b;

	if (have && of && wl_json_number(have, &a) && wl_json_number(of, &b) && b > 0)
		add_fact(r->e, &(struct wl_tool_fact){
				       .value = a / b, .dim = WL_DIM_RATIO, .is_signed = true });
}

/* Members outside tables that hold text of the trace. */
static bool is_name_of_ours(const char *key)
{
	return strcmp(key, "keys") == 0 || strcmp(key, "what") == 0 || strcmp(key, "path") == 0;
}

static void take_value(struct reading *r, const char *key, const struct wl_json *v);

static void take_object(struct reading *r, const struct wl_json *object)
{
	const struct wl_json *columns = wl_json_value_of(object, "columns");
	const struct wl_json *rows = wl_json_value_of(object, "rows"), *value;
	const char *verb = wl_json_text_of(object, "verb"), *key;
	const void *at = NULL;

	if (verb)
		r->verb = verb;
	take_coverage(r, object);
	if (columns && rows && wl_json_type_of(columns) == WL_JSON_ARRAY &&
	    wl_json_type_of(rows) == WL_JSON_ARRAY)
		take_rows(r, object, columns, rows);
	while (wl_json_next(object, &at, &key, &value)) {
		if (!is_echo(key))
			take_value(r, key, value);
	}
}

/* Recurses no deeper than the JSON reader admits. */
static void take_value(struct reading *r, const char *key, const struct wl_json *v)
{
	struct context c = context_of(r, key, NULL);
	const char *text = wl_json_string(v);
	double number;

	/* Coverage counts operations or time. */
	c.is_any = strcmp(key, "have") == 0 || strcmp(key, "of") == 0;
	if (wl_json_type_of(v) == WL_JSON_OBJECT)
		take_object(r, v);
	else if (wl_json_number(v, &number))
		take_number(r, number, &c);
	else if (text && (c.kind == WL_COLUMN_NAME || is_name_of_ours(key)))
		take_name(r, text);
	else if (text && c.kind == WL_COLUMN_ADVICE)
		put_line(&r->e->advice, text);
	else if (text)
		take_prose(r, text);
	for (size_t i = 0; wl_json_type_of(v) == WL_JSON_ARRAY && i < wl_json_size(v); i++)
		take_value(r, key, wl_json_at(v, i));
}

void wl_evidence_add(struct wl_evidence *e, const char *result)
{
	struct reading r = { .e = e };
	struct wl_json *doc;
	struct wl_err ignored;

	if (wl_json_parse(result, strlen(result), "result", &doc, &ignored) == WL_OK) {
		take_value(&r, "", doc);
		take_sentences(&r);
		wl_json_free(doc);
	} else {
		take_prose(&r, result);
		take_sentences(&r);
	}
	e->failed =
		e->failed || r.names.failed || r.prose.failed || e->names.failed || e->texts.failed;
	wl_text_release(&r.names);
	wl_text_release(&r.prose);
}

void wl_evidence_ask(struct wl_evidence *e, const char *question)
{
	wl_scan(question, &e->asked);
	put_line(&e->texts, question);
	e->failed = e->failed || e->asked.failed;
}

void wl_evidence_quote(struct wl_evidence *e, const char *text)
{
	put_line(&e->advice, text);
	e->failed = e->failed || e->advice.failed;
}
