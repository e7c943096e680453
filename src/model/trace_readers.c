/* SPDX-License-Identifier: MIT */
#include "model/trace_readers.h"

#include <sys/stat.h>

void wl_trace_readers_add(struct wl_file_readers *readers, const struct wl_trace *t,
			  const char *path)
{
	struct stat st;

	for (size_t i = 0; i < t->n_files; i++)
		wl_file_readers_add(readers, wl_str(t, t->files[i].path));
	if (t->n_files == 0)
		wl_file_readers_add(readers, t->path);
	if (path && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		wl_file_readers_add(readers, path);
}
