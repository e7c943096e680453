/* calls.h - what kinds of CUDA call there are, by the function's name. */
#ifndef WL_FACTS_CALLS_H
#define WL_FACTS_CALLS_H

#include <stdbool.h>

/* Waits until the GPU is done: its name has Synchronize in it. */
bool wl_call_synchronises(const char *function);

/* A memory copy, and one that blocks by its name: without Async. */
bool wl_call_copies(const char *function);
bool wl_call_copies_blocking(const char *function);

/*
 * An allocation or free: of device or host memory, of a pool, or the driver's own
 * (cuMemCreate, cuMemRelease, cuMemAddressReserve, cuMemAddressFree).
 */
bool wl_call_allocates(const char *function);

/* Loads a module or library, or compiles at run time; unloading is none. */
bool wl_call_loads(const char *function);

/* cudaGraphLaunch, cuGraphLaunch and their variants. */
bool wl_call_launches_graph(const char *function);

#endif
