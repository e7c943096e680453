/* SPDX-License-Identifier: MIT */
/* dominant_kernel.c - a rule: one kernel takes a large part of the step. */
#include <string.h>

#include "base/text/shell.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "findings/rule.h"

WL_DECLARE_RULE(dominant_kernel);

static const double dominant = 0.2; /* of the step */

/* The time of a kernel name in the sample of a GPU. */
struct time_of {
	wl_ns sum, here, most; /* of all steps; of the current one; of the one with most */
	size_t tile;           /* under way */
};

static void add_time(struct time_of *of, size_t tile, wl_ns time)
{
	of->here = tile == of->tile ? of->here + time : time;
	of->tile = tile;
	of->most = of->here > of->most ? of->here : of->most;
	of->sum += time;
}

/* If one of several steps has more than half of the time, it is an outlier and counts as the mean
 * of the others. */
static wl_ns usual_sum(const struct time_of *of, size_t n_steps)
{
	if (n_steps < 3 || 2 * of->most <= of->sum)
		return of->sum;
	return (wl_ns)((double)(of->sum - of->most) * (double)n_steps / (double)(n_steps - 1));
}

/* Find the kernel name with the most time in a GPU's sample. */
static bool find_largest(const struct wl_rule_state *d, size_t t, uint32_t *ret_name,
			 wl_ns *ret_sum)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	const struct wl_classes *classes = d->run->derived->classes;
	const uint32_t *name = wl_kernels_name(trace);
	struct wl_arena scratch;
	size_t lo, hi, tile = 0;
	struct time_of *of;

	wl_arena_init_child(&scratch, d->run->arena);
	of = WL_NEW(&scratch, struct time_of, trace->n_kernel_names);
	wl_ops_on_device(trace, &ops, gpu->lane->device, &lo, &hi);
	for (size_t i = lo; of && name && i < hi; i++) {
		wl_ns start, end;

		if (wl_class_of(trace, classes, WL_F_KERNELS, i) != WL_COMPUTE ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		while (gpu->by_step && tile + 1 < gpu->lane->n_tiles &&
		       gpu->lane->tile[tile].end <= start)
			tile++;
		/* A kernel counts in the step it begins in. */
		if (!gpu->by_step ||
		    (gpu->in_sample[tile] && start >= gpu->lane->tile[tile].begin &&
		     start < gpu->lane->tile[tile].end))
			add_time(&of[name[i]], tile, end - start);
	}
	*ret_sum = 0;
	for (uint32_t k = 0; of && k < trace->n_kernel_names; k++) {
		wl_ns sum = gpu->by_step ? usual_sum(&of[k], gpu->n_steps) : of[k].sum;

		if (sum > *ret_sum) {
			*ret_sum = sum;
			*ret_name = k;
		}
	}
	wl_arena_release(&scratch);
	return of && classes;
}

/* The advice with the command that measures the kernel; ncu finds kernels by brief name. */
static const char *say_how(struct wl_rule_state *d, const char *brief)
{
	const char *word = wl_shell_word(brief, d->run->arena);

	return word ? wl_say(d,
			     "Run: ncu --set full --kernel-name %s --launch-skip 10 "
			     "--launch-count 1 PROGRAM. Then check shapes, data type and tile "
			     "size, or look for a faster library call.",
			     word)
		    : NULL;
}

/* The ncu measurement of the name's launch configuration with the most time; NULL for none. */
static const struct wl_measured *measured_of(const struct wl_ncu_join *join, uint32_t name)
{
	const struct wl_launch_groups *all = join ? &join->groups : NULL;

	for (size_t i = 0; all && i < all->n; i++) {
		if (all->label[all->group[i].name] == all->label[name])
			return join->kernel[i] == WL_NONE ? NULL
							  : &join->ncu.kernel[join->kernel[i]];
	}
	return NULL;
}

/* The words for each bound, and the advice on it. */
static const struct bound {
	const char *name, *words, *advice;
} bounds[] = {
	{ "compute", ", bound by compute",
	  "Check its shapes, data type and tile size, or look for a faster library call." },
	{ "DRAM", ", bound by DRAM",
	  "Fuse it with its neighbours or use a narrower data type: fewer bytes to move." },
	{ "cache", ", bound by caches",
	  "Reuse what is in registers and shared memory: larger tiles, fewer loads." },
	{ "balanced", ", balanced",
	  "Compute and memory are balanced: only doing less of both helps." },
	{ "latency", ", bound by latency",
	  "Give it more parallel work: more warps per SM, or independent instructions." },
	{ "small grid", ", with a grid too small for the GPU",
	  "Give it more blocks: larger batches, split-K, or several kernels at once." },
};

static const struct bound *bound_of(const char *name)
{
	for (size_t i = 0; name && i < WL_COUNT(bounds); i++) {
		if (strcmp(bounds[i].name, name) == 0)
			return &bounds[i];
	}
	return NULL;
}

/* WL_STOP "; it reaches 42.0% of the tensor bf16 peak (ncu), bound by compute"; "" if unknown. */
static const char *say_roof(struct wl_rule_state *d, const struct wl_measured *m)
{
	const struct bound *bound = m ? bound_of(m->bound) : NULL;
	struct wl_on_roof at = { .roof = NULL };
	char share[WL_UNITS_BUF];

	if (m)
		wl_measured_place(m, &at);
	if (!at.roof)
		return "";
	if (strcmp(at.roof, "compute") == 0)
		return wl_say(d, WL_STOP "; it reaches %s of the %.40s peak (%s)%s",
			      wl_fmt_share(share, at.share), m->dtype ? m->dtype : "compute",
			      m->compute_measured ? "ncu" : "datasheet", bound ? bound->words : "");
	return wl_say(d, WL_STOP "; it reaches %s of the DRAM bandwidth (%s)%s",
		      wl_fmt_share(share, at.share), m->dram_measured ? "ncu" : "datasheet",
		      bound ? bound->words : "");
}

/* Choose the advice by the kernel's bound, if that was measured. */
static void advise(struct wl_rule_state *d, const struct wl_measured *m, const char *brief,
		   struct wl_finding *f)
{
	const struct bound *bound = m ? bound_of(m->bound) : NULL;

	f->fix.advice = bound ? bound->advice : say_how(d, brief);
	if (bound)
		f->fix.action = "Bring it closer to peak, or give it less work";
	if (m)
		f->limits = "Shares of peak are those of launches under ncu, at the clocks it set.";
}

/* The begin and end of a name that is too long for the headline; "" if it has non-ASCII characters.

 */
static const char *say_cut(struct wl_rule_state *d, const char *name)
{
	enum { HEAD = 13, TAIL = 12 };
	size_t n = strlen(name);

	for (const char *c = name; *c; c++) {
		if (*c < ' ' || *c > '~')
			return "";
	}
	return wl_say(d, ", %.*s...%s,", HEAD, name, name + n - TAIL);
}

/* A name too long for the headline follows it in full. */
static const char *say(struct wl_rule_state *d, const struct wl_finding *f, uint32_t kernel,
		       wl_ns time, const char *roof)
{
	enum { FITS = 28 };
	const char *name = wl_say_kernel(d, kernel);
	bool fits = strlen(name) <= FITS, by_step = d->gpu[f->gpu].by_step;
	char takes[WL_UNITS_BUF], share[WL_UNITS_BUF];

	return wl_say(d, "One kernel%s takes %s of %s" WL_STOP ": %s%s%s of the %s on GPU %u%s",
		      fits ? wl_say(d, ", %s,", name) : say_cut(d, name),
		      wl_fmt_ns(takes, time, WL_UNIT_AUTO), by_step ? "each step" : "the window",
		      fits ? "" : name, fits ? "" : ", ", wl_fmt_share(share, f->share),
		      by_step ? "step" : "window", d->gpu[f->gpu].lane->device, roof);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .share = 0 };
	const struct wl_measured *m;
	const char *brief = "", *roof;
	uint32_t largest = WL_NONE;
	wl_ns best = 0;

	for (size_t t = 0; t < d->n_gpus; t++) {
		uint32_t name = WL_NONE;
		wl_ns sum;
		double of_step;

		if (!find_largest(d, t, &name, &sum))
			return false;
		of_step = d->gpu[t].length ? (double)sum / (double)d->gpu[t].length : 0;
		if (name == WL_NONE || of_step <= f.share)
			continue;
		f.share = of_step;
		f.gpu = t;
		largest = name;
		f.subject = wl_str(d->run->trace, d->run->trace->kernel_names[name].demangled);
		brief = wl_str(d->run->trace, d->run->trace->kernel_names[name].brief);
		best = sum / (wl_ns)d->gpu[t].n_steps;
	}
	if (f.share < dominant)
		return true;
	m = measured_of(d->join, largest);
	f.fix.action = rule->fix.action;
	advise(d, m, brief, &f);
	roof = say_roof(d, m);
	f.sentence = f.fix.advice && roof ? say(d, &f, largest, best, roof) : NULL;
	f.evidence = (struct wl_cmdline){ .verb = "kernels", .option = { { "n", "1" } } };
	wl_show(d, f.gpu, &f.evidence);
	return wl_rule_state_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_dominant_kernel = {
	.code = "dominant-kernel",
	.title = "One kernel takes at least 20% of the step",
	.fix.action = "Profile this kernel with Nsight Compute",
	.limits = "The trace does not show whether it already runs as fast as the GPU allows.",
	.apply = apply,
};
