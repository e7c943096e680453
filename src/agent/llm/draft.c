/* SPDX-License-Identifier: MIT */
#include "agent/llm/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"

void wl_llm_draft_release(struct wl_llm_draft *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct wl_llm_piece *p = &d->piece[i];

		wl_text_release(&p->id);
		wl_text_release(&p->name);
		wl_text_release(&p->text);
		free(p->start);
		for (size_t g = 0; g < p->n_grown; g++)
			wl_text_release(&p->grown[g].text);
	}
	*d = (struct wl_llm_draft){ 0 };
}

struct wl_llm_piece *wl_llm_draft_find(struct wl_llm_draft *d, int64_t index)
{
	for (size_t i = d->n; i-- > 0;) {
		if (d->piece[i].index == index)
			return &d->piece[i];
	}
	return NULL;
}

struct wl_llm_piece *wl_llm_draft_at(struct wl_llm_draft *d, enum wl_llm_block_kind kind,
				     int64_t index)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->piece[i].kind == kind && d->piece[i].index == index)
			return &d->piece[i];
	}
	if (d->n == WL_LLM_MAX_PIECES) {
		d->failed = true;
		return NULL;
	}
	d->piece[d->n] = (struct wl_llm_piece){ .kind = kind, .index = index };
	return &d->piece[d->n++];
}

void wl_llm_draft_start(struct wl_llm_draft *d, struct wl_llm_piece *p, const struct wl_json *block)
{
	free(p->start);
	p->start = wl_json_copy_text(block);
	d->failed = d->failed || !p->start;
}

static struct wl_llm_grown *grown_at(struct wl_llm_piece *p, const char *name)
{
	struct wl_llm_grown *g;

	for (size_t i = 0; i < p->n_grown; i++) {
		if (strcmp(p->grown[i].name, name) == 0)
			return &p->grown[i];
	}
	if (p->n_grown == WL_LLM_MAX_GROWN || strlen(name) >= sizeof(g->name))
		return NULL;
	g = &p->grown[p->n_grown++];
	(void)snprintf(g->name, sizeof(g->name), "%s", name);
	return g;
}

void wl_llm_draft_grow(struct wl_llm_draft *d, struct wl_llm_piece *p, const struct wl_json *delta)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	while (wl_json_next(delta, &at, &key, &value)) {
		const char *text = wl_json_string(value);
		struct wl_llm_grown *g;

		if (!text || strcmp(key, "type") == 0)
			continue;
		g = grown_at(p, key);
		if (g)
			wl_text_puts(&g->text, text);
		d->failed = d->failed || !g || g->text.failed;
	}
}

void wl_llm_draft_error(struct wl_llm_draft *d, const struct wl_json *reply)
{
	const struct wl_json *error = wl_json_value_of(reply, "error");
	const char *said = wl_json_text_of(error, "message");

	if (!said)
		said = error ? wl_json_string(error) : NULL;
	if (!said)
		said = wl_json_text_of(reply, "message");
	if (!said)
		said = wl_json_text_of(reply, "detail");
	(void)snprintf(d->error, sizeof(d->error), "%s", said && *said ? said : "(no message)");
}

/* ---- The end ---- */

static const char *grown_of(const struct wl_llm_piece *p, const char *name)
{
	for (size_t i = 0; i < p->n_grown; i++) {
		if (strcmp(p->grown[i].name, name) == 0)
			return wl_text_get(&p->grown[i].text);
	}
	return NULL;
}

static void write_other(const struct wl_llm_piece *p, const struct wl_json *start,
			struct wl_jsonw *w)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	wl_jsonw_begin_object(w);
	while (wl_json_next(start, &at, &key, &value)) {
		const char *grown = grown_of(p, key), *begun = wl_json_string(value);

		wl_jsonw_key(w, key);
		/* Blocks begin with empty texts; deltas fill them. */
		if (grown && begun && *begun == '\0')
			wl_jsonw_str(w, grown);
		else
			wl_json_copy(w, value);
	}
	for (size_t i = 0; i < p->n_grown; i++) {
		if (wl_json_member(start, p->grown[i].name))
			continue;
		wl_jsonw_put_str(w, p->grown[i].name, wl_text_get(&p->grown[i].text));
	}
	wl_jsonw_end_object(w);
}

/* The block as it was received, or as assembled from its events; for the caller to free(). */
static char *other_text(const struct wl_llm_piece *p)
{
	struct wl_json *start;
	struct wl_err ignored;
	char *text = NULL;
	size_t n;
	FILE *out;
	struct wl_jsonw w;

	if (!p->start || wl_json_parse(p->start, strlen(p->start), "block", &start, &ignored) < 0)
		return NULL;
	out = open_memstream(&text, &n);
	if (out) {
		wl_jsonw_init(&w, out);
		write_other(p, start, &w);
		if (fclose(out) != 0) {
			free(text);
			text = NULL;
		}
	}
	wl_json_free(start);
	return text;
}

static bool is_object(const char *text)
{
	struct wl_json *doc;
	struct wl_err ignored;
	bool is;

	if (wl_json_parse(text, strlen(text), "arguments", &doc, &ignored) < 0)
		return false;
	is = wl_json_type_of(doc) == WL_JSON_OBJECT;
	wl_json_free(doc);
	return is;
}

static bool add_call(struct wl_llm_piece *p, struct wl_llm_talk *talk, struct wl_llm_message *m)
{
	const char *args = p->text.n ? wl_text_get(&p->text) : "{}"; /* no arguments at all */
	struct wl_llm_block b = { .kind = WL_LLM_CALL,
				  .id = wl_text_get(&p->id),
				  .name = wl_text_get(&p->name),
				  .text = args };
	char id[WL_LLM_ID_SIZE];

	if (!*b.id) {
		wl_llm_make_id(talk, id);
		b.id = id;
	}
	b.is_broken = !is_object(args);
	if (b.is_broken)
		b.text = "{}";
	return wl_llm_message_add(talk, m, &b) != NULL;
}

static bool add_piece(struct wl_llm_piece *p, struct wl_llm_talk *talk, struct wl_llm_message *m)
{
	struct wl_llm_block b = { .kind = p->kind };
	char *other;
	bool ok;

	if (p->kind == WL_LLM_CALL)
		return add_call(p, talk, m);
	if (p->kind == WL_LLM_TEXT) {
		b.text = wl_text_get(&p->text);
		/* Providers reject empty texts, even those that they sent themselves. */
		return p->text.n == 0 || wl_llm_message_add(talk, m, &b) != NULL;
	}
	other = other_text(p);
	b.text = other;
	ok = other && wl_llm_message_add(talk, m, &b) != NULL;
	free(other);
	return ok;
}

static bool has_failed(const struct wl_llm_draft *d)
{
	bool failed = d->failed;

	for (size_t i = 0; i < d->n; i++)
		failed = failed || d->piece[i].text.failed || d->piece[i].id.failed ||
			 d->piece[i].name.failed;
	return failed;
}

int wl_llm_draft_finish(struct wl_llm_draft *d, struct wl_llm_talk *talk, struct wl_llm_reply *ret,
			struct wl_err *reterr)
{
	struct wl_llm_message *m;

	if (d->error[0])
		return wl_fail(reterr, WL_E_FORMAT, "the model's server reports: %s", d->error);
	if (d->nonsense[0])
		return wl_fail(reterr, WL_E_FORMAT, "the model's reply cannot be read: %s",
			       d->nonsense);
	if (has_failed(d))
		return wl_fail(reterr, WL_E_FORMAT, "the model's reply is too large");
	if (!d->is_done)
		return wl_fail(reterr, WL_E_FORMAT, "the model's reply ended early");
	m = wl_llm_talk_add(talk, true);
	for (size_t i = 0; m && i < d->n; i++) {
		if (!add_piece(&d->piece[i], talk, m))
			m = NULL;
	}
	if (!m)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the model's reply");
	*ret = (struct wl_llm_reply){ .message = m, .stop = d->stop, .usage = d->usage };
	return WL_OK;
}
