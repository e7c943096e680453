#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every key of the timeline that is promised, pressed on a real terminal: by what it changed."""
import re

import tmux
from viewer import ViewerTest

KERNEL = ("Tab",)  # the timeline begins on the first event of a stream, which is a memset; a kernel follows
MIDDLE = ("g", "'+15ms", "Enter")


def span(t):
    return int(t["end"]) - int(t["begin"])


def cursor(t):
    return int(t["cursor"])


class TimelineKeys(ViewerTest):
    def after(self, *scripts):
        """The states of the timeline after each of the lists of keys."""
        return [state["timeline"] for state in self.states(*scripts)]

    def events(self, name="%"):
        """Starts of what ran on the stream, by time."""
        return [row[0] for row in self.sql(
            "SELECT k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
            "WHERE deviceId = 0 AND streamId = 7 AND s.value LIKE '{0}' "
            "UNION ALL SELECT start FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE deviceId = 0 AND streamId = 7 AND 'memset' LIKE '{0}' "
            "UNION ALL SELECT start FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = 0 AND streamId = 7 AND 'memcpy' LIKE '{0}' "
            "ORDER BY 1".format(name))]

    # ---- Time ----

    def test_left_right(self):
        first, right, back = self.after((), ["Right"] * 3, ["Right"] * 3 + ["Left"] * 3)
        self.assertGreater(cursor(right), cursor(first))
        self.assertLess(cursor(back), cursor(right))
        self.assertEqual((right["begin"], right["end"]), (first["begin"], first["end"]))

    def test_left_right_at_the_edge_move_the_view(self):
        near = ["+"] * 6
        zoomed, right, left = self.after(near, near + ["Right"] * 90, near + ["Right"] * 90 + ["Left"] * 90)
        self.assertGreater(int(right["begin"]), int(zoomed["begin"]))
        self.assertLess(int(left["begin"]), int(right["begin"]))
        for t in (right, left):
            self.assertAlmostEqual(span(t), span(zoomed), delta=2)
            self.assertTrue(int(t["begin"]) <= cursor(t) < int(t["end"]))

    def test_ctrl_left_right(self):
        one, two, back = self.after((*MIDDLE, "C-Right"), (*MIDDLE, "C-Right", "C-Right"), (*MIDDLE, "C-Right", "C-Right", "C-Left"))
        self.assertAlmostEqual((cursor(two) - cursor(one)) / span(one), 1 / 69, places=3)
        self.assertEqual(cursor(back), cursor(one))

    def test_shift_left_right(self):
        near = (*MIDDLE, "+", "+", "+", "+")
        for forth, back in (("S-Right", "S-Left"), ("NPage", "PPage"), ("}", "{")):
            zoomed, right, both = self.after(near, (*near, forth), (*near, forth, back))
            self.assertAlmostEqual(int(right["begin"]) - int(zoomed["begin"]), span(zoomed) / 4, delta=span(zoomed) / 70)
            self.assertAlmostEqual(int(both["begin"]), int(zoomed["begin"]), delta=span(zoomed) / 70)

    def test_tab(self):
        starts = self.events()
        one, three, back = self.after((), ("Tab", "Tab"), ("Tab", "Tab", "BTab"))
        self.assertEqual([cursor(one), cursor(three), cursor(back)], [starts[0], starts[2], starts[1]])

    def test_plus_minus(self):
        for more, less in (("+", "-"), ("=", "_")):
            first, zoomed, back = self.after(MIDDLE, (*MIDDLE, more), (*MIDDLE, more, more, less))
            self.assertAlmostEqual(span(first) / span(zoomed), 1.5, places=3)
            self.assertEqual(zoomed["cursor"], first["cursor"])
            self.assertAlmostEqual(span(back), span(zoomed), delta=2)

    def test_z_and_0(self):
        start, end = self.sql("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = 0 AND streamId = 7 ORDER BY start LIMIT 1")[0]
        first, near, undone, again, whole = self.after((), (*KERNEL, "z"), (*KERNEL, "z", "Z"), (*KERNEL, "z", "BSpace"), ["+"] * 9 + ["0"])
        self.assertTrue(int(near["begin"]) <= start and end <= int(near["end"]), near)
        self.assertLess(span(near), 3 * (end - start))
        self.assertEqual([span(undone), span(again)], [span(first)] * 2)
        self.assertGreaterEqual(span(whole), span(first))

    def test_home_end(self):
        near = ("0", "+", "+", "+", "+", "+")
        for home, end in (("Home", "End"), ("^", "$")):
            first, last, back = self.after(("0",), (*near, end), (*near, end, home))
            self.assertEqual((last["end"], back["begin"]), (first["end"], first["begin"]))

    def test_g(self):
        start, correlation = self.sql("SELECT start, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 1 OFFSET 7")[0]
        named = self.sql("SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
                         "WHERE s.value LIKE '%layer_norm%'")[0][0]
        first, whole, relative, half, name, number = self.after(
            (), ("0",), ("g", "'+5ms", "Enter"), ("g", "'%50", "Enter"), ("g", "'layer_norm", "Enter"), ("g", "'#%d" % correlation, "Enter"))
        self.assertEqual(cursor(relative) - cursor(first), 5000000)
        self.assertAlmostEqual(cursor(half), (int(whole["begin"]) + int(whole["end"])) / 2, delta=1)
        self.assertEqual(cursor(name), named)
        self.assertIn(cursor(number), [row[0] for row in self.sql("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = %d" % correlation)])

    def test_parentheses_and_i(self):
        there = ("g", "'i1", "Enter")
        first, after, back, fitted, wider = self.after(there, (*there, ")"), (*there, ")", "("), (")", "i"), (")", "i", "i"))
        starts = [row[0] for row in self.sql("SELECT min(start) FROM NVTX_EVENTS WHERE text LIKE 'iteration%' GROUP BY text ORDER BY 1")]
        self.assertAlmostEqual(cursor(after) - cursor(first), starts[2] - starts[1], delta=100000)
        self.assertEqual(cursor(back), cursor(first))
        self.assertAlmostEqual(span(fitted), starts[1] - starts[0], delta=200000)
        self.assertGreater(span(wider), 1.9 * span(fitted))

    def test_a(self):
        for n, word in enumerate(("rel", "abs", "iter", "rel")):
            viewer = self.open().press(*["a"] * n)
            viewer.see(r"^TIME %s" % word)
            self.assertEqual(viewer.state()["timeline"]["clock"], n % 3)

    def test_backquote_and_tilde(self):
        first, there, back, forth = self.after((), MIDDLE, (*MIDDLE, "`"), (*MIDDLE, "`", "~"))
        self.assertNotEqual(first["cursor"], there["cursor"])
        self.assertEqual((back["cursor"], forth["cursor"]), (first["cursor"], there["cursor"]))

    # ---- Rows ----

    def test_up_down(self):
        first = self.after(())[0]["row"]
        self.assertEqual(first, "GPU 0/Stream 7 compute")
        for down, up in (("Down", "Up"), ("j", "k")):
            there, back, above = self.after((down, down), (down, down, up, up), (up,))
            self.assertEqual((there["row"], back["row"]), ("GPU 0/Stream 20 NCCL *", first))
            self.assertIn("NVTX", above["row"])
        down, back = self.after(("C-d",), ("C-d", "C-u"))
        self.assertNotEqual(down["row"], first)
        self.assertEqual(back["row"], first)

    def test_v_s_l(self):
        self.assertEqual([t["rows"] for t in self.after(*(["v"] * n for n in range(5)))], [0, 1, 2, 3, 0])
        merged, logical = self.after("S", "L")
        self.assertTrue(merged["merged"] and logical["logical"])
        viewer = self.open().press("L")
        viewer.pane.wait(lambda: not re.search("^.G0 NVTX", viewer.pane.text(), re.M), "no NVTX rows")

    def test_pin_hide_fold(self):
        pinned, unpinned, hidden, shown = self.after("p", "pu", "H", "HU")
        self.assertEqual([len(pinned["pinned"]), len(unpinned["pinned"])], [1, 0])
        self.assertEqual([len(hidden["hidden"]), len(shown["hidden"])], [1, 0])
        folded, unfolded, everything = self.after(("<", "<"), ("<", "<", ">"), ("<", "<", "*"))
        self.assertEqual([folded["folded"], unfolded["folded"], everything["folded"]], [["GPU 0"], [], []])

    # ---- What is shown ----

    def test_slash_and_n(self):
        starts = self.events("%flash%")
        find = ("/", "'flash", "Enter")
        kept, cleared, regular, one, three, back = self.after(
            find, ("/", "'flash", "Escape"), ("/", "'/fl.sh_fwd/", "Enter"), (*find, "n"), (*find, "n", "n", "n"), (*find, "n", "n", "n", "N"))
        self.assertEqual([kept["filter"], cleared["filter"], regular["filter"]], ["flash", "", "/fl.sh_fwd/"])
        self.assertEqual([cursor(one), cursor(three), cursor(back)], [starts[0], starts[2], starts[1]])
        self.open().press(*find).see(r"filter: flash")

    def test_m(self):
        viewer = self.open().press("m", "'100us", "Enter")
        viewer.see(r"min 100")
        self.assertEqual(int(viewer.state()["timeline"]["min_dur"]), 100000)

    def test_capital_m(self):
        muted, = self.after(("M", "'g", "Enter"))
        self.assertNotEqual(muted["muted"], 0)

    def test_d(self):
        short, full = "vectorized_layer_norm_kernel", self.sql(
            "SELECT s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
            "WHERE deviceId = 0 AND streamId = 7 ORDER BY start LIMIT 1")[0][0]
        for n, (word, shown) in enumerate((("short", short), ("full", full[:40]), ("mangled", ""), ("short", short))):
            viewer = self.open().press(*KERNEL, *["d"] * n)
            viewer.see(re.escape(shown))
            self.assertEqual(viewer.state()["names"], word)

    def test_capital_c(self):
        bounds = {"selected_rows": (1, 6), "other_rows": (1, 4), "tick_density": (2, 20), "nvtx_depth": (0, 8)}
        for n, (member, (least, most)) in enumerate(bounds.items()):
            to = ["C"] + ["Down"] * n
            low, high = self.after(to + ["Left"] * 30, to + ["Right"] * 30 + ["Escape"])
            self.assertEqual((low["config"][member], high["config"][member]), (least, most), member)
        self.open().press("C").see("(?i)minimum duration")

    def test_p_i_t_c(self):
        first, paths, labels, ticks = self.after((), "P", "I", "T")
        for t, member in ((paths, "path_style"), (labels, "label_style"), (ticks, "tick_density")):
            self.assertNotEqual(t["config"][member], first["config"][member])
        self.assertEqual([t["colouring"] for t in self.after(*(["c"] * n for n in range(6)))], [0, 1, 2, 3, 4, 0])

    def test_h(self):
        for key in ("h", "?", "F1"):
            viewer = self.open().press(key)
            viewer.see("Help")
            self.assertEqual(viewer.state()["overlay"], "text")
        closed, = self.states(("h", "Escape"))
        self.assertIsNone(closed["overlay"])

    # ---- Marks and bookmarks ----

    def test_brackets(self):
        for begin, end in (("[", "]"), ("r", "R")):
            t, = self.after((begin, "Right", "Right", end))
            self.assertEqual(t["mark_b"], t["cursor"])
            self.assertLess(int(t["mark_a"]), int(t["mark_b"]))
        cleared, = self.after(("r", "Right", "Right", "R", "R"))
        self.assertNotIn("mark_b", cleared)
        self.open().press("[", "Right", "Right", "Right", "Right", "]").see(r"^─ range")

    def test_capital_b(self):
        state, = self.states((*KERNEL, "B"))
        self.assertEqual(len(state["bookmarks"]), 1)
        mark = state["bookmarks"][0]
        self.assertEqual(int(mark["at"]), self.events()[1])
        self.assertIn("layer_norm", mark["kernel"])
        self.assertIn("iteration", mark["context"])
        self.assertIn("Stream 7", mark["row"])

    def test_quote_and_digit(self):
        here, starts = (*KERNEL, "B", "Tab", "Tab", "B", "Home"), self.events()
        viewer = self.open().press(*here, "'")
        viewer.see("layer_norm")
        self.assertEqual(viewer.state()["overlay"], "list")
        one, two = self.after((*here, "'", "1"), (*here, "'", "2"))
        self.assertEqual([cursor(one), cursor(two)], [starts[1], starts[3]])

    def test_comma_and_full_stop(self):
        here, starts = (*KERNEL, "B", "Tab", "Tab", "B", "Tab"), self.events()
        one, two, back = self.after((*here, ","), (*here, ",", ","), (*here, ",", ",", "."))
        self.assertEqual([cursor(one), cursor(two), cursor(back)], [starts[3], starts[1], starts[3]])

    def test_what_is_kept_comes_again(self):
        keep = self.server.path("kept")
        before = self.open(keep=keep).press(*KERNEL, "B", "+", "a").state()
        again = self.open(keep=keep).state()
        self.assertEqual(again["bookmarks"], before["bookmarks"])
        self.assertEqual(again["timeline"], before["timeline"])

    # ---- Links and words ----

    def test_x(self):
        one, two, back = self.after("x", ("x", "x"), ("x", "x", "X"))
        self.assertGreater(cursor(two), cursor(one))
        self.assertEqual(cursor(back), cursor(one))

    def test_o(self):
        call = self.sql("SELECT r.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId "
                        "AND r.globalTid >> 24 = k.globalPid >> 24 WHERE k.deviceId = 0 AND k.streamId = 7 ORDER BY k.start LIMIT 1")[0][0]
        launch, back, nvtx = self.after((*KERNEL, "o"), (*KERNEL, "o", "o"), (*KERNEL, "O"))
        self.assertEqual((cursor(launch), cursor(back)), (call, self.events()[1]))
        self.assertIn("API", launch["row"])
        self.assertIn("NVTX", nvtx["row"])

    def test_what_lies_over_the_view(self):
        for key, shown, overlay in (("Enter", "─ Event", "text"), ("f", "─ Links", "list"), ("s", "─ Statistics", "text"),
                                    ("t", "─ Where the time went", "text"), (":", "zoom-in", "list"), ("E", ".", "prompt"), ("w", ".", "prompt")):
            viewer = self.open().press(*KERNEL, key)
            viewer.see(shown)
            self.assertEqual(viewer.state()["overlay"], overlay, key)
        opened, = self.after((*KERNEL, "Space"))
        self.assertTrue(opened["detail_open"])

    def test_capital_e(self):
        n = self.sql("SELECT count(DISTINCT demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = 0")[0][0]
        self.open().press("E", "Enter").see("wrote .*kernels.csv")
        with open(self.server.path("kernels.csv"), encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), n + 1)

    def test_w(self):
        viewer = self.open()
        before = viewer.see("G1 gap .*#")
        viewer.press("w", "Enter").see("wrote screen.txt")
        with open(self.server.path("screen.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read().split("\n")[:20], before.split("\n")[:20])
        with open(self.server.path("screen.ansi"), encoding="utf-8") as f:
            self.assertIn("\033[0;38;5;32m", f.read())

    def test_exclamation_mark(self):
        viewer = self.open()
        viewer.press_until("!", "exposed-comm")
        self.assertNotEqual(cursor(viewer.state()["timeline"]), self.events()[0])

    def test_l(self):
        whole, = self.after(())
        viewer = self.open()
        viewer.press_until("l", "Lateness by rank and step")
        viewer.press("Enter").see("step [0-9]+: .* late")
        self.assertLess(span(viewer.state()["timeline"]), span(whole) / 2)

    def test_capital_d(self):
        viewer = self.open(self.trace, cols=120, rows=40)
        for shown in ("A over B", "B in place of A", "B minus A", "the first trace alone"):
            viewer.press_until("D", shown)
        self.assertEqual(viewer.state()["timeline"]["second"], 0)

    def test_y(self):
        viewer = self.open().press(*KERNEL, "y")
        viewer.pane.wait(lambda: "layer_norm" in self.server.run("show-buffer", check=False), "the clipboard")
        viewer.press("Y")
        viewer.pane.wait(lambda: "warplens timeline" in self.server.run("show-buffer", check=False), "the clipboard")

    def test_ctrl_t(self):
        viewer = self.open().press(*KERNEL, "C-t")
        viewer.see("nvtx tree")
        viewer.press("Tab").see("^TIME")
        self.assertEqual(viewer.state()["view"], "timeline")

    def test_ctrl_l(self):
        viewer = self.open()
        with open(viewer.pane.get("#{pane_tty}"), "w", encoding="utf-8") as tty:
            tty.write("\033[3;1HRUBBISH")
        viewer.see("RUBBISH")
        viewer.press("C-l")
        viewer.pane.wait(lambda: "RUBBISH" not in viewer.pane.text(), "a clean screen")

    def test_q(self):
        for key in ("q", "F10", "C-c"):
            self.assertEqual(self.open().press(key).pane.status(), 0)

    def test_colon(self):
        t, = self.after((":", "'clock", "Enter"))
        self.assertEqual(t["clock"], 1)


if __name__ == "__main__":
    tmux.main()
