/* SPDX-License-Identifier: MIT */
#include "model/command.h"

#include <string.h>

#include "known/secrets.h"

const char *wl_command_line(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t size = 1;
	bool is_secret = false;
	char *line, *end;

	for (size_t i = 0; i < t->n_meta; i++)
		size += WL_MASKED_SIZE(strlen(wl_str(t, t->meta[i].value)));
	line = end = WL_NEW(arena, char, size);
	for (size_t i = 0; line && i < t->n_meta; i++) {
		const char *key = wl_str(t, t->meta[i].name);

		if (strcmp(key, "PROCESS_0:COMMAND") != 0 &&
		    strncmp(key, "PROCESS_0:ARGUMENT", strlen("PROCESS_0:ARGUMENT")) != 0)
			continue;
		if (end > line)
			*end++ = ' ';
		end = wl_secrets_mask(wl_str(t, t->meta[i].value), end, &is_secret);
	}
	return line;
}
