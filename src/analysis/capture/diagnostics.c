/* SPDX-License-Identifier: MIT */
/* diagnostics.c - messages from the profiler itself: errors first, then warnings. */
#include "analysis/analysis.h"
#include "base/memory/sort.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(diagnostics);

enum { SEVERITY, COUNT, TEXT };

static const struct wl_col cols[] = {
	[SEVERITY] = { "severity", "Severity", WL_T_ENUM, WL_KEY, "Severity of the message." },
	[COUNT] = { "count", "Times", WL_T_COUNT, WL_SUM, "Number of such messages." },
	[TEXT] = { "text", "The profiler said", WL_T_STR, WL_KEY | WL_PROSE, "The message." },
};

static const enum wl_column_id needs[] = { WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT,
					   WL_N_COLUMNS };

/* Severity and text; no padding. */
struct message {
	uint32_t severity, text;
};

struct messages {
	const struct message *message;
};

/* Errors (3), then warnings (2); the rest is not shown. */
static bool worse(const void *ctx, uint32_t a, uint32_t b)
{
	const struct messages *m = ctx;

	return m->message[a].severity > m->message[b].severity;
}

static int put_messages(const struct wl_run *r, struct wl_intern *seen, struct wl_table *out,
			struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	size_t n = t->family[WL_F_DIAGNOSTICS].n;
	int64_t *count = WL_NEW(r->arena, int64_t, n);
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);
	const struct message *message;

	for (size_t i = 0; count && order && i < n; i++) {
		const struct message m = { wl_diagnostics_severity(t)[i],
					   wl_diagnostics_text(t)[i] };
		uint32_t id;

		if (m.severity != 2 && m.severity != 3)
			continue;
		id = wl_intern_put(seen, &m);
		if (id == WL_NONE)
			return wl_no_memory(&wl_analysis_diagnostics, reterr);
		order[id] = id;
		count[id]++;
	}
	if (!count || !order)
		return wl_no_memory(&wl_analysis_diagnostics, reterr);
	message = seen->items.data;
	wl_sort_index(order, seen->items.n, order + n, worse, &(struct messages){ message });
	for (size_t i = 0; i < seen->items.n; i++) {
		wl_table_row(out);
		wl_put_str(out, SEVERITY, wl_severity_name(message[order[i]].severity));
		wl_put_i64(out, COUNT, count[order[i]]);
		wl_put_str(out, TEXT, wl_str(t, message[order[i]].text));
	}
	return WL_OK;
}

static const char *why_empty(const struct wl_trace *t)
{
	(void)t;
	return "the file has no messages of the profiler";
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_intern seen;
	int result;

	wl_intern_init(&seen, sizeof(struct message), wl_arena_budget(r->arena));
	result = put_messages(r, &seen, out, reterr);
	wl_intern_release(&seen);
	return result;
}

const struct wl_analysis wl_analysis_diagnostics = {
	.name = "diagnostics",
	.help = "Show the profiler's own warnings and errors",
	.on_host = true,
	.of_file = true,
	.needs = needs,
	.why_empty = why_empty,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
