/* SPDX-License-Identifier: MIT */
/* head_trace.c - each trace in the head: the facts of the file, and notes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words/step_words.h"
#include "base/text/marks.h"
#include "derive/comm/match/matches.h"
#include "scene/collectives.h"
#include "serve/page/head_parts.h"

/* ---- Tables of the trace ---- */

typedef void row_fn(const struct wl_table *table, size_t row, struct wl_jsonw *out);

/* Ask for a part of "warplens info"; without an answer there are no rows. */
static void each_row(const struct wl_scene *scene, const char *analysis, row_fn *fn,
		     struct wl_jsonw *out, struct wl_arena *arena)
{
	struct wl_request request = scene->request;
	struct wl_document doc;
	struct wl_err err;

	request.analysis = wl_analysis_get(analysis);
	if (!scene->session || wl_session_run(scene->session, &request, arena, &doc, &err) != WL_OK)
		return;
	for (size_t i = 0; i < doc.sections[0].view.n_rows; i++)
		fn(doc.sections[0].view.table, doc.sections[0].view.rows[i], out);
}

static struct wl_cell cell_of(const struct wl_table *table, size_t row, const char *key)
{
	size_t col;

	return wl_table_find_col(table, key, &col) ? wl_table_at(table, row, col)
						   : (struct wl_cell){ .set = false };
}

static void put_pair(struct wl_jsonw *out, const char *name, const char *value)
{
	wl_jsonw_begin_array(out);
	wl_jsonw_str(out, name);
	wl_jsonw_str(out, value);
	wl_jsonw_end_array(out);
}

static void put_fact(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	const struct wl_cell key = cell_of(table, row, "key"), value = cell_of(table, row, "value");

	if (key.set && value.set)
		put_pair(out, key.str, value.str);
}

/* Versions are no secret. */
static void put_plain_fact(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	static const char *const plain[] = { "exported by nsys", "schema", "driver", "duration" };
	const struct wl_cell key = cell_of(table, row, "key");

	for (size_t i = 0; key.set && i < WL_COUNT(plain); i++) {
		if (strcmp(key.str, plain[i]) == 0)
			put_fact(table, row, out);
	}
}

static void put_coverage(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	const struct wl_cell what = cell_of(table, row, "what");

	if (!what.set)
		return;
	wl_jsonw_open_object(out, what.str);
	wl_jsonw_put_i64(out, "have", cell_of(table, row, "have").i64);
	wl_jsonw_put_i64(out, "of", cell_of(table, row, "of").i64);
	wl_jsonw_end_object(out);
}

/* ---- Members of a trace ---- */

static void put_gpus(const struct wl_trace *t, struct wl_jsonw *out)
{
	for (size_t d = 0; d < t->n_devices; d++) {
		char name[32];

		if (t->devices[d].name == WL_NONE)
			continue;
		(void)snprintf(name, sizeof(name), "GPU %zu", d);
		put_pair(out, name, wl_str(t, t->devices[d].name));
	}
}

/* Rows that the reader had to drop are missing here as they are everywhere. */
static void put_dropped(const struct wl_trace *t, struct wl_jsonw *out)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		char text[160];

		if (t->family[f].n_dropped == 0)
			continue;
		(void)snprintf(text, sizeof(text),
			       "%zu row%s of %s skipped: invalid time or device",
			       t->family[f].n_dropped, t->family[f].n_dropped == 1 ? "" : "s",
			       wl_family_infos[f].help);
		wl_jsonw_str(out, text);
	}
}

/* Tables that warplens does not know may be named after what they are about. */
static void put_unused(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	const struct wl_cell name = cell_of(table, row, "table"), why = cell_of(table, row, "why");
	const struct wl_cell meaning = cell_of(table, row, "meaning");
	const int64_t rows = cell_of(table, row, "rows").i64;
	char text[200];

	if (!name.set || !why.set || !meaning.set || strcmp(why.str, "events") != 0)
		return;
	(void)snprintf(text, sizeof(text), "recorded, not used: %s (%" PRId64 " row%s of %s)",
		       meaning.str, rows, rows == 1 ? "" : "s", name.str);
	wl_jsonw_str(out, text);
}

/* What such a table is about. */
static void put_meaning(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	const struct wl_cell why = cell_of(table, row, "why");
	const struct wl_cell meaning = cell_of(table, row, "meaning");

	if (meaning.set && why.set && strcmp(why.str, "events") == 0)
		wl_jsonw_str(out, meaning.str);
}

static void put_reason(const struct wl_table *table, size_t row, struct wl_jsonw *out)
{
	const struct wl_cell text = cell_of(table, row, "text");

	if (text.set)
		wl_jsonw_str(out, text.str);
}

static bool put_notes(const struct wl_head *head, const struct wl_scene *scene,
		      struct wl_jsonw *out, struct wl_arena *arena)
{
	const char *const *note = NULL;

	wl_jsonw_open_array(out, "notes");
	if (head->naming == WL_NAMES_AS_THEY_ARE && scene->scope.process_on) {
		note = wl_iterations_notes(scene->trace, scene->tracks.iterations,
					   scene->scope.process_on, arena);
		if (!note)
			return false;
	}
	for (; note && *note; note++) {
		const char *text = wl_mark_fill(*note, "--marker PATTERN", arena);

		if (!text)
			return false;
		wl_jsonw_str(out, text);
	}
	put_dropped(scene->trace, out);
	if (head->naming == WL_NAMES_AS_THEY_ARE)
		each_row(scene, "reasons", put_reason, out, arena);
	each_row(scene, "unused", put_unused, out, arena);
	wl_jsonw_end_array(out);
	wl_jsonw_open_array(out, "unused");
	each_row(scene, "unused", put_meaning, out, arena);
	wl_jsonw_end_array(out);
	return true;
}

static void put_label(const struct wl_head *head, size_t scene, struct wl_jsonw *out)
{
	const struct wl_scene *shown = head->show->scene[scene];
	char text[32];

	(void)snprintf(text, sizeof(text), "trace %zu", scene + 1);
	wl_jsonw_put_str(out, "label", head->naming == WL_NAMES_REDACTED ? text : shown->path);
	wl_jsonw_put_i64(out, "files", (int64_t)shown->trace->n_files);
	wl_jsonw_open_array(out, "given");
	for (size_t i = 0; head->naming != WL_NAMES_REDACTED && i < shown->files.n; i++)
		wl_jsonw_str(out, shown->files.path[i]);
	wl_jsonw_end_array(out);
}

static void put_times(const struct wl_head *head, size_t scene, struct wl_jsonw *out)
{
	const struct wl_interval extent = wl_show_extent(head->show, scene);

	wl_jsonw_put_id(out, "origin", wl_show_origin(head->show, scene));
	wl_jsonw_key(out, "begin");
	wl_head_time(head, scene, extent.begin, out);
	wl_jsonw_key(out, "end");
	wl_head_time(head, scene, extent.end, out);
	wl_jsonw_key(out, "window");
	if (!head->show->in_window) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_array(out);
	wl_head_time(head, scene, extent.begin, out);
	wl_head_time(head, scene, extent.end, out);
	wl_jsonw_end_array(out);
}

/* By set of collectives: its first match, and what they share. */
static void put_collectives(const struct wl_scene *scene, struct wl_jsonw *out)
{
	const struct wl_scene_collectives *c = scene->collectives;

	wl_jsonw_open_array(out, "collectives");
	for (size_t i = 0; c && c->n > 0 && i < c->matches->n_sets; i++) {
		const struct wl_collective_kind kind = wl_collective_kind_of(c, i);

		wl_jsonw_begin_array(out);
		wl_jsonw_i64(out, (int64_t)c->matches->set[i].lo);
		wl_jsonw_str(out, kind.title);
		wl_jsonw_i64(out, (int64_t)kind.n_members);
		wl_jsonw_i64(out, (int64_t)kind.n_ranks);
		wl_jsonw_i64(out, kind.no_clock ? 0 : 1);
		wl_jsonw_f64(out, kind.volume);
		wl_jsonw_f64(out, kind.bus);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

static bool put_trace(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		      struct wl_arena *arena)
{
	const struct wl_scene *scene = head->show->scene[number];
	bool ok;

	wl_jsonw_newline(out);
	wl_jsonw_begin_object(out);
	put_label(head, number, out);
	put_times(head, number, out);
	wl_jsonw_open_array(out, "facts");
	each_row(scene, "about", head->naming == WL_NAMES_REDACTED ? put_plain_fact : put_fact, out,
		 arena);
	put_gpus(scene->trace, out);
	wl_jsonw_end_array(out);
	ok = put_notes(head, scene, out, arena);
	wl_jsonw_open_object(out, "coverage");
	each_row(scene, "coverage", put_coverage, out, arena);
	wl_jsonw_end_object(out);
	put_collectives(scene, out);
	wl_head_headline(head, number, out, arena);
	ok = ok && wl_head_lateness(head, number, out, arena) &&
	     wl_head_tables(head, number, out, arena) && wl_head_stacks(head, number, out, arena) &&
	     wl_head_whatif(head, number, out, arena);
	wl_jsonw_end_object(out);
	return ok;
}

bool wl_head_traces(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	bool ok = true;

	wl_jsonw_open_array(out, "traces");
	for (size_t i = 0; i < head->show->n && ok; i++)
		ok = put_trace(head, i, out, arena);
	wl_jsonw_end_array(out);
	return ok;
}
