/* SPDX-License-Identifier: MIT */
#include "model/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "known/secrets/environment.h"
#include "known/secrets/secrets.h"

static bool is_command(const char *key)
{
	return strcmp(key, "PROCESS_0:COMMAND") == 0 ||
	       strncmp(key, "PROCESS_0:ARGUMENT", strlen("PROCESS_0:ARGUMENT")) == 0;
}

const char *wl_command_line(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t size = 1;
	enum wl_secret_name next = WL_SECRET_NO_NAME;
	char *line, *end;

	for (size_t i = 0; i < t->n_meta; i++)
		size += WL_MASKED_SIZE(strlen(wl_str(t, t->meta[i].value)));
	line = end = WL_NEW(arena, char, size);
	for (size_t i = 0; line && i < t->n_meta; i++) {
		if (!is_command(wl_str(t, t->meta[i].name)))
			continue;
		if (end > line)
			*end++ = ' ';
		end = wl_secrets_mask(wl_str(t, t->meta[i].value), end, &next);
	}
	return line;
}

int wl_command_words(const struct wl_trace *t, struct wl_arena *arena, const char **ret, int most)
{
	enum wl_secret_name next = WL_SECRET_NO_NAME;
	int n = 0;

	for (size_t i = 0; i < t->n_meta; i++) {
		const char *value = wl_str(t, t->meta[i].value);
		char *word;

		if (!is_command(wl_str(t, t->meta[i].name)))
			continue;
		word = WL_NEW(arena, char, WL_MASKED_SIZE(strlen(value)));
		if (!word)
			return -1;
		*wl_secrets_mask(value, word, &next) = '\0';
		if (n < most)
			ret[n] = word;
		n++;
	}
	return n;
}

bool wl_trace_variable(const struct wl_trace *t, const char *name, char *buf, size_t size)
{
	for (size_t i = 0; i < t->n_meta; i++) {
		size_t n;
		const char *value;

		if (!strstr(wl_str(t, t->meta[i].name), "ENVIRONMENT_VARIABLE"))
			continue;
		value = wl_environment_value(wl_str(t, t->meta[i].value), name, &n);
		if (!value || n == 0)
			continue;
		(void)snprintf(buf, size, "%.*s", (int)(n < size ? n : size - 1), value);
		return true;
	}
	return false;
}

int64_t wl_trace_world(const struct wl_trace *t)
{
	static const char *const names[] = { "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_NTASKS", "SLURM_NPROCS" };
	char value[16];
	int64_t world = 0;

	for (size_t i = 0; i < WL_COUNT(names) && world == 0; i++) {
		if (wl_trace_variable(t, names[i], value, sizeof(value)) &&
		    strspn(value, "0123456789") == strlen(value) && strlen(value) < 10)
			world = strtoll(value, NULL, 10);
	}
	return world;
}
