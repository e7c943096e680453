/* SPDX-License-Identifier: MIT */
/* gaps.c - individual gaps: times when no operation was running on a device. */
#include "analysis/time/gap_list.h"
#include "analysis/time/idle_notes.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "base/text/marks.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "derive/use/gap_stacks.h"

WL_DECLARE_ANALYSIS(gaps);

enum {
	DEVICE,
	START,
	DURATION,
	CAUSE,
	DETAIL,
	OPENED_BY,
	BEFORE,
	AFTER,
	PID,
	TID,
	NVTX,
	OPENED_IN,
	FUNCTION,
	UNDER,
	FUNCTION_SHARE
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[START] = { "start", "Start", WL_T_TIME, WL_KEY | WL_ANCHOR,
		    "End of the last operation before the gap." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN,
		       "Length of the gap in the window." },
	[CAUSE] = { "cause", "Cause", WL_T_ENUM, WL_PLAIN,
		    "Cause of most of the gap, as in idle." },
	[DETAIL] = { "detail", "Detail", WL_T_STR, WL_PLAIN,
		     "The call, OS function or NVTX range of most of that cause." },
	[OPENED_BY] = { "opened_by", "Opened by", WL_T_STR, WL_PLAIN,
			"The blocking call of the launching thread that emptied the launch queue." },
	[BEFORE] = { "before", "Before", WL_T_STR, WL_MINOR | WL_KERNEL,
		     "The operation that ended where the gap begins." },
	[AFTER] = { "after", "After", WL_T_STR, WL_KERNEL, "The operation that ended the gap." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_MINOR | WL_NUMBER,
		  "Process that launched the operation that ended the gap." },
	[TID] = { "tid", "TID", WL_T_COUNT, WL_MINOR | WL_NUMBER,
		  "Thread that launched the operation that ended the gap." },
	[NVTX] = { "nvtx", "NVTX range", WL_T_STR, WL_MINOR,
		   "The innermost NVTX range around that launch." },
	[OPENED_IN] = { "opened_in", "Opened in", WL_T_STR, WL_MINOR,
			"The innermost NVTX range around the call that emptied the launch queue." },
	[FUNCTION] = { "function", "Function", WL_T_STR, WL_PLAIN,
		       "The named function innermost on the launching thread's stack for the "
		       "longest." },
	[UNDER] = { "under", "Under", WL_T_STR, WL_PLAIN,
		    "The program's function that it is called under, else the outermost of a "
		    "library." },
	[FUNCTION_SHARE] = { "function_share", "In it", WL_T_RATIO, WL_PLAIN,
			     "Time in that function by the duration." },
};

enum { MIN, STACKS };

static const struct wl_param params[] = {
	[MIN] = { .key = "min",
		  .type = WL_P_NS,
		  .def = WL_GAP_LIST_MIN,
		  .help = "Hide gaps shorter than this in the window." },
	[STACKS] = { .key = "stacks",
		     .type = WL_P_BOOL,
		     .help = "Name the function that the launching thread ran, from CPU samples "
			     "and stacks of calls." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_KERNELS_NAME, WL_MEMCPYS_KIND, WL_N_COLUMNS };

/* Loading stacks takes four bytes per CUDA call, which a plain list must not pay for. */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg[STACKS].flag)
		wl_want(wanted, WL_FROM(STACK_NAMES), NULL);
}

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[STACKS].flag ? 0
				: UINT64_C(1) << FUNCTION | UINT64_C(1) << UNDER |
					  UINT64_C(1) << FUNCTION_SHARE;
}

static const struct wl_alias aliases[] = { { .name = "gpu_idle_gaps" },
					   { .name = "gpu_gaps" },
					   { .name = NULL } };

static const struct wl_example examples[] = {
	{ "warplens gaps run.sqlite -n 10", "The ten longest." },
	{ "warplens gaps run.sqlite --min 1ms --where 'cause = host'",
	  "Long ones in which the host computed." },
	{ "warplens gaps run.sqlite --stacks -n 5", "What the host ran in the longest five." },
	{ NULL, NULL },
};

/* What is listed of a gap. */
struct listed {
	struct wl_gap_place place;
	const char *detail, *opened_by, *opened_in;
	size_t before, after; /* row numbers in their families */
	uint32_t call;
	enum wl_family_id before_family, after_family;
	enum wl_cause cause;
	struct wl_top_function top;
};

/* The sum for a detail in one gap; stamped with the gap instead of cleared, because most gaps have
 * few details. */
struct tally {
	size_t gap;
	wl_ns sum;
};

struct listing {
	const struct wl_run *run;
	const struct wl_idle *idle;
	struct wl_interval window;
	size_t n_seen;          /* number of gaps seen, for the stamps */
	struct wl_intern texts; /* const char *: details seen */
	struct wl_vec tallies;  /* struct tally, by detail seen */
	struct wl_vec *found;   /* struct listed */
	struct wl_idle_trust *trust;
	struct wl_gap_stacks stacks;
};

/* The length of the part inside the window. */
static wl_ns inside(const struct listing *l, wl_ns begin, wl_ns end)
{
	begin = begin > l->window.begin ? begin : l->window.begin;
	end = end < l->window.end ? end : l->window.end;
	return end > begin ? end - begin : 0;
}

static enum wl_cause main_cause(const struct listing *l, const struct wl_gap *gap)
{
	wl_ns sum[WL_N_CAUSES] = { 0 };
	unsigned best = 0;

	for (size_t i = 0; i < gap->n_parts; i++)
		sum[gap->part[i].cause] += inside(l, gap->part[i].begin, gap->part[i].end);
	/* Causes are in the order of the definition; among equals the first wins. */
	for (unsigned i = 1; i < WL_N_CAUSES; i++)
		best = sum[i] > sum[best] ? i : best;
	return (enum wl_cause)best;
}

/* The sum of a detail in this gap; NULL if memory runs out. */
static wl_ns *sum_of(struct listing *l, const char *detail)
{
	uint32_t number = wl_intern_put(&l->texts, &detail);
	struct tally *tally;

	if (number == l->tallies.n)
		wl_vec_push(&l->tallies, &(struct tally){ .gap = 0 });
	if (number == WL_NONE || l->tallies.failed)
		return NULL;
	tally = (struct tally *)l->tallies.data + number;
	if (tally->gap != l->n_seen)
		*tally = (struct tally){ .gap = l->n_seen };
	return &tally->sum;
}

/* The detail with the most time of a cause; among equals the first. False if memory runs out. */
static bool main_detail(struct listing *l, const struct wl_gap *gap, enum wl_cause cause,
			const char **ret)
{
	wl_ns best = 0, *sum;

	/*
	 * Sums are complete only after the first pass, and parts are in time order: the second pass
	 * reaches the earliest of the largest first.
	 */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < gap->n_parts; i++) {
			const struct wl_gap_part *p = &gap->part[i];
			wl_ns length = inside(l, p->begin, p->end);

			if (p->cause != cause || length == 0)
				continue;
			sum = sum_of(l, p->detail);
			if (!sum)
				return false;
			*sum += pass == 0 ? length : 0;
			if (pass == 1 && *sum > best) {
				best = *sum;
				*ret = p->detail;
			}
		}
	}
	return true;
}

/*
 * Called before the causes of a gap are found, which costs most: with a minimum of 10 us most gaps
 * are never explained.
 */
static bool is_listed(void *ctx, const struct wl_gap *gap)
{
	const struct listing *l = ctx;
	wl_ns duration = wl_gap_place_of(gap, l->window).duration;

	/* With --min 0 all gaps in the window are listed, but none outside it. */
	return duration > 0 && duration >= l->run->arg[MIN].i64;
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct listing *l = ctx;
	struct listed found = { .place = wl_gap_place_of(gap, l->window),
				.before = gap->before.row,
				.after = gap->after.row,
				.before_family = gap->before.family,
				.after_family = gap->after.family,
				.call = gap->call,
				.opened_by = wl_gap_opened_by(l->run->trace, gap),
				.opened_in = gap->opener_range };

	l->n_seen++;
	wl_idle_trust_add(l->trust, l->run->trace, l->idle, gap, l->window);
	found.cause = main_cause(l, gap);
	found.top = wl_gap_stacks_top(&l->stacks, gap, l->window);
	if (!main_detail(l, gap, found.cause, &found.detail))
		l->found->failed = true;
	wl_vec_push(l->found, &found);
}

struct task {
	const struct wl_run *run;
	const struct wl_idle *idle;
	struct wl_vec *found; /* by device: struct listed */
	struct wl_idle_trust *trust;
};

static bool do_device(void *ctx, size_t device, struct wl_arena *arena)
{
	const struct task *task = ctx;
	const struct wl_run *r = task->run;
	struct listing l = { .run = r,
			     .idle = task->idle,
			     .window = r->scope->device[device],
			     .found = &task->found[device],
			     .trust = &task->trust[device] };
	bool ok;

	if (!r->scope->device_on[device])
		return true;
	wl_intern_init(&l.texts, sizeof(const char *), wl_arena_budget(arena));
	wl_vec_init(&l.tallies, sizeof(struct tally), wl_arena_budget(arena));
	ok = wl_gap_stacks_init(&l.stacks, r->trace, r->derived->thread_stacks,
				r->derived->stack_names, arena) &&
	     wl_idle_visit(
		     task->idle, r->scope, (uint32_t)device, arena,
		     &(struct wl_gap_visitor){ .take = take_gap, .ctx = &l, .wants = is_listed }) &&
	     !l.stacks.tally.added.failed;
	wl_gap_stacks_release(&l.stacks);
	wl_vec_release(&l.tallies);
	wl_intern_release(&l.texts);
	return ok && !l.found->failed;
}

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct listed *const *gap = ctx;

	return wl_gap_is_before(&gap[a]->place, &gap[b]->place);
}

/* Finds the NVTX ranges around launches. */
struct ranges {
	const struct wl_forest *forest;
	const struct wl_range_names *names;
};

static const char *label_around(const struct ranges *ranges, uint32_t call)
{
	const struct wl_range_name *name = ranges->names->name;
	uint32_t node = ranges->forest->of_call[call];

	return node == WL_NONE ? NULL : name[name[ranges->forest->name[node]].label].label_text;
}

/* False if memory runs out. */
static bool put_function(const struct wl_run *r, const struct listed *g, struct wl_table *out)
{
	const struct wl_stack_frame *frame = r->trace->frames;
	const char *name;

	if (g->top.function == WL_NONE)
		return true;
	name = wl_frame_name(r->trace, &frame[g->top.function], r->arena);
	wl_put_str(out, FUNCTION, name);
	if (g->top.under != WL_NONE)
		wl_put_str(out, UNDER, wl_str(r->trace, frame[g->top.under].symbol));
	wl_put_ratio(out, FUNCTION_SHARE, g->top.time, g->place.duration);
	return name != NULL;
}

static bool put_row(const struct wl_run *r, const struct ranges *ranges, const struct listed *g,
		    struct wl_table *out)
{
	const struct wl_trace *t = r->trace;
	const struct wl_thread *thread;

	wl_table_row(out);
	wl_put_i64(out, DEVICE, g->place.device);
	wl_put_i64(out, START, g->place.start);
	wl_put_i64(out, DURATION, g->place.duration);
	wl_put_str(out, CAUSE, wl_cause_name(g->cause));
	wl_put_str(out, DETAIL, g->detail);
	wl_put_str(out, OPENED_BY, g->opened_by);
	wl_put_str(out, OPENED_IN, g->opened_in);
	wl_put_str(out, BEFORE, wl_op_name(t, g->before_family, g->before));
	wl_put_str(out, AFTER, wl_op_name(t, g->after_family, g->after));
	if (g->call == WL_NONE)
		return true;
	thread = &t->threads[wl_api_thread(t)[g->call]];
	wl_put_i64(out, PID, t->processes[thread->process].pid);
	wl_put_i64(out, TID, thread->tid);
	wl_put_str(out, NVTX, label_around(ranges, g->call));
	return put_function(r, g, out);
}

static bool put_rows(const struct wl_run *r, const struct wl_vec *found, struct wl_table *out)
{
	const struct ranges ranges = { r->derived->forest, r->derived->range_names };
	const struct listed **gap;
	uint32_t *order;
	size_t n = 0;

	for (size_t d = 0; d < r->trace->n_devices; d++)
		n += found[d].n;
	gap = WL_NEW(r->arena, const struct listed *, n);
	order = WL_NEW(r->arena, uint32_t, 2 * n);
	if (!gap || !order)
		return false;
	for (size_t d = 0, at = 0; d < r->trace->n_devices; d++) {
		for (size_t i = 0; i < found[d].n; i++, at++) {
			gap[at] = (const struct listed *)found[d].data + i;
			order[at] = (uint32_t)at;
		}
	}
	wl_sort_index(order, n, order + n, rank_less, gap);
	for (size_t i = 0; i < n; i++) {
		if (!put_row(r, &ranges, gap[order[i]], out))
			return false;
	}
	return true;
}

static const struct wl_cmdline all_gaps = { .verb = "gaps", .option = { { "min", "0" } } };

static bool list_all(struct task *task, struct wl_table *out)
{
	const struct wl_run *r = task->run;
	struct wl_idle_trust trust = { .n_gaps = 0 };
	char shortest[WL_UNITS_BUF];

	if (!wl_pool_map(r->pool, r->trace->n_devices, do_device, task, r->arena) ||
	    !put_rows(r, task->found, out))
		return false;
	for (size_t d = 0; d < r->trace->n_devices; d++)
		wl_idle_trust_join(&trust, &task->trust[d]);
	if (out->n_rows == 0 && r->arg[MIN].i64 > 0)
		wl_table_note_command(out, &all_gaps,
				      "no gap lasts %s or longer; " WL_COMMAND_MARK " lists all",
				      wl_fmt_ns(shortest, r->arg[MIN].i64, WL_UNIT_AUTO));
	wl_idle_trust_note(&trust, r, task->idle, out);
	if (trust.n_opened)
		wl_table_note(out, "opened_by is the blocking call that ended as the gap began; it "
				   "may not be the cause");
	if (r->arg[STACKS].flag && r->trace->n_stacks == 0)
		wl_table_note(out,
			      "no call stacks were recorded: gaps have no function names "
			      "(record with %s)",
			      wl_family_infos[WL_F_SAMPLES].capture);
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	size_t n = r->trace->n_devices;
	struct task task = { .run = r,
			     .idle = r->derived->idle,
			     .found = WL_NEW(r->arena, struct wl_vec, n),
			     .trust = WL_NEW(r->arena, struct wl_idle_trust, n) };
	bool ok = task.idle && task.found && task.trust;

	for (size_t d = 0; task.found && d < n; d++)
		wl_vec_init(&task.found[d], sizeof(struct listed), wl_arena_budget(r->arena));
	ok = ok && list_all(&task, out);
	for (size_t d = 0; task.found && d < n; d++)
		wl_vec_release(&task.found[d]);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_gaps, reterr);
}

static const struct wl_form forms[] = { { WL_FORM("idle", "list") }, { .verb = NULL } };

const struct wl_analysis wl_analysis_gaps = {
	.name = "gaps",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.shows_idle = true,
	.help = "List the gaps between GPU operations, with their causes",
	.about = "A gap is an interval between two operations of a device in which none runs; its "
		 "causes are those of idle, found before clipping to the window. The cause with "
		 "the most time is listed, with its largest detail. Time before the device's first "
		 "and after its last operation is not a gap. opened_by is the "
		 "blocking call that emptied the launch queue: the launching thread was in it when "
		 "the gap began, or left it at most 2 us before. The longest gaps are first.",
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(IDLE),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
