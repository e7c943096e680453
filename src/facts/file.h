/* SPDX-License-Identifier: MIT */
/*
 * file.h - facts as a file: one line of JSON that describes it, then one compressed block per
 * table.
 *
 * docs/facts.md describes the format. A file is untrusted input. Sizes are bounded by the file's
 * size and by a budget, every block has a checksum, and the facts read keep the promises of
 * facts.h: numbers of texts, ranks and operations are in range, texts are valid UTF-8, and the rows
 * of each table are in order.
 */
#ifndef WL_FACTS_FILE_H
#define WL_FACTS_FILE_H

#include "facts/facts.h"

/* The suffix of facts files. */
#define WL_FACTS_SUFFIX ".wlfacts"

/*
 * Name the facts of one trace: settle them, and set the id, a hash of their content, in all rows
 * with a column for it. False without memory.
 */
bool wl_facts_name(struct wl_facts *facts) WL_MUST_CHECK;

/* The id of the facts of one trace; "" for none, and for several traces the id of the first
 * rank's. */
const char *wl_facts_id(const struct wl_facts *facts);

/* Compression: as tight as for stored files, or fast, which takes more bytes. */
enum wl_facts_effort { WL_FACTS_AS_KEPT, WL_FACTS_QUICKLY };

/* Append the file of settled facts to a vector of bytes. False without memory. */
bool wl_facts_encode(const struct wl_facts *facts, enum wl_facts_effort effort,
		     struct wl_vec *bytes) WL_MUST_CHECK;

/*
 * Read facts from the n bytes of a file called name. WL_E_FORMAT with the reason if it has no
 * facts, is damaged or has another version; WL_E_INCOMPARABLE if its numbers follow other
 * definitions; WL_E_NOMEM above the budget. Release after success.
 */
int wl_facts_decode(const void *bytes, size_t n, const char *name, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Write a file atomically; WL_E_OUTPUT. */
int wl_facts_write(const struct wl_facts *facts, const char *path,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* The bit of a table, and all bits. */
#define WL_FACTS_BIT(TABLE) (UINT32_C(1) << WL_FACTS_##TABLE)
#define WL_FACTS_ALL        UINT32_MAX

/*
 * Read a file; WL_E_IO if it cannot be read, else as above. Tables whose bit is not set are left
 * empty; only their checksum is verified.
 */
int wl_facts_read(const char *path, uint32_t tables, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the file begins like a facts file; false if it cannot be read. */
bool wl_facts_is_file(const char *path);

#endif
