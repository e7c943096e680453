/* SPDX-License-Identifier: MIT */
#include "facts/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/checksum.h"
#include "base/file/file.h"
#include "base/file/map.h"
#include "base/file/sha256.h"
#include "base/file/varint.h"
#include "base/file/zst.h"
#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "base/text/utf8.h"
#include "facts/coding.h"
#include "facts/order.h"
#include "known/definitions.h"
#include "store/record.h"

/* The first bytes of every file; the number is the version of the format. */
static const char begins[] = "{\"schema\":\"warplens-facts/1\",";

enum {
	/* Small blocks are packed as tightly as it goes, large ones in reasonable time. */
	SMALL = 4 << 20,
	TIGHT = 19,
	FAST = 5,
	MAX_HEADER = 64 << 10,
	/* All blocks together against the file: real ones have 11, and single ones far more. */
	MAX_RATIO = 256,
	SLACK = 1 << 20, /* a file of few rows is mostly its header */
	/* All cells of tables against the file: a trace of 3000 equal steps has 4, real ones 7. */
	MAX_CELLS = 32,
	SLACK_CELLS = 1 << 18,
	ID = 32, /* digits of an id */
	HEX = 17,
};

/* Facts of 100,000 ranks, merged, have 5 GB. */
static const size_t max_raw = (size_t)8 << 30;

/* The texts, a block per table that is kept, and the answers. */
enum { TEXTS, FIRST_TABLE, ANSWERS = FIRST_TABLE + WL_FACTS_N_TABLES, N_BLOCKS };

static bool is_block(size_t block)
{
	return block == TEXTS || block == ANSWERS ||
	       wl_facts_tables[block - FIRST_TABLE].origin == WL_FACTS_KEPT;
}

static const char *block_name(size_t block)
{
	if (block == TEXTS)
		return "texts";
	return block == ANSWERS ? "answers" : wl_facts_tables[block - FIRST_TABLE].name;
}

static size_t block_rows(const struct wl_facts *f, size_t block)
{
	if (block == TEXTS)
		return f->texts.at.n;
	return block == ANSWERS ? f->answers.item.n : f->n[block - FIRST_TABLE];
}

static void put_bytes(struct wl_vec *bytes, const void *from, size_t n)
{
	void *to = n ? wl_vec_extend(bytes, n) : NULL;

	if (to)
		memcpy(to, from, n);
}

static void encode_answers(const struct wl_facts_answers *a, struct wl_vec *bytes)
{
	const struct wl_facts_answer *item = a->item.data;
	const char *all = a->bytes.data;

	for (size_t i = 0; i < a->item.n; i++) {
		put_bytes(bytes, all + item[i].name, strlen(all + item[i].name) + 1);
		wl_facts_put_varint(bytes, item[i].n);
		put_bytes(bytes, all + item[i].at, item[i].n);
	}
}

/* A block before it is packed, appended. */
static bool encode_block(const struct wl_facts *f, size_t block, struct wl_vec *bytes)
{
	size_t table = block - FIRST_TABLE;

	if (block == TEXTS) {
		put_bytes(bytes, f->texts.bytes.data, f->texts.bytes.n);
	} else if (block == ANSWERS) {
		encode_answers(&f->answers, bytes);
	} else {
		for (size_t c = wl_facts_tables[table].first;
		     c < wl_facts_end((enum wl_facts_table_id)table); c++) {
			if (!wl_facts_encode_column(f, (enum wl_facts_column_id)c, bytes))
				return false;
		}
	}
	return !bytes->failed;
}

static void set_part(struct wl_facts *f, const char *id)
{
	static const enum wl_facts_column_id columns[] = { WL_FACTS_RANKS_PART,
							   WL_FACTS_FINDINGS_PART,
							   WL_FACTS_COVERAGE_PART };
	uint32_t text = wl_facts_texts_put(&f->texts, id, strlen(id));

	f->failed = f->failed || text == WL_NONE;
	for (size_t i = 0; !f->failed && i < WL_COUNT(columns); i++) {
		uint32_t *v = f->column[columns[i]].data;

		for (size_t row = 0; row < f->n[wl_facts_columns[columns[i]].table]; row++)
			v[row] = text;
	}
}

bool wl_facts_name(struct wl_facts *f)
{
	struct wl_sha256 sum;
	char hex[WL_SHA256_HEX];
	struct wl_vec bytes;
	bool ok;

	/* The id is of what the rows hold without it. */
	set_part(f, "");
	ok = wl_facts_settle(f);
	wl_sha256_init(&sum);
	wl_vec_init(&bytes, 1, f->budget);
	for (size_t b = 0; ok && b < N_BLOCKS; b++) {
		if (!is_block(b))
			continue;
		bytes.n = 0;
		wl_facts_put_varint(&bytes, block_rows(f, b));
		ok = encode_block(f, b, &bytes);
		wl_sha256_put(&sum, bytes.data, bytes.n);
	}
	wl_sha256_finish(&sum, hex);
	wl_vec_release(&bytes);
	hex[ID] = '\0';
	set_part(f, hex);
	return ok && wl_facts_settle(f);
}

const char *wl_facts_id(const struct wl_facts *f)
{
	return f->n[WL_FACTS_RANKS] ? wl_facts_str(f, WL_FACTS_RANKS_PART, 0) : "";
}

struct block {
	size_t rows, raw, size;
	uint64_t sum;
};

static void write_block_line(struct wl_jsonw *w, size_t b, const struct block *block)
{
	char sum[HEX];

	(void)snprintf(sum, sizeof(sum), "%016" PRIx64, block->sum);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "name", block_name(b));
	wl_jsonw_put_i64(w, "rows", (int64_t)block->rows);
	wl_jsonw_put_i64(w, "raw", (int64_t)block->raw);
	wl_jsonw_put_i64(w, "size", (int64_t)block->size);
	wl_jsonw_put_str(w, "sum", sum);
	if (b != TEXTS && b != ANSWERS) {
		size_t table = b - FIRST_TABLE;

		wl_jsonw_open_array(w, "columns");
		for (size_t c = wl_facts_tables[table].first;
		     c < wl_facts_end((enum wl_facts_table_id)table); c++)
			wl_jsonw_str(w, wl_facts_columns[c].name);
		wl_jsonw_end_array(w);
	}
	wl_jsonw_end_object(w);
}

/* The line that describes the file; false without memory. */
static bool put_header(const struct wl_facts *f, const struct block block[N_BLOCKS],
		       struct wl_vec *bytes)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct wl_jsonw w;
	bool ok;

	if (!out)
		return false;
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "schema", "warplens-facts/1");
	wl_jsonw_put_i64(&w, "definitions", WL_DEFINITIONS);
	wl_jsonw_put_i64(&w, "ranks", (int64_t)f->n[WL_FACTS_RANKS]);
	wl_jsonw_open_array(&w, "blocks");
	for (size_t b = 0; b < N_BLOCKS; b++) {
		if (is_block(b))
			write_block_line(&w, b, &block[b]);
	}
	wl_jsonw_end_array(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	ok = fclose(out) == 0;
	if (ok)
		put_bytes(bytes, text, n);
	free(text);
	return ok && !bytes->failed;
}

bool wl_facts_encode(const struct wl_facts *f, struct wl_vec *bytes)
{
	struct block block[N_BLOCKS] = { { 0 } };
	struct wl_vec raw, packed;
	bool ok = !f->failed;

	wl_vec_init(&raw, 1, f->budget);
	wl_vec_init(&packed, 1, f->budget);
	for (size_t b = 0; ok && b < N_BLOCKS; b++) {
		size_t before = packed.n;

		if (!is_block(b))
			continue;
		raw.n = 0;
		ok = encode_block(f, b, &raw) &&
		     wl_zst_pack(raw.data, raw.n, raw.n < SMALL ? TIGHT : FAST, &packed);
		block[b] = (struct block){ block_rows(f, b), raw.n, packed.n - before,
					   wl_checksum(raw.data, raw.n) };
	}
	wl_vec_release(&raw);
	ok = ok && put_header(f, block, bytes);
	if (ok)
		put_bytes(bytes, packed.data, packed.n);
	wl_vec_release(&packed);
	return ok && !bytes->failed;
}

/* A file being read. */
struct reading {
	const char *name;
	struct wl_facts *facts;
	uint32_t tables;         /* that are wanted, as bits */
	const unsigned char *at; /* the next block */
	size_t left;
	size_t raw;   /* bytes that blocks may still unpack to */
	size_t cells; /* that tables may still have */
	struct wl_err *reterr;
};

static int damaged(const struct reading *r, const char *what)
{
	return wl_fail(r->reterr, WL_E_FORMAT, "%.200s: these facts are damaged (%.80s)", r->name,
		       what);
}

static int no_memory(const struct reading *r)
{
	return wl_fail(r->reterr, WL_E_NOMEM, "%.200s: no memory for these facts", r->name);
}

/* A member that is an integer in [0, 2^53]. */
static bool get_size(const struct wl_json *v, const char *key, size_t *ret)
{
	double d;

	if (!wl_json_number(wl_json_member(v, key), &d) || !(d >= 0 && d <= 9007199254740992.0) ||
	    d != (double)(size_t)d)
		return false;
	*ret = (size_t)d;
	return true;
}

static bool get_sum(const struct wl_json *v, uint64_t *ret)
{
	const char *text = wl_json_string(wl_json_member(v, "sum"));
	char *end;

	if (!text || strlen(text) != HEX - 1 || strspn(text, "0123456789abcdef") != HEX - 1)
		return false;
	*ret = strtoull(text, &end, 16);
	return true;
}

/* The columns are those that this program knows, in its order. */
static bool has_columns(const struct wl_json *v, size_t table)
{
	const struct wl_json *columns = wl_json_member(v, "columns");
	size_t first = wl_facts_tables[table].first;
	size_t n = wl_facts_end((enum wl_facts_table_id)table) - first;

	if (!columns || wl_json_type_of(columns) != WL_JSON_ARRAY || wl_json_size(columns) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = wl_json_string(wl_json_at(columns, i));

		if (!name || strcmp(name, wl_facts_columns[first + i].name) != 0)
			return false;
	}
	return true;
}

static int read_texts(struct reading *r, const char *raw, const struct block *block)
{
	const char *at = raw, *end = raw + block->raw;

	for (size_t i = 0; i < block->rows; i++) {
		const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
		uint32_t number;

		if (!nul || !wl_utf8_is_valid(at, (size_t)(nul - at)))
			return damaged(r, "texts");
		number = wl_facts_texts_put(&r->facts->texts, at, (size_t)(nul - at));
		if (number == WL_NONE)
			return no_memory(r);
		if (number != i)
			return damaged(r, "a text is there twice");
		at = nul + 1;
	}
	return at == end ? WL_OK : damaged(r, "texts");
}

/* The unpacked block becomes the store of the answers: there is no second copy of it. */
static int read_answers(struct reading *r, struct wl_vec *raw, const struct block *block)
{
	struct wl_facts_answers *answers = &r->facts->answers;
	const unsigned char *begin, *at, *end;

	wl_vec_release(&answers->bytes);
	answers->bytes = *raw;
	wl_vec_init(raw, 1, r->facts->budget);
	at = begin = answers->bytes.data;
	end = at + block->raw;

	for (size_t i = 0; i < block->rows; i++) {
		const unsigned char *name = at;
		const unsigned char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
		uint64_t n;

		at = nul ? nul + 1 : end;
		if (!nul || !wl_varint_get(&at, end, &n) || n > (size_t)(end - at))
			return damaged(r, "answers");
		wl_vec_push(&answers->item,
			    &(struct wl_facts_answer){ (size_t)(name - begin), (size_t)(at - begin),
						       (size_t)n });
		if (answers->item.failed)
			return no_memory(r);
		at += n;
	}
	return at == end ? WL_OK : damaged(r, "answers");
}

static int read_table(struct reading *r, size_t table, const char *raw, const struct block *block)
{
	struct wl_facts_source from = { .at = (const unsigned char *)raw };

	from.end = from.at + block->raw;
	for (size_t c = wl_facts_tables[table].first;
	     c < wl_facts_end((enum wl_facts_table_id)table); c++) {
		if (!wl_facts_decode_column(r->facts, (enum wl_facts_column_id)c, block->rows,
					    &from))
			return r->facts->failed ? no_memory(r)
						: damaged(r, wl_facts_tables[table].name);
	}
	r->facts->n[table] = block->rows;
	return from.at == from.end ? WL_OK : damaged(r, wl_facts_tables[table].name);
}

/* A cell takes a byte of what is unpacked, and up to eight in memory. */
static bool take_cells(struct reading *r, size_t b, size_t rows)
{
	size_t columns = b == TEXTS || b == ANSWERS
				 ? 1
				 : wl_facts_end((enum wl_facts_table_id)(b - FIRST_TABLE)) -
					   wl_facts_tables[b - FIRST_TABLE].first;

	if (rows > r->cells / columns)
		return false;
	r->cells -= rows * columns;
	return true;
}

static int read_block(struct reading *r, size_t b, const struct wl_json *info)
{
	const char *name = wl_json_string(wl_json_member(info, "name"));
	struct wl_vec raw;
	struct block block;
	char *to;
	int status;

	if (!name || strcmp(name, block_name(b)) != 0 ||
	    (b != TEXTS && b != ANSWERS && !has_columns(info, b - FIRST_TABLE)))
		return wl_fail(r->reterr, WL_E_FORMAT,
			       "%.200s: these facts have other columns than this version of "
			       "warplens knows; write them again from the trace",
			       r->name);
	if (!get_size(info, "rows", &block.rows) || !get_size(info, "raw", &block.raw) ||
	    !get_size(info, "size", &block.size) || !get_sum(info, &block.sum) ||
	    block.size > r->left || block.raw > r->raw || block.rows > block.raw ||
	    block.rows >= WL_NONE || !take_cells(r, b, block.rows))
		return damaged(r, block_name(b));
	r->raw -= block.raw;
	wl_vec_init(&raw, 1, r->facts->budget);
	to = wl_vec_extend(&raw, block.raw + 1);
	if (!to)
		return no_memory(r);
	if (!wl_zst_unpack(r->at, block.size, to, block.raw) ||
	    wl_checksum(to, block.raw) != block.sum)
		status = damaged(r, block_name(b));
	else if (b == TEXTS)
		status = read_texts(r, to, &block);
	else if (b == ANSWERS)
		status = read_answers(r, &raw, &block);
	else
		status = r->tables >> (b - FIRST_TABLE) & 1
				 ? read_table(r, b - FIRST_TABLE, to, &block)
				 : WL_OK;
	wl_vec_release(&raw);
	r->at += block.size;
	r->left -= block.size;
	return status;
}

static int check_definitions(const struct reading *r, const struct wl_json *header)
{
	double definitions = 1;

	(void)wl_json_number(wl_json_member(header, "definitions"), &definitions);
	return wl_store_check_definitions(definitions, r->name,
					  "write the facts again from the trace: warplens facts "
					  "TRACE",
					  r->reterr);
}

static int read_blocks(struct reading *r, const struct wl_json *header)
{
	const struct wl_json *blocks = wl_json_member(header, "blocks");
	size_t n = blocks ? wl_json_size(blocks) : 0, i = 0;
	int status = WL_OK;

	for (size_t b = 0; status == WL_OK && b < N_BLOCKS; b++) {
		if (!is_block(b))
			continue;
		if (i >= n || wl_json_type_of(blocks) != WL_JSON_ARRAY)
			return damaged(r, "no list of blocks");
		status = read_block(r, b, wl_json_at(blocks, i++));
	}
	if (status == WL_OK && (i != n || r->left != 0))
		status = damaged(r, "bytes after the last block");
	if (status == WL_OK && !wl_facts_is_settled(r->facts))
		status = damaged(r, "rows are out of order");
	return status;
}

/* The bytes of a file, and what of it is wanted. */
struct source {
	const void *bytes;
	size_t n;
	const char *name;
	uint32_t tables;
};

static int decode(const struct source *from, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr)
{
	const char *text = from->bytes, *name = from->name;
	size_t n = from->n;
	const char *nl = n >= sizeof(begins) - 1 && memcmp(text, begins, sizeof(begins) - 1) == 0
				 ? memchr(text, '\n', n < MAX_HEADER ? n : MAX_HEADER)
				 : NULL;
	struct reading r = { .name = name, .facts = ret, .tables = from->tables, .reterr = reterr };
	struct wl_json *header;
	int status;

	if (!nl)
		return wl_fail(reterr, WL_E_FORMAT,
			       "%.200s: these are no facts, or of another version of warplens; write "
			       "them again from the trace: warplens facts TRACE",
			       name);
	if (wl_json_parse(text, (size_t)(nl - text), name, &header, NULL) < 0)
		return damaged(&r, "the first line");
	wl_facts_init(ret, budget);
	r.at = (const unsigned char *)nl + 1;
	r.left = n - (size_t)(nl + 1 - text);
	r.raw = n < max_raw / MAX_RATIO ? SLACK + n * MAX_RATIO : max_raw;
	r.cells = SLACK_CELLS + (n < SIZE_MAX / MAX_CELLS ? n * MAX_CELLS : SIZE_MAX / 2);
	status = check_definitions(&r, header);
	if (status == WL_OK)
		status = read_blocks(&r, header);
	wl_json_free(header);
	if (status < 0)
		wl_facts_release(ret);
	return status;
}

int wl_facts_decode(const void *bytes, size_t n, const char *name, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr)
{
	return decode(&(struct source){ bytes, n, name, WL_FACTS_ALL }, budget, ret, reterr);
}

int wl_facts_write(const struct wl_facts *f, const char *path, struct wl_err *reterr)
{
	struct wl_vec bytes;
	struct wl_file file;
	int r;

	wl_vec_init(&bytes, 1, f->budget);
	if (!wl_facts_encode(f, &bytes)) {
		wl_vec_release(&bytes);
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to write these facts", path);
	}
	r = wl_file_begin_nofollow(path, &file, reterr);
	if (r == WL_OK) {
		wl_file_keep_from_others(&file, &f->readers);
		r = wl_file_put(&file, bytes.data, bytes.n, reterr);
		if (r == WL_OK)
			r = wl_file_commit(&file, reterr);
		else
			wl_file_abort(&file);
	}
	wl_vec_release(&bytes);
	return r;
}

int wl_facts_read(const char *path, uint32_t tables, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr)
{
	struct wl_map map = { 0 };
	int r = wl_map_open(path, &map, reterr);

	if (r < 0)
		return r;
	r = decode(&(struct source){ map.data, map.size, path, tables }, budget, ret, reterr);
	if (r == WL_OK && !wl_map_is_whole(&map)) {
		wl_facts_release(ret);
		r = wl_fail(reterr, WL_E_IO, "%.200s: it was cut short while it was read", path);
	}
	wl_map_close(&map);
	return r;
}

bool wl_facts_is_file(const char *path)
{
	char first[sizeof(begins) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : wl_fd_read_at(fd, first, sizeof(first), 0);
	/* Any version begins so: another one is refused with a sentence of its own. */
	size_t schema = sizeof("{\"schema\":\"warplens-facts/") - 1;

	if (fd >= 0)
		(void)close(fd);
	return n >= (ssize_t)schema && memcmp(first, begins, schema) == 0;
}
