/* SPDX-License-Identifier: MIT */
#include "analysis/comm/rank_suspects.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"

/* Compute, exposed copies, then idle time by cause. */
enum { COMPUTE, COPIES, IDLE, N_PARTS = IDLE + WL_N_CAUSES, TEXT = 400 };

struct comparing {
	const struct wl_run *run;
	const struct wl_matches *m;
	const struct wl_rank_use **use; /* by member; NULL if it is not selected */
	int64_t *part;                  /* scratch for the members of a group */
};

const char *wl_say_rank(const struct wl_derived *derived, uint32_t member, char to[WL_RANK_NAME])
{
	const struct wl_member *m = &derived->matches->member[member];

	if (derived->ranks->of[m->process] >= 0)
		(void)snprintf(to, WL_RANK_NAME, "rank %" PRId64, derived->ranks->of[m->process]);
	else
		(void)snprintf(to, WL_RANK_NAME, "GPU %" PRIu32, m->device);
	return to;
}

static wl_ns part_of(const struct wl_rank_use *use, unsigned part)
{
	if (part == COMPUTE)
		return use->all.compute;
	/* Time of the job outside a rank's window is not a cause. */
	if (part == IDLE + WL_CAUSE_UNUSED)
		return 0;
	return part == COPIES ? use->all.copy : use->all.idle[part - IDLE];
}

/* How much longer a part is than the median of the others. */
static wl_ns excess_of(const struct comparing *c, const struct wl_late_suspect *s, unsigned part)
{
	const struct wl_comm_group *group = &c->m->group[s->group];
	size_t n = 0;

	/* Leave out its own part, which would bias the median of a small group. */
	for (size_t i = 0; i < group->n; i++) {
		const struct wl_rank_use *use = c->use[group->member[i]];

		if (use && group->member[i] != s->member)
			c->part[n++] = part_of(use, part);
	}
	return n ? part_of(c->use[s->member], part) - wl_select_i64(c->part, n, wl_rank(n, 50)) : 0;
}

/* " (gemm 301.4 us vs 265.1 us, ...)". */
static void say_ops(const struct wl_late_suspect *s, char to[TEXT])
{
	char own[WL_UNITS_BUF], others[WL_UNITS_BUF];
	size_t n = 0;

	to[0] = '\0';
	for (size_t i = 0; i < WL_COUNT(s->op) && s->op[i].name; i++)
		n += (size_t)snprintf(to + n, TEXT - n, "%s%.80s %s vs %s", i ? ", " : " (",
				      s->op[i].name, wl_fmt_ns(own, s->op[i].own, WL_UNIT_AUTO),
				      wl_fmt_ns(others, s->op[i].others, WL_UNIT_AUTO));
	if (n)
		(void)snprintf(to + n, TEXT - n, ")");
}

static void say_excess(const struct wl_late_suspect *s, unsigned part, wl_ns excess, char to[TEXT])
{
	static const char than[] = "longer than the median of its group";
	char time[WL_UNITS_BUF], ops[TEXT];

	(void)wl_fmt_ns(time, excess, WL_UNIT_AUTO);
	if (part == COMPUTE) {
		say_ops(s, ops);
		(void)snprintf(to, TEXT, "; it computes %s %s%.300s", time, than, ops);
	} else if (part == COPIES) {
		(void)snprintf(to, TEXT, "; its copies are exposed %s %s", time, than);
	} else {
		(void)snprintf(to, TEXT, "; its GPU is idle %s %s, with cause %s", time, than,
			       wl_cause_name((enum wl_cause)(part - IDLE)));
	}
}

/* The part of its time that exceeds the others' by most. */
static unsigned find_most(const struct comparing *c, const struct wl_late_suspect *s,
			  wl_ns *ret_excess)
{
	unsigned most = 0;

	*ret_excess = INT64_MIN;
	for (unsigned i = 0; i < N_PARTS; i++) {
		wl_ns excess = excess_of(c, s, i);

		if (excess > *ret_excess) {
			*ret_excess = excess;
			most = i;
		}
	}
	return most;
}

/* Lateness adds up over collectives, including several that wait at once: a rank's own time counts
 * as a reason from a hundredth of the run on. */
static void note(const struct comparing *c, const struct wl_late_suspect *s, struct wl_table *out)
{
	const struct wl_rank_use *own = c->use[s->member];
	char who[WL_RANK_NAME], why[TEXT] = "", time[WL_UNITS_BUF];
	unsigned most = 0;
	wl_ns excess = 0;
	bool waits;

	/* Suspects come from the whole job. A suspect that is not selected has no use here, but is
	 * still named. */
	if (own)
		most = find_most(c, s, &excess);
	/*
	 * A rank in the middle of a chain is late because it waits for another rank. Without this
	 * check it would be called a straggler.
	 */
	waits = own && own->blocker != WL_NONE && own->waited > excess &&
		own->waited >= s->run / 100;
	if (waits)
		(void)snprintf(why, sizeof(why), "; it waits for %s itself",
			       wl_say_rank(c->run->derived, own->blocker, who));
	else if (excess > 0 && excess >= s->run / 100)
		say_excess(s, most, excess, why);
	wl_table_note(out,
		      "%s%s arrives after the median rank, by %s (the latest collective "
		      "of each step, summed; lateness sums all collectives), also where compute "
		      "hides it%s",
		      wl_say_rank(c->run->derived, s->member, who),
		      waits ? "" : " may be a straggler: it",
		      wl_fmt_ns(time, s->late, WL_UNIT_AUTO), why);
}

bool wl_rank_suspects_note(const struct wl_run *run, const struct wl_rank_uses *uses,
			   struct wl_table *out)
{
	const struct wl_matches *m = run->derived->matches;
	const struct wl_late_suspects *s = run->derived->stragglers->suspects;
	struct comparing c = { .run = run,
			       .m = m,
			       .use = WL_NEW(run->arena, const struct wl_rank_use *, m->n_members),
			       .part = WL_NEW(run->arena, int64_t, m->n_members) };

	if (!c.use || !c.part)
		return false;
	for (size_t i = 0; i < uses->n; i++) {
		if (uses->at[i].member != WL_NONE)
			c.use[uses->at[i].member] = &uses->at[i];
	}
	for (size_t i = 0; i < s->n; i++)
		note(&c, &s->at[i], out);
	return true;
}
