/* SPDX-License-Identifier: MIT */
/*
 * answer_stats.c - statistics of a range, by name, category, NVTX range or row.
 *
 * An event counts with its part in the range, as in "kernels --window". Everything but the
 * union comes from derive/rows/stats.h; for the union the lanes are walked side by side in order
 * of time, so that memory goes by groups and lanes and not by events.
 */
#include "analysis/stat_cols.h"
#include "base/memory/sort.h"
#include "serve/answers/answer_rows.h"
#include "serve/answers/groups.h"

/* By enum wl_group_by. */
static const char *const bys[] = { "name", "category", "nvtx", "stream", NULL };

enum { GROUP, COUNT, SUM, UNION, AVG, P50, P99, SHARE, LABEL, N_COLS };

#define COLS(key, title)                                                                           \
	{                                                                                          \
		[GROUP] = { key, title, WL_T_STR, WL_KEY, "" },                                    \
		[COUNT] = { "count", "Count", WL_T_COUNT, WL_PLAIN, "" },                          \
		[SUM] = { "sum", "Sum", WL_T_NS, WL_PLAIN, "" },                                   \
		[UNION] = { "union", "Union", WL_T_NS, WL_PLAIN, "" },                             \
		[AVG] = { "avg", "Avg", WL_T_NS, WL_PLAIN, "" },                                   \
		[P50] = { "p50", "P50", WL_T_NS, WL_PLAIN, "" },                                   \
		[P99] = { "p99", "P99", WL_T_NS, WL_PLAIN, "" },                                   \
		[SHARE] = { "share", "Of range", WL_T_RATIO, WL_PLAIN, "" },                       \
		[LABEL] = { "label", "Label", WL_T_STR, WL_PLAIN, "" },                            \
	}

static const struct wl_col cols[][N_COLS] = {
	[WL_GROUP_BY_NAME] = COLS("name", "Name"),
	[WL_GROUP_BY_CATEGORY] = COLS("category", "Category"),
	[WL_GROUP_BY_NVTX] = COLS("nvtx", "NVTX range"),
	[WL_GROUP_BY_ROW] = COLS("stream", "Row"),
};

/* The events [lo, hi) of a lane, with a part in [begin, end) on the clock of the trace. */
struct part {
	const struct wl_lane *lane;
	struct wl_asked_row row;
	size_t lo, hi;
	size_t before; /* events of the parts before */
	wl_ns begin, end;
};

struct gathered {
	const struct wl_ask *ask;
	struct wl_event_groups groups;
	struct wl_interval range;
	struct part *part;
	size_t n_parts, n_events;
	wl_ns *join; /* by code: time that at least one event covers */
};

/* ---- Events ---- */

static void take_lane(struct gathered *g, const struct wl_asked_row *row,
		      const struct wl_lane *lane, wl_ns begin, wl_ns end)
{
	struct part p = {
		.lane = lane, .row = *row, .before = g->n_events, .begin = begin, .end = end
	};

	wl_lane_touching(lane, begin, end, &p.lo, &p.hi);
	if (p.lo >= p.hi)
		return;
	g->part[g->n_parts++] = p;
	g->n_events += p.hi - p.lo;
}

static int gather(struct gathered *g, const struct wl_number_list *rows, struct wl_err *reterr)
{
	size_t n_lanes = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct wl_asked_row row = wl_asked_row(g->ask->served, rows->at[i]);

		n_lanes += row.scene->lanes[row.track].n;
	}
	g->part = WL_NEW(g->ask->arena, struct part, n_lanes + 1);
	if (!g->part)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for statistics");
	for (size_t i = 0; i < rows->n; i++) {
		const struct wl_asked_row row = wl_asked_row(g->ask->served, rows->at[i]);
		const struct wl_lanes *lanes = &row.scene->lanes[row.track];
		wl_ns begin, end;

		if (g->groups.by == WL_GROUP_BY_NVTX &&
		    wl_holds(&row.scene->tracks.at[row.track]) != WL_HOLDS_OPS)
			continue;
		if (!wl_asked_time(row.origin, g->range.begin, &begin) ||
		    !wl_asked_time(row.origin, g->range.end, &end))
			return wl_fail(reterr, WL_E_USAGE, "a, b: out of range");
		for (size_t k = 0; k < lanes->n; k++)
			take_lane(g, &row, &lanes->lane[k], begin, end);
	}
	return WL_OK;
}

/* The part of an event that is in the range. */
static struct wl_interval clip(const struct part *p, size_t i)
{
	struct wl_interval at = { p->lane->start[i], wl_lane_end(p->lane, i) };

	at.begin = at.begin < p->begin ? p->begin : at.begin;
	at.end = at.end > p->end ? p->end : at.end;
	return at;
}

static bool part_is_before(const void *ctx, size_t i)
{
	const struct gathered *g = ((const void *const *)ctx)[0];
	const size_t *row = ((const void *const *)ctx)[1];

	return g->part[i].before + (g->part[i].hi - g->part[i].lo) <= *row;
}

static void take_block(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct gathered *g = ctx;
	const void *const where[] = { g, &row };
	size_t k = wl_lower_bound(g->n_parts, part_is_before, where);

	for (size_t i = 0; i < n; i++) {
		const struct part *p = &g->part[k];
		size_t at = p->lo + (row + i - p->before);

		group[i] = wl_group_of(&g->groups, &p->row, p->lane, at);
		if (value) {
			struct wl_interval part = clip(p, at);

			value[i] = part.end - part.begin;
		}
		if (at + 1 == p->hi)
			k++;
	}
}

/* ---- The union: a heap of lanes by the start of their next event ---- */

struct next {
	wl_ns start; /* since the origin */
	uint32_t part;
};

struct walk {
	struct gathered *g;
	struct next *heap;
	size_t n;
	size_t *at;   /* by part */
	wl_ns *until; /* by code: covered so far */
};

static wl_ns next_start(const struct walk *w, uint32_t part)
{
	const struct part *p = &w->g->part[part];

	return clip(p, w->at[part]).begin - p->row.origin;
}

static void sink(struct walk *w, size_t i)
{
	struct next moved = w->heap[i];

	for (size_t child; (child = 2 * i + 1) < w->n; i = child) {
		if (child + 1 < w->n && w->heap[child + 1].start < w->heap[child].start)
			child++;
		if (w->heap[child].start >= moved.start)
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = moved;
}

static void join_event(struct walk *w, uint32_t part)
{
	const struct part *p = &w->g->part[part];
	uint32_t code = wl_group_of(&w->g->groups, &p->row, p->lane, w->at[part]);
	struct wl_interval at = clip(p, w->at[part]);

	if (code == WL_NONE)
		return;
	at.begin -= p->row.origin;
	at.end -= p->row.origin;
	if (at.begin < w->until[code])
		at.begin = w->until[code];
	if (at.end > at.begin)
		w->g->join[code] += at.end - at.begin;
	if (at.end > w->until[code])
		w->until[code] = at.end;
}

static bool join_all(struct gathered *g)
{
	struct wl_arena *arena = g->ask->arena;
	struct walk w = { .g = g,
			  .heap = WL_NEW(arena, struct next, g->n_parts + 1),
			  .at = WL_NEW(arena, size_t, g->n_parts + 1),
			  .until = WL_NEW(arena, wl_ns, g->groups.n + 1) };

	g->join = WL_NEW(arena, wl_ns, g->groups.n + 1);
	if (!w.heap || !w.at || !w.until || !g->join)
		return false;
	for (size_t i = 0; i < g->groups.n; i++)
		w.until[i] = g->range.begin;
	for (uint32_t i = 0; i < g->n_parts; i++) {
		w.at[i] = g->part[i].lo;
		w.heap[w.n++] = (struct next){ next_start(&w, i), i };
	}
	for (size_t i = w.n; i-- > 0;)
		sink(&w, i);
	while (w.n > 0 && !g->ask->served->stop) {
		uint32_t part = w.heap[0].part;

		join_event(&w, part);
		if (++w.at[part] < g->part[part].hi)
			w.heap[0].start = next_start(&w, part);
		else
			w.heap[0] = w.heap[--w.n];
		if (w.n > 0)
			sink(&w, 0);
	}
	return true;
}

/* ---- The table ---- */

/* What screens call an operation, where that is not its name; only groups by name have labels. */
static void put_label(const struct gathered *g, size_t code, struct wl_table *t)
{
	const struct wl_web_name *name;

	if (g->groups.by != WL_GROUP_BY_NAME)
		return;
	name = &g->ask->served->names.at[code];
	if (name->word != WL_NO_WORD && name->label)
		wl_put_str(t, LABEL, name->label);
}

static int fill(struct gathered *g, const struct wl_stats *stats, struct wl_table *t,
		struct wl_err *reterr)
{
	for (size_t code = 0; code < g->groups.n; code++) {
		const struct wl_stats *s = &stats[code];

		if (s->n == 0)
			continue;
		wl_table_row(t);
		wl_put_str(t, GROUP, wl_group_text(&g->groups, code));
		wl_put_i64(t, COUNT, (int64_t)s->n);
		wl_put_i64(t, SUM, s->sum);
		wl_put_i64(t, UNION, g->join[code]);
		wl_put_stats(t, AVG, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P99, s);
		wl_put_ratio(t, SHARE, s->sum, g->range.end - g->range.begin);
		put_label(g, code, t);
	}
	return wl_table_ok(t) ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for statistics");
}

static int make_table(struct gathered *g, struct wl_table *ret, struct wl_err *reterr)
{
	const struct wl_block_spec spec = { .n_rows = g->n_events,
					    .n_groups = g->groups.n,
					    .block = take_block,
					    .ctx = g,
					    .pool = g->ask->served->opts.trace[0].request.pool };
	const struct wl_stats *stats = wl_stats_by_block(&spec, g->ask->arena);

	if (!stats || !join_all(g))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for statistics");
	wl_table_init(ret, g->ask->arena, cols[g->groups.by],
		      g->groups.by == WL_GROUP_BY_NAME ? N_COLS : LABEL);
	return fill(g, stats, ret, reterr);
}

int wl_answer_stats(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct gathered g = { .ask = ask };
	struct wl_number_list rows;
	struct wl_table table;
	struct wl_view view;
	size_t by = 0;
	int r = wl_ask_range(ask, &g.range, reterr);

	if (r == WL_OK)
		r = wl_query_word(ask->query, "by", bys, &by, reterr);
	if (r == WL_OK)
		r = wl_ask_rows(ask, &rows, reterr);
	if (r < 0)
		return r;
	if (!wl_event_groups_init(&g.groups, ask, (enum wl_group_by)by))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for statistics");
	r = gather(&g, &rows, reterr);
	if (r == WL_OK)
		r = make_table(&g, &table, reterr);
	if (r == WL_OK)
		r = wl_view_make(&table, &(struct wl_view_opts){ .sort = "sum" }, ask->arena, &view,
				 reterr);
	return r < 0 ? r : wl_answer_rows(ret, &view, 0, reterr);
}
