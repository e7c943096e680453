#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every key of the NVTX tree, pressed on a real terminal: by what it changed."""

import tmux
from viewer import ViewerTest

FIND = ("/", "'attention", "Enter")
FORWARD = ["iteration #", "forward"]
ALL = "9"  # first of all unfold everything, whatever is folded in the beginning


class TreeKeys(ViewerTest):
    VERB = "tui"

    def after(self, *scripts):
        return [state["tree"] for state in self.states(*scripts)]

    def selected(self, *scripts):
        return [tree.get("selected") for tree in self.after(*scripts)]

    def n_open(self, *scripts):
        return [len(tree["open"]) for tree in self.after(*scripts)]

    # ---- Moving ----

    def test_up_down(self):
        first, down, up, j, k = self.selected((), ("Down", "Down"), ("Down", "Down", "Up", "Up"), "jj", "jjkk")
        self.assertNotEqual(first, down)
        self.assertEqual([up, j, k], [first, down, first])

    def test_pages_home_end(self):
        first, page, back, last, home = self.selected(ALL, (ALL, "NPage"), (ALL, "NPage", "PPage"), (ALL, "End"), (ALL, "End", "Home"))
        self.assertEqual(len({str(first), str(page), str(last)}), 3)
        self.assertEqual([back, home], [first, first])

    def test_siblings_parent_hottest(self):
        first, sibling, back, inside, parent = self.selected((), "J", "JK", "l", "lu")
        self.assertEqual(len(sibling), len(first))
        self.assertNotEqual(sibling, first)
        self.assertEqual([back, parent], [first, first])
        self.assertEqual(inside[:-1], first)

    # ---- Folding ----

    def test_left_right_space_enter(self):
        first, left, again, right, space, enter = self.after(
            ALL, (ALL, "Left"), (ALL, "Left", "Right"), (ALL, "Right"), (ALL, "Space"), (ALL, "Left", "Enter"))
        for folded in (left, space):
            self.assertEqual(len(folded["open"]), len(first["open"]) - 1)
        for unfolded in (again, enter):
            self.assertEqual(sorted(unfolded["open"]), sorted(first["open"]))
        self.assertEqual(right["selected"][:-1], first["selected"])
        parent, = self.selected((ALL, "l", "Left"))
        self.assertEqual(parent, first["selected"])

    def test_enter_on_a_kernel(self):
        viewer = self.open().press("l", "Enter")
        viewer.see("gemm")
        self.assertEqual(viewer.state()["overlay"], "text")

    def test_c_e(self):
        first, children, everything = self.n_open("9", "9c", "9C")
        self.assertEqual([children, everything], [first - 1, first - 2])
        one, two, deep = self.n_open("1", "1e", "1E")
        self.assertEqual(one, 0)
        self.assertTrue(0 < two <= deep)

    def test_digits(self):
        opened = self.n_open("1", "2", "3", "9")
        self.assertEqual(opened, sorted(opened))
        self.assertEqual(opened[0], 0)
        self.assertLess(opened[1], opened[3])

    # ---- What is shown ----

    def test_capital_a(self):
        modes = [tree["mode"] for tree in self.after((), "A", "AA")]
        self.assertEqual(modes, ["aggregated", "chronological", "aggregated"])

    def test_w(self):
        measures = [tree["measure"] for tree in self.after((), "w", "ww", "www")]
        self.assertEqual(measures, ["gpu", "wall", "exposed", "gpu"])

    def test_percent(self):
        units = [tree["unit"] for tree in self.after((), "%", "%%", "%%%")]
        self.assertEqual((units[0], units[1], units[3]), ("ms", "percent", "ms"))
        self.assertEqual(len(set(units)), 3)

    def test_sort(self):
        first, following, reverse, left, right = self.after((), "s", "S", "<", ">")
        self.assertNotEqual(following["sort"], first["sort"])
        self.assertNotEqual(reverse["reversed"], first["reversed"])
        self.assertNotEqual(left["sort"], right["sort"])
        back, = self.after("<>")
        self.assertEqual(back["sort"], first["sort"])

    def test_f(self):
        viewer = self.open().press("f")
        viewer.see("(?i)columns")
        self.assertEqual(viewer.state()["overlay"], "settings")

    def test_z(self):
        viewer = self.open().press("1", "E", "z")
        viewer.pane.wait(lambda: "■" not in viewer.pane.text(), "no kernels")
        self.assertFalse(viewer.state()["tree"]["kernels"])

    def test_slash_n(self):
        found, following, back, cleared = self.after(("1", *FIND), ("/", "'layer", "Enter", "n"), ("/", "'layer", "Enter", "n", "N"), ("/", "'attention", "Escape"))
        self.assertEqual(found["find"], "attention")
        self.assertEqual(found["selected"][-1], "attention")
        self.assertIn(FORWARD, found["open"])
        self.assertNotEqual(following["selected"], back["selected"])
        self.assertEqual(cleared["find"], "")

    def test_m(self):
        least, = self.after(("m", "'1ms", "Enter"))
        self.assertEqual(int(least["min"]), 1000000)

    def test_d(self):
        self.assertEqual([state["names"] for state in self.states((), "d", "dd", "ddd")], ["short", "full", "mangled", "short"])

    def test_parentheses_and_i(self):
        iterations = [tree["iteration"] for tree in self.after((), ")", "))", "))(", "))i")]
        self.assertEqual(iterations, [None, 0, 1, 0, None])

    def test_b(self):
        viewer = self.open().press("l", "b")
        viewer.see("layer")
        self.assertEqual(viewer.state()["overlay"], "list")

    # ---- What both views have ----

    def test_bookmarks(self):
        state, = self.states(("B",))
        self.assertEqual(len(state["bookmarks"]), 1)
        viewer = self.open().press("B", "'")
        viewer.see("(?i)bookmarks")
        self.assertEqual(viewer.state()["overlay"], "list")

    def test_tab_and_ctrl_t(self):
        for key in ("Tab", "C-t"):
            viewer = self.open().press(*FIND, key)
            viewer.see("^TIME")
            self.assertEqual(viewer.state()["view"], "timeline")

    def test_capital_d(self):
        self.open().press("D").see("no second trace")

    def test_help_and_palette(self):
        for key, overlay in (("h", "text"), (":", "list")):
            state, = self.states((key,))
            self.assertEqual(state["overlay"], overlay)

    def test_y(self):
        viewer = self.open().press("l", "y")
        viewer.pane.wait(lambda: "gemm" in self.server.run("show-buffer", check=False), "the clipboard")
        viewer.press("Y")
        viewer.pane.wait(lambda: "warplens tui" in self.server.run("show-buffer", check=False), "the clipboard")

    def test_q(self):
        self.assertEqual(self.open().press("q").pane.status(), 0)


if __name__ == "__main__":
    tmux.main()
