/* SPDX-License-Identifier: MIT */
#include "track.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void process_descriptor(struct track *k, struct span message)
{
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		if (f.number == 1)
			k->pid = field_upto(&f, INT32_MAX);
		else if (f.number == 6)
			(void)field_text(&f);
		else
			FAULT_FIELD(&f, "ProcessDescriptor: unknown field %u", f.number);
	}
	if (!(seen & 1 << 1))
		fault(&message, message.end, "a process without pid");
}

static void thread_descriptor(struct track *k, struct span message)
{
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		switch (f.number) {
		case 1:
			k->pid = field_upto(&f, INT32_MAX);
			break;
		case 2:
			k->tid = field_upto(&f, INT32_MAX);
			break;
		case 5:
			(void)field_text(&f);
			break;
		default:
			FAULT_FIELD(&f, "ThreadDescriptor: unknown field %u", f.number);
		}
	}
	if ((seen & (1 << 1 | 1 << 2)) != (1 << 1 | 1 << 2))
		fault(&message, message.end, "a thread without pid or tid");
}

static void counter_descriptor(struct span message)
{
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		if (f.number == 3)
			(void)field_upto(&f, 3);
		else if (f.number == 6 || f.number == 7)
			(void)field_text(&f);
		else
			FAULT_FIELD(&f, "CounterDescriptor: unknown field %u", f.number);
	}
}

static void set_kind(struct track *k, enum track_kind kind, const struct field *f)
{
	if (k->kind != TRACK_PLAIN)
		FAULT_FIELD(f, "a track of two kinds");
	k->kind = kind;
}

static void take_field(struct track *k, const struct field *f)
{
	switch (f->number) {
	case 1:
		k->uuid = field_u64(f);
		break;
	case 2:
		k->name = field_text(f);
		break;
	case 3:
		set_kind(k, TRACK_PROCESS, f);
		process_descriptor(k, field_bytes(f));
		break;
	case 4:
		set_kind(k, TRACK_THREAD, f);
		thread_descriptor(k, field_bytes(f));
		break;
	case 5:
		k->parent = field_u64(f);
		break;
	case 8:
		set_kind(k, TRACK_COUNTER, f);
		counter_descriptor(field_bytes(f));
		break;
	case 11:
		k->ordering = field_upto(f, ORDER_EXPLICIT);
		break;
	case 12:
		k->rank = field_upto(f, INT32_MAX);
		break;
	case 14:
		k->description = field_text(f);
		break;
	case 15:
		k->merge = field_upto(f, MERGE_NONE + 1);
		break;
	default:
		if (f->number != 19 && f->number != 20)
			FAULT_FIELD(f, "TrackDescriptor: unknown field %u", f->number);
		if (field_upto(f, 1) != 1 || k->uuid != 0)
			FAULT_FIELD(f, "order of processes or threads, but not on track 0");
	}
}

void put_escaped(FILE *out, struct text text, const char *more)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.at[i];

		if (c == '\t' || c == '\n' || c == '\\' || (c && strchr(more, c)))
			(void)fputc('\\', out);
		(void)fputc(c == '\t' ? 't' : c == '\n' ? 'n' : c, out);
	}
}

static void make_path(struct track *k, const struct track *parent)
{
	FILE *out = open_memstream(&k->path, &k->n_path);

	if (!out)
		exit(3);
	if (parent) {
		(void)fwrite(parent->path, 1, parent->n_path, out);
		(void)fputs(" / ", out);
	}
	put_escaped(out, k->name, "/");
	if (fclose(out) != 0)
		exit(3);
}

static void check_ids(struct tracks *t, const struct track *k, const struct track *parent,
		      const struct span *in)
{
	bool is_new = true;

	if (k->kind == TRACK_PROCESS)
		(void)numbers_add(&t->pid, k->pid, &is_new);
	if (k->kind == TRACK_THREAD) {
		(void)numbers_add(&t->thread, k->pid << 32 | k->tid, &is_new);
		if (!parent || parent->kind != TRACK_PROCESS || parent->pid != k->pid)
			fault(in, k->at, "a thread that is not below its process");
	}
	if (!is_new)
		fault(in, k->at, "pid %" PRIu64 " tid %" PRIu64 " has two tracks", k->pid, k->tid);
}

void tracks_describe(struct tracks *t, struct span message)
{
	struct track k = { .at = message.at, .last_begin = UINT64_MAX };
	const struct track *parent = NULL;
	struct field f;
	uint64_t seen = 0;
	uint32_t index;
	bool is_new;

	while (field_next(&message, &f)) {
		take_field(&k, &f);
		field_once(&seen, &f);
	}
	if (!(seen & 1 << 1))
		fault(&message, k.at, "a track without uuid");
	if (k.uuid == 0) {
		if (t->has_root)
			fault(&message, k.at, "track 0 is described twice");
		t->has_root = true;
		t->root_ordering = k.ordering;
		return;
	}
	if (!(seen & 1 << 2) && k.kind != TRACK_PROCESS && k.kind != TRACK_THREAD)
		fault(&message, k.at, "track %" PRIu64 " has no name", k.uuid);
	if (k.parent != 0)
		parent = tracks_get(t, k.parent, &message, k.at);
	index = numbers_add(&t->uuid, k.uuid, &is_new);
	if (!is_new)
		fault(&message, k.at, "track %" PRIu64 " is described twice", k.uuid);
	check_ids(t, &k, parent, &message);
	make_path(&k, parent);
	t->at = grow(t->at, index, sizeof(*t->at));
	t->at[index] = k;
}

struct track *tracks_get(struct tracks *t, uint64_t uuid, const struct span *in,
			 const unsigned char *at)
{
	uint32_t index = numbers_find(&t->uuid, uuid);

	if (index == NUMBERS_NONE)
		fault(in, at, "track %" PRIu64 " is not described yet", uuid);
	return &t->at[index];
}

struct sibling {
	const struct track *track;
};

static int compare_siblings(const void *a, const void *b)
{
	const struct track *x = ((const struct sibling *)a)->track;
	const struct track *y = ((const struct sibling *)b)->track;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Paths are escaped, so equal ones are equal names below equal ones. */
static int compare_names(const void *a, const void *b)
{
	const struct track *x = ((const struct sibling *)a)->track;
	const struct track *y = ((const struct sibling *)b)->track;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->n_path != y->n_path)
		return x->n_path < y->n_path ? -1 : 1;
	return memcmp(x->path, y->path, x->n_path);
}

/* Readers put siblings of one name into one row, unless they are told not to. */
static bool may_merge(const struct track *k)
{
	return (k->kind == TRACK_PLAIN || k->kind == TRACK_COUNTER) && k->merge != MERGE_NONE;
}

void tracks_finish(const struct tracks *t, const struct span *file)
{
	const uint32_t n = t->uuid.n;
	struct sibling *sorted = need_memory(NULL, n + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++) {
		const struct track *k = sorted[i].track = &t->at[i];

		if (k->n_open)
			fault(file, k->open[k->n_open - 1].at, "a slice of %s without end",
			      k->path);
	}
	qsort(sorted, n, sizeof(*sorted), compare_names);
	for (uint32_t i = 1; i < n; i++) {
		if (compare_names(&sorted[i - 1], &sorted[i]) == 0 &&
		    (may_merge(sorted[i - 1].track) || may_merge(sorted[i].track)))
			fault(file, sorted[i].track->at, "two rows \"%s\" would be merged",
			      sorted[i].track->path);
	}
	qsort(sorted, n, sizeof(*sorted), compare_siblings);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = numbers_find(&t->uuid, sorted[i].track->parent);
		uint64_t ordering =
			parent == NUMBERS_NONE ? t->root_ordering : t->at[parent].ordering;

		if (ordering == ORDER_EXPLICIT && compare_siblings(&sorted[i - 1], &sorted[i]) == 0)
			fault(file, sorted[i].track->at, "%s and %s have one place",
			      sorted[i - 1].track->path, sorted[i].track->path);
	}
	free(sorted);
}

void tracks_release(struct tracks *t)
{
	for (uint32_t i = 0; i < t->uuid.n; i++) {
		free(t->at[i].path);
		free(t->at[i].open);
	}
	free(t->at);
	numbers_release(&t->uuid);
	numbers_release(&t->pid);
	numbers_release(&t->thread);
}
