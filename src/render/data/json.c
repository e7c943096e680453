/* SPDX-License-Identifier: MIT */
/* json.c - writes a document as JSON for programs: base units, full precision, stable keys. */
#include "render/data/json_row.h"
#include "render/formats.h"
#include "render/words/frame.h"

static void put_trace(struct wl_jsonw *w, const struct wl_document *doc)
{
	wl_jsonw_open_object(w, "trace");
	for (size_t i = 0; i < doc->n_trace; i++) {
		if (doc->trace[i].str)
			wl_jsonw_put_str(w, doc->trace[i].key, doc->trace[i].str);
		else
			wl_jsonw_put_i64(w, doc->trace[i].key, doc->trace[i].i64);
	}
	wl_jsonw_end_object(w);
}

static void put_interval(struct wl_jsonw *w, struct wl_doc_window window)
{
	wl_jsonw_put_i64(w, "begin", window.begin);
	wl_jsonw_put_i64(w, "end", window.end);
}

static void put_devices(struct wl_jsonw *w, const struct wl_document *doc)
{
	wl_jsonw_open_array(w, "devices");
	for (size_t i = 0; i < doc->n_windows; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_i64(w, "device", doc->windows[i].device);
		put_interval(w, doc->windows[i]);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* Written only if there is a selection; values are as the user wrote them. */
static void put_selection(struct wl_jsonw *w, const struct wl_document *doc)
{
	if (doc->n_selection == 0)
		return;
	wl_jsonw_open_object(w, "selection");
	for (size_t i = 0; i < doc->n_selection; i++)
		wl_jsonw_put_str(w, doc->selection[i].key, doc->selection[i].str);
	wl_jsonw_end_object(w);
}

static void put_window(struct wl_jsonw *w, const struct wl_document *doc)
{
	struct wl_doc_window all;

	wl_jsonw_key(w, "window");
	if (!wl_document_bounds(doc, &all)) {
		wl_jsonw_null(w);
		return;
	}
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "spec", doc->window_spec);
	put_interval(w, all);
	wl_jsonw_put_i64(w, "length", wl_frame_length(all));
	if (doc->windows[0].device >= 0)
		put_devices(w, doc);
	wl_jsonw_end_object(w);
}

/* Written only if the answer is about steps. */
static void put_step(struct wl_jsonw *w, const struct wl_document *doc)
{
	const struct wl_doc_step *s = doc->step;

	if (!s)
		return;
	wl_jsonw_open_object(w, "step");
	wl_jsonw_put_str(w, "method", s->method);
	wl_jsonw_put_str(w, "what", s->what);
	wl_jsonw_put_i64(w, "count", s->count);
	wl_jsonw_put_i64(w, "median", s->median);
	wl_jsonw_put_i64(w, "processes", s->n_processes);
	if (s->is_guess >= 0)
		wl_jsonw_put_bool(w, "guess", s->is_guess != 0);
	wl_jsonw_end_object(w);
}

/* Written only if there are several; "trace" and "window" are those of the first. */
static void put_traces(struct wl_jsonw *w, const struct wl_document *doc)
{
	if (doc->n_traces == 0)
		return;
	wl_jsonw_open_array(w, "traces");
	for (size_t i = 0; i < doc->n_traces; i++) {
		const struct wl_section *s = wl_first_section(&doc->traces[i]);

		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		put_trace(w, &doc->traces[i]);
		put_window(w, &doc->traces[i]);
		put_step(w, &doc->traces[i]);
		if (s && s->missing)
			wl_jsonw_put_str(w, "missing", s->missing);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

void wl_json_put_coverage(struct wl_jsonw *w, const struct wl_table *t)
{
	wl_jsonw_open_object(w, "coverage");
	for (size_t i = 0; i < t->n_coverage; i++) {
		wl_jsonw_open_object(w, t->coverage[i].name);
		wl_jsonw_put_i64(w, "have", t->coverage[i].have);
		wl_jsonw_put_i64(w, "of", t->coverage[i].of);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_object(w);
}

/* The members of a table, whether it is the document's only one or in a list of sections. */
static void put_table(struct wl_jsonw *w, const struct wl_section *s)
{
	const struct wl_view *v = &s->view;

	if (s->missing) {
		wl_jsonw_put_str(w, "missing", s->missing);
		return;
	}
	wl_json_put_coverage(w, v->table);
	wl_json_columns(w, v);
	wl_jsonw_open_array(w, "rows");
	for (size_t i = 0; i < v->n_rows; i++) {
		wl_jsonw_newline(w);
		wl_json_row(w, v, v->rows[i]);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_put_i64(w, "rows_total", (int64_t)v->n_total);
	wl_jsonw_open_array(w, "notes");
	for (const struct wl_note *n = v->table->notes; n; n = n->next)
		wl_jsonw_str(w, n->text);
	wl_jsonw_end_array(w);
}

/* Written only if it differs from the document's window. */
static void put_section_window(struct wl_jsonw *w, const struct wl_doc_window *window)
{
	if (!window)
		return;
	wl_jsonw_open_object(w, "window");
	put_interval(w, *window);
	wl_jsonw_put_i64(w, "length", wl_frame_length(*window));
	wl_jsonw_end_object(w);
}

static void put_sections(struct wl_jsonw *w, const struct wl_document *doc)
{
	wl_jsonw_open_array(w, "sections");
	for (size_t i = 0; i < doc->n_sections; i++) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "analysis", doc->sections[i].analysis);
		wl_jsonw_put_str(w, "title", doc->sections[i].title);
		put_section_window(w, doc->sections[i].window);
		if (doc->sections[i].from)
			wl_jsonw_put_str(w, "from", doc->sections[i].from);
		if (doc->sections[i].about)
			wl_jsonw_put_str(w, "about", doc->sections[i].about);
		put_table(w, &doc->sections[i]);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

void wl_render_json(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	const struct wl_section *first = wl_first_section(doc);
	struct wl_jsonw w;

	(void)opts;
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_json_head(&w);
	if (doc->single && first)
		wl_jsonw_put_str(&w, "analysis", first->analysis);
	else
		wl_jsonw_put_str(&w, "document", doc->name);
	if (doc->title)
		wl_jsonw_put_str(&w, "title", doc->title);
	put_trace(&w, doc);
	put_window(&w, doc);
	put_selection(&w, doc);
	put_step(&w, doc);
	put_traces(&w, doc);
	if (doc->single && first)
		put_table(&w, first);
	else
		put_sections(&w, doc);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}
