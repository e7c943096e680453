/* SPDX-License-Identifier: MIT */
/*
 * tool_open.c - the tool that opens a trace: what the trace is of, where its time goes, what it
 * cannot answer, and which calls to make next.
 */
#include <string.h>

#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/reply.h"
#include "agent/tools/schema.h"
#include "agent/tools/suggested.h"
#include "analysis/capture/coach.h"
#include "base/text/shell.h"
#include "base/text/units.h"

#define LOAD_ALL_BYTES ((off_t)1 << 30)

enum { MAX_GPUS = 16, MAX_PARTS = 32, MAX_FINDINGS = 5, MAX_OPEN = 8, TEXT_CAP = 300 };

/* A table of the trace; view.table is NULL if the trace has no data for it. */
struct part {
	struct wl_document frame;
	struct wl_view view;
};

/* What the reply says about a trace. */
struct opened {
	struct wl_handle *handle;
	struct part findings, budget, gpus, coach;
};

/* Ask a verb, and accept "no data" as an answer. */
static int ask(struct wl_tool_call *c, const struct opened *o, const char *name, const char *marker,
	       struct part *ret, struct wl_err *reterr)
{
	const struct wl_request q = { .analysis = wl_analysis_get(name),
				      .marker = marker,
				      .pool = c->opts->pool };
	const struct wl_table *table;
	int r = wl_request_check(&q, reterr);

	if (r == WL_OK)
		r = wl_call_ask(c, o->handle, &q, &ret->frame, &table, reterr);
	if (r == WL_E_NODATA) {
		*ret = (struct part){ .view = { .table = NULL } };
		return WL_OK;
	}
	return r == WL_OK ? wl_view_make(table, &q.view, &c->arena, &ret->view, reterr) : r;
}

static bool is_facts(const struct opened *o)
{
	return wl_session_is_facts(o->handle->trace.session);
}

/* Facts keep a table that is not a verb as a section of its document. */
static int ask_section(struct wl_tool_call *c, const struct opened *o, const char *document,
		       const char *section, struct part *ret, struct wl_err *reterr)
{
	const struct wl_request q = { .document = wl_document_find(document),
				      .section = section,
				      .pool = c->opts->pool };
	int r = wl_call_run(c, o->handle, &q, &ret->frame, reterr);

	if (r == WL_OK && ret->frame.n_sections && !ret->frame.sections[0].missing)
		ret->view = ret->frame.sections[0].view;
	return r == WL_E_NODATA ? WL_OK : r;
}

static int ask_facts(struct wl_tool_call *c, struct opened *o, struct wl_err *reterr)
{
	int r = ask(c, o, "findings", NULL, &o->findings, reterr);

	if (r == WL_OK)
		r = ask_section(c, o, "summary", "budget", &o->budget, reterr);
	if (r == WL_OK)
		r = ask_section(c, o, "info", "gpus", &o->gpus, reterr);
	return r;
}

/*
 * Agents ask several verbs of a trace: unless it is too large, read all columns now, so that no
 * later call waits for them.
 */
static int load_all(struct wl_tool_call *c, const struct opened *o, struct wl_err *reterr)
{
	int r = wl_call_check(c, reterr);

	/* A job directory's size says nothing; with a memory limit, read only needed columns. */
	if (r < 0 || (c->opts->budget && c->opts->budget->limit > 0) ||
	    !S_ISREG(o->handle->was.st_mode) || o->handle->was.st_size > LOAD_ALL_BYTES)
		return r;
	r = wl_session_load_all(o->handle->trace.session, reterr);
	if (r < 0)
		wl_handle_close(o->handle);
	return r;
}

static int ask_all(struct wl_tool_call *c, struct opened *o, struct wl_err *reterr)
{
	const char *marker;
	int r = wl_call_text(c, "marker", &marker, reterr);

	if (r == WL_OK && is_facts(o))
		return ask_facts(c, o, reterr);
	if (r == WL_OK)
		r = load_all(c, o, reterr);
	if (r == WL_OK)
		r = ask(c, o, "findings", marker, &o->findings, reterr);
	if (r == WL_OK)
		r = ask(c, o, "budget", marker, &o->budget, reterr);
	if (r == WL_OK)
		r = ask(c, o, "gpus", NULL, &o->gpus, reterr);
	if (r == WL_OK)
		r = ask(c, o, "coach", NULL, &o->coach, reterr);
	return r;
}

/* The view of a part; NULL if there is none. */
static const struct wl_view *view_of(const struct part *part)
{
	return part->view.table ? &part->view : NULL;
}

/* The frame that describes steps: findings from facts of several traces do not. */
static const struct wl_document *frame_of(const struct opened *o)
{
	return is_facts(o) && o->budget.frame.step ? &o->budget.frame : &o->findings.frame;
}

/* Write at most `most` rows of a table as objects with named columns; with a handle, also calls. */
static void put_objects(struct wl_tool_call *c, const char *key, const struct wl_view *v,
			const char *columns, size_t most, const char *handle)
{
	struct wl_jsonw *w = &c->w;

	wl_jsonw_open_array(w, key);
	for (size_t i = 0; v && i < v->n_rows && i < most; i++) {
		const char *call = handle ? wl_suggested_of(c, v->table, v->rows[i], handle) : NULL;
		const char *at = columns;

		wl_jsonw_begin_object(w);
		while (*at) {
			size_t n = strcspn(at, " "), col;
			const struct wl_col *info = wl_cols_find(v->table, at, n, &col);
			struct wl_cell cell = { .set = false };

			if (info)
				cell = wl_table_at(v->table, v->rows[i], col);
			if (cell.set && wl_type_is_text(info->type)) {
				wl_call_put(c, info->key, cell.str, TEXT_CAP);
			} else if (cell.set) {
				wl_jsonw_key(w, info->key);
				wl_reply_put_cell(w, info->type, cell);
			}
			at += n;
			at += strspn(at, " ");
		}
		if (call)
			wl_jsonw_put_raw(w, "evidence_call", call, strlen(call));
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* Write the questions that the trace leaves open. */
static void put_open(struct wl_tool_call *c, const struct opened *o)
{
	const struct wl_view *v = view_of(&o->coach);
	size_t n = 0;

	wl_jsonw_open_array(&c->w, "cannot_answer");
	if (is_facts(o)) {
		wl_jsonw_begin_object(&c->w);
		wl_call_put(c, "question", "single kernels, gaps, ranges and calls", TEXT_CAP);
		wl_call_put(c, "missing",
			    "facts keep the answers to the calls below, and no single events: "
			    "open the trace that they are of",
			    TEXT_CAP);
		wl_jsonw_end_object(&c->w);
	}
	for (size_t i = 0; v && i < v->n_rows && n < MAX_OPEN; i++) {
		const struct wl_cell lacks = wl_table_at(v->table, v->rows[i], WL_COACH_LACKS);
		const struct wl_cell what = wl_table_at(v->table, v->rows[i], WL_COACH_QUESTION);
		const struct wl_cell why = wl_table_at(v->table, v->rows[i], WL_COACH_MISSING);

		if (!lacks.set || !what.set)
			continue;
		wl_jsonw_begin_object(&c->w);
		wl_call_put(c, "question", what.str, TEXT_CAP);
		wl_call_put(c, "missing", why.set ? why.str : "", TEXT_CAP);
		wl_jsonw_end_object(&c->w);
		n++;
	}
	wl_jsonw_end_array(&c->w);
}

static void suggest(struct wl_tool_call *c, const char *call, const char *why)
{
	wl_jsonw_begin_object(&c->w);
	wl_call_put(c, "call", call, TEXT_CAP);
	wl_call_put(c, "why", why, TEXT_CAP);
	wl_jsonw_end_object(&c->w);
}

/* Suggest the next calls that fit this trace. */
static void put_next(struct wl_tool_call *c, const struct opened *o)
{
	const struct wl_document *frame = frame_of(o);

	wl_jsonw_open_array(&c->w, "next");
	if (is_facts(o)) {
		suggest(c, "findings", "what to do, the largest bound of a saving first");
		suggest(c, "analyze verb=overlap",
			"compute, exposed communication, copies and idle time of each GPU");
		suggest(c, "analyze verb=nccl", "collectives, and how long ranks wait in them");
	} else if (view_of(&o->findings)) {
		suggest(c, "findings", "what to do, the largest saving first, with evidence");
		suggest(c, "analyze verb=kernels", "which kernels take the time");
		suggest(c, "analyze verb=idle", "why the GPU is idle");
	} else {
		suggest(c, "analyze verb=api", "the trace has no GPU work; these are host calls");
	}
	if (frame->step)
		suggest(c, "analyze verb=iters",
			"how long each step takes; window=steady or iter:N narrows any question to "
			"steps");
	if (view_of(&o->findings) && o->findings.frame.n_devices > 1)
		suggest(c, "analyze verb=ranks", "whether one rank or GPU is late");
	if (!is_facts(o))
		suggest(c, "plan_capture", "the capture that would answer what this trace cannot");
	wl_jsonw_end_array(&c->w);
}

/* A part's share of the whole by a column, which has shares, or times to divide by whole. */
static double share_at(const struct wl_view *v, size_t row, size_t col, wl_ns whole)
{
	const struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	if (!cell.set)
		return 0;
	return whole ? (double)cell.i64 / (double)whole : cell.f64;
}

/*
 * "compute 43%, exposed comm 12%, idle 40%": the parts that are at least 1% of a step by this
 * column, the largest first.
 */
static const char *say_parts(struct wl_tool_call *c, const struct wl_view *v, const char *column)
{
	const char *said = NULL;
	bool done[MAX_PARTS] = { false };
	size_t part, col, best, n_rows = v && v->n_rows < MAX_PARTS ? v->n_rows : MAX_PARTS;
	wl_ns whole;

	if (!v || !wl_table_find_col(v->table, "part", &part) ||
	    !wl_table_find_col(v->table, column, &col))
		return NULL;
	whole = v->table->cols[col].type == WL_T_NS ? wl_view_sum(v, column) : 0;
	do {
		double most = 0.01;
		char buf[WL_UNITS_BUF];

		best = n_rows;
		for (size_t i = 0; i < n_rows; i++) {
			if (!done[i] && share_at(v, i, col, whole) >= most) {
				most = share_at(v, i, col, whole);
				best = i;
			}
		}
		if (best == n_rows)
			break;
		done[best] = true;
		said = wl_call_printf(c, "%s%s%s %s", said ? said : "", said ? ", " : "",
				      wl_table_at(v->table, v->rows[best], part).str,
				      wl_fmt_ratio(buf, most));
	} while (said);
	return said;
}

/* Steps of two lengths have two budgets, and the mean fits neither: give both; else "". */
static const char *say_lengths(struct wl_tool_call *c, const struct wl_view *v)
{
	const char *first = say_parts(c, v, "first"), *second = say_parts(c, v, "second");
	char one[WL_UNITS_BUF], other[WL_UNITS_BUF];

	if (!first || !second)
		return "";
	return wl_call_printf(c, ". Steps have two lengths: of %s: %s; of %s: %s",
			      wl_fmt_ns(one, wl_view_sum(v, "first"), WL_UNIT_AUTO), first,
			      wl_fmt_ns(other, wl_view_sum(v, "second"), WL_UNIT_AUTO), second);
}

/* "a step takes 3.063 ms on average (median 2.061 ms)": shares refer to the mean step. */
static const char *say_step(struct wl_tool_call *c, const struct opened *o)
{
	const struct wl_view *budget = view_of(&o->budget);
	const struct wl_doc_step *step = frame_of(o)->step;
	char mean[WL_UNITS_BUF], median[WL_UNITS_BUF];
	struct wl_cell n = { .set = false };
	size_t col;

	if (budget && budget->n_rows && wl_table_find_col(budget->table, "steps", &col))
		n = wl_table_at(budget->table, budget->rows[0], col);
	return wl_call_printf(
		c, "a step takes %s on average over %lld of %lld steps (median of all: %s)",
		wl_fmt_ns(mean, budget ? wl_view_sum(budget, "time") : 0, WL_UNIT_AUTO),
		(long long)(n.set ? n.i64 : step->count), (long long)step->count,
		wl_fmt_ns(median, step->median, WL_UNIT_AUTO));
}

static const char *say(struct wl_tool_call *c, const struct opened *o)
{
	const struct wl_document *frame = frame_of(o);
	const char *parts = say_parts(c, view_of(&o->budget), "share");
	const struct wl_view *findings = view_of(&o->findings);
	const char *finding =
		findings && findings->n_rows ? wl_reply_finding(c, findings, 0) : NULL;

	if (!findings)
		return "this trace has no GPU work: most verbs have nothing to say about it";
	return wl_call_printf(
		c, "%s%lld GPU%s; %s: %s%s. Largest finding: %s", is_facts(o) ? "facts of " : "",
		(long long)o->findings.frame.n_devices, o->findings.frame.n_devices == 1 ? "" : "s",
		frame->step ? say_step(c, o) : "the window, without steps",
		parts ? parts : "no parts", say_lengths(c, view_of(&o->budget)),
		finding       ? finding
		: is_facts(o) ? "none that facts can tell: what needs a replay is left out, and "
				"notes of ranks name suspects"
			      : "none above 1%");
}

static int reply(struct wl_tool_call *c, const struct opened *o, struct wl_err *reterr)
{
	const struct wl_view *findings = view_of(&o->findings);
	const char *path = wl_shell_word(o->handle->path, &c->arena);
	int r = wl_call_begin(c, reterr);

	if (r < 0)
		return r;
	wl_call_put(c, "answer", say(c, o), 1200);
	wl_call_put(c, "trace", o->handle->id, 16);
	wl_call_put(c, "path", o->handle->path, 1000);
	wl_reply_put_window(&c->w, &o->findings.frame);
	wl_reply_put_step(c, frame_of(o));
	put_objects(c, "gpus", view_of(&o->gpus),
		    "device name pid ordinal memory sms compute_capability", MAX_GPUS, NULL);
	put_objects(c, "budget", view_of(&o->budget), "part time share first second", MAX_PARTS,
		    NULL);
	put_objects(c, "findings", findings,
		    "code severity saves_share saves_kind saves saving share finding action",
		    MAX_FINDINGS, o->handle->id);
	put_open(c, o);
	put_next(c, o);
	wl_reply_put_notes(c, findings ? findings->table : NULL,
			   o->handle->was_reread ? "the file has changed since it was opened: this "
						   "is of the new one"
						 : NULL);
	wl_call_put(c, "how", path ? wl_call_printf(c, "warplens summary %s -f json", path) : NULL,
		    2000);
	return wl_call_end(c, reterr);
}

int wl_tool_open_trace(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct opened o = { .handle = NULL };
	const char *path;
	int r = wl_call_only(c, "path marker", reterr);

	if (r == WL_OK)
		r = wl_call_text(c, "path", &path, reterr);
	if (r == WL_OK && !path)
		r = wl_fail(reterr, WL_E_USAGE, "path: say which file");
	if (r == WL_OK)
		r = wl_call_trace(c, "path", &o.handle, reterr);
	if (r == WL_OK)
		r = ask_all(c, &o, reterr);
	return r == WL_OK ? reply(c, &o, reterr) : r;
}

/* ---- Schemas ---- */

void wl_schema_open_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(
		w, "path", "string",
		"Path of a .sqlite export, of a .nsys-rep report (nsys must be installed), of a "
		"directory with one file per rank, or of facts (.wlfacts); or a handle, to see it "
		"again.");
	wl_schema_put(w, "marker", "string",
		      "What marks a step, where it is not found: part of an NVTX range's name, "
		      "re:REGEX, kernel:NAME.");
	wl_schema_end(w, "path", true);
}

void wl_schema_open_output(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "answer", "string", "Where the time goes, in a sentence or two.");
	wl_schema_put(w, "trace", "string", "Handle for the other tools.");
	wl_schema_put(w, "path", "string", NULL);
	wl_schema_window(w);
	wl_schema_step(w);
	wl_schema_list(w, "gpus", "object", "The devices; memory in bytes.");
	wl_schema_list(
		w, "budget", "object",
		"What a step consists of; times in ns. Where steps have two lengths, first and "
		"second are of the steps of each.");
	wl_schema_list(w, "findings", "object",
		       "The largest; saving in ns; evidence_call is the call that shows why.");
	wl_schema_list(w, "cannot_answer", "object",
		       "Questions that this trace leaves open: do not guess the answers.");
	wl_schema_list(w, "next", "object", "Calls that fit this trace.");
	wl_schema_list(w, "notes", "string", NULL);
	wl_schema_put(w, "how", "string", "The command line that gives the same.");
	wl_schema_end(w, "answer trace path gpus budget findings cannot_answer next notes how",
		      true);
}
