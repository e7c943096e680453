/* SPDX-License-Identifier: MIT */
#include "known/kernels/labels.h"

#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

enum { MAX = 32 };

static void expect(const char *const *name, const char *const *want, size_t n)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const char *got[MAX];

	assert_true(wl_kernel_labels(name, n, &arena, got));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(got[i], want[i]);
}

static void one(const char *name, const char *want)
{
	expect(&name, &want, 1);
}

TEST(a_label_is_the_base_name)
{
	one("saxpy(int, float *)", "saxpy");
	one("void a::b::scale<(int)4>(T1)", "scale");
	one("void at::native::(anonymous namespace)::scan(int)", "scan");
	one("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn");
	one("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned "
	    "long)4096>)",
	    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
	one("", "");
	one("a,\"b\"|c(d)", "a,\"b\"|c(d)");
	one("[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]");
}

TEST(a_base_that_says_nothing_has_its_qualifier)
{
	one("void xmma_cudnn::gemm::kernel<a::Traits>(Params)", "gemm::kernel");
}

TEST(data_type_and_tile_stay)
{
	one("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_"
	    "execute_segment_k_off_kernel__5x_cublas",
	    "sm90 gemm bf16 128x256x64");
	one("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)4, "
	    "cutlass::bfloat16_t>, (bool)1>(Flash_fwd_params)",
	    "flash_fwd hdim128 bf16");
	one("void layer_norm<c10::Half, (int)4>(T1 *)", "layer_norm<fp16>");
}

TEST(a_wrapper_says_what_it_wraps)
{
	one("void at::native::vectorized_elementwise_kernel<(int)4, "
	    "at::native::FillFunctor<float>, at::detail::Array<char *, (int)1>>(int, T2, T3)",
	    "vectorized_elementwise FillFunctor float");
	one("void cutlass::Kernel<cutlass_80_tensorop_s1688f16gemm_256x128_16x3_tn_align4>(T1)",
	    "cutlass_80_tensorop_s1688f16gemm_256x128_16x3_tn_align4");
	one("void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<(int)2>>>(T1)",
	    "FlashAttnFwdSm90");
}

TEST(arguments_that_differ_are_kept)
{
	static const char *const name[] = {
		"void ns::softmax<float, float, (int)6, (bool)0>(T1 *)",
		"void ns::softmax<float, float, (int)7, (bool)0>(T1 *)",
		"void ns::softmax<float, float, (int)7, (bool)1>(T1 *)",
		"void ns::other<float, (int)7>(T1 *)",
		"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_execute_kernel__5x_cublas",
		"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x256x8_execute_kernel__5x_cublas",
	};
	static const char *const want[] = {
		"softmax<float, 6>", "softmax<float, 7, 0>",      "softmax<float, 7, 1>",
		"other<float>",      "sm80 gemm f32 tn 64x256x8", "sm80 gemm f32 nn 64x256x8",
	};

	expect(name, want, WL_COUNT(name));
}

TEST(overloads_differ_in_their_parameters)
{
	static const char *const name[] = { "scale(float *, int)", "scale(double *, int)" };
	static const char *const want[] = { "scale(float)", "scale(double)" };

	expect(name, want, WL_COUNT(name));
}

TEST(equal_bases_of_two_namespaces_are_qualified)
{
	static const char *const name[] = { "void a::f(int)", "void b::f(int)", "void b::g(int)" };
	static const char *const want[] = { "a::f", "b::f", "g" };

	expect(name, want, WL_COUNT(name));
}

TEST(what_differs_in_spaces_only_is_spelled_out)
{
	static const char *const name[] = { "void f<A<int> >(int)", "void f<A<int>>(int)" };

	expect(name, name, WL_COUNT(name));
}

TEST(a_trailing_hash_tells_kernels_apart)
{
	static const char *const name[] = { "triton_mm_0123abcd", "triton_mm_0123abce" };

	expect(name, name, WL_COUNT(name));
}

TEST(equal_names_have_equal_labels)
{
	static const char *const name[] = { "f(int)", "g(int)", "f(int)" };
	static const char *const want[] = { "f", "g", "f" };

	expect(name, want, WL_COUNT(name));
}

/* ---- Random names ---- */

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void random_name(uint64_t *seed, char *buf, size_t size)
{
	static const char *const parts[] = {
		"a",
		"b::",
		"f",
		"<",
		">",
		"(",
		")",
		", ",
		"float",
		"(int)4",
		"void ",
		"<unnamed>::",
		"(anonymous namespace)::",
		"sm90_xmma_",
		"gemm_",
		"bf16bf16_",
		"tilesize8x8x8_",
		"flash_fwd_kernel<",
		"cutlass::Kernel<",
		"_0123abcd",
		"\u00e4",
		"c10::Half",
		" ",
	};
	size_t n = next(seed) % 8;

	*buf = '\0';
	for (size_t i = 0; i < n && strlen(buf) + 32 < size; i++)
		(void)strcat(buf, parts[next(seed) % WL_COUNT(parts)]);
}

TEST(different_names_have_different_labels)
{
	uint64_t seed = 88172645463325252U;

	for (int round = 0; round < 5000; round++) {
		char text[MAX][256];
		const char *name[MAX], *got[MAX];
		size_t n = next(&seed) % MAX;
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 22);
		for (size_t i = 0; i < n; i++) {
			random_name(&seed, text[i], sizeof(text[i]));
			name[i] = text[i];
		}
		assert_true(wl_kernel_labels(name, n, &arena, got));
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < i; k++)
				assert_int_equal(strcmp(name[i], name[k]) == 0,
						 strcmp(got[i], got[k]) == 0);
		}
		wl_arena_release(&arena);
	}
}

TEST(long_names_are_handled)
{
	enum { LONG = 1 << 16 };
	static char text[2][LONG + 2];
	const char *name[] = { text[0], text[1] }, *got[2];
	struct wl_arena arena;

	memset(text[0], '<', LONG);
	memset(text[1], '<', LONG + 1);
	wl_arena_init(&arena, 1 << 24);
	assert_true(wl_kernel_labels(name, 2, &arena, got));
	assert_string_not_equal(got[0], got[1]);
	wl_arena_release(&arena);
}

TEST(without_memory_it_fails)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1));
	const char *name = "f(int)", *got;

	assert_false(wl_kernel_labels(&name, 1, &arena, &got));
}
