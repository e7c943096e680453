/* SPDX-License-Identifier: MIT */
/*
 * fuzz_payload.c - the bytes are entries of layouts, then a cell with a payload.
 *
 * A payload and its hexadecimal digits say the same, and that is what the only entry of a field
 * says where to find. Reading the bytes as JSON is held to one number per key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "read/payload.h"

enum { HEADER = 32, ENTRY = 6, MOST = 1 << 12 };

static const char *const names[] = {
	"NCCL communicator ID", "Message size [bytes]", "No. of ranks", "rank", "Peer Rank",
	"Reduction operation"
};

struct cell {
	const uint8_t *at;
	size_t n;
};

static void need(bool promised)
{
	if (!promised)
		abort();
}

static uint64_t little(const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

/* Name, domain, layout, type and two bytes of offset; with a high name's bit it is negative. */
static struct wl_payload_entry entry_of(const uint8_t *e)
{
	const char *name = names[e[0] % WL_COUNT(names)];
	int64_t offset = (int64_t)little(e + 4, 2);

	return (struct wl_payload_entry){ .domain = e[1],
					  .schema = e[2],
					  .type = e[3],
					  .offset = e[0] & 0x40   ? -offset
						    : e[0] & 0x20 ? offset << 4
								  : offset,
					  .name = name,
					  .len = strlen(name) - (e[0] >> 7) };
}

static bool is_whole(const struct cell *c)
{
	return c->n >= HEADER && little(c->at + 16, 8) <= c->n - HEADER;
}

/* Bytes of the types that NCCL uses; others are left to the program. */
static size_t bytes_of(int64_t type)
{
	return type == 5 || type == 16 ? 4 : type == 18 || type == 22 ? 8 : 0;
}

/* What a cell says where exactly one entry is about a field; *ret_known where that is so. */
static uint64_t expect(const uint8_t *entries, size_t n, const struct cell *c,
		       enum wl_payload_what what, bool *ret_known)
{
	uint64_t size = little(c->at + 16, 8), value = WL_NO_U64;
	size_t found = 0;

	*ret_known = true;
	for (size_t i = 0; i < n; i++) {
		struct wl_payload_entry e = entry_of(entries + i * ENTRY);
		size_t bytes = bytes_of(e.type);

		if (entries[i * ENTRY] % WL_COUNT(names) != (size_t)what ||
		    (uint64_t)e.domain != little(c->at, 8) ||
		    (uint64_t)e.schema != little(c->at + 8, 8))
			continue;
		found++;
		*ret_known = found == 1 && bytes && e.len == strlen(e.name) && e.offset >= 0 &&
			     e.offset <= UINT16_MAX;
		if (*ret_known && (uint64_t)e.offset + bytes <= size)
			value = little(c->at + c->n - size + e.offset, bytes);
	}
	return value;
}

static void check_cell(const struct wl_build *b, const uint8_t *entries, size_t n,
		       const struct cell *c)
{
	char *hex = malloc(2 * c->n + 1);

	need(hex);
	for (size_t i = 0; i < c->n; i++)
		(void)snprintf(hex + 2 * i, 3, i % 2 ? "%02x" : "%02X", c->at[i]);
	for (enum wl_payload_what what = 0; what < WL_N_PAYLOAD; what++) {
		uint64_t raw = wl_payload_binary(b, (const char *)c->at, c->n, what);
		uint64_t digits = wl_payload_binary(b, hex, 2 * c->n, what);
		bool is_known;

		need(digits == (is_whole(c) ? raw : WL_NO_U64));
		if (is_whole(c)) {
			uint64_t value = expect(entries, n, c, what, &is_known);

			need(!is_known || raw == value);
		}
	}
	free(hex);
}

/* As an item of a layout, whose flags and detail come of the same bytes; and two names. */
static void list(struct wl_build *b, const uint8_t *e, uint32_t index)
{
	const char *name = names[e[0] % WL_COUNT(names)];
	const struct wl_payload_item item = {
		.domain = e[1],
		.schema = e[2],
		.type = e[3] & 0x80 ? (UINT64_C(1) << 24) + e[3] : e[3],
		.index = e[0] & 0x10 ? index : e[0] & 7,
		.offset = (uint32_t)little(e + 4, 2),
		.flags = e[0] & 8 ? e[5] : 0,
		.detail = e[4],
		.name = wl_string_put(&b->strings, name, strlen(name))
	};
	const struct wl_payload_name scope = { e[1], WL_PAYLOAD_SCOPES, e[4], item.name };
	const struct wl_payload_name number = { e[1], item.type, e[5], item.name };

	wl_payload_list(b, &item);
	wl_payload_call(b, &scope);
	wl_payload_call(b, &number);
}

/* Raw bytes and their digits have one text, of which no byte lies behind its end. */
static void check_text(const struct wl_build *b, const struct cell *c)
{
	char *hex = malloc(2 * c->n + 1), raw[WL_PAYLOAD_TEXT], digits[WL_PAYLOAD_TEXT];
	size_t n = wl_payload_text(b, (const char *)c->at, c->n, raw);
	bool has_all = wl_payload_is_read(b, (const char *)c->at, c->n);

	need(hex && n <= WL_PAYLOAD_TEXT && (n > 0 || !has_all));
	for (size_t i = 0; i < c->n; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", c->at[i]);
	if (is_whole(c)) {
		need(wl_payload_text(b, hex, 2 * c->n, digits) == n);
		need(memcmp(raw, digits, n) == 0);
		need(wl_payload_is_read(b, hex, 2 * c->n) == has_all);
	}
	need(wl_payload_cut((const char *)c->at, c->n, raw) <= WL_PAYLOAD_TEXT);
	free(hex);
}

/* A number that is written after its key is read back, whatever stands before it. */
static void check_json(const struct cell *c)
{
	uint64_t value = c->n >= 8 ? little(c->at, 8) : c->n;
	char text[128];

	for (enum wl_payload_what what = 0; what < WL_N_PAYLOAD; what++) {
		int n = snprintf(text, sizeof(text), "{\"x\" : 1, \"%s\": %s%llu\"}", names[what],
				 c->n % 2 ? "\"" : "", (unsigned long long)value);

		need(wl_payload_json(text, (size_t)n, what) == value);
		(void)wl_payload_json((const char *)c->at, c->n, what);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_build b;
	struct cell c;
	size_t n;

	if (size == 0 || size > MOST)
		return 0;
	n = *data < (size - 1) / ENTRY ? *data : (size - 1) / ENTRY;
	need(wl_build_init(&b, "fuzz", NULL, NULL) == WL_OK);
	for (size_t i = 0; i < n; i++) {
		struct wl_payload_entry e = entry_of(data + 1 + i * ENTRY);

		wl_payload_learn(&b, &e);
		list(&b, data + 1 + i * ENTRY, (uint32_t)i);
	}
	c = (struct cell){ data + 1 + n * ENTRY, size - 1 - n * ENTRY };
	check_cell(&b, data + 1, n, &c);
	check_text(&b, &c);
	check_json(&c);
	wl_build_release(&b);
	return 0;
}
