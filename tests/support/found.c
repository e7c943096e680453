/* SPDX-License-Identifier: MIT */
#include "support/found.h"

#include "support/unit.h"

void found_begin(struct found *f)
{
	*f = (struct found){ .corr = 0 };
	mem_init(&f->m);
}

void found_launch(struct found *f, wl_ns start, unsigned tid, const char *name)
{
	f->corr++;
	mem_api(&f->m, &(struct mem_call){
			       .start = start, .end = start + 5, .tid = tid, .corr = f->corr });
	mem_op(&f->m, WL_F_KERNELS,
	       &(struct mem_op){
		       .start = start + 20, .end = start + 30, .corr = f->corr, .name = name });
}

void found_range(struct found *f, wl_ns start, wl_ns end, const char *name)
{
	mem_nvtx(&f->m, &(struct mem_range){ .start = start, .end = end, .tid = 1, .name = name });
}

void found_find(struct found *f, const struct wl_derived_opts *opts)
{
	f->trace = mem_seal(&f->m);
	f->derived = derive_all(&f->derivations, f->trace, opts);
	f->all = f->derived.iterations;
	f->p = f->all->process;
}

void found_end(struct found *f)
{
	wl_derivations_release(&f->derivations);
	mem_release(&f->m);
}
