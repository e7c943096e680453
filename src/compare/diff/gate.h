/* SPDX-License-Identifier: MIT */
/*
 * gate.h - conditions that make a comparison fail: "step>2%", "launches > 0%", "idle>5ms".
 *
 * METRIC OP VALUE, blanks where you like. The metrics are step, busy, idle,
 * exposed_comm, launches, kernel:NAME, range:NAME and category:NAME; OP is >, >=, < or
 * <=. A VALUE in percent speaks of the change relative to the old median, another one of
 * the new median itself: a time with its unit, and of launches a number. < and <= are for a
 * decrease ("busy<-5%", "busy<50ms"); else they are refused, because "step<1%" reads as a
 * demand and would pass what became slower.
 *
 * A gate fails when its condition holds for the medians and chance does not explain it:
 * of a change, when the interval excludes 0; of a value, when its interval excludes the
 * limit. It is inconclusive when the interval contains both 0 and the limit, respectively
 * the limit. A condition that holds for no change at all ("step>-5%": it must become
 * faster) fails when the interval excludes the limit.
 */
#ifndef WL_COMPARE_GATE_H
#define WL_COMPARE_GATE_H

#include "base/err.h"
#include "compare/diff/verdict.h"

enum wl_metric {
	WL_METRIC_STEP,
	WL_METRIC_BUSY,
	WL_METRIC_IDLE,
	WL_METRIC_EXPOSED_COMM,
	WL_METRIC_LAUNCHES,
	WL_METRIC_KERNEL,
	WL_METRIC_RANGE,
	WL_METRIC_CATEGORY,
	WL_N_METRICS
};

const char *wl_metric_name(enum wl_metric metric); /* "step", ..., "kernel" */

enum wl_gate_op { WL_ABOVE, WL_AT_LEAST, WL_BELOW, WL_AT_MOST };

enum { WL_GATE_NAME = 1024 };

struct wl_gate {
	const char *text; /* as written, borrowed */
	enum wl_metric metric;
	char name[WL_GATE_NAME]; /* of kernel:, range: and category:; "" of others */
	enum wl_gate_op op;
	bool is_relative; /* of the change; ratio is set, else limit */
	double ratio;
	int64_t limit;
};

/* WL_E_USAGE when it is malformed; the message names the gate, and the metrics there are. */
int wl_gate_parse(const char *text, struct wl_gate *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Skipped: the sides are not comparable, and the gate is not judged. In order of their weight. */
enum wl_outcome { WL_GATE_PASSED, WL_GATE_INCONCLUSIVE, WL_GATE_SKIPPED, WL_GATE_FAILED };

const char *wl_outcome_name(enum wl_outcome outcome); /* "passed", ... */

struct wl_gate_result {
	struct wl_judgement j;           /* of the metric */
	struct wl_range_of_change value; /* of the new median, where the gate speaks of that */
	int64_t limit;                   /* of the change, or of the new median */
	enum wl_outcome outcome;
};

/* Both samples; none on a side is inconclusive. False when the arena is exhausted. */
bool wl_gate_judge(const struct wl_gate *gate, struct wl_sorted before, struct wl_sorted after,
		   struct wl_arena *arena, struct wl_gate_result *ret) WL_MUST_CHECK;

#endif
