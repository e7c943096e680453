/* SPDX-License-Identifier: MIT */
/* Tries the ways to find iterations in order, and handles what concerns all processes. */
#include "derive/iters/iters.h"

#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/nvtx/conventions.h"
#include "known/calls/steps.h"

const char *wl_iter_method_name(enum wl_iter_method method)
{
	static const char *const names[] = {
		[WL_ITER_NONE] = "none",    [WL_ITER_MARKER] = "marker",
		[WL_ITER_NVTX] = "nvtx",    [WL_ITER_CONVENTIONS] = "conventions",
		[WL_ITER_GRAPH] = "graph",  [WL_ITER_SEQUENCE] = "sequence",
		[WL_ITER_TENANT] = "tenant"
	};

	return names[method];
}

/* As in iters_nvtx.c: fewer ranges around the anchors may be epochs or phases. */
enum { ENOUGH_STEPS = 8 };

struct finding {
	struct wl_iter_input in;
	struct wl_process_iters *out;    /* by process */
	struct wl_steps_found *repeated; /* by process: labels that repeat; NULL until needed */
	struct wl_iter_does does;
	struct wl_arena *arena; /* owns the results */
	struct wl_arena *scratch;
};

/* Keep the result of a way, for a process without iterations. */
static bool keep_steps(struct finding *f, uint32_t process, const struct wl_steps_found *found)
{
	struct wl_process_iters *p = &f->out[process];
	struct wl_iteration *at;

	/* An earlier way wins, process by process. */
	if (found->method == WL_ITER_NONE || p->method != WL_ITER_NONE)
		return true;
	return wl_iter_finish(&f->in.process[process], found, f->arena, f->scratch, p, &at) &&
	       (p->n == 0 || (wl_iter_find_kinds(&f->in, process, &f->does, p, at, f->scratch) &&
			      wl_iter_find_outer(&f->in, p, f->arena, f->scratch)));
}

/* --- markers and anchors: ranges of given names ------------------------------------------- */

/* Whether a name is wanted, for each distinct one. */
typedef bool wanted_fn(const void *ctx, const char *name);

static const struct wl_markers *find_named(struct finding *f, wanted_fn *is_wanted, const void *ctx)
{
	const struct wl_range_names *names = f->in.names;
	bool *wanted = WL_NEW(f->scratch, bool, names->n);

	/* Patterns are matched with each distinct name once, not with each range. */
	for (size_t i = 0; wanted && i < names->n; i++)
		wanted[i] = is_wanted(ctx, names->name[i].text ? names->name[i].text : "");
	return wanted ? wl_iter_markers(&f->in, wanted, f->scratch) : NULL;
}

static bool matches_pattern(const void *ctx, const char *name)
{
	return wl_pattern_matches(ctx, name);
}

static bool matches_anchor(const void *ctx, const char *name)
{
	return wl_globs_match(ctx, name);
}

static bool take_ranges(struct finding *f, const char *text, const struct wl_pattern *pattern)
{
	const struct wl_markers *markers = find_named(f, matches_pattern, pattern);
	struct wl_steps_found found = { .method = WL_ITER_MARKER, .what = text, .by = "marker" };
	bool ok = markers != NULL;

	for (uint32_t i = 0; ok && i < f->in.trace->n_processes; i++) {
		if (markers[i].n == 0)
			continue;
		found.markers = markers[i];
		found.is = wl_iter_say_range(
			wl_range_name_of(f->in.names, markers[i].at[0].row)->label_text,
			f->scratch);
		ok = found.is && keep_steps(f, i, &found);
	}
	return ok;
}

static bool take_kernels(struct finding *f, const char *text, const struct wl_pattern *pattern)
{
	const struct wl_steps_found *runs = wl_iter_kernels(&f->in, pattern, f->scratch);
	char is[300];
	bool ok = runs != NULL;

	(void)snprintf(is, sizeof(is), "from one run of kernel `%.200s` to the next",
		       text + strlen(WL_MARKER_KERNEL));
	for (uint32_t i = 0; ok && i < f->in.trace->n_processes; i++) {
		struct wl_steps_found found = runs[i];

		found.method = found.n_starts ? WL_ITER_MARKER : WL_ITER_NONE;
		found.what = text;
		found.is = is;
		found.by = "marker";
		ok = keep_steps(f, i, &found);
	}
	return ok;
}

/* Report why the marker found nothing, and what it could name. */
static bool put_problem(struct finding *f, bool is_kernel, struct wl_iterations *ret)
{
	const char *list = is_kernel ? wl_iter_list_kernels(&f->in, f->scratch)
				     : wl_iter_list_ranges(&f->in, f->scratch);
	char text[1000];

	if (!list)
		return false;
	(void)snprintf(text, sizeof(text), "no %s; there are: %s",
		       is_kernel ? "kernel matches" : "range that launches GPU work matches", list);
	ret->problem = wl_arena_strdup(f->arena, text);
	return ret->problem != NULL;
}

static bool by_marker(struct finding *f, struct wl_iterations *ret)
{
	const char *text = f->in.derived->opts.marker;
	bool is_kernel = text && wl_marker_is_kernel(text), ok = true, any = false;
	struct wl_pattern pattern;
	struct wl_err why;

	if (!text)
		return true;
	if (wl_pattern_init(&pattern, wl_marker_pattern(text), &why) < 0) {
		ret->problem = wl_arena_strdup(f->arena, why.msg);
		wl_pattern_release(&pattern);
		return ret->problem != NULL;
	}
	if (is_kernel)
		ok = take_kernels(f, text, &pattern);
	else if (f->in.names)
		ok = take_ranges(f, text, &pattern);
	wl_pattern_release(&pattern);
	for (size_t i = 0; i < f->in.trace->n_processes; i++)
		any = any || f->out[i].method != WL_ITER_NONE;
	return ok && (any || put_problem(f, is_kernel, ret));
}

/* --- labels that repeat ------------------------------------------------------------------- */

/* Find labels that repeat, cycles of them, and ranges that own the GPU's time only together. */
static bool find_repeated(struct finding *f)
{
	if (f->repeated)
		return true;
	f->repeated = wl_iter_repeated(&f->in, f->scratch);
	for (uint32_t i = 0; f->repeated && f->in.names && i < f->in.trace->n_processes; i++) {
		struct wl_steps_found *found = &f->repeated[i], together;

		if (!wl_iter_join_cycles(&f->in, found, f->scratch))
			return false;
		/* Steps of one kind may own enough by themselves: many decodes among few
		 * prefills. */
		if (f->in.process[i].n == 0 || (found->method != WL_ITER_NONE &&
						!(f->does.range && wl_range_does(found->what))))
			continue;
		if (!wl_iter_siblings(&f->in, i, &f->does, f->scratch, &together))
			return false;
		if (together.markers.n > found->markers.n)
			*found = together;
	}
	return f->repeated != NULL;
}

/* Whether nearly all inner markers begin inside the outer ones, which are fewer. */
static bool is_around(const struct wl_markers *outer, const struct wl_markers *inner)
{
	size_t hint = 0, n_inside = 0;

	for (size_t i = 0; i < inner->n; i++)
		n_inside += wl_marker_at(outer, inner->at[i].start, &hint) < outer->n;
	/*
	 * The first and the last step of a capture may be cut; not all have to lie inside.
	 */
	return outer->n < inner->n && 10 * n_inside >= 9 * inner->n;
}

/*
 * Whether ranges around the anchors are the steps: a convention that was not requested may have
 * parts of a step as its anchors.
 */
static bool has_outer(struct finding *f, uint32_t process, const struct wl_markers *anchors,
		      bool *ret)
{
	const struct wl_markers *outer;

	*ret = false;
	if (f->in.derived->opts.conventions)
		return true;
	if (!find_repeated(f))
		return false;
	outer = &f->repeated[process].markers;
	*ret = outer->n >= ENOUGH_STEPS && is_around(outer, anchors);
	return true;
}

static bool by_conventions(struct finding *f)
{
	const struct wl_conventions *c = f->in.derived->followed->conventions;
	struct wl_steps_found found = { .method = WL_ITER_CONVENTIONS };
	const struct wl_markers *anchors;
	char by[100];
	bool ok = true;

	if (!*c->anchor || !f->in.names)
		return true;
	anchors = find_named(f, matches_anchor, c->anchor);
	(void)snprintf(by, sizeof(by), "%.60s naming", c->name);
	found.by = by;
	found.what = c->name;
	for (uint32_t i = 0; anchors && ok && i < f->in.trace->n_processes; i++) {
		bool outer;

		if (anchors[i].n == 0)
			continue;
		found.markers = anchors[i];
		found.is = wl_iter_say_range(
			wl_range_name_of(f->in.names, anchors[i].at[0].row)->label_text,
			f->scratch);
		ok = found.is && has_outer(f, i, &anchors[i], &outer) &&
		     (outer || keep_steps(f, i, &found));
	}
	return anchors && ok;
}

static bool by_label(struct finding *f)
{
	bool ok = find_repeated(f);

	for (uint32_t i = 0; ok && i < f->in.trace->n_processes; i++)
		ok = keep_steps(f, i, &f->repeated[i]);
	return ok;
}

/* --- the GPU alone ------------------------------------------------------------------------ */

typedef const struct wl_steps_found *way_fn(const struct wl_iter_input *in, const bool *wanted,
					    struct wl_arena *arena);

static bool by_gpu(struct finding *f, way_fn *way)
{
	size_t n = f->in.trace->n_processes;
	bool *wanted = WL_NEW(f->scratch, bool, n), ok = true;
	const struct wl_steps_found *found;

	for (size_t i = 0; wanted && i < n; i++)
		wanted[i] = f->out[i].method == WL_ITER_NONE;
	found = wanted ? way(&f->in, wanted, f->scratch) : NULL;
	for (uint32_t i = 0; found && ok && i < n; i++)
		ok = keep_steps(f, i, &found[i]);
	return found && ok;
}

/* --- all processes ------------------------------------------------------------------------ */

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
		in->names = in->derived->range_names;
		in->forest = in->derived->forest;
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

bool wl_iterations_find(const struct wl_derived *derived, struct wl_arena *arena,
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
	/*
	 * From the most to the least informative: names that a person chose, then graphs, then mere
	 * repetition.
	 */
	ok = f.out && get_input(&f) && wl_iter_does_find(&f.in, &scratch, &f.does) &&
	     by_marker(&f, ret) && wl_iter_mark_tenants(&f.in, f.out, &scratch) &&
	     (!still_missing(&f) || by_conventions(&f)) && (!still_missing(&f) || by_label(&f)) &&
	     (!still_missing(&f) || by_gpu(&f, wl_iter_graphs)) &&
	     (!still_missing(&f) || by_gpu(&f, wl_iter_periods)) &&
	     wl_iter_find_steady(f.out, n, &scratch, &ret->n_uneven);
	for (size_t i = 0; ok && i < n; i++) {
		ret->n_found += f.out[i].n > 0;
		if (f.out[i].method == WL_ITER_NONE && f.repeated)
			f.out[i].warm_up = f.repeated[i].warm_up;
	}
	wl_arena_release(&scratch);
	return ok;
}
