#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST || atom->loss == WL_CAUSE_OS ||
	       atom->loss == WL_CAUSE_API;
}

/* "; cudaDeviceSynchronize had drained the queue before 93.0% of it" */
static const char *say_opener(struct wl_docket *d, const struct wl_claim *c)
{
	double opened = c->all ? (double)c->opened_ns / (double)c->all : 0;
	char share[WL_UNITS_BUF];

	return c->opener && opened > 0.5 ? wl_say(d, "; %s had drained the queue before %s of it",
						  c->opener, wl_fmt_ratio(share, opened))
					 : "";
}

/* How many gaps have most of what is lost without steps: 1 to 3; 0 where these have not. */
static size_t count_large(const struct wl_docket *d, const struct wl_claim *c)
{
	size_t t = wl_claim_track(d, c), n = 0;
	wl_ns sum = 0, most = 0;

	for (size_t i = 0; i < WL_N_PEAKS; i++) {
		most = c->peak[t][i].ns > most ? c->peak[t][i].ns : most;
		sum += c->peak[t][i].ns;
	}
	if (d->track[t].by_step || 2 * sum <= c->ns[t])
		return 0;
	for (size_t i = 0; i < WL_N_PEAKS; i++)
		n += c->peak[t][i].ns >= most / 4 && c->peak[t][i].ns > 0;
	return n;
}

static bool is_seldom(const struct wl_docket *d, const struct wl_claim *c)
{
	size_t t = wl_claim_track(d, c);

	return !d->track[t].by_step && (c->n[t] < WL_HABIT || count_large(d, c) > 0);
}

static int compare_times(const void *a, const void *b)
{
	const struct wl_peak *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* ", 90.3% of it in 2 gaps (at 5.848 s, 7.517 s)"; "" where there are many. */
static const char *say_gaps(struct wl_docket *d, const struct wl_claim *c)
{
	size_t t = wl_claim_track(d, c), n = count_large(d, c), n_said = 0;
	const char *when = "";
	wl_ns sum = 0, most = 0;
	char share[WL_UNITS_BUF], at[WL_UNITS_BUF], gaps[WL_UNITS_BUF] = "one gap";

	qsort(c->peak[t], WL_N_PEAKS, sizeof(struct wl_peak), compare_times);
	for (size_t i = 0; i < WL_N_PEAKS; i++)
		most = c->peak[t][i].ns > most ? c->peak[t][i].ns : most;
	for (size_t i = 0; n && when && i < WL_N_PEAKS; i++) {
		const struct wl_peak *p = &c->peak[t][i];

		if (p->ns == 0 || p->ns < most / 4)
			continue;
		sum += p->ns;
		when = wl_say(d, "%s%s%s", when, n_said++ ? ", " : "",
			      wl_fmt_ns(at, p->at, WL_UNIT_AUTO));
	}
	if (!n || !when)
		return when;
	if (n > 1)
		(void)snprintf(gaps, sizeof(gaps), "%zu gaps", n);
	if (sum >= c->ns[t])
		return wl_say(d, ", in %s (at %s)", gaps, when);
	return wl_say(d, ", %s of it in %s (at %s)",
		      wl_fmt_ratio(share, (double)sum / (double)c->ns[t]), gaps, when);
}

static bool sleeps(const struct wl_claim *c)
{
	return 2 * c->asleep_ns > c->all;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *opener = say_opener(d, c);
	const char *parts = wl_say_parts(d, c, "in ", "in host code outside any NVTX range");
	const char *few = say_gaps(d, c);

	return claim && parts && opener && few
		       ? wl_say(d, "GPU idle: the thread that feeds it %s, %s%s%s%s",
				sleeps(c) ? "sleeps" : "runs other code", claim, few, parts, opener)
		       : NULL;
}

static const struct wl_advice *advise(const struct wl_docket *d, const struct wl_claim *c)
{
	static const struct wl_advice seldom = {
		"Look at the gaps one by one in the timeline",
		"If this is set-up, warm up before profiling, or start the capture later with "
		"--delay or cudaProfilerStart.",
	};
	static const struct wl_advice unnamed = {
		"Find out what the host does: add NVTX ranges; CPU samples, if recorded, name it",
		"nsys profile --trace=cuda,nvtx,osrt --sample=process-tree records samples. Then "
		"move this work off the launching thread, or prefetch one step ahead.",
	};

	static const struct wl_advice asleep = {
		"Find what the thread waits for: a lock, I/O or another thread",
		"OS calls, if recorded (--trace=osrt), name the wait. Start what it waits for one "
		"step earlier, so that the GPU works meanwhile.",
	};

	if (is_seldom(d, c))
		return &seldom;
	if (sleeps(c))
		return &asleep;
	return 2 * c->unnamed_ns > c->all ? &unnamed : NULL;
}

const struct wl_rule wl_rule_host_starved = {
	.code = "host-starved",
	.action = "Move this work off the launching thread, or prefetch one step ahead",
	.advice = "Use more data loader workers, prepare the next batch while the GPU works, write "
		  "output from another thread.",
	.limits =
		"Host code without NVTX ranges has no name; without OS calls or thread scheduling "
		"in the trace, waiting and working look alike.",
	.sight.losses = 1U << WL_CAUSE_HOST,
	.wants = wants,
	.tell = tell,
	.advise = advise,
	.evidence = "idle TRACE --by detail --where 'cause = host or cause = os or cause = api'",
};
