/* SPDX-License-Identifier: MIT */
#include "known/gpus/gpus.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static const struct wl_gpu_peaks table[] = {
#define WL_GPU(tokens, fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4, bandwidth, nvlink, source,    \
	       checked)                                                                            \
	{ tokens,    { fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4 },                             \
	  bandwidth, nvlink,                                                                       \
	  source,    WL_PEAKS_##checked },
#include "known/gpus/gpus.def"
#undef WL_GPU
};

static double peak(const char *name, enum wl_dtype type)
{
	const struct wl_gpu_peaks *p = wl_gpu_peaks_find(name);

	assert_non_null(p);
	return p->peak[type];
}

/* Names as nsys wrote them into real traces. */
TEST(gpus_are_known_by_the_names_that_nsys_records)
{
	assert_true(peak("NVIDIA H100 80GB HBM3", WL_DTYPE_BF16) == 989.4);
	assert_true(peak("NVIDIA H200", WL_DTYPE_FP8) == 1978.9);
	assert_true(peak("NVIDIA A100-SXM4-40GB", WL_DTYPE_BF16) == 312);
	assert_true(peak("A100-SXM4-40GB", WL_DTYPE_TF32) == 156);
	assert_true(peak("NVIDIA A100 80GB PCIe", WL_DTYPE_INT8) == 624);
	assert_true(peak("NVIDIA GeForce RTX 4090", WL_DTYPE_FP16) == 165.2);
	assert_true(peak("NVIDIA GeForce RTX 3090", WL_DTYPE_BF16) == 71);
	assert_true(peak("Tesla V100-SXM2-16GB", WL_DTYPE_FP16) == 125);
	assert_true(peak("Tesla T4", WL_DTYPE_FP16) == 65);
	assert_true(peak("Quadro RTX 6000", WL_DTYPE_FP16) == 130.5);
	assert_true(peak("NVIDIA RTX 6000 Ada Generation", WL_DTYPE_FP16) == 364.2);
	assert_true(peak("NVIDIA GH200 480GB", WL_DTYPE_BF16) == 989.4);
}

/* Half of what the maker publishes; nothing where a bridge or the board decides. */
TEST(nvlink_is_that_of_one_direction)
{
	assert_true(wl_gpu_peaks_find("NVIDIA H100 80GB HBM3")->nvlink == 450);
	assert_true(wl_gpu_peaks_find("NVIDIA A100-SXM4-80GB")->nvlink == 300);
	assert_true(wl_gpu_peaks_find("NVIDIA B200")->nvlink == 900);
	assert_true(wl_gpu_peaks_find("NVIDIA A100 80GB PCIe")->nvlink == 0);
	assert_true(wl_gpu_peaks_find("NVIDIA GH200 480GB")->nvlink == 0);
	assert_true(wl_gpu_peaks_find("NVIDIA GeForce RTX 4090")->nvlink == 0);
}

TEST(variants_of_one_model_have_their_own_line)
{
	assert_true(wl_gpu_peaks_find("NVIDIA A100-SXM4-80GB")->bandwidth == 2039);
	assert_true(wl_gpu_peaks_find("NVIDIA A100-SXM4-40GB")->bandwidth == 1555);
	assert_true(peak("NVIDIA H100 PCIe", WL_DTYPE_BF16) == 756);
	assert_true(peak("NVIDIA H100 NVL", WL_DTYPE_BF16) == 835.5);
	assert_true(peak("NVIDIA H200 NVL", WL_DTYPE_BF16) == 835.5);
	assert_true(peak("NVIDIA GB200", WL_DTYPE_BF16) == 2500);
	assert_true(peak("NVIDIA B200", WL_DTYPE_BF16) == 2250);
	assert_true(wl_gpu_peaks_find("NVIDIA B200")->bandwidth == 7700);
	assert_true(peak("NVIDIA B300 SXM6 AC", WL_DTYPE_BF16) == 2250);
}

/* A guess would be off by a factor that nothing shows. */
TEST(whatever_is_not_in_the_table_is_not_known)
{
	static const char *const unknown[] = {
		"",
		"NVIDIA",
		"NVIDIA A10G",
		"NVIDIA A1000",
		"A2",
		"NVIDIA GeForce RTX 3080 Ti",
		"NVIDIA GeForce RTX 4090 D",
		"NVIDIA GeForce RTX 4090 Laptop GPU",
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb",
		"NVIDIA A100-SXM-64GB",
		"NVIDIA H100",
		"NVIDIA H800",
		"NVIDIA H20",
		"80GB",
	};

	for (size_t i = 0; i < WL_COUNT(unknown); i++) {
		if (wl_gpu_peaks_find(unknown[i]))
			fail_msg("%s is known", unknown[i]);
	}
}

TEST(each_line_is_found_by_its_own_words)
{
	for (size_t i = 0; i < WL_COUNT(table); i++) {
		const struct wl_gpu_peaks *p = wl_gpu_peaks_find(table[i].tokens);

		if (!p || strcmp(p->tokens, table[i].tokens) != 0)
			fail_msg("%s is found as %s", table[i].tokens, p ? p->tokens : "nothing");
	}
}

TEST(each_line_has_a_source)
{
	for (size_t i = 0; i < WL_COUNT(table); i++) {
		const char *s = table[i].source;

		if (strncmp(s, "NVIDIA ", 7) != 0 ||
		    (!strstr(s, "datasheet") && !strstr(s, "whitepaper") && !strstr(s, "brief")))
			fail_msg("%s: \"%s\" is no document", table[i].tokens, s);
	}
}

/* Whether a is b times one of two factors, within 2%: how far datasheets round. */
static bool is_times(double a, double b, double one, double other)
{
	return (a >= 0.98 * one * b && a <= 1.02 * one * b) ||
	       (a >= 0.98 * other * b && a <= 1.02 * other * b);
}

/* A figure with sparsity, twice the dense one, or a slip of a digit breaks these. */
TEST(peaks_of_a_line_agree_with_each_other)
{
	for (size_t i = 0; i < WL_COUNT(table); i++) {
		const double *p = table[i].peak;
		double ridge = p[WL_DTYPE_FP16] * 1e3 / table[i].bandwidth; /* FLOP per byte */
		bool ok = p[WL_DTYPE_FP16] > 0 && p[WL_DTYPE_FP32] > 0 && ridge > 50 && ridge < 500;

		ok = ok && (p[WL_DTYPE_BF16] == 0 || p[WL_DTYPE_BF16] == p[WL_DTYPE_FP16]);
		ok = ok &&
		     (p[WL_DTYPE_TF32] == 0 || is_times(p[WL_DTYPE_FP16], p[WL_DTYPE_TF32], 2, 2));
		ok = ok &&
		     (p[WL_DTYPE_FP8] == 0 || is_times(p[WL_DTYPE_FP8], p[WL_DTYPE_FP16], 2, 2));
		ok = ok &&
		     (p[WL_DTYPE_INT8] == 0 || is_times(p[WL_DTYPE_INT8], p[WL_DTYPE_FP16], 2, 4));
		ok = ok && (p[WL_DTYPE_FP4] == 0 || (p[WL_DTYPE_FP4] >= 2 * p[WL_DTYPE_FP8] &&
						     p[WL_DTYPE_FP4] <= 4 * p[WL_DTYPE_FP8]));
		ok = ok && p[WL_DTYPE_FP64] <= p[WL_DTYPE_FP32];
		if (!ok)
			fail_msg("%s: figures that do not go together", table[i].tokens);
	}
}

/* Units and boost clocks as published, of lines that are checked by them. */
struct units {
	const char *tokens;
	double cores;  /* of CUDA */
	double mhz;    /* boost */
	double factor; /* FP16 of Tensor Cores, accumulated in FP32, over FP32 of CUDA cores */
	double bits;   /* of the memory bus */
	double gbps;   /* of each */
};

static const struct units published[] = {
	{ "A30", 3584, 1440, 16, 3072, 2.43 },       { "A10", 9216, 1695, 4, 384, 12.5 },
	{ "RTX A6000", 10752, 1800, 4, 384, 16 },    { "RTX 3070", 5888, 1725, 2, 256, 14 },
	{ "RTX 3080", 8704, 1710, 2, 320, 19 },      { "RTX 3090", 10496, 1695, 2, 384, 19.5 },
	{ "RTX 6000 Ada", 18176, 2505, 4, 384, 20 }, { "RTX 4080", 9728, 2505, 2, 256, 22.4 },
	{ "RTX 4090", 16384, 2520, 2, 384, 21 },     { "RTX 5090", 21760, 2407, 2, 512, 28 },
};

static const struct units *units_of(const char *tokens)
{
	for (size_t i = 0; i < WL_COUNT(published); i++) {
		if (strcmp(published[i].tokens, tokens) == 0)
			return &published[i];
	}
	return NULL;
}

static bool is_within(double a, double b, double part)
{
	return a >= (1 - part) * b && a <= (1 + part) * b;
}

/* A core does a multiply-add per cycle. */
TEST(units_and_clocks_give_the_peaks)
{
	for (size_t i = 0; i < WL_COUNT(table); i++) {
		const struct units *u = units_of(table[i].tokens);
		double fp32;

		assert_int_equal(u != NULL, table[i].checked == WL_PEAKS_UNITS);
		if (!u)
			continue;
		fp32 = 2 * u->cores * u->mhz / 1e6;
		if (!is_within(table[i].peak[WL_DTYPE_FP32], fp32, 0.005) ||
		    !is_within(table[i].peak[WL_DTYPE_FP16], u->factor * fp32, 0.005) ||
		    !is_within(table[i].bandwidth, u->bits / 8 * u->gbps, 0.005))
			fail_msg("%s: units and clocks give others", table[i].tokens);
	}
}
