/* answer_view.c - pictures of rows: what columns.h draws, as bytes. */
#include <string.h>

#include "derive/columns.h"
#include "serve/answer.h"
#include "serve/bytes.h"

enum {
	MAX_WIDTH = 8192,
	MAX_LANES = 64,       /* of a row: more do not fit on a screen */
	MAX_BYTES = 16 << 20, /* of an answer */
	MAGIC = 0x31564c57,   /* "WLV1" */
	VERSION = 1,
	HEAD_BYTES = 32,
	ROW_BYTES = 8,
};

static size_t lanes_of(const struct wl_asked_row *row)
{
	size_t n = row->scene->lanes[row->track].n;

	return n < MAX_LANES ? n : MAX_LANES;
}

/* The bytes of all rows; an answer that is too long is refused before it is made. */
static int measure(const struct wl_ask *ask, const uint32_t *rows, size_t n, size_t width,
		   size_t *ret, struct wl_err *reterr)
{
	size_t bytes = HEAD_BYTES;

	for (size_t i = 0; i < n; i++) {
		const struct wl_asked_row row = wl_asked_row(ask->served, rows[i]);

		bytes += ROW_BYTES + 2 * width * lanes_of(&row);
		if (bytes > MAX_BYTES)
			return wl_fail(reterr, WL_E_USAGE, "rows: too many for one answer");
	}
	*ret = bytes;
	return WL_OK;
}

static int draw_row(const struct wl_asked_row *row, const struct wl_interval *range,
		    struct wl_picture_column *picture, uint32_t width, char **to,
		    struct wl_err *reterr)
{
	struct wl_viewport v = { .width = width };

	if (!wl_asked_time(row->origin, range->begin, &v.begin) ||
	    !wl_asked_time(row->origin, range->end, &v.end))
		return wl_fail(reterr, WL_E_USAGE, "a, b: out of range");
	*to = wl_put_u32(*to, row->row);
	*to = wl_put_u32(*to, (uint32_t)lanes_of(row));
	for (size_t i = 0; i < lanes_of(row); i++) {
		wl_lane_draw(&row->scene->lanes[row->track].lane[i], &v, picture);
		for (uint32_t x = 0; x < width; x++) {
			*(*to)++ = (char)picture[x].cat;
			*(*to)++ = (char)picture[x].share;
		}
	}
	return WL_OK;
}

static char *put_head(char *to, const struct wl_interval *range, uint32_t width, size_t n)
{
	to = wl_put_u32(to, MAGIC);
	to = wl_put_u32(to, VERSION);
	to = wl_put_u32(to, width);
	to = wl_put_u32(to, (uint32_t)n);
	to = wl_put_u64(to, (uint64_t)range->begin);
	return wl_put_u64(to, (uint64_t)range->end);
}

int wl_answer_view(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_picture_column *picture;
	struct wl_interval range;
	const uint32_t *rows = NULL;
	size_t n = 0, bytes = 0;
	int64_t width = 0;
	char *to;
	int r = wl_ask_range(ask, &range, reterr);

	if (r == WL_OK)
		r = wl_query_need_i64(ask->query, "w", 1, MAX_WIDTH, &width, reterr);
	if (r == WL_OK && range.end - range.begin < width)
		r = wl_fail(reterr, WL_E_USAGE, "w: a column must be 1 ns or more");
	if (r == WL_OK)
		r = wl_ask_rows(ask, &rows, &n, reterr);
	if (r == WL_OK)
		r = measure(ask, rows, n, (size_t)width, &bytes, reterr);
	if (r < 0)
		return r;
	picture = WL_NEW(ask->arena, struct wl_picture_column, (size_t)width);
	to = wl_answer_binary(ret, bytes);
	if (!picture || !to)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for pictures");
	to = put_head(to, &range, (uint32_t)width, n);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		const struct wl_asked_row row = wl_asked_row(ask->served, rows[i]);

		r = draw_row(&row, &range, picture, (uint32_t)width, &to, reterr);
	}
	return r;
}
