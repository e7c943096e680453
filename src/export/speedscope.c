/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - call stacks as a speedscope file: one sampled profile per thread, in order of
 * time, with nanoseconds as weights (https://www.speedscope.app/file-format-schema.json).
 *
 * Where gaps count, there is one profile per GPU and thread: a thread that launches for several
 * GPUs counts for each of them.
 */
#include <stdio.h>

#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "base/text/json_write.h"
#include "export/formats.h"

/* Time in one stack; adjacent pieces with the same stack are merged. */
struct sample {
	uint32_t device, thread;
	uint32_t stack; /* WL_NONE: no stack, in this state */
	uint32_t state;
	wl_ns weight;
};

struct writing {
	const struct wl_stack_source *source;
	const struct wl_trace *trace;
	struct wl_vec samples; /* struct sample */
	struct wl_vec chain;   /* uint32_t: frames of one stack */
	uint32_t *order;       /* of samples: by device and thread, then in order of arrival */
	uint32_t *number;      /* by frame, then by state: its number in the file */
	struct wl_jsonw json;
	FILE *out;
	struct wl_stacks_done done;
};

static const struct sample *sample_at(const struct writing *w, size_t i)
{
	return (const struct sample *)w->samples.data + w->order[i];
}

static void add_piece(void *ctx, uint32_t device, uint32_t thread,
		      const struct wl_stack_piece *piece)
{
	struct writing *w = ctx;
	struct sample *last =
		w->samples.n ? (struct sample *)w->samples.data + w->samples.n - 1 : NULL;
	const struct sample next = { device, thread, piece->stack,
				     piece->stack == WL_NONE ? piece->state : 0,
				     piece->end - piece->begin };

	if (last && last->device == device && last->thread == thread && last->stack == next.stack &&
	    last->state == next.state)
		last->weight += next.weight;
	else
		wl_vec_push(&w->samples, &next);
}

static bool sample_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct sample *all = ctx, *a = &all[ia], *b = &all[ib];

	return a->device != b->device ? a->device < b->device : a->thread < b->thread;
}

static bool collect(struct writing *w)
{
	const struct wl_stack_source *s = w->source;
	size_t n;

	if (!wl_stack_time_visit(s->derived, s->scope, s->choice, s->arena, add_piece, w) ||
	    w->samples.failed)
		return false;
	n = w->samples.n;
	w->order = WL_NEW(s->arena, uint32_t, 2 * n + 1);
	w->number = WL_NEW(s->arena, uint32_t, w->trace->n_frames + WL_N_STACK_STATES);
	if (!w->order || !w->number)
		return false;
	wl_sort_all(w->order, n, sample_less, w->samples.data);
	return true;
}

/* ---- Frames ---- */

/* Return the frames of a sample, innermost first. */
static const uint32_t *frames_of(struct writing *w, const struct sample *sample, size_t *ret_n)
{
	uint32_t of_state = (uint32_t)w->trace->n_frames + (uint32_t)sample->state;

	w->chain.n = 0;
	if (sample->stack == WL_NONE)
		wl_vec_push(&w->chain, &of_state);
	for (uint32_t s = sample->stack; s != WL_NONE; s = w->trace->stacks[s].caller)
		wl_vec_push(&w->chain, &w->trace->stacks[s].frame);
	*ret_n = w->chain.n;
	return w->chain.data;
}

/* Mark the frames that the used stacks hold. Callers have lower numbers: each stack is visited
 * once. */
static bool mark_frames(struct writing *w)
{
	const struct wl_trace *t = w->trace;
	bool *used = WL_NEW(w->source->arena, bool, t->n_stacks + 1);

	if (!used)
		return false;
	for (size_t i = 0; i < w->samples.n; i++) {
		const struct sample *s = sample_at(w, i);

		if (s->stack == WL_NONE)
			w->number[t->n_frames + s->state] = 1;
		else
			used[s->stack] = true;
	}
	for (size_t i = t->n_stacks; i-- > 0;) {
		if (!used[i])
			continue;
		w->number[t->stacks[i].frame] = 1;
		if (t->stacks[i].caller != WL_NONE)
			used[t->stacks[i].caller] = true;
	}
	return true;
}

static bool put_frame(struct writing *w, size_t frame)
{
	const struct wl_trace *t = w->trace;
	const char *name = frame < t->n_frames
				   ? wl_frame_name(t, &t->frames[frame], w->source->arena)
				   : wl_stack_without[frame - t->n_frames];

	if (!name)
		return false;
	wl_jsonw_newline(&w->json);
	wl_jsonw_begin_object(&w->json);
	wl_jsonw_put_str(&w->json, "name", name);
	if (frame < t->n_frames && t->frames[frame].kind != WL_FRAME_NOTE)
		wl_jsonw_put_str(&w->json, "file", wl_module_name(t, t->frames[frame].module));
	wl_jsonw_end_object(&w->json);
	return true;
}

static bool put_frames(struct writing *w)
{
	uint32_t n = 0;

	if (!mark_frames(w))
		return false;
	wl_jsonw_open_object(&w->json, "shared");
	wl_jsonw_open_array(&w->json, "frames");
	for (size_t i = 0; i < w->trace->n_frames + WL_N_STACK_STATES; i++) {
		if (!w->number[i])
			continue;
		if (!put_frame(w, i))
			return false;
		w->number[i] = n++;
	}
	wl_jsonw_end_array(&w->json);
	wl_jsonw_end_object(&w->json);
	return true;
}

/* ---- Profiles ---- */

enum { NAME = 256 };

/* "python, pid 7, tid 8: GPU 0 idle". */
static void put_name(struct writing *w, const struct sample *s)
{
	const struct wl_thread *thread = &w->trace->threads[s->thread];
	char text[NAME], gpu[32] = "";

	if (s->device != WL_NONE)
		(void)snprintf(gpu, sizeof(gpu), ": GPU %u %s", s->device,
			       w->source->choice->is_busy ? "busy" : "idle");
	(void)snprintf(text, sizeof(text), "%.128s%spid %llu, tid %llu%s",
		       thread->name == WL_NONE ? "" : wl_str(w->trace, thread->name),
		       thread->name == WL_NONE ? "" : ", ",
		       (unsigned long long)w->trace->processes[thread->process].pid,
		       (unsigned long long)thread->tid, gpu);
	wl_jsonw_put_str(&w->json, "name", text);
}

static void put_sample(struct writing *w, const struct sample *sample)
{
	size_t n;
	const uint32_t *frame = frames_of(w, sample, &n);

	wl_jsonw_begin_array(&w->json);
	while (n-- > 0)
		wl_jsonw_i64(&w->json, w->number[frame[n]]);
	wl_jsonw_end_array(&w->json);
}

/* Samples [lo, hi) of the order; returns the sum of their weights. */
static wl_ns put_profile(struct writing *w, size_t lo, size_t hi)
{
	wl_ns sum = 0;

	for (size_t i = lo; i < hi; i++)
		sum += sample_at(w, i)->weight;
	wl_jsonw_newline(&w->json);
	wl_jsonw_begin_object(&w->json);
	wl_jsonw_put_str(&w->json, "type", "sampled");
	put_name(w, sample_at(w, lo));
	wl_jsonw_put_str(&w->json, "unit", "nanoseconds");
	wl_jsonw_put_i64(&w->json, "startValue", 0);
	wl_jsonw_put_i64(&w->json, "endValue", sum);
	wl_jsonw_open_array(&w->json, "samples");
	for (size_t i = lo; i < hi; i++)
		put_sample(w, sample_at(w, i));
	wl_jsonw_end_array(&w->json);
	wl_jsonw_open_array(&w->json, "weights");
	for (size_t i = lo; i < hi; i++)
		wl_jsonw_i64(&w->json, sample_at(w, i)->weight);
	wl_jsonw_end_array(&w->json);
	wl_jsonw_end_object(&w->json);
	return sum;
}

/* The profile with the most time is shown first. */
static int put_profiles(struct writing *w)
{
	const atomic_int *stop = w->source->stop;
	int64_t n = 0, longest = 0;
	wl_ns most = 0;

	wl_jsonw_open_array(&w->json, "profiles");
	for (size_t lo = 0, hi; lo < w->samples.n; lo = hi, n++) {
		const struct sample *first = sample_at(w, lo);
		wl_ns time;

		for (hi = lo + 1; hi < w->samples.n; hi++) {
			const struct sample *s = sample_at(w, hi);

			if (s->device != first->device || s->thread != first->thread)
				break;
		}
		if (stop && atomic_load(stop))
			return WL_E_CANCELED;
		time = put_profile(w, lo, hi);
		longest = time > most ? n : longest;
		most = time > most ? time : most;
		w->done.time += time;
	}
	wl_jsonw_end_array(&w->json);
	wl_jsonw_put_i64(&w->json, "activeProfileIndex", longest);
	return w->chain.failed ? WL_E_NOMEM : WL_OK;
}

static int put_file(struct writing *w)
{
	int r;

	if (!collect(w))
		return WL_E_NOMEM;
	wl_jsonw_init(&w->json, w->out);
	wl_jsonw_begin_object(&w->json);
	wl_jsonw_put_str(&w->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	wl_jsonw_put_str(&w->json, "exporter", "warplens");
	if (!put_frames(w))
		return WL_E_NOMEM;
	r = put_profiles(w);
	if (r < 0)
		return r;
	wl_jsonw_end_object(&w->json);
	wl_jsonw_finish(&w->json);
	w->done.n_stacks = w->samples.n;
	return WL_OK;
}

static int write_speedscope(const struct wl_stack_source *s, FILE *out, struct wl_stacks_done *ret)
{
	struct writing w = { .source = s, .trace = s->derived->trace, .out = out };
	int r;

	wl_vec_init(&w.samples, sizeof(struct sample), wl_arena_budget(s->arena));
	wl_vec_init(&w.chain, sizeof(uint32_t), wl_arena_budget(s->arena));
	r = put_file(&w);
	wl_vec_release(&w.samples);
	wl_vec_release(&w.chain);
	if (r == WL_OK)
		*ret = w.done;
	return r;
}

const struct wl_export_format wl_export_speedscope = {
	.name = "speedscope",
	.suffix = { ".speedscope.json" },
	.n_listed = 1,
	.media = "application/json",
	.stacks = write_speedscope,
};
