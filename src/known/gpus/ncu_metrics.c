/* SPDX-License-Identifier: MIT */
#include "known/gpus/ncu_metrics.h"

#include <string.h>

enum {
	GV100 = 1 << WL_NCU_GV100,
	TU102 = 1 << WL_NCU_TU102,
	GA100 = 1 << WL_NCU_GA100,
	GA102 = 1 << WL_NCU_GA102,
	AD102 = 1 << WL_NCU_AD102,
	GH100 = 1 << WL_NCU_GH100,
	GB100 = 1 << WL_NCU_GB100,
	TO_HOPPER = GB100 - 1,
	ALL = TO_HOPPER | GB100,
};

const struct wl_ncu_metric_info wl_ncu_metrics[WL_NCU_N_METRICS] = {
#define WL_NCU_METRIC(meaning, form, chips, name)                                                  \
	{ WL_NCU_##meaning, WL_NCU_##form, (chips), (name) },
#include "known/gpus/ncu_metrics.def"
#undef WL_NCU_METRIC
};

const char *const wl_ncu_suffixes[WL_NCU_N_SUFFIXES] = {
	[WL_NCU_SUM] = ".sum",
	[WL_NCU_PER_SECOND] = ".sum.per_second",
	[WL_NCU_PER_CYCLE] = ".sum.per_cycle_elapsed",
};

const char *const wl_ncu_chip_names[WL_NCU_N_CHIPS] = {
	[WL_NCU_GV100] = "gv100", [WL_NCU_TU102] = "tu102", [WL_NCU_GA100] = "ga100",
	[WL_NCU_GA102] = "ga102", [WL_NCU_AD102] = "ad102", [WL_NCU_GH100] = "gh100",
	[WL_NCU_GB100] = "gb100",
};

/* The lowest compute capability of each, times 10. */
static const uint32_t first_cc[WL_NCU_N_CHIPS] = {
	[WL_NCU_GV100] = 70, [WL_NCU_TU102] = 75, [WL_NCU_GA100] = 80,  [WL_NCU_GA102] = 86,
	[WL_NCU_AD102] = 89, [WL_NCU_GH100] = 90, [WL_NCU_GB100] = 100,
};

enum wl_ncu_chip wl_ncu_chip_of(uint32_t cc)
{
	size_t chip = WL_NCU_N_CHIPS - 1;

	while (chip > 0 && first_cc[chip] > cc)
		chip--;
	return (enum wl_ncu_chip)chip;
}

bool wl_ncu_meaning_adds(enum wl_ncu_meaning meaning)
{
	return meaning >= WL_NCU_OPS_FP64 && meaning <= WL_NCU_OPS_INT1;
}

bool wl_ncu_metric_known(const char *name, size_t *ret_line, size_t *ret_suffix)
{
	for (size_t i = 0; i < WL_NCU_N_METRICS; i++) {
		size_t n = strlen(wl_ncu_metrics[i].name), s = 0;
		bool is_counter = wl_ncu_metrics[i].form == WL_NCU_COUNTER;

		if (strncmp(name, wl_ncu_metrics[i].name, n) != 0)
			continue;
		while (is_counter && s < WL_NCU_N_SUFFIXES &&
		       strcmp(name + n, wl_ncu_suffixes[s]) != 0)
			s++;
		if (is_counter ? s < WL_NCU_N_SUFFIXES : name[n] == '\0') {
			*ret_line = i;
			*ret_suffix = s;
			return true;
		}
	}
	return false;
}
