/* SPDX-License-Identifier: MIT */
#include "support/toolbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/open/session.h"

static void progress(void *ctx, int64_t rows, int64_t total)
{
	struct wl_trace_reading *reading = ctx;

	reading->tick(reading, rows, total);
}

static int open_database(void *ctx, const char *path, struct wl_trace_reading *reading,
			 struct wl_tool_trace *ret, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .cancel = &reading->stop,
					    .progress = progress,
					    .progress_ctx = reading };

	(void)ctx;
	ret->database = path;
	return wl_session_open(path, &opts, &ret->session, reterr);
}

static void close_database(void *ctx, struct wl_tool_trace *trace)
{
	(void)ctx;
	wl_session_close(trace->session);
}

struct wl_toolbox *toolbox_make(void)
{
	const struct wl_toolbox_opts opts = {
		.opener = { .open = open_database, .close = close_database },
		.version = "0",
	};

	return wl_toolbox_new(&opts);
}

static char *fill(const char *args)
{
	static const char word[] = "FIXTURES/";
	const char *dir = getenv("WARPLENS_FIXTURES"), *at = args ? strstr(args, word) : NULL;
	char *text = NULL;
	int n;

	if (!at)
		return args ? strdup(args) : NULL;
	n = asprintf(&text, "%.*s%s/%s", (int)(at - args), args, dir ? dir : ".",
		     at + strlen(word));
	return n < 0 ? NULL : text;
}

struct toolbox_reply toolbox_ask(struct wl_toolbox *box, const char *tool, const char *args,
				 const struct wl_call *how)
{
	static const struct wl_call plain = { .cancel = NULL };
	struct toolbox_reply r = { .status = WL_OK };
	struct wl_json *given = NULL;
	char *text = fill(args);

	if (text && wl_json_parse(text, strlen(text), "args", &given, &r.err) < 0)
		abort();
	free(text);
	r.status = wl_toolbox_call(box, tool, given, how ? how : &plain, &r.reply, &r.err);
	wl_json_free(given);
	if (r.status == WL_OK &&
	    wl_json_parse(r.reply.json, r.reply.n, "reply", &r.doc, &r.err) < 0)
		abort();
	return r;
}

void toolbox_reply_release(struct toolbox_reply *r)
{
	wl_json_free(r->doc);
	wl_reply_release(&r->reply);
}

const char *toolbox_text(const struct toolbox_reply *r, const char *key)
{
	const struct wl_json *v = r->doc ? wl_json_member(r->doc, key) : NULL;

	return v && wl_json_string(v) ? wl_json_string(v) : "";
}

double toolbox_number(const struct toolbox_reply *r, const char *key)
{
	const struct wl_json *v = r->doc ? wl_json_member(r->doc, key) : NULL;
	double n = -1;

	return v && wl_json_number(v, &n) ? n : -1;
}

size_t toolbox_size(const struct toolbox_reply *r, const char *key)
{
	const struct wl_json *v = r->doc ? wl_json_member(r->doc, key) : NULL;

	return v ? wl_json_size(v) : 0;
}
