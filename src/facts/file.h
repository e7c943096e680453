/* SPDX-License-Identifier: MIT */
/*
 * file.h - facts as a file: a line of JSON that describes it, then a compressed block per table.
 *
 * docs/facts.md describes the format. A file is untrusted input: sizes are bounded by what is
 * there and by a budget, every block has a sum, and what is read holds what facts.h promises:
 * numbers of texts, ranks and operations are in range, texts are valid UTF-8, rows of each table
 * are in order.
 */
#ifndef WL_FACTS_FILE_H
#define WL_FACTS_FILE_H

#include "facts/facts.h"

/* What the names of facts files end in. */
#define WL_FACTS_SUFFIX ".wlfacts"

/*
 * Name the facts of one trace: settle them, and set the id of their content in all rows that have
 * it. False without memory.
 */
bool wl_facts_name(struct wl_facts *facts) WL_MUST_CHECK;

/* The id of facts of one trace, "" of none; of several that of the first rank. */
const char *wl_facts_id(const struct wl_facts *facts);

/* As tightly as files are kept, or in little time, which takes more bytes. */
enum wl_facts_effort { WL_FACTS_AS_KEPT, WL_FACTS_QUICKLY };

/* Append the file of settled facts to a vector of bytes. False without memory. */
bool wl_facts_encode(const struct wl_facts *facts, enum wl_facts_effort effort,
		     struct wl_vec *bytes) WL_MUST_CHECK;

/*
 * Read facts from the n bytes of a file that is called name. WL_E_FORMAT with the reason when it
 * has no facts, is damaged or of another version; WL_E_INCOMPARABLE when its numbers follow other
 * definitions; WL_E_NOMEM above the budget. Release after success.
 */
int wl_facts_decode(const void *bytes, size_t n, const char *name, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Write a file, as a whole or not at all: WL_E_OUTPUT. */
int wl_facts_write(const struct wl_facts *facts, const char *path,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* A table as a bit, and all of them. */
#define WL_FACTS_BIT(TABLE) (UINT32_C(1) << WL_FACTS_##TABLE)
#define WL_FACTS_ALL        UINT32_MAX

/*
 * Read a file; WL_E_IO when it cannot be read, else as above. Tables whose bit is not set are left
 * empty: of these only the sum is looked at.
 */
int wl_facts_read(const char *path, uint32_t tables, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the file begins as facts do; false when it cannot be read. */
bool wl_facts_is_file(const char *path);

#endif
