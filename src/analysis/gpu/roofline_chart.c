/* SPDX-License-Identifier: MIT */
/* roofline_chart.c - the roofline chart, kept apart to let descriptors of documents link without
 * the analysis. */
#include "analysis/gpu/roofline.h"

const struct wl_chart wl_roofline_chart = {
	.kind = WL_CHART_ROOFLINE,
	.title = "Roofline",
	.shows = "A point per kernel: operations per second over operations per byte of DRAM "
		 "traffic, both axes logarithmic; its area is its share of the compute kernel time "
		 "of the trace. Lines are the roofs: bandwidth on the left, the peak of a type of "
		 "operations on the right.",
	.label = "kernel",
	.group = "roof",
	.parts = { "arithmetic_intensity", "tflops", "peak_tflops", "bandwidth" },
	.also = { "share", "roof_share" },
	.wide = true,
};
