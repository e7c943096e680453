/* SPDX-License-Identifier: MIT */
#include "findings/rules/host_io.h"

#include "base/text/units.h"
#include "known/calls/io_names.h"

/*
 * The kind of most of a claim: input or output by the class with the most time in OS calls, if
 * these or the range's name show I/O; without such calls, by the name alone.
 */
static enum wl_io find_io(const struct wl_claim *c)
{
	wl_ns reads = c->os_ns[WL_OS_READS], writes = c->os_ns[WL_OS_WRITES];
	enum wl_io named =
		c->detail && 2 * c->detail_ns > c->named_of ? wl_io_named(c->detail) : WL_IO_NONE;

	if (named == WL_IO_MPI || (named == WL_IO_NONE && 2 * (reads + writes) <= c->all))
		return named;
	if (reads == writes)
		return named;
	return writes > reads ? WL_IO_OUTPUT : WL_IO_INPUT;
}

static wl_ns in_os(const struct wl_claim *c)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < WL_N_OS_CLASSES; i++)
		sum += c->os_ns[i];
	return sum;
}

/* Whether the thread computes rather than waits for files. */
static bool is_cpu_work(const struct wl_claim *c)
{
	return in_os(c) > 0 && 4 * in_os(c) < c->all && !wl_claim_sleeps(c);
}

bool wl_claim_is_of_messages(const struct wl_claim *c)
{
	return find_io(c) == WL_IO_MPI;
}

const char *wl_say_io(struct wl_rule_state *d, const struct wl_claim *c)
{
	enum wl_io io = find_io(c);
	char share[WL_UNITS_BUF];

	if (!is_cpu_work(c) || (io != WL_IO_OUTPUT && io != WL_IO_INPUT && io != WL_IO_ANY))
		return "";
	return wl_say(d, WL_STOP "; OS calls take %s of this time, the rest is CPU work%s",
		      wl_fmt_share(share, (double)in_os(c) / (double)c->all),
		      io == WL_IO_OUTPUT  ? ", such as formatting"
		      : io == WL_IO_INPUT ? ", such as parsing"
					  : "");
}

/* Advice by the kind of most of the claim: output cannot be prefetched, and messages exchange the
 * GPU's own data. */
const struct wl_advice *wl_advise_on_io(const struct wl_claim *c)
{
	static const struct wl_advice writing = {
		.action = "Write from another thread",
		.advice =
			"Copy the results to a separate buffer, launch the next step, then write; "
			"or write less often.",
	};
	static const struct wl_advice formatting = {
		.action = "Format and write output in another thread or process",
		.advice = "Copy the results to a separate buffer and launch the next step first. A "
			  "binary format (numpy.save, HDF5) needs little CPU time; a faster disk "
			  "does not help.",
	};
	static const struct wl_advice messages = {
		.action = "Overlap the exchange with compute",
		.advice = "Start the messages, compute what does not need them, then wait: compute "
			  "the boundary first, and exchange it while a kernel computes the inner "
			  "points. Where copies to the host come before messages, CUDA-aware "
			  "MPI can send from GPU memory.",
		.in = { [WL_CUDA] =
				"MPI_Isend and MPI_Irecv before the kernel of the inner points, "
				"MPI_Waitall after its launch; a stream for the boundary" },
	};

	if (wl_claim_is_of_messages(c))
		return &messages;
	if (find_io(c) != WL_IO_OUTPUT)
		return NULL;
	return is_cpu_work(c) ? &formatting : &writing;
}
