/* SPDX-License-Identifier: MIT */
#include "facts/file.h"

#include <assert.h>
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
#include "base/text/utf8.h"
#include "facts/coding.h"
#include "facts/order.h"
#include "store/record.h"

/* The first bytes of every file; the number is the version of the format. */
static const char begins[] = "{\"schema\":\"warplens-facts/1\",";

enum {
	/* Small blocks are packed as tightly as possible, large ones in reasonable time. */
	SMALL = 4 << 20,
	TIGHT = 19,
	FAST = 5,
	QUICK = 3,
	MAX_HEADER = 64 << 10,
	/* Ratio of all unpacked blocks to the file: 11 in real files, far more for single
	 * blocks. */
	MAX_RATIO = 256,
	SLACK = 1 << 20, /* a file with few rows is mostly header */
	/* Table cells per byte of the file: 4 for a trace of 3000 equal steps, 7 for real ones. */
	MAX_CELLS = 32,
	SLACK_CELLS = 1 << 18,
	ID = 32, /* digits of an id */
	HEX = 17,
	MAX_COLUMNS = 64, /* of a table */
};

/* The merged facts of 100,000 ranks take 5 GB. */
static const size_t max_raw = (size_t)8 << 30;

/* The texts, one block per kept table, and the answers. */
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

/* Append a block, not yet packed. */
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

	/* The id is a hash of the rows without it. */
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

/* A block's entry in the first line of the file. */
struct block {
	const char *name;
	size_t rows, raw, size;
	const char *sum;
	const char *column[MAX_COLUMNS]; /* of tables */
	size_t n_columns;
};

struct header {
	size_t ranks;
	const struct block *block;
	size_t n;
};

static const struct wl_record_member block_members[] = {
	WL_KEEP(block, "name", TEXT, name, 0),
	WL_KEEP(block, "rows", COUNT, rows, 0),
	WL_KEEP(block, "raw", COUNT, raw, 0),
	WL_KEEP(block, "size", COUNT, size, 0),
	WL_KEEP(block, "sum", TEXT, sum, 0),
	WL_KEEP_ARRAY(block, "columns", TEXTS, column, n_columns, MAX_COLUMNS, WL_LEFT_OUT),
};
static const struct wl_record block_record = WL_RECORD(block, block_members);
static const struct wl_record_member header_members[] = {
	WL_KEEP(header, "ranks", COUNT, ranks, 0),
	WL_KEEP_ARRAY(header, "blocks", ROWS, block, n, N_BLOCKS, WL_IN_LINE, .of = &block_record),
};
static const struct wl_record header_record = WL_RECORD(header, header_members);
static const struct wl_record_head head = {
	.schema = "warplens-facts/1",
	.what = "a file of facts",
	.again = "write the facts again from the trace: warplens facts TRACE",
};

/* A block's name and columns, as this program knows them. */
static struct block known_block(size_t b)
{
	struct block block = { .name = block_name(b) };

	if (b == TEXTS || b == ANSWERS)
		return block;
	for (size_t c = wl_facts_tables[b - FIRST_TABLE].first;
	     c < wl_facts_end((enum wl_facts_table_id)(b - FIRST_TABLE)); c++) {
		assert(block.n_columns < MAX_COLUMNS);
		block.column[block.n_columns++] = wl_facts_columns[c].name;
	}
	return block;
}

static void write_sum(uint64_t sum, char ret[HEX])
{
	(void)snprintf(ret, HEX, "%016" PRIx64, sum);
}

/* Append the line that describes the file; false without memory. */
static bool put_header(const struct header *header, struct wl_vec *bytes)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool ok;

	if (!out)
		return false;
	wl_record_write(&head, &header_record, header, out);
	ok = fclose(out) == 0;
	if (ok)
		put_bytes(bytes, text, n);
	free(text);
	return ok && !bytes->failed;
}

static int level_of(enum wl_facts_effort effort, size_t n)
{
	if (effort == WL_FACTS_QUICKLY)
		return QUICK;
	return n < SMALL ? TIGHT : FAST;
}

bool wl_facts_encode(const struct wl_facts *f, enum wl_facts_effort effort, struct wl_vec *bytes)
{
	struct block block[N_BLOCKS];
	char sum[N_BLOCKS][HEX];
	struct header header = { f->n[WL_FACTS_RANKS], block, 0 };
	struct wl_vec raw, packed;
	bool ok = !f->failed;

	wl_vec_init(&raw, 1, f->budget);
	wl_vec_init(&packed, 1, f->budget);
	for (size_t b = 0; ok && b < N_BLOCKS; b++) {
		size_t before = packed.n;
		struct block *k = &block[header.n];

		if (!is_block(b))
			continue;
		raw.n = 0;
		ok = encode_block(f, b, &raw) &&
		     wl_zst_pack(raw.data, raw.n, level_of(effort, raw.n), &packed);
		*k = known_block(b);
		k->rows = block_rows(f, b);
		k->raw = raw.n;
		k->size = packed.n - before;
		write_sum(wl_checksum(raw.data, raw.n), sum[header.n]);
		k->sum = sum[header.n++];
	}
	wl_vec_release(&raw);
	ok = ok && put_header(&header, bytes);
	if (ok)
		put_bytes(bytes, packed.data, packed.n);
	wl_vec_release(&packed);
	return ok && !bytes->failed;
}

/* A file being read. */
struct reading {
	const char *name;
	struct wl_facts *facts;
	uint32_t tables;         /* the wanted tables, as bits */
	const unsigned char *at; /* the next block */
	size_t left;
	size_t raw;   /* bytes that the remaining blocks may unpack to */
	size_t cells; /* cells that the remaining tables may have */
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

/* Whether the columns are the ones that this program knows, in its order. */
static bool is_known(const struct block *block, size_t b)
{
	const struct block known = known_block(b);
	bool ok = strcmp(block->name, known.name) == 0 && block->n_columns == known.n_columns;

	for (size_t i = 0; ok && i < known.n_columns; i++)
		ok = strcmp(block->column[i], known.column[i]) == 0;
	return ok;
}

static bool has_sum(const struct block *block, const void *raw)
{
	char sum[HEX];

	write_sum(wl_checksum(raw, block->raw), sum);
	return strcmp(sum, block->sum) == 0;
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

/* The unpacked block becomes the store of the answers, without a second copy. */
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

/* A cell takes at least one unpacked byte, and up to eight bytes in memory. */
static bool take_cells(struct reading *r, const struct block *block)
{
	size_t columns = block->n_columns ? block->n_columns : 1;

	if (block->rows > r->cells / columns)
		return false;
	r->cells -= block->rows * columns;
	return true;
}

static int read_block(struct reading *r, size_t b, const struct block *block)
{
	struct wl_vec raw;
	char *to;
	int status;

	if (!is_known(block, b))
		return wl_fail(r->reterr, WL_E_FORMAT,
			       "%.200s: these facts have other columns than this version of "
			       "warplens knows; %s",
			       r->name, head.again);
	if (block->size > r->left || block->raw > r->raw || block->rows > block->raw ||
	    block->rows >= WL_NONE || !take_cells(r, block))
		return damaged(r, block_name(b));
	r->raw -= block->raw;
	wl_vec_init(&raw, 1, r->facts->budget);
	to = wl_vec_extend(&raw, block->raw + 1);
	if (!to)
		return no_memory(r);
	if (!wl_zst_unpack(r->at, block->size, to, block->raw) || !has_sum(block, to))
		status = damaged(r, block_name(b));
	else if (b == TEXTS)
		status = read_texts(r, to, block);
	else if (b == ANSWERS)
		status = read_answers(r, &raw, block);
	else
		status = r->tables >> (b - FIRST_TABLE) & 1
				 ? read_table(r, b - FIRST_TABLE, to, block)
				 : WL_OK;
	wl_vec_release(&raw);
	r->at += block->size;
	r->left -= block->size;
	return status;
}

static int read_blocks(struct reading *r, const struct header *header)
{
	size_t i = 0;
	int status = WL_OK;

	for (size_t b = 0; status == WL_OK && b < N_BLOCKS; b++) {
		if (!is_block(b))
			continue;
		if (i == header->n)
			return damaged(r, "a block is missing");
		status = read_block(r, b, &header->block[i++]);
	}
	if (status == WL_OK && (i != header->n || r->left != 0))
		status = damaged(r, "bytes after the last block");
	if (status == WL_OK && !wl_facts_is_settled(r->facts))
		status = damaged(r, "rows are out of order");
	return status;
}

/* The bytes of a file, and its wanted tables. */
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
	struct header header = { .n = 0 };
	struct wl_json *line;
	struct wl_arena arena;
	int status;

	if (!nl)
		return wl_fail(reterr, WL_E_FORMAT,
			       "%.200s: these are no facts, or of another version of warplens; %s",
			       name, head.again);
	if (wl_json_parse(text, (size_t)(nl - text), name, &line, NULL) < 0)
		return damaged(&r, "the first line");
	wl_facts_init(ret, budget);
	r.at = (const unsigned char *)nl + 1;
	r.left = n - (size_t)(nl + 1 - text);
	r.raw = n < max_raw / MAX_RATIO ? SLACK + n * MAX_RATIO : max_raw;
	r.cells = SLACK_CELLS + (n < SIZE_MAX / MAX_CELLS ? n * MAX_CELLS : SIZE_MAX / 2);
	wl_arena_init_on(&arena, budget);
	status = wl_record_read(&head, &header_record, line, name, &arena, &header, reterr);
	wl_json_free(line);
	if (status == WL_OK)
		status = read_blocks(&r, &header);
	wl_arena_release(&arena);
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
	if (!wl_facts_encode(f, WL_FACTS_AS_KEPT, &bytes)) {
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
	/* Every version begins with this: another version is refused with its own message. */
	size_t schema = sizeof("{\"schema\":\"warplens-facts/") - 1;

	if (fd >= 0)
		(void)close(fd);
	return n >= (ssize_t)schema && memcmp(first, begins, schema) == 0;
}
