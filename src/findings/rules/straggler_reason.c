/* SPDX-License-Identifier: MIT */
#include "findings/rules/straggler_reason.h"

#include "base/sort.h"
#include "base/units.h"
#include "derive/derived.h"
#include "derive/kinds/intervals.h"

/* The straggler is number 0; more others than this would not change their median much. */
enum { MAX_MEMBERS = 16 };

/* Kernels of one name on one member. Sums of a hostile trace need not fit in 64 bits. */
struct tally {
	double sum;
	uint64_t n;
};

struct reasoning {
	struct wl_docket *d;
	const struct wl_straggler *s;
	const struct wl_classes *classes;
	const struct wl_iterations *iterations;
	struct wl_arena *scratch;
	size_t n; /* members that are compared */
	struct wl_member member[MAX_MEMBERS];
	struct wl_interval range[MAX_MEMBERS]; /* its sample */
	struct tally *tally[MAX_MEMBERS];      /* by kernel name */
	wl_ns idle[MAX_MEMBERS];
};

/* What the straggler has more than the median of the others. */
struct excess {
	double slower; /* kernels that both have, as many as it runs */
	double base;   /* what these take on the others */
	double more;   /* launches beyond the others' */
	wl_ns idle;
	double factor;     /* by which kernels are slower: the time-weighted median over names */
	uint32_t heaviest; /* kernel name with most time */
	uint32_t slowest;  /* kernel name with most of slower */
	double most_time, most_slower; /* of these two */
	uint64_t n_own, n_others;
};

static void choose_members(struct reasoning *r)
{
	const struct wl_comm_group *g = &r->s->matches->group[r->s->group];
	size_t n_others = g->n - 1 < MAX_MEMBERS - 1 ? g->n - 1 : MAX_MEMBERS - 1, k = 0, taken = 0;

	r->member[0] = r->s->matches->member[r->s->member];
	r->n = 1;
	for (size_t i = 0; i < g->n; i++) {
		if (g->member[i] == r->s->member)
			continue;
		if (taken < (k + 1) * n_others / (g->n - 1)) {
			r->member[r->n++] = r->s->matches->member[g->member[i]];
			taken++;
		}
		k++;
	}
}

/* The steps of the sample as the member's own process has them, else when they were. */
static struct wl_interval sample_of(const struct reasoning *r, uint32_t process)
{
	const struct wl_docket_gpu *gpu = &r->d->gpu[r->s->gpu];
	const struct wl_process_iters *iters = &r->iterations->process[process];
	struct wl_interval range = { INT64_MAX, INT64_MIN };

	if (gpu->by_step && iters->n > gpu->last)
		return (struct wl_interval){ iters->at[gpu->first].tile.begin,
					     iters->at[gpu->last].tile.end };
	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		const struct wl_tile *tile = &gpu->lane->tile[i];

		if (!gpu->in_sample[i])
			continue;
		range.begin = tile->begin < range.begin ? tile->begin : range.begin;
		range.end = tile->end > range.end ? tile->end : range.end;
	}
	return range;
}

struct from {
	const wl_ns *start;
	size_t lo;
	wl_ns at;
};

static bool starts_before(const void *ctx, size_t i)
{
	const struct from *f = ctx;

	return f->start[f->lo + i] < f->at;
}

/* The rows of a member's device that start in its sample; not all of them are its own. */
static void rows_of(const struct reasoning *r, size_t k, const struct wl_ops *ops, size_t *lo,
		    size_t *hi)
{
	size_t n;

	wl_ops_on_device(r->d->run->trace, ops, r->member[k].device, lo, hi);
	n = *hi - *lo;
	*hi = *lo +
	      wl_lower_bound(n, starts_before, &(struct from){ ops->start, *lo, r->range[k].end });
	*lo += wl_lower_bound(n, starts_before,
			      &(struct from){ ops->start, *lo, r->range[k].begin });
	*hi = *hi > *lo ? *hi : *lo;
}

static bool is_own(const struct reasoning *r, size_t k, const struct wl_ops *ops, size_t row)
{
	const struct wl_trace *t = r->d->run->trace;

	return t->places[ops->place[row]].process == r->member[k].process &&
	       wl_class_of(t, r->classes, WL_F_KERNELS, row) == WL_COMPUTE;
}

static bool tally_member(struct reasoning *r, size_t k)
{
	const struct wl_trace *t = r->d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	struct wl_intervals busy;
	size_t lo, hi;

	r->range[k] = sample_of(r, r->member[k].process);
	r->tally[k] = WL_NEW(r->scratch, struct tally, t->n_kernel_names);
	if (!r->tally[k] ||
	    !wl_intervals_of_device(t, NULL, r->member[k].device, r->scratch, &busy))
		return false;
	rows_of(r, k, &ops, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		struct tally *tally = &r->tally[k][wl_kernels_name(t)[i]];

		if (!is_own(r, k, &ops, i))
			continue;
		tally->sum += (double)wl_dur(ops.family, ops.dur, i);
		tally->n++;
	}
	r->idle[k] = r->range[k].end - r->range[k].begin -
		     wl_intervals_covered(&busy, r->range[k].begin, r->range[k].end);
	return true;
}

static int64_t median(int64_t *v, size_t n)
{
	wl_sort_i64(v, n);
	return v[wl_rank(n, 50)];
}

/* Of a kernel name on the others: the median of their means and of their numbers. */
static struct tally others_of(const struct reasoning *r, uint32_t name)
{
	int64_t mean[MAX_MEMBERS], count[MAX_MEMBERS];
	size_t n = 0;

	for (size_t k = 1; k < r->n; k++) {
		const struct tally *t = &r->tally[k][name];

		count[k - 1] = (int64_t)t->n;
		if (t->n)
			mean[n++] = (int64_t)(t->sum / (double)t->n);
	}
	return (struct tally){ n ? (double)median(mean, n) : 0, (uint64_t)median(count, r->n - 1) };
}

/* How much slower one kernel is, and what it takes on the others. */
struct slowness {
	double factor, base;
};

struct slownesses {
	const struct slowness *at;
};

static bool slowness_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct slownesses *s = ctx;

	return s->at[a].factor < s->at[b].factor;
}

/* 1 where there is nothing to compare. */
static bool weigh(const struct slowness *at, size_t n, struct wl_arena *scratch, double *ret)
{
	uint32_t *order = WL_NEW(scratch, uint32_t, 2 * n);
	double all = 0, below = 0;

	*ret = 1;
	for (uint32_t i = 0; order && i < n; i++) {
		order[i] = i;
		all += at[i].base;
	}
	if (order)
		wl_sort_index(order, n, order + n, slowness_less, &(struct slownesses){ at });
	for (size_t i = 0; order && i < n; i++) {
		below += at[order[i]].base;
		if (2 * below < all)
			continue;
		*ret = at[order[i]].factor;
		break;
	}
	return order != NULL;
}

static void add_name(struct excess *e, const struct tally *own, const struct tally *others,
		     uint32_t name)
{
	double n = (double)own->n, mean = own->n ? own->sum / n : others->sum;
	bool is_common = own->n && others->sum > 0;
	double slower = is_common ? own->sum - others->sum * n : 0;

	e->n_own += own->n;
	e->n_others += others->n;
	e->more += (n - (double)others->n) * mean;
	e->slower += slower;
	e->base += is_common ? others->sum * n : 0;
	if (is_common && own->sum > e->most_time) {
		e->most_time = own->sum;
		e->heaviest = name;
	}
	if (slower > e->most_slower) {
		e->most_slower = slower;
		e->slowest = name;
	}
}

static bool find_excess(struct reasoning *r, struct excess *e)
{
	size_t n_names = r->d->run->trace->n_kernel_names, n = 0;
	struct slowness *at = WL_NEW(r->scratch, struct slowness, n_names);
	int64_t idle[MAX_MEMBERS];

	*e = (struct excess){ .heaviest = WL_NONE, .slowest = WL_NONE };
	for (uint32_t name = 0; at && name < n_names; name++) {
		const struct tally *own = &r->tally[0][name];
		const struct tally others = others_of(r, name);

		add_name(e, own, &others, name);
		if (own->n && others.sum > 0)
			at[n++] = (struct slowness){ own->sum / (double)own->n / others.sum,
						     others.sum * (double)own->n };
	}
	for (size_t k = 1; k < r->n; k++)
		idle[k - 1] = r->idle[k];
	e->idle = r->idle[0] - median(idle, r->n - 1);
	return at && weigh(at, n, r->scratch, &e->factor);
}

/* The durations of a kernel on a member, in order; as many as the tally has. */
static int64_t *durations(const struct reasoning *r, size_t k, uint32_t name)
{
	const struct wl_trace *t = r->d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	int64_t *dur = WL_NEW(r->scratch, int64_t, r->tally[k][name].n);
	size_t lo, hi, n = 0;

	rows_of(r, k, &ops, &lo, &hi);
	for (size_t i = lo; dur && i < hi; i++) {
		if (wl_kernels_name(t)[i] == name && is_own(r, k, &ops, i))
			dur[n++] = wl_dur(ops.family, ops.dur, i);
	}
	return dur;
}

/*
 * The median durations of a kernel on the straggler and on the others. Where all run it as
 * often, of the others the median at each position counts: shapes differ by position.
 */
static bool find_medians(const struct reasoning *r, uint32_t name, wl_ns *ret_own,
			 wl_ns *ret_others)
{
	uint64_t n = r->tally[0][name].n;
	int64_t *dur[MAX_MEMBERS], *all = WL_NEW(r->scratch, int64_t, n);
	bool is_even = true;

	for (size_t k = 0; k < r->n; k++) {
		dur[k] = durations(r, k, name);
		if (!dur[k])
			return false;
		is_even = is_even && r->tally[k][name].n == n;
	}
	for (size_t i = 0; all && is_even && i < n; i++) {
		int64_t at[MAX_MEMBERS];

		for (size_t k = 1; k < r->n; k++)
			at[k - 1] = dur[k][i];
		all[i] = median(at, r->n - 1);
	}
	*ret_own = median(dur[0], n);
	*ret_others = all && is_even ? median(all, n) : (wl_ns)others_of(r, name).sum;
	return all != NULL;
}

/* "gemm 301.4 us vs 265.1 us" */
static const char *say_kernel(const struct reasoning *r, uint32_t name)
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];
	wl_ns a, b;

	if (!find_medians(r, name, &a, &b))
		return NULL;
	return wl_say(r->d, "%s %s vs %s", wl_say_kernel(r->d, name),
		      wl_fmt_ns(own, a, WL_UNIT_AUTO), wl_fmt_ns(others, b, WL_UNIT_AUTO));
}

/* Its kernels beside those of another member: " --gpu 2,0 --window iter:1..18". */
static bool show_kernels(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_docket_gpu *gpu = &r->d->gpu[r->s->gpu];
	unsigned own = r->member[0].device, other = r->member[1].device;

	claim->evidence = "kernels TRACE --by device";
	claim->where = gpu->by_step ? wl_say(r->d, " --gpu %u,%u --window iter:%u..%u", own, other,
					     gpu->first, gpu->last)
				    : wl_say(r->d, " --gpu %u,%u", own, other);
	return claim->where != NULL;
}

/* The kernels run slower: all of them alike, or some. */
static const char *say_slower(const struct reasoning *r, const struct excess *e,
			      struct wl_claim *claim)
{
	bool alike = (e->factor - 1) * e->base >= 0.8 * e->slower;
	const char *kernel = say_kernel(r, alike ? e->heaviest : e->slowest);
	char by[WL_UNITS_BUF];

	if (!kernel || !show_kernels(r, claim))
		return NULL;
	if (!alike) {
		claim->fix.action =
			wl_say(r->d, "Find out why this kernel is slower on %s", r->s->who);
		claim->fix.advice =
			"Compare its input shapes and memory placement with those on the "
			"other GPUs: uneven batches, sequence lengths or expert loads.";
		return wl_say(r->d, "%s runs one kernel slower (%s)", r->s->who, kernel);
	}
	claim->fix.action =
		wl_say(r->d, "Compare clocks and power limit of %s with those of GPU %u", r->s->who,
		       r->member[1].device);
	claim->fix.advice = "Look at clocks, temperature and throttle reasons (nvidia-smi -q -d "
			    "PERFORMANCE), at other processes on that GPU, and at its input sizes.";
	return wl_say(r->d, "%s runs the same kernels %s slower (%s)", r->s->who,
		      wl_say_ratio(by, e->factor - 1), kernel);
}

static const char *say_more(const struct reasoning *r, const struct excess *e,
			    struct wl_claim *claim)
{
	char by[WL_UNITS_BUF];

	if (!show_kernels(r, claim))
		return NULL;
	claim->fix.action =
		wl_say(r->d, "Divide the work evenly: %s launches more than the others", r->s->who);
	claim->fix.advice =
		"Compare batch, sequence lengths, layers and expert loads of the ranks.";
	return wl_say(r->d, "%s runs %s more kernels than the rest of its group (%llu vs %llu)",
		      r->s->who, wl_say_ratio(by, (double)e->n_own / (double)e->n_others - 1),
		      (unsigned long long)e->n_own, (unsigned long long)e->n_others);
}

/* The GPU of the straggler, if it is selected. */
static size_t own_gpu(const struct reasoning *r)
{
	for (size_t t = 0; t < r->d->n_gpus; t++) {
		if (r->d->gpu[t].lane->device == r->member[0].device)
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

static const char *say_idle(const struct reasoning *r, const struct excess *e,
			    struct wl_claim *claim)
{
	const struct wl_docket_gpu *gpu = &r->d->gpu[r->s->gpu];
	const char *cause = main_cause(r);
	char idle[WL_UNITS_BUF];

	claim->fix.action =
		wl_say(r->d, "Find out what the host of %s does in its idle time", r->s->who);
	claim->fix.advice = "Usual causes are data loading, page faults, CPU contention and NUMA "
			    "placement of that rank.";
	claim->evidence = "idle TRACE --by detail";
	return wl_say(r->d, "%s is idle %s longer %s than the rest of its group%s%s%s", r->s->who,
		      wl_fmt_ns(idle, e->idle / (wl_ns)gpu->n_steps, WL_UNIT_AUTO),
		      gpu->by_step ? "per step" : "in the window", cause ? " (mostly " : "",
		      cause ? cause : "", cause ? ")" : "");
}

static const char *say(const struct reasoning *r, const struct excess *e, struct wl_claim *claim)
{
	double half = (double)r->s->lost / 2, idle = (double)e->idle;

	if (e->slower >= half && e->slower >= e->more && e->slower >= idle)
		return say_slower(r, e, claim);
	if (e->more >= half && e->more >= idle && e->n_own > e->n_others && e->n_others)
		return say_more(r, e, claim);
	if (idle >= half)
		return say_idle(r, e, claim);
	claim->fix.action = wl_say(r->d, "Compare the timeline of %s with that of GPU %u",
				   r->s->who, r->member[1].device);
	claim->fix.advice =
		"Look for host work, page faults and CPU contention on its node, and for "
		"uneven batches.";
	return wl_say(r->d,
		      "%s arrives last at collectives, and neither its kernels nor its idle time "
		      "show why",
		      r->s->who);
}

const char *wl_straggler_reason(struct wl_docket *d, const struct wl_straggler *s,
				struct wl_claim *claim)
{
	struct wl_arena scratch;
	struct reasoning r = { .d = d,
			       .s = s,
			       .classes = d->run->derived->classes,
			       .iterations = d->run->derived->iterations,
			       .scratch = &scratch };
	const char *text = NULL;
	struct excess e;
	bool ok = true;

	wl_arena_init_child(&scratch, d->run->arena);
	choose_members(&r);
	for (size_t k = 0; ok && k < r.n; k++)
		ok = tally_member(&r, k);
	if (ok && find_excess(&r, &e))
		text = say(&r, &e, claim);
	wl_arena_release(&scratch);
	return claim->fix.action ? text : NULL;
}
