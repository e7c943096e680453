/* SPDX-License-Identifier: MIT */
#include "read/payload.h"

#include <string.h>
#include <strings.h>

#include "read/payload_bytes.h"

enum { MOST_FIELDS = 512 };

static const struct {
	const char *name;
	enum wl_payload_what what;
} names[] = {
	{ "NCCL communicator ID", WL_PAYLOAD_COMM },
	{ "Message size [bytes]", WL_PAYLOAD_BYTES },
	{ "No. of ranks", WL_PAYLOAD_RANKS },
	{ "Rank", WL_PAYLOAD_RANK },
	{ "Peer rank", WL_PAYLOAD_PEER },
};

static enum wl_payload_what what_is(const char *name, size_t len)
{
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strlen(names[i].name) == len && strncasecmp(names[i].name, name, len) == 0)
			return names[i].what;
	}
	return WL_N_PAYLOAD;
}

/* Size of an integer in bytes, by NVTX_PAYLOAD_ENTRY_TYPE_...; 0 for other types. */
static uint32_t size_of(int64_t type)
{
	enum { INT = 5, UINT = 6, LONG = 7, ULONG_LONG = 10 };
	enum { INT32 = 15, UINT32 = 16, INT64 = 17, UINT64 = 18, SIZE = 22 };

	if (type == INT || type == UINT || type == INT32 || type == UINT32)
		return 4;
	return (type >= LONG && type <= ULONG_LONG) || type == INT64 || type == UINT64 ||
			       type == SIZE
		       ? 8
		       : 0;
}

static struct wl_payload_field *find_field(const struct wl_build *b, uint64_t domain,
					   uint64_t schema, enum wl_payload_what what)
{
	struct wl_payload_field *f = b->payload_fields.data;

	for (size_t i = 0; i < b->payload_fields.n; i++) {
		if (f[i].schema == schema && f[i].domain == domain && f[i].what == what)
			return &f[i];
	}
	return NULL;
}

void wl_payload_learn(struct wl_build *b, const struct wl_payload_entry *e)
{
	enum wl_payload_what what = what_is(e->name, e->len);
	struct wl_payload_field *known;

	if (what == WL_N_PAYLOAD || e->offset < 0 || e->offset > UINT16_MAX)
		return;
	known = find_field(b, (uint64_t)e->domain, (uint64_t)e->schema, what);
	if (known && (known->offset != e->offset || known->size != size_of(e->type)))
		known->size = 0;
	if (!known && b->payload_fields.n < MOST_FIELDS)
		wl_vec_push(&b->payload_fields,
			    &(struct wl_payload_field){ .domain = (uint64_t)e->domain,
							.schema = (uint64_t)e->schema,
							.what = (uint32_t)what,
							.offset = (uint32_t)e->offset,
							.size = size_of(e->type) });
}

uint64_t wl_payload_binary(const struct wl_build *build, const char *cell, size_t len,
			   enum wl_payload_what what)
{
	struct wl_payload_bytes b;
	const struct wl_payload_field *f;

	if (!wl_payload_open(cell, len, &b))
		return WL_NO_U64;
	f = find_field(build, b.domain, b.schema, what);
	if (!f || f->size == 0 || f->offset + f->size > b.n)
		return WL_NO_U64;
	return wl_payload_number(&b, f->offset, f->size);
}

/* The number that begins at p, in quotes or not, decimal or 0x; WL_NO_U64 if there is none. */
static uint64_t json_number(const char *p, const char *end)
{
	uint64_t v = 0, base = 10;
	const char *first;

	while (p < end && (*p == ' ' || *p == '"'))
		p++;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	}
	for (first = p; p < end; p++) {
		int digit = wl_payload_digit(*p);

		if (digit < 0 || (uint64_t)digit >= base)
			break;
		if (v > (UINT64_MAX - (uint64_t)digit) / base)
			return WL_NO_U64;
		v = v * base + (uint64_t)digit;
	}
	return p == first ? WL_NO_U64 : v;
}

uint64_t wl_payload_json(const char *text, size_t len, enum wl_payload_what what)
{
	const char *end = text + len, *p = text, *close;

	/* Keys are strings before a colon. None of the keys searched for contains an escape. */
	for (; p < end && (p = memchr(p, '"', (size_t)(end - p))); p = close + 1) {
		const char *after;

		p++;
		close = memchr(p, '"', (size_t)(end - p));
		if (!close)
			break;
		for (after = close + 1; after < end && *after == ' ';)
			after++;
		if (after < end && *after == ':' && what_is(p, (size_t)(close - p)) == what)
			return json_number(after + 1, end);
	}
	return WL_NO_U64;
}
