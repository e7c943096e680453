/* SPDX-License-Identifier: MIT */
/* wire.h - iterates over the fields of a protobuf message without its schema. */
#ifndef WL_NCU_WIRE_H
#define WL_NCU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* The unread rest of a message. The bytes are borrowed. */
struct wl_wire {
	const unsigned char *at, *end;
};

enum wl_wire_type {
	WL_WIRE_VARINT = 0,
	WL_WIRE_64 = 1,
	WL_WIRE_BYTES = 2,
	WL_WIRE_32 = 5,
};

struct wl_wire_field {
	uint32_t number;
	enum wl_wire_type type;
	uint64_t value;       /* for VARINT, 64 and 32: little-endian bits */
	struct wl_wire bytes; /* of BYTES */
};

/* Read the next field. Returns 1, 0 at the end, or -1 if the bytes are not a message. Groups are
 * not supported. */
int wl_wire_next(struct wl_wire *w, struct wl_wire_field *ret) WL_MUST_CHECK;

/* Read four bytes as a little-endian number; false if there are fewer. */
bool wl_wire_u32(struct wl_wire *w, uint32_t *ret) WL_MUST_CHECK;

/* Read n bytes as *ret; false if there are fewer. */
bool wl_wire_take(struct wl_wire *w, uint64_t n, struct wl_wire *ret) WL_MUST_CHECK;

#endif
