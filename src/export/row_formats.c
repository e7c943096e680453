/* SPDX-License-Identifier: MIT */
/* row_formats.c - formats with one row per operation, printed like tables. */
#include "export/formats.h"

const struct wl_export_format wl_export_csv = {
	.name = "csv",
	.suffix = { ".csv" },
	.n_listed = 1,
	.media = "text/csv; charset=utf-8",
	.rows = &wl_stream_csv,
};

const struct wl_export_format wl_export_json = {
	.name = "json",
	.suffix = { ".json" },
	.n_listed = 1,
	.media = "application/json",
	.rows = &wl_stream_json,
};

const struct wl_export_format wl_export_jsonl = {
	.name = "jsonl",
	.suffix = { ".jsonl" },
	.n_listed = 1,
	.media = "application/x-ndjson",
	.rows = &wl_stream_jsonl,
};
