/* SPDX-License-Identifier: MIT */
#include "known/calls/calls.h"

#include "base/attr.h"
#include "support/unit.h"

static void check(const char *const *name, size_t n, enum wl_call_class class)
{
	for (size_t i = 0; i < n; i++) {
		if (wl_call_class_of(name[i]) != class)
			fail_msg("%s is of class %d, not %d", name[i],
				 (int)wl_call_class_of(name[i]), (int)class);
	}
}

#define CHECK(expected, ...)                                                                       \
	do {                                                                                       \
		static const char *const names[] = { __VA_ARGS__ };                                \
		check(names, WL_COUNT(names), expected);                                           \
	} while (0)

TEST(allocating_mapping_and_registering_are_one_class)
{
	CHECK(WL_CALLS_ALLOC, "cudaMalloc", "cudaMalloc_v3020", "cudaMallocAsync",
	      "cudaMallocAsync_ptsz_v11020", "cudaMallocFromPoolAsync", "cudaMallocHost",
	      "cudaMallocManaged", "cudaMallocPitch", "cudaMalloc3D", "cudaMalloc3DArray",
	      "cudaMallocArray", "cudaMallocMipmappedArray", "cudaFree", "cudaFree_v3020",
	      "cudaFreeAsync", "cudaFreeAsync_ptsz", "cudaFreeHost", "cudaFreeArray",
	      "cudaFreeMipmappedArray", "cudaHostAlloc", "cudaHostRegister_v4000",
	      "cudaHostUnregister", "cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocAsync_ptsz",
	      "cuMemAllocFromPoolAsync", "cuMemAllocHost_v2", "cuMemAllocManaged",
	      "cuMemAllocPitch_v2", "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost",
	      "cuMemHostAlloc", "cuMemHostRegister_v2", "cuMemHostUnregister", "cuArrayCreate_v2",
	      "cuArray3DCreate_v2", "cuArrayDestroy", "cuMipmappedArrayCreate");
	CHECK(WL_CALLS_ALLOC, "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",
	      "cuMemMapArrayAsync_ptsz", "cuMemSetAccess", "cuMemAddressReserve",
	      "cuMemAddressFree", "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle",
	      "cuMemRetainAllocationHandle", "cuMemGetHandleForAddressRange", "cuMulticastCreate",
	      "cuMulticastAddDevice", "cuMulticastBindMem", "cuMulticastBindAddr",
	      "cuMulticastUnbind", "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolTrimTo",
	      "cudaMemPoolTrimTo_v11020", "cudaMemPoolSetAccess", "cudaMemPoolExportPointer",
	      "cudaMemPoolImportFromShareableHandle", "cudaIpcGetMemHandle",
	      "cudaIpcOpenMemHandle_v4010", "cudaIpcCloseMemHandle", "cuIpcOpenMemHandle_v2",
	      "cudaImportExternalMemory", "cudaExternalMemoryGetMappedBuffer",
	      "cudaDestroyExternalMemory", "cudaGraphicsGLRegisterBuffer",
	      "cudaGraphicsUnregisterResource", "cudaDeviceGraphMemTrim");
}

TEST(loading_unloading_and_lazy_loading_are_one_class)
{
	CHECK(WL_CALLS_LOAD, "cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx",
	      "cuModuleLoadFatBinary", "cuModuleUnload", "cuModuleGetFunction",
	      "cuModuleGetGlobal_v2", "cuLibraryLoadData", "cuLibraryLoadFromFile",
	      "cuLibraryUnload", "cuLibraryGetKernel", "cuLibraryGetModule", "cuLibraryGetGlobal",
	      "cudaLibraryLoadData_v12080", "cudaLibraryGetKernel", "cuKernelGetFunction",
	      "cuFuncLoad", "cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2",
	      "cuLinkComplete", "cuLinkDestroy", "cudaGetFuncBySymbol_v11000", "cudaGetKernel",
	      "cudaFuncGetAttributes_v3020", "cudaGetSymbolAddress", "cudaGetSymbolSize");
}

TEST(calls_that_wait_synchronise)
{
	CHECK(WL_CALLS_SYNC, "cudaDeviceSynchronize_v3020", "cudaStreamSynchronize",
	      "cudaStreamSynchronize_ptsz_v7000", "cudaEventSynchronize", "cudaThreadSynchronize",
	      "cuCtxSynchronize", "cuCtxSynchronize_v2", "cuStreamSynchronize",
	      "cuStreamSynchronize_ptsz", "cuEventSynchronize");
	assert_true(wl_call_synchronises("cuCtxSynchronize"));
	assert_false(wl_call_synchronises("cudaStreamWaitEvent"));
}

/* Words inside other words, accessors, and what only sounds like waiting or allocating. */
TEST(kernels_are_launched_by_many_functions)
{
	CHECK(WL_CALLS_LAUNCH, "cudaLaunchKernel_v7000", "cudaLaunchKernelExC", "cuLaunchKernelEx",
	      "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernelMultiDevice", "cudaLaunch",
	      "cudaLaunch_ptsz", "cuLaunch", "cuLaunchGridAsync", "cuLaunchKernel_ptsz");
}

TEST(other_calls_are_of_no_class)
{
	CHECK(WL_CALLS_OTHER, "cudaLaunchHostFunc", "cudaMemset", "cudaMemsetAsync",
	      "cuMemsetD32_v2", "cudaMemPrefetchAsync_v8000", "cuMemPrefetchAsync", "cudaMemAdvise",
	      "cuMemAdvise", "cudaEventQuery", "cuEventQuery", "cudaStreamQuery",
	      "cudaStreamWaitEvent", "cuStreamWaitEvent", "cuStreamWaitValue32_v2",
	      "cuStreamWriteValue64_v2", "cudaEventRecord", "cudaStreamAttachMemAsync",
	      "cudaMemGetInfo", "cuMemGetAllocationGranularity", "cuMemGetAddressRange_v2",
	      "cuMemGetAccess", "cuMulticastGetGranularity", "cudaMemPoolGetAttribute",
	      "cudaMemPoolSetAttribute", "cuMemPoolGetAccess", "cudaDeviceGetDefaultMemPool",
	      "cudaDeviceSetMemPool", "cudaHostGetDevicePointer", "cudaIpcGetEventHandle",
	      "cudaIpcOpenEventHandle", "cudaGraphicsMapResources");
	CHECK(WL_CALLS_OTHER, "cudaGraphAddMemcpyNode", "cudaGraphAddMemAllocNode",
	      "cudaGraphAddMemFreeNode", "cudaGraphMemcpyNodeSetParams", "cudaGraphInstantiate",
	      "cudaGraphUpload", "cudaGraphExecUpdate", "cudaGraphExecDestroy",
	      "cuGraphInstantiateWithFlags", "cudaStreamBeginCapture", "cudaFuncSetAttribute",
	      "cudaFuncGetName", "cuFuncGetAttribute", "cuKernelGetAttribute", "cuKernelGetName",
	      "cuModuleGetLoadingMode", "cuLibraryGetKernelCount", "cudaGetDriverEntryPoint",
	      "cuGetProcAddress_v2", "cudaDeviceReset", "cudaDeviceEnablePeerAccess",
	      "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "cuTensorMapEncodeTiled",
	      "cuCtxCreate_v4", "cudaSetDevice", "cudaGetDeviceProperties_v2_v12000");
	CHECK(WL_CALLS_OTHER, "", "cu", "cuda", "cuda_v1", "malloc", "free", "cudaFreeze",
	      "cudaMallocator", "ncclMemAlloc", "cuMemMapped", "_v2", "cu_ptsz");
}

TEST(copies_block_unless_their_last_word_is_async)
{
	static const char *const blocking[] = {
		"cudaMemcpy",
		"cudaMemcpy_ptds_v7000",
		"cudaMemcpy2D",
		"cudaMemcpy3D",
		"cudaMemcpyPeer",
		"cudaMemcpyFromSymbol_v3020",
		"cudaMemcpyToSymbol",
		"cudaMemcpyToArray",
		"cudaMemcpy2DArrayToArray",
		"cuMemcpy",
		"cuMemcpyDtoH_v2",
		"cuMemcpyHtoD_v2",
		"cuMemcpyHtoA_v2_ptds",
		"cuMemcpy3DPeer",
	};
	static const char *const async[] = {
		"cudaMemcpyAsync",           "cudaMemcpyAsync_ptsz_v7000",
		"cudaMemcpyPeerAsync",       "cudaMemcpy2DAsync",
		"cudaMemcpyFromSymbolAsync", "cuMemcpyDtoHAsync_v2",
		"cuMemcpyHtoDAsync_v2",      "cuMemcpyAsync",
		"cudaMemcpyBatchAsync",      "cuMemcpyBatchAsync_v2",
	};

	check(blocking, WL_COUNT(blocking), WL_CALLS_COPY);
	check(async, WL_COUNT(async), WL_CALLS_COPY);
	for (size_t i = 0; i < WL_COUNT(blocking); i++)
		assert_true(wl_call_copies_blocking(blocking[i]));
	for (size_t i = 0; i < WL_COUNT(async); i++)
		assert_true(wl_call_copies(async[i]) && !wl_call_copies_blocking(async[i]));
	assert_false(wl_call_copies_blocking("cudaMemset"));
}

TEST(graphs_are_launched_by_two_functions)
{
	CHECK(WL_CALLS_GRAPH_LAUNCH, "cudaGraphLaunch", "cudaGraphLaunch_v10000",
	      "cudaGraphLaunch_ptsz_v10000", "cuGraphLaunch", "cuGraphLaunch_ptsz");
	assert_true(wl_call_launches_graph("cuGraphLaunch_ptsz"));
	assert_false(wl_call_launches_graph("cudaGraphAddChildGraphNode"));
}
