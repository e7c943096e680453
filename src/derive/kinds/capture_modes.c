/* SPDX-License-Identifier: MIT */
#include "derive/kinds/capture_modes.h"

#include <string.h>

static bool has_nodes(const struct wl_trace *t)
{
	const uint64_t *node = wl_kernels_node(t);

	for (size_t i = 0; node && i < t->family[WL_F_KERNELS].n; i++) {
		if (node[i] != WL_NO_U64 && node[i] != 0)
			return true;
	}
	return false;
}

static bool ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), n_ending = strlen(ending);

	return n >= n_ending && strcmp(text + n - n_ending, ending) == 0;
}

/* The option of the whole capture, or of a process: "PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE". */
static const char *graph_option(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_meta; i++) {
		if (!ends_in(wl_str(t, t->meta[i].name), "CUDA_GRAPH_TRACE_OPTIONS:MODE"))
			continue;
		if (strcmp(wl_str(t, t->meta[i].value), "Graph") == 0)
			return "whole graphs";
		if (strcmp(wl_str(t, t->meta[i].value), "Node") == 0)
			return "each kernel";
	}
	return NULL;
}

const char *wl_capture_graphs(const struct wl_trace *trace)
{
	bool by_kernel = has_nodes(trace), whole = trace->family[WL_F_GRAPHS].n > 0;

	if (by_kernel)
		return whole ? "both" : "each kernel";
	return whole ? "whole graphs" : graph_option(trace);
}

const char *wl_capture_tracing(const struct wl_trace *trace)
{
	const uint32_t *text = wl_diagnostics_text(trace);

	for (size_t i = 0; text && i < trace->family[WL_F_DIAGNOSTICS].n; i++) {
		if (text[i] != WL_NONE &&
		    strstr(wl_str(trace, text[i]), "CUDA hardware tracing is not supported"))
			return "software";
	}
	return NULL;
}
