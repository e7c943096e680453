/* SPDX-License-Identifier: MIT */
/* tool_analyze.c - the tools that ask verbs: findings and analyze. */
#include <string.h>

#include "agent/tools/asking.h"
#include "agent/tools/schema.h"
#include "analysis/args.h"

#define VIEW "where sort columns limit cursor key"

/* The columns a model needs to act; a call with columns or key gets the others. */
static const char few_columns[] = "code,subject,severity,saves_share,saves_kind,saves,saving,share,"
				  "per,device,finding,action,"
				  "advice,evidence,fixing,limits";

int wl_tool_findings(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct wl_askable of;
	int r = wl_call_only(c, WL_CALL_SELECTION " options " VIEW, reterr);

	if (r == WL_OK)
		r = wl_askable_find("findings", &of, reterr);
	return r < 0 ? r : wl_asking_reply(c, &of, few_columns, reterr);
}

int wl_tool_analyze(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct wl_askable of;
	const char *verb;
	int r = wl_call_only(c, "verb options " WL_CALL_SELECTION " " VIEW, reterr);

	if (r == WL_OK)
		r = wl_call_text(c, "verb", &verb, reterr);
	if (r == WL_OK && !verb)
		r = wl_fail(reterr, WL_E_USAGE, "verb: say which; describe lists them");
	if (r == WL_OK)
		r = wl_askable_find(verb, &of, reterr);
	return r < 0 ? r : wl_asking_reply(c, &of, NULL, reterr);
}

/* ---- Schemas ---- */

static void put_view(struct wl_jsonw *w)
{
	wl_schema_put(w, "where", "string", "Keep rows: sum > 1ms and name ~ gemm.");
	wl_schema_put(w, "sort", "string",
		      "Columns; numbers descend, text ascends, -COL reverses.");
	wl_schema_put(w, "columns", "string", "Only these, with commas between.");
	wl_schema_range(w, "limit", 1, WL_REPLY_MAX_ROWS, "Rows; 50 by default.");
	wl_schema_put(w, "cursor", "string", "next_cursor of the reply before, for further rows.");
	wl_schema_put(w, "key", "string", "Only the row of this key, with long texts whole.");
}

/* The JSON type of a parameter. */
static const char *type_of(const struct wl_param *p)
{
	return p->type == WL_P_BOOL ? "boolean" : "string";
}

/* Whether an earlier verb has an option of this key: a schema lists it once. */
static bool is_listed(size_t verb, const char *key)
{
	struct wl_askable of;

	for (size_t i = 0; i < verb && wl_askable_at(i, &of); i++) {
		for (size_t k = 0; k < of.analysis->n_params; k++) {
			if (wl_param_is_value(&of.analysis->params[k]) &&
			    strcmp(of.analysis->params[k].key, key) == 0)
				return true;
		}
	}
	return false;
}

static void put_options_of(struct wl_jsonw *w, size_t verb, const struct wl_analysis *a)
{
	for (size_t k = 0; k < a->n_params; k++) {
		const struct wl_param *p = &a->params[k];
		char key[64];

		if (wl_param_is_value(p) && !is_listed(verb, p->key))
			wl_schema_put(w, wl_param_spelling(p->key, key), type_of(p), NULL);
	}
}

void wl_schema_analyze_input(struct wl_jsonw *w)
{
	const char *names[128] = { NULL };
	struct wl_askable of;
	size_t n = 0;

	wl_schema_begin(w);
	for (; n + 1 < WL_COUNT(names) && wl_askable_at(n, &of); n++)
		names[n] = of.analysis->name;
	wl_schema_enum(w, "verb", names, "Which table.");
	wl_schema_selection(w);
	wl_schema_open(
		w, "options",
		"Options of the verb itself, as texts: {\"by\": \"name\", \"min\": \"10us\"}. "
		"describe with the verb lists its own.");
	for (size_t i = 0; i < n && wl_askable_at(i, &of); i++)
		put_options_of(w, i, of.analysis);
	wl_schema_end(w, "", true);
	put_view(w);
	wl_schema_end(w, "verb", true);
}

void wl_schema_findings_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_selection(w);
	wl_schema_open(w, "options", "{\"all\": true} also lists findings below 1% of the step.");
	put_options_of(w, 0, wl_analysis_get("findings"));
	wl_schema_end(w, "", true);
	put_view(w);
	wl_schema_end(w, "", true);
}

void wl_schema_findings_output(struct wl_jsonw *w)
{
	const struct wl_analysis *a = wl_analysis_get("findings");

	wl_schema_table(w, a->cols, a->n_cols);
}

void wl_schema_table_output(struct wl_jsonw *w)
{
	wl_schema_table(w, NULL, 0);
}
