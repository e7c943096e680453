/* reader_pages.c - the fast reader: what it does not read itself it leaves to SQLite. */
#include <stdlib.h>

#include "read/reader.h"

struct wl_reader {
	struct wl_reader *sqlite;
};

static int open_reader(const char *path, const volatile sig_atomic_t *cancel,
		       struct wl_reader **ret_reader, struct wl_err *reterr)
{
	struct wl_reader *r = calloc(1, sizeof(*r));
	int result;

	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	result = wl_reader_sqlite.open(path, cancel, &r->sqlite, reterr);
	if (result < 0) {
		free(r);
		return result;
	}
	*ret_reader = r;
	return WL_OK;
}

static void close_reader(struct wl_reader *r)
{
	if (r)
		wl_reader_sqlite.close(r->sqlite);
	free(r);
}

static int list(struct wl_reader *r, wl_list_fn *fn, void *ctx, struct wl_err *reterr)
{
	return wl_reader_sqlite.list(r->sqlite, fn, ctx, reterr);
}

static int64_t estimate(struct wl_reader *r, const char *table)
{
	return wl_reader_sqlite.estimate(r->sqlite, table);
}

static int count(struct wl_reader *r, const char *table, int64_t *ret_rows, struct wl_err *reterr)
{
	return wl_reader_sqlite.count(r->sqlite, table, ret_rows, reterr);
}

static int begin(struct wl_reader *r, const struct wl_scan *scan, size_t max_parts,
		 struct wl_scanning **ret_scanning, struct wl_err *reterr)
{
	return wl_reader_sqlite.begin(r->sqlite, scan, max_parts, ret_scanning, reterr);
}

static int read_part(struct wl_scanning *scanning, size_t part, wl_batch_fn *fn, void *ctx,
		     struct wl_err *reterr)
{
	return wl_reader_sqlite.read_part(scanning, part, fn, ctx, reterr);
}

static void end(struct wl_scanning *scanning)
{
	wl_reader_sqlite.end(scanning);
}

static int check(struct wl_reader *r, struct wl_err *reterr)
{
	return wl_reader_sqlite.check(r->sqlite, reterr);
}

static const char *detours(struct wl_reader *r)
{
	(void)r;
	return NULL;
}

const struct wl_reader_ops wl_reader_pages = {
	.name = "pages",
	.open = open_reader,
	.close = close_reader,
	.list = list,
	.estimate = estimate,
	.count = count,
	.begin = begin,
	.read_part = read_part,
	.end = end,
	.check = check,
	.detours = detours,
};
