/* SPDX-License-Identifier: MIT */
#include "render/html/page.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/attr.h"
#include "known/builtin.h"
#include "known/palette.h"

static const char head_begin[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ";

static const char head_end[] =
	"style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<style>\n";

static const char light[] = "--fg: #1f2328; --bg: #fff; --soft: #59636e; --line: #d1d9e0; "
			    "--head: #f6f8fa; --link: #0550ae; --edge: #0008";
static const char dark[] = "--fg: #e6edf3; --bg: #0d1117; --soft: #9da7b3; --line: #3d444d; "
			   "--head: #161b22; --link: #79c0ff; --edge: #fff8";

/* A change to a script changes its hash: the unit test prints the new one. */
#define TREE_SCRIPT_HASH  "sha256-sD06S7OVYBwFcKr02GAMlLqoyrzSVzaPV82v4NIf7cQ="
#define TOOLS_SCRIPT_HASH "sha256-58rcjNmDC17WyrLqcTsvnR0NtAC/bOJtjJEyRapFXP4="

const char *wl_html_part(const char *name)
{
	size_t size;
	const char *text = wl_builtin_find("pages", name, &size);

	assert(text);
	/* Skip the first line, which names the licence. */
	return strchr(text, '\n') + 1;
}

static void put_colours(FILE *out, bool is_dark, bool charts)
{
	(void)fputs(is_dark ? dark : light, out);
	for (unsigned i = 0; charts && i < WL_N_HEATS; i++)
		(void)fprintf(out, "; --k%u: #%06" PRIx32 "; --l%u: #%06" PRIx32, i,
			      wl_heat_rgb(i, is_dark), i, wl_heat_text(i, is_dark));
	for (int i = 0; charts && i < WL_N_COLOURS; i++)
		(void)fprintf(out, "; --c%d: #%06" PRIx32 "; --t%d: #%06" PRIx32, i,
			      wl_colour_rgb((enum wl_colour)i, is_dark), i,
			      wl_colour_text((enum wl_colour)i, is_dark));
}

/* Light by default, dark if the system or the reader chooses it, always light in print. */
static void put_themes(FILE *out, bool charts)
{
	static const struct {
		const char *before;
		bool is_dark;
		const char *after;
	} themes[] = {
		{ ":root { ", false, " }\n" },
		{ "@media (prefers-color-scheme: dark) { :root { ", true, " } }\n" },
		{ ":root[data-theme=dark] { color-scheme: dark; ", true, " }\n" },
		{ ":root[data-theme=light] { color-scheme: light; ", false, " }\n" },
		{ "@media print { :root, :root[data-theme] { color-scheme: light; ", false,
		  " } }\n" },
	};

	for (size_t i = 0; i < WL_COUNT(themes); i++) {
		(void)fputs(themes[i].before, out);
		put_colours(out, themes[i].is_dark, charts);
		(void)fputs(themes[i].after, out);
	}
}

/* Filled areas, the lines of their hatches, and text on them, which a halo separates from the
 * hatch. */
static void put_fills(FILE *out)
{
	for (int i = 0; i < WL_N_HEATS; i++)
		(void)fprintf(out, ".k%d { fill: var(--k%d) } svg .l%d { fill: var(--l%d) }\n", i,
			      i, i, i);
	for (int i = 0; i < WL_N_COLOURS; i++)
		(void)fprintf(out,
			      ".f%d { fill: var(--c%d) } .h%d { stroke: var(--t%d); "
			      "stroke-opacity: .55; stroke-width: 1 } svg .t%d { fill: var(--t%d); "
			      "paint-order: stroke; stroke: var(--c%d); stroke-width: 3px }\n",
			      i, i, i, i, i, i, i);
}

void wl_html_put_head(FILE *out, const struct wl_html_page *page)
{
	(void)fputs(head_begin, out);
	if (page->tree || page->tools || page->script) {
		(void)fprintf(out, "script-src%s%s", page->tree ? " '" TREE_SCRIPT_HASH "'" : "",
			      page->tools ? " '" TOOLS_SCRIPT_HASH "'" : "");
		if (page->script)
			(void)fprintf(out, " '%s'", page->hash);
		(void)fputs("; ", out);
	}
	(void)fputs(head_end, out);
	put_themes(out, page->charts);
	(void)fputs(wl_html_part("style.css"), out);
	if (page->charts) {
		(void)fputs(wl_html_part("charts.css"), out);
		put_fills(out);
	}
	(void)fputs(page->tree ? wl_html_part("tree.css") : "", out);
	(void)fputs(page->report ? wl_html_part("report.css") : "", out);
	(void)fputs("</style>\n", out);
}

void wl_html_put_scripts(FILE *out, const struct wl_html_page *page)
{
	const char *const scripts[] = { page->tree ? wl_html_part("tree.js") : NULL,
					page->tools ? wl_html_part("tools.js") : NULL,
					page->script };

	for (size_t i = 0; i < WL_COUNT(scripts); i++) {
		if (scripts[i])
			(void)fprintf(out, "<script>\n%s</script>\n", scripts[i]);
	}
}
