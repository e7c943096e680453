/* SPDX-License-Identifier: MIT */
/*
 * fuzz_conventions.c - the bytes are a document of conventions.
 *
 * It is refused with a message, or a trace is read by it: all that is derived from the
 * trace is found, whatever its patterns take for ranks, steps, stages and communication.
 */
#include <stdlib.h>

#include "derive/nvtx/conventions.h"
#include "fuzz/fuzz.h"
#include "support/mem.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* Steps of two layers in two processes that say their ranks. */
static void make(struct mem *m)
{
	unsigned corr = 0;

	mem_init(m);
	for (unsigned rank = 0; rank < 2; rank++) {
		const unsigned pid = 100 + rank;

		mem_nvtx(m, &(struct mem_range){
				    .end = 9000, .pid = pid, .name = rank ? "rank=1" : "rank=0" });
		for (unsigned i = 0; i < 8; i++) {
			wl_ns at = 1000 * (wl_ns)i;
			const char *layer = i % 2 ? "layer1.stage2_f" : "layer2.stage4_b";

			corr++;
			mem_nvtx(m, &(struct mem_range){ .start = at,
							 .end = at + 900,
							 .pid = pid,
							 .name = "step 1" });
			mem_nvtx(m,
				 &(struct mem_range){
					 .start = at, .end = at + 90, .pid = pid, .name = layer });
			mem_api(m, &(struct mem_call){ .start = at + 10,
						       .end = at + 20,
						       .pid = pid,
						       .corr = corr });
			mem_op(m, WL_F_KERNELS,
			       &(struct mem_op){ .start = at + 100,
						 .end = at + 300,
						 .pid = pid,
						 .device = rank,
						 .stream = i % 2 ? 20 : 7,
						 .corr = corr,
						 .name = i % 2 ? "my_all_reduce" : "gemm" });
		}
	}
	(void)mem_seal(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mem mem;
	static bool made;
	struct wl_json *doc = NULL;
	struct wl_conventions *c = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_json_parse((const char *)data, size, "conventions", &doc, &err);

	if (!made)
		make(&mem);
	made = true;
	if (r == WL_OK)
		r = wl_conventions_new(doc, "conventions", &c, &err);
	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	if (r == WL_OK)
		mem_derive(&mem, &(struct wl_derived_opts){ .conventions = c });
	if (r == WL_OK)
		mem_derive(&mem, &(struct wl_derived_opts){ .marker = NULL });
	wl_conventions_free(c);
	wl_json_free(doc);
	return 0;
}
