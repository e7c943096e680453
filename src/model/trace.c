/* SPDX-License-Identifier: MIT */
#include "model/trace.h"

#include <assert.h>
#include <string.h>

#include "base/memory/bound.h"

const struct wl_column_info wl_column_infos[WL_N_COLUMNS] = {
#define WL_FAMILY(ID, id, order, help, capture)
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help)                              \
	[WL_##FAMILY##_##COLUMN] = { #column, help, sizeof(type), WL_F_##FAMILY, WL_D_##domain },
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN
};

/* Bytes per value of each domain; 0 if values may have any width. */
enum {
	BYTES_START = sizeof(wl_ns),
	BYTES_LENGTH = sizeof(uint32_t),
	BYTES_TIME = sizeof(wl_ns),
	BYTES_SIZE = sizeof(int64_t),
	BYTES_PLACE = sizeof(uint32_t),
	BYTES_THREAD = sizeof(uint32_t),
	BYTES_THREAD_OR_NONE = sizeof(uint32_t),
	BYTES_KERNEL_NAME = sizeof(uint32_t),
	BYTES_CONFIG = sizeof(uint32_t),
	BYTES_TEXT = sizeof(uint32_t),
	BYTES_STACK = sizeof(uint32_t),
	BYTES_SERIES = sizeof(uint32_t),
	BYTES_CODE = 0,
};

#define WL_FAMILY(ID, id, order, help, capture)
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help)                              \
	_Static_assert(BYTES_##domain == 0 || BYTES_##domain == sizeof(type),                      \
		       #family "." #column ": its type is not as wide as its domain");
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN

/* Where each family's columns begin: a family line adds no column to the enum. */
enum {
#define WL_FAMILY(ID, id, order, help, capture)                       FIRST_##ID,
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help) SEEN_##FAMILY##_##COLUMN,
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN
	SEEN_ALL
};

const struct wl_family_info wl_family_infos[WL_N_FAMILIES] = {
#define WL_FAMILY(ID, id, order, help, capture)                                                    \
	[WL_F_##ID] = { #id, order, help, capture, (size_t)FIRST_##ID - (size_t)WL_F_##ID },
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help)
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN
};

size_t wl_family_end(enum wl_family_id family)
{
	return family + 1 < WL_N_FAMILIES ? wl_family_infos[family + 1].first_column : WL_N_COLUMNS;
}

/*
 * families.def lists the columns that order a family first: start, length where rows have one,
 * then the place or the thread.
 */
struct wl_key_columns wl_family_keys(enum wl_family_id family)
{
	size_t first = wl_family_infos[family].first_column;
	bool has_dur = wl_column_infos[first + 1].domain == WL_D_LENGTH;

	return (struct wl_key_columns){ first, has_dur ? first + 1 : WL_N_COLUMNS,
					first + (has_dur ? 2 : 1) };
}

void wl_columns_add(struct wl_columns *set, enum wl_column_id column)
{
	set->bits[(size_t)column / 64] |= UINT64_C(1) << ((unsigned)column % 64);
}

void wl_columns_join(struct wl_columns *set, const struct wl_columns *other)
{
	for (size_t i = 0; i < WL_COUNT(set->bits); i++)
		set->bits[i] |= other->bits[i];
}

bool wl_columns_has(const struct wl_columns *set, enum wl_column_id column)
{
	return set->bits[(size_t)column / 64] >> ((unsigned)column % 64) & 1;
}

bool wl_columns_has_family(const struct wl_columns *set, enum wl_family_id family)
{
	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		if (wl_columns_has(set, (enum wl_column_id)c))
			return true;
	}
	return false;
}

void wl_columns_close(struct wl_columns *set)
{
	bool has_devices = wl_columns_has_family(set, WL_F_SYNCS) ||
			   wl_columns_has_family(set, WL_F_EVENTS) ||
			   wl_columns_has_family(set, WL_F_HOST_NODES);

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		has_devices = has_devices || wl_columns_has_family(set, wl_op_families[i]);
	for (int f = 0; f < WL_N_FAMILIES; f++) {
		enum wl_family_id family = (enum wl_family_id)f;
		const struct wl_key_columns key = wl_family_keys(family);

		if (wl_family_infos[f].order == WL_BY_ROW ||
		    (!(wl_is_op(family) && has_devices) && !wl_columns_has_family(set, family)))
			continue;
		wl_columns_add(set, (enum wl_column_id)key.start);
		wl_columns_add(set, (enum wl_column_id)key.owner);
		if (key.dur < WL_N_COLUMNS)
			wl_columns_add(set, (enum wl_column_id)key.dur);
	}
}

const char *wl_str(const struct wl_trace *trace, uint32_t id)
{
	return id < trace->strings.n ? trace->strings.blob + trace->strings.offset[id]
				     : "(unnamed)";
}

wl_ns wl_long_dur(const struct wl_family *family, size_t row)
{
	size_t i = WL_BELOW(family->long_row, family->n_long, row);

	/* Readers and index/check.c guarantee that every row with WL_LONG is in the side table. */
	assert(i < family->n_long && family->long_row[i] == row);
	return family->long_dur[i];
}

const char *wl_file_fact_name(enum wl_file_fact fact)
{
	static const char *const names[WL_N_FILE_FACTS] = {
		[WL_FACT_NSYS] = "EXPORT_PRODUCT_VERSION",
		[WL_FACT_SCHEMA] = "EXPORT_SCHEMA_VERSION",
		[WL_FACT_REPORT] = "EXPORT_PARAM_INPUT_FILE",
		[WL_FACT_SYSTEM] = "OsDescription",
		[WL_FACT_DRIVER] = "NvDriverVersion",
	};

	return names[fact];
}

const char *wl_trace_meta(const struct wl_trace *trace, const char *name)
{
	for (size_t i = 0; i < trace->n_meta; i++) {
		if (strcmp(wl_str(trace, trace->meta[i].name), name) == 0)
			return wl_str(trace, trace->meta[i].value);
	}
	return NULL;
}

/* In the order of enum wl_op_kind, which is also the order of operations with the same start. */
const enum wl_family_id wl_op_families[WL_N_OP_FAMILIES] = { WL_F_KERNELS, WL_F_MEMCPYS,
							     WL_F_MEMSETS, WL_F_GRAPHS };

enum wl_op_kind wl_kind_of_family(enum wl_family_id family)
{
	int kind = 0;

	while (kind < WL_N_OP_FAMILIES && wl_op_families[kind] != family)
		kind++;
	return (enum wl_op_kind)kind;
}

size_t wl_count_ops(const struct wl_trace *trace)
{
	size_t n = 0;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		n += trace->family[wl_op_families[i]].n;
	return n;
}

struct wl_ops wl_trace_ops(const struct wl_trace *t, enum wl_family_id family)
{
	struct wl_ops ops = { .family = &t->family[family], .n = t->family[family].n };

	switch ((int)family) {
#define OPS(FAMILY, name)                                                                          \
	case WL_F_##FAMILY:                                                                        \
		ops.start = wl_##name##_start(t);                                                  \
		ops.dur = wl_##name##_dur(t);                                                      \
		ops.place = wl_##name##_place(t);                                                  \
		ops.corr = wl_##name##_corr(t);                                                    \
		break;
		OPS(KERNELS, kernels)
		OPS(MEMCPYS, memcpys)
		OPS(MEMSETS, memsets)
		OPS(GRAPHS, graphs)
#undef OPS
	default:
		ops.n = 0;
	}
	return ops;
}

struct wl_thread_rows wl_trace_thread_rows(const struct wl_trace *trace, enum wl_family_id family)
{
	const struct wl_key_columns keys = wl_family_keys(family);

	return (struct wl_thread_rows){
		.family = &trace->family[family],
		.n = trace->family[family].n,
		.start = trace->column[keys.start],
		.dur = keys.dur < WL_N_COLUMNS ? trace->column[keys.dur] : NULL,
		.thread = trace->column[keys.owner],
	};
}
