/* SPDX-License-Identifier: MIT */
/* timeline_stats.c - statistics of the range: sums at once, tables when they are answered. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "render/formats.h"
#include "tui/timeline/tell/timeline_tell.h"

/* One table may be long: the text scrolls. Of several, the first rows of each. */
enum { ROWS_OF_ONE = 200, ROWS_OF_EACH = 20 };

static void set_arg(struct wl_range_question *q, const struct wl_analysis *a, const char *key,
		    const char *value)
{
	for (size_t i = 0; i < a->n_params && i < WL_COUNT(q->args); i++) {
		if (value && strcmp(a->params[i].key, key) == 0)
			q->args[i] = value;
	}
}

void wl_range_ask(struct wl_timeline *t, struct wl_range_question *q, int slot,
		  wl_answer_fn *answered)
{
	struct wl_request request = wl_app_options(t->app)->request;

	assert(!q->pending);
	request.analysis = q->visitor ? NULL : wl_analysis_find(q->analysis);
	request.document = NULL;
	request.visitor = q->visitor;
	request.view = (struct wl_view_opts){ .limit = q->limit };
	if (request.analysis) {
		assert(request.analysis->n_params <= WL_COUNT(q->args));
		memset(q->args, 0, sizeof(q->args));
		set_arg(q, request.analysis, "name", q->naming);
		set_arg(q, request.analysis, "by", q->by);
		set_arg(q, request.analysis, "min", q->min);
		request.args = q->args;
	}
	(void)snprintf(q->window, sizeof(q->window), "%" PRId64 "ns..%" PRId64 "ns", q->range.begin,
		       q->range.end);
	request.selection.window = q->window;
	if (q->device != WL_NONE) {
		(void)snprintf(q->gpu, sizeof(q->gpu), "%" PRIu32, q->device);
		request.selection.gpu = q->gpu;
	}
	q->pending = true;
	wl_app_ask(t->app, &(struct wl_app_question){ .which = 0,
						      .slot = slot,
						      .says_missing = q->says_missing,
						      .request = &request,
						      .answered = answered,
						      .ctx = t });
}

static void add_text(struct wl_timeline *t, const char *text, size_t n)
{
	char *to = wl_vec_extend(&t->panels.kept->sum_text, n);

	if (to)
		memcpy(to, text, n);
}

/* A table as the verb prints it, under a title and without the frame, which is said once. */
static void add_table(struct wl_timeline *t, const struct wl_document *doc, const char *title)
{
	const struct wl_screen *screen = wl_app_screen(t->app);
	struct wl_render_opts opts = { .width = wl_text_width(screen),
				       .ascii = screen->caps.ascii };
	struct wl_section section = doc->sections[0];
	struct wl_document bare = *doc;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	section.title = title;
	bare.sections = &section;
	bare.n_trace = bare.n_selection = bare.n_windows = 0;
	bare.n_devices = -1;
	wl_render_text(&bare, &opts, out);
	if (fclose(out) == 0)
		add_text(t, text, n);
	free(text);
}

static const struct {
	const char *analysis, *title;
} tables[] = { { "categories", "CATEGORIES, shares of busy time" },
	       { "kernels", "KERNELS, shares of the time of all kernels" },
	       { "nvtx", "NVTX" },
	       { "stacks", "HOST CODE while GPUs are idle, by call stack" } };

enum { KERNELS = 1, STACKS = 3, N_OF_ALL = 3 };

static void show_sums(struct wl_timeline *t)
{
	struct wl_timeline_kept *f = t->panels.kept;

	const char *title = f->sum_all             ? "Where the time went"
			    : f->sum_step > STACKS ? "Host code"
						   : "Statistics";

	add_text(t, "", 1);
	if (f->sum_text.failed)
		wl_app_say(t->app, "no memory for the statistics");
	else
		wl_app_show_text(t->app, title, f->sum_text.data);
}

static void ask_table(struct wl_timeline *t);

static void sum_answered(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct wl_timeline *t = ctx;
	struct wl_timeline_kept *f = t->panels.kept;
	char line[600];
	int n;

	f->summing.pending = false;
	add_text(t, "\n", 1);
	if (doc && doc->n_sections > 0 && !doc->sections[0].missing) {
		add_table(t, doc, tables[f->sum_step].title);
	} else {
		n = snprintf(line, sizeof(line), "%s: %s\n", tables[f->sum_step].title,
			     doc && doc->n_sections > 0 ? doc->sections[0].missing
			     : err                      ? err->msg
							: "no answer");
		add_text(t, line, n > 0 && (size_t)n < sizeof(line) ? (size_t)n : 0);
	}
	f->sum_step++;
	if (f->sum_all && f->sum_step < N_OF_ALL)
		ask_table(t);
	else
		show_sums(t);
}

static void ask_table(struct wl_timeline *t)
{
	struct wl_timeline_kept *f = t->panels.kept;

	f->summing.analysis = tables[f->sum_step].analysis;
	f->summing.limit = f->sum_all ? ROWS_OF_EACH : ROWS_OF_ONE;
	f->summing.says_missing = true;
	f->summing.min = f->sum_step == STACKS ? "1%" : NULL;
	wl_range_ask(t, &f->summing, WL_ASK_SUMS, sum_answered);
}

static void add_line(struct wl_timeline *t, const char *name, wl_ns ns, wl_ns of)
{
	char line[96], length[WL_UNITS_BUF], share[WL_UNITS_BUF];
	int n = snprintf(line, sizeof(line), "%-14s %10s %6s\n", name, wl_brief_ns(length, ns),
			 wl_brief_share(share, ns, of));

	add_text(t, line, (size_t)n);
}

/* All sums of lanes, as text. */
static void add_sums(struct wl_timeline *t, const struct wl_range_sums *sums, const char *head)
{
	add_text(t, head, strlen(head));
	add_text(t, "\n\n", 2);
	if (sums->n_devices == 0)
		return;
	add_line(t, "compute", sums->compute, sums->length);
	add_line(t, "exposed comm", sums->exposed_comm, sums->length);
	add_line(t, "exposed copy", sums->exposed_copy, sums->length);
	add_line(t, "idle", sums->idle, sums->length);
	for (int c = 0; sums->has_causes && c < WL_N_CAUSES; c++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "  %s", wl_cause_name((enum wl_cause)c));
		if (sums->cause[c] > 0)
			add_line(t, name, sums->cause[c], sums->length);
	}
}

/* Say the sums at once; the text comes when the table, or from the first on all are there. */
static void sum_up(struct wl_timeline *t, int table)
{
	struct wl_timeline_kept *f = t->panels.kept;
	struct wl_range_question *q = &f->summing;
	char text[512], from[WL_TIME_BUF], to[WL_TIME_BUF];
	struct wl_range_sums sums;
	struct wl_text_buf w;
	bool marked;

	if (q->pending) {
		wl_app_say(t->app, "statistics are still being found");
		return;
	}
	marked = wl_timeline_range(t, &q->range);
	q->device = wl_timeline_device(t);
	wl_range_sums_of(wl_timeline_scene(t), q->device, q->range, &sums);
	wl_text_buf_init(&w, text, sizeof(text));
	wl_tell_sums(&w, &sums, q->device);
	wl_app_say(t->app, "%s", text);
	wl_text_buf_init(&w, text, sizeof(text));
	wl_tell(&w, "%s %s to %s", marked ? "range A..B" : "view",
		wl_timeline_fmt(t, q->range.begin, from), wl_timeline_fmt(t, q->range.end, to));
	wl_tell(&w, ", %s", wl_brief_ns(from, q->range.end - q->range.begin));
	if (q->device != WL_NONE)
		wl_tell(&w, " of GPU %" PRIu32 "; shares in these lines are of that", q->device);
	else
		wl_tell(&w, " of %zu GPUs; shares in these lines are of that times their number",
			sums.n_devices);
	f->sum_text.n = 0;
	f->sum_text.failed = false;
	add_sums(t, &sums, text);
	f->sum_step = (size_t)table;
	f->sum_all = table == 0;
	ask_table(t);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_STATS, .by = sum_up, .n = KERNELS },
	{ WL_ACT_TOP, .by = sum_up, .n = 0 },
	{ WL_ACT_HOST_CODE, .by = sum_up, .n = STACKS },
};

const struct wl_timeline_part wl_timeline_summing = { .acts = acts, .n_acts = WL_COUNT(acts) };
