/* SPDX-License-Identifier: MIT */
/* costs.h - the cost of an answer, part by part: CPU time, wall time, memory. */
#ifndef WL_CLI_COSTS_H
#define WL_CLI_COSTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/trace.h"

enum wl_costs_part {
	WL_COSTS_OPEN,    /* of the file, with the export of a report */
	WL_COSTS_LOAD,    /* wl_session_load */
	WL_COSTS_COMPUTE, /* wl_session_run, for which everything is loaded */
	WL_COSTS_PRINT,
	WL_COSTS_N_PARTS
};

struct wl_costs {
	bool on; /* false: nothing is measured, and nothing printed */
	int64_t cpu_ns[WL_COSTS_N_PARTS], wall_ns[WL_COSTS_N_PARTS];
	int64_t anon_kb[WL_COSTS_N_PARTS]; /* anonymous memory at the end of the part */
	int64_t begun_cpu_ns, begun_wall_ns;
	const char *reader, *detours; /* of the last trace */
	int64_t rows;                 /* loaded, of all traces */
};

/* Around a part: the time between the two is added to it. Parts do not nest. */
void wl_costs_begin(struct wl_costs *s);
void wl_costs_end(struct wl_costs *s, enum wl_costs_part part);

/* Count the rows of a trace that was loaded, once per trace. */
void wl_costs_loaded(struct wl_costs *s, const struct wl_trace *trace);

/* A few lines for people, each of which begins with "stats: ". */
void wl_costs_print(const struct wl_costs *s, FILE *out);

#endif
