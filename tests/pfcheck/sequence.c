/* SPDX-License-Identifier: MIT */
#include "sequence.h"

#include <inttypes.h>
#include <stdlib.h>

/* EventCategory, EventName, DebugAnnotationName and InternedString: 1 is the id, 2 the text. */
static void intern(struct sequence *s, enum pool pool, struct span message)
{
	struct pool_of_texts *p = &s->pool[pool];
	struct field f, id = { 0 };
	struct text text = { 0 };
	uint64_t seen = 0;
	uint32_t index;
	bool is_new;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		if (f.number == 1) {
			id = f;
			(void)field_u64(&f);
		} else if (f.number == 2) {
			text = field_text(&f);
		} else {
			FAULT_FIELD(&f, "interned text: unknown field %u", f.number);
		}
	}
	if (seen != (1 << 1 | 1 << 2) || id.value == 0)
		fault(&message, message.end, "interned text without id or text");
	index = numbers_add(&p->iid, id.value, &is_new);
	if (!is_new)
		FAULT_FIELD(&id, "sequence %" PRIu64 " defines iid %" PRIu64 " twice", s->id,
			    id.value);
	p->text = grow(p->text, index, sizeof(*p->text));
	p->text[index] = text;
}

void sequence_intern(struct sequence *s, struct span message)
{
	struct field f;

	while (field_next(&message, &f)) {
		switch (f.number) {
		case 1:
			intern(s, POOL_CATEGORY, field_bytes(&f));
			break;
		case 2:
			intern(s, POOL_NAME, field_bytes(&f));
			break;
		case 3:
			intern(s, POOL_KEY, field_bytes(&f));
			break;
		case 29:
			intern(s, POOL_VALUE, field_bytes(&f));
			break;
		default:
			FAULT_FIELD(&f, "InternedData: unknown field %u", f.number);
		}
	}
}

struct text sequence_text(const struct sequence *s, enum pool pool, const struct field *f)
{
	static const char *const what[N_POOLS] = { "category", "name", "key", "value" };
	uint32_t index = numbers_find(&s->pool[pool].iid, field_u64(f));

	if (index == NUMBERS_NONE)
		FAULT_FIELD(f, "sequence %" PRIu64 ": %s iid %" PRIu64 " is not defined", s->id,
			    what[pool], f->value);
	return s->pool[pool].text[index];
}

static void track_event_defaults(struct sequence *s, struct span message)
{
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		if (f.number != 11)
			FAULT_FIELD(&f, "TrackEventDefaults: unknown field %u", f.number);
		s->track = field_u64(&f);
	}
}

void sequence_default(struct sequence *s, struct span message)
{
	struct field f;
	uint64_t seen = 0;

	s->has_defaults = true;
	s->default_clock = BOOTTIME;
	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		if (f.number == 11)
			track_event_defaults(s, field_bytes(&f));
		else if (f.number == 58)
			s->default_clock = field_upto(&f, 127);
		else
			FAULT_FIELD(&f, "TracePacketDefaults: unknown field %u", f.number);
	}
}

struct clock {
	uint64_t id, time;
	bool is_incremental;
};

static struct clock read_clock(struct span message)
{
	struct clock c = { 0 };
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		field_once(&seen, &f);
		switch (f.number) {
		case 1:
			c.id = field_upto(&f, 127);
			break;
		case 2:
			c.time = field_upto(&f, INT64_MAX);
			break;
		case 3:
			c.is_incremental = field_upto(&f, 1);
			break;
		default:
			FAULT_FIELD(&f, "Clock: unknown field %u", f.number);
		}
	}
	if ((seen & (1 << 1 | 1 << 2)) != (1 << 1 | 1 << 2))
		fault(&message, message.end, "Clock without id or time");
	return c;
}

void sequence_snapshot(struct sequence *s, struct span message)
{
	struct clock own = { 0 }, boottime = { 0 };
	struct field f;
	uint64_t seen = 0;

	while (field_next(&message, &f)) {
		struct clock c;

		if (f.number == 2) {
			field_once(&seen, &f);
			if (field_u64(&f) != BOOTTIME)
				FAULT_FIELD(&f, "the primary clock is %" PRIu64, f.value);
			continue;
		}
		if (f.number != 1)
			FAULT_FIELD(&f, "ClockSnapshot: unknown field %u", f.number);
		c = read_clock(field_bytes(&f));
		if (c.id == BOOTTIME && boottime.id == 0 && !c.is_incremental)
			boottime = c;
		else if (c.id >= 64 && own.id == 0)
			own = c;
		else
			FAULT_FIELD(&f, "clock %" PRIu64 " is neither the sequence's nor boottime",
				    c.id);
	}
	if (own.id == 0 || boottime.id == 0)
		fault(&message, message.end, "ClockSnapshot without a clock of each kind");
	s->has_clock = true;
	s->clock = own.id;
	s->now = own.time;
	s->is_incremental = own.is_incremental;
	s->to_boottime = (int64_t)boottime.time - (int64_t)own.time;
}

uint64_t sequence_time(struct sequence *s, uint64_t clock, const struct field *f)
{
	uint64_t time = field_u64(f), limit = INT64_MAX;

	if (clock == 0)
		clock = s->has_defaults ? s->default_clock : BOOTTIME;
	if (clock != BOOTTIME) {
		if (!s->has_clock || clock != s->clock)
			FAULT_FIELD(f, "sequence %" PRIu64 ": clock %" PRIu64 " has no snapshot",
				    s->id, clock);
		if (s->is_incremental) {
			if (time > limit - s->now)
				FAULT_FIELD(f, "a time that goes back, or beyond 2^63");
			time += s->now;
		}
		s->now = time;
		time += (uint64_t)s->to_boottime;
	}
	if (time > limit)
		FAULT_FIELD(f, "a time beyond 2^63");
	return time;
}

void sequence_release(struct sequence *s)
{
	for (int i = 0; i < N_POOLS; i++) {
		numbers_release(&s->pool[i].iid);
		free(s->pool[i].text);
	}
}
