/* SPDX-License-Identifier: MIT */
/*
 * sequence.h - what the packets of one sequence rely on: interned texts, the default track, the
 * clock.
 */
#ifndef PFCHECK_SEQUENCE_H
#define PFCHECK_SEQUENCE_H

#include "numbers.h"
#include "wire.h"

enum { BOOTTIME = 6 };

enum pool { POOL_CATEGORY, POOL_NAME, POOL_KEY, POOL_VALUE, N_POOLS };

struct pool_of_texts {
	struct numbers iid;
	struct text *text;
};

struct sequence {
	uint64_t id;
	struct pool_of_texts pool[N_POOLS];
	bool has_defaults, has_clock, is_incremental;
	uint64_t track, default_clock; /* by the defaults; BOOTTIME if they name no clock */
	uint64_t clock, now;           /* of the snapshot */
	int64_t to_boottime;           /* to be added to times of the clock */
};

/* InternedData, TracePacketDefaults and ClockSnapshot of a packet. */
void sequence_intern(struct sequence *s, struct span message);
void sequence_default(struct sequence *s, struct span message);
void sequence_snapshot(struct sequence *s, struct span message);

/* The text of an interning id, which must be defined; the field has the id. */
struct text sequence_text(const struct sequence *s, enum pool pool, const struct field *f);

/*
 * Time of a packet in ns, below 2^63; clock 0 is the default one. An incremental clock goes on.
 */
uint64_t sequence_time(struct sequence *s, uint64_t clock, const struct field *f);

void sequence_release(struct sequence *s);

#endif
