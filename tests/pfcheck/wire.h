/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the wire format of protocol buffers, read strictly.
 *
 * What is wrong ends the program: a checker has nothing to do after the first fault.
 */
#ifndef PFCHECK_WIRE_H
#define PFCHECK_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* Bytes [at, end) of the file that begins at base. */
struct span {
	const unsigned char *base, *at, *end;
};

struct text {
	const char *at;
	size_t n;
};

struct field {
	uint32_t number;
	enum wire wire;
	uint64_t value;          /* unless it is bytes */
	struct span span;        /* if it is bytes */
	const unsigned char *at; /* where its tag begins */
};

/* Say on stderr what is wrong at an offset of the file, and end with status 1. */
noreturn void fault(const struct span *in, const unsigned char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define FAULT_FIELD(f, ...) fault(&(f)->span, (f)->at, __VA_ARGS__)

/* The next field of a message; false at its end. */
bool field_next(struct span *in, struct field *ret);

/* Note a field that a message has once; seen begins as 0, numbers must differ modulo 64. */
void field_once(uint64_t *seen, const struct field *f);

/* The value of a field that must be of a type and in a range. */
uint64_t field_u64(const struct field *f);
uint64_t field_upto(const struct field *f, uint64_t most);
uint64_t field_fixed64(const struct field *f);
struct span field_bytes(const struct field *f);
struct text field_text(const struct field *f); /* valid UTF-8 */

#endif
