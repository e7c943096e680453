/* SPDX-License-Identifier: MIT */
#include "serve/answers/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"

void wl_answer_release(struct wl_answer *answer)
{
	free(answer->bytes);
	if (answer->fd >= 0)
		(void)close(answer->fd);
	*answer = WL_ANSWER_NONE;
}

int wl_answer_begin_json(struct wl_answer *a, struct wl_json_answer *j, struct wl_err *reterr)
{
	j->out = open_memstream(&a->bytes, &a->n);
	if (!j->out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for an answer");
	a->type = "application/json";
	wl_jsonw_init(&j->json, j->out);
	return WL_OK;
}

int wl_answer_end_json(struct wl_answer *a, struct wl_json_answer *j, struct wl_err *reterr)
{
	wl_jsonw_finish(&j->json);
	return wl_answer_end_bytes(a, j, reterr);
}

int wl_answer_end_bytes(struct wl_answer *a, struct wl_json_answer *j, struct wl_err *reterr)
{
	bool ok = !ferror(j->out);

	ok = fclose(j->out) == 0 && ok;
	if (ok && a->bytes)
		return WL_OK;
	return wl_fail(reterr, WL_E_NOMEM, "no memory for an answer");
}

char *wl_answer_binary(struct wl_answer *a, size_t n)
{
	a->type = "application/octet-stream";
	/* Zeroed, because answers leave parts unset; never NULL for an empty answer. */
	a->bytes = calloc(n ? n : 1, 1);
	a->n = a->bytes ? n : 0;
	return a->bytes;
}

void wl_answer_fail(struct wl_answer *a, int status, const char *msg)
{
	struct wl_json_answer j;
	struct wl_err err;

	wl_answer_release(a);
	a->status = status;
	a->type = "application/json";
	/* Without memory the status alone is the answer. */
	if (wl_answer_begin_json(a, &j, &err) < 0)
		return;
	wl_jsonw_begin_object(&j.json);
	wl_jsonw_put_str(&j.json, "error", msg);
	wl_jsonw_end_object(&j.json);
	if (wl_answer_end_json(a, &j, &err) < 0) {
		free(a->bytes);
		a->bytes = NULL;
		a->n = 0;
	}
}

struct wl_asked_row wl_asked_row(const struct wl_served *s, uint32_t row)
{
	size_t n = wl_show_rows(&s->show);
	/*
	 * Behind the rows of the head come the merged rows, then those with compute alone
	 * (docs/web.md).
	 */
	struct wl_asked_row ret = { .row = row,
				    .is_merged = row >= n && row < 2 * n,
				    .is_compute = row >= 2 * n };

	ret.which = wl_show_find(&s->show, row % n, &ret.track);
	ret.scene = s->show.scene[ret.which];
	ret.origin = wl_show_origin(&s->show, ret.which);
	ret.lanes =
		ret.is_merged ? wl_merged_lanes(&s->merged, row % n) : &ret.scene->lanes[ret.track];
	return ret;
}

struct wl_asked_row wl_asked_row_of(const struct wl_served *s, const struct wl_asked_row *row,
				    const struct wl_lane *lane, size_t i)
{
	const struct wl_scene *scene = row->scene;
	struct wl_track_op op;
	enum wl_family_id family;
	uint32_t track;

	if (!row->is_merged)
		return *row;
	op = wl_track_op_of(lane->ref[i]);
	family = wl_op_families[op.kind];
	track = wl_track_of_place(&scene->tracks, wl_trace_ops(scene->trace, family).place[op.row]);
	return wl_asked_row(s, (uint32_t)(wl_show_first_row(&s->show, row->which) + track));
}

static int ask_rows(const struct wl_ask *ask, size_t limit, struct wl_number_list *ret,
		    struct wl_err *reterr)
{
	*ret = (struct wl_number_list){ .limit = (uint32_t)limit, .max = WL_ASK_MAX_ROWS };
	return wl_query_list(ask->query, "rows", ask->arena, ret, reterr);
}

int wl_ask_rows(const struct wl_ask *ask, struct wl_number_list *ret, struct wl_err *reterr)
{
	return ask_rows(ask, wl_show_rows(&ask->served->show), ret, reterr);
}

int wl_ask_drawn_rows(const struct wl_ask *ask, struct wl_number_list *ret, struct wl_err *reterr)
{
	return ask_rows(ask, 3 * wl_show_rows(&ask->served->show), ret, reterr);
}

int wl_ask_range(const struct wl_ask *ask, struct wl_interval *ret, struct wl_err *reterr)
{
	int r = wl_query_need_i64(ask->query, "a", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &ret->begin,
				  reterr);

	if (r == WL_OK)
		r = wl_query_need_i64(ask->query, "b", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &ret->end,
				      reterr);
	if (r == WL_OK && ret->begin >= ret->end)
		r = wl_fail(reterr, WL_E_USAGE, "a: must be before b");
	return r;
}

bool wl_asked_time(wl_ns origin, wl_ns t, wl_ns *ret)
{
	return wl_add_i64(origin, t, ret) && *ret >= -WL_TIME_MAX && *ret <= WL_TIME_MAX;
}
