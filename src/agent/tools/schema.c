/* SPDX-License-Identifier: MIT */
#include "agent/tools/schema.h"

#include <string.h>

static void begin_object(struct wl_jsonw *w)
{
	wl_jsonw_put_str(w, "type", "object");
	wl_jsonw_open_object(w, "properties");
}

void wl_schema_begin(struct wl_jsonw *w)
{
	wl_jsonw_begin_object(w);
	begin_object(w);
}

void wl_schema_open(struct wl_jsonw *w, const char *key, const char *help)
{
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_str(w, "description", help);
	begin_object(w);
}

void wl_schema_end(struct wl_jsonw *w, const char *required, bool is_closed)
{
	wl_jsonw_end_object(w); /* properties */
	if (*required) {
		wl_jsonw_open_array(w, "required");
		while (*required) {
			char key[64];
			size_t n = strcspn(required, " ");

			if (n < sizeof(key)) {
				memcpy(key, required, n);
				key[n] = '\0';
				wl_jsonw_str(w, key);
			}
			required += n;
			required += strspn(required, " ");
		}
		wl_jsonw_end_array(w);
	}
	if (is_closed)
		wl_jsonw_put_bool(w, "additionalProperties", false);
	wl_jsonw_end_object(w);
}

void wl_schema_put(struct wl_jsonw *w, const char *key, const char *type, const char *help)
{
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_str(w, "type", type);
	if (help)
		wl_jsonw_put_str(w, "description", help);
	wl_jsonw_end_object(w);
}

void wl_schema_enum(struct wl_jsonw *w, const char *key, const char *const *choices,
		    const char *help)
{
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_str(w, "type", "string");
	wl_jsonw_open_array(w, "enum");
	for (; *choices; choices++)
		wl_jsonw_str(w, *choices);
	wl_jsonw_end_array(w);
	if (help)
		wl_jsonw_put_str(w, "description", help);
	wl_jsonw_end_object(w);
}

void wl_schema_range(struct wl_jsonw *w, const char *key, int64_t min, int64_t max,
		     const char *help)
{
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_str(w, "type", "integer");
	wl_jsonw_put_i64(w, "minimum", min);
	wl_jsonw_put_i64(w, "maximum", max);
	if (help)
		wl_jsonw_put_str(w, "description", help);
	wl_jsonw_end_object(w);
}

void wl_schema_list(struct wl_jsonw *w, const char *key, const char *type, const char *help)
{
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_str(w, "type", "array");
	wl_jsonw_open_object(w, "items");
	wl_jsonw_put_str(w, "type", type);
	wl_jsonw_end_object(w);
	if (help)
		wl_jsonw_put_str(w, "description", help);
	wl_jsonw_end_object(w);
}

void wl_schema_selection(struct wl_jsonw *w)
{
	wl_schema_put(
		w, "trace", "string",
		"Handle that open_trace gave (\"t1\"), or a path. May be left out while there "
		"is only one trace.");
	wl_schema_put(w, "window", "string",
		      "Part of the time: 39s..42s, +1ms..+5ms, iter:3, iter:3..7, steady, middle, "
		      "nvtx:NAME#k. Times of replies as they are, in ns. Default: all of it.");
	wl_schema_put(w, "gpu", "string", "Only these devices: \"0\", \"0,2..3\".");
	wl_schema_put(w, "pid", "string", "Only these processes.");
	wl_schema_put(w, "rank", "string", "Only these ranks: \"0..7\".");
	wl_schema_put(w, "stream", "string", "Only these CUDA streams.");
	wl_schema_put(w, "marker", "string",
		      "What marks a step: part of an NVTX range's name, re:REGEX, kernel:NAME.");
	wl_schema_put(w, "traces", "string",
		      "Of facts: directory of the traces they are of. Default: beside them.");
}

void wl_schema_window(struct wl_jsonw *w)
{
	wl_schema_open(w, "window", "The time that the answer covers, on the clock of the trace.");
	wl_schema_put(w, "spec", "string", NULL);
	wl_schema_put(w, "begin_ns", "integer", NULL);
	wl_schema_put(w, "end_ns", "integer", NULL);
	wl_schema_put(w, "length_ns", "integer", NULL);
	wl_schema_end(w, "spec begin_ns end_ns length_ns", true);
}

void wl_schema_step(struct wl_jsonw *w)
{
	wl_schema_open(w, "step", "What a step is, where the answer speaks of steps.");
	wl_schema_put(w, "what", "string", NULL);
	wl_schema_put(w, "count", "integer", NULL);
	wl_schema_put(w, "median_ns", "integer", NULL);
	wl_schema_put(w, "is_guess", "boolean", "It may be a layer and not a step.");
	wl_schema_end(w, "what count median_ns is_guess", true);
}

/* A row is an array of cells: texts, numbers, booleans, or null for no value. */
static void put_rows(struct wl_jsonw *w)
{
	static const char *const types[] = { "string", "number", "boolean", "null" };

	wl_jsonw_open_object(w, "rows");
	wl_jsonw_put_str(w, "type", "array");
	wl_jsonw_open_object(w, "items");
	wl_jsonw_put_str(w, "type", "array");
	wl_jsonw_open_object(w, "items");
	wl_jsonw_open_array(w, "anyOf"); /* not every client's subset allows a list of types */
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "type", types[i]);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_end_object(w);
	wl_jsonw_end_object(w);
	wl_jsonw_put_str(w, "description",
			 "A row is an array of values in the order of columns, in base units.");
	wl_jsonw_end_object(w);
}

void wl_schema_rows(struct wl_jsonw *w, const struct wl_col *cols, size_t n)
{
	wl_jsonw_open_object(w, "columns");
	wl_jsonw_put_str(w, "type", "array");
	wl_jsonw_open_object(w, "items");
	wl_jsonw_put_str(w, "type", "string");
	if (cols) {
		wl_jsonw_open_array(w, "enum");
		for (size_t i = 0; i < n; i++)
			wl_jsonw_str(w, cols[i].key);
		wl_jsonw_end_array(w);
	}
	wl_jsonw_end_object(w);
	wl_jsonw_put_str(w, "description", "Columns that are empty in every row are left out.");
	wl_jsonw_end_object(w);
	wl_schema_put(w, "units", "object", "Unit by column: ns, bytes, ...");
	put_rows(w);
}

void wl_schema_table(struct wl_jsonw *w, const struct wl_col *cols, size_t n)
{
	wl_schema_begin(w);
	wl_schema_put(w, "answer", "string", "The answer in a sentence.");
	wl_schema_put(w, "trace", "string", "Handle.");
	wl_schema_put(w, "verb", "string", NULL);
	wl_schema_window(w);
	wl_schema_step(w);
	wl_schema_put(w, "coverage", "object",
		      "By name {have, of}: how much of the data the answer could use.");
	wl_schema_list(w, "notes", "string", "Caveats; repeat those that matter.");
	wl_schema_put(w, "how", "string", "The command line that gives the same table.");
	wl_schema_put(w, "total_rows", "integer", NULL);
	wl_schema_put(w, "total_is_at_least", "boolean",
		      "There may be more rows than total_rows; next_cursor goes on.");
	wl_schema_rows(w, cols, n);
	wl_schema_list(w, "keys", "string", "A stable name for each row, to cite or to ask for.");
	wl_schema_list(w, "evidence_calls", "object",
		       "For each row the call that shows its evidence: {tool, arguments}; {} for "
		       "a row without one.");
	wl_schema_put(w, "next_cursor", "string", "Where there are more rows: ask again with it.");
	wl_schema_put(w, "cut", "string", "What was left out.");
	wl_schema_end(w, "answer verb coverage notes how total_rows columns units rows keys", true);
}
