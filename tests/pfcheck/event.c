/* SPDX-License-Identifier: MIT */
#include "event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print.h"

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };

struct event {
	uint64_t type, track;
	bool has_name, has_integer, has_real, has_more; /* more: what an END cannot have */
	struct text name;
	int64_t integer;
	double real;
	unsigned n_flows;
};

static void annotation(const struct sequence *s, struct span message)
{
	struct field f;
	uint64_t seen = 0;
	unsigned n_values = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		n_values += f.number != 1 && f.number != 10;
		switch (f.number) {
		case 1:
			(void)sequence_text(s, POOL_KEY, &f);
			break;
		case 3:
		case 4:
			(void)field_u64(&f);
			break;
		case 5:
			(void)field_fixed64(&f);
			break;
		case 6:
		case 10:
			(void)field_text(&f);
			break;
		case 17:
			(void)sequence_text(s, POOL_VALUE, &f);
			break;
		default:
			FAULT_FIELD(&f, "DebugAnnotation: unknown field %u", f.number);
		}
	}
	if (n_values != 1 || !(seen & 1 << 1) == !(seen & 1 << 10))
		fault(&message, message.end, "DebugAnnotation without one key and one value");
}

static void take_field(struct event *e, const struct sequence *s, const struct field *f)
{
	uint64_t bits;

	switch (f->number) {
	case 3:
		(void)sequence_text(s, POOL_CATEGORY, f);
		break;
	case 4:
		annotation(s, field_bytes(f));
		e->has_more = true;
		break;
	case 9:
		e->type = field_upto(f, COUNTER);
		break;
	case 10:
	case 23:
		if (e->has_name)
			FAULT_FIELD(f, "an event with two names");
		e->name = f->number == 10 ? sequence_text(s, POOL_NAME, f) : field_text(f);
		e->has_name = true;
		break;
	case 11:
		e->track = field_u64(f);
		break;
	case 22:
		(void)field_text(f);
		break;
	case 30:
		e->integer = (int64_t)field_u64(f);
		e->has_integer = true;
		break;
	case 44:
		bits = field_fixed64(f);
		memcpy(&e->real, &bits, sizeof(bits));
		e->has_real = true;
		break;
	case 47:
	case 48:
		if (field_fixed64(f) == 0)
			FAULT_FIELD(f, "flow 0");
		e->n_flows++;
		e->has_more = true;
		break;
	case 52:
		(void)field_u64(f);
		e->has_more = true;
		break;
	default:
		FAULT_FIELD(f, "TrackEvent: unknown field %u", f->number);
	}
}

static struct event read_event(const struct sequence *s, struct span message)
{
	struct event e = { .track = s->track };
	uint64_t seen = 0;
	struct field f;

	while (field_next(&message, &f)) {
		take_field(&e, s, &f);
		if (f.number != 3 && f.number != 4 && f.number != 22 && f.number != 47 &&
		    f.number != 48)
			field_once(&seen, &f);
	}
	return e;
}

static void take_flows(struct trace *t, uint64_t time, struct span message)
{
	struct field f;

	while (field_next(&message, &f)) {
		struct flow *flow;
		uint32_t index;
		bool is_new;

		if (f.number != 47 && f.number != 48)
			continue;
		index = numbers_add(&t->flow_id, f.value, &is_new);
		if (is_new) {
			t->flow = grow(t->flow, index, sizeof(*t->flow));
			t->flow[index] =
				(struct flow){ f.value, UINT64_MAX, UINT64_MAX, NULL, NULL };
		}
		flow = &t->flow[index];
		if (f.number == 47 ? flow->begin_at != NULL : flow->end_at != NULL)
			FAULT_FIELD(&f, "flow %" PRIu64 " %s twice", f.value,
				    f.number == 47 ? "begins" : "ends");
		if (f.number == 47) {
			flow->begin = time;
			flow->begin_at = f.at;
		} else {
			flow->end = time;
			flow->end_at = f.at;
		}
	}
}

static void begin(struct trace *t, struct track *k, const struct open_slice *slice)
{
	if (k->n_open == k->cap_open) {
		k->cap_open = k->cap_open ? 2 * k->cap_open : 4;
		k->open = need_memory(k->open, k->cap_open, sizeof(*k->open));
	}
	k->open[k->n_open++] = *slice;
	k->last_begin = slice->start;
	t->n_slices++;
}

static void end(struct trace *t, struct track *k, const struct event *e, uint64_t time,
		const unsigned char *at)
{
	const struct open_slice *slice;

	if (k->n_open == 0)
		fault(&t->file, at, "an END on %s, where no slice is open", k->path);
	slice = &k->open[k->n_open - 1];
	if (e->has_more)
		fault(&t->file, at, "an END with flows, arguments or a correlation");
	if (e->has_name &&
	    (e->name.n != slice->name.n || memcmp(e->name.at, slice->name.at, e->name.n) != 0))
		fault(&t->file, at, "an END on %s with the name of another slice", k->path);
	if (slice->start == time && !k->last_is_begin)
		fault(&t->file, at, "a slice without length does not end at once");
	if (slice->start < time && k->last_begin == time)
		fault(&t->file, at, "an END on %s after a BEGIN at the same time %" PRIu64, k->path,
		      time);
	k->n_open--;
	if (t->print == PRINT_SLICES)
		print_slice(t, k, slice, time - slice->start, k->n_open);
}

static void count(struct trace *t, const struct track *k, const struct event *e, uint64_t time,
		  const unsigned char *at)
{
	if (e->has_integer == e->has_real)
		fault(&t->file, at, "a counter without a value");
	if (e->has_name || e->has_more)
		fault(&t->file, at, "a counter with what only slices have");
	if (k->has_events && k->last == time)
		fault(&t->file, at, "two values of %s at %" PRIu64, k->path, time);
	t->n_values++;
	if (t->print == PRINT_COUNTERS)
		print_value(k, time, e->has_real, e->integer, e->real);
}

/* Whether an event can be on this track, at this time, by this sequence. */
static void check_place(const struct trace *t, const struct track *k, const struct event *e,
			uint32_t sequence, uint64_t time, const unsigned char *at)
{
	if (k->has_events && k->sequence != sequence)
		fault(&t->file, at, "%s has events of two sequences", k->path);
	if (k->has_events && time < k->last)
		fault(&t->file, at, "an event of %s before the last one", k->path);
	if (e->type == 0)
		fault(&t->file, at, "an event without type");
	if ((e->type == COUNTER) != (k->kind == TRACK_COUNTER))
		fault(&t->file, at, "an event of type %" PRIu64 " on %s", e->type, k->path);
	if ((e->type == BEGIN || e->type == INSTANT) && !e->has_name)
		fault(&t->file, at, "a slice without name");
	if (e->type != COUNTER && (e->has_integer || e->has_real))
		fault(&t->file, at, "a slice with a counter's value");
}

void event_take(struct trace *t, uint32_t sequence, uint64_t time, struct span message,
		const unsigned char *at)
{
	const struct event e = read_event(&t->sequence[sequence], message);
	const struct open_slice slice = { time, at, e.name, message, sequence };
	struct track *k = tracks_get(&t->tracks, e.track, &t->file, at);

	check_place(t, k, &e, sequence, time, at);
	if (e.type == BEGIN) {
		begin(t, k, &slice);
	} else if (e.type == END) {
		end(t, k, &e, time, at);
	} else if (e.type == COUNTER) {
		count(t, k, &e, time, at);
	} else {
		t->n_instants++;
		if (t->print == PRINT_SLICES)
			print_slice(t, k, &slice, 0, k->n_open);
	}
	if (e.n_flows)
		take_flows(t, time, message);
	k->has_events = true;
	k->sequence = sequence;
	k->last = time;
	k->last_is_begin = e.type == BEGIN;
}

void flows_finish(const struct trace *t)
{
	for (uint32_t i = 0; i < t->flow_id.n; i++) {
		const struct flow *f = &t->flow[i];

		if (!f->begin_at || !f->end_at)
			fault(&t->file, f->begin_at ? f->begin_at : f->end_at,
			      "flow %" PRIu64 " does not %s", f->id, f->begin_at ? "end" : "begin");
		if (f->end < f->begin)
			fault(&t->file, f->end_at, "flow %" PRIu64 " ends before it begins", f->id);
		/* Readers sort by time only: which of the two comes first is then as in the file.
		 */
		if (f->end == f->begin && f->end_at < f->begin_at)
			fault(&t->file, f->end_at,
			      "flow %" PRIu64 " ends when it begins, and stands before it", f->id);
	}
}
