/* SPDX-License-Identifier: MIT */
#include "facts/coding.h"

#include <string.h>

#include "base/file/varint.h"

enum mode { PLAIN, DELTA };

/* An unknown narrow number is written as 0 and any other plus 1: WL_NONE would take five bytes. */
static uint64_t value_at(const struct wl_vec *v, enum wl_facts_type type, size_t row)
{
	if (v->size == 8)
		return ((const uint64_t *)v->data)[row];
	return type == WL_FACTS_STR ? ((const uint32_t *)v->data)[row]
				    : ((const uint32_t *)v->data)[row] + 1;
}

static size_t varint_size(uint64_t value)
{
	unsigned char buf[WL_MAX_VARINT];

	return wl_varint_put(buf, value);
}

/* The varint for a value. Signed values and all differences may be negative: they are zigzag
 * encoded. */
static uint64_t written(enum mode mode, enum wl_facts_type type, uint64_t value, uint64_t before)
{
	if (mode == DELTA)
		return wl_zigzag((int64_t)(value - before));
	return type == WL_FACTS_I64 ? wl_zigzag((int64_t)value) : value;
}

static enum mode choose(const struct wl_vec *v, enum wl_facts_type type)
{
	uint64_t before = 0;
	size_t plain = 0, delta = 0;

	for (size_t i = 0; i < v->n; i++) {
		uint64_t value = value_at(v, type, i);

		plain += varint_size(written(PLAIN, type, value, before));
		delta += varint_size(written(DELTA, type, value, before));
		before = value;
	}
	return delta < plain ? DELTA : PLAIN;
}

void wl_facts_put_varint(struct wl_vec *bytes, uint64_t value)
{
	unsigned char buf[WL_MAX_VARINT];
	size_t n = wl_varint_put(buf, value);
	void *to = wl_vec_extend(bytes, n);

	if (to)
		memcpy(to, buf, n);
}

bool wl_facts_encode_column(const struct wl_facts *f, enum wl_facts_column_id column,
			    struct wl_vec *bytes)
{
	const struct wl_vec *v = &f->column[column];
	enum wl_facts_type type = wl_facts_columns[column].type;
	enum mode mode = choose(v, type);
	uint64_t before = 0;

	wl_facts_put_varint(bytes, mode);
	for (size_t i = 0; i < v->n; i++) {
		uint64_t value = value_at(v, type, i);

		wl_facts_put_varint(bytes, written(mode, type, value, before));
		before = value;
	}
	return !bytes->failed;
}

static bool get(struct wl_facts_source *from, uint64_t *ret)
{
	return wl_varint_get(&from->at, from->end, ret);
}

static bool decode(struct wl_vec *v, enum wl_facts_type type, enum mode mode,
		   struct wl_facts_source *from)
{
	uint64_t value = 0, got;

	for (size_t i = 0; i < v->n; i++) {
		if (!get(from, &got))
			return false;
		if (mode == DELTA)
			value += (uint64_t)wl_unzigzag(got);
		else
			value = type == WL_FACTS_I64 ? (uint64_t)wl_unzigzag(got) : got;
		if (v->size == 8) {
			((uint64_t *)v->data)[i] = value;
			continue;
		}
		if (value > UINT32_MAX)
			return false;
		((uint32_t *)v->data)[i] = (uint32_t)value - (type != WL_FACTS_STR);
	}
	return true;
}

bool wl_facts_decode_column(struct wl_facts *f, enum wl_facts_column_id column, size_t n,
			    struct wl_facts_source *from)
{
	struct wl_vec *v = &f->column[column];
	enum wl_facts_type type = wl_facts_columns[column].type;
	uint64_t mode;

	/* Each row takes at least one byte, which bounds the claimed number of rows by the bytes
	 * present. */
	if (!get(from, &mode) || mode > DELTA || n > (size_t)(from->end - from->at))
		return false;
	if (n && !wl_vec_extend(v, n)) {
		f->failed = true;
		return false;
	}
	return decode(v, type, (enum mode)mode, from);
}
