/* SPDX-License-Identifier: MIT */
#include "agent/explain/explanation.h"

#include <string.h>

#include "agent/explain/prose.h"
#include "agent/explain/terms.h"
#include "analysis/analysis.h"
#include "findings/codes.h"
#include "support/unit.h"

static struct wl_arena arena;

static int explain(const char *what, struct wl_explanation *ret, struct wl_err *err)
{
	wl_arena_release(&arena);
	wl_arena_init(&arena, 1 << 22);
	return wl_explanation_of(what, &arena, ret, err);
}

static const char *text_of(const char *what, enum wl_explained kind)
{
	struct wl_explanation e;
	struct wl_err err;

	if (explain(what, &e, &err) != WL_OK)
		fail_msg("%s: %s", what, err.msg);
	assert_int_equal(e.kind, kind);
	return e.text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in: %s", part, text);
}

TEST(every_finding_has_its_page)
{
	const char *code;

	for (size_t i = 0; (code = wl_finding_code(i)); i++)
		has(text_of(code, WL_EXPLAINED_FINDING), "## Fix");
}

TEST(every_verb_and_column_is_explained)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		struct wl_explanation e;
		struct wl_err err;

		/* A verb can be a table of definitions, too; its section comes first. */
		if (strcmp(a->name, "findings") != 0)
			has(text_of(a->name, WL_EXPLAINED_VERB), a->help);
		for (size_t c = 0; c < a->n_cols; c++) {
			if (explain(a->cols[c].key, &e, &err) != WL_OK)
				fail_msg("%s: %s", a->cols[c].key, err.msg);
		}
	}
}

TEST(a_column_of_one_verb_is_named_with_it)
{
	const char *text = text_of("kernels.sum", WL_EXPLAINED_COLUMN);

	has(text, "sum of kernels: Sum of their durations");
	assert_null(strstr(text, "idle"));
}

TEST(terms_come_from_three_places)
{
	has(text_of("Exposed Communication", WL_EXPLAINED_TERM), "computes nothing");
	has(text_of("stragglers", WL_EXPLAINED_TERM), "arrives last");
	has(text_of("GPU operation", WL_EXPLAINED_TERM), "docs/definitions/vocabulary.md");
	has(text_of("critical-path", WL_EXPLAINED_TERM), "chain");
	has(text_of("rule state", WL_EXPLAINED_TERM), "source code");
}

TEST(every_term_is_found_by_each_of_its_names)
{
	const char *names;
	size_t n = 0;

	for (size_t i = 0; (names = wl_term_name(i)); i++) {
		struct wl_explanation e;
		struct wl_err err;
		char name[128];

		for (; *names; n++) {
			size_t len = strcspn(names, "|");

			assert_true(len > 0 && len < sizeof(name));
			memcpy(name, names, len);
			name[len] = '\0';
			if (explain(name, &e, &err) != WL_OK)
				fail_msg("%s: %s", name, err.msg);
			names += len + (names[len] == '|');
		}
	}
	assert_true(n > 100);
}

/* A terminal has no room for a table of five columns, nor for a page's links. */
TEST(a_page_of_docs_is_printed_without_tables)
{
	const char *text = text_of("why-numbers-differ", WL_EXPLAINED_PAGE);

	has(text, "# Why numbers differ from other tools");
	has(text, "\n- GPU busy above 100% (nsys-ai). There: sum of kernel times. Here: union");
	has(text, "\n```\nwarplens sql TRACE \"SELECT device,\n    count(*)");
	assert_null(strstr(text, "|"));
	assert_null(strstr(text, "]("));
	has(text_of("numbers differ", WL_EXPLAINED_PAGE), "# Why numbers differ");
	has(text_of("Converts", WL_EXPLAINED_PAGE), "# Why numbers differ");
	has(text_of("why numbers differ", WL_EXPLAINED_PAGE), "# Why numbers differ");
}

TEST(tables_and_columns_of_exports_are_known)
{
	has(text_of("StringIds", WL_EXPLAINED_EXPORT), "of exports");
	has(text_of("NVTX_EVENTS.textId", WL_EXPLAINED_EXPORT), "StringIds");
	has(text_of("globalTid", WL_EXPLAINED_EXPORT), "hardware (8 bits)");
}

/* A row of a table of the definitions makes a sentence with the head of its table, or none. */
TEST(rows_of_definitions_are_sentences)
{
	static const char *const words[] = { "mean", "exposed_comm", "dispatch", "window" };

	has(text_of("span", WL_EXPLAINED_TERM), "The word span means the time from its begin");
	has(text_of("pinned", WL_EXPLAINED_TERM), "The scenario pinned changes this: ");
	has(text_of("covered", WL_EXPLAINED_TERM), "The figure covered is the ");
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		const char *text = text_of(words[i], WL_EXPLAINED_TERM);

		assert_null(strstr(text, "--window: the interval"));
		assert_null(strstr(text, "COLLECTIVE in STAGE`"));
		assert_null(strstr(text, "L ended"));
		has(text, ". ");
	}
}

TEST(kernels_are_explained_and_doubts_said)
{
	const char *text =
		text_of("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT", WL_EXPLAINED_KERNEL);

	has(text, "A kernel of cuBLAS.");
	has(text, "tile: 128x256");
	has(text, "can be wrong");
	text = text_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL", WL_EXPLAINED_KERNEL);
	has(text, "does not prove that this call used a ring");
	text = text_of("my_own_kernel", WL_EXPLAINED_KERNEL);
	has(text, "library is not known");
	has(text_of("[CUDA memcpy Host-to-Device]", WL_EXPLAINED_KERNEL), "not a kernel");
	has(text_of("Memcpy HtoD (Pageable -> Device)", WL_EXPLAINED_KERNEL), "not a kernel");
}

TEST(what_is_not_known_names_the_nearest)
{
	struct wl_explanation e;
	struct wl_err err;

	assert_int_equal(explain("lunch-bound", &e, &err), WL_E_USAGE);
	has(err.msg, "did you mean launch-bound?");
	assert_int_equal(explain("stragler", &e, &err), WL_E_USAGE);
	has(err.msg, "did you mean straggler?");
	assert_int_equal(explain("xyzzy", &e, &err), WL_E_USAGE);
	assert_int_equal(explain("", &e, &err), WL_E_USAGE);
	assert_int_equal(explain("../findings/straggler", &e, &err), WL_E_USAGE);
}

TEST(names_are_data)
{
	static char name[5000];
	const char *text;

	memset(name, '_', sizeof(name) - 1);
	text = text_of(name, WL_EXPLAINED_KERNEL);
	assert_true(strlen(text) < 2000);
	/* What a filter would not take is not put into a command. */
	assert_null(strstr(text_of("a_'; rm -rf \"x", WL_EXPLAINED_KERNEL), "--where"));
}

TEST(too_little_memory_is_said)
{
	struct wl_explanation e;
	struct wl_err err;

	wl_arena_release(&arena);
	wl_arena_init(&arena, 256);
	assert_int_equal(wl_explanation_of("idle", &arena, &e, &err), WL_E_NOMEM);
}

TEST(markup_is_left_out)
{
	static const char text[] = "see [the page](x.md), **bold**\nand a \\| b [c]";
	struct wl_prose p = { .arena = &arena };
	struct wl_err err;

	wl_arena_release(&arena);
	wl_arena_init(&arena, 1 << 16);
	wl_prose_put_plain(&p, text, sizeof(text) - 1);
	assert_string_equal(wl_prose_end(&p, &err), "see the page, bold and a | b [c]");
}

static int tear_down(void **state)
{
	(void)state;
	wl_arena_release(&arena);
	return 0;
}

TEST_GROUP(NULL, tear_down)
