/* SPDX-License-Identifier: MIT */
/*
 * Every verb and document in every format on every trace: an answer or no data,
 * never anything else; bytes that are safe to show; and accounts that add up.
 *
 *   property matrix         the traces of $WARPLENS_SHARED/corpus and $WARPLENS_FIXTURES
 *   property matrix DIR     also write each answer to DIR/TRACE.VERB.FORMAT, for other parsers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registered.h"
#include "base/file/file.h"
#include "base/text/json_read.h"
#include "base/text/utf8.h"
#include "render/render.h"
#include "session/open/session.h"
#include "support/test_main.h"
#include "support/traces.h"

enum { SKIPPED = 77, MAX_SHOWN = 20, ARENA_BUDGET = 1 << 30, NAME_CAP = 512 };

struct matrix {
	const char *out_dir; /* NULL: answers are not kept */
	struct wl_session *session;
	struct wl_json *map; /* what parameters that are documents get */
	const char *trace;   /* its short name */
	size_t n_traces, n_answers, n_empty, n_rows_accounted, n_failed;
};

/* One question: a verb or document with the arguments that it must have. */
struct question {
	char name[NAME_CAP]; /* VERB, or VERB-KEY-CHOICE */
	struct wl_request request;
	const char *args[WL_MAX_PARAMS];
	struct wl_json *docs[WL_MAX_PARAMS];
};

static void complain(struct matrix *m, const char *what, const char *why)
{
	m->n_failed++;
	if (m->n_failed <= MAX_SHOWN)
		(void)printf("FAIL %s %s: %s\n", m->trace, what, why);
}

static void ask(const struct matrix *m, struct question *q, const struct wl_analysis *a,
		const struct wl_document_info *d)
{
	*q = (struct question){ .request = { .analysis = a, .document = d } };
	(void)snprintf(q->name, sizeof(q->name), "%s", a ? a->name : d ? d->name : "");
	for (size_t i = 0; a && i < a->n_params; i++) {
		q->args[i] = a->params[i].operand ? "." : NULL;
		q->docs[i] = a == &wl_analysis_phases ? m->map : NULL;
	}
	q->request.args = q->args;
	q->request.docs = q->docs;
}

/* The same as the command line makes of -f FORMAT. */
static void choose_format(struct question *q, const struct wl_format *f)
{
	const struct wl_document_info *d = q->request.document;

	q->request.view.limit = f->default_limit;
	q->request.no_limits = f->default_limit == 0;
	q->request.section = d && !f->whole ? d->sections[0].analysis : NULL;
}

/* What no output may hold, wherever its text came from: NULL when all is well. */
static const char *unsafe(const char *text, size_t size, const char *format)
{
	bool tabs = strcmp(format, "tsv") == 0;

	if (!wl_utf8_is_valid(text, size))
		return "not valid UTF-8";
	if (size && text[size - 1] != '\n')
		return "the last line has no end";
	for (const char *s = text; s < text + size;) {
		uint32_t cp = wl_utf8_next(&s);

		if (wl_utf8_is_control(cp) && cp != '\n' && !(tabs && cp == '\t'))
			return "a control character";
	}
	return NULL;
}

static bool keep(const struct matrix *m, const char *what, const char *format, const char *text,
		 size_t size)
{
	char path[WL_PATH_CAP];
	FILE *out;
	bool ok;

	(void)snprintf(path, sizeof(path), "%s/%s.%s.%s", m->out_dir, m->trace, what, format);
	out = fopen(path, "w");
	if (!out)
		return false;
	ok = fwrite(text, 1, size, out) == size;
	return fclose(out) == 0 && ok;
}

static void render(struct matrix *m, const char *what, const struct wl_format *f,
		   const struct wl_document *doc)
{
	const struct wl_render_opts opts = { .width = 80 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const char *why;

	if (!out) {
		complain(m, what, "no memory for the output");
		return;
	}
	f->render(doc, &opts, out);
	if (fclose(out) != 0)
		complain(m, what, "the stream failed");
	why = unsafe(text, size, f->name);
	if (why)
		complain(m, what, why);
	if (m->out_dir && !keep(m, what, f->name, text, size))
		complain(m, what, "cannot be kept");
	free(text);
}

static bool take(const struct wl_view *v, size_t row, const char *key, int64_t *ret)
{
	struct wl_cell cell;
	size_t col;

	if (!wl_table_find_col(v->table, key, &col))
		return false;
	cell = wl_table_at(v->table, v->rows[row], col);
	*ret = cell.set ? cell.i64 : 0;
	return cell.set;
}

/*
 * Every nanosecond of a device's window has one owner. Exposed communication is
 * unset where graph replays hide it; it then counts as compute. Streams and stages
 * have no windows.
 */
static void account(struct matrix *m, const char *what, const struct wl_view *v)
{
	size_t window_col;

	if (!wl_table_find_col(v->table, "window", &window_col))
		return;
	for (size_t row = 0; row < v->n_rows; row++) {
		int64_t window = 0, compute = 0, comm = 0, copy = 0, idle = 0;
		bool ok = take(v, row, "window", &window) && take(v, row, "compute", &compute) &&
			  take(v, row, "exposed_copy", &copy) && take(v, row, "idle", &idle);

		(void)take(v, row, "exposed_comm", &comm);
		if (!ok || compute < 0 || comm < 0 || copy < 0 || idle < 0)
			complain(m, what, "a row without its accounts");
		else if (compute + comm + copy + idle != window)
			complain(m, what, "accounts do not add up to the window");
		m->n_rows_accounted++;
	}
}

/* What a kernel has of the time of its category is no longer than it ran. */
static void account_kernels(struct matrix *m, const char *what, const struct wl_view *v)
{
	for (size_t row = 0; row < v->n_rows; row++) {
		int64_t sum = 0, elapsed = 0;

		if (!take(v, row, "sum", &sum) || !take(v, row, "elapsed", &elapsed) ||
		    elapsed < 0 || elapsed > sum)
			complain(m, what, "a kernel has more time than it ran");
		m->n_rows_accounted++;
	}
}

/* Each busy nanosecond of a device belongs to one category, however time is attributed. */
static void account_categories(struct matrix *m, const char *what, const struct wl_view *v)
{
	int64_t left = 0, device = -1, last = -1, busy = 0, elapsed = 0;
	size_t col;

	if (!wl_table_find_col(v->table, "elapsed", &col))
		return;
	/* By kernel, whose category has other operations as well. */
	if (!wl_table_find_col(v->table, "busy", &col)) {
		account_kernels(m, what, v);
		return;
	}
	for (size_t row = 0; row < v->n_rows; row++) {
		if (!take(v, row, "device", &device) || !take(v, row, "busy", &busy) ||
		    !take(v, row, "elapsed", &elapsed) || elapsed < 0)
			complain(m, what, "a row without its accounts");
		if (device != last && left != 0)
			complain(m, what, "categories do not add up to the busy time");
		left = (device == last ? left : busy) - elapsed;
		last = device;
		m->n_rows_accounted++;
	}
	if (left != 0 && v->n_rows == v->n_total)
		complain(m, what, "categories do not add up to the busy time");
}

static void answer(struct matrix *m, const struct question *q, const struct wl_format *f)
{
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err = { .code = WL_OK };
	int r;

	wl_arena_init(&arena, ARENA_BUDGET);
	r = wl_session_run(m->session, &q->request, &arena, &doc, &err);
	m->n_answers++;
	if (r == WL_OK) {
		if (strcmp(doc.sections[0].analysis, "overlap") == 0)
			account(m, q->name, &doc.sections[0].view);
		if (strcmp(doc.sections[0].analysis, "categories") == 0)
			account_categories(m, q->name, &doc.sections[0].view);
		render(m, q->name, f, &doc);
	} else if (r == WL_E_NODATA || r == WL_E_NOMATCH) {
		m->n_empty++;
	} else {
		complain(m, q->name, err.msg);
	}
	wl_arena_release(&arena);
}

static void answer_in_every_format(struct matrix *m, const struct wl_analysis *a,
				   const struct wl_document_info *d)
{
	struct question q;

	for (size_t i = 0; i < wl_n_formats; i++) {
		ask(m, &q, a, d);
		choose_format(&q, &wl_formats[i]);
		answer(m, &q, &wl_formats[i]);
	}
}

/* What choices of mfu --by need besides. */
static void add_needed(const struct matrix *m, struct question *q, const char *choice)
{
	const struct wl_analysis *a = q->request.analysis;

	for (size_t i = 0; a == &wl_analysis_mfu && i < a->n_params; i++) {
		if (strcmp(choice, "phase") == 0 && strcmp(a->params[i].key, "phase-map") == 0)
			q->docs[i] = m->map;
		if (strcmp(choice, "range") == 0 && strcmp(a->params[i].key, "range") == 0)
			q->args[i] = "re:.";
	}
}

static void answer_every_choice(struct matrix *m, const struct wl_analysis *a)
{
	const struct wl_format *json = wl_format_find("json");
	struct question q;

	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		for (size_t c = 0; p->choices && p->choices[c]; c++) {
			ask(m, &q, a, NULL);
			q.args[i] = p->choices[c];
			add_needed(m, &q, p->choices[c]);
			(void)snprintf(q.name, sizeof(q.name), "%s-%s-%s", a->name, p->key,
				       p->choices[c]);
			choose_format(&q, json);
			answer(m, &q, json);
		}
	}
}

/* A part of the window, and nothing of it: neither changes what an answer may be. */
static void answer_in_windows(struct matrix *m, const struct wl_analysis *a)
{
	static const char *const specs[] = { "..1s", "+0..+10ms", "+0..+0" };
	const struct wl_format *json = wl_format_find("json");
	struct question q;

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		ask(m, &q, a, NULL);
		q.request.selection.window = specs[i];
		(void)snprintf(q.name, sizeof(q.name), "%s-window-%zu", a->name, i);
		choose_format(&q, json);
		answer(m, &q, json);
	}
}

static void answer_all(struct matrix *m)
{
	for (size_t i = 0; i < wl_n_documents; i++)
		answer_in_every_format(m, NULL, wl_documents[i]);
	for (size_t i = 0; i < wl_n_analyses; i++) {
		answer_in_every_format(m, wl_analyses[i], NULL);
		answer_every_choice(m, wl_analyses[i]);
		answer_in_windows(m, wl_analyses[i]);
	}
}

static void try_trace(void *ctx, const struct test_trace *trace)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_err err = { .code = WL_OK };
	struct matrix *m = ctx;
	int r = wl_session_open(trace->path, &opts, &m->session, &err);

	m->trace = trace->name;
	m->n_traces++;
	if (trace->damaged && r != WL_E_FORMAT)
		complain(m, "open", r == WL_OK ? "a damaged file is opened" : err.msg);
	else if (!trace->damaged && r < 0)
		complain(m, "open", err.msg);
	if (r < 0)
		return;
	wl_session_set_label(m->session, m->trace);
	answer_all(m);
	wl_session_close(m->session);
	m->session = NULL;
}

TEST_MAIN(matrix)
{
	static const char map[] = "{\"forward\": [\"forward\", \"fwd\"], \"rest\": [\"re:.\"]}";
	struct matrix m = { .out_dir = argc > 1 ? argv[1] : NULL };
	struct wl_err err = { .code = WL_OK };
	struct test_traces seen;

	if (wl_json_parse(map, strlen(map), "map", &m.map, &err) < 0) {
		(void)printf("%s\n", err.msg);
		return 1;
	}
	seen = for_each_trace(try_trace, &m);
	wl_json_free(m.map);
	(void)printf("%zu traces, %zu answers, %zu without data, %zu accounts, %zu failed\n",
		     m.n_traces, m.n_answers, m.n_empty, m.n_rows_accounted, m.n_failed);
	if (m.n_failed || seen.n_failed)
		return 1;
	return seen.n_real ? 0 : SKIPPED;
}
