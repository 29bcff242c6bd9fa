"""The project's own files, as the tooling checks see them."""

import pathlib
import re

# Top-level folders that hold code, each with those it may include from. The rule is DESIGN's:
# gtest_plugin -> {static_check, dynamic_check} -> shared_ir.
MAY_INCLUDE = {
    "shared_ir": {"shared_ir"},
    "static_check": {"static_check", "shared_ir"},
    "dynamic_check": {"dynamic_check", "shared_ir"},
    "gtest_plugin": {"gtest_plugin", "static_check", "dynamic_check", "shared_ir"},
    "ci": {"ci", "static_check", "dynamic_check", "shared_ir"},
    "fixtures": None,
    "bench": None,
    "tests": None,
}

# The certificate checker must not share code with the proofs that it checks.
NARROWER = {"static_check/checker": {"shared_ir", "static_check/checker"}}

# Folders whose headers hide the heavy dependencies (shared_ir/capture may see torch).
LIGHT = ("shared_ir", "static_check", "gtest_plugin")
LIGHT_EXCEPT = ("shared_ir/capture",)
HEAVY_HEADER = re.compile(
    r"(?:^|/)(?:torch|ATen|c10|caffe2)/|(?:^|/)(?:z3\+\+|z3|z3_api|nccl|cuda_runtime)\.h$"
    r"|(?:^|/)nlohmann/|(?:^|/)toml\+\+/|(?:^|/)toml\.hpp$"
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def files(root, *suffixes, folders=tuple(MAY_INCLUDE)):
    """Files with one of the suffixes below the folders, relative to root."""
    root = pathlib.Path(root)
    found = (path for folder in folders for path in (root / folder).rglob("*"))
    return sorted(path.relative_to(root) for path in found if path.suffix in suffixes and path.is_file())


def includes(path):
    """(quote, target, line) of every #include in a file."""
    text = path.read_text()
    for match in INCLUDE.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2)) + 1


def is_light(path):
    text = path.as_posix()
    return text.startswith(LIGHT) and not text.startswith(LIGHT_EXCEPT)
