/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

noreturn void fault(const struct span *in, const unsigned char *at, const char *format, ...)
{
	va_list args;

	(void)fflush(stdout);
	(void)fprintf(stderr, "pfcheck: offset %td: ", at - in->base);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	_exit(1); /* what is allocated need not be released, and leak checkers need not tell */
}

/*
 * Padded numbers are wasted bytes where nobody needs them, so only lengths may be: writers
 * that learn a length late reserve its bytes.
 */
static uint64_t varint(struct span *in, bool is_length)
{
	const unsigned char *begin = in->at;
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		unsigned char byte;

		if (in->at == in->end)
			fault(in, begin, "the message ends inside a number");
		byte = *in->at++;
		if (shift == 63 && byte > 1)
			fault(in, begin, "a number of more than 64 bits");
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte == 0 && shift > 0 && !is_length)
			fault(in, begin, "a number with needless bytes");
		return value;
	}
	fault(in, begin, "a number of more than ten bytes");
}

static uint64_t fixed(struct span *in, unsigned n_bytes)
{
	uint64_t value = 0;

	if (in->end - in->at < (ptrdiff_t)n_bytes)
		fault(in, in->at, "the message ends inside a fixed number");
	for (unsigned i = 0; i < n_bytes; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += n_bytes;
	return value;
}

bool field_next(struct span *in, struct field *ret)
{
	uint64_t tag, n;

	if (in->at == in->end)
		return false;
	*ret = (struct field){ .at = in->at, .span.base = in->base };
	tag = varint(in, false);
	if (tag >> 3 == 0 || tag >> 3 > (1u << 29) - 1)
		FAULT_FIELD(ret, "field number %" PRIu64, tag >> 3);
	ret->number = (uint32_t)(tag >> 3);
	ret->wire = (enum wire)(tag & 7);
	switch (ret->wire) {
	case WIRE_VARINT:
		ret->value = varint(in, false);
		break;
	case WIRE_FIXED64:
		ret->value = fixed(in, 8);
		break;
	case WIRE_FIXED32:
		ret->value = fixed(in, 4);
		break;
	case WIRE_BYTES:
		n = varint(in, true);
		if (n > (uint64_t)(in->end - in->at))
			FAULT_FIELD(ret, "field %u is longer than its message", ret->number);
		ret->span.at = in->at;
		in->at += n;
		ret->span.end = in->at;
		break;
	default:
		FAULT_FIELD(ret, "field %u has wire type %u", ret->number, (unsigned)(tag & 7));
	}
	return true;
}

void field_once(uint64_t *seen, const struct field *f)
{
	uint64_t bit = UINT64_C(1) << (f->number & 63);

	if (*seen & bit)
		FAULT_FIELD(f, "field %u twice", f->number);
	*seen |= bit;
}

static void want(const struct field *f, enum wire wire)
{
	if (f->wire != wire)
		FAULT_FIELD(f, "field %u has wire type %u, not %u", f->number, (unsigned)f->wire,
			    (unsigned)wire);
}

uint64_t field_u64(const struct field *f)
{
	want(f, WIRE_VARINT);
	return f->value;
}

uint64_t field_upto(const struct field *f, uint64_t most)
{
	want(f, WIRE_VARINT);
	if (f->value > most)
		FAULT_FIELD(f, "field %u is %" PRIu64 ", above %" PRIu64, f->number, f->value,
			    most);
	return f->value;
}

uint64_t field_fixed64(const struct field *f)
{
	want(f, WIRE_FIXED64);
	return f->value;
}

struct span field_bytes(const struct field *f)
{
	want(f, WIRE_BYTES);
	return f->span;
}

/* Length of the character at s as the Unicode standard has it (table 3-7); 0 if it is none. */
static size_t character(const unsigned char *s, size_t n)
{
	unsigned char lowest = 0x80, highest = 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		lowest = 0xa0;
	if (s[0] == 0xed)
		highest = 0x9f;
	if (s[0] == 0xf0)
		lowest = 0x90;
	if (s[0] == 0xf4)
		highest = 0x8f;
	if (n < length || s[1] < lowest || s[1] > highest)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	}
	return length;
}

struct text field_text(const struct field *f)
{
	struct span s = field_bytes(f);

	for (const unsigned char *p = s.at; p < s.end;) {
		size_t n = character(p, (size_t)(s.end - p));

		if (n == 0)
			fault(&s, p, "field %u is no valid UTF-8", f->number);
		p += n;
	}
	return (struct text){ (const char *)s.at, (size_t)(s.end - s.at) };
}
