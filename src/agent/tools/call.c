/* SPDX-License-Identifier: MIT */
#include "agent/tools/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/cut.h"
#include "agent/tools/handles.h"
#include "agent/tools/kept_answers.h"
#include "base/text/nearest.h"
#include "base/text/units.h"
#include "session/document/verb_call.h"

/* ---- Arguments ---- */

/* The i-th of the words, separated by blanks, copied to buf; false past the last. */
static bool word_at(const char *words, size_t i, char buf[64])
{
	const char *at = words;

	for (;; i--) {
		size_t n;

		at += strspn(at, " ");
		n = strcspn(at, " ");
		if (n == 0 || n >= 64)
			return false;
		if (i == 0) {
			memcpy(buf, at, n);
			buf[n] = '\0';
			return true;
		}
		at += n;
	}
}

static bool is_word(const char *words, const char *word)
{
	char buf[64];

	for (size_t i = 0; word_at(words, i, buf); i++) {
		if (strcmp(buf, word) == 0)
			return true;
	}
	return false;
}

static int refuse(struct wl_tool_call *c, const char *keys, const char *key, struct wl_err *reterr)
{
	const char *what = wl_call_printf(c, "%s has no argument", c->tool->name), *all[32];
	char words[WL_COUNT(all)][64];
	size_t n = 0;

	for (; n < WL_COUNT(all) && word_at(keys, n, words[n]); n++)
		all[n] = words[n];
	return wl_nearest_refuse(what ? what : c->tool->name, key, all, n, reterr);
}

int wl_call_only(struct wl_tool_call *c, const char *keys, struct wl_err *reterr)
{
	const void *at = NULL;
	const char *key;
	const struct wl_json *value;

	while (c->args && wl_json_next(c->args, &at, &key, &value)) {
		if (!is_word(keys, key))
			return refuse(c, keys, key, reterr);
	}
	return WL_OK;
}

/* The text of a single value that is not a list; NULL for an object. */
static const char *text_of(struct wl_tool_call *c, const struct wl_json *value)
{
	double number;
	bool flag;

	if (wl_json_string(value))
		return wl_json_string(value);
	if (wl_json_bool(value, &flag))
		return flag ? "true" : "false";
	if (wl_json_number(value, &number)) {
		char buf[WL_UNITS_BUF];

		/* Times in a trace stay below 2^53 ns for 104 days: no digit is lost. */
		return wl_call_printf(c, "%s", wl_fmt_f64(buf, number));
	}
	return NULL;
}

static int join(struct wl_tool_call *c, const char *key, const struct wl_json *list, char between,
		const char **ret, struct wl_err *reterr)
{
	char *all = NULL;

	for (size_t i = 0; i < wl_json_size(list); i++) {
		const char *one = text_of(c, wl_json_at(list, i));

		if (!one)
			return wl_fail(reterr, WL_E_USAGE, "%s: give a text, or a list of texts",
				       key);
		all = all ? wl_call_printf(c, "%s%c%s", all, between, one)
			  : wl_arena_strdup(&c->arena, one);
		if (!all)
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the arguments");
	}
	*ret = all;
	return WL_OK;
}

int wl_call_text_of(struct wl_tool_call *c, const char *key, const struct wl_json *value,
		    char between, const char **ret, struct wl_err *reterr)
{
	*ret = NULL;
	if (!value || wl_json_type_of(value) == WL_JSON_NULL)
		return WL_OK;
	if (wl_json_type_of(value) == WL_JSON_ARRAY)
		return join(c, key, value, between, ret, reterr);
	*ret = text_of(c, value);
	return *ret ? WL_OK : wl_fail(reterr, WL_E_USAGE, "%s: give a text", key);
}

int wl_call_text(struct wl_tool_call *c, const char *key, const char **ret, struct wl_err *reterr)
{
	const struct wl_json *value = c->args ? wl_json_member(c->args, key) : NULL;
	int r = wl_call_text_of(c, key, value, ',', ret, reterr);

	/* Models send empty texts for arguments that they mean to omit. */
	if (r == WL_OK && *ret && **ret == '\0')
		*ret = NULL;
	return r;
}

int wl_call_i64(struct wl_tool_call *c, const char *key, int64_t min, int64_t max, int64_t *ret,
		struct wl_err *reterr)
{
	const char *text;
	char *end;
	int r = wl_call_text(c, key, &text, reterr);
	int64_t n;

	if (r < 0 || !text)
		return r;
	n = strtoll(text, &end, 10);
	if (*end != '\0' || n < min || n > max)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: give a whole number from %" PRId64 " to %" PRId64, key, min,
			       max);
	*ret = n;
	return WL_OK;
}

/* ---- Traces ---- */

int wl_call_trace(struct wl_tool_call *c, const char *key, struct wl_handle **ret,
		  struct wl_err *reterr)
{
	struct wl_handles *all = c->handles;
	const char *name;
	int r = wl_call_text(c, key, &name, reterr);

	if (r == WL_OK)
		r = name ? wl_handle_find(all, name, ret, reterr)
			 : wl_handle_only(all, ret, reterr);
	if (r < 0)
		return r;
	return wl_call_hold(c, *ret, reterr);
}

int wl_call_hold(struct wl_tool_call *c, struct wl_handle *h, struct wl_err *reterr)
{
	c->held[c->n_held++] = h;
	return wl_handle_take(h, &c->how, reterr);
}

/* Numbers taken from replies: 0, and numbers too large to be in any unit but ns. */
static bool is_plain_ns(const char *text, size_t n)
{
	enum { LEAST_DIGITS = 6 }; /* 1 ms; in seconds, 28 hours */
	size_t sign = n > 0 && *text == '+', digits = strspn(text + sign, "0123456789");

	return digits > 0 && sign + digits == n &&
	       (digits >= LEAST_DIGITS || strspn(text + sign, "0") >= digits);
}

/*
 * Replies give times in ns without the unit, and models copy them into the next window: add the
 * unit to A..B here. 39..42 stays an error, because it could mean seconds.
 */
static const char *with_ns(struct wl_tool_call *c, const char *window)
{
	const char *dots = window ? strstr(window, "..") : NULL, *all;
	size_t begin = dots ? (size_t)(dots - window) : 0, end = dots ? strlen(dots + 2) : 0;

	if (!dots || !(is_plain_ns(window, begin) || is_plain_ns(dots + 2, end)))
		return window;
	all = wl_call_printf(c, "%.*s%s..%s%s", (int)begin, window,
			     is_plain_ns(window, begin) ? "ns" : "", dots + 2,
			     is_plain_ns(dots + 2, end) ? "ns" : "");
	return all ? all : window;
}

int wl_call_request(struct wl_tool_call *c, struct wl_request *ret, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_N_SELECTING; i++)
		r = wl_call_text(c, wl_common_keys[i], wl_request_place(ret, wl_common_keys[i]),
				 reterr);
	if (r == WL_OK)
		ret->selection.window = with_ns(c, ret->selection.window);
	if (r == WL_OK)
		r = wl_call_text(c, "traces", &ret->traces, reterr);
	ret->pool = c->opts->pool;
	ret->stop = &c->stop;
	return r;
}

int wl_call_check(const struct wl_tool_call *c, struct wl_err *reterr)
{
	if (c->how.cancel && *c->how.cancel)
		return wl_fail(reterr, WL_E_CANCELED, "stopped");
	return WL_OK;
}

int wl_call_run(struct wl_tool_call *c, struct wl_handle *h, const struct wl_request *request,
		struct wl_document *ret, struct wl_err *reterr)
{
	struct wl_request stoppable = *request;
	int r = wl_call_check(c, reterr);

	stoppable.stop = &c->stop;
	if (r == WL_OK)
		r = wl_session_run(h->trace.session, &stoppable, &c->arena, ret, reterr);
	/* After a failed read, the session can answer nothing more. */
	if (r == WL_E_IO || r == WL_E_FORMAT || r == WL_E_NOMEM)
		wl_handle_close(h);
	return r == WL_OK ? wl_call_check(c, reterr) : r;
}

/* Everything the answer depends on, as a text; NULL if memory runs out. */
static const char *question_of(struct wl_tool_call *c, const struct wl_request *q)
{
	struct wl_request copy = *q;
	const char *all =
		wl_call_printf(c, "%s\x1F%s\x1F%s", q->analysis->name, q->traces ? q->traces : "",
			       q->analysis->picks_rows && q->view.where ? q->view.where : "");

	for (size_t i = 0; all && i < WL_N_SELECTING; i++) {
		const char *text = *wl_request_place(&copy, wl_common_keys[i]);

		all = wl_call_printf(c, "%s\x1F%s", all, text ? text : "");
	}
	for (size_t i = 0; all && i < q->analysis->n_params; i++)
		all = wl_call_printf(c, "%s\x1F%s", all, q->args && q->args[i] ? q->args[i] : "");
	return all;
}

int wl_call_ask(struct wl_tool_call *c, struct wl_handle *h, const struct wl_request *request,
		struct wl_document *ret_frame, const struct wl_table **ret_table,
		struct wl_err *reterr)
{
	const char *question = question_of(c, request);
	const struct wl_kept_answer *kept =
		question ? wl_kept_answers_find(h->kept, question) : NULL;
	struct wl_request whole = *request;
	int r;

	if (!question)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the question");
	if (kept) {
		*ret_frame = kept->frame;
		*ret_table = kept->table;
		return wl_call_check(c, reterr);
	}
	whole.view = (struct wl_view_opts){ .limit = 0 };
	if (request->analysis->picks_rows)
		whole.view.where = request->view.where;
	whole.no_limits = true;
	r = wl_call_run(c, h, &whole, ret_frame, reterr);
	if (r < 0)
		return r;
	if (ret_frame->n_sections == 0 || ret_frame->sections[0].missing)
		return wl_fail(reterr, WL_E_NODATA, "%s",
			       ret_frame->n_sections ? ret_frame->sections[0].missing : "no table");
	*ret_table = ret_frame->sections[0].view.table;
	wl_kept_answers_put(&h->kept, question, ret_frame);
	return WL_OK;
}

/* ---- The reply ---- */

int wl_call_begin(struct wl_tool_call *c, struct wl_err *reterr)
{
	c->out = open_memstream(&c->text, &c->n_text);
	if (!c->out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	wl_jsonw_init(&c->w, c->out);
	wl_jsonw_begin_object(&c->w);
	return WL_OK;
}

int wl_call_end(struct wl_tool_call *c, struct wl_err *reterr)
{
	bool failed;

	wl_jsonw_end_object(&c->w);
	failed = ferror(c->out) != 0;
	failed = fclose(c->out) != 0 || failed;
	c->out = NULL;
	if (failed)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	c->n_text = wl_json_relax(c->text, c->n_text);
	return WL_OK;
}

void wl_call_put(struct wl_tool_call *c, const char *key, const char *text, size_t cap)
{
	wl_jsonw_put_str(&c->w, key, text ? wl_cut_text(text, cap, &c->arena) : NULL);
}

char *wl_call_printf(struct wl_tool_call *c, const char *fmt, ...)
{
	va_list args, again;
	char *text;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = n < 0 ? NULL : WL_NEW(&c->arena, char, (size_t)n + 1);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}
