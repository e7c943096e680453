/* SPDX-License-Identifier: MIT */
/* explorer_page.c - style and script of the schema explorer. The page is complete without both. */
#include "render/explorer/explorer_parts.h"

static const char style[] =
	":root { --mark: #fff3bf; --edge-mark: #9a6700 }\n"
	"@media (prefers-color-scheme: dark) { :root { --mark: #4d3800; --edge-mark: #d29922 } }\n"
	":root[data-theme=dark] { --mark: #4d3800; --edge-mark: #d29922 }\n"
	":root[data-theme=light] { --mark: #fff3bf; --edge-mark: #9a6700 }\n"
	".bar { background: var(--bg); border-bottom: 1px solid var(--line); padding: .4rem 0; "
	"display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: center }\n"
	"fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; "
	"gap: .2rem 1rem; min-width: 0 }\n"
	"legend { float: left; padding: 0; margin-right: 1rem; color: var(--soft) }\n"
	"label { display: inline-flex; gap: .3rem; align-items: center; min-height: 24px }\n"
	"input[type=radio] { margin: 0; width: 1rem; height: 1rem }\n"
	".find label { gap: .5rem } .find input { font: inherit; width: 16rem; max-width: 60vw; "
	"padding: .15rem .4rem; color: var(--fg); background: var(--bg); "
	"border: 1px solid var(--soft); border-radius: 4px }\n"
	".find span { color: var(--soft); margin-left: .6rem }\n"
	"@media (min-width: 60rem) { .bar { position: sticky; top: 0; z-index: 1 } "
	"section, details { scroll-margin-top: 6rem } }\n"
	".cards { display: grid; gap: .5rem 1.5rem; "
	"grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)) }\n"
	".cards article { padding-right: .5rem } .cards p { font-size: .92rem; "
	"overflow-wrap: anywhere }\n"
	".map { max-width: none; margin: .6rem 0 } .map svg { display: block; height: auto; "
	"max-width: none }\n"
	".line { fill: none; stroke: var(--soft); stroke-width: 1; opacity: .55 } "
	".line .tip { fill: var(--soft); stroke: none } .dashed { stroke-dasharray: 5 4 }\n"
	".line:hover { stroke: var(--link); stroke-width: 2.5; opacity: 1 } "
	".line:hover .tip { fill: var(--link) }\n"
	".box rect { fill: var(--head); stroke: var(--soft); stroke-width: 1 } "
	".box text { fill: var(--fg); font-size: 11px } .box .small { fill: var(--soft) }\n"
	".box:hover rect, .box:focus-visible rect { stroke: var(--link); stroke-width: 2.5 }\n"
	"details.table { margin: .25rem 0; border: 1px solid var(--line); border-radius: 4px; "
	"padding: 0 .6rem }\n"
	"details.table > summary { color: var(--fg); padding: .3rem 0; overflow-wrap: anywhere }\n"
	".count { color: var(--soft); margin: 0 .5rem; white-space: nowrap } "
	".means { color: var(--soft) } .called { font-weight: 600 }\n"
	"tbody th { background: none; font-weight: 600; white-space: normal; "
	"overflow-wrap: anywhere; min-width: 16rem }\n"
	"details.table table { width: 100%; margin-bottom: .5rem } "
	"td code, .when { white-space: nowrap }\n"
	"code, pre { font: 13px/1.45 ui-monospace, monospace }\n"
	"pre { background: var(--head); border: 1px solid var(--line); border-radius: 4px; "
	"padding: .6rem; overflow-x: auto; margin: .3rem 0 }\n"
	".query { max-width: 60rem; position: relative } .query h3 { padding-right: 6rem } "
	".query button { position: absolute; top: 0; right: 0; font: inherit; "
	"min-height: 24px; padding: .1rem .6rem; color: var(--fg); background: var(--head); "
	"border: 1px solid var(--line); border-radius: 4px; cursor: pointer }\n"
	"article:target, details:target { border-color: var(--link) }\n"
	"@media print { .bar { display: none } pre { white-space: pre-wrap; "
	"overflow-wrap: anywhere } td code { white-space: normal; overflow-wrap: anywhere } "
	"tbody th { min-width: 5rem } .query { break-inside: auto } .map svg { max-width: 100% } "
	"}\n"
	"@media (forced-colors: active) { .line { stroke: CanvasText } .box rect { "
	"stroke: CanvasText; fill: Canvas } .box text { fill: LinkText } }\n";

/* For each concept: what it is about when its choice is made; all by style. */
static void put_concept_style(FILE *out, const char *key)
{
	static const char *const parts[] = {
		" tr.k-%s > *, :root:has(#k-%s:checked) article.k-%s "
		"{ background: var(--mark) }\n",
		" tr.k-%s > :first-child { box-shadow: inset 4px 0 var(--edge-mark); "
		"text-decoration: underline }\n",
		" details.table:has(tr.k-%s) > summary .called "
		"{ background: var(--mark); text-decoration: underline }\n",
		" .line:not(.k-%s) { opacity: .08 }\n",
		" .line.k-%s { stroke: var(--edge-mark); stroke-width: 2; opacity: 1 }\n",
		" .line.k-%s .tip { fill: var(--edge-mark) }\n",
		" .box.k-%s rect { fill: var(--mark); stroke: var(--edge-mark); "
		"stroke-width: 2 }\n",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		(void)fprintf(out, ":root:has(#k-%s:checked)", key);
		for (const char *p = parts[i]; *p; p++) {
			if (p[0] == '%' && p[1] == 's') {
				(void)fputs(key, out);
				p++;
			} else {
				(void)fputc(*p, out);
			}
		}
	}
}

void wl_explorer_put_style(FILE *out)
{
	(void)fprintf(out, "<style>\n%s", style);
	for (int i = 0; i < WL_N_CONCEPTS; i++)
		put_concept_style(out, wl_concepts[i].key);
	(void)fputs("</style>\n", out);
}

/* A change of it changes its hash: the unit test prints the new one. */
const char wl_explorer_script[] =
	"\n"
	"{\n"
	"  const all = s => [...document.querySelectorAll(s)];\n"
	"  const make = (tag, text, into) => {\n"
	"    const e = document.createElement(tag);\n"
	"    e.textContent = text;\n"
	"    into.append(e);\n"
	"    return e;\n"
	"  };\n"
	"  const find = document.querySelector('.find');\n"
	"  const label = make('label', 'Find a table or column', find);\n"
	"  const input = make('input', '', label);\n"
	"  const told = make('span', '', find);\n"
	"  input.type = 'search';\n"
	"  told.setAttribute('role', 'status');\n"
	"  const tables = all('details.table').map(d => ({\n"
	"    d, open: d.open, name: d.querySelector('.called').textContent.toLowerCase(),\n"
	"    rows: [...d.querySelectorAll('tbody tr')]\n"
	"      .map(r => ({ r, text: r.firstChild.textContent.toLowerCase() }))\n"
	"  }));\n"
	"  let asked = '';\n"
	"  function search() {\n"
	"    const text = input.value.trim().toLowerCase();\n"
	"    let n = 0;\n"
	"    if (!asked)\n"
	"      tables.forEach(t => t.open = t.d.open);\n"
	"    asked = text;\n"
	"    for (const t of tables) {\n"
	"      const whole = t.name.includes(text);\n"
	"      let some = false;\n"
	"      for (const { r, text: own } of t.rows) {\n"
	"        r.hidden = !whole && !own.includes(text);\n"
	"        some ||= !r.hidden;\n"
	"      }\n"
	"      t.d.hidden = !some;\n"
	"      t.d.open = text ? some : t.open;\n"
	"      n += some;\n"
	"    }\n"
	"    document.querySelector('.nothing').hidden = n > 0;\n"
	"    const names = tables.filter(t => !t.d.hidden).map(t => t.d.querySelector('.called')"
	".textContent);\n"
	"    told.textContent = !text ? '' : n + (n === 1 ? ' table' : ' tables') +\n"
	"      (n ? ': ' : '') + names.slice(0, 3).join(', ') + (n > 3 ? ', ...' : '') +\n"
	"      (n ? ' (Enter goes there)' : '');\n"
	"  }\n"
	"  input.addEventListener('input', search);\n"
	"  input.addEventListener('keydown', e => {\n"
	"    if (e.key === 'Enter' && asked)\n"
	"      tables.find(t => !t.d.hidden)?.d.scrollIntoView();\n"
	"  });\n"
	"  function show() {\n"
	"    const d = document.getElementById(decodeURIComponent(location.hash.slice(1)));\n"
	"    if (!d || d.tagName !== 'DETAILS')\n"
	"      return;\n"
	"    if (d.hidden) {\n"
	"      input.value = '';\n"
	"      search();\n"
	"    }\n"
	"    d.open = true;\n"
	"    d.scrollIntoView();\n"
	"  }\n"
	"  addEventListener('hashchange', show);\n"
	"  show();\n"
	"  async function copy(pre, b) {\n"
	"    const range = document.createRange();\n"
	"    range.selectNodeContents(pre.firstChild);\n"
	"    getSelection().removeAllRanges();\n"
	"    getSelection().addRange(range);\n"
	"    let done = document.execCommand('copy');\n"
	"    if (!done && navigator.clipboard)\n"
	"      done = await navigator.clipboard.writeText(pre.textContent)\n"
	"        .then(() => true, () => false);\n"
	"    b.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';\n"
	"    setTimeout(() => b.textContent = 'Copy', 2000);\n"
	"  }\n"
	"  for (const pre of all('.query pre')) {\n"
	"    const b = make('button', 'Copy', pre.parentElement);\n"
	"    b.type = 'button';\n"
	"    b.setAttribute('aria-label', 'Copy: ' +\n"
	"      pre.parentElement.querySelector('h3').textContent);\n"
	"    b.addEventListener('click', () => copy(pre, b));\n"
	"  }\n"
	"}\n";

const char wl_explorer_hash[] = "sha256-v+RGzYkxvtXPQm9W5l2B2MaR3vOfkGKwRqAjhLvnw4Q=";
