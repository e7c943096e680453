/* SPDX-License-Identifier: MIT */
/* tool_diff.c - the tool that compares two traces step by step. */
#include <string.h>

#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/reply.h"
#include "agent/tools/schema.h"
#include "base/text/shell.h"
#include "base/text/units.h"
#include "compare/diff/ask.h"
#include "compare/diff/diff_tables.h"
#include "compare/diff/diff_words.h"
#include "compare/fingerprint/take.h"

/* Two traces being compared. */
struct comparing {
	struct wl_handle *side[WL_N_SIDES];
	struct wl_request request;
	enum wl_diff_section section;
	const char *cursor;
	int64_t limit;
	double threshold;
	struct wl_fingerprint print[WL_N_SIDES];
	struct wl_document frame[WL_N_SIDES];
	struct wl_diff diff;
};

static int take_section(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	const char *name;
	int r = wl_call_text(c, "section", &name, reterr);

	if (r < 0)
		return r;
	d->section = wl_diff_section_find(name ? name : "budget");
	if (d->section == WL_N_DIFF_SECTIONS || d->section == WL_DIFF_GATES)
		return wl_fail(reterr, WL_E_USAGE,
			       "section: give verdict, budget, kernels, ranges, idle, categories, "
			       "copies or ranks, not \"%.40s\"",
			       name);
	return WL_OK;
}

static int take_threshold(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	const char *text;
	int r = wl_call_text(c, "threshold", &text, reterr);

	return r < 0 ? r : wl_parse_ratio(text ? text : WL_DIFF_THRESHOLD, &d->threshold, reterr);
}

/* Hold both traces at once, in the order of their handles, so that two calls cannot deadlock. */
static int hold(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	static const char *const keys[WL_N_SIDES] = { "before", "after" };
	size_t first;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_N_SIDES; i++) {
		const char *name;

		r = wl_call_text(c, keys[i], &name, reterr);
		if (r == WL_OK && !name)
			r = wl_fail(reterr, WL_E_USAGE, "%s: say which trace", keys[i]);
		if (r == WL_OK)
			r = wl_handle_find(c->handles, name, &d->side[i], reterr);
	}
	if (r == WL_OK && d->side[WL_BEFORE] == d->side[WL_AFTER])
		r = wl_fail(reterr, WL_E_USAGE, "before and after are the same trace");
	if (r < 0)
		return r;
	first = strverscmp(d->side[WL_BEFORE]->id, d->side[WL_AFTER]->id) < 0 ? WL_BEFORE
									      : WL_AFTER;
	r = wl_call_hold(c, d->side[first], reterr);
	return r == WL_OK ? wl_call_hold(c, d->side[!first], reterr) : r;
}

/* Fail with the error of one side's request. */
static int fail_side(struct comparing *d, size_t side, int r, const struct wl_err *why,
		     struct wl_err *reterr)
{
	if (r == WL_E_IO || r == WL_E_FORMAT || r == WL_E_NOMEM)
		wl_handle_close(d->side[side]);
	return wl_fail(reterr, r, "%s: %s", d->side[side]->id, why->msg);
}

/* The scenario that explains the change belongs to the slower side: only that side is replayed. */
static int replay_slower(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	const enum wl_side slower = d->diff.nearest.side;
	struct wl_err why;
	int r;

	if (!wl_diff_has_slower(&d->diff) || d->print[slower].is_of_sums)
		return WL_OK;
	r = wl_fp_ask_replayed(d->side[slower]->trace.session, &d->request, &c->arena,
			       &d->print[slower], &why);
	if (r < 0)
		return fail_side(d, slower, r, &why, reterr);
	d->diff.nearest = wl_diff_find_nearest(&d->diff);
	return wl_call_check(c, reterr);
}

static int ask_sides(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "diff" };
	struct wl_request request = d->request;
	int r = WL_OK;

	wl_fp_want(&visitor.wanted);
	request.visitor = &visitor;
	for (size_t i = 0; r == WL_OK && i < WL_N_SIDES; i++) {
		struct wl_err why;

		r = wl_fp_ask_measured(d->side[i]->trace.session, &request, &c->arena, &d->print[i],
				       &d->frame[i], &why);
		if (r < 0)
			r = fail_side(d, i, r, &why, reterr);
		if (r == WL_OK)
			r = wl_call_check(c, reterr);
	}
	return r;
}

static const char *how_of(struct wl_tool_call *c, const struct comparing *d)
{
	const char *a = wl_shell_word(d->side[WL_BEFORE]->path, &c->arena);
	const char *b = wl_shell_word(d->side[WL_AFTER]->path, &c->arena);
	const char *window = d->request.selection.window
				     ? wl_shell_word(d->request.selection.window, &c->arena)
				     : "";
	char threshold[WL_UNITS_BUF];

	if (!a || !b || !window)
		return NULL;
	return wl_call_printf(c, "warplens diff %s %s --section %s --threshold %s%s%s -f json", a,
			      b, wl_diff_tables[d->section].name,
			      wl_fmt_f64(threshold, d->threshold), *window ? " --window " : "",
			      window);
}

/* "before: t1, 4 GPUs, 4 processes; after: t2, 4 GPUs, 4 processes" */
static const char *say_sides(struct wl_tool_call *c, const struct comparing *d)
{
	static const char *const names[WL_N_SIDES] = { "before", "after" };
	const char *said = "";

	for (size_t i = 0; said && i < WL_N_SIDES; i++) {
		size_t gpus = d->print[i].n_devices, processes = d->print[i].n_processes;

		said = wl_call_printf(c, "%s%s%s: %s, %zu GPU%s", said, i ? "; " : "", names[i],
				      d->side[i]->id, gpus, gpus == 1 ? "" : "s");
		if (said && processes > 0)
			said = wl_call_printf(c, "%s, %zu process%s with steps", said, processes,
					      processes == 1 ? "" : "es");
	}
	return said;
}

static int reply(struct wl_tool_call *c, struct comparing *d, struct wl_err *reterr)
{
	char line[WL_WORDS], why[WL_WORDS];
	const struct wl_table_info *info = &wl_diff_tables[d->section];
	struct wl_section section = { .analysis = info->name };
	struct wl_told told = { .verb = info->name, .limit = (size_t)d->limit };
	struct wl_table table;
	int r;

	wl_table_init(&table, &c->arena, info->cols, info->n_cols);
	wl_diff_fill(&d->diff, d->section, &table);
	/* People see the verdict's notes with every table; a reply has only one table. */
	if (d->section != WL_DIFF_VERDICT)
		wl_diff_notes(&d->diff, &table);
	told.how = how_of(c, d);
	told.extra = say_sides(c, d);
	told.answer = wl_call_printf(c, "%s%s%s", wl_diff_line(&d->diff, line),
				     *wl_diff_why(&d->diff, why) ? ". " : "", why);
	if (!wl_table_ok(&table) || !told.how)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	r = wl_view_make(&table, &(struct wl_view_opts){ .limit = 0 }, &c->arena, &section.view,
			 reterr);
	if (r == WL_OK && d->cursor)
		r = wl_cursor_parse(d->cursor, told.how, &told.offset, reterr);
	/* Each side's window is in its own time. */
	return r == WL_OK ? wl_reply_table(c, &(struct wl_document){ .name = "diff" }, &section,
					   &told, reterr)
			  : r;
}

int wl_tool_diff(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct comparing d = { .limit = WL_REPLY_ROWS };
	struct wl_diff_opts opts = { .n_gates = 0 };
	int r = wl_call_only(
		c, "before after section window gpu rank marker threshold limit cursor", reterr);

	if (r == WL_OK)
		r = take_section(c, &d, reterr);
	if (r == WL_OK)
		r = take_threshold(c, &d, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "cursor", &d.cursor, reterr);
	if (r == WL_OK)
		r = wl_call_i64(c, "limit", 1, WL_REPLY_MAX_ROWS, &d.limit, reterr);
	if (r == WL_OK)
		r = wl_call_request(c, &d.request, reterr);
	if (r == WL_OK)
		r = hold(c, &d, reterr);
	if (r == WL_OK)
		r = ask_sides(c, &d, reterr);
	opts.threshold = d.threshold;
	if (r == WL_OK)
		r = wl_diff_make(&d.print[WL_BEFORE], &d.print[WL_AFTER], &opts, &c->arena, &d.diff,
				 reterr);
	if (r == WL_OK)
		r = replay_slower(c, &d, reterr);
	if (r == WL_OK && !wl_diff_has(&d.diff, d.section))
		r = wl_fail(reterr, WL_E_NODATA, "%s: these traces have nothing to compare there",
			    wl_diff_tables[d.section].name);
	return r == WL_OK ? reply(c, &d, reterr) : r;
}

/* ---- Schemas ---- */

void wl_schema_diff_input(struct wl_jsonw *w)
{
	const char *names[WL_N_DIFF_SECTIONS + 1] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < WL_N_DIFF_SECTIONS; i++) {
		if (i != WL_DIFF_GATES)
			names[n++] = wl_diff_tables[i].name;
	}
	wl_schema_begin(w);
	wl_schema_put(w, "before", "string", "Handle or path of the trace before the change.");
	wl_schema_put(w, "after", "string", "Handle or path of the trace after it.");
	wl_schema_enum(
		w, "section", names,
		"Which table; budget (parts of a step) by default. The answer has the verdict "
		"in any case.");
	wl_schema_put(w, "window", "string", "Part of both traces: steady, iter:3..7, 39s..42s.");
	wl_schema_put(w, "gpu", "string", "Only these devices.");
	wl_schema_put(w, "rank", "string", "Only these ranks.");
	wl_schema_put(w, "marker", "string", "What marks a step, as in analyze.");
	wl_schema_put(w, "threshold", "string", "Changes below this count as same; 1% by default.");
	wl_schema_range(w, "limit", 1, WL_REPLY_MAX_ROWS, "Rows; 50 by default.");
	wl_schema_put(w, "cursor", "string", "next_cursor of the reply before, for further rows.");
	wl_schema_end(w, "before after", true);
}
