/* SPDX-License-Identifier: MIT */
#include "known/calls/frameworks.h"

#include <string.h>

#include "base/attr.h"
#include "known/calls/operators.h"

struct sign {
	enum wl_framework framework;
	const char *part; /* of a name */
};

static enum wl_framework find(const struct sign *signs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(name, signs[i].part))
			return signs[i].framework;
	}
	return WL_N_FRAMEWORKS;
}

/* XLA calls a kernel after what it fused: loop_add_fusion_3, input_reduce_fusion. */
static bool is_of_xla(const char *name)
{
	static const char *const begins[] = { "loop_", "input_", "wrapped_", "fusion" };

	for (size_t i = 0; i < WL_COUNT(begins); i++) {
		if (strncmp(name, begins[i], strlen(begins[i])) == 0 && !strchr(name, '('))
			return strstr(name, "fusion") != NULL || i == 2;
	}
	return false;
}

/* Namespaces of their sources; TorchInductor calls its kernels triton_KIND_fused_OPERATORS. */
enum wl_framework wl_framework_of_kernel(const char *name)
{
	static const struct sign signs[] = {
		{ WL_SERVING, "vllm::" },
		{ WL_SERVING, "sglang::" },
		{ WL_SERVING, "sgl_" },
		{ WL_PYTORCH, "at::native" },
		{ WL_PYTORCH, "at::cuda" },
		{ WL_PYTORCH, "at_cuda_detail" },
		{ WL_PYTORCH, "triton_poi_fused" },
		{ WL_PYTORCH, "triton_red_fused" },
		{ WL_PYTORCH, "triton_per_fused" },
	};

	return is_of_xla(name) ? WL_JAX : find(signs, WL_COUNT(signs), name);
}

enum wl_framework wl_framework_of_range(const char *name)
{
	static const struct sign signs[] = {
		{ WL_JAX, "XlaModule" },
		{ WL_JAX, "PjitFunction" },
		{ WL_PYTORCH, "ProfilerStep#" },
		{ WL_PYTORCH, "Torch-Compiled Region" },
	};

	return wl_range_is_operator(name) ? WL_PYTORCH : find(signs, WL_COUNT(signs), name);
}

/* A compiled program is CUDA C++; an interpreter may run any of the others. */
enum wl_framework wl_framework_of_process(const char *name)
{
	static const struct sign signs[] = {
		{ WL_SERVING, "vllm" },       { WL_SERVING, "VLLM" },
		{ WL_SERVING, "sglang" },     { WL_N_FRAMEWORKS, "python" },
		{ WL_N_FRAMEWORKS, "pt_" },   { WL_N_FRAMEWORKS, "ray" },
		{ WL_N_FRAMEWORKS, "julia" },
	};

	for (size_t i = 0; i < WL_COUNT(signs); i++) {
		if (strstr(name, signs[i].part))
			return signs[i].framework;
	}
	return *name ? WL_CUDA : WL_N_FRAMEWORKS;
}
