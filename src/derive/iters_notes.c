/* How iterations were found, in words. */
#include <stdio.h>
#include <string.h>

#include "derive/iters.h"

const char wl_no_iterations[] =
	"no iterations found: no NVTX label that owns the GPU's time and no "
	"sequence of kernels repeats; name the ranges that mark them "
	"with --marker PATTERN";

enum { MOST_NOTES = 4, NOTE_SIZE = 300 };

/* Processes whose iterations were found alike. */
struct alike {
	const struct wl_process_iters *example;
	size_t n, n_dropped;
};

static bool is_alike(const struct wl_process_iters *a, const struct wl_process_iters *b)
{
	if (a->method != b->method)
		return false;
	/* Periods of ranks differ a little; that they are periods is what matters. */
	return a->method == WL_ITER_NONE || a->method == WL_ITER_SEQUENCE ||
	       strcmp(a->what, b->what) == 0;
}

/* Sorts the processes into alike; those beyond its end are counted by the last. */
static size_t sort_out(const struct wl_trace *t, const struct wl_iterations *all,
		       const bool *process_on, struct alike *alike, size_t *ret_n_on)
{
	size_t n = 0, k;

	*ret_n_on = 0;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		if (!t->processes[i].on_gpu || !process_on[i])
			continue;
		(*ret_n_on)++;
		for (k = 0; k < n && !is_alike(alike[k].example, p);)
			k++;
		if (k == n && n < MOST_NOTES)
			alike[n++] = (struct alike){ .example = p };
		if (k == n)
			continue;
		alike[k].n++;
		alike[k].n_dropped += p->n_dropped;
	}
	return n;
}

static void write_way(const struct alike *a, char *buf, size_t size)
{
	const char *what = a->example->what;

	switch (a->example->method) {
	case WL_ITER_MARKER:
		(void)snprintf(buf, size, "iterations are the ranges that match --marker %.100s",
			       what);
		break;
	case WL_ITER_CONVENTIONS:
		(void)snprintf(buf, size, "iterations are the anchors of the convention %.60s",
			       what);
		break;
	case WL_ITER_NVTX:
		(void)snprintf(buf, size, "iterations are the ranges labelled \"%.100s\"", what);
		break;
	case WL_ITER_SEQUENCE:
		(void)snprintf(buf, size,
			       "iterations are a %.80s, of the kernel names: it may be a layer or "
			       "a sweep and not a step; --marker names the ranges that mark steps",
			       what);
		break;
	case WL_ITER_NONE:
		(void)snprintf(buf, size, "no iterations were found");
		break;
	}
}

static const char *write_note(const struct alike *a, size_t n_on, struct wl_arena *arena)
{
	char way[NOTE_SIZE], where[64] = "", left_out[64] = "", note[2 * NOTE_SIZE];

	write_way(a, way, sizeof(way));
	if (a->n < n_on)
		(void)snprintf(where, sizeof(where), "in %zu of %zu processes ", a->n, n_on);
	if (a->n_dropped)
		(void)snprintf(left_out, sizeof(left_out),
			       "; left out as they launched nothing: %zu", a->n_dropped);
	(void)snprintf(note, sizeof(note), "%s%s%s", where, way, left_out);
	return wl_arena_strdup(arena, note);
}

const char *const *wl_iterations_notes(const struct wl_trace *trace,
				       const struct wl_iterations *all, const bool *process_on,
				       struct wl_arena *arena)
{
	const char **notes = WL_NEW(arena, const char *, MOST_NOTES + 1);
	struct alike alike[MOST_NOTES];
	size_t n_on, n = sort_out(trace, all, process_on, alike, &n_on);

	for (size_t i = 0; notes && i < n; i++) {
		notes[i] = write_note(&alike[i], n_on, arena);
		if (!notes[i])
			return NULL;
	}
	return notes;
}
