/* SPDX-License-Identifier: MIT */
/*
 * The segments of the critical path tile its window: contiguous, none empty, and by class, by
 * process and over successive windows they add up.
 *
 *   property path          the traces of $WARPLENS_SHARED/corpus and $WARPLENS_FIXTURES
 *   property path FILE...  these, with the time by class
 */
#include <inttypes.h>
#include <stdio.h>

#include "derive/derivations.h"
#include "derive/graph/path.h"
#include "support/test_main.h"
#include "support/traces.h"

enum { WINDOWS = 7 };

struct proving {
	size_t n_traces, n_segments, n_failed;
	bool is_loud;
};

static void describe(const struct wl_path *p)
{
	wl_ns all = p->window.end - p->window.begin;

	(void)printf("  window %" PRId64
		     ", %zu segments, trust %d, violations %zu of %zu, rigid %" PRId64
		     ", inferred %" PRId64 "\n ",
		     all, p->n, (int)wl_path_trust(p), p->n_violations, p->n_activities, p->rigid,
		     p->inferred);
	for (unsigned i = 0; i < WL_N_PATH_CLASSES; i++) {
		if (p->time[i])
			(void)printf(" %s %" PRId64, wl_path_class_name((enum wl_path_class)i),
				     p->time[i]);
	}
	(void)printf("\n");
}

/* The time of the path in a window, segment by segment. */
static wl_ns time_in(const struct wl_path *p, wl_ns begin, wl_ns end)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		wl_ns from = p->begin[i] > begin ? p->begin[i] : begin;
		wl_ns to = p->begin[i + 1] < end ? p->begin[i + 1] : end;

		sum += to > from ? to - from : 0;
	}
	return sum;
}

static const char *check_windows(const struct wl_path *p)
{
	wl_ns all = p->window.end - p->window.begin;

	for (wl_ns i = 0; i < WINDOWS; i++) {
		wl_ns begin = p->window.begin + all / WINDOWS * i;
		wl_ns end = i + 1 < WINDOWS ? begin + all / WINDOWS : p->window.end;

		if (time_in(p, begin, end) != end - begin)
			return "a window is not covered";
	}
	return NULL;
}

static bool is_part(unsigned class)
{
	return class >= WL_PATH_QUEUE && class <= WL_PATH_CALLBACK;
}

/* An activity is over, or just begins, where a segment of it ends. */
static bool is_near(const struct wl_path *p, size_t i)
{
	wl_ns start = wl_graph_start(p->graph, p->activity[i]);
	wl_ns end = wl_graph_end(p->graph, p->activity[i]);

	if (p->class[i] == WL_PATH_UNKNOWN)
		return true;
	/* What divides the time of a call, or a wait, ends where the rest of that begins. */
	if (is_part(p->class[i]) || (i + 1 < p->n && is_part(p->class[i + 1])))
		return true;
	if (p->class[i] == WL_PATH_HOST || wl_path_class_is_rigid(p->class[i]))
		return p->begin[i + 1] == start;
	return p->begin[i + 1] <= end && p->begin[i + 1] >= start;
}

static const char *check(const struct wl_path *p)
{
	wl_ns sum = 0, classes = 0, rigid = 0, parts = 0;

	if (p->n == 0)
		return p->graph->n_ops && p->window.end > p->window.begin ? "no path" : NULL;
	if (p->begin[0] != p->window.begin || p->begin[p->n] != p->window.end)
		return "it does not fill the window";
	for (size_t i = 0; i < p->n; i++) {
		if (p->begin[i] >= p->begin[i + 1])
			return "a segment is empty";
		if (!is_near(p, i))
			return "a segment is not of its activity";
		sum += p->begin[i + 1] - p->begin[i];
	}
	for (unsigned i = 0; i < WL_N_PATH_CLASSES; i++) {
		classes += p->time[i];
		rigid += wl_path_class_is_rigid((enum wl_path_class)i) ? p->time[i] : 0;
		parts += is_part(i) ? p->time[i] : 0;
	}
	if (sum != p->window.end - p->window.begin || classes != sum || p->rigid < rigid ||
	    p->rigid > rigid + parts)
		return "sums differ";
	return check_windows(p);
}

static void prove(void *ctx, const char *name, const struct wl_trace *trace)
{
	struct proving *p = ctx;
	const struct wl_derived_opts opts = { .marker = NULL };
	struct wl_derivations d;
	const char *wrong = "no memory";

	p->n_traces++;
	wl_derivations_init(&d, trace, &opts, NULL, NULL);
	if (wl_derivations_find(&d, WL_FROM(PATH), NULL)) {
		wrong = check(d.all.path);
		p->n_segments += d.all.path->n;
		if (p->is_loud)
			describe(d.all.path);
	}
	if (wrong)
		(void)printf("FAIL %s: %s\n", name, wrong);
	p->n_failed += wrong != NULL;
	wl_derivations_release(&d);
}

TEST_MAIN(path)
{
	struct proving p = { .is_loud = argc > 1 };
	int status = for_each_loaded_trace(argc, argv, prove, &p);

	(void)printf("%zu traces, %zu segments, %zu failed\n", p.n_traces, p.n_segments,
		     p.n_failed);
	return p.n_failed ? 1 : status;
}
