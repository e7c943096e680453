/* SPDX-License-Identifier: MIT */
/* categories.c - each GPU's time by kernel category, according to naming rules. */
#include "analysis/name_categories.h"
#include "analysis/stat_cols.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/kinds/category_kernels.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"
#include "table/chart.h"

WL_DECLARE_ANALYSIS(categories);

enum {
	DEVICE,
	CATEGORY,
	INSTANCES,
	SUM,
	ACTIVE,
	EXCLUSIVE,
	ELAPSED,
	SHARE,
	BUSY,
	CPU,
	OF_ENGINE,
	OF_MODEL,
	KERNEL
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[CATEGORY] = { "category", "Category", WL_T_STR, WL_KEY,
		       "The category by the rules; (other) if no rule matches." },
	[INSTANCES] = { "instances", "Instances", WL_T_COUNT, WL_PLAIN,
			"Operations with a part in the window." },
	[SUM] = WL_COL_SUM,
	[ACTIVE] = { "active", "Active", WL_T_NS, WL_SUM | WL_MINOR,
		     "Time in which any of them runs." },
	[EXCLUSIVE] = { "exclusive", "Exclusive", WL_T_NS, WL_SUM,
			"Time in which only this category runs." },
	[ELAPSED] = { "elapsed", "Elapsed", WL_T_NS, WL_PLAIN,
		      "Time attributed to the category; adds up to busy. By kernel, what its "
		      "kernels "
		      "have of that, in proportion to their sums." },
	[SHARE] = WL_COL_SHARE(WL_PLAIN, "Of the device's busy time."),
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_MINOR, "The device's busy time." },
	[CPU] = { "cpu", "Non-GPU", WL_T_NS, WL_MINOR,
		  "Wall time in which the device was not busy." },
	[OF_ENGINE] = { "engine", "Engine", WL_T_STR, WL_MINOR, "Whose rules these are." },
	[OF_MODEL] = { "model", "Model", WL_T_STR, WL_MINOR, "The model that was asked for." },
	[KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL,
		     "The kernel's demangled name, or the kind of copy; by kernel only." },
};

enum { ENGINE, MODEL, RULES, ENGINES, ATTRIBUTION, WALL, IN, OUT_DIR, TITLE, NSYS, BY };

enum facet { BY_CATEGORY, BY_KERNEL };
static const char *const facets[] = { "category", "kernel", NULL };

static const char *const attributions[] = {
	[WL_ATTRIBUTE_SHARE] = "share",
	/* The way gputrc2graph attributes the time of one GPU. */
	[WL_ATTRIBUTE_FIRST] = "first",
	[WL_ATTRIBUTE_LAST] = "last",
	NULL,
};

static const struct wl_param params[] = {
	[ENGINE] = WL_PARAM_ENGINE,
	[MODEL] = WL_PARAM_MODEL,
	[RULES] = WL_PARAM_RULES,
	[ENGINES] = WL_PARAM_ENGINES,
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "category",
		 .choices = facets,
		 .help = "Times of categories, or each kernel with its category." },
	[ATTRIBUTION] = { .key = "attribution",
			  .type = WL_P_ENUM,
			  .def = "share",
			  .choices = attributions,
			  .help = "Which category gets time in which several run." },
	[WALL] = { .key = "elapsed",
		   .type = WL_P_SECONDS,
		   .help = "Wall time in seconds of a run without the profiler, for cpu; 0: the "
			   "window." },
	[IN] = { .key = "in",
		 .type = WL_P_TRACE,
		 .many = true,
		 .alias = "in_file",
		 .takes = "FILE,ENGINE,MODEL,ELAPSED",
		 .help = "A trace with its own arguments, such as run.nsys-rep,vllm,llama,120." },
	[OUT_DIR] = { .key = "out-dir",
		      .alias = "out_dir",
		      .type = WL_P_DIR,
		      .help = "Write result.csv, result.html and categories.csv to DIR; so does -o "
			      "DIR with --in, which writes to the current directory without "
			      "either." },
	[TITLE] = { .key = "title",
		    .type = WL_P_TITLE,
		    .help = "Title of the table and the page." },
	[NSYS] = { .key = "nsys-cmd",
		   .alias = "nsys_cmd",
		   .type = WL_P_STR,
		   .stands_for = "nsys",
		   .help = "Another name of --nsys." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_MEMCPYS_KIND, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens categories run.sqlite --engine vllm", "Time by category of vLLM's kernels." },
	{ "warplens categories run.sqlite --attribution first --elapsed 80ms",
	  "Attributed as by gputrc2graph, beside a run without profiler." },
	{ "warplens categories --in run.sqlite,vllm,llama,0.09 --out-dir results",
	  "Each trace with its own arguments; writes result.csv and result.html." },
	{ NULL, NULL },
};

static const char shows[] =
	"Each part of a bar is the busy time attributed to one category, (non-GPU) the wall time "
	"in which the GPU was not busy: the mean of the bar's GPUs. Parts with room for it have "
	"their time in them.";

static const struct wl_chart_rest not_gpu = { "cpu", "(non-GPU)" };

static const struct wl_chart_members by_kernel = { "kernel", "sum", "by", "kernel" };

static const struct wl_chart by_device = {
	.kind = WL_CHART_BARS,
	.title = "Time of each GPU by category",
	.shows = shows,
	.label = "device",
	.group = "category",
	.parts = { "elapsed" },
	.by_group = true,
	.wide = true,
	.mean_over = "device",
	.rest = &not_gpu,
	.pivot = true,
};

static const struct wl_chart by_trace = {
	.kind = WL_CHART_BARS,
	.title = "Time of each trace by category",
	.shows = shows,
	.label = "trace",
	.group = "category",
	.parts = { "elapsed" },
	.by_group = true,
	.wide = true,
	.mean_over = "device",
	.rest = &not_gpu,
	.pivot = true,
	.named = { "engine", "model" },
	.members = &by_kernel,
};

/* The first files are as gputrc2graph writes them. */
static const struct wl_result results[] = {
	{ "result.csv", { "by", "kernel" } },
	{ "result.html", { NULL, NULL } },
	{ "categories.csv", { NULL, NULL } },
	{ NULL, { NULL, NULL } },
};

struct asking {
	const struct wl_run *run;
	const struct wl_category_map *map;
	enum wl_attribution how;
	size_t n;                      /* categories */
	struct wl_category_time *time; /* indexed by device and category */
	wl_ns *busy;                   /* by device */
};

static struct wl_category_question question_of(const struct asking *a, uint32_t device)
{
	return (struct wl_category_question){ .trace = a->run->trace,
					      .scope = a->run->scope,
					      .map = a->map,
					      .n = a->n,
					      .device = device,
					      .how = a->how };
}

static bool ask_device(void *ctx, size_t d, struct wl_arena *arena)
{
	struct asking *a = ctx;
	const struct wl_category_question q = question_of(a, (uint32_t)d);

	return !a->run->scope->device_on[d] ||
	       wl_category_times_find(&q, arena, a->time + d * a->n, &a->busy[d]);
}

static uint64_t bit(unsigned col)
{
	return UINT64_C(1) << col;
}

static uint64_t hidden(const union wl_arg *arg)
{
	uint64_t model = arg[MODEL].str ? 0 : bit(OF_MODEL);

	if (arg[BY].i64 == BY_CATEGORY)
		return model | bit(KERNEL);
	return model | bit(ACTIVE) | bit(EXCLUSIVE) | bit(SHARE) | bit(BUSY) | bit(CPU);
}

static void put_row(struct wl_table *out, uint32_t device, const char *category,
		    const struct wl_category_time *c, wl_ns busy, wl_ns wall)
{
	wl_table_row(out);
	wl_put_i64(out, DEVICE, device);
	wl_put_copy(out, CATEGORY, category);
	wl_put_i64(out, INSTANCES, c->instances);
	wl_put_i64(out, SUM, c->sum);
	wl_put_i64(out, ACTIVE, c->active);
	wl_put_i64(out, EXCLUSIVE, c->exclusive);
	wl_put_i64(out, ELAPSED, c->elapsed);
	wl_put_ratio(out, SHARE, c->elapsed, busy);
	wl_put_i64(out, BUSY, busy);
	/* The wall time of a run without the profiler may be shorter than the busy time with it. */
	if (wall >= busy)
		wl_put_i64(out, CPU, wall - busy);
}

struct found {
	int64_t n_all, n_matched, n_graphs;
	bool is_wall_short; /* the wall time is below the busy time of a device */
};

/* The wall time of a device: as given, or its window. */
static wl_ns wall_of(const struct asking *a, uint32_t device)
{
	struct wl_interval w = a->run->scope->device[device];
	int64_t given = a->run->arg[WALL].i64;

	return given > 0 ? given : w.end - w.begin;
}

static void put_names(const struct asking *a, struct wl_table *out)
{
	wl_put_copy(out, OF_ENGINE, a->run->arg[ENGINE].str);
	if (a->run->arg[MODEL].str)
		wl_put_copy(out, OF_MODEL, a->run->arg[MODEL].str);
}

/* The parts of a category's times given to its kernels so far. */
struct given {
	wl_ns sum, elapsed;
};

/*
 * A kernel's share of the elapsed time of its category. Dividing running sums makes the shares add
 * up exactly, without rounding loss; a product of two times needs 128 bits.
 */
static wl_ns elapsed_of(const struct wl_category_kernel *kernel,
			const struct wl_category_time *category, struct given *given)
{
	wl_ns before = given->elapsed;

	given->sum = wl_add_up(given->sum, kernel->sum);
	if (category->sum > 0)
		given->elapsed = (wl_ns)((wl_u128)category->elapsed * (wl_u128)given->sum /
					 (wl_u128)category->sum);
	return given->elapsed - before;
}

/* Puts each name with its category, and the rest of the wall time. */
static bool put_kernels(const struct asking *a, const struct wl_category_rules *rules,
			uint32_t device, struct wl_table *out)
{
	const struct wl_trace *t = a->run->trace;
	const struct wl_category_question q = question_of(a, device);
	wl_ns rest = wall_of(a, device) - a->busy[device];
	struct given given[WL_MAX_CATEGORIES] = { { 0 } };
	size_t n;
	const struct wl_category_kernel *all = wl_category_kernels_find(&q, a->run->arena, &n);

	for (size_t i = 0; all && i < n; i++) {
		wl_table_row(out);
		wl_put_i64(out, DEVICE, device);
		wl_put_copy(out, CATEGORY, rules->category[all[i].category]);
		wl_put_i64(out, INSTANCES, all[i].instances);
		wl_put_i64(out, SUM, all[i].sum);
		wl_put_i64(out, ELAPSED,
			   elapsed_of(&all[i], &a->time[device * a->n + all[i].category],
				      &given[all[i].category]));
		wl_put_str(out, KERNEL, wl_op_name(t, all[i].family, all[i].row));
		put_names(a, out);
	}
	if (all && rest >= 0) {
		wl_table_row(out);
		wl_put_i64(out, DEVICE, device);
		wl_put_str(out, CATEGORY, not_gpu.name);
		wl_put_i64(out, SUM, rest);
		wl_put_i64(out, ELAPSED, rest);
		put_names(a, out);
	}
	return all != NULL;
}

static void put_device(const struct asking *a, const struct wl_category_rules *rules,
		       uint32_t device, struct wl_table *out, struct found *found)
{
	wl_ns wall = wall_of(a, device);

	for (size_t c = 0; c < a->n; c++) {
		const struct wl_category_time *time = &a->time[device * a->n + c];

		if (time->instances == 0)
			continue;
		if (a->run->arg[BY].i64 == BY_CATEGORY) {
			put_row(out, device, rules->category[c], time, a->busy[device], wall);
			put_names(a, out);
		}
		found->n_all += time->instances;
		/* Replays recorded whole are never looked up: they match no rule. */
		found->n_matched += c == rules->other || c == rules->graph ? 0 : time->instances;
		found->n_graphs += c == rules->graph ? time->instances : 0;
		found->is_wall_short |= wall < a->busy[device];
	}
}

/* The number of kernel names in the trace that are fused and count as communication. */
static size_t count_fused(const struct wl_trace *t, const struct wl_named *named)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_kernel_names; i++)
		n += named->kernel[i].fused && wl_kernel_is_comm(&named->kernel[i]);
	return n;
}

static void say_found(const struct asking *a, const struct found *f,
		      const struct wl_category_rules *rules, struct wl_table *out)
{
	wl_table_cover(out, "operations_in_categories", f->n_matched, f->n_all);
	wl_rules_note(rules, a->run->arg + ENGINE, out);
	if (f->n_graphs)
		wl_table_note(out,
			      "%lld CUDA graph replays were recorded without their kernels "
			      "(record with --cuda-graph-trace=node)",
			      (long long)f->n_graphs);
	if (f->is_wall_short)
		wl_table_note(out, "the elapsed time that was given is shorter than the busy "
				   "time of a device: its non-GPU time is unknown");
	if (a->map->n_given_up)
		wl_table_note(out, "%zu rules were too complex for a name and did not match",
			      a->map->n_given_up);
}

static void say_fused(const struct wl_run *r, const struct wl_named *named, struct wl_table *out)
{
	size_t n = count_fused(r->trace, named);

	if (n)
		wl_table_note(out,
			      "%zu %s communication and compute: all of %s time counts as "
			      "communication",
			      n, n == 1 ? "kernel fuses" : "kernels fuse",
			      n == 1 ? "its" : "their");
}

static int ask_all(struct asking *a, const struct wl_category_rules *rules, struct wl_table *out,
		   struct wl_err *reterr)
{
	const struct wl_run *r = a->run;
	size_t n_devices = r->trace->n_devices;
	struct found found = { 0 };
	struct wl_category_map *map = WL_NEW(r->arena, struct wl_category_map, 1);
	const struct wl_named *named = r->derived->named;

	a->n = rules->n;
	a->map = map;
	a->time = WL_NEW(r->arena, struct wl_category_time, n_devices * a->n);
	a->busy = WL_NEW(r->arena, wl_ns, n_devices);
	if (!map || !a->time || !a->busy ||
	    !wl_category_map_make(r->trace, named, rules, r->arena, map) ||
	    !wl_pool_map(r->pool, n_devices, ask_device, a, r->arena))
		return wl_no_memory(&wl_analysis_categories, reterr);
	for (uint32_t d = 0; d < n_devices; d++) {
		put_device(a, rules, d, out, &found);
		if (r->arg[BY].i64 == BY_KERNEL && r->scope->device_on[d] &&
		    !put_kernels(a, rules, d, out))
			return wl_no_memory(&wl_analysis_categories, reterr);
	}
	say_found(a, &found, rules, out);
	say_fused(r, named, out);
	return WL_OK;
}

/* A wrong engine or model is refused before a trace is read. */
static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	return wl_rules_check("categories", arg + ENGINE, reterr);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_rule_choice choice = wl_rules_chosen(r->arg + ENGINE);
	struct asking a = { .run = r, .how = (enum wl_attribution)r->arg[ATTRIBUTION].i64 };
	struct wl_category_rules rules;
	struct wl_err why = { .code = WL_OK };
	int result = wl_category_rules_init(&rules, &choice, wl_arena_budget(r->arena), &why);

	if (result == WL_OK)
		result = ask_all(&a, &rules, out, reterr);
	else if (result == WL_E_NOMEM)
		result = wl_no_memory(&wl_analysis_categories, reterr);
	else
		result = wl_fail(reterr, why.code, "categories: %s", why.msg);
	wl_category_rules_release(&rules);
	return result;
}

static const struct wl_form forms[] = {
	{ WL_FORM("kernels", "exclusive"), .beside = "by=category" }, { .verb = NULL }
};

const struct wl_analysis wl_analysis_categories = {
	.name = "categories",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.sort = "-device,elapsed",
	.help = "Divide each GPU's busy time among categories of kernels",
	.about = "The category follows from the name: a kernel's demangled name, \"[CUDA memcpy "
		 "HtoD]\", \"[CUDA memset]\". The user's rules apply first, then those of the "
		 "engine, then the built-in table of kernels. An engine's rules do not reclassify "
		 "a kernel that the table lists as communication. Each busy nanosecond is "
		 "attributed once, and elapsed adds up to busy: in equal parts to the categories "
		 "that run together (share), or to that of the operation which started first or "
		 "last. cpu is the window, or --elapsed, "
		 "without the busy time. Graph replays that were recorded whole are listed as "
		 "(graph). Triton kernels are in the category of what they do; --engine vllm puts "
		 "them into triton, as gputrc2graph does.",
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(NAMED),
	.check = check,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.chart = &by_device,
	.joined_chart = &by_trace,
	.results = results,
	.run = run,
};
