/* SPDX-License-Identifier: MIT */
/* late_say_who.c - describes who the stragglers are, and in which steps they are late. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/comm/late_say_parts.h"
#include "derive/comm/match/matches.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/nvtx/meshes.h"

void wl_late_add(char to[WL_LATE_TEXT], const char *fmt, ...)
{
	size_t n = strlen(to);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(to + n, WL_LATE_TEXT - n, fmt, args);
	va_end(args);
}

static int64_t rank_of(const struct wl_late_saying *s, uint32_t member)
{
	return s->derived->ranks->of[s->derived->matches->member[member].process];
}

/* Whether all members have a rank; otherwise GPUs are named. */
static bool has_ranks(const struct wl_late_saying *s)
{
	for (uint32_t i = 0; i < s->derived->matches->n_members; i++) {
		if (rank_of(s, i) < 0)
			return false;
	}
	return true;
}

static int64_t number_of(const struct wl_late_saying *s, uint32_t member, bool by_rank)
{
	return by_rank ? rank_of(s, member) : (int64_t)s->derived->matches->member[member].device;
}

/* Pipeline stages are compared with the whole pipeline. */
static bool is_compared(const struct wl_late_saying *s, uint32_t member, uint32_t other)
{
	const struct wl_late_suspects *of = s->all->suspects;
	const struct wl_member *m = s->derived->matches->member;

	if (!s->set->is_of_stages)
		return wl_members_meet(of, member, other);
	return of->has[other] && of->part[m[member].process] == of->part[m[other].process];
}

/* The next larger number among the requested members; -1 for none. */
static int64_t next_number(const struct wl_late_saying *s, bool by_rank, bool of_others,
			   int64_t above)
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

/* "0 and 1", "4, 5, 10, 11"; "0-3" for the others and for more than four. Returns how many there
 * are. */
static size_t list(const struct wl_late_saying *s, bool by_rank, bool of_others,
		   char to[WL_LATE_TEXT])
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
		wl_late_add(to, "%s%" PRId64, *to ? between : "", at);
		if (end > at)
			wl_late_add(to, "-%" PRId64, end);
	}
	return n;
}

static size_t say_members(const struct wl_late_saying *s, bool of_others, char to[WL_LATE_TEXT])
{
	bool by_rank = has_ranks(s);
	char numbers[WL_LATE_TEXT] = "";
	size_t n = list(s, by_rank, of_others, numbers);

	wl_late_add(to, "%s%s %.500s", by_rank ? "rank" : "GPU", n == 1 ? "" : "s", numbers);
	return n;
}

/* Whether no straggler before the i-th is on its host. */
static bool is_new_host(const struct wl_late_saying *s, size_t i)
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

static size_t count_hosts(const struct wl_late_saying *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->set->n; i++)
		n += is_new_host(s, i);
	return n;
}

/* Names the hosts or the coordinate, each value once. */
static void say_axis(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
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
			wl_late_add(names, "%s=%" PRId64, axis[s->set->axis], of->at[s->set->axis]);
		if (s->set->axis == WL_AXIS_HOST && is_new)
			wl_late_add(names, "%s%.60s",
				    !n++           ? ""
				    : n_hosts == 2 ? " and "
						   : ", ",
				    of->host == WL_NONE ? "?"
							: wl_str(s->derived->trace, of->host));
	}
	(void)say_members(s, false, members);
	wl_late_add(to, "%s%.300s (%.300s)",
		    s->set->axis == WL_AXIS_HOST ? (n > 1 ? "nodes " : "node ") : "", names,
		    members);
}

/* "0 in 5 steps, 1 in 5": how often each is slow, or for uneven work the slowest. */
static void say_turns(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	enum { MOST = 6 };
	bool by_rank = has_ranks(s);
	size_t n = s->set->n < MOST ? s->set->n : (size_t)MOST;

	for (int64_t at = next_number(s, by_rank, false, -1), i = 0; at >= 0 && (size_t)i < n;
	     at = next_number(s, by_rank, false, at), i++) {
		for (size_t k = 0; k < s->set->n; k++) {
			size_t n_steps = s->set->subject == WL_LATE_UNEVEN ? s->at[k].n_longest
									   : s->at[k].n_slow;

			if (number_of(s, s->at[k].member, by_rank) == at)
				wl_late_add(to, "%s%" PRId64 " in %zu%s",
					    i         ? ", "
					    : by_rank ? "rank "
						      : "GPU ",
					    at, n_steps,
					    i              ? ""
					    : n_steps == 1 ? " step"
							   : " steps");
		}
	}
	if (n < s->set->n)
		wl_late_add(to, ", ...");
}

/* Whether the stragglers are one node, as in "node node1 (ranks 4-7)". */
static bool is_one_node(const struct wl_late_saying *s)
{
	return s->set->subject == WL_LATE_AXIS && s->set->axis == WL_AXIS_HOST &&
	       count_hosts(s) == 1;
}

void wl_late_say_who(const struct wl_late_saying *s, struct wl_late_words *ret)
{
	if (s->set->subject == WL_LATE_AXIS)
		say_axis(s, ret->who);
	else
		(void)say_members(s, false, ret->who);
	(void)say_members(s, true, ret->others);
	ret->is_many = s->set->n > 1 && !is_one_node(s);
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
		wl_late_add(to, "in step %zu", first);
	else if (last - first + 1 == n)
		wl_late_add(to, "in steps %zu-%zu", first, last);
	else if (is_even && n >= 3) {
		wl_late_add(to, "in every %zu%s step: ", apart,
			    apart == 2   ? "nd"
			    : apart == 3 ? "rd"
					 : "th");
		for (size_t i = 0; i < n && i < MOST_NAMED; i++)
			wl_late_add(to, "%s%zu", i ? ", " : "", first + i * apart);
		if (n > MOST_NAMED)
			wl_late_add(to, ", ...");
	} else
		wl_late_add(to, "in %zu of %zu steps", n, n_steps);
}

/* Whether there are two to four stragglers, two of which share less than half of either's slow
 * steps. */
static bool are_apart(const struct wl_late_saying *s)
{
	bool ret = false;

	if (s->set->n < 2 || s->set->n > 4 || s->set->subject != WL_LATE_MEMBERS)
		return false;
	for (size_t i = 0; i < s->set->n; i++) {
		for (size_t k = 0; k < i; k++) {
			size_t n = 0;

			for (size_t step = 0; step < s->set->n_steps; step++)
				n += s->at[i].slow[step] && s->at[k].slow[step];
			ret |= 2 * n < s->at[i].n_slow && 2 * n < s->at[k].n_slow;
		}
	}
	return ret;
}

/* "(GPU 1 in steps 0-14; GPU 7 in steps 15-29)". */
static void say_steps_of_each(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	bool by_rank = has_ranks(s), is_first = true;

	for (int64_t at = next_number(s, by_rank, false, -1); at >= 0;
	     at = next_number(s, by_rank, false, at)) {
		for (size_t k = 0; k < s->set->n; k++) {
			char steps[WL_LATE_TEXT];

			if (number_of(s, s->at[k].member, by_rank) != at)
				continue;
			wl_say_steps(s->at[k].slow, s->set->n_steps, steps);
			wl_late_add(to, "%s%s %" PRId64 " %.100s", is_first ? "(" : "; ",
				    by_rank ? "rank" : "GPU", at, steps);
			is_first = false;
		}
	}
	wl_late_add(to, ")");
}

void wl_late_say_when(const struct wl_late_saying *s, char to[WL_LATE_TEXT])
{
	if (wl_late_changes(s->set))
		say_turns(s, to);
	else if (are_apart(s))
		say_steps_of_each(s, to);
	else if (s->set->n_slow)
		wl_say_steps(s->set->slow, s->set->n_steps, to);
}
