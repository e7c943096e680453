/* SPDX-License-Identifier: MIT */
#include "session/open/several.h"

#include <string.h>

#include "session/open/join.h"

enum {
	TRACE,
	GPUS,
	WINDOW,
	STEPS,
	STEP,
	COMPUTE,
	EXPOSED_COMM,
	EXPOSED_COPY,
	IDLE,
	CODE,
	SHARE,
	FINDING,
	SAVES,
	KIND,
	N_COLS
};

static const struct wl_col cols[N_COLS] = {
	[TRACE] = { "trace", "Trace", WL_T_STR, WL_KEY | WL_ORIGIN, "Trace of the row." },
	[GPUS] = { "gpus", "GPUs", WL_T_COUNT, WL_PLAIN, "GPUs with operations in the window." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_PLAIN, "Length of the window." },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_MINOR,
		    "Steps of the process that has most; empty without steps." },
	[STEP] = { "step", "Median step", WL_T_NS, WL_PLAIN,
		   "Median length of all its steps; empty without steps." },
	[COMPUTE] = { "compute", "Compute", WL_T_RATIO, WL_PLAIN,
		      "Compute over the windows of all GPUs." },
	[EXPOSED_COMM] = { "exposed_comm", "Exposed comm", WL_T_RATIO, WL_PLAIN,
			   "Communication that no compute hides, over the windows." },
	[EXPOSED_COPY] = { "exposed_copy", "Exposed copy", WL_T_RATIO, WL_MINOR,
			   "Copies that nothing hides, over the windows." },
	[IDLE] = { "idle", "Idle", WL_T_RATIO, WL_PLAIN, "Idle time over the windows." },
	[CODE] = { "code", "Code", WL_T_ENUM, WL_PLAIN,
		   "The finding that saves most; empty without findings." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_MINOR,
		    "What it claims, of a step or of the window." },
	[FINDING] = { "finding", "Finding", WL_T_STR, WL_PROSE | WL_MINOR, "What it says." },
	[SAVES] = { "saves_share", "Saves", WL_T_RATIO, WL_PLAIN,
		    "What fixing it saves of the run, as findings has it." },
	[KIND] = { "saves_kind", "Kind", WL_T_ENUM, WL_PLAIN,
		   "prediction, or at most: an upper bound." },
};

const struct wl_table_info wl_several_table = { "traces", "Traces", cols, N_COLS };

/* The table of a section; NULL where the trace has no data for it. */
static const struct wl_table *table_of(const struct wl_document *doc, const char *analysis)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		if (strcmp(doc->sections[i].analysis, analysis) == 0)
			return doc->sections[i].missing ? NULL : doc->sections[i].view.table;
	}
	return NULL;
}

/* The answer is one that wl_join_missing() made. */
static bool is_missing(const struct wl_document *doc)
{
	return doc->single;
}

static int64_t sum_of(const struct wl_table *t, const char *key)
{
	int64_t sum = 0;
	size_t col;

	if (!wl_table_find_col(t, key, &col))
		return 0;
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct wl_cell cell = wl_table_at(t, row, col);

		/* Windows of up to a millennium, of some hundred GPUs. */
		sum += cell.set ? cell.i64 : 0;
	}
	return sum;
}

static void put_split(const struct wl_table *t, struct wl_table *out)
{
	const int64_t window = sum_of(t, cols[WINDOW].key);
	static const unsigned parts[] = { COMPUTE, EXPOSED_COMM, EXPOSED_COPY, IDLE };

	for (size_t i = 0; i < WL_COUNT(parts); i++)
		wl_put_ratio(out, parts[i], sum_of(t, cols[parts[i]].key), window);
}

/* The first row is the finding that saves most. */
static void put_finding(const struct wl_table *t, struct wl_table *out)
{
	static const unsigned texts[] = { CODE, FINDING, KIND }, ratios[] = { SHARE, SAVES };
	size_t col;

	for (size_t i = 0; t->n_rows && i < WL_COUNT(texts); i++) {
		if (wl_table_find_col(t, cols[texts[i]].key, &col) && wl_table_at(t, 0, col).set)
			wl_put_str(out, texts[i], wl_table_at(t, 0, col).str);
	}
	for (size_t i = 0; t->n_rows && i < WL_COUNT(ratios); i++) {
		if (wl_table_find_col(t, cols[ratios[i]].key, &col) && wl_table_at(t, 0, col).set)
			wl_put_f64(out, ratios[i], wl_table_at(t, 0, col).f64);
	}
}

static int64_t window_of(const struct wl_document *doc)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;

	for (size_t i = 0; i < doc->n_windows; i++) {
		begin = doc->windows[i].begin < begin ? doc->windows[i].begin : begin;
		end = doc->windows[i].end > end ? doc->windows[i].end : end;
	}
	return end > begin ? end - begin : 0;
}

static void put_trace(const struct wl_document *doc, const char *label, struct wl_table *out)
{
	const struct wl_table *overlap = table_of(doc, "overlap");
	const struct wl_table *findings = table_of(doc, "findings");

	wl_table_row(out);
	wl_put_str(out, TRACE, label);
	if (is_missing(doc)) {
		wl_table_note(out, "%s: %s", label, doc->sections[0].missing);
		return;
	}
	if (doc->n_devices >= 0)
		wl_put_i64(out, GPUS, doc->n_devices);
	wl_put_i64(out, WINDOW, window_of(doc));
	if (doc->step) {
		wl_put_i64(out, STEPS, doc->step->count);
		wl_put_i64(out, STEP, doc->step->median);
	}
	if (overlap)
		put_split(overlap, out);
	if (findings)
		put_finding(findings, out);
}

int wl_several_join(const struct wl_request *request, const struct wl_document *docs, size_t n,
		    struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);
	struct wl_table *table = WL_NEW(arena, struct wl_table, 1);
	size_t n_missing = 0;
	int r;

	if (!section || !table)
		return wl_fail(reterr, WL_E_NOMEM, "summary: no memory for the answer");
	wl_table_init(table, arena, cols, N_COLS);
	for (size_t i = 0; i < n; i++) {
		n_missing += is_missing(&docs[i]);
		put_trace(&docs[i], wl_join_label(docs, n, i), table);
	}
	/* No trace has data: the reason of the first is as good as any. */
	if (n_missing == n)
		return wl_fail(reterr, WL_E_NODATA, "summary: %.200s: %s",
			       wl_join_label(docs, n, 0), docs[0].sections[0].missing);
	wl_table_note(table, "shares are of the whole window on all GPUs" WL_STOP
			     ", and not of the median step");
	wl_table_note(table,
		      "\"warplens findings --separate\" with the same traces says what to do about "
		      "each; \"warplens TRACE\" sums up one");
	if (!wl_table_ok(table))
		return wl_fail(reterr, WL_E_NOMEM, "summary: no memory for the answer");
	*section = (struct wl_section){ .analysis = wl_several_table.name };
	r = wl_view_make(table, &request->view, arena, &section->view, reterr);
	if (r < 0)
		return r;
	wl_view_note_none(&section->view, table);
	*ret_document = docs[0];
	ret_document->traces = docs;
	ret_document->n_traces = n;
	ret_document->sections = section;
	ret_document->n_sections = 1;
	ret_document->single = true;
	return WL_OK;
}
