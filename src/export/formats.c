/* SPDX-License-Identifier: MIT */
#include "export/formats.h"

#include <string.h>

#include "base/file/file.h"

const struct wl_export_format *const wl_export_formats[] = {
#define WL_EXPORT_FORMAT(name) &wl_export_##name,
#include "export/formats.def"
#undef WL_EXPORT_FORMAT
};

const char *const wl_export_names[] = {
#define WL_EXPORT_FORMAT(name) #name,
#include "export/formats.def"
#undef WL_EXPORT_FORMAT
	NULL
};

const struct wl_export_format *wl_export_find(const char *name)
{
	for (size_t i = 0; i < WL_N_EXPORT_FORMATS; i++) {
		if (strcmp(wl_export_names[i], name) == 0)
			return wl_export_formats[i];
	}
	return NULL;
}

const struct wl_export_format *wl_export_of_file(const char *path, size_t *ret_stem)
{
	const struct wl_export_format *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < WL_N_EXPORT_FORMATS; i++) {
		const struct wl_export_format *f = wl_export_formats[i];

		for (size_t s = 0; s < WL_MAX_SUFFIXES && f->suffix[s]; s++) {
			size_t n = strlen(f->suffix[s]);

			if (n > longest && wl_path_ends_in(path, f->suffix[s])) {
				longest = n;
				found = f;
			}
		}
	}
	if (found && ret_stem)
		*ret_stem = strlen(path) - longest;
	return found;
}

/* ---- Lists for messages ---- */

static bool is_of(const struct wl_export_format *f, enum wl_export_kind kind)
{
	return kind == WL_EXPORT_ALL || wl_export_is_timeline(f);
}

static void append(char buf[WL_EXPORT_LIST_BUF], const char *before, const char *word)
{
	size_t used = strlen(buf);

	(void)snprintf(buf + used, WL_EXPORT_LIST_BUF - used, "%s%s", used ? before : "", word);
}

const char *wl_export_list_names(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				 const char *between, const char *last)
{
	size_t n = WL_N_EXPORT_FORMATS;

	while (n > 0 && !is_of(wl_export_formats[n - 1], kind))
		n--;
	buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (is_of(wl_export_formats[i], kind))
			append(buf, i + 1 == n ? last : between, wl_export_names[i]);
	}
	return buf;
}

const char *wl_export_list_suffixes(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				    const char *between)
{
	buf[0] = '\0';
	for (size_t i = 0; i < WL_N_EXPORT_FORMATS; i++) {
		const struct wl_export_format *f = wl_export_formats[i];

		for (size_t s = 0; is_of(f, kind) && s < f->n_listed; s++)
			append(buf, between, f->suffix[s]);
	}
	return buf;
}
