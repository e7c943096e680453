/* SPDX-License-Identifier: MIT */
#include "known/gpus/gpu_metrics.h"

#include <string.h>

#include "support/unit.h"

static void expect(const char *name, const char *base, const char *unit)
{
	const struct wl_metric_facts f = wl_metric_facts_of(name);

	assert_int_equal(f.length, strlen(base));
	assert_memory_equal(name, base, f.length);
	assert_string_equal(f.unit, unit);
	assert_int_equal(f.is_percent, strcmp(unit, "%") == 0);
}

TEST(a_unit_in_brackets_is_taken)
{
	expect("SMs Active [Throughput %]", "SMs Active", "%");
	expect("Compute Warps in Flight [Avg Warps per Cycle]", "Compute Warps in Flight",
	       "Avg Warps per Cycle");
	expect("Copy Engine [0] Active [Cycles Active]", "Copy Engine [0] Active", "Cycles Active");
	expect("x [%]", "x", "%");
	expect("x []", "x", "");
}

TEST(words_tell_the_unit_of_old_names)
{
	expect("SM Active", "SM Active", "%");
	expect("PCIe RX Throughput", "PCIe RX Throughput", "%");
	expect("Compute Warps In Flight", "Compute Warps In Flight", "%");
	expect("Unallocated Warps in Active SMs", "Unallocated Warps in Active SMs", "%");
	expect("PCIe Write Requests to BAR1", "PCIe Write Requests to BAR1", "requests");
	expect("NVLink bytes received", "NVLink bytes received", "%");
	expect("NVLink TX Requests User Data", "NVLink TX Requests User Data", "%");
	expect("something", "something", "");
}

TEST(what_is_no_unit_stays_in_the_name)
{
	expect("", "", "");
	expect("[%]", "[%]", "");
	expect("   [%]", "   [%]", "");
	expect("a [b] c", "a [b] c", "");
	expect("a]", "a]", "");
}

TEST(a_long_unit_is_cut)
{
	const struct wl_metric_facts f = wl_metric_facts_of(
		"a [0123456789012345678901234567890123456789012345678901234567890123456789]");

	assert_int_equal(strlen(f.unit), WL_METRIC_UNIT - 1);
}

TEST(clocks_are_in_hertz_whatever_the_name_says)
{
	assert_true(wl_metric_facts_of("GPC Clock Frequency").per == 1e6);
	assert_true(wl_metric_facts_of("GPC Clock Frequency [MHz]").per == 1e6);
	assert_string_equal(wl_metric_facts_of("SYS Clock Frequency").unit, "MHz");
	assert_true(wl_metric_facts_of("SM Active").per == 1.0);
}

TEST(spellings_of_all_versions_are_known)
{
	assert_int_equal(wl_metric_facts_of("SM Active").what, WL_METRIC_SM_ACTIVE);
	assert_int_equal(wl_metric_facts_of("SMs Active [Throughput %]").what, WL_METRIC_SM_ACTIVE);
	assert_int_equal(wl_metric_facts_of("Tensor Active / FP16 Active [Throughput %]").what,
			 WL_METRIC_TENSOR_ACTIVE);
	assert_int_equal(wl_metric_facts_of("DRAM Read Throughput").what, WL_METRIC_DRAM_READ);
	assert_int_equal(wl_metric_facts_of("SM Act").what, WL_METRIC_OTHER);
	assert_int_equal(wl_metric_facts_of("SM Active 2").what, WL_METRIC_OTHER);
}

TEST(units_of_adapters_are_as_written)
{
	struct wl_metric_facts f = wl_nic_metric_facts_of("IB: Bytes sent", "bytes/ms");

	assert_int_equal(f.what, WL_METRIC_NIC_TX);
	assert_string_equal(f.unit, "bytes/ms");
	assert_true(f.bytes == 1000.0 && f.per == 1.0 && !f.is_percent);
	/* A name is no unit, whatever it looks like. */
	f = wl_nic_metric_facts_of("SM Active [%]", "");
	assert_int_equal(f.length, strlen("SM Active [%]"));
	assert_string_equal(f.unit, "");
	assert_true(f.bytes == 0.0);
	assert_true(wl_nic_metric_facts_of("Eth: Bytes received", "B/S").bytes == 1.0);
	assert_true(wl_nic_metric_facts_of("IB: Send waits", "ticks/ms").bytes == 0.0);
	assert_true(wl_metric_facts_of("SM Active").bytes == 0.0);
}
