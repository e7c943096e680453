/* SPDX-License-Identifier: MIT */
#include "analysis/words/step_words.h"

#include <stdio.h>
#include <string.h>

#include "base/text/marks.h"
#include "base/text/units.h"
#include "derive/nvtx/conventions.h"
#include "table/table.h"

const char wl_no_iterations[] =
	"no iterations found: no NVTX range owns the GPU's time, and neither launches of a CUDA "
	"graph nor a sequence of kernels repeat; name what marks a step with --marker PATTERN "
	"or --marker kernel:NAME";

enum { NOTE_SIZE = 800 };

/* "20 steps, median 53.42 ms", where either may be a range. */
static void write_numbers(const struct wl_steps_alike *a, char *buf, size_t size)
{
	char least[WL_UNITS_BUF], most[WL_UNITS_BUF], from[WL_UNITS_BUF], to[WL_UNITS_BUF];
	size_t n;

	(void)wl_fmt_count(least, (int64_t)a->least);
	(void)wl_fmt_count(most, (int64_t)a->most);
	(void)wl_fmt_ns(from, a->shortest, WL_UNIT_AUTO);
	(void)wl_fmt_ns(to, a->longest, WL_UNIT_AUTO);
	n = (size_t)snprintf(buf, size, "%s%s%s step%s", least, a->least < a->most ? " to " : "",
			     a->least < a->most ? most : "", a->most == 1 ? "" : "s");
	/* Ends that print alike are shown as one number. */
	if (a->longest > 0)
		(void)snprintf(buf + n, size - n, ", median %s%s%s", from,
			       strcmp(from, to) == 0 ? "" : " to ",
			       strcmp(from, to) == 0 ? "" : to);
}

/* ": 183 decode, median 2.24 ms; 17 prefill, median 14.2 ms": most frequent first. */
static void write_mix(const struct wl_process_iters *p, char *buf, size_t size)
{
	enum wl_step_kind kind[WL_N_STEP_KINDS];
	size_t at = 0, n_kinds = wl_step_kinds_by_count(p, kind);

	for (size_t round = 0; round < n_kinds; round++) {
		const enum wl_step_kind best = kind[round];
		char n[WL_UNITS_BUF], median[WL_UNITS_BUF];

		at += (size_t)snprintf(buf + at, size - at, "%s%s %s, median %s",
				       round ? "; " : ": ",
				       wl_fmt_count(n, (int64_t)p->kind[best].n),
				       best ? wl_step_kind_name(best) : "other",
				       wl_fmt_ns(median, p->kind[best].median, WL_UNIT_AUTO));
	}
}

/* "; two lengths (1000 x 1.06 ms, 1000 x 3.48 ms), so averages describe neither" */
static void write_lengths(const struct wl_two_lengths *l, char *buf, size_t size)
{
	char few[WL_UNITS_BUF], many[WL_UNITS_BUF], shorter[WL_UNITS_BUF], longer[WL_UNITS_BUF];

	if (l->n[0])
		(void)snprintf(buf, size,
			       "; two lengths (%s x %s, %s x %s), so averages describe neither",
			       wl_fmt_count(few, (int64_t)l->n[0]),
			       wl_fmt_ns(shorter, l->median[0], WL_UNIT_AUTO),
			       wl_fmt_count(many, (int64_t)l->n[1]),
			       wl_fmt_ns(longer, l->median[1], WL_UNIT_AUTO));
}

static void write_steps(const struct wl_steps_alike *a, char *buf, size_t size)
{
	static const char doubt[] = "; this may be a layer, not a step (set " WL_COMMAND_MARK ")";
	const struct wl_process_iters *p = a->example;
	char numbers[160], mix[300] = "", left_out[80] = "";

	if (p->method == WL_ITER_NONE) {
		(void)snprintf(buf, size, "no steps were found");
		return;
	}
	write_numbers(a, numbers, sizeof(numbers));
	/* Step kinds already explain the two lengths. */
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
	const struct wl_steps_alike one = { .example = iters,
					    .n = 1,
					    .n_dropped = iters->n_dropped,
					    .least = iters->n,
					    .most = iters->n,
					    .shortest = iters->median,
					    .longest = iters->median };
	char text[NOTE_SIZE];

	write_steps(&one, text, sizeof(text));
	return wl_arena_strdup(arena, text);
}

static const char *write_note(const struct wl_steps_alike *a, size_t n_on, struct wl_arena *arena)
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
	/* One more, for the NULL that ends the list. */
	const char **notes = WL_NEW(arena, const char *, WL_MOST_ALIKE + 1);
	struct wl_steps_alike alike[WL_MOST_ALIKE];
	size_t n_on, n = wl_iterations_alike(trace, all, process_on, alike, &n_on);

	for (size_t i = 0; notes && i < n; i++) {
		notes[i] = write_note(&alike[i], n_on, arena);
		if (!notes[i])
			return NULL;
	}
	return notes;
}

/* "step 10", "steps 10-14". */
static void write_span(char *text, size_t size, uint32_t first, uint32_t last)
{
	if (first == last)
		(void)snprintf(text, size, "step %u", first);
	else
		(void)snprintf(text, size, "steps %u-%u", first, last);
}

/* "since step 6, increasingly until step 20", "until step 20, decreasingly from step 6 on". */
static void write_ramp(const struct wl_step_change *c, char *text, size_t size)
{
	if (c->is_faster_later)
		(void)snprintf(text, size, "until step %u, decreasingly from step %u on", c->last,
			       c->ramp + 1);
	else
		(void)snprintf(text, size, "since step %u, increasingly until step %u", c->first,
			       c->ramp);
}

const char *wl_step_change_when(const struct wl_step_change *c, struct wl_arena *arena)
{
	char text[80] = "", steps[48];

	switch (c->kind) {
	case WL_CHANGE_NONE:
		break;
	case WL_CHANGE_DRIFT:
		(void)snprintf(text, sizeof(text), "%s over steps %u-%u",
			       c->is_faster_later ? "decreasingly," : "increasingly,",
			       c->first < c->like_first ? c->first : c->like_first,
			       c->last > c->like_last ? c->last : c->like_last);
		break;
	case WL_CHANGE_RAMP:
		write_ramp(c, text, sizeof(text));
		break;
	case WL_CHANGE_LEVEL:
	case WL_CHANGE_WARM_UP:
	case WL_CHANGE_EPISODE:
		if (c->kind != WL_CHANGE_EPISODE && c->is_faster_later) {
			(void)snprintf(text, sizeof(text), "until step %u", c->last);
		} else if (c->kind != WL_CHANGE_EPISODE) {
			(void)snprintf(text, sizeof(text), "since step %u", c->first);
		} else {
			write_span(steps, sizeof(steps), c->is_around ? c->like_first : c->first,
				   c->is_around ? c->like_last : c->last);
			(void)snprintf(text, sizeof(text), "%s %s", c->is_around ? "outside" : "in",
				       steps);
		}
		break;
	}
	return wl_arena_strdup(arena, text);
}

static void write_drift(const struct wl_step_change *c, const char *stop, char *text, size_t size)
{
	char more[WL_UNITS_BUF], from[WL_UNITS_BUF], to[WL_UNITS_BUF];
	wl_ns first = c->is_faster_later ? c->changed : c->reference;

	(void)snprintf(text, size,
		       "step time %s by %s of the median over %zu steps%s, from %s to %s",
		       c->is_faster_later ? "falls" : "grows", wl_fmt_ratio(more, c->more),
		       c->n_tested, stop, wl_fmt_ns(from, first, WL_UNIT_AUTO),
		       wl_fmt_ns(to, c->changed + c->reference - first, WL_UNIT_AUTO));
}

const char *wl_step_change_say(const struct wl_step_change *c, bool is_sentence,
			       struct wl_arena *arena)
{
	const char *when = wl_step_change_when(c, arena);
	char more[WL_UNITS_BUF], now[WL_UNITS_BUF], like[WL_UNITS_BUF], text[256] = "";

	if (!when)
		return NULL;
	if (c->kind == WL_CHANGE_DRIFT)
		write_drift(c, is_sentence ? WL_STOP : "", text, sizeof(text));
	else if (c->kind != WL_CHANGE_NONE)
		(void)snprintf(
			text, sizeof(text), "steps take %s%s longer %s%s: median %s instead of %s",
			c->kind == WL_CHANGE_RAMP ? "up to " : "", wl_fmt_ratio(more, c->more),
			when, is_sentence ? WL_STOP : "", wl_fmt_ns(now, c->changed, WL_UNIT_AUTO),
			wl_fmt_ns(like, c->reference, WL_UNIT_AUTO));
	/* All of these sentences begin with "step". */
	if (is_sentence && *text)
		text[0] = 'S';
	return wl_arena_strdup(arena, text);
}

const char *wl_conventions_note(const struct wl_derived *derived, struct wl_arena *arena)
{
	const struct wl_conventions *c = derived->followed->conventions;
	char note[160] = "";

	if (derived->opts.conventions)
		(void)snprintf(note, sizeof(note),
			       "range names are read by the convention %.60s, as asked", c->name);
	else if (*c->detect)
		(void)snprintf(note, sizeof(note), "range names follow the convention %.60s",
			       c->name);
	return wl_arena_strdup(arena, note);
}
