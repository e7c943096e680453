/* SPDX-License-Identifier: MIT */
/* test_main.h - a test file is a function; runner.c of its program calls it by name. */
#ifndef WL_TESTS_TEST_MAIN_H
#define WL_TESTS_TEST_MAIN_H

/*
 * TEST_MAIN(NAME) { ... } takes the place of main in test_NAME.c and prop_NAME.c. The arguments are
 * those after the name: argv[0] is the name. Status 77 means skipped.
 */
#define TEST_MAIN(name)                                                                            \
	int test_main_##name(int argc, char **argv);                                               \
	int test_main_##name(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

#endif
