/* SPDX-License-Identifier: MIT */
/* fuzz_db_bytes.c - the bytes are a database file. */
#include "fuzz/fuzz.h"
#include "support/fuzz_db.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wl_columns first = { { 0 } };

	fuzz_db_check(data, size, FUZZ_DB_MEMORY, &first);
	return 0;
}
