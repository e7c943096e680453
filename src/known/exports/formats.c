/* SPDX-License-Identifier: MIT */
#include "known/exports/formats.h"

#include <string.h>

#include "base/attr.h"

#define WL_MAGIC(bytes, format)
#define WL_ENDING(ending, format)

static const struct {
	const char *bytes;
	size_t n;
	const char *format;
} magics[] = {
#undef WL_MAGIC
#define WL_MAGIC(bytes, format) { bytes, sizeof(bytes) - 1, format },
#include "known/exports/formats.def"
};

static const struct {
	const char *ending, *format;
} endings[] = {
#undef WL_MAGIC
#undef WL_ENDING
#define WL_MAGIC(bytes, format)
#define WL_ENDING(ending, format) { ending, format },
#include "known/exports/formats.def"
};

const char *wl_format_of_bytes(const char *bytes, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(magics); i++) {
		if (n >= magics[i].n && memcmp(bytes, magics[i].bytes, magics[i].n) == 0)
			return magics[i].format;
	}
	return NULL;
}

const char *wl_format_of_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		size_t n_ending = strlen(endings[i].ending);

		if (n > n_ending && strcmp(name + n - n_ending, endings[i].ending) == 0)
			return endings[i].format;
	}
	return NULL;
}

int wl_format_refuse(const char *path, const char *format, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_FORMAT,
		       "%.300s: an export as %s, which warplens does not read; export the report "
		       "again with `nsys export --type sqlite REPORT.nsys-rep`",
		       path, format);
}
