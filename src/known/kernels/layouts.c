/* SPDX-License-Identifier: MIT */
#include "known/kernels/layouts.h"

#include "base/attr.h"
#include "known/kernels/names.h"
#include "known/kernels/words.h"

enum { MAX_BASE = 1024 };

/* Patterns over words (known/kernels/words.h). */
static const char *const patterns[] = {
	/* cuDNN: nchwToNhwcKernel, nhwcToNchwKernel, nhwcToFoldedNhwcKernel. */
	"*nchw_to_nhwc*",
	"*nhwc_to_nchw*",
	"*nchwto_nhwc*",
	"*nhwcto_nchw*",
	"*nchw2nhwc*",
	"*nhwc2nchw*",
	"*ncdhw_to_ndhwc*",
	"*ndhwc_to_ncdhw*",
	"*nhwc_to_folded*",
	"*folded_nhwc_to*",
	/* TensorFlow: SwapDimension1And2InTensor3UsingTiles. */
	"*swap_dimension1*in_tensor3*",
};

bool wl_kernel_changes_layout(const char *demangled)
{
	char base[MAX_BASE], text[MAX_BASE];
	struct wl_words words;

	wl_words_of(base, wl_name_base(demangled, base, sizeof(base)), text, sizeof(text), &words);
	for (size_t i = 0; i < WL_COUNT(patterns); i++) {
		if (wl_words_match(&words, patterns[i]))
			return true;
	}
	return false;
}
