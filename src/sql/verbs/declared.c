/* SPDX-License-Identifier: MIT */
#include "sql/verbs/declared.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

/* In the order in which a column is matched: flags before bare types. */
static const struct {
	const char *declared;
	enum wl_type type;
	uint32_t flags;
} types[] = {
	{ "TEXT KERNEL", WL_T_STR, WL_KERNEL },
	{ "TEXT PROSE", WL_T_STR, WL_PROSE },
	{ "TEXT NAME", WL_T_STR, 0 },
	{ "TEXT WORD", WL_T_ENUM, 0 },
	{ "INTEGER NUMBER", WL_T_COUNT, WL_NUMBER },
	{ "INTEGER COUNT", WL_T_COUNT, 0 },
	{ "INTEGER TIME", WL_T_TIME, 0 },
	{ "INTEGER NS", WL_T_NS, 0 },
	{ "INTEGER BYTES", WL_T_BYTES, 0 },
	{ "INTEGER ID", WL_T_ID, 0 },
	{ "INTEGER BOOL", WL_T_BOOL, 0 },
	{ "REAL RATIO", WL_T_RATIO, 0 },
	{ "REAL RATE", WL_T_RATE, 0 },
	{ "REAL NUMBER", WL_T_REAL, 0 },
};

const char *wl_sql_declare(const struct wl_col *col)
{
	for (size_t i = 0; i < WL_COUNT(types); i++) {
		if (types[i].type == col->type && (col->flags & types[i].flags) == types[i].flags)
			return types[i].declared;
	}
	return "";
}

void wl_sql_undeclare(const char *declared, struct wl_col *ret)
{
	ret->type = WL_T_STR;
	ret->flags = declared ? WL_NUMBER : 0;
	for (size_t i = 0; declared && i < WL_COUNT(types); i++) {
		if (strcmp(types[i].declared, declared) != 0)
			continue;
		ret->type = types[i].type;
		ret->flags = types[i].flags;
		ret->help = NULL;
		return;
	}
}
