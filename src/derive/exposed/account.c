/* SPDX-License-Identifier: MIT */
#include "derive/exposed/account.h"

struct wl_account wl_account_of(const struct wl_usage *usage, wl_ns length,
				const struct wl_comm_parts *parts)
{
	return (struct wl_account){
		.length = length,
		.compute = wl_usage_any(usage, WL_ON_COMPUTE),
		.exposed_comm = wl_usage_without(usage, WL_ON_COMM, WL_ON_COMPUTE),
		.exposed_copy = wl_usage_without(usage, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM),
		.idle = usage->ns[0],
		.kernel_busy = wl_usage_any(usage, WL_ON_KERNEL),
		.comm = wl_usage_any(usage, WL_ON_COMM),
		.copy = wl_usage_any(usage, WL_ON_COPY),
		.parts = *parts,
		.n_graphs = usage->n_graphs,
		.n_comm = usage->n_comm,
	};
}

void wl_account_add(struct wl_account *to, const struct wl_account *a)
{
	to->length += a->length;
	to->compute += a->compute;
	to->exposed_comm += a->exposed_comm;
	to->exposed_copy += a->exposed_copy;
	to->idle += a->idle;
	to->kernel_busy += a->kernel_busy;
	to->comm += a->comm;
	to->copy += a->copy;
	to->n_graphs += a->n_graphs;
	to->n_comm += a->n_comm;
	wl_comm_parts_join(&to->parts, &a->parts);
}
