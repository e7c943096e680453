/* SPDX-License-Identifier: MIT */
#include "table/cmdline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/shell.h"
#include "base/text/text.h"

const struct wl_cmdline wl_cmdline_marker = { .option = { { "marker", "PATTERN" } } };

bool wl_cmdline_gpus(const struct wl_cmdline *c, char buf[WL_CMDLINE_PLACE])
{
	static const char *const between[] = { [WL_GPUS_BOTH] = ",", [WL_GPUS_RANGE] = ".." };

	buf[0] = '\0';
	if (c->gpus == WL_GPUS_ONE)
		(void)snprintf(buf, WL_CMDLINE_PLACE, "%" PRIu32, c->gpu[0]);
	else if (c->gpus != WL_GPUS_AS_ASKED)
		(void)snprintf(buf, WL_CMDLINE_PLACE, "%" PRIu32 "%s%" PRIu32, c->gpu[0],
			       between[c->gpus], c->gpu[1]);
	return buf[0] != '\0';
}

bool wl_cmdline_steps(const struct wl_cmdline *c, char buf[WL_CMDLINE_PLACE])
{
	buf[0] = '\0';
	if (c->has_steps && c->step[0] == c->step[1])
		(void)snprintf(buf, WL_CMDLINE_PLACE, "iter:%" PRIu32, c->step[0]);
	else if (c->has_steps)
		(void)snprintf(buf, WL_CMDLINE_PLACE, "iter:%" PRIu32 "..%" PRIu32, c->step[0],
			       c->step[1]);
	return buf[0] != '\0';
}

/* " --where 'cause = alloc'". */
static bool put_option(struct wl_text *to, const struct wl_cmdline_option *o,
		       struct wl_arena *arena)
{
	/*
	 * Values may be names of a trace, in which anything can stand: each is quoted for a shell.
	 */
	const char *value = o->value ? wl_shell_word(o->value, arena) : "";

	wl_text_printf(to, " %s%s%s", strlen(o->name) == 1 ? "-" : "--", o->name,
		       o->value ? " " : "");
	wl_text_puts(to, value ? value : "");
	return value != NULL;
}

const char *wl_cmdline_text(const struct wl_cmdline *c, const char *trace, struct wl_arena *arena)
{
	char gpus[WL_CMDLINE_PLACE], steps[WL_CMDLINE_PLACE];
	struct wl_text text = { .failed = false };
	const char *copy;
	bool ok = true;

	if (c->verb)
		wl_text_printf(&text, "warplens %s ", c->verb);
	if (c->verb) /* the files of a job can be longer than what is formatted at once */
		wl_text_puts(&text, trace);
	for (size_t i = 0; i < WL_CMDLINE_OPTIONS && c->option[i].name; i++)
		ok = put_option(&text, &c->option[i], arena) && ok;
	if (wl_cmdline_gpus(c, gpus))
		wl_text_printf(&text, " --gpu %s", gpus);
	if (wl_cmdline_steps(c, steps))
		wl_text_printf(&text, " --window %s", steps);
	/* Options begin with a blank. */
	copy = ok && !text.failed ? wl_arena_strdup(arena, wl_text_get(&text) + !c->verb) : NULL;
	wl_text_release(&text);
	return copy;
}
