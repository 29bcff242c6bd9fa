#!/usr/bin/env python3
"""Checks of the source tree; each prints the offending places and exits 1 when there are any.

  check_sources.py format ROOT CLANG_FORMAT
  check_sources.py includes ROOT
  check_sources.py listed ROOT BUILD [--without-cuda]
  check_sources.py architectures ROOT BUILD
  check_sources.py headers ROOT COMPILER FLAG...
  check_sources.py pages ROOT
  check_sources.py readme ROOT
  check_sources.py decisions ROOT
  check_sources.py suppressions ROOT
  check_sources.py scratch ROOT
  check_sources.py types ROOT
  check_sources.py sizes ROOT
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import source_tree


def check_format(root, clang_format):
    """Every source is formatted as clang-format would."""
    sources = source_tree.files(root, ".h", ".cpp", ".cu")
    if not sources:
        return []
    run = subprocess.run(
        [clang_format, "--dry-run", "-Werror", *map(str, sources)], cwd=root, stderr=subprocess.PIPE, text=True
    )
    wrong = {line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line}
    return [f"{path}: not formatted (ci/format does it)" for path in sorted(wrong)]


def misplaced(path, target):
    """Why the file's room may not include the target; None where it may."""
    own, other = source_tree.room_of(path), source_tree.room_of(target)
    if own is None or other is None or own[0] != other[0]:
        return None
    for folder, room, height in (own, other):
        if height is None:
            return f"{folder}/{room} is no room of source_tree.ROOMS"
    if other[2] > own[2]:
        return f"{own[0]}/{own[1]} stands before {other[0]}/{other[1]} and must not include {target}"
    return None


def check_includes(root):
    """Dependencies between folders point one way, and quoted includes start at the root."""
    problems = []
    for path in source_tree.files(root, ".h", ".cpp", ".cu"):
        allowed = source_tree.MAY_INCLUDE[path.parts[0]]
        for folder, narrower in source_tree.NARROWER.items():
            if path.as_posix().startswith(folder + "/"):
                allowed = narrower
        for quote, target, line in source_tree.includes(pathlib.Path(root) / path):
            place = f"{path}:{line}"
            if target.split("/")[0] not in source_tree.MAY_INCLUDE or allowed is None:
                continue
            if not any(target.startswith(folder + "/") for folder in allowed):
                problems.append(f"{place}: {path.parent} must not include {target}")
            if (why := misplaced(path, target)) and "gloo_headers" not in path.parts:
                problems.append(f"{place}: {why}")
            if (face := source_tree.face_of(path, target)) and path.parts[0] != "tests":
                problems.append(f"{place}: of another room include {face}")
            if quote == "<":
                problems.append(f'{place}: include our own {target} with ""')
    for path in source_tree.light_headers(root):
        heavy = source_tree.heavy_include(root, path)
        if heavy:
            problems.append(f"{path}: a header that others include must not reach {heavy}")
    return problems


def compiled_sources(build):
    """The sources that the build compiles, alone or together with others as a unity source."""
    for command in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        source = pathlib.Path(command["directory"], command["file"])
        yield source.resolve()
        if source.parent.name == "Unity" and source.is_file():
            yield from (pathlib.Path(target).resolve() for _, target, _ in source_tree.includes(source))


def check_listed(root, build, without_cuda=False):
    """Every source belongs to a target: one that CMake does not list is never compiled."""
    root = pathlib.Path(root).resolve()
    compiled = set(compiled_sources(build))
    suffixes = [".cpp"] if without_cuda else [".cpp", ".cu"]
    problems = []
    for path in source_tree.files(root, *suffixes):
        # tests/package is a project of its own; without_cuda.cpp stands in for .cu files.
        elsewhere = path.parts[:2] == ("tests", "package")
        elsewhere |= not without_cuda and path.stem.endswith("without_cuda")
        if not elsewhere and root / path not in compiled:
            problems.append(f"{path}: no CMakeLists.txt lists it")
    return problems


def check_headers(root, compiler, flags):
    """Every header compiles alone. One that its own source includes first, or that only includes others of ours, is
    not tried again."""
    root = pathlib.Path(root)

    def only_includes(path):
        code = re.sub(r"//[^\n]*", "", (root / path).read_text())
        lines = [line for line in map(str.strip, code.splitlines()) if line]
        return all(re.fullmatch(r'#pragma once|#include "[^"]+"', line) for line in lines)

    def first_of_its_source(path):
        source = root / path.with_suffix(".cpp")
        first = next(source_tree.includes(source), None) if source.is_file() else None
        return first is not None and first[1] == path.as_posix()

    def check(path):
        run = subprocess.run(
            [compiler, "-I.", *flags, "-fsyntax-only", "-x", "c++", "-"],
            cwd=root, input=f'#include "{path}"\n', stderr=subprocess.PIPE, text=True,
        )
        if run.returncode:
            return f"{path}: does not compile alone\n" + "\n".join(run.stderr.splitlines()[:10])
        return None

    headers = [
        path for path in source_tree.files(root, ".h") if not first_of_its_source(path) and not only_includes(path)
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(check, headers) if problem]


def check_decisions(root):
    """Proofs for all sizes (shared_ir/symbolic/replay.h): what the checker trusts looks at no bytes of its numbers,
    which would decide something about sizes that nothing records."""
    problems = []
    for path in source_tree.files(root, ".h", ".cpp"):
        if not path.as_posix().startswith(("shared_ir/case/", "shared_ir/lower/", "static_check/checker/")):
            continue
        for number, line in enumerate((pathlib.Path(root) / path).read_text().splitlines(), 1):
            if re.search(r"reinterpret_cast|bit_cast|memcmp|memcpy", line):
                problems.append(f"{path}:{number}: looks at bytes (shared_ir/symbolic/replay.h says why not)")
    return problems


ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


def check_architectures(root, build):
    """Kernels of a GPU are compiled for A100, H100 and B200."""
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    kernels = [command for command in commands if command["file"].endswith(".cu")]
    if not kernels:
        return ["no .cu file is compiled"]
    return [
        f"{command['file']}: not compiled for {architecture}"
        for command in kernels
        for architecture in ARCHITECTURES
        if architecture not in command["command"]
    ]


def check_readme(root):
    """README's C++ example is the test that is compiled."""
    root = pathlib.Path(root)
    example = (root / "gtest_plugin/examples/readme_test.cpp").read_text()
    blocks = re.findall(r"^```cpp\n(.*?)^```", (root / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    if blocks != [example]:
        return ["README.md: its one C++ block must be gtest_plugin/examples/readme_test.cpp, word for word"]
    return []


def check_pages(root):
    """What pages of docs/ name in the tree is there: files, folders, and patterns, from the root or from tests/."""
    root, problems = pathlib.Path(root), []
    for page in sorted((root / "docs").glob("*.md")):
        for name in re.findall(r"`([\w.*{},/-]+/[\w.*{},/-]*)`", page.read_text()):
            if not any(list(base.glob(name.rstrip("/"))) for base in (root, root / "tests")):
                problems.append(f"{page.relative_to(root)}: there is no {name}")
    return problems


SUPPRESSIONS = "tests/dynamic/thread_sanitizer/suppressions.txt"
# Functions and libraries of LibTorch, with what it is linked of, and of GNU's OpenMP.
FOREIGN_FRAME = re.compile(
    r"\^?(?:(?:at|c10|c10d|caffe2|dnnl|gloo|torch)::|(?:GOMP|gomp|omp)_|lib(?:torch(?:_cpu)?|c10|gomp)\.so)"
)


def check_suppressions(root):
    """What the thread sanitizer may leave out lies in LibTorch and OpenMP, never in code of ours."""
    problems = []
    for number, line in enumerate((pathlib.Path(root) / SUPPRESSIONS).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, pattern = line.partition(":")
        if kind not in ("race", "mutex", "deadlock") or not FOREIGN_FRAME.match(pattern) or "assay" in pattern:
            problems.append(f"{SUPPRESSIONS}:{number}: names no frame of LibTorch or OpenMP: {line}")
    return problems


SCRATCH = "tests/support/scratch_folder.h"


def check_scratch(root):
    """Tests run in parallel: files of theirs lie in a folder of their own."""
    problems = []
    for path in source_tree.files(root, ".h", ".cpp"):
        if path.parts[0] != "tests" or path.as_posix() == SCRATCH:
            continue
        for number, line in enumerate((pathlib.Path(root) / path).read_text().splitlines(), 1):
            if "TempDir(" in line or "temp_directory_path(" in line:
                problems.append(f"{path}:{number}: other tests write there too; take a ScratchFolder ({SCRATCH})")
    return problems


# Of sources that are formatted, so that what is in no class stands at the start of its line.
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;]*)?(?: \{|$)")


def types_defined(text):
    """(qualified name, line) of each type that other files can see. Specialisations are none of them."""
    namespaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened := re.match(r"(?:inline )?namespace ?([\w:]*) ?\{$", line):
            namespaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif "" not in namespaces and (defined := TYPE.match(line)):
            yield "::".join([*namespaces, defined[1]]), number


def check_types(root):
    """A type is defined once. Two of one name in a program are one to the linker, which takes the functions of
    either for both."""
    problems, first = [], {}
    for path in source_tree.files(root, ".h", ".cpp", ".cu"):
        for name, number in types_defined((pathlib.Path(root) / path).read_text()):
            place = first.setdefault(name, path)
            if place != path:
                problems.append(f"{path}:{number}: {name} is another type in {place}")
    return problems


MOST_FILES = 25  # in a folder, beside its own folders
MOST_LINES = 400
MOST_OF_A_NAME = 2  # files outside of tests: one that proves, and the checker's own


def check_sizes(root):
    """What one has to read at once: the files of a folder, the lines of a file."""
    paths = source_tree.files(root, ".h", ".cpp", ".cu", ".py", ".toml")
    folders = collections.Counter(path.parent for path in paths)
    problems = [
        f"{folder}: {count} files, more than {MOST_FILES}" for folder, count in folders.items() if count > MOST_FILES
    ]
    names = collections.defaultdict(list)
    for path in paths:
        if path.suffix in (".h", ".cpp", ".cu") and path.parts[0] not in ("fixtures", "tests"):
            names[path.name].append(path)
    for name, of_name in names.items():
        if len(of_name) > MOST_OF_A_NAME:
            problems.append(f"{of_name[-1]}: {len(of_name)} files are called {name}")
    for path in paths:
        lines = (pathlib.Path(root) / path).read_bytes().count(b"\n")
        if lines > MOST_LINES:
            problems.append(f"{path}: {lines} lines, more than {MOST_LINES}")
    return problems


def main(name, root, *rest):
    if name == "listed":
        problems = check_listed(root, rest[0], "--without-cuda" in rest)
    elif name == "headers":
        problems = check_headers(root, rest[0], rest[1:])
    else:
        checks = {
            "architectures": check_architectures,
            "format": check_format,
            "includes": check_includes,
            "pages": check_pages,
            "readme": check_readme,
            "decisions": check_decisions,
            "suppressions": check_suppressions,
            "scratch": check_scratch,
            "types": check_types,
            "sizes": check_sizes,
        }
        problems = checks[name](root, *rest)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
