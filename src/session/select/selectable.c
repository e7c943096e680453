/* SPDX-License-Identifier: MIT */
#include "session/select/selectable.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/sort.h"
#include "derive/nvtx/ranks.h"

/* Eight numbers of 20 digits with their glue fit into TEXT. */
enum { MOST_SPELLED = 8, TEXT = 256 };

static const struct {
	const char *single, *many, *none;
} words[] = {
	[WL_SELECT_GPU] = { "GPU", "GPUs", "no GPU operation was recorded" },
	[WL_SELECT_PID] = { "process", "processes", "no process was recorded" },
	[WL_SELECT_RANK] = { "rank", "ranks",
			     "no process of the trace has a rank; --gpu selects GPUs" },
	[WL_SELECT_STREAM] = { "stream", "streams", "no GPU operation was recorded" },
};

static size_t collect(const struct wl_trace *t, const struct wl_ranks *ranks,
		      enum wl_selectable what, int64_t *at)
{
	size_t n = 0;

	if (what == WL_SELECT_GPU || what == WL_SELECT_STREAM) {
		for (size_t i = 0; i < t->n_places; i++) {
			const struct wl_place *p = &t->places[i];

			if (p->device != WL_NONE)
				at[n++] = what == WL_SELECT_GPU ? p->device : p->stream;
		}
		return n;
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		if (what == WL_SELECT_PID)
			at[n++] = t->processes[i].pid;
		else if (ranks->of[i] >= 0)
			at[n++] = ranks->of[i];
	}
	return n;
}

static size_t sort_distinct(int64_t *at, size_t n)
{
	size_t kept = 0;

	wl_sort_i64(at, n);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || at[i] != at[kept - 1])
			at[kept++] = at[i];
	}
	return kept;
}

/* Sorted, distinct numbers. */
static void spell(const int64_t *at, size_t n, enum wl_selectable what, char *buf, size_t size)
{
	size_t len;

	if (n == 1) {
		(void)snprintf(buf, size, "the trace has only %s %" PRId64, words[what].single,
			       *at);
		return;
	}
	len = (size_t)snprintf(buf, size, "the trace has %s ", words[what].many);
	if (n > 2 && at[n - 1] - at[0] == (int64_t)n - 1) {
		(void)snprintf(buf + len, size - len, "%" PRId64 " to %" PRId64, at[0], at[n - 1]);
		return;
	}
	for (size_t i = 0; i < n && i < MOST_SPELLED; i++) {
		const char *glue = i == 0 ? "" : i + 1 == n ? " and " : ", ";

		len += (size_t)snprintf(buf + len, size - len, "%s%" PRId64, glue, at[i]);
	}
	if (n > MOST_SPELLED)
		(void)snprintf(buf + len, size - len, " and %zu more", n - MOST_SPELLED);
}

const char *wl_selectable_say(const struct wl_trace *t, const struct wl_ranks *ranks,
			      enum wl_selectable what, struct wl_arena *arena)
{
	/* Each place or process contributes at most one number. */
	size_t most = t->n_places > t->n_processes ? t->n_places : t->n_processes, n;
	int64_t *at = WL_NEW(arena, int64_t, most);
	const char *text;
	char buf[TEXT];

	/*
	 * The message is about something else that failed; running out of memory for its end is not
	 * worth another error.
	 */
	if (!at)
		return "see info";
	n = sort_distinct(at, collect(t, ranks, what, at));
	if (n == 0)
		return words[what].none;
	spell(at, n, what, buf, sizeof(buf));
	text = wl_arena_strdup(arena, buf);
	return text ? text : "see info";
}
