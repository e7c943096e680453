/* SPDX-License-Identifier: MIT */
/* say.c - sentences of findings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/named.h"
#include "findings/rule_state.h"

const char *wl_say(struct wl_rule_state *d, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n >= 0)
		text = WL_NEW(d->run->arena, char, (size_t)n + 1);
	va_start(args, fmt);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	return text;
}

/* How much of a name is said: the counters at the end of an operator's say nothing. */
static size_t length_of(const char *name)
{
	static const char *const counters[] = { ", seq = ", ", op_id = " };
	size_t n = strlen(name);

	for (size_t i = 0; i < WL_COUNT(counters); i++) {
		const char *at = strstr(name, counters[i]);

		n = at && at > name && (size_t)(at - name) < n ? (size_t)(at - name) : n;
	}
	return n;
}

/* Characters are not cut: bytes 10xxxxxx continue one. */
static const char *shorten(struct wl_rule_state *d, const char *name)
{
	enum { MOST = 100, HEAD = 64, TAIL = 32 };
	size_t n = length_of(name), head = HEAD, tail;

	if (n <= MOST)
		return wl_say(d, "%.*s", (int)n, name);
	tail = n - TAIL;
	while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80)
		head--;
	while (tail < n && ((unsigned char)name[tail] & 0xC0) == 0x80)
		tail++;
	return wl_say(d, "%.*s...%.*s", (int)head, name, (int)(n - tail), name + tail);
}

const char *wl_say_detail(struct wl_rule_state *d, const char *detail, const char *other)
{
	const char *name = detail ? shorten(d, detail) : NULL;

	return name ? name : other;
}

const char *wl_say_quoted(struct wl_rule_state *d, const char *detail, const char *other)
{
	const char *name = detail ? shorten(d, detail) : NULL;
	const char *quoted = name ? wl_say(d, "`%s`", name) : NULL;

	return quoted ? quoted : other;
}

const char *wl_say_kernel(struct wl_rule_state *d, uint32_t kernel_name)
{
	return wl_say_detail(d, d->run->derived->named->label[kernel_name], "?");
}

const char *wl_say_count(struct wl_rule_state *d, uint64_t n)
{
	if (n < 10000)
		return wl_say(d, "%u", (unsigned)n);
	if (n < 1000000)
		return wl_say(d, "%u,%03u", (unsigned)(n / 1000), (unsigned)(n % 1000));
	return wl_say(d, "%llu,%03u,%03u", (unsigned long long)(n / 1000000),
		      (unsigned)(n / 1000 % 1000), (unsigned)(n % 1000));
}

const char *wl_say_loss(enum wl_loss loss)
{
	static const char *const words[WL_N_LOSSES] = {
		[WL_CAUSE_HOST] = "host code",
		[WL_CAUSE_OS] = "OS calls",
		[WL_CAUSE_API] = "CUDA calls",
		[WL_CAUSE_MPI] = "MPI calls",
		[WL_CAUSE_SYNC] = "blocking calls",
		[WL_CAUSE_CALLBACK] = "host functions on streams",
		[WL_CAUSE_LAUNCH] = "launch calls",
		[WL_CAUSE_LATENCY] = "launch latency",
		[WL_CAUSE_ALLOC] = "allocation",
		[WL_CAUSE_LOAD] = "loading and compiling",
		[WL_CAUSE_DEPENDENCY] = "waits for other streams",
		[WL_CAUSE_DISPATCH] = "gaps between queued kernels",
		[WL_CAUSE_MANAGED] = "waits for managed memory",
		[WL_CAUSE_UNKNOWN] = "idle time of unknown cause",
		[WL_LOSS_EXPOSED_COMM] = "exposed communication",
		[WL_LOSS_EXPOSED_COPY] = "exposed copies",
	};

	return words[loss] ? words[loss] : wl_loss_name(loss);
}

/* The step of a GPU that a time lies in; WL_NONE: none. */
static uint32_t step_at(const struct wl_rule_gpu *gpu, wl_ns at)
{
	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		const struct wl_tile *tile = &gpu->lane->tile[i];

		if (tile->iter != WL_NONE && tile->begin <= at && at < tile->end)
			return tile->iter;
	}
	return WL_NONE;
}

/* What the gap that begins there has most of; NULL for no name. */
static const char *name_of_gap(const struct wl_rule_gpu *gpu, wl_ns at)
{
	const struct wl_ledger_lane *lane = gpu->lane;
	const char *name = NULL;
	wl_ns most = 0;

	for (size_t i = 0; i < lane->n_atoms; i++) {
		for (size_t k = 0; k < WL_N_PEAKS; k++) {
			const struct wl_peak *p = &lane->atom[i].peak[k];

			if (p->at != at || p->ns <= most)
				continue;
			most = p->ns;
			name = wl_atom_is_in_step_alone(gpu, &lane->atom[i]) ? NULL
									     : lane->atom[i].detail;
		}
	}
	return name;
}

/* The longest of several gaps is told. */
static bool has_longest(const struct wl_rule_state *d, const struct wl_claim *c)
{
	size_t t = wl_claim_gpu(d, c);
	const struct wl_peak longest = wl_claim_longest(c, t);

	return d->gpu[t].by_step && c->is_rare[t] && longest.ns > 0 && longest.ns < c->ns[t] &&
	       step_at(&d->gpu[t], longest.at) != WL_NONE;
}

/*
 * "; longest gap: 4.493 ms in step 15 (at 60.4017 s, load_batch)"; ", in step 15 (...)" where
 * there is one gap; "" without gaps.
 */
static const char *say_longest(struct wl_rule_state *d, const struct wl_claim *c, size_t t)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	const wl_ns exact = 100000; /* four digits after the point, in seconds */
	const struct wl_peak longest = wl_claim_longest(c, t);
	char time[WL_UNITS_BUF], at[WL_UNITS_BUF];
	const char *name;
	uint32_t step;

	step = step_at(gpu, longest.at);
	if (longest.ns == 0 || step == WL_NONE)
		return "";
	name = name_of_gap(gpu, longest.at);
	if (2 * c->detail_ns > c->named_of) /* what most of it is in stands apart */
		name = NULL;
	name = name ? wl_say_detail(d, name, NULL) : NULL;
	(void)wl_fmt_ns(time, longest.ns, WL_UNIT_AUTO);
	(void)wl_fmt_time(at, longest.at - longest.at % exact, WL_UNIT_AUTO);
	if (longest.ns >= c->ns[t])
		return wl_say(d, WL_STOP ", in step %u (at %s%s%s)", step, at, name ? ", " : "",
			      name ? name : "");
	return wl_say(d, WL_STOP "; longest gap: %s in step %u (at %s%s%s)", time, step, at,
		      name ? ", " : "", name ? name : "");
}

const char *wl_say_which_steps(struct wl_rule_state *d, const uint32_t *step, size_t n)
{
	enum { FEW = 4, NAMED = 3 };
	char list[96];
	size_t at = 0, n_named = n > FEW ? (size_t)NAMED : n;
	bool is_even = n > FEW, is_run = n > 2;

	for (size_t i = 1; i < n; i++) {
		is_even = is_even && step[i] - step[i - 1] == step[1] - step[0];
		is_run = is_run && step[i] - step[i - 1] == 1;
	}
	if (n == 0)
		return "";
	if (is_run)
		return wl_say(d, ": %u-%u", step[0], step[n - 1]);
	for (size_t i = 0; i < n_named; i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%u", i ? ", " : "",
				       step[i]);
	if (n > n_named)
		(void)snprintf(list + at, sizeof(list) - at, ", ...");
	if (!is_even)
		return wl_say(d, ": %s", list);
	n = step[1] - step[0];
	return wl_say(d, ", every %zu%s: %s", n, n == 2 ? "nd" : n == 3 ? "rd" : "th", list);
}

const char *wl_say_claim(struct wl_rule_state *d, const struct wl_claim *claim)
{
	size_t t = wl_claim_gpu(d, claim);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	const char *longest, *which;

	(void)wl_fmt_ns(time, wl_claim_per_step(d, claim, t), WL_UNIT_AUTO);
	(void)wl_fmt_share(share, wl_claim_share(d, claim, t));
	if (!d->gpu[t].by_step || !claim->is_rare[t])
		return wl_say(d, "%s %s (%s) on GPU %u", time,
			      d->gpu[t].by_step ? "per step" : "of the window", share,
			      d->gpu[t].lane->device);
	longest = say_longest(d, claim, t);
	/* The longest gap of one step is in it. */
	which = claim->step[t] && !(claim->n_steps[t] == 1 && longest && *longest)
			? wl_say_which_steps(d, claim->step[t], claim->n_steps[t])
			: "";
	return longest && which
		       ? wl_say(d, "%s in %u of %zu steps%s (%s of the window) on GPU %u%s", time,
				claim->n_steps[t], d->gpu[t].n_steps, which, share,
				d->gpu[t].lane->device, longest)
		       : NULL;
}

bool wl_has_ranges(const struct wl_rule_state *d)
{
	return d->run->trace->family[WL_F_NVTX].n > 0;
}

const char *wl_say_parts(struct wl_rule_state *d, const struct wl_claim *c, const char *in,
			 const char *unnamed)
{
	const double whole = 0.9995, little = 0.05;
	double named = c->named_of ? (double)c->detail_ns / (double)c->named_of : 0;
	double none = c->named_of ? (double)c->unnamed_ns / (double)c->named_of : 0;
	char share[WL_UNITS_BUF], of_none[WL_UNITS_BUF];
	/* What time is in or at is a call or a range; else its detail is a few words. */
	const char *name =
		*in ? wl_say_quoted(d, c->detail, "?") : wl_say_detail(d, c->detail, "?");
	/* After the longest gap, "it" is that gap. */
	const char *sep = has_longest(d, c) ? ";" : ",";
	const char *it = has_longest(d, c) ? "this time is" : "it";
	/* Rows name the range of the step, too. */
	const char *largest = d->gpu[wl_claim_gpu(d, c)].marker && c->unnamed_ns > c->detail_ns
				      ? "largest part named within the step"
				      : "largest named part";

	(void)wl_fmt_share(share, named);
	(void)wl_fmt_share(of_none, none);
	if (named > 0.5)
		return wl_say(d, WL_STOP "%s %s of %s %s%s", sep, named >= whole ? "all" : share,
			      it, in, name);
	if (none > 0.5 && !unnamed)
		return named < little
			       ? ""
			       : wl_say(d, WL_STOP "; largest named part: %s (%s)", name, share);
	if (none > 0.5 && named < little)
		return wl_say(d, WL_STOP "%s %s of %s %s", sep, none >= whole ? "all" : of_none, it,
			      unnamed);
	if (none > 0.5)
		return wl_say(d, WL_STOP "%s %s of %s %s; largest named part: %s (%s)", sep,
			      of_none, it, unnamed, name, share);
	return c->detail ? wl_say(d, WL_STOP "; %s: %s (%s)", largest, name, share) : "";
}

void wl_show_on(const struct wl_rule_state *d, size_t gpu, uint32_t device,
		struct wl_cmdline *command)
{
	const struct wl_rule_gpu *of = &d->gpu[gpu];

	command->gpus = WL_GPUS_ONE;
	command->gpu[0] = device;
	command->has_steps = of->by_step;
	command->step[0] = of->first;
	command->step[1] = of->last;
}

void wl_show(const struct wl_rule_state *d, size_t gpu, struct wl_cmdline *command)
{
	wl_show_on(d, gpu, d->gpu[gpu].lane->device, command);
}
