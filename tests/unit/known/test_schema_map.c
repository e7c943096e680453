/* SPDX-License-Identifier: MIT */
/* What the schema explorer says beyond the catalogue: relations, concepts and queries. */
#include <ctype.h>
#include <string.h>

#include "known/exports/concepts.h"
#include "known/exports/queries.h"
#include "known/exports/relations.h"
#include "known/exports/schema.h"
#include "support/unit.h"

/* Each word of a key that is no number is a column of the table. */
static void key_is_known(const char *table, const char *key)
{
	char word[64];

	while (*key) {
		size_t n = 0;

		while (isalnum((unsigned char)key[n]))
			n++;
		if (n > 0 && !isdigit((unsigned char)*key)) {
			assert_true(n < sizeof(word));
			memcpy(word, key, n);
			word[n] = '\0';
			if (!wl_schema_meaning(table, word))
				fail_msg("schema.def lacks %s.%s", table, word);
			assert_true(wl_relation_key_has(key, word));
		}
		key += n ? n : 1;
	}
}

static size_t commas(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == ',';
	return n;
}

TEST(relations_are_of_columns_that_the_catalogue_has)
{
	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];

		key_is_known(r->table, r->key);
		key_is_known(r->to_table, r->to_key);
		assert_int_equal(commas(r->key), commas(r->to_key));
		assert_true(islower((unsigned char)r->note[0]));
		assert_int_not_equal(r->note[strlen(r->note) - 1], '.');
	}
}

TEST(a_key_has_whole_words)
{
	assert_true(wl_relation_key_has("globalTid & ~0xFFFFFF, correlationId", "globalTid"));
	assert_true(wl_relation_key_has("globalTid & ~0xFFFFFF, correlationId", "correlationId"));
	assert_false(wl_relation_key_has("globalTid & ~0xFFFFFF, correlationId", "Id"));
	assert_false(wl_relation_key_has("srcDeviceId", "deviceId"));
	assert_false(wl_relation_key_has("", ""));
	assert_false(wl_relation_key_has("id", ""));
}

/* Of a correlation without its process, rows of one rank find calls of another. */
TEST(no_relation_trusts_a_correlation_without_its_process)
{
	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];

		if (wl_relation_key_has(r->key, "correlationId")) {
			assert_true(wl_relation_key_has(r->key, "globalPid"));
			assert_true(wl_relation_key_has(r->to_key, "globalTid"));
		}
	}
}

/* Some table of the catalogue has the column, or the one that is named does. */
static bool is_somewhere(const char *word)
{
	const char *table = NULL, *dot = strchr(word, '.');

	for (size_t i = 0; i < wl_n_schema; i++) {
		if (wl_schema[i].table)
			table = wl_schema[i].table;
		else if (dot ? strncmp(table, word, (size_t)(dot - word)) == 0 &&
					 table[dot - word] == '\0' &&
					 strcmp(wl_schema[i].column, dot + 1) == 0
			     : strcmp(wl_schema[i].column, word) == 0)
			return true;
	}
	return false;
}

TEST(concepts_are_about_columns_that_the_catalogue_has)
{
	char words[1024], *save = NULL;

	for (int id = 0; id < WL_N_CONCEPTS; id++) {
		const struct wl_concept *c = &wl_concepts[id];

		assert_true(strlen(c->columns) < sizeof(words));
		(void)strcpy(words, c->columns);
		for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			if (!is_somewhere(w))
				fail_msg("%s: schema.def lacks %s", c->key, w);
		}
		assert_int_equal(c->text[strlen(c->text) - 1], '.');
	}
}

TEST(a_concept_is_about_a_column_of_any_table_or_of_one)
{
	assert_true(wl_concept_is_about(WL_CONCEPT_CORRELATION, "NVTX_EVENTS", "correlationId"));
	assert_false(wl_concept_is_about(WL_CONCEPT_CORRELATION, "NVTX_EVENTS", "correlation"));
	assert_true(wl_concept_is_about(WL_CONCEPT_STRINGS, "StringIds", "id"));
	assert_false(wl_concept_is_about(WL_CONCEPT_STRINGS, "TARGET_INFO_GPU", "id"));
	assert_false(wl_concept_is_about(WL_CONCEPT_STRINGS, "", ""));
}

static bool has_all(const void *ctx, const char *table, const char *column)
{
	(void)ctx;
	return wl_schema_find(table, column) != NULL;
}

/* A file with one table. */
static bool has_one(const void *ctx, const char *table, const char *column)
{
	return !column && strcmp(table, ctx) == 0;
}

TEST(queries_need_what_the_catalogue_has)
{
	for (size_t i = 0; i < wl_n_query_facts; i++) {
		const struct wl_query_fact *q = &wl_query_facts[i];
		const char *lacks = wl_query_lacks(q, has_all, NULL);

		if (lacks)
			fail_msg("%s: schema.def lacks %s", q->title, lacks);
		assert_int_equal(q->sql[strlen(q->sql) - 1], '\n');
		assert_int_equal(q->sql[strlen(q->sql) - 2], ';');
	}
}

TEST(a_query_lacks_the_first_need_that_is_not_met)
{
	const struct wl_query_fact q = { .needs = "A|B C.d" };

	assert_string_equal(wl_query_lacks(&q, has_one, "X"), "A|B C.d");
	assert_string_equal(wl_query_lacks(&q, has_one, "A"), "C.d");
	assert_string_equal(wl_query_lacks(&q, has_one, "B"), "C.d");
	assert_null(wl_query_lacks(&(struct wl_query_fact){ .needs = "A|B" }, has_one, "B"));
	assert_null(wl_query_lacks(&(struct wl_query_fact){ .needs = "" }, has_one, "B"));
}

TEST(a_line_of_another_table_is_left_out)
{
	const char *sql = "first\n{A}of A\n{B}of B\nlast\n", *line;
	size_t n;

	line = wl_sql_line(&sql, has_one, "B", &n);
	assert_memory_equal(line, "first\n", n);
	line = wl_sql_line(&sql, has_one, "B", &n);
	assert_int_equal(n, 5);
	assert_memory_equal(line, "of B\n", n);
	line = wl_sql_line(&sql, has_one, "B", &n);
	assert_memory_equal(line, "last\n", n);
	assert_null(wl_sql_line(&sql, has_one, "B", &n));
}
