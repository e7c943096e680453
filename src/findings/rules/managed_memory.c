/* SPDX-License-Identifier: MIT */
/*
 * managed_memory.c - migrations of managed memory that GPU work waits for.
 *
 * Those that nothing hides are lost time as other copies are, and so is the idle time of
 * cause managed. Those by page faults inside
 * kernels are compute in the accounts, though the kernels wait: this rule claims that
 * compute, as much as no slow step has claimed, and what such a kernel takes longer than its
 * runs without migrations. Nothing waits for what migrates after the
 * device's last kernel: that is a share without a saving.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/page_faults.h"
#include "findings/rule.h"
#include "known/exports/codes.h"

WL_DECLARE_RULE(managed_memory);

#define OWN_BUFFER "Put data that the host touches while kernels run in a separate buffer."

static bool wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	(void)ctx;
	(void)gpu;
	return (atom->loss == WL_CAUSE_MANAGED ||
		(atom->loss == WL_LOSS_EXPOSED_COPY && wl_copy_is_managed(atom->copy))) &&
	       !(atom->flags & WL_LOST_AFTER);
}

static bool put_exposed(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_claim c;
	const char *claim, *parts;

	if (!wl_rule_state_claim(d, wants, NULL, &c))
		return false;
	c.unreplayed = "the trace does not show which kernels wait for pages";
	claim = wl_say_claim(d, &c);
	parts = wl_say_parts(d, &c, "", "unnamed");
	if (c.detail == wl_copy_kind_name(WL_COPY_UVM_D2H)) {
		c.fix.action = "Prefetch pages to the host before it reads them";
		c.fix.advice = "Use cudaMemPrefetchAsync to cudaCpuDeviceId after the kernel "
			       "that writes them, on a separate stream. " OWN_BUFFER;
	}
	return claim && parts &&
	       wl_rule_state_put(
		       d, rule, &c, "exposed migrations",
		       wl_say(d, "The GPU waits while managed memory migrates" WL_STOP ": %s%s",
			      claim, parts),
		       &rule->evidence);
}

/* Kernels that wait for pages. */
struct stalled {
	struct wl_claim claim;
	wl_ns *kernels;             /* by GPU: time of kernels in the sample */
	uint64_t *n;                /* by GPU: migrations inside them */
	uint32_t *name;             /* by GPU: the kernel that waits most */
	wl_ns *longest;             /* by GPU: how long that one does */
	wl_ns *without;             /* by GPU: its median without migrations; 0: not known */
	wl_ns *at;                  /* by GPU: when the run of a kernel begins that waits most */
	wl_ns *usual;               /* of one GPU, by kernel name: the same */
	struct wl_intervals stalls; /* of one GPU: when kernels wait */
	struct wl_arena *tmp;       /* for one GPU */
};

/* Operations come in order of start: the tile only grows. */
static bool is_in_sample(const struct wl_rule_gpu *gpu, wl_ns start, size_t *tile)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	while (gpu->by_step && *tile + 1 < lane->n_tiles && lane->tile[*tile].end <= start)
		++*tile;
	return gpu->in_sample[*tile] && start >= lane->tile[*tile].begin &&
	       start < lane->tile[*tile].end;
}

/* A run of a kernel of which others have migrations. */
struct quiet {
	uint32_t name;
	wl_ns length;
};

static int compare_quiet(const void *a, const void *b)
{
	const struct quiet *x = a, *y = b;

	return x->name != y->name ? (x->name > y->name) - (x->name < y->name)
				  : (x->length > y->length) - (x->length < y->length);
}

/* By kernel name: the median of runs without migrations; 0 where fewer than three are known. */
static wl_ns *find_usual(const struct wl_rule_state *d, size_t t,
			 const struct wl_page_faults *faults, struct wl_arena *tmp)
{
	enum { FEWEST = 3 };
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	wl_ns *usual = WL_NEW(tmp, wl_ns, trace->n_kernel_names);
	struct quiet *run;
	size_t lo, hi, n = 0;

	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	run = WL_NEW(tmp, struct quiet, hi - lo);
	for (size_t i = lo; usual && run && i < hi; i++) {
		wl_ns start, end;

		if (wl_op_clip(trace, d->run->scope, &ops, i, &start, &end) &&
		    wl_intervals_covered(&faults->migrations, start, end) == 0)
			run[n++] = (struct quiet){ wl_kernels_name(trace)[i], end - start };
	}
	if (!usual || !run)
		return NULL;
	qsort(run, n, sizeof(*run), compare_quiet);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && run[k].name == run[i].name;)
			k++;
		usual[run[i].name] = k - i >= FEWEST ? run[i + wl_rank(k - i, 50)].length : 0;
	}
	return usual;
}

/*
 * When kernels wait: during migrations; and kernels that have some, as long as they take longer
 * than other runs of theirs, because faults take time between migrations, too.
 */
static bool find_stalls(const struct wl_rule_state *d, size_t t,
			const struct wl_page_faults *faults, struct stalled *s)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	struct wl_interval *list, *run;
	struct wl_intervals runs, rest;
	size_t lo, hi, n = 0;

	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	list = WL_NEW(s->tmp, struct wl_interval, faults->both.n + 2 * (hi - lo));
	run = WL_NEW(s->tmp, struct wl_interval, hi - lo);
	s->usual = find_usual(d, t, faults, s->tmp);
	if (!list || !run || !s->usual)
		return false;
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end, covered, usual = s->usual[wl_kernels_name(trace)[i]];

		if (!usual || !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		covered = wl_intervals_covered(&faults->migrations, start, end);
		if (covered == 0)
			continue;
		run[n] = (struct wl_interval){ start, end };
		list[n++] = (struct wl_interval){ start, start + (end - start - usual > covered
									  ? end - start - usual
									  : covered) };
	}
	if (!wl_intervals_unite(run, n, s->tmp, &runs) ||
	    !wl_intervals_subtract(&faults->both, &runs, s->tmp, &rest))
		return false;
	if (rest.n)
		memcpy(list + n, rest.at, rest.n * sizeof(*list));
	return wl_intervals_unite(list, n + rest.n, s->tmp, &s->stalls);
}

static bool find_waiting(const struct wl_rule_state *d, size_t t, struct stalled *s)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	wl_ns *sum = WL_NEW(s->tmp, wl_ns, trace->n_kernel_names), most = 0;
	size_t lo, hi, tile = 0;

	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	for (size_t i = lo; sum && i < hi; i++) {
		uint32_t name = wl_kernels_name(trace)[i];
		wl_ns start, end, stalled;

		if (!wl_op_clip(trace, d->run->scope, &ops, i, &start, &end) ||
		    !is_in_sample(&d->gpu[t], start, &tile))
			continue;
		stalled = wl_intervals_covered(&s->stalls, start, end);
		sum[name] += stalled;
		if (stalled > most) {
			most = stalled;
			s->at[t] = start;
		}
		if (sum[name] > s->longest[t]) {
			s->longest[t] = sum[name];
			s->name[t] = name;
			s->without[t] = s->usual[name];
		}
	}
	return sum != NULL;
}

static void count_migrations(const struct wl_rule_state *d, size_t t,
			     const struct wl_page_faults *faults, struct stalled *s)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	size_t lo, hi, tile = 0;

	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		s->n[t] += wl_is_page_fault(trace, i) &&
			   wl_op_clip(trace, d->run->scope, &ops, i, &start, &end) &&
			   is_in_sample(&d->gpu[t], start, &tile) &&
			   wl_intervals_covered(&faults->kernels, start, end) > 0;
	}
}

static bool take_stalled(struct wl_rule_state *d, size_t t, struct stalled *s)
{
	const struct wl_ledger_lane *lane = d->gpu[t].lane;
	wl_ns *by_tile = WL_NEW(s->tmp, wl_ns, lane->n_tiles);
	struct wl_page_faults faults;

	if (!by_tile ||
	    !wl_page_faults_find(d->run->derived, d->run->scope, lane->device, s->tmp, &faults))
		return false;
	if (wl_intervals_length(&faults.both) == 0)
		return true;
	if (!find_stalls(d, t, &faults, s))
		return false;
	for (uint32_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];

		if (!d->gpu[t].in_sample[i])
			continue;
		by_tile[i] = wl_rule_state_take_compute(
			d, t, i, wl_intervals_covered(&s->stalls, tile->begin, tile->end),
			&s->claim);
		s->kernels[t] += wl_intervals_covered(&faults.kernels, tile->begin, tile->end);
	}
	wl_claim_count_steps(d, &s->claim, t, by_tile);
	count_migrations(d, t, &faults, s);
	return find_waiting(d, t, s);
}

/* ", 54.1% of the kernel time, in 4,768 HtoD migrations, 65.7% of it in kernel X" */
static const char *say_stalled(struct wl_rule_state *d, const struct stalled *s, size_t t)
{
	double all = (double)s->claim.extra[t], largest = (double)s->longest[t] / all;
	char of_kernels[WL_UNITS_BUF], of_all[WL_UNITS_BUF], usual[WL_UNITS_BUF];
	const char *count = wl_say_count(d, s->n[t]), *kernel = "";

	/* Two runs of one kernel may wait at once. */
	largest = largest < 1 ? largest : 1;
	if (s->longest[t] > 0)
		kernel = wl_say(d, ", %s of it in %s", wl_fmt_share(of_all, largest),
				wl_say_kernel(d, s->name[t]));
	if (kernel && s->longest[t] > 0 && s->without[t])
		kernel = wl_say(d, "%s, which takes %s without migrations", kernel,
				wl_fmt_ns(usual, s->without[t], WL_UNIT_AUTO));
	return count && kernel
		       ? wl_say(d, WL_STOP ", %s of the kernel time, during %s HtoD migrations%s",
				wl_fmt_share(of_kernels, all / (double)s->kernels[t]), count,
				kernel)
		       : NULL;
}

static bool put_stalled(const struct wl_rule *rule, struct wl_rule_state *d, struct stalled *s)
{
	size_t t = wl_claim_gpu(d, &s->claim);
	struct wl_rule own = *rule;
	const char *claim, *rest;

	if (s->claim.extra[t] == 0)
		return true;
	s->claim.unreplayed = "page faults inside kernels cannot be replayed, and a prefetch still "
			      "moves the pages";
	/* Faults take time between migrations, too: where that counts, runs of the kernel show it.
	 */
	if (s->without[t] > 0)
		s->claim.evidence = (struct wl_cmdline){ .verb = "kernels" };
	s->claim.is_placed = s->longest[t] > 0;
	s->claim.at = s->at[t];
	claim = wl_say_claim(d, &s->claim);
	rest = say_stalled(d, s, t);
	own.limits =
		"All kernel time with migrations counts, even if other blocks keep working. For "
		"kernels that also run without migrations, all time above that median counts. A "
		"prefetch costs time as well.";
	return claim && rest &&
	       wl_rule_state_put(
		       d, &own, &s->claim, "inside kernels",
		       wl_say(d, "Kernels stall on page faults of managed memory" WL_STOP ": %s%s",
			      claim, rest),
		       &rule->evidence);
}

/* Few traces have any: kernels of the others are not looked at. */
static bool has_faults(const struct wl_trace *trace)
{
	for (size_t i = 0; i < trace->family[WL_F_MEMCPYS].n; i++) {
		if (wl_is_page_fault(trace, i))
			return true;
	}
	return false;
}

static bool apply_stalled(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_arena *arena = d->run->arena;
	struct stalled s = { .kernels = WL_NEW(arena, wl_ns, d->n_gpus),
			     .n = WL_NEW(arena, uint64_t, d->n_gpus),
			     .name = WL_NEW(arena, uint32_t, d->n_gpus),
			     .longest = WL_NEW(arena, wl_ns, d->n_gpus),
			     .without = WL_NEW(arena, wl_ns, d->n_gpus),
			     .at = WL_NEW(arena, wl_ns, d->n_gpus) };
	bool ok = s.kernels && s.n && s.name && s.longest && s.without && s.at &&
		  wl_claim_init(d, &s.claim);

	if (ok && !has_faults(d->run->trace))
		return true;
	for (size_t t = 0; ok && t < d->n_gpus; t++) {
		struct wl_arena scratch;

		wl_arena_init_child(&scratch, arena);
		s.tmp = &scratch;
		ok = take_stalled(d, t, &s);
		wl_arena_release(&scratch);
	}
	return ok && put_stalled(rule, d, &s);
}

/* What migrates to the host after a device's last kernel. */
struct late {
	uint64_t n;
	int64_t bytes;
	wl_ns begin, end;
};

static struct late find_late(const struct wl_rule_state *d, uint32_t device)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const wl_ns done = d->ledger->last_work[device];
	struct late late = { .begin = INT64_MAX };
	size_t lo, hi;

	wl_ops_on_device(trace, &ops, device, &lo, &hi);
	for (size_t i = lo; i < hi && wl_memcpys_kind(trace); i++) {
		wl_ns start, end;

		if (wl_memcpys_kind(trace)[i] != WL_COPY_UVM_D2H || ops.start[i] < done ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		late.n++;
		late.bytes += wl_memcpys_bytes(trace) ? wl_memcpys_bytes(trace)[i] : 0;
		late.begin = start < late.begin ? start : late.begin;
		late.end = end > late.end ? end : late.end;
	}
	return late;
}

static bool put_late(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = {
		.kind = WL_FINDING_SHARE,
		.subject = "after the last kernel",
		.part = wl_loss_name((enum wl_loss)WL_CAUSE_MANAGED),
		.of_window = true,
		.fix.action = "Prefetch the results to the host in one call",
		.fix.advice = "Use cudaMemPrefetchAsync to cudaCpuDeviceId. Only the host waits "
			      "for these pages: ignore them where its time does not matter."
	};
	char bytes[WL_UNITS_BUF], time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct late most = { .n = 0 };
	struct wl_rule own = *rule;
	const char *count;

	for (size_t t = 0; t < d->n_gpus; t++) {
		struct late late = find_late(d, d->gpu[t].lane->device);

		if (late.n && late.end - late.begin > most.end - most.begin) {
			most = late;
			f.gpu = t;
		}
	}
	if (most.n == 0)
		return true;
	count = wl_say_count(d, most.n);
	own.limits = "The trace does not record how long the host waits for each page.";
	f.share = (double)(most.end - most.begin) / (double)d->gpu[f.gpu].window;
	f.sentence =
		count ? wl_say(d,
			       "The host reads managed memory page by page after the last "
			       "kernel" WL_STOP ": %s in %s DtoH migrations over %s (%s of the "
			       "window) on GPU %u" WL_STOP "; no GPU work is delayed",
			       wl_fmt_bytes(bytes, most.bytes), count,
			       wl_fmt_ns(time, most.end - most.begin, WL_UNIT_AUTO),
			       wl_fmt_share(share, f.share), d->gpu[f.gpu].lane->device)
		      : NULL;
	f.evidence = wl_cmdline_on(rule->evidence, d->gpu[f.gpu].lane->device);
	return wl_rule_state_put_plain(d, &own, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	return apply_stalled(rule, d) && put_exposed(rule, d) && put_late(rule, d);
}

const struct wl_rule wl_rule_managed_memory = {
	.from = WL_FROM(PAGE_FAULTS),
	.code = "managed-memory",
	.title = "GPU work waits for pages of managed memory",
	.fix.action = "Prefetch pages to the GPU before kernels read them",
	.fix.advice =
		"Use cudaMemPrefetchAsync; set cudaMemAdvise (read-mostly, preferred location) "
		"for data "
		"that both sides read. " OWN_BUFFER,
	.limits = "The trace does not show whether the next kernel needs these pages.",
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COPY | 1U << WL_CAUSE_MANAGED,
	.unreplayed = "page faults inside kernels cannot be replayed",
	.evidence = { .verb = "transfers", .option = { { "where", "kind ~ managed" } } },
	.apply = apply,
};
