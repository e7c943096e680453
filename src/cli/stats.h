/* stats.h - what an answer costs, part by part: CPU time, wall time, memory. */
#ifndef WL_CLI_STATS_H
#define WL_CLI_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/trace.h"

enum wl_stats_part {
	WL_STATS_OPEN,    /* of the file, with the export of a report */
	WL_STATS_LOAD,    /* wl_session_load */
	WL_STATS_COMPUTE, /* wl_session_run, for which everything is loaded */
	WL_STATS_PRINT,
	WL_STATS_N_PARTS
};

struct wl_stats {
	bool on; /* false: nothing is measured, and nothing printed */
	int64_t cpu_ns[WL_STATS_N_PARTS], wall_ns[WL_STATS_N_PARTS];
	int64_t anon_kb[WL_STATS_N_PARTS]; /* anonymous memory at the end of the part */
	int64_t begun_cpu_ns, begun_wall_ns;
};

/* Around a part: the time between the two is what it took. Parts do not nest. */
void wl_stats_begin(struct wl_stats *s);
void wl_stats_end(struct wl_stats *s, enum wl_stats_part part);

/* A few lines for people, each of which begins with "stats: ". */
void wl_stats_print(const struct wl_stats *s, const struct wl_trace *trace, FILE *out);

#endif
