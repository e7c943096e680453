/* SPDX-License-Identifier: MIT */
/*
 * folded.c - writes call stacks as lines "main;step;read 1500", which flame graph tools read.
 * Weights are nanoseconds.
 */
#include <inttypes.h>

#include "export/formats.h"

/* Control characters become blanks, so that no name can end a line. */
static void put_line(FILE *out, const char *stack, wl_ns weight, struct wl_stacks_done *done)
{
	for (const char *s = stack; *s; s++)
		(void)fputc((unsigned char)*s < ' ' ? ' ' : *s, out);
	(void)fprintf(out, " %" PRId64 "\n", weight);
	done->n_stacks++;
	done->time += weight;
}

static int put_stacks(const struct wl_stack_source *s, const struct wl_stack_sums *sums, FILE *out,
		      struct wl_stacks_done *done)
{
	const struct wl_trace *t = s->derived->trace;

	for (uint32_t i = 0; i < t->n_stacks; i++) {
		struct wl_arena line;
		const char *text;

		if (sums->self[i] == 0)
			continue;
		if (s->stop && atomic_load(s->stop))
			return WL_E_CANCELED;
		/* Keep the text of one line at a time: those of all stacks would be long. */
		wl_arena_init_child(&line, s->arena);
		text = wl_stack_folded(t, i, &line);
		if (text)
			put_line(out, text, sums->self[i], done);
		wl_arena_release(&line);
		if (!text)
			return WL_E_NOMEM;
	}
	return WL_OK;
}

static int write_folded(const struct wl_stack_source *s, FILE *out, struct wl_stacks_done *ret)
{
	struct wl_stacks_done done = { 0, 0 };
	struct wl_stack_sums sums;
	int r = WL_E_NOMEM;

	if (wl_stack_sums_find(s->derived, s->scope, s->choice, s->arena, &sums))
		r = put_stacks(s, &sums, out, &done);
	if (r < 0)
		return r;
	for (size_t i = 0; i < WL_N_STACK_STATES; i++) {
		if (sums.total.without[i])
			put_line(out, wl_stack_without[i], sums.total.without[i], &done);
	}
	*ret = done;
	return WL_OK;
}

const struct wl_export_format wl_export_folded = {
	.name = "folded",
	.suffix = { ".folded" },
	.n_listed = 1,
	.media = "text/plain; charset=utf-8",
	.stacks = write_folded,
};
