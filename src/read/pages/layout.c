/* SPDX-License-Identifier: MIT */
#include "read/pages/layout.h"

#include <stdlib.h>
#include <string.h>

#include "read/pages/db_file.h"

bool wl_record_layouts_init(struct wl_record_layouts *l, const struct wl_scan *scan,
			    const struct wl_shape *shape, unsigned bits)
{
	size_t n = (size_t)1 << bits;

	*l = (struct wl_record_layouts){ .scan = scan, .shape = shape, .shift = 64 - bits };
	l->slot = calloc(n + 1, sizeof(*l->slot));
	l->unkept = l->slot ? l->slot + n : NULL;
	for (size_t i = 0; i < scan->n_columns; i++) {
		if (shape->column[i].field >= l->n_fields)
			l->n_fields = shape->column[i].field + 1;
	}
	return l->slot != NULL;
}

void wl_record_layouts_release(struct wl_record_layouts *l)
{
	free(l->slot);
	l->slot = NULL;
}

/* SQLite calls the number that gives a field's type and size its serial type. */
enum {
	SERIAL_NULL = 0,
	SERIAL_I64 = 6,
	SERIAL_REAL = 7,
	SERIAL_ZERO = 8,
	SERIAL_ONE = 9,
	SERIAL_BLOB = 12
};

static const uint8_t int_size[SERIAL_BLOB] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
static const uint8_t int_kind[SERIAL_BLOB] = { WL_FIELD_ZERO, WL_FIELD_I8,   WL_FIELD_I16,
					       WL_FIELD_I24,  WL_FIELD_I32,  WL_FIELD_I48,
					       WL_FIELD_I64,  WL_FIELD_ZERO, WL_FIELD_ZERO,
					       WL_FIELD_ONE };

static uint64_t serial_size(uint64_t serial)
{
	return serial < SERIAL_BLOB ? int_size[serial] : (serial - SERIAL_BLOB) / 2;
}

/* A field that is present, at [end - size, end) of the record. */
static void put_field(struct wl_record_layout *ret, size_t column, enum wl_want want, bool is_real,
		      uint64_t serial, uint32_t end)
{
	uint32_t bit = (uint32_t)1 << column;
	struct wl_field *f = &ret->field[column];
	bool is_text = serial > SERIAL_BLOB && serial % 2 == 1;

	if (serial == SERIAL_NULL) {
		ret->null |= bit;
	} else if (serial == SERIAL_REAL) {
		/* NaN counts as NULL; only the value shows whether it is NaN. */
		f->kind = WL_FIELD_REAL;
		ret->special |= bit;
	} else if (want == WL_WANT_PRESENT) {
		ret->ok |= bit;
	} else if (want == WL_WANT_INT && serial < SERIAL_REAL && is_real) {
		f->kind = int_kind[serial];
		ret->special |= bit;
	} else if (want == WL_WANT_INT && serial < SERIAL_BLOB) {
		f->kind = int_kind[serial];
		ret->ok |= bit;
	} else if ((want == WL_WANT_TEXT && is_text) ||
		   (want == WL_WANT_BYTES && serial >= SERIAL_BLOB)) {
		f->kind = WL_FIELD_TEXT;
		ret->size[column] = (uint32_t)serial_size(serial);
		ret->ok |= bit;
		ret->special |= bit;
	}
	/* Fields with no bytes, or none that are wanted, must not be read. */
	if (f->kind == WL_FIELD_ZERO || f->kind == WL_FIELD_ONE)
		return;
	f->end = end;
	if (end > ret->need)
		ret->need = end;
}

/* Columns that do not depend on the record: the value of a rowid alias is in the cell. */
static void put_rowids(const struct wl_record_layouts *l, struct wl_record_layout *ret)
{
	for (size_t i = 0; i < l->scan->n_columns; i++) {
		if (!l->shape->column[i].is_rowid || l->scan->want[i] == WL_WANT_TEXT ||
		    l->scan->want[i] == WL_WANT_BYTES)
			continue;
		ret->ok |= (uint32_t)1 << i;
		if (l->scan->want[i] == WL_WANT_INT) {
			ret->field[i].kind = WL_FIELD_ROWID;
			ret->special |= (uint32_t)1 << i;
		}
	}
}

static const char *put_missing(const struct wl_record_layouts *l, uint32_t n_fields,
			       struct wl_record_layout *ret)
{
	for (size_t i = 0; i < l->scan->n_columns; i++) {
		const struct wl_shape_column *c = &l->shape->column[i];

		if (c->field < n_fields || c->is_rowid)
			continue;
		if (c->has_default)
			return "records without a column that has a default";
		ret->null |= (uint32_t)1 << i;
	}
	return NULL;
}

const char *wl_record_layout_parse(const struct wl_record_layouts *l, const uint8_t *record,
				   size_t n, struct wl_record_layout *ret)
{
	uint64_t header, serial, end;
	const uint8_t *p = wl_varint(record, record + n, &header);
	uint32_t field = 0;

	memset(ret, 0, sizeof(*ret));
	if (!p || header > n || header < (uint64_t)(p - record))
		return "a record with a broken header";
	put_rowids(l, ret);
	end = header;
	for (; p < record + header; field++) {
		p = wl_varint(p, record + header, &serial);
		if (!p)
			return "a record with a broken header";
		if (serial == 10 || serial == 11)
			return "a value of a type that SQLite keeps to itself";
		end += serial_size(serial);
		if (end > INT32_MAX)
			return "a record of more than 2 GB";
		for (size_t i = 0; field < l->n_fields && i < l->scan->n_columns; i++) {
			const struct wl_shape_column *c = &l->shape->column[i];

			if (c->field == field && !c->is_rowid)
				put_field(ret, i, l->scan->want[i], c->is_real, serial,
					  (uint32_t)end);
		}
	}
	ret->n_bytes = (uint32_t)header;
	ret->total = (uint32_t)end;
	return put_missing(l, field, ret);
}
