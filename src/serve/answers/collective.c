/* SPDX-License-Identifier: MIT */
#include "serve/answers/collective.h"

#include "derive/comm/match/matches.h"
#include "scene/collectives.h"
#include "scene/details.h"

static void put_member(const struct wl_served *served, const struct wl_asked_row *row,
		       const struct wl_comm_op *op, struct wl_jsonw *out)
{
	const struct wl_op_id id = { op->is_copy ? WL_F_MEMCPYS : WL_F_KERNELS, op->row };
	const struct wl_link to = wl_link_to_op(row->scene, id);
	size_t first = wl_show_first_row(&served->show, row->which);

	if (to.track == WL_NONE)
		return;
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "rowId", (int64_t)(first + to.track));
	wl_jsonw_put_i64(out, "ref", wl_track_ref(id.family, id.row));
	wl_jsonw_put_i64(out, "begin", to.begin - row->origin);
	wl_jsonw_put_i64(out, "end", to.end - row->origin);
	wl_jsonw_end_object(out);
}

void wl_collective_put(const struct wl_served *served, const struct wl_asked_row *row, uint32_t ref,
		       struct wl_jsonw *out)
{
	const struct wl_scene_collectives *c = row->scene->collectives;
	bool is_op = wl_holds(&row->scene->tracks.at[row->track]) == WL_HOLDS_OPS;
	const struct wl_comm_op *op = is_op ? wl_collective_op(c, ref) : NULL;
	struct wl_collective_kind kind;

	if (!op) {
		wl_jsonw_null(out);
		return;
	}
	kind = wl_collective_kind_of(c, c->matches->at[op->match].set);
	wl_jsonw_begin_object(out);
	wl_jsonw_put_str(out, "title", kind.title);
	wl_jsonw_put_i64(out, "size", (int64_t)kind.n_members);
	wl_jsonw_put_i64(out, "ranks", (int64_t)kind.n_ranks);
	wl_jsonw_put_i64(out, "clock", kind.no_clock ? 0 : 1);
	wl_jsonw_put_f64(out, "volume", kind.volume);
	wl_jsonw_put_f64(out, "bus", kind.bus);
	wl_jsonw_put_i64(out, "bytes", op->bytes > 0 ? op->bytes : 0);
	wl_jsonw_open_array(out, "members");
	for (size_t i = c->first[op->match]; i < c->first[op->match + 1]; i++)
		put_member(served, row, &c->matches->queues.op[c->by_match[i]], out);
	wl_jsonw_end_array(out);
	wl_jsonw_end_object(out);
}
