/* SPDX-License-Identifier: MIT */
#include "agent/llm/box.h"

#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"
#include "agent/tools/toolbox.h"
#include "analysis/analysis.h"

/* ---- Columns ---- */

static bool is_one_of(const char *key, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static enum wl_column_kind kind_of_text(const struct wl_col *col)
{
	/* Pages of documentation in the rows of findings, captures and limits. */
	static const char *const advice[] = { "advice", "cuda",   "pytorch",    "jax",
					      "limits", "remedy", "vllm_sglang" };
	/* Columns that hold sentences without a flag that says so. */
	static const char *const sentences[] = { "fixing" };

	if ((col->flags & WL_SHELL) || is_one_of(col->key, advice, WL_COUNT(advice)))
		return WL_COLUMN_ADVICE;
	if (col->type == WL_T_ENUM || (col->flags & WL_PROSE) ||
	    is_one_of(col->key, sentences, WL_COUNT(sentences)))
		return WL_COLUMN_PROSE;
	return WL_COLUMN_NAME;
}

static enum wl_column_kind kind_of(const struct wl_col *col, struct wl_quantity *ret_unit)
{
	const char *unit = wl_type_unit(col->type);

	if (wl_type_is_text(col->type))
		return kind_of_text(col);
	/* Ratios have no printed unit. */
	*ret_unit =
		(struct wl_quantity){ col->type == WL_T_RATIO ? WL_DIM_RATIO : WL_DIM_PLAIN, 1 };
	if (unit)
		(void)wl_quantity_named(unit, ret_unit);
	return WL_COLUMN_NUMBER;
}

static const struct wl_col *col_of(const struct wl_analysis *a, const char *key)
{
	for (size_t i = 0; i < a->n_cols; i++) {
		if (strcmp(a->cols[i].key, key) == 0)
			return &a->cols[i];
	}
	return NULL;
}

enum wl_column_kind wl_llm_column(const char *verb, const char *key, struct wl_quantity *ret_unit)
{
	const struct wl_analysis *a = verb ? wl_analysis_find(verb) : NULL;
	const struct wl_col *col = a ? col_of(a, key) : NULL;

	if (a)
		return col ? kind_of(col, ret_unit) : WL_COLUMN_UNKNOWN;
	/* A summary has columns of several verbs. The first that knows the key decides. */
	for (size_t i = 0; !verb && !col && i < wl_n_analyses; i++)
		col = col_of(wl_analyses[i], key);
	return col ? kind_of(col, ret_unit) : WL_COLUMN_UNKNOWN;
}

bool wl_llm_is_evidence(const char *tool)
{
	return strcmp(tool, "describe") != 0;
}

/* ---- Names ---- */

static bool learn_column(struct wl_llm_veil *veil, const struct wl_json *rows, size_t col)
{
	for (size_t i = 0; i < wl_json_size(rows); i++) {
		const struct wl_json *row = wl_json_at(rows, i);
		const char *name = NULL;

		if (wl_json_type_of(row) == WL_JSON_ARRAY && col < wl_json_size(row))
			name = wl_json_string(wl_json_at(row, col));
		if (name && !wl_llm_veil_add(veil, name))
			return false;
	}
	return true;
}

/* Learn the names in the rows of a reply. Unknown columns may hold names. */
static bool learn_rows(struct wl_llm_veil *veil, const struct wl_json *reply)
{
	const struct wl_json *columns = wl_json_value_of(reply, "columns");
	const struct wl_json *rows = wl_json_value_of(reply, "rows");
	const char *verb = wl_json_text_of(reply, "verb");

	if (!columns || !rows || wl_json_type_of(columns) != WL_JSON_ARRAY ||
	    wl_json_type_of(rows) != WL_JSON_ARRAY)
		return true;
	for (size_t i = 0; i < wl_json_size(columns); i++) {
		const char *key = wl_json_string(wl_json_at(columns, i));
		struct wl_quantity unit;
		enum wl_column_kind kind = wl_llm_column(verb, key ? key : "", &unit);

		if ((kind == WL_COLUMN_NAME || kind == WL_COLUMN_UNKNOWN) &&
		    !learn_column(veil, rows, i))
			return false;
	}
	return true;
}

static bool learn(struct wl_llm_box *b, const char *text)
{
	struct wl_json *doc;
	struct wl_err ignored;
	bool ok;

	if (!b->veil)
		return true;
	if (b->gather && !b->gather(b->context, b->veil))
		return false;
	if (wl_json_parse(text, strlen(text), "reply", &doc, &ignored) < 0)
		return true;
	ok = learn_rows(b->veil, doc);
	wl_json_free(doc);
	return ok;
}

/* ---- Calls ---- */

static int call(void *context, const char *name, const char *arguments, char **ret_text,
		bool *ret_is_error, struct wl_err *reterr)
{
	struct wl_llm_box *b = context;
	const struct wl_call how = { .cancel = b->cancel, .bytes = WL_LLM_RESULT_BYTES };
	struct wl_reply reply = { 0 };
	struct wl_json *args;
	int r = wl_json_parse(arguments, strlen(arguments), "arguments", &args, reterr);

	if (r < 0)
		return r;
	r = wl_toolbox_call(b->box, name, args, &how, &reply, reterr);
	wl_json_free(args);
	if (r < 0)
		return r;
	if (!learn(b, reply.json)) {
		wl_reply_release(&reply);
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of a trace");
	}
	*ret_text = reply.json; /* the caller frees both */
	*ret_is_error = reply.is_error;
	return WL_OK;
}

int wl_llm_box_open(struct wl_llm_box *b, struct wl_err *reterr)
{
	b->n = 0;
	for (const struct wl_tool *t = wl_tools; t->name && b->n < WL_LLM_MAX_TOOLS; t++) {
		if (t->changes_view)
			continue;
		b->schema[b->n] = wl_tool_schema_text(t->input);
		if (!b->schema[b->n])
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the list of tools");
		b->list[b->n] = (struct wl_llm_tool){ t->name, t->description, b->schema[b->n] };
		b->n++;
	}
	return WL_OK;
}

void wl_llm_box_close(struct wl_llm_box *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->schema[i]);
	b->n = 0;
}

struct wl_llm_tools wl_llm_box_tools(struct wl_llm_box *b)
{
	return (struct wl_llm_tools){ .list = b->list, .n = b->n, .call = call, .context = b };
}

int wl_llm_box_failure(const char *json, struct wl_err *reterr)
{
	static const struct {
		const char *kind;
		enum wl_status code;
	} kinds[] = { { "usage", WL_E_USAGE },    { "no_match", WL_E_NOMATCH },
		      { "no_data", WL_E_NODATA }, { "io", WL_E_IO },
		      { "format", WL_E_FORMAT },  { "memory", WL_E_NOMEM },
		      { "timeout", WL_E_TIMEOUT } };
	enum wl_status code = WL_E_FORMAT;
	struct wl_json *doc;
	const char *kind, *said;
	int r = wl_json_parse(json, strlen(json), "reply", &doc, reterr);

	if (r < 0)
		return r;
	kind = wl_json_text_of(doc, "kind");
	said = wl_json_text_of(doc, "error");
	for (size_t i = 0; kind && i < WL_COUNT(kinds); i++) {
		if (strcmp(kinds[i].kind, kind) == 0)
			code = kinds[i].code;
	}
	r = wl_fail(reterr, code, "%s", said ? said : "the trace cannot be opened");
	wl_json_free(doc);
	return r;
}
