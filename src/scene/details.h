/* SPDX-License-Identifier: MIT */
/*
 * details.h - details of an event, a gap or a range of a trace, in numbers.
 *
 * Pure functions of a trace as views see it (scene.h), which must have reached TRACKS.
 * The terminal and the page say it in words. Nothing here is linear in the
 * events of a trace unless it says so.
 */
#ifndef WL_SCENE_DETAILS_H
#define WL_SCENE_DETAILS_H

#include "base/text/units.h"
#include "derive/idle/idle.h"
#include "derive/kinds/classes.h"
#include "derive/use/gap_stacks.h"
#include "scene/scene.h"

/* CAUSES was reached, also where loading failed later. */
static inline bool wl_has_causes(const struct wl_scene *scene)
{
	return scene->stage >= WL_SCENE_CAUSES && scene->of_name;
}

/* A GPU operation by its family and row; family is WL_N_FAMILIES for none. */
struct wl_op_id {
	enum wl_family_id family;
	uint32_t row;
};

#define WL_NO_OP ((struct wl_op_id){ WL_N_FAMILIES, 0 })

struct wl_op_details {
	struct wl_op_id id;
	uint32_t place;
	wl_ns start, end;
	uint32_t corr;                         /* 0: none */
	uint64_t graph_node;                   /* graph and node, a half each; WL_NO_U64: none */
	const struct wl_launch_config *config; /* of kernels; NULL: not known */
	int64_t bytes;                         /* of copies and sets; -1: none */
	uint32_t call;                         /* API row that launched it; WL_NONE */
	wl_ns lead;      /* from the begin of the call; below 0 where clocks disagree */
	wl_ns queue;     /* from its end; WL_NO_TIME where the operation began before that */
	uint32_t node;   /* of the forest: the innermost range around the call; WL_NONE */
	bool is_bridged; /* the range is of another thread, and was open at the call */
	/* Of communication and copies: how much of it nothing hid. WL_NO_TIME: does not apply. */
	wl_ns exposed;
	const struct wl_stats *same; /* of kernels, from CAUSES on: durations of the same name */
};

/* cat is the category in its lane: enum wl_colour. */
void wl_op_details_of(const struct wl_scene *scene, struct wl_op_id id, uint8_t cat,
		      struct wl_op_details *ret);

/* How much of [begin, end) of a device has communication, or copies, that nothing hides. */
wl_ns wl_exposed_in(const struct wl_scene *scene, uint32_t device, enum wl_class cls, wl_ns begin,
		    wl_ns end);

/* The innermost range around a call, as wl_op_details.node; WL_NONE for none. */
uint32_t wl_node_of_call(const struct wl_scene *scene, uint32_t call, bool *ret_bridged);

/*
 * The names of a range and those around it, outermost first: "step › forward › layer 3",
 * at most that many, 0 for all. What is left out, or does not fit, is missing at the front.
 * Returns buf, "" for WL_NONE.
 */
const char *wl_node_path(const struct wl_scene *scene, uint32_t node, size_t most, char *buf,
			 size_t size);

/* The node of a row of the nvtx family; WL_NONE for a start/end range and a mark. */
uint32_t wl_node_of_row(const struct wl_scene *scene, uint32_t nvtx_row);

/* What a call launched. */
enum { WL_MAX_LAUNCHED = 200 };
struct wl_launched {
	size_t n;                            /* operations in all */
	struct wl_op_id op[WL_MAX_LAUNCHED]; /* by start, the first ones */
	struct wl_interval span;             /* first start to last end of all */
};

/* Linear in these operations. */
void wl_launched_by(const struct wl_scene *scene, uint32_t call, struct wl_launched *ret);

/* A row and a part of it; track is WL_NONE where no row shows it. */
struct wl_link {
	uint32_t track;
	wl_ns begin, end;
};

struct wl_link wl_link_to_op(const struct wl_scene *scene, struct wl_op_id id);
struct wl_link wl_link_to_call(const struct wl_scene *scene, uint32_t call);
struct wl_link wl_link_to_range(const struct wl_scene *scene, uint32_t nvtx_row);

/* Where an operation or a CUDA call lies, which a segment of the critical path leads to. */
struct wl_link wl_link_to_activity(const struct wl_scene *scene,
				   const struct wl_track_event *event);

/*
 * Where the compute of a range lies on GPUs, without any its communication and copies, and the
 * row in which that begins; false where no row shows it. Linear in ranges.
 */
bool wl_projection_of(const struct wl_scene *scene, uint32_t nvtx_row, struct wl_link *ret);

/* Where each row has the work of a range, in their order: at most n are put; how many. Linear in
 * ranges. */
size_t wl_projections_of(const struct wl_scene *scene, uint32_t nvtx_row, struct wl_link *ret,
			 size_t n);

/*
 * The operation before another: on its own stream the last that starts before it, on the
 * other streams of the device the last to end by its start. WL_NO_OP for none.
 */
struct wl_op_id wl_op_before(const struct wl_scene *scene, const struct wl_op_details *op);
struct wl_op_id wl_op_waited_for(const struct wl_scene *scene, const struct wl_op_details *op);

/* Start and end of an operation. */
struct wl_interval wl_op_time(const struct wl_scene *scene, struct wl_op_id id);

/* ---- Gaps; gap_details.c ---- */

/* Time in which nothing is under way on a device, between two operations. */
struct wl_gap_details {
	uint32_t device;
	wl_ns begin, end;
	/* From CAUSES on: the cause of most of it, and what most of that was; WL_N_CAUSES before.
	 */
	enum wl_cause cause;
	const char *detail;    /* NULL for none */
	struct wl_op_id after; /* the operation that ended it */
	/* From CAUSES on: the blocking call that emptied the launch queue, and the innermost range
	   around that (struct wl_gap); NULL for none. */
	const char *opened_by, *opened_in;
	uint32_t opener; /* that call, a row; WL_NONE */
};

/* The gap of a device at t; false where it is busy, or before its first or after its last. */
bool wl_gap_at(const struct wl_scene *scene, uint32_t device, wl_ns t, struct wl_gap_details *ret);

/* The function that the launching thread ran for most of a gap, as gaps --stacks has it. */
struct wl_gap_function {
	char name[200], under[200]; /* without arguments; under is "" for none */
	wl_ns time;                 /* in it */
};

/*
 * False where the trace has no stacks, no stack lies in the gap, or memory is short. Linear in the
 * parts of the gap and in the stacks in it.
 */
bool wl_gap_function_of(const struct wl_scene *scene, const struct wl_gap_details *gap,
			struct wl_gap_function *ret);

/* The same of gaps one after another, as frames. It must stay where it is. */
struct wl_gap_functions {
	const struct wl_scene *scene;
	struct wl_arena arena;
	struct wl_gap_stacks stacks;
};

/* NULL for a budget without limit. False when it is exhausted. Release also after a failure. */
bool wl_gap_functions_init(struct wl_gap_functions *g, const struct wl_scene *scene,
			   struct wl_budget *budget) WL_MUST_CHECK;
void wl_gap_functions_release(struct wl_gap_functions *g);

/* Out of memory shows in stacks.tally.added.failed. */
struct wl_top_function wl_gap_functions_top(struct wl_gap_functions *g,
					    const struct wl_gap_details *gap);

/* Before the device's first operation, or after its last: no gap, and not busy. */
bool wl_gap_is_outside(const struct wl_scene *scene, uint32_t device, wl_ns t);

/*
 * The next gap of at least min that begins after t, or the one before that begins before
 * t. Of WL_NONE, any device: the nearest begin, then the lowest device. False for none.
 * Linear in what is between.
 */
bool wl_gap_next(const struct wl_scene *scene, uint32_t device, wl_ns t, wl_ns min,
		 struct wl_gap_details *ret);
bool wl_gap_before(const struct wl_scene *scene, uint32_t device, wl_ns t, wl_ns min,
		   struct wl_gap_details *ret);

/* From which length on a gap is worth a stop: 1% of the median iteration, else 100 us. */
wl_ns wl_gap_threshold(const struct wl_scene *scene, uint32_t device);

/* A cause in words: "the thread waited in a blocking call". */
const char *wl_cause_words(enum wl_cause cause);

/* ---- Sums of a range; sums.c ---- */

/* Exact, of lanes. compute + exposed + idle = length; with causes, these add up to idle. */
struct wl_range_sums {
	struct wl_interval range;
	size_t n_devices;
	wl_ns length; /* of the range times the devices */
	wl_ns compute, exposed_comm, exposed_copy, idle;
	wl_ns unused; /* of idle: before the first and after the last operation of a device */
	bool has_causes;
	wl_ns cause[WL_N_CAUSES]; /* UNUSED too */
};

/* Of a device, or WL_NONE for all that have a row. Logarithmic. */
void wl_range_sums_of(const struct wl_scene *scene, uint32_t device, struct wl_interval range,
		      struct wl_range_sums *ret);

/* ---- Iterations ---- */

/* The last iteration that begins at t or before; WL_NONE for none. Logarithmic. */
uint32_t wl_iteration_begun(const struct wl_process_iters *iters, wl_ns t);

/* ---- Words ---- */

/* A length as panes show it, "2.184ms"; in three digits, "2.18ms". */
const char *wl_brief_ns(char buf[WL_UNITS_BUF], wl_ns ns);
const char *wl_short_ns(char buf[WL_UNITS_BUF], wl_ns ns);
/* have / of in percent: "41%", "0.3%", "<0.1%"; "-" of nothing. */
const char *wl_brief_share(char buf[WL_UNITS_BUF], wl_ns have, wl_ns of);

#endif
