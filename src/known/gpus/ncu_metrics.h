/* SPDX-License-Identifier: MIT */
/* ncu_metrics.h - metrics of Nsight Compute by what they mean (ncu_metrics.def). */
#ifndef WL_KNOWN_NCU_METRICS_H
#define WL_KNOWN_NCU_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generation of chips, by the largest of them. */
enum wl_ncu_chip {
	WL_NCU_GV100, /* Volta */
	WL_NCU_TU102, /* Turing */
	WL_NCU_GA100, /* Ampere */
	WL_NCU_GA102, /* Ampere of graphics cards */
	WL_NCU_AD102, /* Ada */
	WL_NCU_GH100, /* Hopper */
	WL_NCU_GB100, /* Blackwell */
	WL_NCU_N_CHIPS
};

enum wl_ncu_meaning {
	WL_NCU_DURATION,        /* ns */
	WL_NCU_SM_SHARE,        /* of the peak of the busiest part of the SMs */
	WL_NCU_MEMORY_SHARE,    /* of the peak of the busiest part of caches and memory */
	WL_NCU_DRAM_SHARE,      /* of the peak of the memory */
	WL_NCU_TENSOR_SHARE,    /* of the time, tensor cores busy */
	WL_NCU_OCCUPANCY,       /* warps active, of those that fit an SM */
	WL_NCU_MAX_OCCUPANCY,   /* the same, as the launch allows */
	WL_NCU_WAVES,           /* blocks by the number that run at a time */
	WL_NCU_LIMIT_REGISTERS, /* blocks per SM that this allows; the others alike */
	WL_NCU_LIMIT_SHARED,
	WL_NCU_LIMIT_WARPS,
	WL_NCU_LIMIT_BLOCKS,
	WL_NCU_LIMIT_BARRIERS,
	WL_NCU_SM_CLOCK, /* cycles per second */
	WL_NCU_DRAM_CLOCK,
	WL_NCU_DRAM_WIDTH, /* bytes per cycle of the memory, of all of it */
	WL_NCU_DRAM_BYTES, /* read and written */
	WL_NCU_DRAM_READ,
	WL_NCU_DRAM_WRITTEN,
	WL_NCU_FADD, /* instructions of threads */
	WL_NCU_FMUL,
	WL_NCU_FFMA,
	WL_NCU_DADD,
	WL_NCU_DMUL,
	WL_NCU_DFMA,
	WL_NCU_HADD,
	WL_NCU_HMUL,
	WL_NCU_HFMA,
	WL_NCU_OPS_FP64, /* operations of tensor cores by operands; the first of them */
	WL_NCU_OPS_TF32,
	WL_NCU_OPS_FP16, /* and BF16 */
	WL_NCU_OPS_FP8,  /* and narrower ones that run at its rate */
	WL_NCU_OPS_FP4,
	WL_NCU_OPS_INT8,
	WL_NCU_OPS_INT4,
	WL_NCU_OPS_INT1,  /* the last of them */
	WL_NCU_PEAK_DFMA, /* instructions of threads per cycle at most, of all SMs */
	WL_NCU_PEAK_FFMA,
	WL_NCU_PEAK_HFMA,
	WL_NCU_PEAK_FP64, /* operations of tensor cores per cycle at most, dense; the first of them
			   */
	WL_NCU_PEAK_TF32,
	WL_NCU_PEAK_FP16,
	WL_NCU_PEAK_FP8,
	WL_NCU_PEAK_FP4,
	WL_NCU_PEAK_INT8, /* the last of them */
	WL_NCU_N_MEANINGS
};

enum wl_ncu_form {
	WL_NCU_VALUE,   /* the name is whole */
	WL_NCU_PERCENT, /* the same; 1% is 0.01 */
	WL_NCU_COUNTER, /* without the suffix: see wl_ncu_suffixes */
};

struct wl_ncu_metric_info {
	enum wl_ncu_meaning meaning;
	enum wl_ncu_form form;
	uint32_t chips; /* bits of enum wl_ncu_chip */
	const char *name;
};

enum {
	WL_NCU_N_METRICS = 0
/* NOLINTNEXTLINE(bugprone-macro-parentheses): one term of a sum */
#define WL_NCU_METRIC(meaning, form, chips, name) +1
#include "known/gpus/ncu_metrics.def"
#undef WL_NCU_METRIC
};

/* In order of preference within a meaning. */
extern const struct wl_ncu_metric_info wl_ncu_metrics[WL_NCU_N_METRICS];

/* How reports have a counter: as a count, per second, per cycle. */
enum { WL_NCU_SUM, WL_NCU_PER_SECOND, WL_NCU_PER_CYCLE, WL_NCU_N_SUFFIXES };

extern const char *const wl_ncu_suffixes[WL_NCU_N_SUFFIXES];

/* By compute capability times 10: the newest generation that is not newer. 0, unknown, is the
 * first. */
enum wl_ncu_chip wl_ncu_chip_of(uint32_t cc);

/* "gh100" */
extern const char *const wl_ncu_chip_names[WL_NCU_N_CHIPS];

/* Its lines add up, where the chip has several. */
bool wl_ncu_meaning_adds(enum wl_ncu_meaning meaning);

/*
 * The line and the suffix that a metric of a report is, and 0 for the suffix of a whole name; false
 * where no line has it. Linear in the table: look at a name once.
 */
bool wl_ncu_metric_known(const char *name, size_t *ret_line, size_t *ret_suffix);

#endif
