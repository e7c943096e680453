/* SPDX-License-Identifier: MIT */
#include "export/formats.h"

#include <string.h>

#include "support/unit.h"

TEST(suffixes_tell_the_format)
{
	static const struct {
		const char *path;
		const struct wl_export_format *format; /* NULL for none */
		size_t stem;
	} cases[] = {
		{ "x.pftrace", &wl_export_perfetto, 1 },
		{ "a/b.pftrace.gz", &wl_export_perfetto, 3 },
		{ "x.perfetto-trace", &wl_export_perfetto, 1 },
		{ "x.perfetto-trace.gz", &wl_export_perfetto, 1 },
		{ "x.trace.json", &wl_export_chrome, 1 },
		{ "x.trace.json.gz", &wl_export_chrome, 1 },
		{ "trace.json", &wl_export_json, 5 },
		{ "x.csv", &wl_export_csv, 1 },
		{ "x.jsonl", &wl_export_jsonl, 1 },
		{ "x.folded", &wl_export_folded, 1 },
		{ "x.speedscope.json", &wl_export_speedscope, 1 },
		{ "x.csv.gz", NULL, 99 },
		{ "x.pftrace.gz.gz", NULL, 99 },
		{ "pftrace", NULL, 99 },
		{ ".pftrace", NULL, 99 },
		{ ".gz", NULL, 99 },
		{ "", NULL, 99 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		size_t stem = 99;

		assert_ptr_equal(wl_export_of_file(cases[i].path, &stem), cases[i].format);
		assert_ptr_equal(wl_export_of_file(cases[i].path, NULL), cases[i].format);
		assert_int_equal(stem, cases[i].stem);
	}
}

TEST(every_format_is_complete)
{
	for (size_t i = 0; i < WL_N_EXPORT_FORMATS; i++) {
		const struct wl_export_format *f = wl_export_formats[i];
		size_t n = 0;

		assert_string_equal(f->name, wl_export_names[i]);
		assert_ptr_equal(wl_export_find(f->name), f);
		while (n < WL_MAX_SUFFIXES && f->suffix[n])
			assert_int_equal(f->suffix[n++][0], '.');
		assert_in_range(f->n_listed, 1, n);
		assert_non_null(strchr(f->media, '/'));
		assert_int_equal(wl_export_is_timeline(f), f->open && f->close);
		assert_int_equal(!!f->rows + !!f->stacks + !!f->open, 1);
	}
	assert_null(wl_export_names[WL_N_EXPORT_FORMATS]);
	assert_null(wl_export_find("table"));
}

TEST(lists_are_made_of_the_formats)
{
	char buf[WL_EXPORT_LIST_BUF];

	assert_string_equal(wl_export_list_names(buf, WL_EXPORT_ALL, "|", "|"),
			    "perfetto|chrome|csv|json|jsonl|folded|speedscope");
	assert_string_equal(wl_export_list_names(buf, WL_EXPORT_TIMELINES, ", ", " and "),
			    "perfetto and chrome");
	assert_string_equal(wl_export_list_names(buf, WL_EXPORT_ALL, ", ", " or "),
			    "perfetto, chrome, csv, json, jsonl, folded or speedscope");
	assert_string_equal(wl_export_list_suffixes(buf, WL_EXPORT_ALL, ", "),
			    ".pftrace, .pftrace.gz, .trace.json, .csv, .json, .jsonl, .folded, "
			    ".speedscope.json");
	assert_string_equal(wl_export_list_suffixes(buf, WL_EXPORT_TIMELINES, " "),
			    ".pftrace .pftrace.gz .trace.json");
}
