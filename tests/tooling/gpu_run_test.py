"""ci/gpu without a GPU: it reaches its end, and says what it did and what came of it."""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TWO = 'echo "Stand-in A, 1.0, 80 GB"; echo "Stand-in B, 1.0, 80 GB"'
ONE = 'echo "Stand-in, 1.0, 80 GB"'
NONE = "false"


def step(name, command, seconds=20, **more):
    fields = {"name": name, "command": command, "seconds": seconds, **more}
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    return "[[step]]\n" + "\n".join(lines) + "\n"


class GpuRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name) / "run"

    def tearDown(self):
        self.folder.cleanup()

    def run_steps(self, query, table=None, *arguments):
        command = [sys.executable, "-B", ROOT / "ci/gpu", "--out", self.out, *arguments]
        if table is not None:
            file = pathlib.Path(self.folder.name) / "steps.toml"
            file.write_text(table)
            command += ["--steps", file]
        return subprocess.run(command, capture_output=True, text=True, timeout=100,
                              env={**os.environ, "ASSAY_GPU_QUERY": query})

    def results(self):
        return json.loads((self.out / "gpu.json").read_text())

    def verdicts(self):
        return {row["step"]: row["verdict"] for row in self.results()["steps"]}

    def figures(self):
        return {row["step"]: row["figure"] for row in self.results()["steps"]}

    def test_without_a_gpu_every_step_is_reported_as_skipped(self):
        done = self.run_steps(NONE)
        self.assertEqual(done.returncode, 77, done.stderr)
        verdicts = self.verdicts()
        self.assertGreaterEqual(len(verdicts), 10)
        self.assertEqual(set(verdicts.values()), {"skipped"})
        for name in verdicts:
            self.assertIn(f"\n{name} ", done.stdout)
        self.assertIn("no GPU here", done.stdout)
        self.assertEqual((self.out / "gpu.txt").read_text().strip() in done.stdout, True)

    def test_all_within_their_limits_is_0(self):
        done = self.run_steps(ONE, step("quick", "echo ratio=0.91", figure=r"ratio=(\S+)",
                                        limit=">= 0.85"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.verdicts(), {"quick": "passed"})
        self.assertEqual(self.figures(), {"quick": "0.91"})
        self.assertEqual(self.results()["machine"]["gpus"], ["Stand-in"])

    def test_a_figure_beyond_its_limit_fails_and_the_rest_goes_on(self):
        done = self.run_steps(ONE, step("slow", "echo ratio=0.4", figure=r"ratio=(\S+)",
                                        limit=">= 0.85")
                              + step("last", "true", figure="seconds"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdicts(), {"slow": "failed", "last": "passed"})

    def test_what_prints_no_figure_fails(self):
        self.assertEqual(self.run_steps(ONE, step("mute", "true", figure="x=(.)")).returncode, 1)
        self.assertEqual(self.verdicts(), {"mute": "failed"})

    def test_an_exit_code_fails_whatever_was_printed(self):
        text = "echo '[  PASSED  ] 3 tests.'; exit 1"
        self.assertEqual(self.run_steps(ONE, step("bad", text)).returncode, 1)
        self.assertEqual(self.verdicts(), {"bad": "failed"})

    def test_a_test_that_is_skipped_on_a_gpu_fails(self):
        text = "echo '[  PASSED  ] 3 tests.'; echo '[  SKIPPED ] 1 test, listed below:'"
        self.assertEqual(self.run_steps(ONE, step("some", text)).returncode, 1)
        self.assertEqual(self.figures(), {"some": "3 passed, 0 failed, 1 skipped"})

    def test_a_step_that_hangs_is_ended_with_all_that_it_started(self):
        mark = pathlib.Path(self.folder.name) / "alive"
        command = f"(sleep 3; touch {mark}) & sleep 60"
        done = self.run_steps(ONE, step("hangs", command, seconds=1)
                              + step("next", "sleep 3.5", figure="seconds"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdicts(), {"hangs": "timeout", "next": "passed"})
        self.assertFalse(mark.exists())

    def test_an_interrupt_loses_nothing_and_leaves_nothing_running(self):
        alive = pathlib.Path(self.folder.name) / "alive"
        table = pathlib.Path(self.folder.name) / "steps.toml"
        table.write_text(step("first", "echo ratio=1", figure=r"ratio=(\S+)") +
                         step("long", f"echo begun; while sleep 0.1; do touch {alive}; done") +
                         step("last", "true"))
        run = subprocess.Popen([sys.executable, "-B", ROOT / "ci/gpu", "--out", self.out, "--steps",
                                table], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "ASSAY_GPU_QUERY": ONE})
        while not alive.exists():
            time.sleep(0.05)
        run.terminate()
        printed, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.verdicts(), {"first": "passed", "long": "failed", "last": "failed"})
        self.assertEqual(self.figures()["last"], "interrupted")
        self.assertIn("interrupted", printed)
        self.assertIn("begun", (self.out / "logs" / "long.log").read_text())
        alive.unlink()
        time.sleep(0.5)
        self.assertFalse(alive.exists())

    def test_steps_share_the_minutes(self):
        done = self.run_steps(ONE, step("long", "sleep 60", figure="seconds")
                              + step("later", "true", figure="seconds"), "--minutes", "0.02")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdicts(), {"long": "timeout", "later": "timeout"})

    def test_what_needs_a_step_that_failed_fails(self):
        self.run_steps(ONE, step("build", "false", figure="seconds")
                       + step("uses", "true", figure="seconds", needs=["build"]))
        self.assertEqual(self.verdicts(), {"build": "failed", "uses": "failed"})
        self.assertIn("needs build", self.figures()["uses"])

    def test_what_is_needed_may_be_slower_than_its_limit(self):
        done = self.run_steps(ONE, step("slow", "true", figure="seconds", limit="<= -1") +
                              step("after", "echo ratio=1", figure=r"ratio=(\S+)", needs=["slow"]))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.verdicts(), {"slow": "failed", "after": "passed"})

    def test_what_goes_on_keeps_nobody_from_trying(self):
        table = (step("some", "false", figure="seconds", goes_on=True) +
                 step("there", "echo ratio=1", figure=r"ratio=(\S+)", needs=["some"]) +
                 step("missing", "/nowhere/program", needs=["some"]))
        done = self.run_steps(ONE, table)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.verdicts(), {"some": "failed", "there": "passed",
                                           "missing": "failed"})

    def test_a_step_that_cannot_be_judged_fails_alone(self):
        done = self.run_steps(ONE, step("words", "echo ratio=high", figure=r"ratio=(\S+)",
                                        limit=">= 1") +
                              step("braces", "echo {nothing}") +
                              step("infinite", "echo ratio=inf", figure=r"ratio=(\S+)",
                                   limit=">= 1") +
                              step("fine", "echo ratio=1", figure=r"ratio=(\S+)"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.verdicts(), {"words": "failed", "braces": "failed",
                                           "infinite": "failed", "fine": "passed"})

    def test_a_long_log_keeps_its_beginning_and_its_end(self):
        self.run_steps(ONE, step("long", "echo begun; seq 100000; echo ratio=1",
                                 figure=r"ratio=(\S+)"))
        log = (self.out / "logs" / "long.log").read_text()
        self.assertLess(len(log), 250_000)
        self.assertTrue(log.startswith("begun"))
        self.assertTrue(log.strip().endswith("ratio=1"))

    def test_several_gpus_and_tools_are_asked_for(self):
        table = (step("pair", "true", figure="seconds", gpus=2)
                 + step("tool", "true", figure="seconds", tool="no-such-tool"))
        self.assertEqual(self.run_steps(ONE, table).returncode, 0)
        self.assertEqual(self.verdicts(), {"pair": "skipped", "tool": "skipped"})
        self.run_steps(TWO, table)
        self.assertEqual(self.verdicts(), {"pair": "passed", "tool": "skipped"})

    def test_shards_share_the_tests_and_add_up(self):
        command = "echo \"[  PASSED  ] 2 tests.\"; echo $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"
        self.run_steps(ONE, step("shared", command, shards=3))
        self.assertEqual(self.figures(), {"shared": "6 passed, 0 failed"})
        log = (self.out / "logs/shared.log").read_text()
        for shard in range(3):
            self.assertIn(f"{shard} of 3", log)

    def test_only_some_steps_and_what_they_need(self):
        table = "".join(step(name, "true", figure="seconds", needs=needs)
                        for name, needs in (("a", []), ("b", []), ("c", ["a"])))
        self.run_steps(ONE, table, "--only", "c")
        self.assertEqual(self.verdicts(), {"a": "passed", "c": "passed"})

    def test_logs_and_cases_are_packed_and_large_cases_left_out(self):
        command = ("mkdir -p $ASSAY_BUNDLES/Suite.Small $ASSAY_BUNDLES/Suite.Large;"
                   "echo case > $ASSAY_BUNDLES/Suite.Small/case.toml;"
                   "head -c 9000000 /dev/urandom > $ASSAY_BUNDLES/Suite.Large/rank0.json; false")
        self.run_steps(ONE, step("fails", command))
        with tarfile.open(self.out / "logs.tar.gz") as archive:
            names = archive.getnames()
        self.assertIn("logs/fails.log", names)
        self.assertIn("cases/Suite.Small/case.toml", names)
        self.assertNotIn("cases/Suite.Large/rank0.json", names)
        self.assertEqual(self.results()["files_left_out"], 1)

    def test_a_folder_with_other_files_is_left_alone(self):
        self.out.mkdir()
        (self.out / "logs").mkdir()
        (self.out / "logs" / "mine.txt").write_text("mine")
        done = self.run_steps(NONE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("files that are not of a run", done.stderr)
        self.assertEqual((self.out / "logs" / "mine.txt").read_text(), "mine")

    def test_a_run_replaces_what_an_earlier_one_has_left(self):
        self.run_steps(ONE, step("first", "true", figure="seconds"))
        self.run_steps(ONE, step("second", "true", figure="seconds"))
        self.assertFalse((self.out / "logs/first.log").exists())
        self.assertTrue((self.out / "logs/second.log").exists())

    def test_a_folder_that_cannot_be_made_and_no_minutes_are_said(self):
        self.out.write_text("a file")
        done = self.run_steps(NONE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written", done.stderr)
        self.out.unlink()
        for minutes in ("0", "-3", "x"):
            self.assertEqual(self.run_steps(NONE, None, "--minutes", minutes).returncode, 2)

    def test_a_wrong_table_says_where(self):
        for table in ("[[step]\n", step("a", "true", needs=["b"]), step("a", "true", figure="("),
                      step("a", "true", colour="red")):
            done = self.run_steps(ONE, table)
            self.assertEqual(done.returncode, 2, table)
            self.assertIn("steps.toml", done.stderr)


if __name__ == "__main__":
    unittest.main()
