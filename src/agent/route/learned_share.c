/* SPDX-License-Identifier: MIT */
/* learned_share.c - turns sums of weights into shares; separate: tools/learn has no table yet. */
#include <math.h>

#include "agent/route/learned.h"

/* Chosen by cross-validation. */
static const float scale = 3.0F;

void wl_learned_share(float *sum, size_t n, const float *bias, size_t n_verbs)
{
	float factor = scale / sqrtf((float)(n ? n : 1)), most = -INFINITY, all = 0;

	for (size_t v = 0; v < n_verbs; v++) {
		sum[v] = sum[v] * factor + bias[v];
		most = sum[v] > most ? sum[v] : most;
	}
	for (size_t v = 0; v < n_verbs; v++) {
		sum[v] = expf(sum[v] - most);
		all += sum[v];
	}
	for (size_t v = 0; v < n_verbs; v++)
		sum[v] /= all;
}
