/* SPDX-License-Identifier: MIT */
/*
 * perfetto_begin.c - the packet that begins a slice: sizes first, because each length precedes its
 * content.
 */
#include "export/perfetto/perfetto_parts.h"

/* Room for an event without its annotations, and for one annotation without its text. */
enum { EVENT_BYTES = 8 * WL_PB_FIELD, ANNOTATION_BYTES = 3 * WL_PB_FIELD };

/* What the first packet of a slice refers to, and the sizes of its parts without their heads. */
struct begin {
	struct wl_perfetto_ref name, category;
	size_t n_event, n_interned;
};

static const uint8_t interned_in[WL_N_IID_KINDS] = {
	[WL_IID_NAME] = INTERNED_NAMES,
	[WL_IID_CATEGORY] = INTERNED_CATEGORIES,
	[WL_IID_KEY] = INTERNED_ANNOTATION_NAMES,
	[WL_IID_VALUE] = INTERNED_ANNOTATION_TEXTS,
};

static size_t interned_size(uint64_t iid, size_t n_text)
{
	return wl_pb_uint_size(INTERNED_IID, iid) + wl_pb_bytes_size(INTERNED_TEXT, n_text);
}

/* Get the number of a text. If it is new, it will take bytes of this packet. */
static struct wl_perfetto_ref refer(struct wl_perfetto *p, struct wl_perfetto_row *r,
				    enum wl_iid_kind kind, const char *text, size_t *n_interned)
{
	struct wl_perfetto_ref ref;

	ref.iid = wl_iids_put(&r->iids, kind, text, &ref.is_new);
	if (ref.is_new)
		*n_interned +=
			wl_pb_bytes_size(interned_in[kind], interned_size(ref.iid, strlen(text)));
	if (!ref.iid)
		p->base.failed = true;
	return ref;
}

static void put_if_new(struct wl_sink *sink, enum wl_iid_kind kind, struct wl_perfetto_ref ref,
		       const char *text)
{
	size_t n;

	if (!ref.is_new)
		return;
	n = strlen(text);
	wl_pb_put_head(sink, interned_in[kind], interned_size(ref.iid, n));
	wl_pb_put_uint(sink, INTERNED_IID, ref.iid);
	wl_pb_put_text(sink, INTERNED_TEXT, text, n);
}

static void refer_arg(struct wl_perfetto *p, struct wl_perfetto_row *r,
		      const struct wl_emit_arg *arg, size_t *n_interned,
		      struct wl_perfetto_term *ret)
{
	*ret = (struct wl_perfetto_term){ .key = refer(p, r, WL_IID_KEY, arg->key, n_interned) };
	ret->size = wl_pb_uint_size(ANNOTATION_NAME_IID, ret->key.iid);
	switch (arg->type) {
	case WL_ARG_INT:
		ret->size += wl_pb_uint_size(ANNOTATION_UINT, (uint64_t)arg->number);
		break;
	case WL_ARG_TEXT:
		ret->n_text = strlen(arg->text);
		ret->size += wl_pb_bytes_size(ANNOTATION_TEXT, ret->n_text);
		break;
	case WL_ARG_KEPT_TEXT:
		ret->value = refer(p, r, WL_IID_VALUE, arg->text, n_interned);
		ret->size += wl_pb_uint_size(ANNOTATION_TEXT_IID, ret->value.iid);
		break;
	}
}

static void put_arg(struct wl_sink *sink, const struct wl_emit_arg *arg,
		    const struct wl_perfetto_term *term)
{
	unsigned char *at = wl_sink_room(sink, ANNOTATION_BYTES);

	at = wl_pb_head(at, EVENT_ANNOTATIONS, term->size);
	at = wl_pb_uint(at, ANNOTATION_NAME_IID, term->key.iid);
	switch (arg->type) {
	case WL_ARG_INT:
		at = wl_pb_uint(at, arg->number < 0 ? ANNOTATION_INT : ANNOTATION_UINT,
				(uint64_t)arg->number);
		break;
	case WL_ARG_TEXT:
		at = wl_pb_head(at, ANNOTATION_TEXT, term->n_text);
		break;
	case WL_ARG_KEPT_TEXT:
		at = wl_pb_uint(at, ANNOTATION_TEXT_IID, term->value.iid);
		break;
	}
	wl_sink_took(sink, at);
	if (arg->type == WL_ARG_TEXT)
		wl_sink_put(sink, arg->text, term->n_text);
}

/* Look up all that the slice refers to, and add up its size. */
static void plan_begin(struct wl_perfetto *p, struct wl_perfetto_row *r,
		       const struct wl_emit_slice *s, struct begin *b)
{
	struct wl_perfetto_term *term = NULL;

	b->name = refer(p, r, WL_IID_NAME, s->name, &b->n_interned);
	b->n_event = wl_pb_uint_size(EVENT_TYPE, TYPE_SLICE_BEGIN) +
		     wl_pb_uint_size(EVENT_NAME_IID, b->name.iid);
	if (s->category) {
		b->category = refer(p, r, WL_IID_CATEGORY, s->category, &b->n_interned);
		b->n_event += wl_pb_uint_size(EVENT_CATEGORY_IIDS, b->category.iid);
	}
	if (s->has_correlation)
		b->n_event += wl_pb_uint_size(EVENT_CORRELATION_ID, s->correlation);
	if (s->flow_out)
		b->n_event += wl_pb_fixed64_size(EVENT_FLOW_IDS);
	if (s->flow_in)
		b->n_event += wl_pb_fixed64_size(EVENT_TERMINATING_FLOW_IDS);
	if (!s->n_args)
		return;
	p->terms.n = 0;
	term = wl_vec_extend(&p->terms, s->n_args);
	if (!term)
		p->base.failed = true;
	for (size_t i = 0; term && i < s->n_args; i++) {
		refer_arg(p, r, &s->args[i], &b->n_interned, &term[i]);
		b->n_event += wl_pb_bytes_size(EVENT_ANNOTATIONS, term[i].size);
	}
}

static void put_interned(struct wl_perfetto *p, const struct wl_emit_slice *s,
			 const struct begin *b)
{
	const struct wl_perfetto_term *term = p->terms.data;

	wl_pb_put_head(p->sink, PACKET_INTERNED_DATA, b->n_interned);
	put_if_new(p->sink, WL_IID_NAME, b->name, s->name);
	put_if_new(p->sink, WL_IID_CATEGORY, b->category, s->category);
	for (size_t i = 0; i < s->n_args; i++) {
		put_if_new(p->sink, WL_IID_KEY, term[i].key, s->args[i].key);
		put_if_new(p->sink, WL_IID_VALUE, term[i].value, s->args[i].text);
	}
}

static unsigned char *put_event(unsigned char *at, const struct wl_emit_slice *s,
				const struct begin *b)
{
	at = wl_pb_head(at, PACKET_TRACK_EVENT, b->n_event);
	at = wl_pb_uint(at, EVENT_TYPE, TYPE_SLICE_BEGIN);
	at = wl_pb_uint(at, EVENT_NAME_IID, b->name.iid);
	if (s->category)
		at = wl_pb_uint(at, EVENT_CATEGORY_IIDS, b->category.iid);
	if (s->has_correlation)
		at = wl_pb_uint(at, EVENT_CORRELATION_ID, s->correlation);
	if (s->flow_out)
		at = wl_pb_fixed64(at, EVENT_FLOW_IDS, s->flow_out);
	if (s->flow_in)
		at = wl_pb_fixed64(at, EVENT_TERMINATING_FLOW_IDS, s->flow_in);
	return at;
}

void wl_perfetto_put_begin(struct wl_perfetto *p, struct wl_perfetto_row *r, uint64_t start,
			   const struct wl_emit_slice *s)
{
	struct begin b = { .n_interned = 0 };
	const struct wl_perfetto_term *term;
	unsigned char *at;
	size_t n;

	plan_begin(p, r, s, &b);
	if (p->base.failed)
		return;
	n = wl_pb_bytes_size(PACKET_TRACK_EVENT, b.n_event);
	if (b.n_interned)
		n += wl_pb_bytes_size(PACKET_INTERNED_DATA, b.n_interned);
	at = wl_sink_room(p->sink, WL_PACKET_HEAD + EVENT_BYTES);
	at = wl_perfetto_head(at, r, wl_perfetto_step(r, start), n);
	if (b.n_interned) {
		wl_sink_took(p->sink, at);
		put_interned(p, s, &b);
		at = wl_sink_room(p->sink, EVENT_BYTES);
	}
	wl_sink_took(p->sink, put_event(at, s, &b));
	term = p->terms.data;
	for (size_t i = 0; i < s->n_args; i++)
		put_arg(p->sink, &s->args[i], &term[i]);
}
