/* delimited.h - rows of base units between separators: what csv and tsv have in common. */
#ifndef WL_RENDER_DELIMITED_H
#define WL_RENDER_DELIMITED_H

#include "render/render.h"

typedef void wl_put_text(FILE *out, const char *s);

/*
 * The first section: keys, then a line per row; of a tree with id and parent first.
 * put_text quotes or escapes a text cell.
 */
void wl_put_delimited(const struct wl_document *doc, char separator, wl_put_text *put_text,
		      FILE *out);

#endif
