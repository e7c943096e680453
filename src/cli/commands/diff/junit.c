/* SPDX-License-Identifier: MIT */
#include "cli/commands/diff/junit.h"

#include "compare/diff/diff_words.h"
#include "render/words/human.h"

/* XML 1.0 has no way to write most controls, nor U+FFFE and U+FFFF. */
static const char *escape(uint32_t cp)
{
	switch (cp) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&apos;";
	case 0xFFFE:
	case 0xFFFF:
		return WL_REPLACEMENT;
	default:
		return wl_escape_human(cp);
	}
}

static void put(FILE *out, const char *s)
{
	wl_put_escaped(out, s, escape);
}

static void put_case(FILE *out, const char *class_name, const char *name)
{
	(void)fprintf(out, "  <testcase classname=\"warplens.%s\" name=\"", class_name);
	put(out, name);
	(void)fputc('"', out);
}

static void put_gate(FILE *out, const struct wl_diff *d, const struct wl_gated *g)
{
	bool failed = g->result.outcome == WL_GATE_FAILED;
	const char *element = failed ? "failure" : "skipped";
	char words[WL_WORDS];

	put_case(out, "gate", g->gate->text);
	(void)wl_gate_words(d, g, words);
	if (g->result.outcome == WL_GATE_PASSED) {
		(void)fputs(">\n    <system-out>", out);
		put(out, words);
		(void)fputs("</system-out>\n  </testcase>\n", out);
		return;
	}
	(void)fprintf(out, ">\n    <%s message=\"%s", element,
		      g->result.outcome == WL_GATE_INCONCLUSIVE ? "inconclusive: " : "");
	put(out, words);
	(void)fputs(failed ? "\" type=\"gate\"/>\n  </testcase>\n" : "\"/>\n  </testcase>\n", out);
}

static void put_verdict(FILE *out, const struct wl_diff *d)
{
	char line[WL_WORDS], why[WL_WORDS], words[WL_WORDS];

	put_case(out, "diff", "verdict");
	(void)fputs(">\n", out);
	/* Green would say that it was compared. */
	if (d->skips_gates) {
		(void)fputs("    <skipped message=\"not comparable: ", out);
		put(out, wl_diff_difference(d, words));
		(void)fputs("\"/>\n", out);
	}
	(void)fputs("    <system-out>", out);
	put(out, wl_diff_line(d, line));
	(void)fputs(*wl_diff_why(d, why) ? ". " : "", out);
	put(out, why);
	(void)fputs("</system-out>\n  </testcase>\n", out);
}

void wl_junit_put(const struct wl_diff *d, FILE *out)
{
	size_t n_failed = 0, n_skipped = d->skips_gates;

	for (size_t i = 0; i < d->n_gated; i++) {
		n_failed += d->gated[i].result.outcome == WL_GATE_FAILED;
		n_skipped += d->gated[i].result.outcome == WL_GATE_INCONCLUSIVE ||
			     d->gated[i].result.outcome == WL_GATE_SKIPPED;
	}
	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	(void)fprintf(out,
		      "<testsuite name=\"warplens diff\" tests=\"%zu\" failures=\"%zu\" "
		      "errors=\"0\" skipped=\"%zu\">\n",
		      d->n_gated + 1, n_failed, n_skipped);
	put_verdict(out, d);
	for (size_t i = 0; i < d->n_gated; i++)
		put_gate(out, d, &d->gated[i]);
	(void)fputs("</testsuite>\n", out);
}
