/* SPDX-License-Identifier: MIT */
#include "agent/tools/toolbox.h"

#include <stdlib.h>

#include "agent/tools/call.h"
#include "agent/tools/cut.h"
#include "agent/tools/handles.h"
#include "base/text/nearest.h"

struct wl_toolbox {
	struct wl_toolbox_opts opts;
	struct wl_handles *handles;
};

struct wl_toolbox *wl_toolbox_new(const struct wl_toolbox_opts *opts)
{
	struct wl_toolbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->opts = *opts;
	box->handles = wl_handles_new(&opts->opener);
	if (!box->handles) {
		free(box);
		return NULL;
	}
	return box;
}

void wl_toolbox_free(struct wl_toolbox *box)
{
	if (!box)
		return;
	wl_handles_free(box->handles);
	free(box);
}

static int refuse(const char *name, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, name);
	for (const struct wl_tool *t = wl_tools; t->name; t++)
		wl_nearest_offer(&nearest, t->name);
	meant = wl_nearest_get(&nearest);
	return wl_fail(reterr, WL_E_USAGE, "no tool \"%.60s\"%s%s%s", name,
		       meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

/* The name of a failure, and what a model can do about it. */
struct advice {
	enum wl_status code;
	const char *kind, *next;
};

static const struct advice *advice_of(enum wl_status code)
{
	static const struct advice known[] = {
		{ WL_E_USAGE, "usage",
		  "Correct the arguments and call again. describe with the name of a verb lists "
		  "its "
		  "options and columns." },
		{ WL_E_NOMATCH, "no_match",
		  "Choose from what the message lists, or leave the selection out." },
		{ WL_E_NODATA, "no_data",
		  "This trace cannot answer the question: say so. plan_capture with this trace "
		  "gives the capture that would." },
		{ WL_E_IO, "io",
		  "Check the path; it is that of a .sqlite export, a .nsys-rep "
		  "report, or a directory with one file per rank." },
		{ WL_E_FORMAT, "format",
		  "The file is damaged or no export of Nsight Systems; export or record it "
		  "again." },
		{ WL_E_NOMEM, "memory", "Narrow the question: a window, one GPU, fewer columns." },
		{ WL_E_TIMEOUT, "timeout", "Narrow the question: a window, one GPU, fewer rows." },
		{ WL_E_INCOMPARABLE, "incomparable", "Compare two traces of the same program." },
	};
	static const struct advice other = { WL_E_OUTPUT, "internal", "Try once more." };

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		if (known[i].code == code)
			return &known[i];
	}
	return &other;
}

static int write_error(struct wl_tool_call *c, const struct wl_err *why, struct wl_err *reterr)
{
	const struct advice *advice = advice_of(why->code);
	int r = wl_call_begin(c, reterr);

	if (r < 0)
		return r;
	wl_call_put(c, "error", why->msg, sizeof(why->msg));
	wl_call_put(c, "kind", advice->kind, 64);
	wl_call_put(c, "next", advice->next, 256);
	return wl_call_end(c, reterr);
}

static void drop_text(struct wl_tool_call *c)
{
	if (c->out)
		(void)fclose(c->out);
	c->out = NULL;
	free(c->text);
	c->text = NULL;
}

int wl_toolbox_call(struct wl_toolbox *box, const char *name, const struct wl_json *args,
		    const struct wl_call *how, struct wl_reply *ret, struct wl_err *reterr)
{
	struct wl_tool_call c = { .opts = &box->opts,
				  .handles = box->handles,
				  .tool = wl_tool_find(name),
				  .all_tools = wl_tools,
				  .args = args,
				  .how = *how };
	struct wl_err why;
	int r;

	*ret = (struct wl_reply){ .json = NULL };
	if (!c.tool)
		return refuse(name, reterr);
	if (c.how.bytes == 0)
		c.how.bytes = WL_REPLY_BYTES;
	if (c.how.bytes < WL_REPLY_LEAST)
		c.how.bytes = WL_REPLY_LEAST;
	c.stop.flag = how->cancel;
	c.budget = (struct wl_budget){ .of = box->opts.budget, .stop = &c.stop };
	wl_arena_init_on(&c.arena, &c.budget);
	r = args && wl_json_type_of(args) != WL_JSON_OBJECT
		    ? wl_fail(&why, WL_E_USAGE, "arguments: give an object")
		    : c.tool->run(&c, &why);
	while (c.n_held > 0)
		wl_handle_give(c.held[--c.n_held]);
	ret->is_error = r < 0;
	if (r == WL_E_CANCELED) {
		r = wl_fail(reterr, WL_E_CANCELED, "%s", why.msg);
	} else if (r < 0) {
		drop_text(&c);
		r = write_error(&c, &why, reterr);
	}
	wl_arena_release(&c.arena);
	if (r < 0) {
		drop_text(&c);
		return r;
	}
	ret->json = c.text;
	ret->n = c.n_text;
	return WL_OK;
}

void wl_reply_release(struct wl_reply *reply)
{
	free(reply->json);
	*reply = (struct wl_reply){ .json = NULL };
}

char *wl_tool_schema_text(void (*schema)(struct wl_jsonw *w))
{
	struct wl_jsonw w;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	wl_jsonw_init(&w, out);
	schema(&w);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	(void)wl_json_relax(text, n);
	return text;
}
