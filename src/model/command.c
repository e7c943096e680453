/* SPDX-License-Identifier: MIT */
#include "model/command.h"

#include <stdio.h>
#include <string.h>

#include "known/secrets.h"

const char *wl_command_line(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t size = 1, used = 0;
	char *line, *shown;

	for (size_t i = 0; i < t->n_meta; i++)
		size += strlen(wl_str(t, t->meta[i].value)) + 1;
	line = WL_NEW(arena, char, size);
	for (size_t i = 0; line && i < t->n_meta; i++) {
		const char *key = wl_str(t, t->meta[i].name);
		const char *value = wl_str(t, t->meta[i].value);

		if (strcmp(key, "PROCESS_0:COMMAND") != 0 &&
		    strncmp(key, "PROCESS_0:ARGUMENT", strlen("PROCESS_0:ARGUMENT")) != 0)
			continue;
		used += (size_t)snprintf(line + used, size - used, "%s%s", used ? " " : "", value);
	}
	shown = line ? WL_NEW(arena, char, WL_MASKED_SIZE(used)) : NULL;
	if (shown)
		wl_secrets_mask(line, shown);
	return shown;
}
