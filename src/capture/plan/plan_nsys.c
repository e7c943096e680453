/* SPDX-License-Identifier: MIT */
/* plan_nsys.c - the options of nsys that a wish asks for. */
#include <inttypes.h>
#include <string.h>

#include "base/file/file.h"
#include "capture/nsys.h"
#include "capture/plan/plan_parts.h"

enum { P = 1 << WL_NSYS_PROFILE, L = 1 << WL_NSYS_LAUNCH, S = 1 << WL_NSYS_START };

#define OLDEST "2022.4" /* whose help was read */

enum option {
#define WL_NSYS_OPTION(id, name, letter, commands, since, until, without) OPT_##id,
#include "capture/plan/nsys_options.def"
#undef WL_NSYS_OPTION
};

static const struct {
	const char *name;
	unsigned commands;
	const char *since, *until, *without;
} options[] = {
#define WL_NSYS_OPTION(id, name, letter, commands, since, until, without)                          \
	[OPT_##id] = { name, commands, since, until, without },
#include "capture/plan/nsys_options.def"
#undef WL_NSYS_OPTION
};

struct writing {
	struct wl_planning *p;
	enum wl_nsys_command command;
	struct wl_argv_words *words;
	uint64_t done; /* bits of enum option */
	int status;
};

static const char *version(const struct wl_planning *p)
{
	return p->w->version && p->w->version[0] ? p->w->version : "9999";
}

static bool has(const struct wl_planning *p, enum option o)
{
	return wl_nsys_version_cmp(version(p), options[o].since) >= 0;
}

/* Where the version is not known, an option that not all have is said to be one. */
static void note_since(struct writing *w, enum option o)
{
	if (!(w->p->w->version && w->p->w->version[0]) &&
	    wl_nsys_version_cmp(options[o].since, OLDEST) > 0)
		wl_plan_note(w->p, wl_planf(w->p, "%s needs nsys %s or later", options[o].name,
					    options[o].since));
}

/* What the user chose for the option, else value. */
static const char *chosen(const struct wl_planning *p, enum option o, const char *value)
{
	for (size_t i = 0; i < p->w->n_set; i++) {
		if (strcmp(p->w->set[i].name, options[o].name) == 0)
			value = p->w->set[i].value;
	}
	return value;
}

/* An option of this command, if this version has it. */
static void put(struct writing *w, enum option o, const char *value)
{
	if (!(options[o].commands >> w->command & 1))
		return;
	w->done |= UINT64_C(1) << o;
	value = chosen(w->p, o, value);
	if (has(w->p, o)) {
		wl_argv_words_addf(w->words, "%s=%s", options[o].name, value);
		note_since(w, o);
	} else if (options[o].without) {
		wl_plan_note(w->p, wl_planf(w->p, "%s: nsys %s lacks %s (%s and later have it)",
					    options[o].without, version(w->p), options[o].name,
					    options[o].since));
	} else if (w->status == WL_OK) {
		w->status = wl_fail(w->p->reterr, WL_E_USAGE,
				    "nsys %.30s lacks %s, which this capture needs; %s and later "
				    "have it",
				    version(w->p), options[o].name, options[o].since);
	}
}

static bool is_full(const struct wl_planning *p)
{
	return p->w->preset == WL_PRESET_FULL;
}

static bool is_light(const struct wl_planning *p)
{
	return p->w->preset == WL_PRESET_LIGHT;
}

static bool also(const struct wl_planning *p, enum wl_plan_also what)
{
	return (p->w->also & (unsigned)what) != 0;
}

static bool is_python_word(const char *word)
{
	const char *name = wl_path_name(word);
	const size_t n = strlen(name);

	return strncmp(name, "python", 6) == 0 || (n > 3 && strcmp(name + n - 3, ".py") == 0);
}

/* A program whose words are known and show no Python has no Python stacks. */
static bool is_python(const struct wl_planning *p)
{
	if (p->w->launcher == WL_LAUNCHER_TORCHRUN || !p->program || !p->program[0])
		return true;
	for (size_t i = 0; p->program[i]; i++) {
		if (is_python_word(p->program[i]))
			return true;
	}
	return false;
}

/* MPI calls are worth a look where mpirun starts the program. */
static bool traces_mpi(const struct wl_planning *p)
{
	return (p->w->launcher == WL_LAUNCHER_MPIRUN && !is_light(p)) || also(p, WL_ALSO_MPI);
}

static const char *traced(struct wl_planning *p)
{
	enum wl_goal goal = p->w->goal;
	bool os = is_full(p) || (!is_light(p) && (goal == WL_GOAL_ANY || goal == WL_GOAL_LAUNCH)) ||
		  goal == WL_GOAL_HOST || also(p, WL_ALSO_OSRT);

	return wl_planf(p, "cuda,nvtx%s%s%s", os ? ",osrt" : "", traces_mpi(p) ? ",mpi" : "",
			is_full(p) ? ",cublas,cudnn" : "");
}

static bool wants_nodes(const struct wl_planning *p)
{
	if (p->w->graphs != WL_GRAPH_TRACE_AUTO)
		return p->w->graphs == WL_GRAPH_TRACE_NODE;
	return !is_light(p) || p->w->goal == WL_GOAL_LAUNCH;
}

/* GPU metrics are counters of a device: only one nsys on a node can have them. */
static void put_gpu_metrics(struct writing *w)
{
	const bool is_renamed = has(w->p, OPT_GPU_METRICS_LIST);

	if (w->p->rank && !(w->p->w->ranks && !strchr(w->p->w->ranks, ','))) {
		wl_plan_note(w->p, "GPU metrics are off: only one rank per node can record them "
				   "(choose one with --ranks)");
		return;
	}
	put(w, is_renamed ? OPT_GPU_METRICS_LIST : OPT_GPU_METRICS, "all");
}

static void put_python(struct writing *w)
{
	struct wl_planning *p = w->p;

	if (p->w->goal != WL_GOAL_HOST || is_light(p))
		return;
	if (!is_python(p)) {
		if (has(p, OPT_PYTHON_SAMPLING))
			wl_plan_note(p, "if the program runs Python, add --python-sampling=true");
		return;
	}
	put(w, OPT_PYTHON_SAMPLING, "true");
	if (is_full(p))
		put(w, OPT_PYTHON_BACKTRACE, "cuda");
}

/*
 * nsys looks for the library, and takes Open MPI where it does not find it. The launcher decides,
 * as it does for the variable with the rank; others do not show the library.
 */
static void put_mpi(struct writing *w)
{
	struct wl_planning *p = w->p;

	if (!traces_mpi(p))
		return;
	if (p->w->launcher == WL_LAUNCHER_MPIRUN)
		put(w, OPT_MPI_IMPL, wl_plan_is_hydra(p) ? "mpich" : "openmpi");
	else
		wl_plan_note(p, "if nsys does not find the MPI library, add --mpi-impl=openmpi or "
				"--mpi-impl=mpich");
}

static void put_memory(struct writing *w)
{
	struct wl_planning *p = w->p;
	const bool is_goal = p->w->goal == WL_GOAL_MEMORY;

	if (is_goal || also(p, WL_ALSO_MEMORY))
		put(w, OPT_MEMORY_USAGE, "true");
	if ((is_goal && is_full(p)) || also(p, WL_ALSO_FAULTS)) {
		put(w, OPT_GPU_FAULTS, "true");
		put(w, OPT_CPU_FAULTS, "true");
	}
}

/* Call stacks and scheduling of the host. */
static void put_samples(struct writing *w)
{
	struct wl_planning *p = w->p;
	const bool is_sampled = p->w->goal == WL_GOAL_HOST || is_full(p);

	put(w, OPT_SAMPLE, is_sampled || also(p, WL_ALSO_SAMPLES) ? "process-tree" : "none");
	put(w, OPT_CPUCTXSW, is_sampled || also(p, WL_ALSO_SCHED) ? "process-tree" : "none");
}

static void put_goal(struct writing *w)
{
	struct wl_planning *p = w->p;

	put(w, OPT_TRACE, traced(p));
	put_mpi(w);
	put_samples(w);
	put(w, OPT_GRAPHS, wants_nodes(p) ? "node" : "graph");
	put_python(w);
	put_memory(w);
	if (p->w->goal == WL_GOAL_LAUNCH && is_full(p))
		put(w, OPT_CUDA_BACKTRACE, "kernel");
	if (p->w->goal == WL_GOAL_NCCL && is_full(p))
		put(w, OPT_NIC_METRICS, "true");
	if (is_full(p) || also(p, WL_ALSO_METRICS))
		put_gpu_metrics(w);
	if (p->w->forks)
		put(w, OPT_FORKS, "true");
	if (p->w->events && p->w->version && p->w->version[0])
		put(w, OPT_EVENTS, "true");
	else if (p->w->events)
		wl_plan_note(p, "nsys 2025.1 and later record CUDA events with "
				"--cuda-event-trace=true");
}

/* The user's variables stay. */
static void put_env(struct writing *w, const char *value)
{
	const char *given = chosen(w->p, OPT_ENV_VAR, NULL);

	if (!given)
		put(w, OPT_ENV_VAR, value);
	else if (options[OPT_ENV_VAR].commands >> w->command & 1)
		wl_argv_words_addf(w->words, "%s=%s,%s", options[OPT_ENV_VAR].name, given, value);
	w->done |= UINT64_C(1) << OPT_ENV_VAR;
}

/* What the user chose and nothing above has put. Names that are not known go as they are. */
static void put_chosen(struct writing *w)
{
	const struct wl_wishes *wishes = w->p->w;

	for (size_t i = 0; i < wishes->n_set; i++) {
		size_t o = 0;

		while (o < WL_COUNT(options) && strcmp(options[o].name, wishes->set[i].name) != 0)
			o++;
		if (o < WL_COUNT(options) && !(w->done >> o & 1))
			put(w, (enum option)o, wishes->set[i].value);
		else if (o == WL_COUNT(options) && w->command != WL_NSYS_START)
			wl_argv_words_addf(w->words, "%s=%s", wishes->set[i].name,
					   wishes->set[i].value);
	}
}

/*
 * The range's names are plain strings in most programs, and nsys compares registered ones only
 * unless told otherwise. At the end of the range the program goes on: the default ends it.
 */
static void put_gate(struct writing *w)
{
	struct wl_planning *p = w->p;
	const struct wl_capture_gate *g = &p->w->gate;

	if (g->kind == WL_GATE_NVTX) {
		put(w, OPT_CAPTURE_RANGE, "nvtx");
		put(w, OPT_NVTX_CAPTURE, g->range);
		put_env(w, "NSYS_NVTX_PROFILER_REGISTER_ONLY=0");
	} else if (g->kind == WL_GATE_CUDA_API) {
		put(w, OPT_CAPTURE_RANGE, "cudaProfilerApi");
	}
	if (g->kind == WL_GATE_NVTX || g->kind == WL_GATE_CUDA_API)
		put(w, OPT_CAPTURE_RANGE_END, "stop");
	if (g->kind == WL_GATE_TIME) {
		if (g->delay_s)
			put(w, OPT_DELAY, wl_planf(p, "%" PRId64, g->delay_s));
		if (g->duration_s)
			put(w, OPT_DURATION, wl_planf(p, "%" PRId64, g->duration_s));
		put(w, OPT_KILL, "none");
	}
}

/*
 * A session has a name where other commands refer to it, and where the caller has one that is used
 * once. nsys refuses a name that is in use, by another user or by the agent of a run that failed.
 */
int wl_plan_nsys(struct wl_planning *p, enum wl_nsys_command command, struct wl_argv_words *words)
{
	static const char *const names[] = { "profile", "launch", "start" };
	struct writing w = { .p = p, .command = command, .words = words, .status = WL_OK };

	wl_argv_words_add(words, p->w->tool ? p->w->tool : "nsys");
	wl_argv_words_add(words, names[command]);
	if (command == WL_NSYS_START)
		put(&w, OPT_SESSION, p->session);
	else if (command == WL_NSYS_LAUNCH || p->w->session)
		put(&w, OPT_SESSION_NEW, p->session);
	put_goal(&w);
	put_gate(&w);
	put_chosen(&w);
	put(&w, OPT_OVERWRITE, "true");
	put(&w, OPT_OUTPUT, p->output);
	p->plan->traces_cuda = true;
	return w.status;
}
