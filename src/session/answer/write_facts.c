/* SPDX-License-Identifier: MIT */
#include "session/answer/write_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/zst.h"
#include "facts/file.h"
#include "findings/ordered.h"
#include "session/document/answers.h"
#include "session/facts/facts_exposed.h"
#include "session/open/session_parts.h"

/* Facts being collected. */
struct collecting {
	struct wl_session *session;
	const struct wl_facts_keys *keys;
	struct wl_budget *budget;
	struct wl_pool *pool;
	struct wl_wanted *wanted; /* by the questions, before they are asked */
	struct wl_facts *to;
	struct wl_answer_sink answers;
	bool is_optional; /* what comes now is kept as far as there is room */
	size_t room; /* bytes of the file for all but the answers taken, which it can do without */
	size_t must; /* bytes of what the file must hold */
	size_t n_must; /* answers of that, which come first */
	bool is_guess; /* must is of a file that is packed quickly */
};

enum {
	MAX_STEPS = 64,
	/* A file takes so much per rank, and so much per step of each. */
	PER_RANK = 60000,
	PER_STEP = 1000,
	MAX_OPTIONAL = 128 << 10, /* bytes of an answer before it is packed */
	MARGIN = 4096,            /* what a guess at the room may be wrong by */
	QUICK = 3,                /* level; all together are packed better */
};

/* How long the file is of what it must hold: the first answers, and rows that no longer change. */
static bool measure(const struct collecting *c, enum wl_facts_effort effort, size_t *ret)
{
	struct wl_facts must = *c->to;
	struct wl_vec bytes;
	bool ok;

	must.answers.item.n = c->n_must;
	wl_vec_init(&bytes, 1, c->budget);
	ok = wl_facts_encode(&must, effort, &bytes);
	*ret = bytes.n;
	wl_vec_release(&bytes);
	return ok;
}

/*
 * The file is packed as tightly as it goes, which takes most of the time of a small trace: a file
 * that is packed quickly is longer, and what fits beside that fits.
 */
static bool fits(struct collecting *c, size_t n)
{
	if (c->is_guess && c->must + n + MARGIN <= c->room)
		return true;
	if (c->is_guess && !measure(c, WL_FACTS_AS_KEPT, &c->must)) {
		c->to->failed = true;
		return false;
	}
	c->is_guess = false;
	return c->must + n <= c->room;
}

/* Whether there is room for an answer that facts can do without; takes it. */
static bool takes_room(struct collecting *c, const void *bytes, size_t n)
{
	struct wl_vec packed;
	bool taken = false;

	if (n > MAX_OPTIONAL)
		return false;
	wl_vec_init(&packed, 1, c->budget);
	if (wl_zst_pack(bytes, n, QUICK, &packed))
		taken = fits(c, packed.n);
	else
		c->to->failed = true;
	c->room -= taken ? packed.n : 0;
	wl_vec_release(&packed);
	return taken;
}

static const char steady[] = "steady";

static void put_bytes(void *ctx, const char *name, const void *bytes, size_t n)
{
	struct collecting *c = ctx;

	if (c->is_optional && !takes_room(c, bytes, n))
		return;
	c->to->failed = !wl_facts_answers_put(&c->to->answers, name, bytes, n) || c->to->failed;
}

/* What facts can do without is left out for its size, never for want of memory. */
static void stored(struct collecting *c, bool ok)
{
	c->to->failed = c->to->failed || !ok;
}

static int visit(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		 struct wl_err *reterr)
{
	struct collecting *c = ctx;
	struct wl_facts_answers answers = c->to->answers;

	(void)notes;
	/* After an index that turned out to be damaged this is the second visit: rows are void. */
	wl_facts_answers_init(&c->to->answers, c->budget);
	wl_facts_release(c->to);
	wl_facts_init(c->to, c->budget);
	c->to->answers = answers;
	return wl_facts_rows_put(run, c->keys, c->to, reterr);
}

static int visit_exposed(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
			 struct wl_err *reterr)
{
	struct collecting *c = ctx;

	(void)notes;
	return wl_facts_exposed_put(run, c->to)
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "no memory for the facts");
}

static int collect(struct collecting *c, struct wl_visitor visitor, struct wl_err *reterr)
{
	const struct wl_request request = { .visitor = &visitor, .pool = c->pool };
	struct wl_document doc;
	struct wl_arena arena;
	int r;

	wl_arena_init_on(&arena, c->budget);
	r = wl_session_run(c->session, &request, &arena, &doc, reterr);
	wl_arena_release(&arena);
	return r;
}

static int collect_rows(struct collecting *c, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "facts", .visit = visit, .ctx = c };

	wl_facts_rows_want(&visitor.wanted);
	return collect(c, visitor, reterr);
}

/* Once findings were asked: what they want is loaded. */
static int collect_exposed(struct collecting *c, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "facts", .visit = visit_exposed, .ctx = c };

	wl_findings_want(&visitor.wanted);
	return collect(c, visitor, reterr);
}

static int64_t column_of(const struct wl_table *t, const char *key)
{
	size_t at;

	return wl_cols_find(t, key, strlen(key), &at) ? (int64_t)at : -1;
}

/* A text or a number of a row of the same name, where the table has the column and the row the
 * cell. */
static void put_cell(struct collecting *c, enum wl_facts_column_id to, const struct wl_table *t,
		     size_t row, const char *key)
{
	int64_t column = column_of(t, key);
	struct wl_cell cell = { .set = false };

	if (column >= 0)
		cell = wl_table_at(t, row, (size_t)column);
	if (!cell.set)
		return;
	if (wl_facts_columns[to].type == WL_FACTS_STR)
		wl_facts_put_str(c->to, to, cell.str);
	else
		wl_facts_put(c->to, to, cell.i64);
}

/*
 * What a finding claims is a whole number, of which the table has the share: of the window of all
 * ranks of the trace.
 */
static void put_claimed(struct collecting *c, const struct wl_table *t, size_t row)
{
	int64_t column = column_of(t, "window_share");
	struct wl_cell share = { .set = false };
	int64_t window = wl_facts_i64(c->to, WL_FACTS_RANKS_END, 0) -
			 wl_facts_i64(c->to, WL_FACTS_RANKS_BEGIN, 0);

	if (column >= 0)
		share = wl_table_at(t, row, (size_t)column);
	if (share.set)
		wl_facts_put(c->to, WL_FACTS_FINDINGS_CLAIMED, llround(share.f64 * (double)window));
}

/* Minor ones, too: that of another rank may be the larger part of a finding of the job. */
static void put_findings(struct collecting *c, const struct wl_table *t)
{
	for (size_t i = 0; c->to->n[WL_FACTS_RANKS] && i < t->n_rows; i++) {
		wl_facts_row(c->to, WL_FACTS_FINDINGS);
		wl_facts_put(c->to, WL_FACTS_FINDINGS_PLACE, (int64_t)i);
		for (size_t k = WL_FACTS_FINDINGS_CODE; k <= WL_FACTS_FINDINGS_GPU_TIME; k++)
			put_cell(c, (enum wl_facts_column_id)k, t, i, wl_facts_columns[k].name);
		put_claimed(c, t, i);
	}
}

static void put_coverage(struct collecting *c, const struct wl_table *t)
{
	for (size_t i = 0; i < t->n_coverage; i++) {
		wl_facts_row(c->to, WL_FACTS_COVERAGE);
		wl_facts_put_str(c->to, WL_FACTS_COVERAGE_NAME, t->coverage[i].name);
		wl_facts_put(c->to, WL_FACTS_COVERAGE_HAVE, t->coverage[i].have);
		wl_facts_put(c->to, WL_FACTS_COVERAGE_OF, t->coverage[i].of);
	}
}

/*
 * Ask a section over a window, NULL for the whole trace, and keep the answer. No data is an answer,
 * too; anything else that goes wrong is what the trace says when it is asked. Rows and coverage
 * are taken of the whole trace.
 */
static int keep(struct collecting *c, const struct wl_section_info *section, const char *window,
		struct wl_err *reterr)
{
	const struct wl_request request = { .analysis = wl_analysis_get(section->analysis),
					    .args = section->args,
					    .selection = { .window = window },
					    .pool = c->pool };
	struct wl_err why = { .code = WL_OK };
	struct wl_document doc;
	struct wl_arena arena;
	int r;

	wl_arena_init_on(&arena, c->budget);
	r = wl_session_ask(c->session, &request, &arena, &doc, &why);
	if (r == WL_OK)
		stored(c, wl_answer_put(&c->answers, section, window, &doc,
					doc.sections[0].missing ? NULL : doc.sections[0].view.table,
					doc.sections[0].missing));
	else if (r == WL_E_NODATA)
		stored(c, wl_answer_put(&c->answers, section, window, NULL, NULL, why.msg));
	if (r == WL_OK && !wl_document_missing(&doc) && !window && !section->args[1]) {
		const struct wl_table *t = doc.sections[0].view.table;

		if (section->args[0] && strcmp(section->analysis, "findings") == 0)
			put_findings(c, t);
		if (!section->args[0])
			put_coverage(c, t);
	}
	wl_arena_release(&arena);
	if (r == WL_E_NOMEM || r == WL_E_CANCELED || r == WL_E_TIMEOUT || r == WL_E_IO)
		return wl_fail(reterr, why.code, "%s", why.msg);
	return c->to->failed ? wl_fail(reterr, WL_E_NOMEM, "facts: no memory") : WL_OK;
}

/* What is done with a question of facts. */
typedef int question_fn(struct collecting *c, const struct wl_section_info *section,
			const char *window, struct wl_err *reterr);

/* The defaults, and each choice and switch alone. */
static int each_question(struct collecting *c, const char *verb, const char *window,
			 question_fn *fn, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get(verb);
	struct wl_section_info section = { .analysis = verb };
	int r = fn(c, &section, window, reterr);

	for (size_t p = 0; p < a->n_params; p++) {
		static const char *const on[] = { "true", NULL };
		const char *const *choice = a->params[p].type == WL_P_BOOL   ? on
					    : a->params[p].type == WL_P_ENUM ? a->params[p].choices
									     : on + 1;

		for (; r == WL_OK && *choice; choice++) {
			if (a->params[p].def && strcmp(a->params[p].def, *choice) == 0)
				continue;
			section.args[p] = *choice;
			r = fn(c, &section, window, reterr);
		}
		section.args[p] = NULL;
	}
	return r;
}

/* Of all verbs of facts, over the trace and its steady part. */
static int each_verb(struct collecting *c, question_fn *fn, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];

		if (a->facts != WL_FACTS_RUN && a->facts != WL_FACTS_FIND)
			continue;
		r = each_question(c, a->name, NULL, fn, reterr);
		if (r == WL_OK)
			r = each_question(c, a->name, steady, fn, reterr);
	}
	return r;
}

/* A question that is refused is refused again when it is asked. */
static int want(struct collecting *c, const struct wl_section_info *section, const char *window,
		struct wl_err *reterr)
{
	const struct wl_request request = { .analysis = wl_analysis_get(section->analysis),
					    .args = section->args,
					    .selection = { .window = window } };
	int r = wl_section_want(&request, section, c->wanted, reterr);

	wl_scope_want(&request, c->wanted);
	return r == WL_E_NOMEM ? r : WL_OK;
}

/*
 * What all of them want is loaded at once: each load makes void what was derived of the columns
 * before it.
 */
static int load(struct collecting *c, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "facts" };
	const struct wl_request request = { .visitor = &visitor, .pool = c->pool };
	int r;

	wl_facts_rows_want(&visitor.wanted);
	c->wanted = &visitor.wanted;
	r = each_verb(c, want, reterr);
	c->wanted = NULL;
	return r == WL_OK ? wl_session_load(c->session, &request, reterr) : r;
}

static int keep_steps(struct collecting *c, struct wl_err *reterr)
{
	uint32_t n = 0;
	int r = WL_OK;

	for (size_t i = 0; i < c->to->n[WL_FACTS_STEPS]; i++) {
		uint32_t step = wl_facts_u32(c->to, WL_FACTS_STEPS_STEP, i);

		n = step >= n && step < MAX_STEPS ? step + 1 : n;
	}
	for (uint32_t step = 0; step < n; step++) {
		char window[24];

		(void)snprintf(window, sizeof(window), "iter:%" PRIu32, step);
		/* What of other verbs a step has is in their tables by step. */
		for (size_t i = 0; r == WL_OK && i < wl_n_analyses; i++) {
			if (wl_analyses[i]->facts_of_steps)
				r = keep(c,
					 &(struct wl_section_info){ .analysis =
									    wl_analyses[i]->name },
					 window, reterr);
		}
	}
	return r;
}

/* What is left of the size of the file once it holds what it must. */
static bool measure_room(struct collecting *c)
{
	size_t limit = PER_RANK * c->to->n[WL_FACTS_RANKS] + PER_STEP * c->to->n[WL_FACTS_STEPS];

	c->n_must = c->to->answers.item.n;
	/* Not settled yet, and what diff needs comes later: a quarter is kept for that. */
	limit -= limit / 4;
	c->is_optional = true;
	c->is_guess = true;
	c->room = limit;
	return measure(c, WL_FACTS_QUICKLY, &c->must);
}

/* What a document answered to one of its sections; the title tells them apart. */
static void keep_section(struct collecting *c, const struct wl_document *doc,
			 const struct wl_section_info *info)
{
	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];

		if (s->title == info->title)
			stored(c, wl_answer_put(&c->answers, info, NULL, doc,
						s->missing ? NULL : s->view.table, s->missing));
	}
}

/*
 * The sections of a document, as far as there is room, and its frame, which takes little. They are
 * asked at once: what a reader met depends on the columns that are loaded.
 */
static int keep_document(struct collecting *c, const struct wl_document_info *whole,
			 struct wl_err *reterr)
{
	struct wl_section_info section[WL_MAX_SECTIONS];
	struct wl_document_info asked = *whole, *info = &asked;
	const struct wl_request request = { .document = info, .pool = c->pool, .no_limits = true };
	struct wl_err why = { .code = WL_OK };
	struct wl_document doc;
	struct wl_arena arena;
	int r;

	asked.n_sections = 0;
	for (size_t i = 0; i < whole->n_sections; i++) {
		/* It wants a document of the user's; a report has it only with one. */
		if (strcmp(whole->sections[i].analysis, "phases") != 0)
			section[asked.n_sections++] = whole->sections[i];
	}
	asked.sections = section;
	wl_arena_init_on(&arena, c->budget);
	r = wl_session_run(c->session, &request, &arena, &doc, &why);
	if (r == WL_OK) {
		c->is_optional = c->room != SIZE_MAX;
		for (size_t i = 0; i < info->n_sections; i++)
			keep_section(c, &doc, &info->sections[i]);
		c->is_optional = false;
		stored(c, wl_frame_store(&c->answers, NULL, &doc));
	}
	wl_arena_release(&arena);
	if (c->to->failed)
		return wl_fail(reterr, WL_E_NOMEM, "facts: no memory");
	/* A document without data is not kept; that the trace is no good has been said before. */
	return r == WL_E_NODATA ? WL_OK : r < 0 ? wl_fail(reterr, why.code, "%s", why.msg) : WL_OK;
}

int wl_facts_collect(struct wl_session *session, const struct wl_facts_keys *keys,
		     struct wl_budget *budget, struct wl_pool *pool, struct wl_facts *ret,
		     struct wl_err *reterr)
{
	struct collecting c = { .session = session,
				.keys = keys,
				.budget = budget,
				.pool = pool,
				.to = ret,
				.answers = { .put = put_bytes, .ctx = &c },
				.room = SIZE_MAX };
	int r;

	wl_facts_init(ret, budget);
	/* Commands of stored answers keep the word: the trace may be moved (commands.h). */
	wl_session_set_label(session, "TRACE");
	/* An answer ends before the next is asked, and most are of the scope of the one before. */
	wl_session_keep_scopes(session, true);
	/* Before anything else is loaded. */
	r = keep_document(&c, wl_document_find("info"), reterr);
	if (r == WL_OK)
		r = load(&c, reterr);
	if (r == WL_OK)
		r = collect_rows(&c, reterr);
	if (r == WL_OK)
		r = each_verb(&c, keep, reterr);
	if (r == WL_OK)
		r = collect_exposed(&c, reterr);
	if (r == WL_OK && !measure_room(&c))
		r = wl_fail(reterr, WL_E_NOMEM, "facts: no memory");
	if (r == WL_OK)
		r = keep_steps(&c, reterr);
	if (r == WL_OK)
		r = keep_document(&c, wl_document_find("summary"), reterr);
	if (r == WL_OK)
		r = keep_document(&c, &wl_report_document, reterr);
	return r;
}
