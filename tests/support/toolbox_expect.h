/* SPDX-License-Identifier: MIT */
/* toolbox_expect.h - calls of tools that must answer or fail, for unit tests. */
#ifndef WL_TESTS_TOOLBOX_EXPECT_H
#define WL_TESTS_TOOLBOX_EXPECT_H

#include "support/toolbox.h"

/* Fail the test unless the words are in the text. */
void toolbox_assert_has(const char *text, const char *words);

/* A call that must answer. Release its reply. */
struct toolbox_reply toolbox_expect(struct wl_toolbox *box, const char *tool, const char *args);

/* A call that must fail as a result, of this kind and with these words. */
void toolbox_expect_error(struct wl_toolbox *box, const char *tool, const char *args,
			  const char *kind, const char *words);

#endif
