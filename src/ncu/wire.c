/* SPDX-License-Identifier: MIT */
#include "ncu/wire.h"

enum { VARINT_BITS = 64, NUMBER_SHIFT = 3, TYPE_MASK = 7 };

static bool take_varint(struct wl_wire *w, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; shift < VARINT_BITS && w->at < w->end; shift += 7) {
		unsigned char byte = *w->at++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool take_fixed(struct wl_wire *w, size_t n, uint64_t *ret)
{
	if ((size_t)(w->end - w->at) < n)
		return false;
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret |= (uint64_t)w->at[i] << (8 * i);
	w->at += n;
	return true;
}

bool wl_wire_u32(struct wl_wire *w, uint32_t *ret)
{
	uint64_t v;

	if (!take_fixed(w, sizeof(*ret), &v))
		return false;
	*ret = (uint32_t)v;
	return true;
}

bool wl_wire_take(struct wl_wire *w, uint64_t n, struct wl_wire *ret)
{
	if ((uint64_t)(w->end - w->at) < n)
		return false;
	*ret = (struct wl_wire){ w->at, w->at + n };
	w->at += n;
	return true;
}

static bool take_value(struct wl_wire *w, struct wl_wire_field *f)
{
	switch (f->type) {
	case WL_WIRE_VARINT:
		return take_varint(w, &f->value);
	case WL_WIRE_64:
		return take_fixed(w, 8, &f->value);
	case WL_WIRE_32:
		return take_fixed(w, 4, &f->value);
	case WL_WIRE_BYTES:
		return take_varint(w, &f->value) && wl_wire_take(w, f->value, &f->bytes);
	}
	return false;
}

int wl_wire_next(struct wl_wire *w, struct wl_wire_field *ret)
{
	uint64_t key;

	if (w->at == w->end)
		return 0;
	*ret = (struct wl_wire_field){ .bytes = { w->end, w->end } };
	if (!take_varint(w, &key) || key >> NUMBER_SHIFT > UINT32_MAX || key >> NUMBER_SHIFT == 0)
		return -1;
	ret->number = (uint32_t)(key >> NUMBER_SHIFT);
	switch (key & TYPE_MASK) {
	case WL_WIRE_VARINT:
	case WL_WIRE_64:
	case WL_WIRE_BYTES:
	case WL_WIRE_32:
		ret->type = (enum wl_wire_type)(key & TYPE_MASK);
		return take_value(w, ret) ? 1 : -1;
	default:
		return -1;
	}
}
