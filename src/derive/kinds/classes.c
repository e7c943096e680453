/* SPDX-License-Identifier: MIT */
#include "derive/kinds/classes.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/nccl.h"
#include "known/exports/codes.h"

static uint8_t *classify_names(const struct wl_derived *d, struct wl_arena *arena)
{
	const struct wl_trace *t = d->trace;
	const struct wl_named *named = d->named;
	uint8_t *class = WL_NEW(arena, uint8_t, t->n_kernel_names);

	for (size_t i = 0; class && i < t->n_kernel_names; i++)
		class[i] = wl_kernel_is_comm(&named->kernel[i]) ? WL_COMM : WL_COMPUTE;
	return class;
}

bool wl_copy_is_local(const struct wl_trace *trace, size_t row)
{
	const uint8_t *kind = wl_memcpys_kind(trace), *across = wl_memcpys_across(trace);

	/*
	 * A copy within one device uses its memory and no link. A copy between devices has the same
	 * kind in some exports and is recognized by its two devices.
	 */
	return kind && wl_copy_is_on_device(kind[row]) && !(across && across[row]);
}

static bool find_local(const struct wl_trace *t, struct wl_arena *arena, struct wl_classes *c)
{
	size_t n = t->family[WL_F_MEMCPYS].n;
	bool *is_local;

	if (n == 0)
		return true;
	is_local = WL_NEW(arena, bool, n);
	for (size_t i = 0; is_local && i < n; i++)
		is_local[i] = wl_copy_is_local(t, i);
	c->copy_is_local = is_local;
	return is_local != NULL;
}

static bool can_tell_copies(const struct wl_trace *t)
{
	return t->family[WL_F_MEMCPYS].n && t->family[WL_F_API].n && wl_memcpys_kind(t) &&
	       wl_memcpys_corr(t) && wl_api_corr(t) && wl_api_name(t);
}

static bool may_be_comm(unsigned kind)
{
	return kind == WL_COPY_D2D || kind == WL_COPY_P2P;
}

/* Most traces have none, and then nothing needs to be linked. */
static bool any_may_be_comm(const struct wl_trace *t)
{
	const uint8_t *kind = wl_memcpys_kind(t);
	size_t i = 0;

	while (i < t->family[WL_F_MEMCPYS].n && !may_be_comm(kind[i]))
		i++;
	return i < t->family[WL_F_MEMCPYS].n;
}

/* Copy-engine collectives. */
static bool find_comm(const struct wl_derived *d, struct wl_arena *arena, struct wl_classes *c)
{
	const struct wl_trace *t = d->trace;
	const uint8_t *kind = wl_memcpys_kind(t);
	size_t n = t->family[WL_F_MEMCPYS].n;
	bool *is_comm;

	/* Cheap checks come first: linking all copies to their calls is expensive. */
	if (d->nccl_ranges->n == 0 || !can_tell_copies(t) || !any_may_be_comm(t))
		return true;
	is_comm = WL_NEW(arena, bool, n);
	if (!is_comm || !wl_calls_find(t, WL_F_MEMCPYS, arena, &c->copy_call))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t api = c->copy_call[i];
		wl_ns start;

		if (!may_be_comm(kind[i]) || api == WL_NONE)
			continue;
		start = wl_api_start(t)[api];
		is_comm[i] =
			wl_nccl_contains(t, d->nccl_ranges, wl_api_thread(t)[api], start,
					 start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), api));
	}
	c->copy_is_comm = is_comm;
	return true;
}

bool wl_classes_find(const struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_classes *ret)
{
	*ret = (struct wl_classes){ .kernel_name = classify_names(derived, arena) };
	return ret->kernel_name && find_local(derived->trace, arena, ret) &&
	       find_comm(derived, arena, ret);
}

bool wl_copy_calls_find(const struct wl_derived *derived, struct wl_arena *arena,
			struct wl_copy_calls *ret)
{
	ret->of = derived->classes->copy_call;
	return ret->of || derived->trace->family[WL_F_MEMCPYS].n == 0 ||
	       wl_calls_find(derived->trace, WL_F_MEMCPYS, arena, &ret->of);
}

const char *wl_class_name(enum wl_class class)
{
	static const char *const names[WL_N_CLASSES] = {
		[WL_COMPUTE] = "compute", [WL_COMM] = "comm", [WL_COPY] = "copy"
	};

	return names[class];
}
