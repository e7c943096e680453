/* SPDX-License-Identifier: MIT */
/*
 * managed_memory.c - a rule: GPU work waits for migrations of managed memory.
 *
 * Exposed migrations are lost time like other exposed copies, and so is idle time of cause managed.
 * Migrations by page faults inside kernels count as compute in the accounts, although the kernels
 * wait. This rule claims that compute, unless a slow step has, and the time that such a kernel
 * takes beyond its runs without migrations. Nothing waits for migrations after the device's last
 * kernel: they are a share without a saving, unless the host writes output for most of that time,
 * which makes the run end later.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/page_faults.h"
#include "findings/rule.h"
#include "findings/rules/late_output.h"
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
	wl_ns *longest;             /* by GPU: how long that kernel waits */
	wl_ns *without;             /* by GPU: its median without migrations; 0: unknown */
	wl_ns *at;                  /* by GPU: begin of the kernel run that waits most */
	wl_ns *usual;               /* of one GPU, by kernel name: median without migrations */
	struct wl_intervals stalls; /* of one GPU: when kernels wait */
	struct wl_arena *tmp;       /* for one GPU */
};

/* Operations come in order of start; the tile only moves forward. */
static bool is_in_sample(const struct wl_rule_gpu *gpu, wl_ns start, size_t *tile)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	while (gpu->by_step && *tile + 1 < lane->n_tiles && lane->tile[*tile].end <= start)
		++*tile;
	return gpu->in_sample[*tile] && start >= lane->tile[*tile].begin &&
	       start < lane->tile[*tile].end;
}

/* A kernel run without migrations. */
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

/* By kernel name: the median of runs without migrations; 0 if there are fewer than three. */
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
 * Find when kernels wait: during migrations, or, for kernels with migrations, the time beyond their
 * runs without any, because faults also take time between migrations.
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

	/* Two runs of one kernel may wait at the same time. */
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
	/* Faults also take time between migrations: if that was counted, the verb kernels shows it.

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

/* Few traces have page faults; kernels of the others are not examined. */
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

/* Migrations to the host after a device's last kernel. */
struct late {
	uint64_t n;
	int64_t bytes;
	wl_ns begin, end;
	uint32_t process; /* of the first migration */
};

static bool is_late(const struct wl_rule_state *d, uint32_t device, const struct wl_ops *ops,
		    size_t i, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *trace = d->run->trace;

	return wl_memcpys_kind(trace) && wl_memcpys_kind(trace)[i] == WL_COPY_UVM_D2H &&
	       ops->start[i] >= d->ledger->last_work[device] &&
	       wl_op_clip(trace, d->run->scope, ops, i, start, end);
}

static struct late find_late(const struct wl_rule_state *d, uint32_t device)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	struct late late = { .begin = INT64_MAX };
	size_t lo, hi;

	wl_ops_on_device(trace, &ops, device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (!is_late(d, device, &ops, i, &start, &end))
			continue;
		late.process = late.n++ == 0 ? trace->places[ops.place[i]].process : late.process;
		late.bytes += wl_memcpys_bytes(trace) ? wl_memcpys_bytes(trace)[i] : 0;
		late.begin = start < late.begin ? start : late.begin;
		late.end = end > late.end ? end : late.end;
	}
	return late;
}

/* "118.8 MB in 740 DtoH migrations" */
static const char *say_late(struct wl_rule_state *d, const struct late *late)
{
	const char *count = wl_say_count(d, late->n);
	char bytes[WL_UNITS_BUF];

	return count ? wl_say(d, "%s in %s DtoH migrations", wl_fmt_bytes(bytes, late->bytes),
			      count)
		     : NULL;
}

/* The time of late migrations that lies in the calls. */
static wl_ns migrating_in(const struct wl_rule_state *d, uint32_t device,
			  const struct wl_intervals *calls)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	size_t lo, hi;
	wl_ns sum = 0;

	wl_ops_on_device(trace, &ops, device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (is_late(d, device, &ops, i, &start, &end))
			sum += wl_intervals_covered(calls, start, end);
	}
	return sum;
}

/* Take at most this much of a loss after the last kernel; steps end before that. */
static void take_after(struct wl_rule_state *d, size_t t, enum wl_loss loss, wl_ns most,
		       struct wl_claim *claim)
{
	struct wl_rule_gpu *gpu = &d->gpu[t];

	for (size_t i = 0; i < gpu->lane->n_atoms && most > 0; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];
		bool is_outside = gpu->by_step && !gpu->in_sample[atom->tile];
		wl_ns ns = is_outside ? atom->ns : gpu->left[i];

		ns = ns < most ? ns : most;
		if (atom->loss != loss || !(atom->flags & WL_LOST_AFTER) || ns == 0 ||
		    (loss == WL_LOSS_EXPOSED_COPY && !wl_copy_is_managed(atom->copy)))
			continue;
		gpu->left[i] -= is_outside ? 0 : ns;
		most -= ns;
		claim->ns[t] += ns;
		wl_rule_state_keep(d, claim, t, i, ns);
	}
}

/* Put the finding on output after the last kernel: the run ends later by that time, once. */
static bool put_output(const struct wl_rule *rule, struct wl_rule_state *d, size_t t,
		       const struct late *late, const struct wl_late_output *output)
{
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = "after the last kernel",
				.gpu = t,
				.of_window = true,
				.is_once = true,
				.is_placed = true,
				.at = late->begin,
				.unreplayed = "one-time cost",
				.fix.action = "Write larger pieces, and prefetch the pages",
				.fix.advice =
					"Call cudaMemPrefetchAsync to cudaCpuDeviceId after the "
					"last kernel: each write waits for page faults otherwise. "
					"If the program goes on, write from another thread while "
					"the next kernels run." };
	const char *pages = say_late(d, late), *count = wl_say_count(d, output->n);
	const char *called = wl_say_quoted(d, output->called, "?");
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF], moved[WL_UNITS_BUF];
	wl_ns inside = migrating_in(d, d->gpu[t].lane->device, &output->calls);
	struct wl_rule own = *rule;
	struct wl_claim claim;

	if (!wl_claim_init(d, &claim))
		return false;
	take_after(d, t, WL_LOSS_EXPOSED_COPY, inside, &claim);
	take_after(d, t, (enum wl_loss)WL_CAUSE_MANAGED, output->sum - inside, &claim);
	f.saving = f.gpu_time = claim.ns[t];
	f.claim = claim.number;
	f.share = f.window_share = wl_claim_window_share(d, &claim, t);
	own.limits = "One-time cost: a longer run does not pay it again. Pages migrate inside "
		     "these calls, and no call could take no time.";
	if (!pages || !count || !called)
		return false;
	f.sentence = wl_say(d,
			    "The host writes output after the last kernel" WL_STOP
			    ": %s of the window (%s) on GPU %u in %s, %s times" WL_STOP
			    "; meanwhile managed memory migrates to it, %s (%s)" WL_STOP
			    "; no GPU work is delayed",
			    wl_fmt_ns(time, f.saving, WL_UNIT_AUTO), wl_fmt_share(share, f.share),
			    d->gpu[t].lane->device, called, count, pages,
			    wl_fmt_ns(moved, inside, WL_UNIT_AUTO));
	f.evidence = (struct wl_cmdline){
		.verb = "osrt", .option = { { "where", wl_say(d, "name = %s", output->called) } }
	};
	f.evidence = wl_cmdline_on(f.evidence, d->gpu[t].lane->device);
	return f.saving == 0 || wl_rule_state_put_plain(d, &own, &f);
}

static bool put_pages(const struct wl_rule *rule, struct wl_rule_state *d, size_t t,
		      const struct late *late)
{
	struct wl_finding f = {
		.kind = WL_FINDING_SHARE,
		.subject = "after the last kernel",
		.gpu = t,
		.part = wl_loss_name((enum wl_loss)WL_CAUSE_MANAGED),
		.of_window = true,
		.fix.action = "Prefetch the results to the host in one call",
		.fix.advice = "Use cudaMemPrefetchAsync to cudaCpuDeviceId. Only the host waits "
			      "for these pages: ignore them where its time does not matter."
	};
	const char *pages = say_late(d, late);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct wl_rule own = *rule;

	own.limits = "The trace does not record how long the host waits for each page.";
	f.share = (double)(late->end - late->begin) / (double)d->gpu[t].window;
	f.sentence = pages ? wl_say(d,
				    "The host reads managed memory page by page after the last "
				    "kernel" WL_STOP ": %s over %s (%s of the window) on GPU "
				    "%u" WL_STOP "; no GPU work is delayed",
				    pages, wl_fmt_ns(time, late->end - late->begin, WL_UNIT_AUTO),
				    wl_fmt_share(share, f.share), d->gpu[t].lane->device)
			   : NULL;
	f.evidence = wl_cmdline_on(rule->evidence, d->gpu[t].lane->device);
	return wl_rule_state_put_plain(d, &own, &f);
}

static bool put_late(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct late most = { .n = 0 };
	struct wl_late_output output;
	size_t gpu = 0;

	for (size_t t = 0; t < d->n_gpus; t++) {
		struct late late = find_late(d, d->gpu[t].lane->device);

		if (late.n && late.end - late.begin > most.end - most.begin) {
			most = late;
			gpu = t;
		}
	}
	if (most.n == 0)
		return true;
	if (!wl_late_output_find(d, most.process, (struct wl_interval){ most.begin, most.end },
				 &output))
		return false;
	return 2 * output.sum > most.end - most.begin ? put_output(rule, d, gpu, &most, &output)
						      : put_pages(rule, d, gpu, &most);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	return apply_stalled(rule, d) && put_exposed(rule, d) && put_late(rule, d);
}

static const enum wl_column_id columns[] = { WL_OSRT_START, WL_OSRT_DUR, WL_OSRT_THREAD,
					     WL_OSRT_NAME, WL_N_COLUMNS };

const struct wl_rule wl_rule_managed_memory = {
	.from = WL_FROM(PAGE_FAULTS),
	.columns = columns,
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
