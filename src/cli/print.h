/* print.h - a document out of the program: format, file or pager, and what stands above it. */
#ifndef WL_CLI_PRINT_H
#define WL_CLI_PRINT_H

#include "cli/opt.h"
#include "render/render.h"

/* How the command line wants documents printed. */
struct wl_printing {
	const struct wl_format *format;
	struct wl_render_opts opts;
	size_t limit;     /* rows of a table, 0 for all */
	const char *file; /* -o; NULL for standard output */
};

/* WL_E_USAGE for a format, unit or number of rows that there is not. */
int wl_printing_init(struct wl_printing *p, const struct wl_invocation *inv,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Writes lines before the document, in the format that was chosen. */
typedef void wl_print_head(void *ctx, FILE *out);

/* Print, and the frame on standard error where the format has none. head may be NULL. */
int wl_print(const struct wl_printing *p, const struct wl_document *doc, wl_print_head *head,
	     void *ctx, struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_USAGE when the option names the trace at path as the file to write. */
int wl_refuse_overwriting(const struct wl_invocation *inv, enum wl_option_id option,
			  const char *path, struct wl_err *reterr) WL_MUST_CHECK;

#endif
