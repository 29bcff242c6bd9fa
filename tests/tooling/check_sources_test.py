#!/usr/bin/env python3
"""Each check of check_sources.py finds its fault in a small tree, and accepts the correct twin."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_sources

COMPILER = os.environ.get("CXX", "c++")
CLANG_FORMAT = os.environ.get("CLANG_FORMAT", "")


class CheckSourcesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def assert_finds(self, place, problems):
        self.assertEqual([problem.split(": ")[0] for problem in problems], [place])

    @unittest.skipUnless(CLANG_FORMAT, "no clang-format")
    def test_format_finds_an_unformatted_file_only(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("shared_ir/good.h", "#pragma once\n")
        self.assertEqual(check_sources.check_format(self.root, CLANG_FORMAT), [])
        self.write("shared_ir/bad.h", "int   x ;\n")
        self.assert_finds("shared_ir/bad.h", check_sources.check_format(self.root, CLANG_FORMAT))

    def test_includes_finds_a_dependency_that_points_the_wrong_way(self):
        self.write("static_check/a.cpp", '#include "shared_ir/graph.h"\n')
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("static_check/a.cpp", '#include "shared_ir/graph.h"\n#include "dynamic_check/run.h"\n')
        self.assert_finds("static_check/a.cpp:2", check_sources.check_includes(self.root))

    def test_includes_finds_a_room_that_looks_up_the_stairs(self):
        self.write("dynamic_check/judge/a.cpp", '#include "dynamic_check/run/run.h"\n')
        self.write("dynamic_check/check.cpp", '#include "dynamic_check/judge/judge.h"\n')
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("dynamic_check/run/a.cpp", '#include "dynamic_check/judge/judge.h"\n')
        self.assert_finds("dynamic_check/run/a.cpp:1", check_sources.check_includes(self.root))
        self.write("dynamic_check/run/a.cpp", '#include "dynamic_check/check.h"\n')
        self.assert_finds("dynamic_check/run/a.cpp:1", check_sources.check_includes(self.root))
        self.write("dynamic_check/run/a.cpp", '#include "dynamic_check/attic/attic.h"\n')
        self.assert_finds("dynamic_check/run/a.cpp:1", check_sources.check_includes(self.root))

    def test_includes_finds_what_another_room_keeps_to_itself(self):
        for header in ("dynamic_check/run/run.h", "dynamic_check/run/execute/processes/processes.h"):
            self.write("dynamic_check/judge/a.cpp", f'#include "{header}"\n')
            self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("dynamic_check/judge/a.cpp", '#include "dynamic_check/judge/b.h"\n')
        self.write("tests/a.cpp", '#include "dynamic_check/run/record.h"\n')
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("dynamic_check/judge/a.cpp", '#include "dynamic_check/run/record.h"\n')
        self.assert_finds("dynamic_check/judge/a.cpp:1", check_sources.check_includes(self.root))

    def test_includes_keeps_the_checker_apart_from_the_proofs(self):
        self.write("static_check/checker/a.cpp", '#include "static_check/checker/b.h"\n')
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("static_check/checker/a.cpp", '#include "static_check/algebra/layout.h"\n')
        self.assert_finds("static_check/checker/a.cpp:1", check_sources.check_includes(self.root))

    def test_includes_finds_a_heavy_header_in_a_light_header_only(self):
        self.write("static_check/a.cpp", "#include <z3++.h>\n")
        self.write("shared_ir/capture/b.h", "#include <ATen/core/Tensor.h>\n")
        self.assertEqual(check_sources.check_includes(self.root), [])
        for header in ("z3++.h", "torch/torch.h", "nlohmann/json.hpp", "toml++/toml.h", "nccl.h"):
            self.write("shared_ir/b.h", f"#include <{header}>\n")
            self.assert_finds("shared_ir/b.h", check_sources.check_includes(self.root))

    def test_decisions_finds_a_checker_that_looks_at_bytes(self):
        self.write("static_check/lift/a.cpp", "const char* bytes = reinterpret_cast<const char*>(&size);\n")
        self.write("static_check/checker/a.cpp", "bool same = a == b;\n")
        self.assertEqual(check_sources.check_decisions(self.root), [])
        self.write("static_check/checker/a.cpp", "\nbool same = std::memcmp(&a, &b, sizeof a) == 0;\n")
        self.assert_finds("static_check/checker/a.cpp:2", check_sources.check_decisions(self.root))

    def test_suppressions_finds_a_line_that_hides_code_of_ours(self):
        path = check_sources.SUPPRESSIONS
        foreign = "# Why.\n\nrace:^dnnl::impl::\nmutex:GOMP_barrier\nrace:at::native::\nrace:libgomp.so\n"
        self.write(path, foreign)
        self.assertEqual(check_sources.check_suppressions(self.root), [])
        for ours in ("race:assay::Rendezvous", "race:^assay::", "race:at::native::assay", "race:*", "race:",
                     "race:std::", "race:thread_executor.cpp", "thread:at::native::", "at::native::"):
            self.write(path, foreign + ours + "\n")
            self.assert_finds(f"{path}:7", check_sources.check_suppressions(self.root))

    def test_scratch_finds_a_file_that_two_tests_may_write(self):
        self.write(check_sources.SCRATCH, "path_ = testing::TempDir();\n")
        self.write("gtest_plugin/gtest.cpp", "bundles = testing::TempDir();\n")
        self.write("tests/plugin/own.cpp", "const test::ScratchFolder folder;\n")
        self.assertEqual(check_sources.check_scratch(self.root), [])
        self.write("tests/plugin/shared.cpp", "\nauto file = testing::TempDir() + name;\n")
        self.assert_finds("tests/plugin/shared.cpp:2", check_sources.check_scratch(self.root))

    def test_types_finds_two_that_the_linker_takes_for_one(self):
        self.write("shared_ir/a.h", "namespace assay {\nstruct A;\nstruct A {\n  int x;\n};\n}  // namespace assay\n")
        self.write("shared_ir/use.h", "namespace assay {\nstruct A;\nclass B : public A {\n};\n}  // namespace assay\n")
        self.write("shared_ir/own.cpp", "namespace assay {\nnamespace {\nclass A {\n};\n}  // namespace\n}  // namespace assay\n")
        self.write("tests/a.cpp", "namespace assay::test {\nclass A {\n};\n}  // namespace assay::test\n")
        self.assertEqual(check_sources.check_types(self.root), [])
        self.write("static_check/a.cpp", "namespace assay {\nenum class A { kX };\n}  // namespace assay\n")
        self.assert_finds("static_check/a.cpp:2", check_sources.check_types(self.root))

    def test_sizes_finds_a_full_folder_and_a_long_file(self):
        for number in range(check_sources.MOST_FILES):
            self.write(f"shared_ir/base/{number}.h", "\n" * check_sources.MOST_LINES)
        self.assertEqual(check_sources.check_sizes(self.root), [])
        self.write("shared_ir/base/0.h", "\n" * (check_sources.MOST_LINES + 1))
        self.assert_finds("shared_ir/base/0.h", check_sources.check_sizes(self.root))
        self.write("shared_ir/base/0.h", "\n")
        self.write("shared_ir/base/one_more.h", "\n")
        self.assert_finds("shared_ir/base", check_sources.check_sizes(self.root))

    def test_sizes_finds_a_name_that_three_files_have(self):
        for folder in ("shared_ir/base", "static_check/lift"):
            self.write(f"{folder}/a.cpp", "\n")
        self.write("tests/lift/a.cpp", "\n")
        self.assertEqual(check_sources.check_sizes(self.root), [])
        self.write("dynamic_check/run/a.cpp", "\n")
        self.assert_finds("static_check/lift/a.cpp", check_sources.check_sizes(self.root))

    def test_includes_finds_a_heavy_header_behind_another(self):
        self.write("shared_ir/a.h", '#include "shared_ir/base/b.h"\n')
        self.write("shared_ir/base/b.h", "#include <string>\n")
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("shared_ir/base/b.h", "#include <nlohmann/json.hpp>\n")
        found = [problem.split(": ")[0] for problem in check_sources.check_includes(self.root)]
        self.assertEqual(found, ["shared_ir/a.h", "shared_ir/base/b.h"])

    def test_includes_accepts_a_heavy_header_in_a_private_header(self):
        self.write("shared_ir/base/b.h", "#include <nlohmann/json.hpp>\n")
        self.write("shared_ir/base/b.cpp", '#include "shared_ir/base/b.h"\n')
        self.assertEqual(check_sources.check_includes(self.root), [])
        self.write("shared_ir/a.cpp", '#include "shared_ir/base/b.h"\n')
        self.assert_finds("shared_ir/base/b.h", check_sources.check_includes(self.root))

    def test_listed_finds_a_source_that_no_target_compiles(self):
        self.write("tests/a/a.cpp", "")
        command = {"directory": str(self.root), "file": "tests/a/a.cpp"}
        self.write("build/compile_commands.json", json.dumps([command]))
        self.assertEqual(check_sources.check_listed(self.root, self.root / "build"), [])
        self.write("tests/a/b.cpp", "")
        self.assert_finds("tests/a/b.cpp", check_sources.check_listed(self.root, self.root / "build"))

    def test_listed_sees_the_sources_of_a_unity_build(self):
        self.write("tests/a/a.cpp", "")
        self.write("build/Unity/unity.cxx", f'#include "{self.root}/tests/a/a.cpp"\n')
        command = {"directory": str(self.root), "file": "build/Unity/unity.cxx"}
        self.write("build/compile_commands.json", json.dumps([command]))
        self.assertEqual(check_sources.check_listed(self.root, self.root / "build"), [])

    def test_headers_finds_a_header_that_needs_another(self):
        self.write("shared_ir/a.h", "#pragma once\n#include <string>\nstd::string f();\n")
        self.assertEqual(check_sources.check_headers(self.root, COMPILER, []), [])
        self.write("shared_ir/b.h", "#pragma once\nNotDeclared g();\n")
        self.assert_finds("shared_ir/b.h", check_sources.check_headers(self.root, COMPILER, []))

    def test_readme_finds_an_example_that_differs_from_the_compiled_one(self):
        self.write("gtest_plugin/examples/readme_test.cpp", "int x;\n")
        self.write("README.md", "Example:\n```cpp\nint x;\n```\n")
        self.assertEqual(check_sources.check_readme(self.root), [])
        self.write("README.md", "Example:\n```cpp\nint y;\n```\n")
        self.assert_finds("README.md", check_sources.check_readme(self.root))


class CountTestsTest(unittest.TestCase):
    CASES = {
        "passed": '<testcase name="a" status="run"/>',
        "skipped": '<testcase name="a" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>',
        "failed": '<testcase name="a" status="fail"><failure/><system-out>'
        + "\n".join(f"line {i}" for i in range(100))
        + "</system-out></testcase>",
        "missing program": '<testcase name="a" status="notrun"><skipped message="Unable to find executable"/></testcase>',
        "skipped and broken": '<testcase name="a" status="notrun"><skipped message="SKIP_RETURN_CODE"/>'
        "<system-out>[  FAILED  ] A.b</system-out></testcase>",
    }

    LIST = (
        '<testsuites><testsuite><testcase classname="A" name="b" result="completed"/>'
        '<testcase classname="A" name="c" result="skipped"><skipped message=""/></testcase>'
        "{}</testsuite></testsuites>"
    )
    WRONG = '<testcase classname="A" name="d" result="completed"><failure>1 is not 2</failure></testcase>'
    DIED = """<testcase name="p" status="fail"><system-out>Running main() from gtest_main.cc
Note: This is test shard 1 of 2.
[==========] Running 5 tests from 1 test suite.
[ RUN      ] A.a
[       OK ] A.a (0 ms)
[ RUN      ] A.b/0
text without an end[  FAILED  ] A.b/0, where GetParam() = 3 (12 ms)
[ RUN      ] A.c
Segmentation fault</system-out></testcase>"""

    def run_on(self, *names, listed=None):
        script = pathlib.Path(__file__).parents[2] / "ci" / "count_tests.py"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "results.xml")
            file.write_text(f"<testsuite>{''.join(self.CASES.get(name, name) for name in names)}</testsuite>")
            if listed is not None:
                file.with_suffix("").mkdir()
                file.with_suffix("").joinpath("a.xml").write_text(listed)
            return subprocess.run([sys.executable, script, file], capture_output=True, text=True, check=True)

    def count(self, *names):
        return self.run_on(*names).stdout.split()

    def test_counts_each_outcome(self):
        self.assertEqual(self.count("passed", "passed", "failed", "skipped"), ["2", "1", "1"])

    def test_only_a_test_that_asked_for_it_is_skipped(self):
        self.assertEqual(self.count("missing program", "skipped and broken"), ["0", "2", "0"])

    def test_a_failure_is_followed_by_the_end_of_its_output(self):
        text = self.run_on("passed", "failed").stderr
        self.assertIn("[test] failed: a\n    [40 lines before]\n    line 40\n", text)
        self.assertTrue(text.endswith("    line 99\n"), text)
        self.assertNotIn("line 39", text)

    def test_a_program_counts_as_the_tests_that_it_lists(self):
        self.assertEqual(self.run_on("passed", listed=self.LIST.format("")).stdout.split(), ["1", "0", "1"])
        run = self.run_on("failed", listed=self.LIST.format(self.WRONG))
        self.assertEqual(run.stdout.split(), ["1", "1", "1"])
        self.assertEqual(run.stderr, "[test] skipped: A.c\n[test] failed: A.d\n    1 is not 2\n")

    def test_a_program_that_fails_after_its_tests_is_a_failure_more(self):
        run = self.run_on("failed", listed=self.LIST.format(""))
        self.assertEqual(run.stdout.split(), ["1", "1", "1"])
        self.assertIn("[test] failed: a\n", run.stderr)

    def test_a_program_that_died_failed_in_all_tests_that_did_not_end(self):
        run = self.run_on(self.DIED)
        self.assertEqual(run.stdout.split(), ["1", "4", "0"])
        self.assertIn("[test] failed: A.b/0\n", run.stderr)
        self.assertIn("    Segmentation fault\n", run.stderr)


if __name__ == "__main__":
    unittest.main()
