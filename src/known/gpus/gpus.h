/* SPDX-License-Identifier: MIT */
/* gpus.h - peak rates of GPUs by name and data type (gpus.def). */
#ifndef WL_KNOWN_GPUS_H
#define WL_KNOWN_GPUS_H

/* Types that matrices are multiplied in. */
enum wl_dtype {
	WL_DTYPE_FP64,
	WL_DTYPE_FP32,
	WL_DTYPE_TF32,
	WL_DTYPE_FP16,
	WL_DTYPE_BF16,
	WL_DTYPE_FP8,
	WL_DTYPE_INT8,
	WL_DTYPE_FP4,
	WL_N_DTYPES
};

/* "fp64", "fp32", ... by type; NULL ends. */
extern const char *const wl_dtype_names[WL_N_DTYPES + 1];

/* How a line was compared with public material; see gpus.def. */
enum wl_peaks_check { WL_PEAKS_OPEN, WL_PEAKS_UNITS, WL_PEAKS_TABLE };

struct wl_gpu_peaks {
	const char *tokens;       /* of its name */
	double peak[WL_N_DTYPES]; /* dense, TFLOP/s; 0: not known, or the GPU does not have the type
				   */
	double bandwidth;         /* of its memory, GB/s */
	double nvlink;      /* of all its links in one direction, GB/s; 0: none, or not known */
	const char *source; /* the document that has the figures */
	enum wl_peaks_check checked;
};

/*
 * The peaks of a GPU by the name that nsys records, NULL where the table does not have it.
 * Words are parted by blanks and dashes and compared without regard to case. All words of
 * the line must be in the name, and all of the name in the line, but for brands and sizes
 * of memory: A100 is not A10, and "RTX 3080 Ti", a MIG instance and an unheard-of variant are
 * not known.
 */
const struct wl_gpu_peaks *wl_gpu_peaks_find(const char *name);

#endif
