/* SPDX-License-Identifier: MIT */
/* track_labels.c - the labels of rows. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/sort.h"
#include "base/text/utf8.h"
#include "derive/tracks/tracks_inside.h"

enum { MAX_LABEL = 160, MAX_NAME = 32, MAX_RANKS = 4 };

/* What a stream's label must add because its number is not unique on the device. */
enum { REPEATS_IN_OTHERS = 1, REPEATS_IN_PROCESS = 2 };

struct numbers {
	const struct wl_trace *trace;
	const struct wl_streams *streams;
};

static const struct wl_place *place_of(const struct numbers *n, size_t stream)
{
	return &n->trace->places[n->streams->place[stream]];
}

/* By device and number; streams with equal numbers stay ordered by process and context. */
static bool number_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_place *pa = place_of(ctx, a), *pb = place_of(ctx, b);

	return pa->device != pb->device ? pa->device < pb->device : pa->stream < pb->stream;
}

bool wl_labelling_init(struct wl_labelling *l)
{
	const struct numbers numbers = { l->trace, &l->inside->streams };
	size_t n_streams = l->inside->streams.n, n = 0;
	uint32_t *order = WL_NEW(l->arena, uint32_t, 2 * n_streams);
	uint8_t *repeats = WL_NEW(l->arena, uint8_t, n_streams);

	if (!order || !repeats)
		return false;
	for (uint32_t i = 0; i < n_streams; i++) {
		if (l->use[i].n_ops)
			order[n++] = i;
	}
	wl_sort_index(order, n, order + n_streams, number_less, &numbers);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		uint32_t first = place_of(&numbers, order[lo])->process, last = first;

		for (hi = lo + 1; hi < n && !number_less(&numbers, order[lo], order[hi]); hi++) {
			uint32_t process = place_of(&numbers, order[hi])->process;

			if (process == last) {
				repeats[order[hi - 1]] |= REPEATS_IN_PROCESS;
				repeats[order[hi]] |= REPEATS_IN_PROCESS;
			}
			last = process;
		}
		for (size_t i = lo; first != last && i < hi; i++)
			repeats[order[i]] |= REPEATS_IN_OTHERS;
	}
	l->repeats = repeats;
	return true;
}

/* A text being built; what does not fit is dropped. */
struct text {
	char buf[MAX_LABEL];
	size_t n;
};

WL_PRINTF(2, 3) static void put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->buf + t->n, sizeof(t->buf) - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = t->n + (size_t)n < sizeof(t->buf) ? t->n + (size_t)n : sizeof(t->buf) - 1;
}

static void put_number(struct text *t, const char *word, uint32_t number)
{
	if (number == WL_NONE)
		put(t, "%s?", word);
	else
		put(t, "%s%u", word, number);
}

/* Append the first characters of a name from the trace, which may have any length. */
static void put_name(struct text *t, const char *name)
{
	const char *end = name;

	for (size_t i = 0; i < MAX_NAME && *end; i++)
		(void)wl_utf8_next(&end);
	if (t->n + (size_t)(end - name) + 2 < sizeof(t->buf))
		put(t, " %.*s", (int)(end - name), name);
}

/* Append the ranks of the processes on the device, unless the device index says the same. */
static void put_ranks(const struct wl_labelling *l, uint32_t device, struct text *t)
{
	const struct wl_streams *streams = &l->inside->streams;
	size_t n = 0, lo = wl_streams_from_device(l->trace, streams, device);
	size_t hi = wl_streams_from_device(l->trace, streams, device + 1);
	uint32_t last = WL_NONE;
	struct text list = { .n = 0 };
	int64_t rank = -1;

	for (size_t i = lo; i < hi; i++) {
		uint32_t process = l->trace->places[streams->place[i]].process;

		if (l->use[i].n_ops == 0 || process == last)
			continue;
		last = process;
		if (l->inside->rank[process] < 0)
			continue;
		rank = l->inside->rank[process];
		if (n < MAX_RANKS)
			put(&list, "%s%lld", n ? ", " : "", (long long)rank);
		else if (n == MAX_RANKS)
			put(&list, ", ...");
		n++;
	}
	if (n > 1 || (n == 1 && rank != device))
		put(t, " rank%s %.60s", n > 1 ? "s" : "", list.buf);
}

/* True when all its kernels are NCCL's, not another library's. */
static bool is_nccl(const struct wl_labelling *l, uint32_t stream)
{
	const struct wl_track_ops *ops = &l->inside->of_stream[stream];
	const struct wl_trace *t = l->trace;

	for (size_t i = 0; i < ops->n; i++) {
		const struct wl_track_op op = wl_track_op_of(ops->ref[i]);
		uint32_t name;

		if (op.kind != WL_OP_KERNEL)
			continue;
		name = t->kernel_names[wl_kernels_name(t)[op.row]].brief;
		if (strncmp(wl_str(t, name), "nccl", 4) != 0)
			return false;
	}
	return true;
}

static void put_stream(const struct wl_labelling *l, uint32_t stream, struct text *label,
		       struct text *brief)
{
	const struct wl_place *p = &l->trace->places[l->inside->streams.place[stream]];
	const struct wl_stream_use *use = &l->use[stream];
	enum wl_stream_class class = wl_stream_class_of(use);

	put_number(label, "Stream ", p->stream);
	put_number(brief, "S", p->stream);
	if (l->repeats[stream] & REPEATS_IN_OTHERS)
		put(label, " pid %u", l->trace->processes[p->process].pid);
	if (l->repeats[stream] & REPEATS_IN_PROCESS)
		put_number(label, " ctx ", p->context);
	if (class != WL_STREAM_COMM) {
		put(label, " %s", wl_stream_class_name(class));
		return;
	}
	put(label, "%s", is_nccl(l, stream) ? " NCCL *" : " comm *");
	put(brief, "*");
	if (!use->has_mixed_ones && use->purpose != WL_NONE)
		put_name(label, l->inside->stages->text[use->purpose]);
}

/* Append the thread's number, and its name if known; in a GPU's row only if there are several. */
static void put_thread(const struct wl_labelling *l, const struct wl_track *track, bool several,
		       struct text *label, struct text *brief)
{
	const struct wl_thread *t = &l->trace->threads[track->thread];
	bool is_on_gpu = wl_row_kind(track)->of == WL_OF_DEVICE;

	if (is_on_gpu && !several)
		return;
	put(label, " %u", t->tid);
	if (!is_on_gpu)
		put(brief, " %u", t->tid);
	if (t->name != WL_NONE)
		put_name(label, wl_str(l->trace, t->name));
}

static void put_process(const struct wl_labelling *l, uint32_t process, struct text *label,
			struct text *brief)
{
	const struct wl_process *p = &l->trace->processes[process];

	put(label, "Process %u", p->pid);
	put(brief, "P %u", p->pid);
	if (p->name != WL_NONE)
		put_name(label, wl_path_name(wl_str(l->trace, p->name)));
	if (l->inside->rank[process] >= 0)
		put(label, " rank %lld", (long long)l->inside->rank[process]);
}

bool wl_track_name(const struct wl_labelling *l, struct wl_track *track, bool several)
{
	const struct wl_row_kind *kind = wl_row_kind(track);
	struct text label = { .n = 0 }, brief = { .n = 0 };

	if (kind->label) {
		put(&label, "%s", kind->label);
		put(&brief, "%s", kind->brief);
	}
	if (kind->holds == WL_HOLDS_GPU_TIME) {
		put(&label, "GPU %u", track->device);
		put(&brief, "G%u", track->device);
		put_ranks(l, track->device, &label);
	} else if (kind->holds == WL_HOLDS_OPS) {
		put_stream(l, track->stream, &label, &brief);
	} else if (kind->holds == WL_HOLDS_LEVELS) {
		put(&label, "%s", l->counter[track->counter].label);
		put(&brief, "%s", l->counter[track->counter].brief);
	} else if (kind->holds == WL_HOLDS_THREADS) {
		put_process(l, track->process, &label, &brief);
	} else if (track->thread != WL_NONE) {
		put_thread(l, track, several, &label, &brief);
	}
	track->label = wl_arena_strdup(l->arena, label.buf);
	track->brief = wl_arena_strdup(l->arena, brief.buf);
	return track->label && track->brief;
}
