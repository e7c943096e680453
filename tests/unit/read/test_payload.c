/* SPDX-License-Identifier: MIT */
#include "read/payload.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

enum { DOMAIN = 1, SCHEMA = 16777223, INT = 5, U64 = 18, SIZE = 22 };

static void learn(struct wl_build *b, const char *name, int64_t type, int64_t offset)
{
	wl_payload_learn(b, &(struct wl_payload_entry){ .domain = DOMAIN,
							.schema = SCHEMA,
							.type = type,
							.offset = offset,
							.name = name,
							.len = strlen(name) });
}

static void init(struct wl_build *b)
{
	assert_int_equal(wl_build_init(b, "t", NULL, NULL), WL_OK);
	learn(b, "NCCL communicator ID", U64, 0);
	learn(b, "Message size [bytes]", SIZE, 8);
	learn(b, "Reduction operation", 16777232, 16);
}

static void put(unsigned char *to, uint64_t v)
{
	for (size_t i = 0; i < 8; i++)
		to[i] = (unsigned char)(v >> (8 * i));
}

/* As nsys writes it: four numbers, then the payload. */
static size_t cell(unsigned char *to, uint64_t domain, uint64_t size)
{
	put(to, domain);
	put(to + 8, SCHEMA);
	put(to + 16, size);
	put(to + 24, 56);
	put(to + 32, UINT64_C(0x7994a6e7f169b50e));
	put(to + 40, 25165824);
	put(to + 48, 0);
	return 56;
}

static void hex(char *to, const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)snprintf(to + 2 * i, 3, "%02X", at[i]);
}

static uint64_t get(const struct wl_build *b, const void *at, size_t n, enum wl_payload_what what)
{
	return wl_payload_binary(b, at, n, what);
}

TEST(raw_and_hex_say_the_same)
{
	WITH(struct wl_build, b, wl_build_release, init(&b));
	unsigned char raw[64];
	char text[130];
	size_t n = cell(raw, DOMAIN, 24);

	hex(text, raw, n);
	assert_true(get(&b, raw, n, WL_PAYLOAD_COMM) == UINT64_C(0x7994a6e7f169b50e));
	assert_true(get(&b, text, 2 * n, WL_PAYLOAD_COMM) == UINT64_C(0x7994a6e7f169b50e));
	assert_true(get(&b, raw, n, WL_PAYLOAD_BYTES) == 25165824);
	assert_true(get(&b, text, 2 * n, WL_PAYLOAD_BYTES) == 25165824);
	assert_true(get(&b, raw, n, WL_PAYLOAD_RANKS) == WL_NO_U64);
}

/* Another domain, a cut cell, a field beyond the payload, a digit that is none. */
TEST(what_does_not_fit_is_absent)
{
	WITH(struct wl_build, b, wl_build_release, init(&b));
	unsigned char raw[64];
	char text[130];
	size_t n = cell(raw, DOMAIN + 1, 24);

	assert_true(get(&b, raw, n, WL_PAYLOAD_COMM) == WL_NO_U64);
	n = cell(raw, DOMAIN, 24);
	for (size_t cut = 0; cut < n; cut++)
		assert_true(get(&b, raw, cut, WL_PAYLOAD_BYTES) == WL_NO_U64);
	hex(text, raw, n);
	text[2 * 40] = 'g';
	assert_true(get(&b, text, 2 * n, WL_PAYLOAD_BYTES) == WL_NO_U64);
	n = cell(raw, DOMAIN, 8);
	assert_true(get(&b, raw, n - 16, WL_PAYLOAD_COMM) != WL_NO_U64);
	assert_true(get(&b, raw, n - 16, WL_PAYLOAD_BYTES) == WL_NO_U64);
	n = cell(raw, DOMAIN, UINT64_MAX);
	assert_true(get(&b, raw, n, WL_PAYLOAD_BYTES) == WL_NO_U64);
}

TEST(layouts_that_disagree_are_not_used)
{
	WITH(struct wl_build, b, wl_build_release, init(&b));
	unsigned char raw[64];
	size_t n = cell(raw, DOMAIN, 24);

	learn(&b, "NCCL communicator ID", U64, 0); /* of another process */
	learn(&b, "Message size [bytes]", SIZE, 0);
	assert_true(get(&b, raw, n, WL_PAYLOAD_COMM) != WL_NO_U64);
	assert_true(get(&b, raw, n, WL_PAYLOAD_BYTES) == WL_NO_U64);
}

static uint64_t json(const char *text, enum wl_payload_what what)
{
	return wl_payload_json(text, strlen(text), what);
}

TEST(json_has_the_names_of_entries_as_keys)
{
	const char *text = "{\"NCCL communicator ID\": 8760810690260350222, \"x\": \"Message size "
			   "[bytes]\", \"Message size [bytes]\" : \"0x10\", \"No. of ranks\": -1}";

	assert_true(json(text, WL_PAYLOAD_COMM) == UINT64_C(8760810690260350222));
	assert_true(json(text, WL_PAYLOAD_BYTES) == 16);
	assert_true(json(text, WL_PAYLOAD_RANKS) == WL_NO_U64);
	assert_true(json("{\"Message size [bytes]\": 99999999999999999999}", WL_PAYLOAD_BYTES) ==
		    WL_NO_U64);
	for (size_t n = 0; n < strlen(text); n++)
		(void)wl_payload_json(text, n, WL_PAYLOAD_RANKS);
	assert_true(json("\"", WL_PAYLOAD_COMM) == WL_NO_U64);
}
