/* SPDX-License-Identifier: MIT */
/* comm_notes.c - notes on collectives: how much is matched, and which ranks the others wait for. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/comm/comm_blame.h"
#include "analysis/comm/comm_rows.h"
#include "analysis/words/late_words.h"
#include "base/text/units.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/group_roles.h"
#include "derive/comm/match/leaving.h"
#include "derive/graph/late/straggler.h"

/* The wait time a member causes, in matches with an operation in the scope. */
struct blame {
	wl_ns caused, alone;
	int64_t n; /* matches at which it arrives last */
};

/* Blame by member for messages between two ranks. */
static const struct blame *find_senders(const struct wl_comm_rows *r)
{
	const struct wl_matches *m = r->matches;
	bool *seen = WL_NEW(r->run->arena, bool, m->n);
	struct blame *all = WL_NEW(r->run->arena, struct blame, m->n_members);

	for (size_t i = 0; seen && all && i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		const struct wl_match *match = op->match == WL_NONE ? NULL : &m->at[op->match];
		const struct wl_match_set *set = match ? &m->set[match->set] : NULL;
		struct blame *b;
		wl_ns start, end;

		if (!match || !set->by_message || seen[op->match] ||
		    !wl_comm_admits(r, op, &start, &end))
			continue;
		seen[op->match] = true;
		b = &all[m->member_of[set->queue[match->last]]];
		b->caused = wl_add_up(b->caused, match->caused);
		b->alone = wl_add_up(b->alone, match->alone);
		b->n++;
	}
	return seen ? all : NULL;
}

/* "rank 3 (GPU 1)", or "GPU 1". */
static void say_member(const struct wl_comm_rows *r, uint32_t member, char *to, size_t cap)
{
	const struct wl_member *m = &r->matches->member[member];

	if (r->ranks->of[m->process] >= 0)
		(void)snprintf(to, cap, "rank %" PRId64 " (GPU %" PRIu32 ")",
			       r->ranks->of[m->process], m->device);
	else
		(void)snprintf(to, cap, "GPU %" PRIu32, m->device);
}

/* Whether a member is late by more than the uncertainty of clocks and collective ends. */
static bool is_beyond_error(const struct wl_comm_rows *r, const struct blame *b)
{
	return b->n && b->alone / b->n > r->run->derived->host_clocks->error;
}

/* The member that causes the most wait time, if it causes more than half and costs a hundredth on
 * its own. */
static const struct blame *find_straggler(const struct wl_comm_rows *r, const struct blame *of,
					  uint32_t *ret_member)
{
	const struct blame *most = of;
	const struct wl_interval *window;
	wl_ns all = 0;

	for (size_t i = 0; i < r->matches->n_members; i++) {
		all = wl_add_up(all, of[i].caused);
		most = of[i].caused > most->caused ? &of[i] : most;
	}
	*ret_member = (uint32_t)(most - of);
	window = &r->run->scope->device[r->matches->member[*ret_member].device];
	return most->caused > all / 2 && most->alone >= (window->end - window->begin) / 100 &&
			       most->alone > 0 && is_beyond_error(r, most)
		       ? most
		       : NULL;
}

enum { MAX_NOTES = 8 };

static void note_sender(struct wl_table *out, const struct wl_comm_rows *r, const struct blame *of)
{
	char who[48], caused[WL_UNITS_BUF];
	uint32_t member;
	const struct blame *b = find_straggler(r, of, &member);

	if (!b)
		return;
	say_member(r, member, who, sizeof(who));
	wl_table_note(out, "other ranks wait for MPI messages of %s: %s in total", who,
		      wl_fmt_ns(caused, b->caused, WL_UNIT_AUTO));
}

/* If all members take turns, none of them is the cause. */
static bool note_stragglers(struct wl_table *out, const struct wl_comm_rows *r)
{
	const struct wl_comm_blame *blame = wl_comm_blame_find(r);
	const struct blame *senders = find_senders(r);
	bool ok = blame && senders;
	size_t n = 0;

	for (uint32_t i = 0; ok && i < r->matches->n_groups; i++) {
		char caused[WL_UNITS_BUF];
		const char *who;

		if (blame[i].n == 0 || n++ >= MAX_NOTES)
			continue;
		who = wl_comm_blame_say(r, i, &blame[i]);
		ok = who != NULL;
		if (ok)
			wl_table_note(out,
				      "%s make%s the others of the group of GPUs %s wait: %s "
				      "summed over them, hidden by compute or not; ranks has the "
				      "exposed part",
				      who, blame[i].n > 1 ? "" : "s", r->group[i],
				      wl_fmt_ns(caused, blame[i].caused, WL_UNIT_AUTO));
	}
	if (n > MAX_NOTES)
		wl_table_note(out, "%zu more groups have GPUs that make the others wait",
			      n - MAX_NOTES);
	if (ok && r->matches->messages.n)
		note_sender(out, r, senders);
	return ok;
}

static void note_stops(struct wl_table *out, const struct wl_comm_rows *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->matches->n_sets; i++) {
		const struct wl_match_set *set = &r->matches->set[i];

		/* Coverage does not show that all matches from one instance on are missing. */
		if (set->stopped == WL_NONE || n++ >= MAX_NOTES)
			continue;
		wl_table_note(out,
			      "GPUs %s are matched up to instance %" PRIu32
			      " of %s; after that they call different collectives",
			      r->group[set->group], set->stopped,
			      wl_collective_title(r->matches->queues.queue[set->queue[0]].type));
	}
	if (n > MAX_NOTES)
		wl_table_note(out, "%zu more groups are matched in part", n - MAX_NOTES);
}

/* "0-1, 2-3 and 6 more": lists the groups of a role. */
static void say_groups(const struct wl_comm_rows *r, const enum wl_group_role *role,
		       enum wl_group_role of, char *to, size_t cap)
{
	enum { MOST_NAMED = 4 };
	size_t n = 0, at = 0;

	to[0] = 0;
	for (uint32_t i = 0; i < r->matches->n_groups; i++) {
		int len;

		if (role[i] != of || n++ >= MOST_NAMED)
			continue;
		len = snprintf(to + at, cap - at, "%s%s", n > 1 ? "; " : "", r->group[i]);
		at += len > 0 && (size_t)len < cap - at ? (size_t)len : 0;
	}
	if (n > MOST_NAMED)
		(void)snprintf(to + at, cap - at, " and %zu more", n - MOST_NAMED);
}

static bool has_coordinates(const struct wl_run *run)
{
	for (size_t i = 0; i < run->trace->n_processes; i++) {
		for (unsigned k = 0; k < WL_N_COORDINATES; k++) {
			if (run->derived->meshes->of[i].at[k] >= 0)
				return true;
		}
	}
	return false;
}

/* Nothing is inferred for a program that names the coordinates of its ranks. */
static bool note_roles(struct wl_table *out, const struct wl_comm_rows *r)
{
	static const char *const what[] = {
		[WL_GROUP_TP] = "tensor parallelism (TP)",
		[WL_GROUP_DP] = "data parallelism (DP)",
		[WL_GROUP_PP] = "neighbours of a pipeline (PP)",
	};
	const enum wl_group_role *role =
		wl_group_roles_find(r->matches, r->run->derived->hosts, r->run->arena);

	if (has_coordinates(r->run))
		return role != NULL;
	for (unsigned i = WL_GROUP_TP; role && i < WL_N_GROUP_ROLES; i++) {
		char names[256];

		say_groups(r, role, (enum wl_group_role)i, names, sizeof(names));
		if (names[0])
			wl_table_note(out, "groups look like %s, judging by GPU placement: %s",
				      what[i], names);
	}
	return role != NULL;
}

/* Whether the members of a group are inferred only from the ends of collectives. */
static bool has_inferred(const struct wl_matches *m)
{
	for (size_t i = 0; i < m->n_sets; i++) {
		const struct wl_comm_queue *q = &m->queues.queue[m->set[i].queue[0]];

		/*
		 * An MPI handle is a number local to its process and says nothing about the other
		 * members.
		 */
		if (!m->set[i].by_message && (q->comm == WL_NO_U64 || wl_comm_is_mpi(q)))
			return true;
	}
	return false;
}

/* Counts of operations in the window, for collectives or for messages between two ranks. */
struct counts {
	size_t n, n_matched;
};

static struct counts count(const struct wl_comm_rows *r, bool messages)
{
	struct counts c = { 0, 0 };

	for (size_t i = 0; i < r->n_stats; i++) {
		if (wl_comm_is_message(&r->matches->queues.queue[i]) != messages)
			continue;
		c.n += r->stats[i].n;
		c.n_matched += r->waits[i].n;
	}
	return c;
}

/* Note what facts do not contain. */
static void note_facts(struct wl_table *out, const struct wl_comm_rows *r)
{
	const struct wl_comm_queues *q = &r->matches->queues;
	size_t i = 0;

	/*
	 * Queues of MPI calls never have a stream: if there are no others, facts lack nothing.
	 */
	while (i < q->n && wl_comm_is_mpi(&q->queue[i]))
		i++;
	if (i < q->n)
		wl_table_note(out, "facts hold no numbers of streams and contexts");
	if (r->run->derived->stragglers->no_mpi)
		wl_table_note(out, "%s", wl_no_mpi_in_facts);
}

void wl_comm_note_in_step(struct wl_table *out, const struct wl_matches *m)
{
	size_t n = wl_matches_in_step(m);

	if (n)
		wl_table_note(
			out,
			"the ranks of %zu group%s run in step; they may be several communicators",
			n, n == 1 ? "" : "s");
}

/* Note members whose transfers end later than the others', no matter which rank is late. */
static bool note_leaves(struct wl_table *out, const struct wl_comm_rows *r)
{
	const struct wl_leaving *of = wl_leaving_find(r->matches, r->run->arena);
	size_t n = 0;

	for (uint32_t i = 0; of && i < r->matches->n_members; i++) {
		char who[48], after[WL_UNITS_BUF];

		if (!of[i].is_late || n++ >= MAX_NOTES)
			continue;
		say_member(r, i, who, sizeof(who));
		wl_table_note(out, "%s leaves collectives %s after the others", who,
			      wl_fmt_ns(after, of[i].after, WL_UNIT_AUTO));
	}
	if (n > MAX_NOTES)
		wl_table_note(out, "%zu more leave collectives after the others", n - MAX_NOTES);
	return of != NULL;
}

/* The window of the answer is that of GPU work; the trace may have operations outside it. */
static void note_outside(struct wl_table *out, const struct wl_comm_rows *r)
{
	const struct wl_comm_queues *all = &r->matches->queues;
	struct wl_interval work = { INT64_MAX, INT64_MIN };
	size_t n = 0;

	for (size_t i = 0; i < r->run->trace->n_devices; i++) {
		const struct wl_interval *w = &r->run->scope->device[i];

		if (w->begin < w->end && r->run->scope->device_on[i]) {
			work.begin = w->begin < work.begin ? w->begin : work.begin;
			work.end = w->end > work.end ? w->end : work.end;
		}
	}
	/* Queues from n_stats on have no operation that overlaps the window. */
	for (size_t q = 0; work.begin < work.end && q < r->n_stats; q++) {
		if (!wl_comm_is_mpi(&all->queue[q]) || !r->stats[q].n)
			continue;
		for (size_t i = all->queue[q].lo; i < all->queue[q].hi; i++)
			n += wl_comm_end(&all->op[i]) <= work.begin || all->op[i].start >= work.end;
	}
	if (n)
		wl_table_note(out,
			      "%zu MPI call%s before and after the GPU work count%s, too; in a "
			      "window they do not",
			      n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

bool wl_comm_notes(struct wl_table *out, const struct wl_comm_rows *r)
{
	struct counts all = count(r, false), messages = count(r, true);

	if (wl_comm_has_no_rows(r))
		note_facts(out, r);
	if (r->run->scope->whole)
		note_outside(out, r);
	if (r->matches->n_members < 2) {
		wl_table_note(
			out, "%s",
			r->matches->n_members
				? "only one GPU communicates: waiting and transfer look the same"
				: "these traces have no collectives");
		return true;
	}
	wl_table_cover(out, "operations_matched_across_processes",
		       (int64_t)(all.n_matched + messages.n_matched),
		       (int64_t)(all.n + messages.n));
	if (all.n > all.n_matched)
		wl_table_note(out,
			      "%zu of %zu collectives have no counterpart on another GPU (same "
			      "kind, stream role and order, ending together)",
			      all.n - all.n_matched, all.n);
	if (messages.n > messages.n_matched)
		wl_table_note(out,
			      "%zu of %zu MPI sends, receives and waits are not matched: the "
			      "trace does not record the other end",
			      messages.n - messages.n_matched, messages.n);
	if (has_inferred(r->matches))
		wl_table_note(out, "communicators were not recorded: groups are inferred from "
				   "collectives that end together");
	wl_comm_note_in_step(out, r->matches);
	note_stops(out, r);
	return note_roles(out, r) && note_leaves(out, r) && note_stragglers(out, r);
}
