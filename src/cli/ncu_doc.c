/* SPDX-License-Identifier: MIT */
#include "cli/ncu_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_write.h"
#include "ncu/bound.h"
#include "ncu/read.h"
#include "ncu/roof.h"

/* A member besides the kernel's name takes less: names decide how many kernels have room. */
enum { REST_OF_KERNEL = 1024, MEMORY = 1 << 30 };

static void put_dims(struct wl_jsonw *w, const char *key, const uint32_t d[3])
{
	wl_jsonw_open_array(w, key);
	for (size_t i = 0; i < 3; i++)
		wl_jsonw_i64(w, d[i]);
	wl_jsonw_end_array(w);
}

static void put_kernel(struct wl_jsonw *w, const struct wl_ncu_row *row)
{
	double n = (double)row->n_launches;
	struct wl_ncu_roof roof;

	wl_ncu_roof_of(row, &roof);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "kernel", row->launch->kernel);
	put_dims(w, "grid", row->launch->grid);
	put_dims(w, "block", row->launch->block);
	wl_jsonw_put_f64(w, "shared", (double)row->launch->shared);
	wl_jsonw_put_str(w, "gpu", row->gpu);
	wl_jsonw_put_f64(w, "launches", n);
	wl_jsonw_put_f64(w, "ns", row->work.ns / n);
	wl_jsonw_put_f64(w, "flop", row->work.total_flop / n);
	wl_jsonw_put_f64(w, "dram_bytes", row->work.dram_bytes / n);
	wl_jsonw_put_str(w, "dtype", roof.dtype);
	wl_jsonw_put_f64(w, "dtype_flop", roof.flop / n);
	wl_jsonw_put_f64(w, "compute_roof", roof.compute);
	wl_jsonw_put_bool(w, "compute_measured", roof.compute_measured);
	wl_jsonw_put_f64(w, "dram_roof", roof.dram);
	wl_jsonw_put_bool(w, "dram_measured", roof.dram_measured);
	wl_jsonw_put_str(w, "bound", wl_ncu_bound(&row->mean));
	wl_jsonw_end_object(w);
}

/* The longest kernels come first, as many as a document may have. */
static void put_all(FILE *out, const struct wl_ncu_rows *rows)
{
	struct wl_jsonw w;
	size_t used = 0, n = 0;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_open_array(&w, "kernels");
	for (; n < rows->n; n++) {
		used += WL_JSONW_ESCAPE * strlen(rows->row[n].launch->kernel) + REST_OF_KERNEL;
		if (used > WL_JSON_MAX_BYTES - REST_OF_KERNEL)
			break;
		put_kernel(&w, &rows->row[n]);
	}
	wl_jsonw_end_array(&w);
	wl_jsonw_put_f64(&w, "left_out", (double)(rows->n - n));
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}

/* An analysis takes documents and opens no file, so the rows become JSON that is parsed at once. */
int wl_ncu_doc_make(const char *name, const struct wl_ncu *ncu, struct wl_arena *arena,
		    struct wl_json **ret_doc, struct wl_err *reterr)
{
	struct wl_ncu_rows rows;
	char *text = NULL;
	size_t size = 0;
	FILE *out = NULL;
	int r;

	if (wl_ncu_rows_find(ncu, false, arena, &rows))
		out = open_memstream(&text, &size);
	if (out)
		put_all(out, &rows);
	if (!out || fclose(out) != 0)
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its kernels", name);
	else
		r = wl_json_parse(text, size, name, ret_doc, reterr);
	free(text);
	return r;
}

int wl_ncu_doc_read(const char *path, struct wl_json **ret_doc, struct wl_err *reterr)
{
	struct wl_arena arena;
	struct wl_ncu ncu;
	int r;

	wl_arena_init(&arena, MEMORY);
	r = wl_ncu_read(path, &arena, &ncu, reterr);
	if (r == WL_OK && ncu.launches.n == 0)
		r = wl_fail(reterr, WL_E_NODATA,
			    "%.200s: the report has no kernels; check the filters of ncu (-k, "
			    "--launch-skip, --nvtx-include)",
			    path);
	if (r == WL_OK)
		r = wl_ncu_doc_make(path, &ncu, &arena, ret_doc, reterr);
	wl_ncu_release(&ncu);
	wl_arena_release(&arena);
	return r;
}
