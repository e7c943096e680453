/* SPDX-License-Identifier: MIT */
/* idle.c - idle time of each device by cause. */
#include <string.h>

#include "analysis/function_cols.h"
#include "analysis/time/idle_notes.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/use/stack_sums.h"

WL_DECLARE_ANALYSIS(idle);

enum { DEVICE, CAUSE, DETAIL, OPENED_BY, OPENED_IN, SUM, SHARE, FUNCTION };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[CAUSE] = { "cause", "Cause", WL_T_ENUM, WL_KEY, "Cause of the idle time." },
	[DETAIL] = { "detail", "Detail", WL_T_STR, WL_KEY | WL_ANSWER,
		     "The call, OS function or NVTX range the launching thread was in." },
	[OPENED_BY] = { "opened_by", "Opened by", WL_T_STR, WL_KEY | WL_MINOR,
			"The blocking call that emptied the launch queue before these gaps." },
	[OPENED_IN] = { "opened_in", "Opened in", WL_T_STR, WL_KEY | WL_MINOR,
			"The innermost NVTX range around that call." },
	[SUM] = { "sum", "Idle", WL_T_NS, WL_SUM | WL_ANSWER,
		  "Idle time with this cause in the window." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_ANSWER, "Of the device's window." },
	WL_FUNCTION_COLUMNS(FUNCTION, "launching thread", "idle time"),
};

enum { BY };

enum facet { BY_CAUSE, BY_DETAIL };
static const char *const facets[] = { "cause", "detail", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "cause",
		 .choices = facets,
		 .help = "What to group by; detail splits a cause by call, function or range, and "
			 "by what opened the gap." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens idle run.sqlite", "What each GPU waited for." },
	{ "warplens idle run.sqlite --by detail -n 10", "By call, OS function and NVTX range." },
	{ "warplens idle run.sqlite --where 'cause = sync' --by detail",
	  "Which calls delayed the GPU." },
	{ NULL, NULL },
};

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[BY].i64 == BY_DETAIL
		       ? 0
		       : UINT64_C(1) << DETAIL | UINT64_C(1) << OPENED_BY |
				 UINT64_C(1) << OPENED_IN | WL_FUNCTION_BITS(FUNCTION);
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg[BY].i64 == BY_DETAIL)
		wl_want(wanted, WL_FROM(STACK_NAMES), NULL);
}

/* Interned by its bytes: no padding, and equal texts share one pointer (idle.h). */
struct key {
	const char *detail, *opened_by, *opened_in; /* all NULL unless rows are by detail */
	uint64_t cause;
};

/*
 * What one device's task finds. Rows are put in device order after all tasks are done: they are the
 * same for any number of threads.
 */
struct found {
	size_t n;
	const struct key *key;
	const wl_ns *sum;
	struct wl_group_stacks stacks; /* groups are keys */
	struct wl_idle_trust trust;
	struct wl_idle_openers openers;
};

struct summing {
	const struct wl_trace *trace;
	const struct wl_idle *idle;
	struct wl_interval window;
	bool by_detail;
	struct wl_intern keys;
	struct wl_vec sums; /* wl_ns, by key */
	struct wl_stack_groups stacks;
	struct found *found;
};

/* Returns the number of the key; WL_NONE if memory runs out. */
static uint32_t add(struct summing *s, struct key key, wl_ns length)
{
	uint32_t group;

	if (!s->by_detail)
		key = (struct key){ .cause = key.cause };
	group = wl_intern_put(&s->keys, &key);

	if (group == s->sums.n)
		wl_vec_push(&s->sums, &(wl_ns){ 0 });
	if (group == WL_NONE)
		s->sums.failed = true;
	if (!s->sums.failed)
		((wl_ns *)s->sums.data)[group] += length;
	return group;
}

/* Add what the launching thread ran during a part of a gap. */
static void add_stacks(struct summing *s, const struct wl_gap *gap, enum wl_cause cause,
		       uint32_t key, struct wl_interval part)
{
	/* For other causes, what the thread does delays nothing, or is already known. */
	if (s->by_detail && gap->call != WL_NONE && WL_STACK_CAUSES >> cause & 1)
		wl_stack_groups_add(&s->stacks, key, wl_api_thread(s->trace)[gap->call], part.begin,
				    part.end);
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct summing *s = ctx;
	struct key key = { .opened_by = wl_gap_opened_by(s->trace, gap),
			   .opened_in = gap->opener_range };

	if (gap->begin >= s->window.end || gap->end <= s->window.begin)
		return;
	wl_idle_trust_add(&s->found->trust, s->trace, s->idle, gap, s->window);
	/*
	 * Causes are found for whole gaps and clipped afterwards: adjacent windows then add up.
	 */
	for (size_t i = 0; i < gap->n_parts; i++) {
		const struct wl_gap_part *p = &gap->part[i];
		wl_ns begin = p->begin > s->window.begin ? p->begin : s->window.begin;
		wl_ns end = p->end < s->window.end ? p->end : s->window.end;

		if (begin >= end)
			continue;
		key.detail = p->detail;
		key.cause = p->cause;
		add_stacks(s, gap, p->cause, add(s, key, end - begin),
			   (struct wl_interval){ begin, end });
		wl_idle_openers_add(&s->found->openers, p->cause, key.opened_by, end - begin);
	}
}

/* The part of the window that lies outside the device's operations. */
static wl_ns unused(const struct wl_trace *t, const struct wl_scope *scope, uint32_t device)
{
	struct wl_interval w = scope->device[device], used;

	if (!wl_device_extent(t, scope, device, &used))
		return w.end - w.begin;
	used.begin = used.begin > w.begin ? used.begin : w.begin;
	used.end = used.end < w.end ? used.end : w.end;
	return w.end - w.begin - (used.end > used.begin ? used.end - used.begin : 0);
}

struct task {
	const struct wl_run *run;
	const struct wl_idle *idle;
	struct found *found; /* by device */
};

static bool keep(struct summing *s, struct wl_arena *arena)
{
	size_t n = s->keys.items.n;
	struct key *key = WL_NEW(arena, struct key, n);
	wl_ns *sum = WL_NEW(arena, wl_ns, n);

	if (!key || !sum || s->sums.failed || s->found->openers.sums.failed)
		return false;
	if (n) {
		memcpy(key, s->keys.items.data, n * sizeof(*key));
		memcpy(sum, s->sums.data, n * sizeof(*sum));
	}
	s->found->n = n;
	s->found->key = key;
	s->found->sum = sum;
	return wl_stack_groups_keep(&s->stacks, arena, &s->found->stacks);
}

static bool do_device(void *ctx, size_t device, struct wl_arena *arena)
{
	const struct task *task = ctx;
	const struct wl_run *r = task->run;
	struct summing s = { .trace = r->trace,
			     .idle = task->idle,
			     .window = r->scope->device[device],
			     .by_detail = r->arg[BY].i64 == BY_DETAIL,
			     .found = &task->found[device] };
	wl_ns outside;
	bool ok;

	if (!r->scope->device_on[device])
		return true;
	wl_intern_init(&s.keys, sizeof(struct key), wl_arena_budget(arena));
	wl_vec_init(&s.sums, sizeof(wl_ns), wl_arena_budget(arena));
	wl_stack_groups_init(&s.stacks, r->trace, s.by_detail ? r->derived->thread_stacks : NULL,
			     wl_arena_budget(arena));
	ok = wl_idle_visit(task->idle, r->scope, (uint32_t)device, arena,
			   &(struct wl_gap_visitor){ .take = take_gap, .ctx = &s });
	outside = unused(r->trace, r->scope, (uint32_t)device);
	if (ok && outside)
		(void)add(&s, (struct key){ .cause = WL_CAUSE_UNUSED }, outside);
	ok = ok && keep(&s, arena);
	wl_stack_groups_release(&s.stacks);
	wl_vec_release(&s.sums);
	wl_intern_release(&s.keys);
	return ok;
}

/* NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Most time first; ties by cause, then by the texts from left to right. */
static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct found *f = ctx;
	const struct key *ka = &f->key[a], *kb = &f->key[b];
	int order;

	if (f->sum[a] != f->sum[b])
		return f->sum[a] > f->sum[b];
	if (ka->cause != kb->cause)
		return ka->cause < kb->cause;
	order = compare_texts(ka->detail, kb->detail);
	if (order == 0)
		order = compare_texts(ka->opened_by, kb->opened_by);
	if (order == 0)
		order = compare_texts(ka->opened_in, kb->opened_in);
	return order < 0;
}

static bool put_rows(const struct wl_run *r, uint32_t device, const struct found *f,
		     struct wl_function_tally *tally, struct wl_table *out)
{
	struct wl_interval w = r->scope->device[device];
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * f->n);

	if (!order)
		return false;
	wl_sort_all(order, f->n, rank_less, f);
	for (size_t i = 0; i < f->n; i++) {
		const struct key *key = &f->key[order[i]];

		wl_table_row(out);
		wl_put_i64(out, DEVICE, device);
		wl_put_str(out, CAUSE, wl_cause_name((enum wl_cause)key->cause));
		wl_put_str(out, DETAIL, key->detail);
		wl_put_str(out, OPENED_BY, key->opened_by);
		wl_put_str(out, OPENED_IN, key->opened_in);
		wl_put_i64(out, SUM, f->sum[order[i]]);
		wl_put_ratio(out, SHARE, f->sum[order[i]], w.end - w.begin);
		if (!wl_put_function(
			    out, FUNCTION, r,
			    &(struct wl_grouped_time){ &f->stacks, order[i], f->sum[order[i]] },
			    tally))
			return false;
	}
	return true;
}

static bool put_all(const struct task *task, struct wl_table *out)
{
	const struct wl_run *r = task->run;
	struct wl_idle_trust trust = { .n_gaps = 0 };
	struct wl_idle_openers openers;
	struct wl_function_tally tally;
	bool ok = wl_function_tally_init(&tally, r->trace, r->derived->stack_names, r->arena);

	wl_idle_openers_init(&openers, wl_arena_budget(r->arena));
	for (uint32_t d = 0; ok && d < r->trace->n_devices; d++) {
		ok = put_rows(r, d, &task->found[d], &tally, out);
		wl_idle_trust_join(&trust, &task->found[d].trust);
		wl_idle_openers_join(&openers, &task->found[d].openers);
	}
	ok = ok && !openers.sums.failed;
	if (ok) {
		wl_idle_openers_note(&openers, out);
		wl_idle_trust_note(&trust, r, task->idle, out);
	}
	wl_idle_openers_release(&openers);
	wl_function_tally_release(&tally);
	return ok;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	size_t n = r->trace->n_devices;
	struct task task = { .run = r,
			     .idle = r->derived->idle,
			     .found = WL_NEW(r->arena, struct found, n) };
	bool ok = task.idle && task.found;

	for (size_t d = 0; task.found && d < n; d++)
		wl_idle_openers_init(&task.found[d].openers, wl_arena_budget(r->arena));
	ok = ok && wl_pool_map(r->pool, n, do_device, &task, r->arena) && put_all(&task, out);
	for (size_t d = 0; task.found && d < n; d++)
		wl_idle_openers_release(&task.found[d].openers);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_idle, reterr);
}

const struct wl_analysis wl_analysis_idle = {
	.name = "idle",
	.compared = true,
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Why each GPU was idle, by cause; --list shows single gaps" },
	.shows_idle = true,
	.help = "Account for each GPU's idle time by cause",
	.about =
		"Every idle nanosecond of a device has one cause; per device the sums equal the "
		"idle time of overlap exactly. The process waited for pages of managed memory "
		"(managed), or the cause is what held up "
		"the operation that ends the gap: it was queued and waited (dispatch up to 5 us, "
		"dependency beyond), its launch call was under way (launch, latency), or the "
		"launching thread was in a blocking call (sync), an MPI call (mpi), an allocation "
		"(alloc), a module "
		"load (load), another CUDA call (api), the operating system (os) or none of these "
		"(host). profiler is the profiler's own overhead. Time before the device's first "
		"or after its last operation is unused. With --by detail each row also names the "
		"blocking call that emptied the launch queue before its gaps (opened_by), and where the "
		"trace has CPU samples or stacks of calls the function that the launching thread "
		"was in for the longest. Rows are in order of device, then sum.",
	.needs_any = needs_any,
	.from = WL_FROM(IDLE),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
