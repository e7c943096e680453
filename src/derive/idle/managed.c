/* SPDX-License-Identifier: MIT */
#include "derive/idle/managed.h"

#include <stdlib.h>

#include "base/memory/sort.h"
#include "derive/kinds/page_faults.h"
#include "derive/rows/ops.h"
#include "known/exports/codes.h"

/* A CPU page fault, or a migration that brings pages to the host because of one. */
struct step {
	uint32_t process;
	bool migrates;
	uint32_t row;
	wl_ns begin, end;
};

struct finder {
	const struct wl_trace *trace;
	const bool *skewed;
	struct step *step;
	struct wl_managed_span *span;
	size_t n_steps, n_spans;
};

/* The driver serves host page faults by migrations to the host. */
static bool is_to_host(const struct wl_trace *t, size_t row)
{
	return wl_migrates_by_fault(t, row) && wl_memcpys_kind(t)[row] == WL_COPY_UVM_D2H;
}

static size_t count_migrations(const struct wl_trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->family[WL_F_MEMCPYS].n; i++)
		n += is_to_host(t, i);
	return n;
}

static void list_steps(struct finder *f, bool *sees_faults)
{
	const struct wl_trace *t = f->trace;
	const struct wl_ops copies = wl_trace_ops(t, WL_F_MEMCPYS);
	const wl_ns *time = wl_cpu_faults_time(t);
	const uint32_t *place = wl_cpu_faults_place(t);

	for (uint32_t i = 0; i < t->family[WL_F_MEMCPYS].n; i++) {
		if (is_to_host(t, i))
			f->step[f->n_steps++] = (struct step){
				.process = t->places[copies.place[i]].process,
				.migrates = true,
				.row = i,
				.begin = copies.start[i],
				.end = copies.start[i] +
				       wl_dur(&t->family[WL_F_MEMCPYS], copies.dur, i),
			};
	}
	for (uint32_t i = 0; time && place && i < t->family[WL_F_CPU_FAULTS].n; i++) {
		uint32_t process = t->places[place[i]].process;

		sees_faults[process] = true;
		if (time[i] != WL_NO_TIME && !f->skewed[process])
			f->step[f->n_steps++] =
				(struct step){ process, false, i, time[i], time[i] };
	}
}

/* A fault at the start of a migration sorts before it. */
static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->process != y->process)
		return (x->process > y->process) - (x->process < y->process);
	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	if (x->migrates != y->migrates)
		return x->migrates - y->migrates;
	return (x->row > y->row) - (x->row < y->row);
}

static void put_span(struct finder *f, struct wl_managed_span span)
{
	if (span.begin < span.end)
		f->span[f->n_spans++] = span;
}

static const char *name_of_fault(const struct wl_trace *t, uint32_t row)
{
	const uint32_t *name = wl_cpu_faults_name(t);

	return name && name[row] != WL_NONE ? wl_str(t, name[row]) : "CPU page fault";
}

/*
 * Only the last fault before a migration is known to wait for it: pages that the host touches for
 * the first time also fault, and nothing migrates.
 */
static void walk_steps(struct finder *f)
{
	const struct step *fault = NULL;

	for (size_t i = 0; i < f->n_steps; i++) {
		const struct step *s = &f->step[i];

		if (!s->migrates) {
			fault = s;
			continue;
		}
		if (fault && fault->process == s->process)
			put_span(f, (struct wl_managed_span){
					    .process = s->process,
					    .ordinal = WL_NONE,
					    .begin = fault->begin,
					    .end = s->begin,
					    .detail = name_of_fault(f->trace, fault->row) });
		put_span(f, (struct wl_managed_span){ .process = s->process,
						      .ordinal = WL_NONE,
						      .begin = s->begin,
						      .end = s->end,
						      .detail = "migration to the host" });
		fault = NULL;
	}
}

/* Places of faults have no device, to keep them from becoming streams of one. */
static void put_gpu_faults(struct finder *f)
{
	const struct wl_trace *t = f->trace;
	const wl_ns *start = wl_gpu_faults_start(t), *end = wl_gpu_faults_end(t);
	const uint32_t *place = wl_gpu_faults_place(t), *ordinal = wl_gpu_faults_ordinal(t);

	for (size_t i = 0; start && end && place && ordinal && i < t->family[WL_F_GPU_FAULTS].n;
	     i++) {
		/* WL_NO_TIME comes before all times. */
		if (ordinal[i] != WL_NONE && start[i] != WL_NO_TIME)
			put_span(f,
				 (struct wl_managed_span){ .process = t->places[place[i]].process,
							   .ordinal = ordinal[i],
							   .begin = start[i],
							   .end = end[i],
							   .detail = "GPU page fault" });
	}
}

static int compare_spans(const void *a, const void *b)
{
	const struct wl_managed_span *x = a, *y = b;

	if (x->process != y->process)
		return (x->process > y->process) - (x->process < y->process);
	if (x->ordinal != y->ordinal)
		return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	return (x->end < y->end) - (x->end > y->end);
}

/* The span that began first keeps its time. Spans that compare equal are shown identically. */
static size_t cut_overlaps(struct wl_managed_span *span, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct wl_managed_span s = span[i];

		if (kept && span[kept - 1].process == s.process &&
		    span[kept - 1].ordinal == s.ordinal && s.begin < span[kept - 1].end)
			s.begin = span[kept - 1].end;
		if (s.begin < s.end)
			span[kept++] = s;
	}
	return kept;
}

bool wl_managed_find(const struct wl_trace *trace, const bool *skewed, struct wl_arena *arena,
		     struct wl_managed *ret)
{
	size_t n = count_migrations(trace);
	bool *sees_faults = WL_NEW(arena, bool, trace->n_processes);
	struct finder f = { .trace = trace, .skewed = skewed };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_managed){ .sees_faults = sees_faults };
	wl_arena_init_child(&scratch, arena);
	f.step = WL_NEW(&scratch, struct step, n + trace->family[WL_F_CPU_FAULTS].n);
	f.span = WL_NEW(arena, struct wl_managed_span, 2 * n + trace->family[WL_F_GPU_FAULTS].n);
	ok = sees_faults && f.step && f.span;
	if (ok) {
		list_steps(&f, sees_faults);
		qsort(f.step, f.n_steps, sizeof(*f.step), compare_steps);
		walk_steps(&f);
		put_gpu_faults(&f);
		qsort(f.span, f.n_spans, sizeof(*f.span), compare_spans);
		ret->at = f.span;
		ret->n = cut_overlaps(f.span, f.n_spans);
	}
	wl_arena_release(&scratch);
	return ok;
}

struct sought {
	const struct wl_managed_span *at;
	uint32_t process, ordinal;
	wl_ns t;
};

static bool ends_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	const struct wl_managed_span *span = &s->at[i];

	if (span->process != s->process)
		return span->process < s->process;
	if (span->ordinal != s->ordinal)
		return span->ordinal < s->ordinal;
	return span->end <= s->t;
}

static const struct wl_managed_span *find_span(const struct wl_managed *m, const struct sought *s,
					       wl_ns *until)
{
	size_t i = wl_lower_bound(m->n, ends_before, s);
	const struct wl_managed_span *span = i < m->n ? &m->at[i] : NULL;
	wl_ns change;

	if (!span || span->process != s->process || span->ordinal != s->ordinal)
		return NULL;
	change = span->begin > s->t ? span->begin : span->end;
	*until = change < *until ? change : *until;
	return span->begin > s->t ? NULL : span;
}

const struct wl_managed_span *wl_managed_at(const struct wl_managed *managed, uint32_t process,
					    uint32_t ordinal, wl_ns t, wl_ns *until)
{
	const struct wl_managed_span *own =
		find_span(managed, &(struct sought){ managed->at, process, ordinal, t }, until);

	return own ? own
		   : find_span(managed, &(struct sought){ managed->at, process, WL_NONE, t },
			       until);
}
