/* SPDX-License-Identifier: MIT */
#include "render/html/page.h"

#include <inttypes.h>

#include "base/attr.h"
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

static const char style[] =
	"* { box-sizing: border-box }\n"
	"body { margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; color: var(--fg); "
	"background: var(--bg); font: 15px/1.5 system-ui, sans-serif }\n"
	"h1 { font-size: 1.5rem; margin: 0 0 .3rem; overflow-wrap: anywhere }\n"
	"h2 { font-size: 1.15rem; margin: 0 0 .3rem }\n"
	"section { margin: 1.8rem 0; min-width: 0 }\n"
	".scroll { overflow-x: auto }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
	"caption { text-align: left; color: var(--soft); padding: .25rem 0 }\n"
	"th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; "
	"vertical-align: top }\n"
	"th { background: var(--head); white-space: nowrap }\n"
	".name { min-width: 18rem; overflow-wrap: anywhere }\n"
	".words { overflow-wrap: break-word }\n"
	".num { text-align: right; white-space: nowrap }\n"
	"a { color: var(--link) }\n"
	".frame, .notes, .missing, .from { color: var(--soft); overflow-wrap: anywhere; "
	"margin: .3rem 0 }\n"
	".from { font-size: .9rem }\n"
	".lead { font-size: 1.15rem; font-weight: 600; margin: .5rem 0 }\n"
	"@media print { body { margin: 0; max-width: none; padding: 0; font-size: 9pt } "
	".scroll { overflow: visible } h2 { break-after: avoid } "
	"tr, figure, article { break-inside: avoid } "
	"th, td { padding: 1px 4px } .name { min-width: 8rem } "
	".minor { display: none } "
	"@page { margin: 12mm } }\n";

/* Two sections with pictures stand side by side where there is room. */
static const char chart_style[] =
	"header { border-bottom: 1px solid var(--line); padding-bottom: .6rem }\n"
	"nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem }\n"
	"nav a { padding: .2rem 0 }\n"
	".tools { float: right; display: flex; gap: .5rem }\n"
	".tools button { font: inherit; min-height: 24px; padding: .1rem .6rem; color: var(--fg); "
	"background: var(--head); border: 1px solid var(--line); border-radius: 4px; "
	"cursor: pointer }\n"
	":focus-visible { outline: 2px solid var(--link); outline-offset: 2px }\n"
	"@media (min-width: 70rem) { .grid { display: grid; column-gap: 2.5rem; "
	"grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) } "
	".grid section { grid-column: 1 / -1; margin: .9rem 0 } "
	".grid .half { grid-column: auto } }\n"
	"summary { cursor: pointer; color: var(--link); padding: .1rem 0 }\n"
	"figure { margin: .6rem 0; max-width: 54rem }\n"
	"figure > svg { display: block; width: 100%; height: auto }\n"
	"svg pattern * { visibility: visible } figure > label { font-size: .9rem } figure > "
	"label:has(.rest:not(:checked)) ~ svg + svg, "
	"figure > label:has(.rest:checked) + svg { height: 0; position: absolute; visibility: "
	"hidden }\n"
	"figcaption { color: var(--soft); font-size: .9rem }\n"
	"svg text { font: 12px system-ui, sans-serif; fill: var(--fg) }\n"
	"svg .m { text-anchor: middle }\n"
	"svg .e { text-anchor: end }\n"
	".b { stroke: var(--edge); stroke-width: .7 }\n"
	".thin .b { stroke-width: .2 }\n"
	".g { stroke: var(--line); stroke-width: 1 }\n"
	".o { fill: transparent }\n"
	".w { stroke: var(--fg); stroke-width: 1.3; fill: none }\n"
	".s { stroke: var(--fg); stroke-width: 2; fill: var(--fg) }\n"
	".legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; "
	"margin: .3rem 0; padding: 0; font-size: .9rem }\n"
	".swatch { width: 18px; height: 12px; margin-right: .4rem }\n"
	".findings { list-style: none; margin: .6rem 0; padding: 0 }\n"
	"article { border-left: 4px solid var(--line); padding: .1rem 0 .1rem .8rem; "
	"margin: .7rem 0 }\n"
	"article p { margin: .15rem 0; overflow-wrap: anywhere }\n"
	"article h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere }\n"
	".saving { color: var(--soft) }\n"
	"dl { margin: .2rem 0 } dt { font-weight: 600 } dd { margin: 0 0 .3rem 1rem; "
	"overflow-wrap: anywhere }\n"
	"@media (forced-colors: active) { .b { stroke: CanvasText } .g { stroke: GrayText } "
	".w, .s { stroke: CanvasText; fill: CanvasText } svg text { fill: CanvasText } "
	"[class^=k] { forced-color-adjust: none } "
	"article { border-color: CanvasText } }\n"
	"@media print { .tools, nav { display: none } "
	"details::details-content { content-visibility: visible; display: block; height: auto } "
	"summary { list-style: none; color: var(--soft) } figure { max-width: 17cm } }\n";

/* A page that is mailed: large figures, cards, and tables that keep within its width. */
static const char report_style[] =
	".front .big { font-size: 3.2rem; font-weight: 650; line-height: 1.1; margin: .2rem 0; "
	"font-variant-numeric: tabular-nums }\n"
	".front p { margin: .2rem 0; overflow-wrap: anywhere }\n"
	"article { border: 1px solid var(--line); border-left-width: 5px; border-radius: 6px; "
	"padding: .5rem .9rem }\n"
	".high { border-left-color: var(--c3) }\n"
	".strip { display: block; width: 100%; max-width: 54rem; height: auto; margin: .3rem 0 }\n"
	"th { white-space: normal } .words { overflow-wrap: anywhere; min-width: 5rem }\n"
	".minor { display: none } :root[data-columns=all] .minor { display: table-cell }\n"
	"@media screen { .name { min-width: 14rem } }\n"
	"@media (min-width: 70rem) { "
	".grid .half:has(details[open] > .scroll) { grid-column: 1 / -1 } "
	".pair { display: grid; column-gap: 2.5rem; align-items: start; "
	"grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) } }\n"
	/* On paper what the bar and the cards say is not said again as a table, what has no rows
	 * takes no room, and trees stay folded: of all rows there is a file. A card breaks only
	 * before or in its evidence. */
	"@media print { .name { min-width: 6rem } .words { min-width: 0 } "
	"h3, summary, caption, thead, dt { break-after: avoid } "
	"tbody tr:first-child { break-before: avoid } "
	"article { break-inside: auto } article > :not(details) { break-after: avoid; "
	"break-inside: avoid } .report tr[hidden] { display: none } "
	"#definitions dl { columns: 2; font-size: 7pt } "
	"#budget > details, #findings > details, section:has(> .missing) { display: none } }\n";

/* A level is a step to the right, on paper ten at most: deep names need the room. There nothing is
 * folded, but a report leaves out what is small and says how much that is. */
static const char tree_style[] =
	".paper { display: none }\n"
	".node { padding-left: calc(1.8rem + var(--level) * 1rem) }\n"
	".node button { float: left; width: 1.2rem; margin-left: -1.2rem; padding: 0; border: 0; "
	"background: none; color: var(--soft); font: inherit; cursor: pointer }\n"
	"[aria-expanded=true] button::before { content: \"\\25be\" }\n"
	"[aria-expanded=false] button::before { content: \"\\25b8\" }\n"
	"@media print { tr[hidden] { display: table-row } .node button { display: none } "
	".report .small { display: none } .report .paper { display: block } "
	".node { padding-left: calc(.6rem + min(var(--level) * .6rem, 6rem)) } }\n";

/* A change of a script changes its hash: the unit test prints the new one. */
static const char tree_script[] =
	"\n"
	"const level = row => row ? +row.getAttribute('aria-level') : 0;\n"
	"const isShut = row => row.getAttribute('aria-expanded') === 'false';\n"
	"function fold(row) {\n"
	"  row.setAttribute('aria-expanded', isShut(row));\n"
	"  let shut = isShut(row) ? level(row) : Infinity;\n"
	"  for (let r = row; level(r = r.nextElementSibling) > level(row);) {\n"
	"    r.hidden = level(r) > shut;\n"
	"    if (!r.hidden)\n"
	"      shut = isShut(r) ? level(r) : Infinity;\n"
	"  }\n"
	"}\n"
	"for (const cell of document.querySelectorAll('.node')) {\n"
	"  const row = cell.parentElement;\n"
	"  if (level(row.nextElementSibling) <= level(row))\n"
	"    continue;\n"
	"  const button = document.createElement('button');\n"
	"  button.setAttribute('aria-label', 'fold');\n"
	"  button.addEventListener('click', () => fold(row));\n"
	"  row.setAttribute('aria-expanded', true);\n"
	"  cell.prepend(button);\n"
	"}\n";

#define TREE_SCRIPT_HASH "sha256-sD06S7OVYBwFcKr02GAMlLqoyrzSVzaPV82v4NIf7cQ="

static const char tools_script[] =
	"\n"
	"const root = document.documentElement;\n"
	"const system = matchMedia('(prefers-color-scheme: dark)');\n"
	"function isDark() {\n"
	"  return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;\n"
	"}\n"
	"function button(text, act) {\n"
	"  const b = document.createElement('button');\n"
	"  b.type = 'button';\n"
	"  b.textContent = text;\n"
	"  b.addEventListener('click', () => act(b));\n"
	"  document.querySelector('.tools').append(b);\n"
	"}\n"
	"button(isDark() ? 'Light' : 'Dark', b => {\n"
	"  b.textContent = isDark() ? 'Dark' : 'Light';\n"
	"  root.dataset.theme = isDark() ? 'light' : 'dark';\n"
	"});\n"
	"button('Print', () => print());\n"
	"if (document.querySelector('body.report .minor')) {\n"
	"  button('All columns', b => {\n"
	"    const all = root.dataset.columns !== 'all';\n"
	"    root.dataset.columns = all ? 'all' : '';\n"
	"    b.setAttribute('aria-pressed', all);\n"
	"  });\n"
	"}\n"
	"let shut = [];\n"
	"addEventListener('beforeprint', () => {\n"
	"  shut = [...document.querySelectorAll('details:not([open])')];\n"
	"  shut.forEach(d => d.open = true);\n"
	"});\n"
	"addEventListener('afterprint', () => shut.forEach(d => d.open = false));\n";

#define TOOLS_SCRIPT_HASH "sha256-58rcjNmDC17WyrLqcTsvnR0NtAC/bOJtjJEyRapFXP4="

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

/* Light, dark where the system or the reader says so, and light on paper. */
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

/* Areas, the lines of their hatches, and text on them, which a halo frees from the hatch. */
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
	(void)fputs(style, out);
	if (page->charts) {
		(void)fputs(chart_style, out);
		put_fills(out);
	}
	(void)fputs(page->tree ? tree_style : "", out);
	(void)fputs(page->report ? report_style : "", out);
	(void)fputs("</style>\n", out);
}

void wl_html_put_scripts(FILE *out, const struct wl_html_page *page)
{
	if (page->tree)
		(void)fprintf(out, "<script>%s</script>\n", tree_script);
	if (page->tools)
		(void)fprintf(out, "<script>%s</script>\n", tools_script);
	if (page->script)
		(void)fprintf(out, "<script>%s</script>\n", page->script);
}
