/* SPDX-License-Identifier: MIT */
#include "base/text/marks.h"

#include <stdio.h>
#include <string.h>

const char *wl_mark_fill(const char *text, const char *with, struct wl_arena *arena)
{
	const char *mark = strchr(text, *WL_COMMAND_MARK);
	size_t size = strlen(text) + strlen(with) + 1;
	char *ret = WL_NEW(arena, char, size);

	if (!ret)
		return NULL;
	if (mark)
		(void)snprintf(ret, size, "%.*s%s%s", (int)(mark - text), text, with, mark + 1);
	else
		(void)snprintf(ret, size, "%s", text);
	return ret;
}
