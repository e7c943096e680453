/* SPDX-License-Identifier: MIT */
#include "cli/line/options.h"

#include <stdio.h>
#include <string.h>

#include "export/formats.h"
#include "read/reader.h"
#include "render/render.h"
#include "support/line.h"
#include "support/unit.h"

static const struct wl_values *values(struct line *l, const char *words)
{
	if (line_parse(l, words) < 0)
		fail_msg("%s: %s", words, l->err.msg);
	return &l->inv.opt;
}

static void expect_message(const char *words, const char *message)
{
	struct line l;

	assert_int_equal(line_parse(&l, words), WL_E_USAGE);
	assert_string_equal(l.err.msg, message);
}

TEST(what_is_given_is_typed)
{
	struct line l;
	const struct wl_values *v =
		values(&l, "kernels t.sqlite -f json -n 7 --timeunit us --memory 2GB -j 3 "
			   "--reader sqlite --nsys-timeout 5s --no-index --stats --gpu 0,2 "
			   "--color never");

	assert_ptr_equal(v->format.table, wl_format_find("json"));
	assert_null(v->format.export);
	assert_int_equal(v->limit, 7);
	assert_int_equal(v->timeunit, WL_UNIT_US);
	assert_int_equal(v->color, WL_COLOR_NEVER);
	assert_int_equal(v->memory, 2000000000);
	assert_int_equal(v->threads, 3);
	assert_ptr_equal(v->reader, &wl_reader_sqlite);
	assert_int_equal(v->nsys_timeout, 5000000000);
	assert_true(v->no_index && v->stats);
	assert_string_equal(v->gpu, "0,2");
}

TEST(what_is_not_given_has_its_default)
{
	struct line l;
	const struct wl_values *v = values(&l, "kernels t.sqlite");

	assert_null(v->format.table);
	assert_null(v->output);
	assert_null(v->window);
	assert_null(v->reader);
	assert_int_equal(v->limit, 0);
	assert_int_equal(v->memory, 0);
	assert_int_equal(v->threads, 0);
	assert_int_equal(v->timeunit, WL_UNIT_AUTO);
	assert_int_equal(v->color, WL_COLOR_AUTO);
	assert_string_equal(v->nsys, "nsys");
	assert_int_equal(v->nsys_timeout, 1800 * INT64_C(1000000000));
	assert_false(v->no_index || v->stats);
}

TEST(formats_are_those_of_the_verb)
{
	char all[WL_EXPORT_LIST_BUF], message[2 * WL_EXPORT_LIST_BUF];
	struct line l;

	assert_ptr_equal(values(&l, "export t.sqlite -f perfetto")->format.export,
			 &wl_export_perfetto);
	assert_ptr_equal(values(&l, "export t.sqlite -f csv")->format.export, &wl_export_csv);
	assert_null(values(&l, "export t.sqlite -f csv")->format.table);
	expect_message("kernels t.sqlite -f perfetto",
		       "--format perfetto: use table, csv, tsv, json, jsonl, md, html");
	(void)snprintf(message, sizeof(message),
		       "--format table: export writes %s; other verbs print tables",
		       wl_export_list_names(all, WL_EXPORT_ALL, ", ", ", "));
	expect_message("export t.sqlite -f table", message);
}

TEST(malformed_values_are_refused_by_type)
{
	expect_message("kernels t -n x", "-n x: not a number of rows (0 shows all)");
	expect_message("kernels t --limit -1", "-n -1: not a number of rows (0 shows all)");
	expect_message("kernels t -j 65", "-j 65: give a number of threads, 1 to 64");
	expect_message("kernels t --threads=0", "-j 0: give a number of threads, 1 to 64");
	expect_message("kernels t --memory 0", "--memory: must be above 0");
	expect_message("kernels t --nsys-timeout 0s", "--nsys-timeout: must be above 0");
	expect_message("kernels t --reader mmap", "--reader mmap: use pages or sqlite");
	expect_message("kernels t --index-dir \"\"", "--index-dir: give a directory");
}

/* A value that is malformed does not keep help from who asks for it. */
TEST(help_comes_before_values)
{
	struct line l;

	assert_int_equal(line_parse(&l, "kernels -n x --help"), WL_OK);
	assert_int_equal(line_parse(&l, "-n x --version"), WL_OK);
	assert_int_equal(line_parse(&l, "-j 0 --introspect"), WL_OK);
}
