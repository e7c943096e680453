/* SPDX-License-Identifier: MIT */
/*
 * history_dump.c - what fleet/history says of series of runs, for the oracle.
 *
 * Each line of the input is a series: "THRESHOLD BASELINE VALUE...", with one value per run; each
 * line of the output is its answer as JSON. A line "movers ABSENCE FROM AT END WHATS" is followed
 * by cells, "RUN WHAT NS CALLS;" each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/history/movers.h"
#include "fleet/history/newest.h"

enum { MOST = 4096 };

static void put(const struct wl_hist_verdict *v, size_t confirmed)
{
	const struct wl_judgement *j = &v->judged;

	printf("{\"from\":%zu,\"at\":%zu,\"end\":%zu,\"confirmed\":%zu,\"before\":%" PRId64
	       ",\"after\":%" PRId64 ",\"low\":%" PRId64 ",\"high\":%" PRId64 ",\"noise\":%" PRId64
	       ",\"chance\":%.17g,\"verdict\":\"%s\"}",
	       v->from, v->at, v->end, confirmed, j->before, j->after, j->change.low,
	       j->change.high, v->noise, v->chance, wl_hist_verdict_name(v));
}

static bool put_series(char *line, struct wl_arena *arena)
{
	struct wl_hist_opts opts = { .threshold = strtod(line, &line) };
	struct wl_hist_changes found;
	struct wl_hist_newest newest;
	int64_t value[MOST];
	size_t n = 0;

	opts.baseline = strtoul(line, &line, 10);
	for (char *end; n < MOST; line = end) {
		value[n] = strtoll(line, &end, 10);
		if (end == line)
			break;
		n++;
	}
	if (!n || !wl_hist_find(value, n, &opts, arena, &found) ||
	    !wl_hist_newest(&(struct wl_hist_runs){ value, NULL, n }, &opts, arena, &newest))
		return false;
	printf("{\"changes\":[");
	for (size_t i = 0; i < found.n; i++) {
		printf(i ? "," : "");
		put(&found.change[i].verdict, found.change[i].confirmed);
	}
	printf("],\"newest\":");
	put(&newest.verdict, n - 1);
	printf(",\"runs\":[");
	for (size_t i = 0; i < newest.verdict.end; i++)
		printf("%s%zu", i ? "," : "", newest.run[i]);
	printf("],\"states\":[");
	for (size_t i = 0; i < newest.changes.n; i++)
		printf("%s\"%s\"", i ? "," : "", wl_hist_state_name(newest.state[i]));
	printf("],\"is_open\":%s}\n", newest.open < newest.changes.n ? "true" : "false");
	return true;
}

static bool put_movers(char *line, struct wl_arena *arena)
{
	struct wl_hist_cell cell[MOST];
	struct wl_hist_verdict v = { 0 };
	enum wl_hist_absence absence = strtol(line, &line, 10) ? WL_HIST_IS_OTHER : WL_HIST_IS_ZERO;
	struct wl_hist_mover *mover;
	size_t n = 0, n_movers, n_whats;

	v.from = strtoul(line, &line, 10);
	v.at = strtoul(line, &line, 10);
	v.end = strtoul(line, &line, 10);
	n_whats = strtoul(line, &line, 10);
	for (; n < MOST && *line && *line != '\n'; n++) {
		cell[n].run = (uint32_t)strtoul(line, &line, 10);
		cell[n].what = (uint32_t)strtoul(line, &line, 10);
		cell[n].ns = strtoll(line, &line, 10);
		cell[n].calls = strtod(line, &line);
	}
	if (!wl_hist_movers(cell, n, n_whats, &v, absence, arena, &mover, &n_movers))
		return false;
	putchar('[');
	for (size_t i = 0; i < n_movers; i++)
		printf("%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64
		       ",%" PRId64 ",%" PRId64 "]",
		       i ? "," : "", mover[i].what, mover[i].n_before, mover[i].n_after,
		       mover[i].before, mover[i].after, mover[i].change, mover[i].by_count,
		       mover[i].by_duration);
	printf("]\n");
	return true;
}

int main(void)
{
	static char line[1 << 20];
	bool ok = true;

	while (ok && fgets(line, sizeof(line), stdin)) {
		struct wl_arena arena;

		wl_arena_init(&arena, 64 << 20);
		ok = strncmp(line, "movers ", 7) == 0 ? put_movers(line + 7, &arena)
						      : put_series(line, &arena);
		wl_arena_release(&arena);
	}
	return ok && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
