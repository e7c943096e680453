/* SPDX-License-Identifier: MIT */
/*
 * A report is "NVR\0", then messages in protobuf wire format, each preceded by its length as four
 * bytes, little-endian. The first message is the file's header. Blocks follow. Each has a header
 * that counts its sources (code, which is skipped), results (launches) and ranges and may contain
 * strings; then come that many messages. A metric is named by an index into the strings of all
 * blocks.
 *
 * Field numbers were found by comparing reports of ncu 2022.3 to 2025.3 with ncu's own output.
 */
#include "ncu/ncu_rep.h"

#include <string.h>

#include "base/text/utf8.h"
#include "ncu/wire.h"

static const unsigned char magic[4] = { 'N', 'V', 'R', '\0' };

enum { KNOWN_LAYOUT = 7 };

/* Fields of the file's header, of a block's header and of a block's strings. */
enum { FILE_LAYOUT = 1 };
enum { BLOCK_SOURCES = 1, BLOCK_RESULTS = 2, BLOCK_STRINGS = 4, BLOCK_BYTES = 5, BLOCK_RANGES = 7 };
enum { STRINGS_TEXT = 1 };
/* Fields of a result, and of a metric and its value. */
enum {
	RESULT_PID = 1,
	RESULT_MANGLED = 5,
	RESULT_FUNCTION = 6,
	RESULT_DEMANGLED = 7,
	RESULT_GRID = 10,
	RESULT_BLOCK = 11,
	RESULT_METRIC = 13,
	RESULT_CONTEXT = 22,
	RESULT_STREAM = 23,
};
enum { METRIC_NAME = 1, METRIC_VALUE = 2 };
enum { VALUE_TEXT = 1, VALUE_FLOAT = 2, VALUE_DOUBLE = 3, VALUE_U32 = 4, VALUE_U64 = 5 };

struct reading {
	const char *name;
	struct wl_wire file;
	struct wl_arena *arena;
	struct wl_ncu *ncu;
	struct wl_err *reterr;
};

/* The header of a block; payload is the data after it. */
struct block {
	uint64_t n_sources, n_results, n_ranges;
	struct wl_wire strings, payload;
};

bool wl_ncu_rep_is(const unsigned char *bytes, size_t n)
{
	return n >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

static int fail_damaged(const struct reading *r)
{
	return wl_fail(r->reterr, WL_E_FORMAT,
		       "%.200s: the report is cut or damaged; copy or profile it again", r->name);
}

static int fail_memory(const struct reading *r)
{
	return wl_fail(r->reterr, WL_E_NOMEM, "%.200s: no memory for its metrics", r->name);
}

/* Takes a length and the message that follows it. */
static bool take_message(struct wl_wire *from, struct wl_wire *ret)
{
	uint32_t n;

	return wl_wire_u32(from, &n) && wl_wire_take(from, n, ret);
}

static int check_layout(struct reading *r)
{
	struct wl_wire header;
	struct wl_wire_field f;
	uint64_t layout = 0;
	int more;

	if (!take_message(&r->file, &header))
		return fail_damaged(r);
	while ((more = wl_wire_next(&header, &f)) > 0) {
		if (f.number == FILE_LAYOUT && f.type == WL_WIRE_VARINT)
			layout = f.value;
	}
	if (more < 0)
		return fail_damaged(r);
	if (layout != KNOWN_LAYOUT)
		return wl_fail(r->reterr, WL_E_FORMAT,
			       "%.200s: the report has layout %llu, and only %d is known; make its "
			       "raw page "
			       "with `ncu --import FILE --page raw --csv > FILE.csv` and give that",
			       r->name, (unsigned long long)layout, KNOWN_LAYOUT);
	return WL_OK;
}

static bool take_block(struct wl_wire *file, struct block *ret)
{
	struct wl_wire header;
	struct wl_wire_field f;
	uint64_t bytes = 0;
	int more;

	*ret = (struct block){ .n_sources = 0 };
	if (!take_message(file, &header))
		return false;
	while ((more = wl_wire_next(&header, &f)) > 0) {
		if (f.number == BLOCK_STRINGS && f.type == WL_WIRE_BYTES)
			ret->strings = f.bytes;
		else if (f.type == WL_WIRE_VARINT && f.number == BLOCK_SOURCES)
			ret->n_sources = f.value;
		else if (f.type == WL_WIRE_VARINT && f.number == BLOCK_RESULTS)
			ret->n_results = f.value;
		else if (f.type == WL_WIRE_VARINT && f.number == BLOCK_RANGES)
			ret->n_ranges = f.value;
		else if (f.type == WL_WIRE_VARINT && f.number == BLOCK_BYTES)
			bytes = f.value;
	}
	return more == 0 && wl_wire_take(file, bytes, &ret->payload);
}

/* Copies a text; "" if it is absent. */
static const char *copy(struct reading *r, struct wl_wire text)
{
	size_t n_replaced;

	return text.at ? wl_utf8_clean_dup(r->arena, (const char *)text.at,
					   (size_t)(text.end - text.at), &n_replaced)
		       : "";
}

static int add_strings(struct reading *r, struct wl_wire strings)
{
	struct wl_wire_field f;
	int more;

	while ((more = wl_wire_next(&strings, &f)) > 0) {
		const char *text;

		if (f.number != STRINGS_TEXT || f.type != WL_WIRE_BYTES)
			continue;
		text = copy(r, f.bytes);
		if (!text)
			return fail_memory(r);
		wl_vec_push(&r->ncu->metrics, &text);
	}
	return more < 0 ? fail_damaged(r) : WL_OK;
}

/* Reads a non-text value as a number; an unknown kind is skipped. */
static bool take_number(const struct wl_wire_field *f, double *ret)
{
	uint32_t bits = (uint32_t)f->value;
	float narrow;

	if (f->number == VALUE_DOUBLE && f->type == WL_WIRE_64) {
		memcpy(ret, &f->value, sizeof(*ret));
	} else if (f->number == VALUE_FLOAT && f->type == WL_WIRE_32) {
		memcpy(&narrow, &bits, sizeof(narrow));
		*ret = (double)narrow;
	} else if ((f->number == VALUE_U32 || f->number == VALUE_U64) &&
		   f->type == WL_WIRE_VARINT) {
		*ret = (double)f->value;
	} else {
		return false;
	}
	return true;
}

static int add_value(struct reading *r, uint64_t metric, struct wl_wire value)
{
	struct wl_wire_field f;
	int more = wl_wire_next(&value, &f);
	struct wl_ncu_value v = { .metric = (uint32_t)metric };

	if (more < 0 || metric >= r->ncu->metrics.n)
		return fail_damaged(r);
	if (more == 0)
		return WL_OK;
	if (f.number == VALUE_TEXT && f.type == WL_WIRE_BYTES) {
		v.text = copy(r, f.bytes);
		if (!v.text)
			return fail_memory(r);
	} else if (!take_number(&f, &v.number)) {
		return WL_OK;
	}
	wl_vec_push(&r->ncu->values, &v);
	return WL_OK;
}

/* A metric without a value was not collected. */
static int add_metric(struct reading *r, struct wl_wire metric)
{
	struct wl_wire_field f;
	struct wl_wire value = { NULL, NULL };
	uint64_t name = 0;
	int more;

	while ((more = wl_wire_next(&metric, &f)) > 0) {
		if (f.number == METRIC_NAME && f.type == WL_WIRE_VARINT)
			name = f.value;
		else if (f.number == METRIC_VALUE && f.type == WL_WIRE_BYTES)
			value = f.bytes;
	}
	if (more < 0)
		return fail_damaged(r);
	return value.at ? add_value(r, name, value) : WL_OK;
}

/* Reads three numbers, fields 1 to 3. */
static bool take_dims(struct wl_wire dims, uint32_t ret[3])
{
	struct wl_wire_field f;
	int more;

	while ((more = wl_wire_next(&dims, &f)) > 0) {
		if (f.number <= 3 && f.type == WL_WIRE_VARINT)
			ret[f.number - 1] = f.value > UINT32_MAX ? UINT32_MAX : (uint32_t)f.value;
	}
	return more == 0;
}

static int64_t signed_of(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static int take_field(struct reading *r, const struct wl_wire_field *f, struct wl_ncu_launch *l,
		      struct wl_wire name[RESULT_DEMANGLED + 1])
{
	bool ok = true;

	if (f->type == WL_WIRE_VARINT) {
		if (f->number == RESULT_PID)
			l->pid = signed_of(f->value);
		else if (f->number == RESULT_CONTEXT)
			l->context = signed_of(f->value);
		else if (f->number == RESULT_STREAM)
			l->stream = signed_of(f->value);
	} else if (f->type == WL_WIRE_BYTES) {
		if (f->number >= RESULT_MANGLED && f->number <= RESULT_DEMANGLED)
			name[f->number] = f->bytes;
		else if (f->number == RESULT_GRID)
			ok = take_dims(f->bytes, l->grid);
		else if (f->number == RESULT_BLOCK)
			ok = take_dims(f->bytes, l->block);
		else if (f->number == RESULT_METRIC)
			return add_metric(r, f->bytes);
	}
	return ok ? WL_OK : fail_damaged(r);
}

static int add_result(struct reading *r, struct wl_wire result)
{
	struct wl_wire name[RESULT_DEMANGLED + 1] = { { NULL, NULL } };
	struct wl_wire_field f;
	struct wl_ncu_launch l = { .id = (int64_t)r->ncu->launches.n,
				   .pid = -1,
				   .context = -1,
				   .stream = -1,
				   .device = -1,
				   .first = r->ncu->values.n };
	size_t best = RESULT_DEMANGLED;
	int more, rc = WL_OK;

	while (rc == WL_OK && (more = wl_wire_next(&result, &f)) != 0)
		rc = more < 0 ? fail_damaged(r) : take_field(r, &f, &l, name);
	if (rc < 0)
		return rc;
	while (best > RESULT_MANGLED && name[best].at == name[best].end)
		best--;
	l.kernel = copy(r, name[best]);
	l.n = r->ncu->values.n - l.first;
	if (!l.kernel)
		return fail_memory(r);
	wl_vec_push(&r->ncu->launches, &l);
	return WL_OK;
}

static int add_results(struct reading *r, struct block *b)
{
	struct wl_wire message;
	int rc = WL_OK;

	for (uint64_t i = 0; i < b->n_sources; i++) {
		if (!take_message(&b->payload, &message))
			return fail_damaged(r);
	}
	for (uint64_t i = 0; rc == WL_OK && i < b->n_results; i++)
		rc = take_message(&b->payload, &message) ? add_result(r, message) : fail_damaged(r);
	if (b->n_ranges > (uint64_t)(b->payload.end - b->payload.at))
		return fail_damaged(r);
	r->ncu->n_ranges += b->n_ranges;
	return rc;
}

/* Strings may be in a later block than the metrics that use them, so they are read first. */
static int read_blocks(struct reading *r, bool is_strings)
{
	struct wl_wire file = r->file;
	struct block b;
	int rc = WL_OK;

	while (rc == WL_OK && file.at < file.end) {
		if (!take_block(&file, &b))
			return fail_damaged(r);
		if (!is_strings)
			rc = add_results(r, &b);
		else if (b.strings.at)
			rc = add_strings(r, b.strings);
	}
	return rc;
}

int wl_ncu_rep_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		     struct wl_ncu *ret, struct wl_err *reterr)
{
	struct reading r = { .name = name,
			     .file = { bytes + sizeof(magic), bytes + n },
			     .arena = arena,
			     .ncu = ret,
			     .reterr = reterr };
	int rc = check_layout(&r);

	if (rc == WL_OK)
		rc = read_blocks(&r, true);
	if (rc == WL_OK && ret->metrics.failed)
		rc = fail_memory(&r);
	if (rc == WL_OK)
		rc = read_blocks(&r, false);
	return rc;
}
