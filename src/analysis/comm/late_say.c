/* SPDX-License-Identifier: MIT */
#include "analysis/comm/late_say.h"

#include <inttypes.h>

#include "analysis/comm/late_say_parts.h"
#include "analysis/comm/rank_suspects.h"
#include "analysis/words/late_words.h"
#include "analysis/words/whatif_words.h"
#include "base/text/units.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/iters/step_change.h"
#include "derive/kinds/named.h"
#include "table/table.h"

/* "gemm 301.4 us vs 265.1 us". */
static void add_kernel(const struct wl_late_saying *s, const struct wl_late_kernel *k,
		       const char *before, char to[WL_LATE_TEXT])
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	if (k->name != WL_NONE)
		wl_late_add(to, "%s%.80s %s vs %s", before, s->derived->named->label[k->name],
			    wl_fmt_ns(own, k->own, WL_UNIT_AUTO),
			    wl_fmt_ns(others, k->others, WL_UNIT_AUTO));
}

/* Factors are printed with two decimals. */
static bool shows(double factor)
{
	return factor >= 1.005;
}

/*
 * "take 1.20 times as long", or "take 1.10 to 1.30 times as long" if GPUs differ so much that a
 * joint factor would fit none of them.
 */
static bool add_times(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	double least = s->at[0].factor, most = least;

	for (size_t i = 1; i < s->set->n; i++) {
		least = s->at[i].factor < least ? s->at[i].factor : least;
		most = s->at[i].factor > most ? s->at[i].factor : most;
	}
	if (shows(least) && 2 * (most - least) > s->set->factor - 1)
		wl_late_add(to, "take %.2f to %.2f times as long", least, most);
	else if (shows(s->set->factor))
		wl_late_add(to, "take %.2f times as long", s->set->factor);
	else
		wl_late_add(to, "take longer");
	return shows(s->set->factor);
}

static void say_slow_gpu(const struct wl_late_saying *s, const struct wl_late_words *words,
			 char to[WL_LATE_TEXT])
{
	bool is_ratio;

	wl_late_add(to, "all kernels ");
	is_ratio = add_times(s, to);
	if (wl_late_changes(s->set))
		wl_late_add(to, " where it is");
	else
		wl_late_add(to, " %s on %.100s", is_ratio ? "as" : "than", words->others);
	if (s->set->kernel[0].name == WL_NONE)
		return;
	add_kernel(s, &s->set->kernel[0], " (", to);
	add_kernel(s, &s->set->kernel[1], ", ", to);
	wl_late_add(to, ")");
}

/* The time of a share on both sides, per changed step. */
static void add_both(const struct wl_late_saying *s, enum wl_late_share share,
		     char to[WL_LATE_TEXT])
{
	size_t n = 0;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];

	for (size_t i = 0; i < s->set->n; i++)
		n += s->at[i].n_slow;
	n = n && s->set->n_steps > 1 ? n : 1;
	wl_late_add(to, "%s vs %s%s", wl_fmt_ns(own, s->set->own[share] / (wl_ns)n, WL_UNIT_AUTO),
		    wl_fmt_ns(others, s->set->others[share] / (wl_ns)n, WL_UNIT_AUTO),
		    s->set->n_steps > 1 ? " per slow step" : "");
}

static void say_tenant(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_straggler *with = s->at;
	char share[WL_UNITS_BUF];

	for (size_t i = 0; i < s->set->n; i++)
		with = with->tenant.process == WL_NONE ? &s->at[i] : with;
	wl_late_add(to, "process %" PRIu32 " runs on GPU %" PRIu32 " for %s of %s steps",
		    s->derived->trace->processes[with->tenant.process].pid,
		    s->derived->matches->member[with->member].device,
		    wl_fmt_ratio(share, with->tenant.share), s->set->n_slow ? "these" : "all");
	if (!shows(s->set->factor))
		return;
	wl_late_add(to, ", and kernels ");
	(void)add_times(s, to);
}

/* "1.40 times (gemm 420 us vs 300 us)". */
static void add_slow_kernel(const struct wl_late_saying *s, const struct wl_late_kernel *k,
			    const char *before, char to[WL_LATE_TEXT])
{
	double times = k->others > 0 ? (double)k->own / (double)k->others : 0;

	if (k->name == WL_NONE || !shows(times))
		return;
	wl_late_add(to, "%s%.2f times", before, times);
	add_kernel(s, k, " (", to);
	wl_late_add(to, ")");
}

/* "gemm 448.1 us vs 340.2 us". */
static void add_means(const struct wl_late_saying *s, const struct wl_late_kernel *k,
		      const char *before, char to[WL_LATE_TEXT])
{
	struct wl_late_kernel mean = *k;

	mean.own = k->mean;
	mean.others = k->others_mean;
	if (k->mean > k->others_mean)
		add_kernel(s, &mean, before, to);
}

/* For what medians do not show: one or a few runs take longer. */
static void say_some_runs(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_late_kernel *k = s->set->kernel;
	char longest[WL_UNITS_BUF], usual[WL_UNITS_BUF];

	if (k[0].is_one_run) {
		wl_late_add(to, "one run of a kernel takes %s (%.80s, median %s)",
			    wl_fmt_ns(longest, k[0].longest, WL_UNIT_AUTO),
			    s->derived->named->label[k[0].name],
			    wl_fmt_ns(usual, k[0].own, WL_UNIT_AUTO));
		return;
	}
	wl_late_add(to, "some runs of %s take longer, on average",
		    k[1].name == WL_NONE ? "a kernel" : "its kernels");
	add_means(s, &k[0], " (", to);
	add_means(s, &k[1], ", ", to);
	wl_late_add(to, ")");
}

/* For some kernels being slow, or all of them by different factors. */
static void say_slow_kernels(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_late_set *set = s->set;

	if (!set->kernel[0].is_usual && set->kernel[0].name != WL_NONE &&
	    set->kernel[0].mean > set->kernel[0].others_mean) {
		say_some_runs(s, to);
		return;
	}
	if (set->n_slower > 1 && shows(set->factor)) {
		if (set->are_slower)
			wl_late_add(to, "all kernels take longer");
		else
			wl_late_add(to, "%" PRIu32 " kernels take longer", set->n_slower);
		add_slow_kernel(s, &set->kernel[0], ": ", to);
		add_slow_kernel(s, &set->kernel[1], ", ", to);
		return;
	}
	wl_late_add(to, "%s kernel takes ", set->kernel[1].name == WL_NONE ? "one" : "a");
	if (shows(set->factor))
		wl_late_add(to, "%.2f times as long", set->factor);
	else
		wl_late_add(to, "longer");
	add_kernel(s, &set->kernel[0], " (", to);
	wl_late_add(to, set->kernel[0].name == WL_NONE ? "" : ")");
}

/* "GPU 1: late host, 8.08 ms vs 311 us per slow step": one of several stragglers with different
 * reasons. */
static void say_own_why(const struct wl_late_saying *s, const struct wl_straggler *one,
			char to[WL_LATE_TEXT])
{
	bool is_host = one->reason == WL_LATE_HOST;
	enum wl_late_share share = is_host ? WL_LATE_BY_HOST : WL_LATE_BY_COPIES;
	wl_ns n = one->n_slow ? (wl_ns)one->n_slow : 1;
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF], who[WL_RANK_NAME];

	wl_late_add(to, "%s%s: %s, ", *to ? "; " : "", wl_say_rank(s->derived, one->member, who),
		    wl_late_reason_name(one->reason));
	if (!is_host && one->reason != WL_LATE_COPIES) {
		share = WL_LATE_BY_KERNELS;
		wl_late_add(to, "%.2f times the kernel time",
			    one->others[share] > 0
				    ? (double)one->own[share] / (double)one->others[share]
				    : 1.0);
		return;
	}
	wl_late_add(to, "%s vs %s per slow step", wl_fmt_ns(own, one->own[share] / n, WL_UNIT_AUTO),
		    wl_fmt_ns(others, one->others[share] / n, WL_UNIT_AUTO));
}

static void say_mixed(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	enum { MOST = 4 };

	for (size_t i = 0; i < s->set->n && i < MOST; i++)
		say_own_why(s, &s->at[i], to);
	if (s->set->n > MOST)
		wl_late_add(to, "; ...");
}

/* Name anything else that makes up a quarter of the saving. */
static void say_besides(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	const struct wl_late_set *set = s->set;
	bool is_of_kernels = set->reason != WL_LATE_HOST && set->reason != WL_LATE_COPIES;

	if (!is_of_kernels && set->share[WL_LATE_BY_KERNELS] > 0 &&
	    4 * set->share[WL_LATE_BY_KERNELS] >= set->saving) {
		wl_late_add(to, "; kernels take ");
		add_both(s, WL_LATE_BY_KERNELS, to);
	}
	if (set->reason != WL_LATE_COPIES && 4 * set->share[WL_LATE_BY_COPIES] >= set->saving) {
		wl_late_add(to, "; copies take ");
		add_both(s, WL_LATE_BY_COPIES, to);
	}
	if (set->reason != WL_LATE_HOST && 4 * set->share[WL_LATE_BY_HOST] >= set->saving) {
		wl_late_add(to, "; calls and the time between them take ");
		add_both(s, WL_LATE_BY_HOST, to);
	}
}

static void say_why(const struct wl_late_saying *s, struct wl_late_words *ret)
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
			wl_late_add(ret->why, "%.2f times the kernel time", set->factor);
		/* If both run equally many kernels, the straggler's are larger. */
		if (!shows(set->factor) || set->n_own != set->n_others)
			wl_late_add(ret->why, "%s%" PRIu64 " vs %" PRIu64 " kernels",
				    shows(set->factor) ? ", " : "", set->n_own, set->n_others);
		break;
	case WL_LATE_HOST:
		wl_late_add(ret->why, "calls and the time between them take ");
		add_both(s, WL_LATE_BY_HOST, ret->why);
		break;
	case WL_LATE_COPIES:
		wl_late_add(ret->why, "copies take ");
		add_both(s, WL_LATE_BY_COPIES, ret->why);
		break;
	}
	say_besides(s, ret->why);
}

/* Whether the job's step times drift, or rise from one level to another, with all slow steps in the
 * slower part. */
static bool is_growing(const struct wl_late_saying *s)
{
	const struct wl_step_change *c = s->derived->step_change;
	bool ret = c && (c->kind == WL_CHANGE_DRIFT || c->kind == WL_CHANGE_RAMP) &&
		   !c->is_faster_later;

	for (size_t i = 0; ret && i < s->set->n_steps; i++)
		ret = !s->set->slow[i] || i >= c->first;
	return ret;
}

static void say_alone(const struct wl_late_saying *s, struct wl_late_words *ret)
{
	char share[WL_UNITS_BUF];

	/*
	 * Stragglers that take turns are late in different steps: fixing one alone always saves its
	 * own steps.
	 */
	if (s->set->n < 2 || wl_late_changes(s->set))
		return;
	if (s->set->first < s->set->makespan / 100)
		wl_late_add(ret->alone, "one alone saves nothing");
	else
		wl_late_add(ret->alone, "the latest of them alone saves %s",
			    wl_fmt_ratio(share, (double)s->set->first / (double)s->set->makespan));
}

void wl_late_say(const struct wl_derived *derived, const struct wl_stragglers *all, size_t set,
		 struct wl_late_words *ret)
{
	const struct wl_late_saying s = { derived, all, &all->set[set],
					  all->at + all->set[set].lo };

	*ret = (struct wl_late_words){ .is_many = false };
	wl_late_say_who(&s, ret);
	wl_late_say_when(&s, ret->steps);
	if (s.set->n_slow && !wl_late_changes(s.set) && is_growing(&s))
		wl_late_add(ret->steps, ", growing");
	say_why(&s, ret);
	say_alone(&s, ret);
}

/* Whether it is late once, in the first step or before it. */
static bool is_from_the_start(const struct wl_late_suspects *all,
			      const struct wl_late_suspect *latest)
{
	bool is_later = false;

	for (size_t i = 1; i < all->n_steps; i++)
		is_later |= wl_late_cell(all, latest->member, i) & WL_CELL_SUSPECT;
	return latest->n_late == 1 && !is_later && !all->is_whole;
}

/* What the latest member does longer than the others is measured, even if no replay is trusted. */
static void say_tried(const struct wl_derived *derived, const struct wl_stragglers *all,
		      char to[WL_LATE_TEXT])
{
	struct wl_stragglers tried = *all;
	struct wl_late_words words;

	tried.n = all->n_tried;
	tried.n_sets = all->n_sets_tried;
	/*
	 * The sentence is about the latest suspect. The set that was tried may begin with another
	 * rank, whose reasons would be mistaken for this one's.
	 */
	if (!tried.n || tried.at[all->set[0].lo].member != all->suspects->at[0].member)
		return;
	wl_late_say(derived, &tried, 0, &words);
	wl_late_add(to, "; %s", words.why);
}

/* Stages are late by design: a replay may show which one has more work. */
static void say_stages(const struct wl_stragglers *all, char to[WL_LATE_TEXT])
{
	wl_late_add(to,
		    "the ranks are stages of a pipeline, which wait for each other by design; ");
	if (all->refused)
		wl_late_add(to, "what a slow stage costs cannot be replayed: %s",
			    wl_refusal_say(all->refused));
	else
		wl_late_add(
			to,
			"with kernels, copies and host calls as fast as those of other stages no "
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
	wl_late_add(to, "%s arrives late by %s in %" PRIu32 " step%s (%s of the run)" WL_STOP "; ",
		    wl_say_rank(derived, latest->member, who),
		    wl_fmt_ns(late, latest->late / (wl_ns)latest->n_late, WL_UNIT_AUTO),
		    latest->n_late, latest->n_late == 1 ? "" : "s",
		    wl_fmt_ratio(share, (double)latest->late / (double)latest->run));
	if (all->verdict == WL_LATE_UNREPLAYED && all->refused) {
		wl_late_add(to, "what it costs cannot be replayed: %s",
			    wl_refusal_say(all->refused));
		say_tried(derived, all, to);
	} else if (all->verdict == WL_LATE_UNREPLAYED)
		wl_late_add(
			to,
			"what it costs cannot be replayed, because operations start later than their "
			"streams and launches explain for %s of the run (rows of CUDA events explain "
			"it: "
			"--cuda-event-trace=true, from nsys 2025.1 on)",
			wl_fmt_ratio(hold, all->hold));
	else if (all->verdict == WL_LATE_BY_CHANCE)
		wl_late_add(
			to,
			"with steps like those of the others the run is %s shorter, which may be "
			"chance: it is not slower in enough steps to tell",
			wl_fmt_ratio(share, all->by_chance));
	else if (all->verdict == WL_LATE_OTHER_WORK)
		wl_late_add(
			to,
			"its work is not that of the ranks that wait for it, so what it costs is "
			"unknown");
	else if (is_from_the_start(all->suspects, latest))
		wl_late_add(
			to,
			"it is late from the start: what delays it lies before its first calls, "
			"which a replay does not shorten");
	else
		wl_late_add(
			to,
			"with steps like those of the others the run is as long: no rank makes it "
			"1%% longer");
}
