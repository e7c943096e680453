/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/meshes.h"

#include "support/unit.h"

TEST(coordinates_are_words_of_their_own)
{
	static const char mesh[] = "pp=1/4 dp=0/2;cp=12/16, xep=3; tp=x";

	assert_int_equal(wl_mesh_coordinate(mesh, WL_AXIS_PP), 1);
	assert_int_equal(wl_mesh_coordinate(mesh, WL_AXIS_DP), 0);
	assert_int_equal(wl_mesh_coordinate(mesh, WL_AXIS_CP), 12);
	assert_int_equal(wl_mesh_coordinate(mesh, WL_AXIS_EP), -1);
	assert_int_equal(wl_mesh_coordinate(mesh, WL_AXIS_TP), -1);
	assert_int_equal(wl_mesh_coordinate("xpp=1 pp=7", WL_AXIS_PP), 7);
	assert_int_equal(wl_mesh_coordinate("pp=12345678901", WL_AXIS_PP), -1);
	assert_int_equal(wl_mesh_coordinate("", WL_AXIS_PP), -1);
}
