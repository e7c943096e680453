/* SPDX-License-Identifier: MIT */
#include "analysis/comm/late_say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/comm/rank_suspects.h"
#include "analysis/words/late_words.h"
#include "analysis/words/whatif_words.h"
#include "base/text/units.h"
#include "derive/comm/match/matches.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/iters/iters.h"
#include "derive/iters/step_change.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/meshes.h"
#include "derive/nvtx/ranks.h"

struct saying {
	const struct wl_derived *derived;
	const struct wl_stragglers *all;
	const struct wl_late_set *set;
	const struct wl_straggler *at; /* of the set */
};

/* Append; what does not fit is cut. */
static void add(char to[WL_LATE_TEXT], const char *fmt, ...) WL_PRINTF(2, 3);
static void add(char to[WL_LATE_TEXT], const char *fmt, ...)
{
	size_t n = strlen(to);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(to + n, WL_LATE_TEXT - n, fmt, args);
	va_end(args);
}

static int64_t rank_of(const struct saying *s, uint32_t member)
{
	return s->derived->ranks->of[s->derived->matches->member[member].process];
}

/* Ranks where all members have one, else GPUs. */
static bool has_ranks(const struct saying *s)
{
	for (uint32_t i = 0; i < s->derived->matches->n_members; i++) {
		if (rank_of(s, i) < 0)
			return false;
	}
	return true;
}

static int64_t number_of(const struct saying *s, uint32_t member, bool by_rank)
{
	return by_rank ? rank_of(s, member) : (int64_t)s->derived->matches->member[member].device;
}

/* Stages of a pipeline are compared with all of it. */
static bool is_compared(const struct saying *s, uint32_t member, uint32_t other)
{
	const struct wl_late_suspects *of = s->all->suspects;
	const struct wl_member *m = s->derived->matches->member;

	if (!s->set->is_of_stages)
		return wl_members_meet(of, member, other);
	return of->has[other] && of->part[m[member].process] == of->part[m[other].process];
}

/* The least number above another one of the members that are asked for; -1 for none. */
static int64_t next_number(const struct saying *s, bool by_rank, bool of_others, int64_t above)
{
	uint32_t first = s->at[0].member;
	int64_t best = -1;

	for (uint32_t i = 0; i < s->derived->matches->n_members; i++) {
		const struct wl_straggler *is_one = wl_straggler_of(s->all, i);
		int64_t number = number_of(s, i, by_rank);
		bool is_asked = of_others ? !is_one && is_compared(s, first, i)
					  : is_one && is_one->set == s->at[0].set;

		if (is_asked && number > above && (best < 0 || number < best))
			best = number;
	}
	return best;
}

/* "0 and 1", "4, 5, 10, 11"; of others, and of more than four, "0-3". Returns how many there are.
 */
static size_t list(const struct saying *s, bool by_rank, bool of_others, char to[WL_LATE_TEXT])
{
	bool has_ranges = of_others || s->set->n > 4;
	int64_t at = next_number(s, by_rank, of_others, -1), next, end;
	size_t n = 0;

	for (; at >= 0; at = next) {
		const char *between = s->set->n == 2 && !of_others ? " and " : ", ";

		end = at;
		n++;
		next = next_number(s, by_rank, of_others, at);
		for (; has_ranges && next == end + 1; n++) {
			end = next;
			next = next_number(s, by_rank, of_others, end);
		}
		add(to, "%s%" PRId64, *to ? between : "", at);
		if (end > at)
			add(to, "-%" PRId64, end);
	}
	return n;
}

static size_t say_members(const struct saying *s, bool of_others, char to[WL_LATE_TEXT])
{
	bool by_rank = has_ranks(s);
	char numbers[WL_LATE_TEXT] = "";
	size_t n = list(s, by_rank, of_others, numbers);

	add(to, "%s%s %.500s", by_rank ? "rank" : "GPU", n == 1 ? "" : "s", numbers);
	return n;
}

/* Whether no straggler before the i-th is on its host. */
static bool is_new_host(const struct saying *s, size_t i)
{
	const struct wl_mesh *mesh = s->derived->meshes->of;
	const struct wl_member *member = s->derived->matches->member;

	for (size_t k = 0; k < i; k++) {
		if (mesh[member[s->at[k].member].process].host ==
		    mesh[member[s->at[i].member].process].host)
			return false;
	}
	return true;
}

static size_t count_hosts(const struct saying *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->set->n; i++)
		n += is_new_host(s, i);
	return n;
}

/* The hosts or the coordinate; each value once. */
static void say_axis(const struct saying *s, char to[WL_LATE_TEXT])
{
	static const char *const axis[] = { "pp", "dp", "cp", "ep", "tp" };
	const struct wl_mesh *mesh = s->derived->meshes->of;
	char members[WL_LATE_TEXT] = "", names[WL_LATE_TEXT] = "";
	size_t n = 0, n_hosts = count_hosts(s);

	for (size_t i = 0; i < s->set->n; i++) {
		const struct wl_mesh *of =
			&mesh[s->derived->matches->member[s->at[i].member].process];
		bool is_new = is_new_host(s, i);

		if (s->set->axis != WL_AXIS_HOST && i == 0)
			add(names, "%s=%" PRId64, axis[s->set->axis], of->at[s->set->axis]);
		if (s->set->axis == WL_AXIS_HOST && is_new)
			add(names, "%s%.60s",
			    !n++           ? ""
			    : n_hosts == 2 ? " and "
					   : ", ",
			    of->host == WL_NONE ? "?" : wl_str(s->derived->trace, of->host));
	}
	(void)say_members(s, false, members);
	add(to, "%s%.300s (%.300s)",
	    s->set->axis == WL_AXIS_HOST ? (n > 1 ? "nodes " : "node ") : "", names, members);
}

/* "0 in 5 steps, 1 in 5": how often each is slow. */
static void say_turns(const struct saying *s, char to[WL_LATE_TEXT])
{
	enum { MOST = 6 };
	bool by_rank = has_ranks(s);
	size_t n = s->set->n < MOST ? s->set->n : (size_t)MOST;

	for (int64_t at = next_number(s, by_rank, false, -1), i = 0; at >= 0 && (size_t)i < n;
	     at = next_number(s, by_rank, false, at), i++) {
		for (size_t k = 0; k < s->set->n; k++) {
			if (number_of(s, s->at[k].member, by_rank) == at)
				add(to, "%s%" PRId64 " in %zu%s",
				    i         ? ", "
				    : by_rank ? "rank "
					      : "GPU ",
				    at, s->at[k].n_slow,
				    i                      ? ""
				    : s->at[k].n_slow == 1 ? " step"
							   : " steps");
		}
	}
	if (n < s->set->n)
		add(to, ", ...");
}

static void say_who(const struct saying *s, struct wl_late_words *ret)
{
	if (s->set->subject == WL_LATE_AXIS)
		say_axis(s, ret->who);
	else
		(void)say_members(s, false, ret->who);
	ret->is_many = s->set->n > 1;
}

void wl_say_steps(const bool *is_one, size_t n_steps, char to[WL_LATE_TEXT])
{
	enum { MOST_NAMED = 3 };
	size_t n = 0, first = 0, last = 0, apart = 0;
	bool is_even = true;

	to[0] = '\0';
	for (size_t i = 0; i < n_steps; i++) {
		if (!is_one[i])
			continue;
		if (n == 0)
			first = i;
		else if (n == 1)
			apart = i - last;
		is_even &= n < 1 || i - last == apart;
		last = i;
		n++;
	}
	if (n == 0)
		return;
	if (n == 1)
		add(to, "in step %zu", first);
	else if (last - first + 1 == n)
		add(to, "in steps %zu-%zu", first, last);
	else if (is_even && n >= 3) {
		add(to, "in every %zu%s step: ", apart,
		    apart == 2   ? "nd"
		    : apart == 3 ? "rd"
				 : "th");
		for (size_t i = 0; i < n && i < MOST_NAMED; i++)
			add(to, "%s%zu", i ? ", " : "", first + i * apart);
		if (n > MOST_NAMED)
			add(to, ", ...");
	} else
		add(to, "in %zu of %zu steps", n, n_steps);
}

/* "gemm 301.4 us vs 265.1 us". */
static void add_kernel(const struct saying *s, const struct wl_late_kernel *k, const char *before,
		       char to[WL_LATE_TEXT])
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	if (k->name != WL_NONE)
		add(to, "%s%.80s %s vs %s", before, s->derived->named->label[k->name],
		    wl_fmt_ns(own, k->own, WL_UNIT_AUTO),
		    wl_fmt_ns(others, k->others, WL_UNIT_AUTO));
}

/* A factor is said with two digits after the point. */
static bool shows(double factor)
{
	return factor >= 1.005;
}

/*
 * "take 1.20 times as long", or "take 1.10 to 1.30 times as long" where GPUs differ so much: the
 * factor of two together would be that of neither.
 */
static bool add_times(const struct saying *s, char to[WL_LATE_TEXT])
{
	double least = s->at[0].factor, most = least;

	for (size_t i = 1; i < s->set->n; i++) {
		least = s->at[i].factor < least ? s->at[i].factor : least;
		most = s->at[i].factor > most ? s->at[i].factor : most;
	}
	if (shows(least) && 2 * (most - least) > s->set->factor - 1)
		add(to, "take %.2f to %.2f times as long", least, most);
	else if (shows(s->set->factor))
		add(to, "take %.2f times as long", s->set->factor);
	else
		add(to, "take longer");
	return shows(s->set->factor);
}

static void say_slow_gpu(const struct saying *s, const struct wl_late_words *words,
			 char to[WL_LATE_TEXT])
{
	bool is_ratio;

	add(to, "all kernels ");
	is_ratio = add_times(s, to);
	if (s->set->subject == WL_LATE_ROTATING)
		add(to, " where it is");
	else
		add(to, " %s on %.100s", is_ratio ? "as" : "than", words->others);
	if (s->set->kernel[0].name == WL_NONE)
		return;
	add_kernel(s, &s->set->kernel[0], " (", to);
	add_kernel(s, &s->set->kernel[1], ", ", to);
	add(to, ")");
}

/* The time of a share on both sides, per step of those that were changed. */
static void add_both(const struct saying *s, enum wl_late_share share, char to[WL_LATE_TEXT])
{
	size_t n = 0;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	for (size_t i = 0; i < s->set->n; i++)
		n += s->at[i].n_slow;
	n = n && s->set->n_steps > 1 ? n : 1;
	add(to, "%s vs %s%s", wl_fmt_ns(own, s->set->own[share] / (wl_ns)n, WL_UNIT_AUTO),
	    wl_fmt_ns(others, s->set->others[share] / (wl_ns)n, WL_UNIT_AUTO),
	    s->set->n_steps > 1 ? " per slow step" : "");
}

static void say_tenant(const struct saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_straggler *with = s->at;
	char share[WL_UNITS_BUF];

	for (size_t i = 0; i < s->set->n; i++)
		with = with->tenant.process == WL_NONE ? &s->at[i] : with;
	add(to, "process %" PRIu32 " runs on GPU %" PRIu32 " for %s of %s steps",
	    s->derived->trace->processes[with->tenant.process].pid,
	    s->derived->matches->member[with->member].device,
	    wl_fmt_ratio(share, with->tenant.share), s->set->n_slow ? "these" : "all");
	if (!shows(s->set->factor))
		return;
	add(to, ", and kernels ");
	(void)add_times(s, to);
}

/* "1.40 times (gemm 420 us vs 300 us)". */
static void add_slow_kernel(const struct saying *s, const struct wl_late_kernel *k,
			    const char *before, char to[WL_LATE_TEXT])
{
	double times = k->others > 0 ? (double)k->own / (double)k->others : 0;

	if (k->name == WL_NONE || !shows(times))
		return;
	add(to, "%s%.2f times", before, times);
	add_kernel(s, k, " (", to);
	add(to, ")");
}

/* Some kernels, or all of them by different factors. */
static void say_slow_kernels(const struct saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_late_set *set = s->set;

	if (set->n_slower > 1 && shows(set->factor)) {
		if (set->are_slower)
			add(to, "all kernels take longer");
		else
			add(to, "%" PRIu32 " kernels take longer", set->n_slower);
		add_slow_kernel(s, &set->kernel[0], ": ", to);
		add_slow_kernel(s, &set->kernel[1], ", ", to);
		return;
	}
	add(to, "%s kernel takes ", set->kernel[1].name == WL_NONE ? "one" : "a");
	if (shows(set->factor))
		add(to, "%.2f times as long", set->factor);
	else
		add(to, "longer");
	add_kernel(s, &set->kernel[0], " (", to);
	add(to, set->kernel[0].name == WL_NONE ? "" : ")");
}

/* "GPU 1: late host, 8.08 ms vs 311 us per slow step": one of several with different reasons. */
static void say_own_why(const struct saying *s, const struct wl_straggler *one,
			char to[WL_LATE_TEXT])
{
	bool is_host = one->reason == WL_LATE_HOST;
	enum wl_late_share share = is_host ? WL_LATE_BY_HOST : WL_LATE_BY_COPIES;
	wl_ns n = one->n_slow ? (wl_ns)one->n_slow : 1;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF], who[WL_RANK_NAME];

	add(to, "%s%s: %s, ", *to ? "; " : "", wl_say_rank(s->derived, one->member, who),
	    wl_late_reason_name(one->reason));
	if (!is_host && one->reason != WL_LATE_COPIES) {
		share = WL_LATE_BY_KERNELS;
		add(to, "%.2f times the kernel time",
		    one->others[share] > 0 ? (double)one->own[share] / (double)one->others[share]
					   : 1.0);
		return;
	}
	add(to, "%s vs %s per slow step", wl_fmt_ns(own, one->own[share] / n, WL_UNIT_AUTO),
	    wl_fmt_ns(others, one->others[share] / n, WL_UNIT_AUTO));
}

static void say_mixed(const struct saying *s, char to[WL_LATE_TEXT])
{
	enum { MOST = 4 };

	for (size_t i = 0; i < s->set->n && i < MOST; i++)
		say_own_why(s, &s->at[i], to);
	if (s->set->n > MOST)
		add(to, "; ...");
}

/* What else is a quarter of the saving. */
static void say_besides(const struct saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_late_set *set = s->set;
	bool is_of_kernels = set->reason != WL_LATE_HOST && set->reason != WL_LATE_COPIES;

	if (!is_of_kernels && set->share[WL_LATE_BY_KERNELS] > 0 &&
	    4 * set->share[WL_LATE_BY_KERNELS] >= set->saving) {
		add(to, "; kernels take ");
		add_both(s, WL_LATE_BY_KERNELS, to);
	}
	if (set->reason != WL_LATE_COPIES && 4 * set->share[WL_LATE_BY_COPIES] >= set->saving) {
		add(to, "; copies take ");
		add_both(s, WL_LATE_BY_COPIES, to);
	}
	if (set->reason != WL_LATE_HOST && 4 * set->share[WL_LATE_BY_HOST] >= set->saving) {
		add(to, "; calls and the time between them take ");
		add_both(s, WL_LATE_BY_HOST, to);
	}
}

static void say_why(const struct saying *s, struct wl_late_words *ret)
{
	const struct wl_late_set *set = s->set;

	if (set->is_mixed) {
		say_mixed(s, ret->why);
		return;
	}
	switch (set->reason) {
	case WL_LATE_SLOW_GPU:
		say_slow_gpu(s, ret, ret->why);
		break;
	case WL_LATE_SHARED_GPU:
		say_tenant(s, ret->why);
		break;
	case WL_LATE_SLOW_KERNEL:
		say_slow_kernels(s, ret->why);
		break;
	case WL_LATE_MORE_WORK:
		if (shows(set->factor))
			add(ret->why, "%.2f times the kernel time, ", set->factor);
		add(ret->why, "%" PRIu64 " vs %" PRIu64 " kernels", set->n_own, set->n_others);
		break;
	case WL_LATE_HOST:
		add(ret->why, "calls and the time between them take ");
		add_both(s, WL_LATE_BY_HOST, ret->why);
		break;
	case WL_LATE_COPIES:
		add(ret->why, "copies take ");
		add_both(s, WL_LATE_BY_COPIES, ret->why);
		break;
	}
	say_besides(s, ret->why);
}

/* Whether step times of the job drift or rise from one level to another, and all slow steps are in
 * the slower part of it. */
static bool is_growing(const struct saying *s)
{
	const struct wl_step_change *c = s->derived->step_change;
	bool ret = c && (c->kind == WL_CHANGE_DRIFT || c->kind == WL_CHANGE_RAMP) &&
		   !c->is_faster_later;

	for (size_t i = 0; ret && i < s->set->n_steps; i++)
		ret = !s->set->slow[i] || i >= c->first;
	return ret;
}

static void say_alone(const struct saying *s, struct wl_late_words *ret)
{
	char share[WL_UNITS_BUF];

	/*
	 * Those that take turns are late in different steps: one alone always saves its own steps.
	 */
	if (s->set->n < 2 || s->set->subject == WL_LATE_ROTATING)
		return;
	if (s->set->first < s->set->makespan / 100)
		add(ret->alone, "one alone saves nothing");
	else
		add(ret->alone, "the latest of them alone saves %s",
		    wl_fmt_ratio(share, (double)s->set->first / (double)s->set->makespan));
}

void wl_late_say(const struct wl_derived *derived, const struct wl_stragglers *all, size_t set,
		 struct wl_late_words *ret)
{
	const struct saying s = { derived, all, &all->set[set], all->at + all->set[set].lo };

	*ret = (struct wl_late_words){ .is_many = false };
	say_who(&s, ret);
	(void)say_members(&s, true, ret->others);
	if (s.set->subject == WL_LATE_ROTATING)
		say_turns(&s, ret->steps);
	else if (s.set->n_slow)
		wl_say_steps(s.set->slow, s.set->n_steps, ret->steps);
	if (s.set->n_slow && s.set->subject != WL_LATE_ROTATING && is_growing(&s))
		add(ret->steps, ", growing");
	say_why(&s, ret);
	say_alone(&s, ret);
}

/* Late once, in the first step or before it. */
static bool is_from_the_start(const struct wl_late_suspects *all,
			      const struct wl_late_suspect *latest)
{
	bool is_later = false;

	for (size_t i = 1; i < all->n_steps; i++)
		is_later |= wl_late_cell(all, latest->member, i) & WL_CELL_SUSPECT;
	return latest->n_late == 1 && !is_later && !all->is_whole;
}

/* What the latest one does longer than the others is measured, also where no replay is trusted. */
static void say_tried(const struct wl_derived *derived, const struct wl_stragglers *all,
		      char to[WL_LATE_TEXT])
{
	struct wl_stragglers tried = *all;
	struct wl_late_words words;

	tried.n = all->n_tried;
	tried.n_sets = all->n_sets_tried;
	/*
	 * The sentence is about the latest suspect. The set that was tried may begin with another
	 * rank, whose reasons would be read as those of this one.
	 */
	if (!tried.n || tried.at[all->set[0].lo].member != all->suspects->at[0].member)
		return;
	wl_late_say(derived, &tried, 0, &words);
	add(to, "; %s", words.why);
}

/* They are late by design: a replay may show which has more to do. */
static void say_stages(const struct wl_stragglers *all, char to[WL_LATE_TEXT])
{
	add(to, "the ranks are stages of a pipeline, which wait for each other by design; ");
	if (all->refused)
		add(to, "what a slow stage costs cannot be replayed: %s",
		    wl_refusal_say(all->refused));
	else
		add(to, "with kernels, copies and host calls as fast as those of other stages no "
			"stage makes the run 1%% shorter");
}

void wl_late_say_unnamed(const struct wl_derived *derived, const struct wl_stragglers *all,
			 char to[WL_LATE_TEXT])
{
	const struct wl_late_suspect *latest = &all->suspects->at[0];
	char who[WL_RANK_NAME], late[WL_UNITS_BUF], share[WL_UNITS_BUF], hold[WL_UNITS_BUF];

	to[0] = '\0';
	if (all->verdict == WL_LATE_STAGES) {
		say_stages(all, to);
		return;
	}
	add(to, "%s arrives late by %s in %" PRIu32 " step%s (%s of the run); ",
	    wl_say_rank(derived, latest->member, who),
	    wl_fmt_ns(late, latest->late / (wl_ns)latest->n_late, WL_UNIT_AUTO), latest->n_late,
	    latest->n_late == 1 ? "" : "s",
	    wl_fmt_ratio(share, (double)latest->late / (double)latest->run));
	if (all->verdict == WL_LATE_UNREPLAYED && all->refused) {
		add(to, "what it costs cannot be replayed: %s", wl_refusal_say(all->refused));
		say_tried(derived, all, to);
	} else if (all->verdict == WL_LATE_UNREPLAYED)
		add(to,
		    "what it costs cannot be replayed, because operations start later than their "
		    "streams and launches explain for %s of the run (rows of CUDA events explain "
		    "it: "
		    "--cuda-event-trace=true, from nsys 2025.1 on)",
		    wl_fmt_ratio(hold, all->hold));
	else if (all->verdict == WL_LATE_BY_CHANCE)
		add(to,
		    "with steps like those of the others the run is %s shorter, which may be "
		    "chance: it is not slower in enough steps to tell",
		    wl_fmt_ratio(share, all->by_chance));
	else if (all->verdict == WL_LATE_OTHER_WORK)
		add(to, "its work is not that of the ranks that wait for it, so what it costs is "
			"unknown");
	else if (is_from_the_start(all->suspects, latest))
		add(to, "it is late from the start: what delays it lies before its first calls, "
			"which a replay does not shorten");
	else
		add(to, "with steps like those of the others the run is as long: no rank makes it "
			"1%% longer");
}
