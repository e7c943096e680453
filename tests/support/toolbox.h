/* SPDX-License-Identifier: MIT */
/* toolbox.h - a toolbox over fixtures, and calls of its tools with arguments as text. */
#ifndef WL_TESTS_TOOLBOX_H
#define WL_TESTS_TOOLBOX_H

#include "agent/tools/toolbox.h"
#include "base/text/json_read.h"

/* Opens databases and nothing else. */
struct wl_toolbox *toolbox_make(void);

/* A call and its reply, parsed. Release it. */
struct toolbox_reply {
	int status;
	struct wl_err err;
	struct wl_reply reply;
	struct wl_json *doc;
};

/* args is JSON, in which FIXTURES/ stands for the directory of fixtures; NULL for none. */
struct toolbox_reply toolbox_ask(struct wl_toolbox *box, const char *tool, const char *args,
				 const struct wl_call *how);
void toolbox_reply_release(struct toolbox_reply *r);

/* A text member, "" where there is none. */
const char *toolbox_text(const struct toolbox_reply *r, const char *key);
double toolbox_number(const struct toolbox_reply *r, const char *key);

/* How many elements a member has. */
size_t toolbox_size(const struct toolbox_reply *r, const char *key);

#endif
