/* The ways in order, and what they all end in: tiles, periods and their median. */
#include "derive/iters.h"

#include <string.h>

#include "base/sort.h"
#include "derive/conventions.h"
#include "derive/derived.h"
#include "derive/iters_parts.h"

const char *wl_iter_method_name(enum wl_iter_method method)
{
	static const char *const names[] = { [WL_ITER_NONE] = "none",
					     [WL_ITER_MARKER] = "marker",
					     [WL_ITER_CONVENTIONS] = "conventions",
					     [WL_ITER_NVTX] = "nvtx",
					     [WL_ITER_SEQUENCE] = "sequence" };

	return names[method];
}

struct finding {
	struct wl_iter_input in;
	struct wl_process_iters *out; /* by process */
	struct wl_arena *arena;       /* of what stays */
	struct wl_arena *scratch;
};

/* Iterations before they are in order; those without operations end before they begin. */
struct raw {
	wl_ns first, last, marker_start;
	uint32_t marker;
};

static bool raw_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct raw *r = ctx;

	return r[a].first != r[b].first ? r[a].first < r[b].first
					: r[a].marker_start < r[b].marker_start;
}

static wl_ns period_of(const struct wl_iteration *it)
{
	return it->tile.end - it->tile.begin;
}

static bool period_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_iteration *at = ctx;

	return period_of(&at[a]) < period_of(&at[b]);
}

/* The earliest of iterations [lo, hi) that has their median period. */
static uint32_t find_median(const struct wl_iteration *at, size_t lo, size_t hi, uint32_t *index,
			    uint32_t *tmp)
{
	size_t n = hi - lo, k = wl_rank(n, 50);

	for (size_t i = 0; i < n; i++)
		index[i] = (uint32_t)(lo + i);
	wl_sort_index(index, n, tmp, period_less, at);
	while (k > 0 && period_of(&at[index[k - 1]]) == period_of(&at[index[k]]))
		k--;
	return index[k];
}

static void find_medians(struct wl_process_iters *p, uint32_t *index, uint32_t *tmp)
{
	p->steady = WL_NONE;
	if (p->n < 2)
		return;
	p->median = period_of(&p->at[find_median(p->at, 0, p->n - 1, index, tmp)]);
	p->steady = find_median(p->at, p->n >= 5, p->n - 1, index, tmp);
}

static void put_tiles(struct wl_iteration *at, const struct raw *raw, const uint32_t *order,
		      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct raw *r = &raw[order[i]];
		bool is_last = i + 1 == n;

		at[i] = (struct wl_iteration){
			.tile = { r->first, is_last ? r->last : raw[order[i + 1]].first },
			.last_end = r->last,
			.marker = r->marker,
			.is_last = is_last,
		};
	}
}

/* Markers come in order of start, so the place of each in at is the way back. */
static const uint32_t *invert(const uint32_t *order, size_t n, struct wl_arena *arena)
{
	uint32_t *back = WL_NEW(arena, uint32_t, n);

	for (uint32_t i = 0; back && i < n; i++)
		back[order[i]] = i;
	return back;
}

/* Make the process's answer of n raw iterations in order of marker; those without are left out. */
static bool finish(struct finding *f, uint32_t process, struct raw *raw, size_t n_raw,
		   struct wl_process_iters p)
{
	uint32_t *order = WL_NEW(f->scratch, uint32_t, n_raw);
	uint32_t *tmp = WL_NEW(f->scratch, uint32_t, n_raw);
	struct wl_iteration *at;
	size_t n = 0;

	if (!order || !tmp)
		return false;
	for (size_t i = 0; i < n_raw; i++) {
		if (raw[i].first <= raw[i].last)
			raw[n++] = raw[i];
	}
	if (n == 0)
		return true;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, tmp, raw_less, raw);
	at = WL_NEW(f->arena, struct wl_iteration, n);
	if (!at)
		return false;
	put_tiles(at, raw, order, n);
	p.at = at;
	p.n = n;
	p.n_dropped = n_raw - n;
	if (p.method != WL_ITER_SEQUENCE) {
		p.by_marker = invert(order, n, f->arena);
		if (!p.by_marker)
			return false;
	}
	find_medians(&p, order, tmp);
	f->out[process] = p;
	return true;
}

static void widen(struct raw *r, const struct wl_iter_op *op)
{
	r->first = op->start < r->first ? op->start : r->first;
	r->last = op->end > r->last ? op->end : r->last;
}

/* What each marker's operations span. */
static bool use_markers(struct finding *f, uint32_t process, const struct wl_markers *markers,
			struct wl_process_iters p)
{
	const struct wl_iter_process *ip = &f->in.process[process];
	struct raw *raw = WL_NEW(f->scratch, struct raw, markers->n);
	size_t hint = 0;

	if (!raw)
		return false;
	for (size_t i = 0; i < markers->n; i++)
		raw[i] = (struct raw){ INT64_MAX, INT64_MIN, markers->at[i].start,
				       markers->at[i].row };
	for (size_t i = 0; i < ip->n; i++) {
		size_t at = ip->op[i].launch == WL_NO_TIME
				    ? markers->n
				    : wl_marker_at(markers, ip->op[i].launch, &hint);

		if (at < markers->n)
			widen(&raw[at], &ip->op[i]);
	}
	return finish(f, process, raw, markers->n, p);
}

struct starts {
	const wl_ns *start;
	wl_ns t;
};

static bool starts_upto(const void *ctx, size_t i)
{
	const struct starts *s = ctx;

	return s->start[i] <= s->t;
}

static bool use_periods(struct finding *f, uint32_t process, const struct wl_periods *periods)
{
	const struct wl_iter_process *ip = &f->in.process[process];
	struct raw *raw = WL_NEW(f->scratch, struct raw, periods->n);
	struct wl_process_iters p = { .method = WL_ITER_SEQUENCE };

	p.what = wl_arena_strdup(f->arena, periods->what);
	if (!raw || !p.what)
		return false;
	for (size_t i = 0; i < periods->n; i++)
		raw[i] = (struct raw){ INT64_MAX, INT64_MIN, periods->start[i], WL_NONE };
	for (size_t i = 0; i < ip->n; i++) {
		size_t at = wl_lower_bound(periods->n, starts_upto,
					   &(struct starts){ periods->start, ip->op[i].start });

		if (at > 0)
			widen(&raw[at - 1], &ip->op[i]);
	}
	return finish(f, process, raw, periods->n, p);
}

/* Whether a name is wanted, for each distinct one. */
typedef bool wanted_fn(const void *ctx, const char *name);

static bool use_names(struct finding *f, wanted_fn *is_wanted, const void *ctx,
		      struct wl_process_iters p)
{
	const struct wl_range_names *names = f->in.names;
	bool *wanted = WL_NEW(f->scratch, bool, names->n);
	const struct wl_markers *markers;
	bool ok = true;

	if (!wanted)
		return false;
	for (size_t i = 0; i < names->n; i++)
		wanted[i] = is_wanted(ctx, names->name[i].text ? names->name[i].text : "");
	markers = wl_iter_markers(&f->in, wanted, f->scratch);
	for (uint32_t i = 0; markers && ok && i < f->in.trace->n_processes; i++) {
		if (markers[i].n && f->out[i].method == WL_ITER_NONE)
			ok = use_markers(f, i, &markers[i], p);
	}
	return markers && ok;
}

static bool matches_pattern(const void *ctx, const char *name)
{
	return wl_pattern_matches(ctx, name);
}

static bool matches_anchor(const void *ctx, const char *name)
{
	return wl_globs_match(ctx, name);
}

static bool by_marker(struct finding *f, struct wl_iterations *ret)
{
	const char *text = f->in.derived->opts.marker;
	struct wl_process_iters p = { .method = WL_ITER_MARKER };
	struct wl_pattern pattern;
	struct wl_err why;
	bool ok = true;

	if (!text)
		return true;
	p.what = wl_arena_strdup(f->arena, text);
	if (!p.what)
		return false;
	if (wl_pattern_init(&pattern, text, &why) < 0) {
		ret->problem = wl_arena_strdup(f->arena, why.msg);
		ok = ret->problem != NULL;
	} else if (f->in.names) {
		ok = use_names(f, matches_pattern, &pattern, p);
	}
	wl_pattern_release(&pattern);
	return ok;
}

static bool by_conventions(struct finding *f)
{
	const struct wl_conventions *c = wl_derived_conventions(f->in.derived);
	struct wl_process_iters p = { .method = WL_ITER_CONVENTIONS };

	if (!c)
		return false;
	if (!*c->anchor || !f->in.names)
		return true;
	p.what = wl_arena_strdup(f->arena, c->name);
	return p.what && use_names(f, matches_anchor, c->anchor, p);
}

static bool by_label(struct finding *f)
{
	const struct wl_repeated *repeated = wl_iter_repeated(&f->in, f->scratch);
	bool ok = repeated != NULL;

	for (uint32_t i = 0; ok && i < f->in.trace->n_processes; i++) {
		struct wl_process_iters p = { .method = WL_ITER_NVTX, .what = repeated[i].label };

		if (repeated[i].markers.n && f->out[i].method == WL_ITER_NONE)
			ok = use_markers(f, i, &repeated[i].markers, p);
	}
	return ok;
}

static bool by_sequence(struct finding *f)
{
	size_t n = f->in.trace->n_processes;
	bool *wanted = WL_NEW(f->scratch, bool, n);
	const struct wl_periods *periods;
	bool ok = true;

	for (size_t i = 0; wanted && i < n; i++)
		wanted[i] = f->out[i].method == WL_ITER_NONE;
	periods = wanted ? wl_iter_periods(&f->in, wanted, f->scratch) : NULL;
	for (uint32_t i = 0; periods && ok && i < n; i++) {
		if (periods[i].n)
			ok = use_periods(f, i, &periods[i]);
	}
	return periods && ok;
}

static bool has_ranges(const struct wl_trace *t)
{
	return t->family[WL_F_NVTX].n && t->family[WL_F_API].n && wl_nvtx_start(t) &&
	       wl_nvtx_name(t) && wl_nvtx_kind(t) && wl_nvtx_domain(t) && wl_nvtx_end_thread(t) &&
	       wl_api_start(t) && wl_api_corr(t);
}

static bool get_input(struct finding *f)
{
	struct wl_iter_input *in = &f->in;

	if (has_ranges(in->trace)) {
		in->names = wl_derived_range_names(in->derived);
		in->forest = wl_derived_forest(in->derived);
		if (!in->names || !in->forest)
			return false;
	}
	return wl_iter_input_fill(in, f->scratch);
}

static bool still_missing(const struct finding *f)
{
	for (size_t i = 0; i < f->in.trace->n_processes; i++) {
		if (f->in.process[i].n && f->out[i].method == WL_ITER_NONE)
			return true;
	}
	return false;
}

bool wl_iterations_find(struct wl_derived *derived, struct wl_arena *arena,
			struct wl_iterations *ret)
{
	size_t n = derived->trace->n_processes;
	struct wl_arena scratch;
	struct finding f = { .in = { .derived = derived, .trace = derived->trace },
			     .out = WL_NEW(arena, struct wl_process_iters, n),
			     .arena = arena,
			     .scratch = &scratch };
	bool ok;

	*ret = (struct wl_iterations){ .process = f.out };
	for (size_t i = 0; f.out && i < n; i++)
		f.out[i].steady = WL_NONE;
	wl_arena_init_child(&scratch, arena);
	ok = f.out && get_input(&f) && by_marker(&f, ret) &&
	     (!still_missing(&f) || by_conventions(&f)) && (!still_missing(&f) || by_label(&f)) &&
	     (!still_missing(&f) || by_sequence(&f));
	wl_arena_release(&scratch);
	for (size_t i = 0; ok && i < n; i++)
		ret->n_found += f.out[i].method != WL_ITER_NONE;
	return ok;
}

struct marker_starts {
	const struct wl_trace *trace;
	const struct wl_process_iters *iters;
	wl_ns t;
};

static bool marker_starts_upto(const void *ctx, size_t i)
{
	const struct marker_starts *s = ctx;

	return wl_nvtx_start(s->trace)[s->iters->at[s->iters->by_marker[i]].marker] <= s->t;
}

static bool tile_begins_upto(const void *ctx, size_t i)
{
	const struct marker_starts *s = ctx;

	return s->iters->at[i].tile.begin <= s->t;
}

uint32_t wl_iteration_at(const struct wl_trace *t, const struct wl_process_iters *iters, wl_ns time)
{
	const struct marker_starts s = { t, iters, time };
	uint32_t at, row;
	size_t n;

	if (iters->method == WL_ITER_SEQUENCE) {
		n = wl_lower_bound(iters->n, tile_begins_upto, &s);
		return n ? (uint32_t)(n - 1) : WL_NONE;
	}
	n = wl_lower_bound(iters->n, marker_starts_upto, &s);
	if (n == 0)
		return WL_NONE;
	at = iters->by_marker[n - 1];
	row = iters->at[at].marker;
	return time < wl_nvtx_start(t)[row] + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row)
		       ? at
		       : WL_NONE;
}

uint32_t wl_iteration_of(const struct wl_trace *t, const struct wl_process_iters *iters,
			 wl_ns op_start, uint32_t launch_api_row)
{
	if (iters->method == WL_ITER_SEQUENCE)
		return wl_iteration_at(t, iters, op_start);
	if (launch_api_row == WL_NONE || iters->n == 0)
		return WL_NONE;
	return wl_iteration_at(t, iters, wl_api_start(t)[launch_api_row]);
}
