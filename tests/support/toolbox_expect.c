/* SPDX-License-Identifier: MIT */
#include "support/toolbox_expect.h"

#include <string.h>

#include "support/unit.h"

void toolbox_assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
}

void toolbox_expect_error(struct wl_toolbox *box, const char *tool, const char *args,
			  const char *kind, const char *words)
{
	struct toolbox_reply r = toolbox_ask(box, tool, args, NULL);

	assert_int_equal(r.status, WL_OK);
	assert_true(r.reply.is_error);
	assert_string_equal(toolbox_text(&r, "kind"), kind);
	toolbox_assert_has(toolbox_text(&r, "error"), words);
	assert_true(strlen(toolbox_text(&r, "next")) > 0);
	toolbox_reply_release(&r);
}

struct toolbox_reply toolbox_expect(struct wl_toolbox *box, const char *tool, const char *args)
{
	struct toolbox_reply r = toolbox_ask(box, tool, args, NULL);

	assert_int_equal(r.status, WL_OK);
	if (r.reply.is_error)
		fail_msg("%s %s: %s", tool, args, r.reply.json);
	return r;
}
