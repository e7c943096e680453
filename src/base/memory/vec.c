/* SPDX-License-Identifier: MIT */
#include "base/memory/vec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/num.h"

/*
 * Below this size the heap is as good and wastes less. Under AddressSanitizer
 * everything stays on the heap, where overruns are seen.
 */
#if WL_RED_ZONE
#define MAP_FROM SIZE_MAX
#else
#define MAP_FROM ((size_t)1 << 20)
#endif

void wl_vec_init(struct wl_vec *v, size_t size, struct wl_budget *budget)
{
	*v = (struct wl_vec){ .size = size, .budget = budget };
}

void wl_vec_release(struct wl_vec *v)
{
	if (v->mapped)
		(void)munmap(v->data, v->bytes);
	else
		free(v->data);
	if (v->budget)
		wl_budget_give(v->budget, v->bytes - v->lent);
	v->data = NULL;
	v->n = v->cap = v->bytes = v->lent = 0;
	v->mapped = false;
}

/* Move data to a block of the given size; the old one stays as it is on failure. */
static void *move(const struct wl_vec *v, size_t bytes, bool mapped)
{
	void *p;

	if (!mapped && !v->mapped)
		return realloc(v->data, bytes);
	if (mapped && v->mapped) {
		p = mremap(v->data, v->bytes, bytes, MREMAP_MAYMOVE);
		return p == MAP_FAILED ? NULL : p;
	}
	if (mapped) {
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
	} else {
		p = malloc(bytes);
		if (!p)
			return NULL;
	}
	if (v->data)
		memcpy(p, v->data, v->n * v->size);
	if (v->mapped)
		(void)munmap(v->data, v->bytes);
	else
		free(v->data);
	return p;
}

static bool resize(struct wl_vec *v, size_t cap)
{
	size_t bytes;
	bool mapped;
	void *p;

	if (!wl_mul(cap, v->size, &bytes))
		return false;
	mapped = bytes >= MAP_FROM;
	if (mapped) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);

		if (!wl_add(bytes, page - 1, &bytes))
			return false;
		bytes -= bytes % page;
	}
	if (bytes > v->bytes && !wl_budget_take(v->budget, bytes - v->bytes))
		return false;
	p = move(v, bytes, mapped);
	if (!p) {
		if (bytes > v->bytes)
			wl_budget_give(v->budget, bytes - v->bytes);
		return false;
	}
	if (bytes < v->bytes)
		wl_budget_give(v->budget, v->bytes - bytes);
	v->data = p;
	v->bytes = bytes;
	v->cap = bytes / v->size;
	v->mapped = mapped;
	return true;
}

bool wl_vec_reserve(struct wl_vec *v, size_t n)
{
	if (n > v->cap && !resize(v, n))
		v->failed = true;
	return !v->failed;
}

void *wl_vec_extend(struct wl_vec *v, size_t n)
{
	size_t want;
	void *p;

	if (v->failed)
		return NULL;
	if (!wl_add(v->n, n, &want)) {
		v->failed = true;
		return NULL;
	}
	if (want > v->cap || !v->data) {
		/* By half: doubling would charge the budget for up to half of nothing. */
		size_t cap = v->cap + v->cap / 2;

		if (cap < want)
			cap = want;
		if (cap < 16)
			cap = 16;
		if (!resize(v, cap) && !resize(v, want)) {
			v->failed = true;
			return NULL;
		}
	}
	p = (char *)v->data + v->n * v->size;
	v->n = want;
	return p;
}

void wl_vec_push(struct wl_vec *v, const void *element)
{
	void *p = wl_vec_extend(v, 1);

	if (p)
		memcpy(p, element, v->size);
}

void wl_vec_trim(struct wl_vec *v)
{
	if (v->n == 0)
		wl_vec_release(v);
	else if (v->n < v->cap)
		(void)resize(v, v->n); /* a failed shrink leaves a valid, larger block */
}

/* The bytes by which a mapped vector and its twin are more than the twin; at most all of it. */
static size_t excess(const struct wl_vec *v, size_t page, size_t n_streams, size_t n_held)
{
	size_t ends, held, sum;

	if (!wl_mul(n_streams, page, &ends) || !wl_mul(n_held, v->size, &held) ||
	    !wl_add(ends, held, &sum) || sum > v->bytes)
		return v->bytes;
	return sum;
}

bool wl_vec_twin(struct wl_vec *twin, const struct wl_vec *v, size_t n_streams, size_t n_held)
{
	size_t charge;

	wl_vec_init(twin, v->size, v->budget);
	if (!v->mapped) {
		if (!wl_vec_reserve(twin, v->n))
			return false;
		twin->n = v->n;
		return true;
	}
	charge = excess(v, (size_t)sysconf(_SC_PAGESIZE), n_streams, n_held);
	if (!wl_budget_take(v->budget, charge))
		return false;
	twin->data =
		mmap(NULL, v->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (twin->data == MAP_FAILED) {
		wl_budget_give(v->budget, charge);
		twin->data = NULL;
		return false;
	}
	twin->n = v->n;
	twin->cap = v->cap;
	twin->bytes = v->bytes;
	twin->lent = v->bytes - charge;
	twin->mapped = true;
	return true;
}

void wl_vec_expect(const struct wl_vec *v, size_t begin, size_t end)
{
#ifdef MADV_POPULATE_WRITE
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = begin * v->size, to = end * v->size;

	if (!v->mapped)
		return;
	from -= from % page;
	to = to < v->bytes ? to : v->bytes;
	if (from < to)
		(void)madvise((char *)v->data + from, to - from, MADV_POPULATE_WRITE);
#else
	(void)v;
	(void)begin;
	(void)end;
#endif
}

void wl_vec_drop(struct wl_vec *v, size_t begin, size_t end)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = begin * v->size, to = end * v->size;

	if (!v->mapped)
		return;
	from += (page - from % page) % page;
	to -= to % page;
	if (from < to)
		(void)madvise((char *)v->data + from, to - from, MADV_DONTNEED);
}

void wl_vec_replace(struct wl_vec *v, struct wl_vec *twin)
{
	/* What the twin was lent is its own from now on. */
	v->lent = twin->lent;
	twin->lent = 0;
	wl_vec_release(v);
	*v = *twin;
	wl_vec_init(twin, v->size, v->budget);
}

#define SCATTER(type)                                                                              \
	for (size_t i = 0; i < n; i++)                                                             \
	((type *)to)[at[i]] = ((const type *)from)[i]

void wl_scatter(void *to, const void *from, const uint32_t *at, size_t n, size_t size)
{
	switch (size) {
	case 1:
		SCATTER(uint8_t);
		break;
	case 2:
		SCATTER(uint16_t);
		break;
	case 4:
		SCATTER(uint32_t);
		break;
	default:
		SCATTER(uint64_t);
		break;
	}
}
