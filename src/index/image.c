/* SPDX-License-Identifier: MIT */
#include "index/image.h"

#include <stdio.h>
#include <string.h>

#include "base/file/checksum.h"
#include "known/definitions.h"

enum { FORMAT = 4 }; /* to be raised when the meaning of the bytes changes but no type does */

/* What a trace knows besides its arrays. No padding. */
struct family_record {
	uint64_t present, n, n_dropped;
};

struct trace_record {
	int64_t duration, utc_start, session;
	uint64_t host, n_repaired, n_mistyped;
	struct family_record family[WL_N_FAMILIES];
};

static uint64_t add(uint64_t sum, const char *name, size_t size)
{
	const uint64_t parts[] = { sum, wl_checksum(name, strlen(name)), size };

	return wl_checksum(parts, sizeof(parts));
}

uint64_t wl_image_layout(const char *program)
{
	/*
	 * Everything that decides the meaning of the bytes: version of the program, definitions,
	 * families, columns and their sizes. Any difference makes an index stale, so that no
	 * conversion is ever needed.
	 */
	uint64_t sum = add(FORMAT + ((uint64_t)WL_DEFINITIONS << 32), program,
			   sizeof(struct trace_record));

	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		sum = add(sum, wl_family_infos[f].name, (size_t)wl_family_infos[f].order);
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		sum = add(sum, wl_column_infos[c].name, wl_column_infos[c].size);
#define WL_CATALOGUE(name, type) sum = add(sum, #name, sizeof(type));
#include "index/catalogue.def"
#undef WL_CATALOGUE
	return sum;
}

void wl_image_column_name(enum wl_column_id column, char *buf)
{
	const struct wl_column_info *c = &wl_column_infos[column];

	(void)snprintf(buf, WL_SECTION_NAME, "%s.%s", wl_family_infos[c->family].name, c->name);
}

static void long_names(size_t family, char *row, char *dur)
{
	(void)snprintf(row, WL_SECTION_NAME, "%s.long_row", wl_family_infos[family].name);
	(void)snprintf(dur, WL_SECTION_NAME, "%s.long_dur", wl_family_infos[family].name);
}

static void put_record(const struct wl_trace *t, struct wl_index_writer *w)
{
	struct trace_record r = { .duration = t->duration,
				  .utc_start = t->utc_start,
				  .session = t->session,
				  .host = t->host,
				  .n_repaired = t->n_repaired,
				  .n_mistyped = t->n_mistyped };

	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		r.family[f] = (struct family_record){ t->family[f].present, t->family[f].n,
						      t->family[f].n_dropped };
	wl_index_put(w, "trace", &r, 1, sizeof(r));
}

void wl_image_put(const struct wl_trace *t, struct wl_index_writer *w)
{
	char name[WL_SECTION_NAME], other[WL_SECTION_NAME];
	size_t n = t->strings.n;
	size_t blob = n ? t->strings.offset[n - 1] + strlen(wl_str(t, (uint32_t)(n - 1))) + 1 : 0;

	put_record(t, w);
	wl_index_put(w, "strings.blob", t->strings.blob, blob, 1);
	wl_index_put(w, "strings.offset", t->strings.offset, n, sizeof(uint64_t));
#define WL_CATALOGUE(name, type) wl_index_put(w, #name, t->name, t->n_##name, sizeof(type));
#include "index/catalogue.def"
#undef WL_CATALOGUE
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		long_names(f, name, other);
		wl_index_put(w, name, t->family[f].long_row, t->family[f].n_long, sizeof(uint32_t));
		wl_index_put(w, other, t->family[f].long_dur, t->family[f].n_long, sizeof(wl_ns));
	}
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		wl_image_column_name((enum wl_column_id)c, name);
		wl_index_put(w, name, t->column[c], t->family[wl_column_infos[c].family].n,
			     wl_column_infos[c].size);
	}
}

/* A file being read; failed when an array is missing or of another length. */
struct reading {
	const struct wl_index_file *file;
	bool failed;
};

static const void *get(struct reading *r, const char *name, size_t size, size_t *ret_n)
{
	const struct wl_index_section *s = wl_index_section_find(r->file, name, size);

	r->failed = r->failed || !s;
	*ret_n = s ? (size_t)s->n : 0;
	return s ? wl_index_section_data(r->file, s) : NULL;
}

static const void *get_n(struct reading *r, const char *name, size_t size, size_t n)
{
	size_t have;
	const void *data = get(r, name, size, &have);

	r->failed = r->failed || have != n;
	return data;
}

/* The record is small and steers everything else, so it is summed at once. */
static bool get_record(struct reading *r, struct wl_trace *t)
{
	const struct wl_index_section *s =
		wl_index_section_find(r->file, "trace", sizeof(struct trace_record));
	struct trace_record rec;

	if (!s || s->n != 1)
		return false;
	if (!wl_index_section_copy(r->file, s, &rec) || rec.host > WL_NONE)
		return false;
	t->duration = rec.duration;
	t->utc_start = rec.utc_start;
	t->session = rec.session;
	t->host = (uint32_t)rec.host;
	t->n_repaired = (size_t)rec.n_repaired;
	t->n_mistyped = (size_t)rec.n_mistyped;
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		/* Rows have 32-bit indexes, and WL_NONE is none of them. */
		if (rec.family[f].n >= WL_NONE)
			return false;
		t->family[f] = (struct wl_family){ .present = rec.family[f].present != 0,
						   .n = (size_t)rec.family[f].n,
						   .n_dropped = (size_t)rec.family[f].n_dropped };
	}
	return true;
}

static void get_columns(struct reading *r, struct wl_trace *t)
{
	char name[WL_SECTION_NAME], other[WL_SECTION_NAME];

	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		struct wl_family *family = &t->family[f];

		long_names(f, name, other);
		family->long_row = get(r, name, sizeof(uint32_t), &family->n_long);
		family->long_dur = get_n(r, other, sizeof(wl_ns), family->n_long);
	}
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		wl_image_column_name((enum wl_column_id)c, name);
		t->column[c] = get_n(r, name, wl_column_infos[c].size,
				     t->family[wl_column_infos[c].family].n);
		if (t->family[wl_column_infos[c].family].n == 0)
			t->column[c] = NULL; /* as a reader leaves it */
		wl_columns_add(&t->loaded, (enum wl_column_id)c);
	}
}

int wl_image_get(const struct wl_index_file *file, struct wl_trace *ret, struct wl_err *reterr)
{
	struct reading r = { .file = file };
	struct wl_trace t = { .reader = "index", .job = WL_NONE };

	r.failed = !get_record(&r, &t);
	t.strings.offset = get(&r, "strings.offset", sizeof(uint64_t), &t.strings.n);
	t.strings.blob = get(&r, "strings.blob", 1, &(size_t){ 0 });
#define WL_CATALOGUE(name, type) t.name = get(&r, #name, sizeof(type), &t.n_##name);
#include "index/catalogue.def"
#undef WL_CATALOGUE
	if (!r.failed)
		get_columns(&r, &t);
	if (r.failed)
		return wl_fail(reterr, WL_E_FORMAT, "is damaged");
	*ret = t;
	return WL_OK;
}
