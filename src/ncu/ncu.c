/* SPDX-License-Identifier: MIT */
#include "ncu/ncu.h"

#include <string.h>

#include "base/memory/intern.h"

void wl_ncu_init(struct wl_ncu *ncu, struct wl_budget *budget)
{
	*ncu = (struct wl_ncu){ .n_ranges = 0 };
	wl_vec_init(&ncu->metrics, sizeof(const char *), budget);
	wl_vec_init(&ncu->launches, sizeof(struct wl_ncu_launch), budget);
	wl_vec_init(&ncu->values, sizeof(struct wl_ncu_value), budget);
}

void wl_ncu_release(struct wl_ncu *ncu)
{
	wl_vec_release(&ncu->metrics);
	wl_vec_release(&ncu->launches);
	wl_vec_release(&ncu->values);
	*ncu = (struct wl_ncu){ .n_ranges = 0 };
}

const char *wl_ncu_metric(const struct wl_ncu *ncu, size_t i)
{
	return ((const char *const *)ncu->metrics.data)[i];
}

const struct wl_ncu_launch *wl_ncu_launch(const struct wl_ncu *ncu, size_t i)
{
	return (const struct wl_ncu_launch *)ncu->launches.data + i;
}

const struct wl_ncu_value *wl_ncu_values(const struct wl_ncu *ncu, const struct wl_ncu_launch *l)
{
	const struct wl_ncu_value *all = ncu->values.data;

	return all ? all + l->first : NULL;
}

uint32_t wl_ncu_find(const struct wl_ncu *ncu, const char *metric)
{
	for (size_t i = 0; i < ncu->metrics.n; i++) {
		if (strcmp(wl_ncu_metric(ncu, i), metric) == 0)
			return (uint32_t)i;
	}
	return WL_NONE;
}
