/* SPDX-License-Identifier: MIT */
/* Answers: which tables, in which frame, and that they do not depend on what was asked before. */
#include "session/open/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registered.h"
#include "base/stop.h"
#include "base/text/json_read.h"
#include "derive/derived.h"
#include "render/render.h"
#include "support/db.h"
#include "support/unit.h"

/*
 * Two processes on a device each, with kernels, calls and ranges; pid 100 runs nine
 * kernels of different names, so that the five of the summary are a choice.
 */
static void put_trace(struct db *db)
{
	char name[32];

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "cudaLaunchKernel");
	for (int i = 0; i < 9; i++) {
		(void)snprintf(name, sizeof(name), "kernel%d", i);
		db_string(db, 10 + i, name);
		DB_KERNEL(db, .start = INT64_C(1000) * (i + 1),
			  .end = INT64_C(1000) * (i + 1) + 100 + i, .corr = (unsigned)i + 1,
			  .name = 10 + i);
		DB_API(db, .start = INT64_C(100) * i, .end = INT64_C(100) * i + 50, .tid = 1,
		       .corr = (unsigned)i + 1, .name = 1);
	}
	DB_KERNEL(db, .start = 2000, .end = 4000, .pid = 101, .corr = 1, .name = 10);
	DB_API(db, .start = 120, .end = 130, .pid = 101, .tid = 2, .corr = 1, .name = 1);
	db_run(db,
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId,"
	       " correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
	       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
	       " (3000, 3500, 0, 1, 7, 77, %lld, 4096, 1, 0, 2);"
	       "CREATE TABLE OSRT_API (start, end, nameId, globalTid);"
	       "INSERT INTO OSRT_API VALUES (100, 140, 1, %lld)",
	       db_pid(0, 100), db_tid(100, 1));
	DB_NVTX(db, .start = 0, .end = 199, .tid = 1, .text = "step");
	DB_NVTX(db, .start = 0, .end = 199, .pid = 101, .tid = 2, .text = "step");
}

struct world {
	struct db *db;
	struct wl_session *session;
	struct wl_arena arena;
	struct wl_document doc;
	struct wl_err err;
	struct wl_json *map;                 /* what parameters that are documents get */
	const char *args[WL_MAX_PARAMS];     /* see needed_args */
	struct wl_json *docs[WL_MAX_PARAMS]; /* the same */
};

static struct wl_session *open_session(const char *path)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_session *s = NULL;
	struct wl_err err = { .code = WL_OK };

	if (wl_session_open(path, &opts, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static int setup(void **state)
{
	static const char map[] = "{\"a\": [\"s\"], \"b\": [\"re:.\"]}";
	struct world *w = test_calloc(1, sizeof(*w));
	void *db;
	int r = db_setup(&db);

	*state = w;
	if (r)
		return r;
	w->db = db_open(&db, "t.sqlite");
	put_trace(w->db);
	w->session = open_session(db_close(w->db));
	wl_arena_init(&w->arena, 16 << 20);
	return wl_json_parse(map, strlen(map), "map", &w->map, &w->err);
}

static int teardown(void **state)
{
	struct world *w = *state;
	void *db = w->db;

	wl_json_free(w->map);
	wl_arena_release(&w->arena);
	wl_session_close(w->session);
	test_free(w);
	return db_teardown(&db);
}

/* Give the request the arguments without which the analysis does not answer. */
static void needed_args(struct world *w, struct wl_request *q)
{
	for (size_t i = 0; i < q->analysis->n_params; i++) {
		const struct wl_param *p = &q->analysis->params[i];

		w->args[i] = p->operand ? "." : NULL;
		w->docs[i] = q->analysis == &wl_analysis_phases ? w->map : NULL;
	}
	q->args = w->args;
	q->docs = w->docs;
}

static int run_in(struct world *w, struct wl_session *s, const struct wl_request *q)
{
	w->err = (struct wl_err){ .code = WL_OK };
	return wl_session_run(s, q, &w->arena, &w->doc, &w->err);
}

static int run(struct world *w, const struct wl_request *q)
{
	return run_in(w, w->session, q);
}

static void answer(struct world *w, const struct wl_request *q)
{
	if (run(w, q) < 0)
		fail_msg("%s", w->err.msg);
}

/* Who asks for it gets the reason alone, and a failure has the name before it. */
TEST_WITH(no_data_is_a_reason_without_a_name, setup, teardown)
{
	struct world *w = *state;
	const struct wl_request q = { .analysis = &wl_analysis_metrics };
	char named[600];

	assert_int_equal(wl_session_ask(w->session, &q, &w->arena, &w->doc, &w->err), WL_OK);
	assert_non_null(wl_document_missing(&w->doc));
	assert_int_equal(strncmp(wl_document_missing(&w->doc), "the trace has no ", 17), 0);
	assert_string_equal(w->doc.sections[0].analysis, "metrics");
	(void)snprintf(named, sizeof(named), "metrics: %s", wl_document_missing(&w->doc));
	assert_int_equal(run(w, &q), WL_E_NODATA);
	assert_string_equal(w->err.msg, named);
	/* What is there is not missing. */
	assert_int_equal(wl_session_ask(w->session,
					&(struct wl_request){ .analysis = &wl_analysis_kernels },
					&w->arena, &w->doc, &w->err),
			 WL_OK);
	assert_null(wl_document_missing(&w->doc));
}

static void expect_refusal(struct world *w, const struct wl_request *q, const char *words)
{
	struct wl_session *fresh = open_session(w->db->path);
	struct wl_columns before = wl_session_trace(fresh)->loaded;

	assert_int_equal(run(w, q), WL_E_USAGE);
	if (!strstr(w->err.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", w->err.msg, words);
	assert_int_equal(wl_request_check(q, NULL), WL_E_USAGE);
	/* Nothing was read to find that out. */
	assert_int_equal(wl_session_load(fresh, q, NULL), WL_E_USAGE);
	assert_memory_equal(&wl_session_trace(fresh)->loaded, &before, sizeof(before));
	wl_session_close(fresh);
}

static const struct wl_document_info *summary(void)
{
	return wl_document_find("summary");
}

/* --- how ranges are named ------------------------------------------------------------------- */

static struct wl_json *parse(const char *text)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	if (wl_json_parse(text, strlen(text), "my.json", &doc, &err) < 0)
		fail_msg("%s", err.msg);
	return doc;
}

static size_t count_rows(const struct world *w)
{
	return w->doc.sections[0].view.n_rows;
}

TEST_WITH(a_marker_and_a_convention_name_iterations, setup, teardown)
{
	struct world *w = *state;
	struct wl_json *doc = parse("{\"name\": \"mine\", \"anchor\": [\"st*\"]}");
	struct wl_request q = { .analysis = wl_analysis_get("iters"), .marker = "STEP" };

	answer(w, &q);
	assert_int_equal(count_rows(w), 2);
	/* Another question is computed, and an earlier one again as before. */
	q = (struct wl_request){ .analysis = q.analysis };
	assert_int_equal(run(w, &q), WL_E_NODATA);
	q.conventions = (struct wl_named_doc){ "my.json", doc };
	answer(w, &q);
	assert_int_equal(count_rows(w), 2);
	q.conventions = (struct wl_named_doc){ "vllm", NULL };
	assert_int_equal(run(w, &q), WL_E_NODATA);
	q.marker = "step";
	answer(w, &q);
	assert_int_equal(count_rows(w), 2);
	wl_session_close(w->session); /* it may hold on to the document until then */
	wl_json_free(doc);
	w->session = open_session(w->db->path);
}

TEST_WITH(what_is_no_name_is_refused, setup, teardown)
{
	struct world *w = *state;
	struct wl_json *doc = parse("{\"name\": \"mine\", \"ancor\": []}");
	struct wl_request q = { .analysis = wl_analysis_get("kernels"), .marker = "re:(" };

	expect_refusal(w, &q, "--marker re:(");
	q = (struct wl_request){ .analysis = q.analysis, .conventions = { "nemo", NULL } };
	expect_refusal(w, &q, "nemo");
	q.conventions = (struct wl_named_doc){ "my.json", doc };
	expect_refusal(w, &q, "my.json: unknown member \"ancor\"");
	wl_json_free(doc);
}

TEST_WITH(windows_by_iteration_are_of_each_process, setup, teardown)
{
	struct world *w = *state;
	struct wl_request q = { .analysis = wl_analysis_get("overlap"),
				.selection = { .window = "iter:0" },
				.marker = "step" };

	answer(w, &q);
	assert_int_equal(w->doc.n_windows, 2);
	assert_int_equal(w->doc.windows[0].begin, 1000);
	assert_int_equal(w->doc.windows[0].end, 2101);
	assert_int_equal(w->doc.windows[1].begin, 2000);
	assert_int_equal(w->doc.windows[1].end, 4000);
	q.selection.window = "iter:1";
	assert_int_equal(run(w, &q), WL_E_NOMATCH);
	q.selection.window = "steady"; /* a single iteration has no period */
	assert_int_equal(run(w, &q), WL_E_NODATA);
	q.marker = NULL;
	q.selection.window = "iter:0";
	assert_int_equal(run(w, &q), WL_E_NODATA);
	assert_non_null(strstr(w->err.msg, "--marker"));
}

/* --- documents and sections ---------------------------------------------------------------- */

TEST(documents_list_analyses_that_exist)
{
	assert_null(wl_document_find("nobody"));
	for (size_t i = 0; i < wl_n_documents; i++) {
		const struct wl_document_info *d = wl_documents[i];

		assert_ptr_equal(wl_document_find(d->name), d);
		assert_in_range(d->n_sections, 1, WL_MAX_SECTIONS);
		for (size_t s = 0; s < d->n_sections; s++) {
			assert_string_equal(wl_analysis_get(d->sections[s].analysis)->name,
					    d->sections[s].analysis);
			assert_non_null(d->sections[s].title);
			for (size_t other = 0; other < s; other++)
				assert_string_not_equal(d->sections[s].analysis,
							d->sections[other].analysis);
		}
	}
}

/* Those of a trace that is one file, without a report of ncu. Returns how many. */
static size_t check_sections(const struct world *w, const struct wl_document_info *d)
{
	size_t n = 0;

	for (size_t s = 0; s < d->n_sections; s++) {
		if (d->sections[s].only_in_job || d->sections[s].only_with_ncu ||
		    d->sections[s].of == WL_OF_HOST)
			continue;
		assert_true(n < w->doc.n_sections);
		assert_string_equal(w->doc.sections[n].analysis, d->sections[s].analysis);
		assert_string_equal(w->doc.sections[n].title, d->sections[s].title);
		n++;
	}
	return n;
}

TEST_WITH(a_document_shows_its_sections_in_order, setup, teardown)
{
	struct world *w = *state;

	for (size_t i = 0; i < wl_n_documents; i++) {
		const struct wl_document_info *d = wl_documents[i];

		answer(w, &(struct wl_request){ .document = d, .in_full = true });
		assert_string_equal(w->doc.name, d->name);
		assert_false(w->doc.single);
		assert_false(w->doc.brief);
		assert_int_equal(w->doc.n_sections, check_sections(w, d));
	}
}

TEST_WITH(a_document_leaves_out_what_only_its_whole_has, setup, teardown)
{
	struct world *w = *state;
	size_t n_of_host = 0;

	answer(w, &(struct wl_request){ .document = summary() });
	assert_true(w->doc.brief);
	/* Neither has a trace of one file what only jobs have, ranks, or without a report roofs. */
	for (size_t s = 0; s < summary()->n_sections; s++)
		n_of_host += summary()->sections[s].of == WL_OF_HOST;
	assert_int_equal(w->doc.n_sections, summary()->n_sections - n_of_host - 3);
	for (size_t s = 0; s < w->doc.n_sections; s++)
		assert_string_not_equal(w->doc.sections[s].analysis, "streams");
	answer(w, &(struct wl_request){ .document = summary(), .section = "streams" });
	assert_true(w->doc.single);
}

/* Each section that takes the report gets it, and those that are only of it are there. */
TEST_WITH(a_report_of_ncu_has_its_section, setup, teardown)
{
	struct world *w = *state;
	struct wl_json *doc = parse("{\"kernels\": [{\"kernel\": \"a\", \"launches\": 1}]}");
	size_t n_found = 0;

	answer(w, &(struct wl_request){ .document = summary(), .ncu = doc });
	for (size_t s = 0; s < w->doc.n_sections; s++) {
		const struct wl_section *section = &w->doc.sections[s];

		if (strcmp(section->analysis, "roofline") != 0)
			continue;
		assert_null(section->missing);
		assert_int_equal(section->view.n_rows, 1);
		n_found++;
	}
	assert_int_equal(n_found, 1);
	answer(w, &(struct wl_request){ .analysis = wl_analysis_get("roofline"), .ncu = doc });
	assert_int_equal(w->doc.sections[0].view.n_rows, 1);
	wl_json_free(doc);
}

TEST_WITH(a_section_alone_is_a_single_table, setup, teardown)
{
	struct world *w = *state;

	answer(w, &(struct wl_request){ .document = summary(), .section = "kernels" });
	assert_true(w->doc.single);
	assert_int_equal(w->doc.n_sections, 1);
	assert_string_equal(w->doc.sections[0].analysis, "kernels");
	assert_string_equal(w->doc.name, "summary");
}

TEST_WITH(an_analysis_is_a_document_of_one, setup, teardown)
{
	struct world *w = *state;

	answer(w, &(struct wl_request){ .analysis = &wl_analysis_kernels });
	assert_true(w->doc.single);
	assert_null(w->doc.sections[0].title);
	assert_null(w->doc.sections[0].missing);
	assert_string_equal(w->doc.name, "kernels");
}

TEST_WITH(sections_that_do_not_exist_are_refused, setup, teardown)
{
	struct world *w = *state;

	expect_refusal(w, &(struct wl_request){ .document = summary(), .section = "nobody" },
		       "--section nobody: summary has findings, budget, overlap, ranks, kernels, "
		       "roofline, reasons, host, stacks, threads, limits");
	expect_refusal(
		w, &(struct wl_request){ .analysis = &wl_analysis_kernels, .section = "kernels" },
		"kernels has no sections");
}

TEST_WITH(several_tables_have_no_common_columns, setup, teardown)
{
	struct world *w = *state;
	const struct wl_view_opts opts[] = { { .where = "calls > 1" },
					     { .sort = "calls" },
					     { .columns = "calls" } };

	for (size_t i = 0; i < WL_COUNT(opts); i++) {
		expect_refusal(w, &(struct wl_request){ .document = summary(), .view = opts[i] },
			       "need --section NAME");
		answer(w, &(struct wl_request){
				  .document = summary(), .section = "kernels", .view = opts[i] });
	}
}

TEST_WITH(sections_have_limits_of_their_own, setup, teardown)
{
	enum { OVERLAP = 2, KERNELS };
	struct world *w = *state;

	answer(w, &(struct wl_request){ .document = summary(), .view = { .limit = 20 } });
	assert_int_equal(w->doc.sections[KERNELS].view.n_rows, 5);
	assert_true(w->doc.sections[KERNELS].view.n_total > 5);
	answer(w, &(struct wl_request){
			  .document = summary(), .view = { .limit = 3 }, .limit_given = true });
	assert_int_equal(w->doc.sections[KERNELS].view.n_rows, 3);
	assert_int_equal(w->doc.sections[OVERLAP].view.n_rows, 2);
	answer(w, &(struct wl_request){
			  .document = summary(), .view = { .limit = 0 }, .limit_given = true });
	assert_int_equal(w->doc.sections[KERNELS].view.n_rows,
			 w->doc.sections[KERNELS].view.n_total);
	answer(w, &(struct wl_request){ .document = summary(), .no_limits = true });
	assert_int_equal(w->doc.sections[KERNELS].view.n_rows,
			 w->doc.sections[KERNELS].view.n_total);
}

/* --- no data --------------------------------------------------------------------------------- */

TEST_WITH(a_section_without_data_says_so_in_its_place, setup, teardown)
{
	struct world *w = *state;
	const struct wl_document_info *info = wl_document_find("info");
	size_t n_missing = 0;

	answer(w, &(struct wl_request){ .document = info });
	for (size_t i = 0; i < w->doc.n_sections; i++) {
		const struct wl_section *s = &w->doc.sections[i];

		if (!s->missing)
			continue;
		n_missing++;
		assert_string_equal(s->analysis, "diagnostics");
		assert_null(strstr(s->missing, "diagnostics: "));
	}
	assert_int_equal(n_missing, 1);
	/* Asked for alone, there is nothing to show. */
	assert_int_equal(run(w, &(struct wl_request){ .document = info, .section = "diagnostics" }),
			 WL_E_NODATA);
}

TEST_WITH(a_needed_section_without_data_is_a_document_without, setup, teardown)
{
	struct world *w = *state;
	void *db = w->db;

	wl_session_close(w->session);
	w->db = db_open(&db, "host.sqlite");
	db_make_tables(w->db, DB_3_7_2);
	db_string(w->db, 1, "cudaMalloc");
	DB_API(w->db, .start = 1, .end = 2, .tid = 1, .name = 1);
	w->session = open_session(db_close(w->db));
	/* A trace with host rows has a summary of these. */
	answer(w, &(struct wl_request){ .document = summary() });
	assert_string_equal(w->doc.sections[0].analysis, "reasons");
	assert_string_equal(w->doc.sections[1].analysis, "host");
	assert_int_equal(w->doc.sections[1].view.n_rows, 1);
	for (size_t i = 0; i < w->doc.n_sections; i++)
		assert_string_not_equal(w->doc.sections[i].analysis, "overlap");
	assert_int_equal(run(w, &(struct wl_request){ .analysis = &wl_analysis_kernels }),
			 WL_E_NODATA);
	assert_int_equal(strncmp(w->err.msg, "kernels: ", 9), 0);
	/* A failed question does no harm to the next one. */
	answer(w, &(struct wl_request){ .analysis = &wl_analysis_api });
	assert_int_equal(w->doc.sections[0].view.n_rows, 1);
	/* No data is stronger than a selection that leaves none. */
	assert_int_equal(run(w, &(struct wl_request){ .analysis = &wl_analysis_kernels,
						      .selection = { .gpu = "3" } }),
			 WL_E_NODATA);
}

/* --- the frame ------------------------------------------------------------------------------- */

TEST_WITH(the_frame_names_trace_window_and_devices, setup, teardown)
{
	struct world *w = *state;

	answer(w, &(struct wl_request){ .analysis = &wl_analysis_overlap });
	assert_string_equal(w->doc.trace[0].key, "path");
	assert_string_equal(w->doc.trace[0].str, w->db->path);
	assert_string_equal(w->doc.window_spec, "all");
	assert_int_equal(w->doc.n_devices, 2);
	assert_int_equal(w->doc.n_windows, 1);
	assert_int_equal(w->doc.windows[0].device, -1);
	assert_int_equal(w->doc.windows[0].begin, 1000);
	assert_int_equal(w->doc.windows[0].end, 9108);
	wl_session_set_label(w->session, "run.nsys-rep");
	answer(w, &(struct wl_request){ .analysis = &wl_analysis_overlap });
	assert_string_equal(w->doc.trace[0].str, "run.nsys-rep");
}

TEST_WITH(windows_that_differ_are_listed_by_device, setup, teardown)
{
	struct world *w = *state;

	answer(w, &(struct wl_request){ .analysis = &wl_analysis_overlap,
					.selection = { .window = "nvtx:step" } });
	assert_string_equal(w->doc.window_spec, "nvtx:step");
	assert_int_equal(w->doc.n_windows, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(w->doc.windows[i].device, i);
	assert_int_equal(w->doc.windows[0].begin, 1000);
	assert_int_equal(w->doc.windows[0].end, 2101);
	assert_int_equal(w->doc.windows[1].begin, 2000);
	assert_int_equal(w->doc.windows[1].end, 4000);
}

TEST_WITH(host_tables_involve_no_device, setup, teardown)
{
	struct world *w = *state;

	answer(w, &(struct wl_request){ .analysis = &wl_analysis_api });
	assert_int_equal(w->doc.n_devices, -1);
	assert_int_equal(w->doc.n_windows, 1);
	assert_int_equal(w->doc.windows[0].begin, 0);
	assert_int_equal(w->doc.windows[0].end, 850);
	answer(w, &(struct wl_request){ .analysis = &wl_analysis_schema });
	assert_int_equal(w->doc.n_devices, -1);
	assert_int_equal(w->doc.n_windows, 0);
}

/* Whatever was asked for, a window does not end before it begins. */
TEST_WITH(windows_beside_everything_are_refused, setup, teardown)
{
	static const char *const specs[] = { "900s..", "..-900s", "900s..901s", "+900s.." };
	struct world *w = *state;

	for (size_t i = 0; i < WL_COUNT(specs) * wl_n_analyses; i++) {
		struct wl_request q = { .analysis = wl_analyses[i % wl_n_analyses],
					.selection = { .window = specs[i / wl_n_analyses] } };

		needed_args(w, &q);
		q.marker = "step";
		assert_int_equal(run(w, &q), WL_E_NOMATCH);
	}
}

static bool has_note(const struct wl_section *s, const char *words)
{
	for (const struct wl_note *n = s->missing ? NULL : s->view.table->notes; n; n = n->next) {
		if (strstr(n->text, words))
			return true;
	}
	return false;
}

TEST_WITH(notes_of_the_selection_are_said_once, setup, teardown)
{
	struct world *w = *state;
	size_t n = 0;

	answer(w, &(struct wl_request){ .document = summary(), .selection = { .gpu = "0,9" } });
	for (size_t i = 0; i < w->doc.n_sections; i++)
		n += has_note(&w->doc.sections[i], "--gpu 9");
	assert_int_equal(n, 1);
	assert_true(has_note(&w->doc.sections[0], "--gpu 9"));
}

TEST_WITH(a_selection_that_leaves_nothing_is_refused, setup, teardown)
{
	struct world *w = *state;

	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		struct wl_request q = { .analysis = a,
					.selection = { .gpu = "9", .window = "+1ns..+5ns" } };

		needed_args(w, &q);
		q.marker = "step";
		assert_int_equal(run(w, &q), WL_E_NOMATCH);
	}
}

/* --- what is refused before anything is read ------------------------------------------------- */

TEST_WITH(slips_are_told_before_anything_is_read, setup, teardown)
{
	static const char *const by[WL_MAX_PARAMS] = { NULL, "colour" },
				 *const pattern[WL_MAX_PARAMS] = { "(", NULL };
	const struct wl_analysis *k = &wl_analysis_kernels;
	struct world *w = *state;

	expect_refusal(w, &(struct wl_request){ .analysis = k, .view = { .sort = "nme" } },
		       "--sort: no column 'nme'");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .view = { .sort = "" } },
		       "--sort: no column ''");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .view = { .columns = "nme" } },
		       "--columns: no column 'nme'");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .view = { .where = "nme = 1" } },
		       "--where");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .selection = { .gpu = "" } },
		       "--gpu");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .selection = { .window = "x" } },
		       "--window");
	expect_refusal(w, &(struct wl_request){ .analysis = k, .args = by }, "--by colour");
	expect_refusal(w, &(struct wl_request){ .analysis = &wl_analysis_search, .args = pattern },
		       "malformed");
	expect_refusal(w, &(struct wl_request){ .analysis = &wl_analysis_search },
		       "pattern is missing");
	expect_refusal(w,
		       &(struct wl_request){ .document = summary(),
					     .section = "limits",
					     .view = { .sort = "calls" } },
		       "no column 'calls'");
}

/* grid and block are filled with --by grid alone. */
TEST_WITH(a_column_that_the_arguments_leave_out_is_unknown, setup, teardown)
{
	static const char *const by_grid[WL_MAX_PARAMS] = { NULL, "grid" };
	struct world *w = *state;
	struct wl_request q = { .analysis = &wl_analysis_kernels, .view = { .columns = "grid" } };

	expect_refusal(w, &q, "no column 'grid'; columns: name, device, category, calls");
	q.args = by_grid;
	answer(w, &q);
	assert_int_equal(w->doc.sections[0].view.n_cols, 1);
}

TEST(files_that_cannot_be_opened_leave_no_session)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_session *s = NULL;
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(wl_session_open("/no/such/file", &opts, &s, &err), WL_E_IO);
	assert_null(s);
	wl_session_close(NULL);
}

/* --- one session, many questions ------------------------------------------------------------- */

/* The answer as JSON; free it. */
static char *json(struct wl_session *s, const struct wl_request *q)
{
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err = { .code = WL_OK };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int r;

	assert_non_null(out);
	wl_arena_init(&arena, 16 << 20);
	r = wl_session_run(s, q, &arena, &doc, &err);
	if (r == WL_OK)
		wl_format_find("json")->render(&doc, &opts, out);
	else
		(void)fputs(err.msg, out);
	wl_arena_release(&arena);
	assert_int_equal(fclose(out), 0);
	return text;
}

static const char *const all_args[][WL_MAX_PARAMS] = { { NULL },
						       { NULL, "grid" },
						       { "short", "stream" } };

/* The i-th of many different questions; false past the last. */
static bool nth_question(struct world *w, size_t i, struct wl_request *ret)
{
	static const struct wl_selection selections[] = { { .window = NULL },
							  { .window = "nvtx:step" },
							  { .gpu = "0", .window = "+1us.." },
							  { .rank = "0" } };
	size_t n_verbs = wl_n_documents + wl_n_analyses + WL_COUNT(all_args);
	size_t verb = i % n_verbs, selection = i / n_verbs;

	if (selection >= WL_COUNT(selections))
		return false;
	*ret = (struct wl_request){ .selection = selections[selection], .no_limits = true };
	if (verb < wl_n_documents) {
		ret->document = wl_documents[verb];
		return true;
	}
	verb -= wl_n_documents;
	if (verb >= wl_n_analyses) {
		ret->analysis = &wl_analysis_kernels;
		ret->args = all_args[verb - wl_n_analyses];
		return true;
	}
	ret->analysis = wl_analyses[verb];
	needed_args(w, ret);
	return true;
}

/* What was loaded before, and in which order, is not to be seen in an answer. */
TEST_WITH(answers_do_not_depend_on_earlier_questions, setup, teardown)
{
	struct world *w = *state;
	struct wl_request q;
	size_t n = 0;

	while (nth_question(w, n, &q))
		n++;
	assert_true(n > 30);
	for (int backwards = 0; backwards < 2; backwards++) {
		struct wl_session *used = open_session(w->db->path);

		for (size_t i = 0; i < n; i++) {
			struct wl_session *fresh = open_session(w->db->path);
			char *first, *again;

			assert_true(nth_question(w, backwards ? n - 1 - i : i, &q));
			first = json(fresh, &q);
			again = json(used, &q);
			assert_string_equal(again, first);
			free(first);
			free(again);
			wl_session_close(fresh);
		}
		wl_session_close(used);
	}
}

struct stopping {
	atomic_int flag;
	bool is_armed;
};

static void stop_once(void *ctx, int64_t rows, int64_t total)
{
	struct stopping *s = ctx;

	(void)rows;
	(void)total;
	if (s->is_armed)
		s->flag = 1;
	s->is_armed = false;
}

/* Stopped at its time, and while rows are read, a question can be asked again. */
TEST_WITH(a_stopped_question_can_be_asked_again, setup, teardown)
{
	static const struct wl_stop past = { .deadline = 1 };
	struct stopping stopping = { .flag = 0 };
	const struct wl_input_opts opts = { .cancel = &stopping.flag,
					    .progress = stop_once,
					    .progress_ctx = &stopping };
	struct world *w = *state;
	struct wl_request q;
	size_t n_read = 0;

	for (size_t i = 0; nth_question(w, i, &q); i++) {
		struct wl_session *s = NULL, *fresh = open_session(w->db->path);
		char *want = json(fresh, &q), *got;

		assert_int_equal(wl_session_open(w->db->path, &opts, &s, &w->err), WL_OK);
		q.stop = &past;
		assert_int_equal(run_in(w, s, &q), WL_E_TIMEOUT);
		q.stop = NULL;
		stopping.is_armed = true;
		/* Some are refused before anything is read. */
		if (run_in(w, s, &q) == WL_E_CANCELED)
			n_read++;
		stopping.is_armed = false;
		stopping.flag = 0;
		got = json(s, &q);
		assert_string_equal(got, want);
		free(want);
		free(got);
		wl_session_close(fresh);
		wl_session_close(s);
	}
	assert_true(n_read > 30);
}

/* One of several traces: its rows are all there, and the view waits for the joined table. */
TEST_WITH(a_part_of_several_is_whole, setup, teardown)
{
	struct world *w = *state;
	struct wl_request q = { .analysis = wl_analysis_find("kernels"),
				.view = { .where = "name = kernel0",
					  .sort = "trace",
					  .columns = "trace,name",
					  .limit = 1 },
				.several = true };

	answer(w, &q);
	assert_int_equal(w->doc.sections[0].view.n_rows, 10);
	assert_int_equal(w->doc.sections[0].view.table->n_cols, q.analysis->n_cols);
	q.view.sort = "trail";
	expect_refusal(w, &q, "no column 'trail'; columns: trace, name,");
	q.view.sort = "trace";
	q.several = false;
	expect_refusal(w, &q, "no column 'trace'; columns: name,");
}

TEST_WITH(a_held_session_moves_nothing, setup, teardown)
{
	struct world *w = *state;
	const struct wl_trace *trace = wl_session_trace(w->session);
	struct wl_request q = { .analysis = wl_analysis_get("kernels") };
	const uint64_t from = WL_FROM(NAMED);
	struct wl_derived before, after;
	const void *column;

	answer(w, &q);
	column = trace->column[WL_KERNELS_START];
	assert_true(wl_session_derive(w->session, from, NULL, &before));
	wl_session_hold(w->session);
	answer(w, &q);
	answer(w, &(struct wl_request){ .analysis = q.analysis, .selection = { .gpu = "0" } });
	assert_int_equal(run(w, &(struct wl_request){ .analysis = wl_analysis_get("osrt") }),
			 WL_E_USAGE);
	q.marker = "step";
	assert_int_equal(run(w, &q), WL_E_USAGE);
	assert_ptr_equal(wl_session_trace(w->session), trace);
	assert_ptr_equal(trace->column[WL_KERNELS_START], column);
	assert_true(wl_session_derive(w->session, from, NULL, &after));
	assert_ptr_equal(after.named, before.named);
	q.marker = NULL;
	answer(w, &q);
}

TEST_WITH(every_budget_gives_an_answer_or_says_no, setup, teardown)
{
	struct world *w = *state;
	struct wl_request q;

	for (size_t i = 0; nth_question(w, i, &q); i++) {
		int r = WL_E_NOMEM;

		for (size_t budget = 0; r == WL_E_NOMEM; budget += budget / 8 + 40) {
			struct wl_arena arena;

			assert_in_range(budget, 0, 16 << 20);
			wl_arena_init(&arena, budget);
			r = wl_session_run(w->session, &q, &arena, &w->doc, &w->err);
			assert_true(r == WL_OK || r == WL_E_NOMEM || r == WL_E_NODATA ||
				    r == WL_E_NOMATCH);
			for (size_t s = 0; r == WL_OK && s < w->doc.n_sections; s++)
				assert_true(w->doc.sections[s].missing ||
					    w->doc.sections[s].view.table);
			wl_arena_release(&arena);
		}
	}
}
