/* SPDX-License-Identifier: MIT */
#include "read/pages/db_file.h"

#include "base/num.h"

enum { MIN_USABLE = 480, HEADER_BYTES = 100, MAX_SCHEMA_FORMAT = 4, UTF_8 = 1 };

static bool is_page_size(uint32_t n)
{
	return n >= 512 && n <= 65536 && (n & (n - 1)) == 0;
}

/* If SQLite keeps the number of pages up to date, later pages are not part of the database. */
static uint32_t count_pages(const uint8_t *header, size_t size, uint32_t page_size)
{
	size_t n = size / page_size;
	uint32_t told = wl_be32(header + 28);

	if (told && wl_be32(header + 24) == wl_be32(header + 92) && told < n)
		n = told;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
}

static const char *look(struct wl_db_file *db)
{
	const uint8_t *h = db->map.data;

	if (db->map.size < HEADER_BYTES)
		return "the file is too short";
	db->page_size = wl_be16(h + 16) == 1 ? 65536 : wl_be16(h + 16);
	if (!is_page_size(db->page_size))
		return "the page size is not one of SQLite's";
	if (h[20] > db->page_size - MIN_USABLE)
		return "too many bytes of a page are reserved";
	db->usable = db->page_size - h[20];
	if (h[19] > 2)
		return "a file format of the future";
	if (wl_be32(h + 44) > MAX_SCHEMA_FORMAT)
		return "a schema format of the future";
	if (wl_be32(h + 56) != UTF_8)
		return "text is not stored as UTF-8";
	db->n_pages = count_pages(h, db->map.size, db->page_size);
	return NULL;
}

int wl_db_file_open(const char *path, struct wl_db_file *ret, const char **ret_why,
		    struct wl_err *reterr)
{
	struct wl_db_file db = { .page_size = 0 };
	int r = wl_map_open(path, &db.map, reterr);

	if (r < 0)
		return r;
	*ret_why = look(&db);
	if (*ret_why)
		wl_map_close(&db.map);
	else
		db.is_cold = !wl_map_is_warm(&db.map);
	*ret = db;
	return WL_OK;
}

void wl_db_file_close(struct wl_db_file *db)
{
	wl_map_close(&db->map);
}

const uint8_t *wl_varint(const uint8_t *p, const uint8_t *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < 8 && p < end; i++) {
		v = v << 7 | (*p & 0x7f);
		if (!(*p++ & 0x80)) {
			*ret = v;
			return p;
		}
	}
	if (p >= end)
		return NULL;
	*ret = v << 8 | *p;
	return p + 1;
}

enum { TRAIL = 8 << 20 }; /* bytes read before pages are released */

void wl_db_step(const struct wl_db_file *db, struct wl_trail *trail, uint32_t number)
{
	size_t bytes;

	if (trail->first == 0 || number < trail->last)
		trail->first = number;
	trail->last = number;
	bytes = (size_t)(number - trail->first) * db->page_size;
	if (bytes < TRAIL)
		return;
	wl_map_done_with(&db->map, (size_t)(trail->first - 1) * db->page_size, bytes);
	trail->first = number;
}
