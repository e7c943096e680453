/* SPDX-License-Identifier: MIT */
/* wire.h - steps through the fields of a protobuf message without its description. */
#ifndef WL_NCU_WIRE_H
#define WL_NCU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* What is left of a message. Borrowed bytes. */
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
	uint64_t value;       /* of VARINT, 64 and 32, little-endian bits */
	struct wl_wire bytes; /* of BYTES */
};

/* The next field: 1; at the end 0; -1 for bytes that are no message. Groups are not known. */
int wl_wire_next(struct wl_wire *w, struct wl_wire_field *ret) WL_MUST_CHECK;

/* Step over four bytes, a little-endian number; false when there are fewer. */
bool wl_wire_u32(struct wl_wire *w, uint32_t *ret) WL_MUST_CHECK;

/* Step over n bytes, which become *ret; false when there are fewer. */
bool wl_wire_take(struct wl_wire *w, uint64_t n, struct wl_wire *ret) WL_MUST_CHECK;

#endif
