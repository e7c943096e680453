/* SPDX-License-Identifier: MIT */
#include "render/data/stream.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { NAME, TOOK, ID, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "" },
	[TOOK] = { "took", "Took", WL_T_NS, WL_PLAIN, "" },
	[ID] = { "id", "ID", WL_T_ID, WL_PLAIN, "" },
};

/* Each text is a row; empty parts are written too. */
struct part {
	const char *name[3];
};

static char *write_parts(const struct wl_stream_opts *opts, const struct part *part, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct wl_stream stream;
	struct wl_arena arena;
	int64_t took = 0;

	assert_non_null(out);
	wl_arena_init(&arena, 1 << 20);
	wl_stream_begin(&stream, opts, cols, N_COLS, out);
	for (size_t p = 0; p < n; p++) {
		struct wl_table t;

		wl_table_init(&t, &arena, cols, N_COLS);
		for (size_t i = 0; i < WL_COUNT(part[p].name) && part[p].name[i]; i++) {
			wl_table_row(&t);
			wl_put_str(&t, NAME, part[p].name[i]);
			wl_put_i64(&t, TOOK, took--);
			if (i)
				wl_put_i64(&t, ID, INT64_MAX);
		}
		assert_true(wl_table_ok(&t));
		wl_stream_rows(&stream, &t);
	}
	wl_stream_end(&stream);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), size);
	wl_arena_release(&arena);
	return text;
}

static void expect(const struct wl_stream_opts *opts, const struct part *part, size_t n,
		   const char *want)
{
	char *text = write_parts(opts, part, n);

	assert_string_equal(text, want);
	free(text);
}

static const struct part parts[] = {
	{ { "a", "b, c" } },
	{ { NULL } },
	{ { "d\ne" } },
};

TEST(parts_are_one_csv_with_one_header)
{
	const struct wl_stream_opts opts = { .format = &wl_stream_csv };

	expect(&opts, parts, WL_COUNT(parts),
	       "name,took,id\n"
	       "a,0,\n"
	       "\"b, c\",-1,9223372036854775807\n"
	       "\"d\ne\",-2,\n");
	expect(&opts, NULL, 0, "name,took,id\n");
}

TEST(csv_carries_any_text_between_quotes)
{
	static const struct part hostile[] = {
		{ { "\x1b[2J", "say \"hi\"", "cr\rlf\n" } },
		{ { "", "\"", "\xf0\x9f\x98\x80\x7f" } },
	};
	const struct wl_stream_opts opts = { .format = &wl_stream_csv };

	expect(&opts, hostile, WL_COUNT(hostile),
	       "name,took,id\n"
	       "\x1b[2J,0,\n"
	       "\"say \"\"hi\"\"\",-1,9223372036854775807\n"
	       "\"cr\rlf\n\",-2,9223372036854775807\n"
	       "\"\",-3,\n"
	       "\"\"\"\",-4,9223372036854775807\n"
	       "\xf0\x9f\x98\x80\x7f,-5,9223372036854775807\n");
}

TEST(a_terminal_gets_no_controls)
{
	static const struct part hostile[] = { { { "\x1b[2J", "a\nb" } } };
	const struct wl_stream_opts opts = { .format = &wl_stream_csv, .at_terminal = true };

	expect(&opts, hostile, WL_COUNT(hostile),
	       "name,took,id\n"
	       "\xEF\xBF\xBD[2J,0,\n"
	       "a\xEF\xBF\xBD"
	       "b,-1,9223372036854775807\n");
}

TEST(jsonl_is_an_object_per_row)
{
	const struct wl_stream_opts opts = { .format = &wl_stream_jsonl };

	expect(&opts, parts, WL_COUNT(parts),
	       "{\"name\":\"a\",\"took\":0,\"id\":null}\n"
	       "{\"name\":\"b, c\",\"took\":-1,\"id\":\"9223372036854775807\"}\n"
	       "{\"name\":\"d\\ne\",\"took\":-2,\"id\":null}\n");
	expect(&opts, NULL, 0, "");
}

TEST(json_is_one_document)
{
	const struct wl_stream_opts opts = { .format = &wl_stream_json, .name = "things" };
	static const char head[] =
		"{\"schema\":\"warplens/1\",\"definitions\":4,\"export\":\"things\",\"columns\":[\n"
		"{\"key\":\"name\",\"title\":\"Name\",\"type\":\"string\",\"unit\":null},\n"
		"{\"key\":\"took\",\"title\":\"Took\",\"type\":\"duration\",\"unit\":\"ns\"},\n"
		"{\"key\":\"id\",\"title\":\"ID\",\"type\":\"id\",\"unit\":null}],\"rows\":[";
	char *want = NULL;

	assert_true(asprintf(&want,
			     "%s\n"
			     "{\"name\":\"a\",\"took\":0,\"id\":null},\n"
			     "{\"name\":\"b, c\",\"took\":-1,\"id\":\"9223372036854775807\"},\n"
			     "{\"name\":\"d\\ne\",\"took\":-2,\"id\":null}],\"rows_total\":3}\n",
			     head) > 0);
	expect(&opts, parts, WL_COUNT(parts), want);
	free(want);
	assert_true(asprintf(&want, "%s],\"rows_total\":0}\n", head) > 0);
	expect(&opts, NULL, 0, want);
	free(want);
}
