/* SPDX-License-Identifier: MIT */
#include "findings/rules/straggler_reason.h"

#include "base/units.h"
#include "derive/iters/iters.h"

struct reasoning {
	struct wl_docket *d;
	const struct wl_late_case *late;
	const struct wl_straggler *s;
	struct wl_member own, other; /* another of its group, to compare with */
};

/* "gemm 301.4 us vs 265.1 us"; "" where there is no kernel. */
static const char *say_kernel(const struct reasoning *r, const struct wl_late_kernel *kernel)
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	if (kernel->name == WL_NONE)
		return "";
	return wl_say(r->d, "%s %s vs %s", wl_say_kernel(r->d, kernel->name),
		      wl_fmt_ns(own, kernel->own, WL_UNIT_AUTO),
		      wl_fmt_ns(others, kernel->others, WL_UNIT_AUTO));
}

/* Its kernels beside those of another member: " --gpu 2,0 --window iter:1..18". */
static bool show_kernels(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_docket_gpu *gpu = &r->d->gpu[r->late->gpu];
	unsigned own = r->own.device, other = r->other.device;

	claim->evidence = "kernels TRACE --by device";
	claim->where = gpu->by_step ? wl_say(r->d, " --gpu %u,%u --window iter:%u..%u", own, other,
					     gpu->first, gpu->last)
				    : wl_say(r->d, " --gpu %u,%u", own, other);
	return claim->where != NULL;
}

static const char *say_slow_gpu(const struct reasoning *r, struct wl_claim *claim)
{
	const char *first = say_kernel(r, &r->s->kernel[0]),
		   *second = say_kernel(r, &r->s->kernel[1]);
	char by[WL_UNITS_BUF];

	if (!first || !second || !show_kernels(r, claim))
		return NULL;
	claim->fix.action =
		wl_say(r->d, "Compare clocks and power limit of %s with those of GPU %u",
		       r->late->who, r->other.device);
	claim->fix.advice = "Look at clocks, temperature and throttle reasons (nvidia-smi -q -d "
			    "PERFORMANCE), at other processes on that GPU, and at its input sizes.";
	return wl_say(r->d, "%s runs the same kernels %s slower (%s%s%s)", r->late->who,
		      wl_say_ratio(by, r->s->factor - 1), first, *second ? ", " : "", second);
}

static const char *say_slow_kernel(const struct reasoning *r, struct wl_claim *claim)
{
	const char *kernel = say_kernel(r, &r->s->kernel[0]);

	if (!kernel || !show_kernels(r, claim))
		return NULL;
	claim->fix.action = wl_say(r->d, "Find out why this kernel is slower on %s", r->late->who);
	claim->fix.advice = "Compare its input shapes and memory placement with those on the other "
			    "GPUs: uneven batches, sequence lengths or expert loads.";
	return wl_say(r->d, "%s runs one kernel slower (%s)", r->late->who, kernel);
}

static const char *say_more_work(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_straggler *s = r->s;
	const char *kernel = say_kernel(r, &s->kernel[0]);
	char by[WL_UNITS_BUF];

	if (!kernel || !show_kernels(r, claim))
		return NULL;
	claim->fix.action =
		wl_say(r->d, "Divide the work evenly: %s has more than the others", r->late->who);
	claim->fix.advice =
		"Compare batch, sequence lengths, layers and expert loads of the ranks.";
	if (s->n_own > s->n_others && s->n_others)
		return wl_say(
			r->d, "%s runs %s more kernels than the rest of its group (%llu vs %llu)",
			r->late->who, wl_say_ratio(by, (double)s->n_own / (double)s->n_others - 1),
			(unsigned long long)s->n_own, (unsigned long long)s->n_others);
	return wl_say(r->d, "%s launches larger grids than the rest of its group (%s)",
		      r->late->who, kernel);
}

/* The GPU of the straggler, if it is selected. */
static size_t own_gpu(const struct reasoning *r)
{
	for (size_t t = 0; t < r->d->n_gpus; t++) {
		if (r->d->gpu[t].lane->device == r->own.device)
			return t;
	}
	return SIZE_MAX;
}

/* The cause with most of the straggler's idle time, if that is more than half. */
static const char *main_cause(const struct reasoning *r)
{
	size_t t = own_gpu(r);
	wl_ns sum[WL_N_CAUSES] = { 0 }, all = 0;
	unsigned most = 0;

	for (size_t i = 0; t != SIZE_MAX && i < r->d->gpu[t].lane->n_tiles; i++) {
		for (unsigned c = 0; r->d->gpu[t].in_sample[i] && c < WL_N_CAUSES; c++) {
			sum[c] += r->d->gpu[t].lane->tile[i].loss[c];
			all += r->d->gpu[t].lane->tile[i].loss[c];
		}
	}
	for (unsigned c = 1; c < WL_N_CAUSES; c++)
		most = sum[c] > sum[most] ? c : most;
	return 2 * sum[most] > all ? wl_say_loss((enum wl_loss)most) : NULL;
}

/* "230 us vs 180 us per step": a share on both sides. */
static const char *say_both(const struct reasoning *r, enum wl_late_share share)
{
	const struct wl_process_iters *iters =
		&r->d->run->derived->iterations->process[r->own.process];
	wl_ns n = iters->n ? (wl_ns)iters->n : 1;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	return wl_say(r->d, "%s vs %s%s", wl_fmt_ns(own, r->s->own[share] / n, WL_UNIT_AUTO),
		      wl_fmt_ns(others, r->s->others[share] / n, WL_UNIT_AUTO),
		      iters->n ? " per step" : "");
}

static const char *say_late_host(const struct reasoning *r, struct wl_claim *claim)
{
	const char *cause = main_cause(r), *both = say_both(r, WL_LATE_BY_HOST);

	if (!both)
		return NULL;
	claim->fix.action =
		wl_say(r->d, "Find out what the host of %s does in its idle time", r->late->who);
	claim->fix.advice = "Usual causes are data loading, page faults, CPU contention and NUMA "
			    "placement of that rank.";
	claim->evidence = "idle TRACE --by detail";
	return wl_say(r->d, "%s waits for its host (calls and the time between them: %s%s%s)",
		      r->late->who, both, cause ? "; idle time mostly " : "", cause ? cause : "");
}

static const char *say_copies(const struct reasoning *r, struct wl_claim *claim)
{
	const char *both = say_both(r, WL_LATE_BY_COPIES);

	if (!both)
		return NULL;
	claim->fix.action = wl_say(r->d, "Compare the copies of %s with those of GPU %u",
				   r->late->who, r->other.device);
	claim->fix.advice = "Look at PCIe width and speed (nvidia-smi -q), pinned memory, NUMA "
			    "placement and bytes per copy of that rank.";
	claim->evidence = "transfers TRACE";
	return wl_say(r->d, "%s copies longer than the rest of its group (%s)", r->late->who, both);
}

static const char *say(const struct reasoning *r, struct wl_claim *claim)
{
	switch (r->s->reason) {
	case WL_LATE_SLOW_GPU:
		return say_slow_gpu(r, claim);
	case WL_LATE_SLOW_KERNEL:
		return say_slow_kernel(r, claim);
	case WL_LATE_MORE_WORK:
		return say_more_work(r, claim);
	case WL_LATE_HOST:
		return say_late_host(r, claim);
	case WL_LATE_COPIES:
		break;
	}
	return say_copies(r, claim);
}

const char *wl_straggler_reason(struct wl_docket *d, const struct wl_late_case *late,
				struct wl_claim *claim)
{
	const struct wl_comm_group *g = &late->matches->group[late->straggler->group];
	uint32_t own = late->straggler->member, other = g->member[g->member[0] == own];
	const struct reasoning r = { .d = d,
				     .late = late,
				     .s = late->straggler,
				     .own = late->matches->member[own],
				     .other = late->matches->member[other] };
	const char *text = say(&r, claim);

	return claim->fix.action ? text : NULL;
}
