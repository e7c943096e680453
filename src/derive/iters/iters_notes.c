/* SPDX-License-Identifier: MIT */
/* iters_notes.c - the note that says what a step is. */
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "derive/iters/iters.h"

const char wl_no_iterations[] =
	"no iterations found: no NVTX range owns the GPU's time, and neither launches of a CUDA "
	"graph nor a sequence of kernels repeat; name what marks a step with --marker PATTERN "
	"or --marker kernel:NAME";

enum { MOST_NOTES = 4, NOTE_SIZE = 800, COUNT_SIZE = 32 };

/* Processes whose iterations were found alike. */
struct alike {
	const struct wl_process_iters *example;
	size_t n, n_dropped;
	size_t least, most;      /* iterations */
	wl_ns shortest, longest; /* medians */
};

/* "999", "1234", "22,564". */
static const char *write_count(char buf[COUNT_SIZE], size_t n)
{
	char digits[COUNT_SIZE];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%zu", n), to = 0;

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && len >= 5 && (len - i) % 3 == 0)
			buf[to++] = ',';
		buf[to++] = digits[i];
	}
	buf[to] = '\0';
	return buf;
}

static bool is_alike(const struct wl_process_iters *a, const struct wl_process_iters *b)
{
	if (a->method != b->method || a->has_kinds != b->has_kinds)
		return false;
	/* Periods of ranks differ a little; that they are periods is what matters. */
	return a->method == WL_ITER_NONE || a->method == WL_ITER_SEQUENCE ||
	       (strcmp(a->is, b->is) == 0 && strcmp(a->by, b->by) == 0);
}

static void add(struct alike *a, const struct wl_process_iters *p)
{
	if (a->n == 0)
		*a = (struct alike){ .example = p,
				     .least = p->n,
				     .most = p->n,
				     .shortest = p->median,
				     .longest = p->median };
	a->n++;
	a->n_dropped += p->n_dropped;
	a->least = p->n < a->least ? p->n : a->least;
	a->most = p->n > a->most ? p->n : a->most;
	a->shortest = p->median < a->shortest ? p->median : a->shortest;
	a->longest = p->median > a->longest ? p->median : a->longest;
}

/* Sorts the processes into alike; those beyond its end are not counted. */
static size_t sort_out(const struct wl_trace *t, const struct wl_iterations *all,
		       const bool *process_on, struct alike *alike, size_t *ret_n_on)
{
	size_t n = 0, k;

	*ret_n_on = 0;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		if (!t->processes[i].on_gpu || !process_on[i] || p->method == WL_ITER_TENANT)
			continue;
		(*ret_n_on)++;
		for (k = 0; k < n && !is_alike(alike[k].example, p);)
			k++;
		/* More kinds of steps than notes: the ranks that come first are described. */
		if (k == n && n == MOST_NOTES)
			continue;
		if (k == n) {
			alike[k] = (struct alike){ .n = 0 };
			n++;
		}
		add(&alike[k], p);
	}
	return n;
}

/* "20 steps, median 53.42 ms", or a range of either. */
static void write_numbers(const struct alike *a, char *buf, size_t size)
{
	char least[COUNT_SIZE], most[COUNT_SIZE], from[WL_UNITS_BUF], to[WL_UNITS_BUF];
	size_t n;

	(void)write_count(least, a->least);
	(void)write_count(most, a->most);
	(void)wl_fmt_ns(from, a->shortest, WL_UNIT_AUTO);
	(void)wl_fmt_ns(to, a->longest, WL_UNIT_AUTO);
	n = (size_t)snprintf(buf, size, "%s%s%s step%s", least, a->least < a->most ? " to " : "",
			     a->least < a->most ? most : "", a->most == 1 ? "" : "s");
	if (a->longest > 0)
		(void)snprintf(buf + n, size - n, ", median %s%s%s", from,
			       strcmp(from, to) == 0 ? "" : " to ",
			       strcmp(from, to) == 0 ? "" : to);
}

/* ": 183 decode, median 2.24 ms; 17 prefill, median 14.2 ms": the most frequent first. */
static void write_mix(const struct wl_process_iters *p, char *buf, size_t size)
{
	enum wl_step_kind kind[WL_N_STEP_KINDS];
	size_t at = 0, n_kinds = wl_step_kinds_by_count(p, kind);

	for (size_t round = 0; round < n_kinds; round++) {
		const enum wl_step_kind best = kind[round];
		char n[COUNT_SIZE], median[WL_UNITS_BUF];

		at += (size_t)snprintf(buf + at, size - at, "%s%s %s, median %s",
				       round ? "; " : ": ", write_count(n, p->kind[best].n),
				       best ? wl_step_kind_name(best) : "other",
				       wl_fmt_ns(median, p->kind[best].median, WL_UNIT_AUTO));
	}
}

/* "; two lengths: 1000 steps of about 1.06 ms and 1000 of about 3.48 ms, averages are of neither"
 */
static void write_lengths(const struct wl_two_lengths *l, char *buf, size_t size)
{
	char few[COUNT_SIZE], many[COUNT_SIZE], shorter[WL_UNITS_BUF], longer[WL_UNITS_BUF];

	if (l->n[0])
		(void)snprintf(
			buf, size,
			"; two lengths: %s steps of about %s and %s of about %s, averages "
			"are of neither",
			write_count(few, l->n[0]), wl_fmt_ns(shorter, l->median[0], WL_UNIT_AUTO),
			write_count(many, l->n[1]), wl_fmt_ns(longer, l->median[1], WL_UNIT_AUTO));
}

static void write_steps(const struct alike *a, char *buf, size_t size)
{
	static const char doubt[] = "; this may be a layer, not a step (set --marker)";
	const struct wl_process_iters *p = a->example;
	char numbers[160], mix[300] = "", left_out[80] = "";

	if (p->method == WL_ITER_NONE) {
		(void)snprintf(buf, size, "no steps were found");
		return;
	}
	write_numbers(a, numbers, sizeof(numbers));
	if (p->has_kinds)
		write_mix(p, mix, sizeof(mix));
	else
		write_lengths(&p->lengths, mix, sizeof(mix));
	if (a->n_dropped)
		(void)snprintf(left_out, sizeof(left_out), "; %zu without GPU work left out",
			       a->n_dropped);
	(void)snprintf(buf, size, "%s%s (%s%s%s%s%s)%s",
		       p->method == WL_ITER_SEQUENCE ? "steps are guessed from " : "step = ", p->is,
		       p->by, *p->by ? "; " : "", numbers, mix, left_out, p->is_guess ? doubt : "");
}

const char *wl_step_say(const struct wl_process_iters *iters, struct wl_arena *arena)
{
	struct alike one = { .n = 0 };
	char text[NOTE_SIZE];

	add(&one, iters);
	write_steps(&one, text, sizeof(text));
	return wl_arena_strdup(arena, text);
}

static const char *write_note(const struct alike *a, size_t n_on, struct wl_arena *arena)
{
	char steps[NOTE_SIZE], where[64] = "", note[NOTE_SIZE + 64];

	write_steps(a, steps, sizeof(steps));
	if (a->n < n_on)
		(void)snprintf(where, sizeof(where), "in %zu of %zu processes: ", a->n, n_on);
	(void)snprintf(note, sizeof(note), "%s%s", where, steps);
	return wl_arena_strdup(arena, note);
}

const char *const *wl_iterations_notes(const struct wl_trace *trace,
				       const struct wl_iterations *all, const bool *process_on,
				       struct wl_arena *arena)
{
	const char **notes = WL_NEW(arena, const char *, MOST_NOTES + 1);
	struct alike alike[MOST_NOTES];
	size_t n_on, n = sort_out(trace, all, process_on, alike, &n_on);

	for (size_t i = 0; notes && i < n; i++) {
		notes[i] = write_note(&alike[i], n_on, arena);
		if (!notes[i])
			return NULL;
	}
	return notes;
}

bool wl_iterations_sum(const struct wl_trace *trace, const struct wl_iterations *all,
		       const bool *process_on, struct wl_step_sum *ret)
{
	struct alike alike[MOST_NOTES];
	size_t n_on, n = sort_out(trace, all, process_on, alike, &n_on);

	*ret = (struct wl_step_sum){ .example = NULL };
	for (size_t i = 0; i < n; i++) {
		const struct alike *a = &alike[i];

		if (a->example->method != WL_ITER_NONE && a->n > ret->n_processes)
			*ret = (struct wl_step_sum){ a->example, a->n, a->most, a->longest };
	}
	return ret->example != NULL;
}
