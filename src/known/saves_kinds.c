/* SPDX-License-Identifier: MIT */
#include "known/saves_kinds.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *sign, *ascii;
} kinds[] = {
	[WL_SAVES_NOTHING] = { NULL, "", "" },
	[WL_SAVES_PREDICTION] = { "prediction", "", "" },
	[WL_SAVES_AT_MOST] = { "at most", "\u2264", "<=" },
	[WL_SAVES_AT_LEAST] = { "at least", "\u2265", ">=" },
	[WL_SAVES_NO_BOUND] = { "no bound", "~", "~" },
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *wl_saves_kind_name(enum wl_saves_kind kind)
{
	return kinds[kind].name;
}

enum wl_saves_kind wl_saves_kind_named(const char *name)
{
	for (unsigned i = 0; i < N_KINDS; i++) {
		if (kinds[i].name && strcmp(kinds[i].name, name) == 0)
			return (enum wl_saves_kind)i;
	}
	return WL_SAVES_NOTHING;
}

const char *wl_saves_kind_sign(enum wl_saves_kind kind, bool ascii)
{
	return ascii ? kinds[kind].ascii : kinds[kind].sign;
}

bool wl_saves_is_about(enum wl_saves_kind kind, int64_t saves, int64_t error)
{
	enum { QUARTER = 4 };

	return kind == WL_SAVES_NO_BOUND ||
	       (kind == WL_SAVES_PREDICTION && error >= 0 && error >= saves / QUARTER);
}
