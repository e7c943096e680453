/* SPDX-License-Identifier: MIT */
/*
 * rows.c - decodes the rows of leaf pages: the hot loop of reading.
 *
 * A cell of a leaf is: payload size, rowid, the record, and the first overflow page if the record
 * does not fit. Each number from the page is checked before it is used as an offset. Integers are
 * then read as the eight bytes that end where the field ends; these are in the page because at
 * least eight bytes of page header precede every field.
 */
#include "read/pages/rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "read/pages/layout.h"

/* Two varints of nine bytes: a cell that begins at least this far from the page's end needs no
 * checks. */
enum { CELL_HEAD = 18 };

struct reading {
	struct wl_rows *rows;
	const uint8_t *page, *page_end; /* the leaf, without its reserved bytes */
	struct wl_record_layouts layouts;
	struct wl_batch_column *column; /* of the batch */
	size_t n;                       /* rows in it */
	uint32_t all_ok, all_null;      /* columns that are OK, or NULL, in all rows */
	uint32_t ok[WL_BATCH_ROWS], null[WL_BATCH_ROWS];
	struct wl_vec text;  /* of the batch */
	struct wl_vec whole; /* a record assembled from overflow pages */
	struct wl_trail trail;
	const char *why;
};

/* One cell. The record's first n bytes are contiguous. */
struct cell {
	int64_t rowid;
	uint64_t size;        /* of the record */
	const uint8_t *local; /* its first bytes, in the page */
	size_t n_local;
	const uint8_t *record; /* the same, or a longer copy in a buffer after gather() */
	size_t n;
	uint32_t overflow; /* page with the bytes after the local ones; 0 if there are none */
};

static bool strange(struct reading *r, const char *why)
{
	r->why = why;
	return false;
}

/* How many bytes of a large record SQLite keeps in the page. */
static uint32_t local_bytes(const struct wl_db_file *db, uint64_t size)
{
	uint32_t most = db->usable - 35, least = (db->usable - 12) * 32 / 255 - 23;
	uint32_t n = least + (uint32_t)((size - least) % (db->usable - 4));

	return n <= most ? n : least;
}

/* For records of less than 16 kB whose cell begins far from the page's end: nearly all of them. */
static inline const uint8_t *open_quickly(const uint8_t *p, struct cell *ret)
{
	uint64_t rowid = 0;
	int i = 0;

	ret->size = p[0] < 0x80 ? p[0] : (uint64_t)(p[0] & 0x7f) << 7 | p[1];
	p += p[0] < 0x80 ? 1 : 2;
	for (; i < 8 && *p >= 0x80; i++)
		rowid = rowid << 7 | (*p++ & 0x7f);
	rowid = i < 8 ? rowid << 7 | *p : rowid << 8 | *p;
	ret->rowid = (int64_t)rowid;
	return p + 1;
}

/* Find the record of the cell at p; adds the bytes it occupies in the page to *bytes. */
static inline bool open_cell(struct reading *r, const uint8_t *p, struct cell *ret, uint32_t *bytes)
{
	const struct wl_db_file *db = r->rows->db;
	const uint8_t *begin = p;

	if ((size_t)(r->page_end - p) >= CELL_HEAD && (p[0] < 0x80 || p[1] < 0x80)) {
		p = open_quickly(p, ret);
	} else {
		uint64_t rowid = 0;

		p = wl_varint(p, r->page_end, &ret->size);
		p = p ? wl_varint(p, r->page_end, &rowid) : NULL;
		if (!p)
			return strange(r, "a cell that leaves its page");
		ret->rowid = (int64_t)rowid;
	}
	ret->record = p;
	ret->overflow = 0;
	ret->n = ret->size;
	if (ret->size > db->usable - 35) {
		if (ret->size > WL_MAX_RECORD)
			return strange(r, "a record that is too large");
		ret->n = local_bytes(db, ret->size);
		if (ret->n + 4 > (size_t)(r->page_end - p))
			return strange(r, "a cell that leaves its page");
		ret->overflow = wl_be32(p + ret->n);
		*bytes += 4;
	} else if (ret->n > (size_t)(r->page_end - p)) {
		return strange(r, "a cell that leaves its page");
	}
	*bytes += (uint32_t)(p - begin) + (uint32_t)ret->n;
	ret->local = p;
	ret->n_local = ret->n;
	return true;
}

/* Copy the record's first bytes together, so that `need` of them are contiguous. */
static bool gather(struct reading *r, struct cell *c, size_t need)
{
	const struct wl_db_file *db = r->rows->db;
	uint32_t room = db->usable - 4, number = c->overflow;
	uint8_t *to;

	if (need > c->size)
		return strange(r, "a record of another size than its header says");
	/* Cycles of overflow pages could be read forever, so the file's size bounds the total. */
	if (atomic_fetch_sub(&r->rows->overflow_left, (int64_t)need) < (int64_t)need)
		return strange(r, "more overflow than the file has room for");
	r->whole.n = 0;
	/* Eight bytes before the first byte, for reading small integers. */
	to = wl_vec_extend(&r->whole, need + 8);
	if (!to)
		return false;
	memset(to, 0, 8);
	to += 8;
	memcpy(to, c->local, c->n_local < need ? c->n_local : need);
	for (size_t have = c->n_local; have < need;) {
		const uint8_t *page = wl_db_page(db, number);
		size_t n = need - have < room ? need - have : room;

		if (!page)
			return strange(r, "an overflow page beyond the file");
		memcpy(to + have, page + 4, n);
		have += n;
		number = wl_be32(page);
	}
	c->record = to;
	c->n = need;
	return true;
}

/* The layout of a record whose header is not kept or not entirely in the page. */
static const struct wl_record_layout *work_out(struct reading *r, struct cell *c)
{
	struct wl_record_layout *layout = r->layouts.unkept;
	uint64_t header;
	const char *why;

	if (!wl_varint(c->record, c->record + c->n, &header)) {
		(void)strange(r, "a record with a broken header");
		return NULL;
	}
	if (header > c->n && !gather(r, c, header))
		return NULL;
	why = wl_record_layout_parse(&r->layouts, c->record, c->n, layout);
	if (why)
		(void)strange(r, why);
	return why ? NULL : layout;
}

static inline uint64_t load_word(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
	return w;
}

/* Parse a header that is seen for the first time, and keep its layout. */
static const struct wl_record_layout *learn(struct reading *r, const struct cell *c,
					    struct wl_record_layout *slot, uint64_t tail,
					    size_t last)
{
	const char *why = wl_record_layout_parse(&r->layouts, c->record, c->n, slot);

	if (why) {
		slot->n_bytes = 0;
		(void)strange(r, why);
		return NULL;
	}
	memcpy(slot->word, c->record, last * 8);
	slot->word[last] = tail;
	return slot;
}

/* The layout of the record: found by its header's bytes, or parsed and kept. */
static inline const struct wl_record_layout *find_layout(struct reading *r, struct cell *c)
{
	static const uint64_t factor[WL_LAYOUT_WORDS] = {
		UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9),
		UINT64_C(0x94d049bb133111eb), UINT64_C(0xd6e8feb86659fd93),
		UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
		UINT64_C(0x8ebc6af09c88c6e3), UINT64_C(0x589965cc75374cc3)
	};
	const uint8_t *p = c->record;
	size_t n_bytes = c->n ? p[0] : 0, last = (n_bytes - 1) / 8;
	uint64_t tail, sum, differ;
	struct wl_record_layout *slot;

	/* A first byte of 0x80 or more starts a header size that exceeds what is kept. */
	if (n_bytes == 0 || n_bytes > WL_LAYOUT_BYTES || n_bytes > c->n ||
	    (last + 1) * 8 > (size_t)(r->page_end - p))
		return work_out(r, c);
	tail = load_word(p + last * 8) << (7 - (n_bytes - 1) % 8) * 8;
	sum = tail * factor[last];
	for (size_t i = 0; i < last; i++)
		sum += load_word(p + i * 8) * factor[i];
	slot = &r->layouts.slot[(sum ^ sum >> 32) * factor[0] >> r->layouts.shift];
	differ = slot->n_bytes ^ n_bytes;
	differ |= tail ^ slot->word[last];
	for (size_t i = 0; i < last; i++)
		differ |= load_word(p + i * 8) ^ slot->word[i];
	return differ ? learn(r, c, slot, tail, last) : slot;
}

/* Which of the eight bytes are the value, and its sign bit. Absent kinds read as 0. */
static const struct {
	uint64_t mask, sign, less;
} ints[WL_N_FIELD_KINDS] = {
	[WL_FIELD_ZERO] = { 0, 0, 0 }, [WL_FIELD_ONE] = { 0, 1, 0 },
#define INT(bits)                                                                                  \
	{                                                                                          \
		UINT64_MAX >> (64 - (bits)), (uint64_t)1 << ((bits)-1), (uint64_t)1 << ((bits)-1)  \
	}
	[WL_FIELD_I8] = INT(8),        [WL_FIELD_I16] = INT(16),     [WL_FIELD_I24] = INT(24),
	[WL_FIELD_I32] = INT(32),      [WL_FIELD_I48] = INT(48),     [WL_FIELD_I64] = INT(64),
#undef INT
};

static inline int64_t take_int(const uint8_t *record, const struct wl_field *f)
{
	uint64_t w = __builtin_bswap64(load_word(record + f->end - 8));

	return (int64_t)(((w & ints[f->kind].mask) ^ ints[f->kind].sign) - ints[f->kind].less);
}

/* A real, or an integer stored in its place. */
static void take_real(struct reading *r, size_t i, double d)
{
	uint32_t bit = (uint32_t)1 << i;
	enum wl_want want = r->rows->scan->want[i];
	struct wl_batch_column *c = &r->column[i];

	c->value[r->n] = 0;
	if (isnan(d))
		r->null[r->n] |= bit;
	else if (want == WL_WANT_PRESENT ||
		 (want == WL_WANT_INT && wl_integral(d, &c->value[r->n])))
		r->ok[r->n] |= bit;
}

static bool take_text(struct reading *r, size_t i, const uint8_t *from, uint32_t size)
{
	struct wl_batch_column *c = &r->column[i];
	void *copy = wl_vec_extend(&r->text, size);

	if (!copy)
		return false;
	if (size)
		memcpy(copy, from, size);
	c->value[r->n] = (int64_t)(r->text.n - size);
	c->len[r->n] = size;
	return true;
}

static bool take_special(struct reading *r, const struct cell *c,
			 const struct wl_record_layout *layout)
{
	for (uint32_t left = layout->special; left; left &= left - 1) {
		size_t i = (size_t)__builtin_ctz(left);
		const struct wl_field *f = &layout->field[i];
		uint64_t bits;
		double d;

		switch (f->kind) {
		case WL_FIELD_ROWID:
			r->column[i].value[r->n] = c->rowid;
			break;
		case WL_FIELD_TEXT:
			if (!take_text(r, i, c->record + f->end - layout->size[i], layout->size[i]))
				return false;
			break;
		case WL_FIELD_REAL:
			bits = __builtin_bswap64(load_word(c->record + f->end - 8));
			memcpy(&d, &bits, sizeof(d));
			take_real(r, i, d);
			break;
		default:
			take_real(r, i, (double)take_int(c->record, f));
			break;
		}
	}
	return true;
}

static inline bool take_row(struct reading *r, const uint8_t *p, uint32_t *bytes)
{
	size_t n_columns = r->rows->scan->n_columns;
	const struct wl_record_layout *layout;
	struct cell c;

	if (!open_cell(r, p, &c, bytes))
		return false;
	layout = find_layout(r, &c);
	if (!layout)
		return false;
	if (layout->total != c.size)
		return strange(r, "a record of another size than its header says");
	if (layout->need > c.n && !gather(r, &c, layout->need))
		return false;
	for (size_t i = 0; i < n_columns; i++)
		r->column[i].value[r->n] = take_int(c.record, &layout->field[i]);
	r->ok[r->n] = layout->ok;
	r->null[r->n] = layout->null;
	if (layout->special && !take_special(r, &c, layout))
		return false;
	r->all_ok &= r->ok[r->n];
	r->all_null &= r->null[r->n];
	r->n++;
	return true;
}

static int hand_over(struct reading *r, wl_batch_fn *fn, void *ctx, struct wl_err *reterr)
{
	const struct wl_batch batch = { r->n, r->column, r->text.data };
	int result;

	for (size_t i = 0; i < r->rows->scan->n_columns; i++) {
		struct wl_batch_column *c = &r->column[i];

		c->all_ok = r->all_ok >> i & 1;
		c->all_null = r->all_null >> i & 1;
		for (size_t k = 0; !c->all_ok && !c->all_null && k < r->n; k++)
			c->state[k] = r->ok[k] >> i & 1     ? WL_CELL_OK
				      : r->null[k] >> i & 1 ? WL_CELL_NULL
							    : WL_CELL_MISTYPED;
	}
	result = r->n ? fn(ctx, &batch, reterr) : WL_OK;
	r->n = 0;
	r->all_ok = r->all_null = UINT32_MAX;
	r->text.n = 0;
	return result;
}

static int stop(const struct reading *r, struct wl_err *reterr)
{
	if (r->why)
		return wl_fail(reterr, WL_E_RETRY, "%s: table %s: %s", r->rows->path,
			       r->rows->scan->table, r->why);
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the text of %s", r->rows->path,
		       r->rows->scan->table);
}

static int read_leaf(struct reading *r, size_t leaf, wl_batch_fn *fn, void *ctx,
		     struct wl_err *reterr)
{
	const struct wl_db_file *db = r->rows->db;
	uint32_t number = ((const uint32_t *)r->rows->leaves->page.data)[leaf];
	uint32_t n_cells = ((const uint16_t *)r->rows->leaves->cells.data)[leaf];
	uint32_t bytes = 0, first = wl_db_header_at(number) + 8 + 2 * n_cells;
	const uint8_t *pointer;
	int result = WL_OK;

	wl_db_step(db, &r->trail, number);
	r->page = wl_db_page(db, number);
	r->page_end = r->page + db->usable;
	pointer = r->page + wl_db_header_at(number) + 8;
	for (uint32_t i = 0; result == WL_OK && i < n_cells; i++, pointer += 2) {
		uint32_t at = wl_be16(pointer);

		/* Cells that share bytes could turn a small page into many rows. */
		if (at < first || at >= db->usable || !take_row(r, r->page + at, &bytes) ||
		    bytes > db->usable) {
			if (!r->why && !r->text.failed && !r->whole.failed)
				(void)strange(r, "a cell that leaves its page");
			return stop(r, reterr);
		}
		if (r->n == WL_BATCH_ROWS || r->text.n > WL_BATCH_TEXT)
			result = hand_over(r, fn, ctx, reterr);
	}
	return result;
}

static void reading_free(struct reading *r)
{
	wl_record_layouts_release(&r->layouts);
	wl_vec_release(&r->text);
	wl_vec_release(&r->whole);
	free(r->column);
	free(r);
}

/* For this many leaves; NULL if out of memory. */
static struct reading *reading_new(struct wl_rows *rows, size_t n_leaves)
{
	enum { FEW_LEAVES = 16 };
	unsigned bits = n_leaves > FEW_LEAVES ? WL_LAYOUT_BITS : WL_LAYOUT_FEW_BITS;
	struct reading *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->rows = rows;
	r->all_ok = r->all_null = UINT32_MAX;
	wl_vec_init(&r->text, 1, rows->budget);
	wl_vec_init(&r->whole, 1, rows->budget);
	r->column = calloc(rows->scan->n_columns, sizeof(*r->column));
	if (wl_record_layouts_init(&r->layouts, rows->scan, rows->shape, bits) && r->column)
		return r;
	reading_free(r);
	return NULL;
}

int wl_rows_read(struct wl_rows *rows, size_t begin, size_t end, wl_batch_fn *fn, void *ctx,
		 struct wl_err *reterr)
{
	struct reading *r = reading_new(rows, end - begin);
	int result = WL_OK;

	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read %s", rows->path,
			       rows->scan->table);
	for (size_t i = begin; result == WL_OK && i < end; i++) {
		if (rows->cancel && *rows->cancel)
			result = wl_fail(reterr, WL_E_CANCELED, "%s: stopped", rows->path);
		else
			result = read_leaf(r, i, fn, ctx, reterr);
	}
	if (result == WL_OK)
		result = hand_over(r, fn, ctx, reterr);
	if (result == WL_E_RETRY)
		atomic_store(&rows->why, r->why);
	reading_free(r);
	return result;
}
