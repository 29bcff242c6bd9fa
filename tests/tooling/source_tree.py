"""The project's own files, as the tooling checks see them."""

import pathlib
import re

# Top-level folders that hold code, each with those it may include from: docs/architecture.md.
MAY_INCLUDE = {
    "shared_ir": {"shared_ir"},
    "static_check": {"static_check", "shared_ir"},
    "dynamic_check": {"dynamic_check", "shared_ir"},
    "gtest_plugin": {"gtest_plugin", "static_check", "dynamic_check", "shared_ir"},
    "cli": {"cli", "static_check", "dynamic_check", "shared_ir"},
    "ci": {"ci"},
    "fixtures": None,
    "bench": None,
    "tests": None,
}

# The certificate checker must not share code with the proofs that it checks.
NARROWER = {"static_check/checker": {"shared_ir", "static_check/checker"}}

# The rooms of a top-level folder, from the ground up: one may include what stands before it, never
# what stands after. A folder is of the longest room that it lies in; "" is the files beside the
# rooms.
ROOMS = {
    "shared_ir": (
        "base",
        "symbolic",
        "",
        "proof",
        "zip",
        "import",
        "case",
        "reference",
        "lower/build",
        "lower/builtins",
        "lower/declare",
        "operator_table",
        "lower/node",
        "memory",
        "lower",
        "report",
        "trace",
        "capture/places",
        "capture/torch",
        "capture/record",
        "capture/fit",
        "capture",
    ),
    "static_check": (
        "algebra",
        "smt",
        "lift",
        "lift/arithmetic",
        "lift/integers",
        "lift/reduction",
        "lift/collectives",
        "lift/inputs",
        "lift/program",
        "egraph",
        "cover",
        "problem",
        "residual",
        "identity",
        "certify",
        "lemmas",
        "diagnose",
        "domains",
        "evaluated_claims",
        "checker/facts",
        "checker/arithmetic",
        "checker",
        "checker/integers",
        "checker/functions",
        "checker/reduction",
        "checker/collectives",
        "checker/identity",
        "checker/relations",
        "",
        "symbolic",
    ),
    "dynamic_check": (
        "cuda",
        "buffers",
        "keep",
        "numbers",
        "question",
        "kernels",
        "relate",
        "inputs",
        "run",
        "tolerance",
        "judge",
        "localize",
        "traces",
        "witness",
        "",
    ),
}

# Rooms of which others see one header, of the room's name, which includes what they may use.
FACES = {"dynamic_check"}
# Rooms within rooms with such a header of their own: what needs no LibTorch.
INNER_FACES = ("dynamic_check/run/execute/processes",)

# Folders whose headers hide the heavy dependencies (shared_ir/capture may see torch). A header that
# no other room of them includes is private, and may see them.
LIGHT = ("shared_ir", "static_check", "gtest_plugin")
LIGHT_EXCEPT = ("shared_ir/capture",)
HEAVY_HEADER = re.compile(
    r"(?:^|/)(?:torch|ATen|c10|caffe2)/|(?:^|/)(?:z3\+\+|z3|z3_api|nccl|cuda_runtime)\.h$"
    r"|(?:^|/)nlohmann/|(?:^|/)simdjson\.h$|(?:^|/)toml\+\+/|(?:^|/)toml\.hpp$"
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


def room_of(path):
    """(top-level folder, room, its height) of a source of a folder that has rooms; None for another."""
    top, *folders = pathlib.PurePath(path).parts[:-1]
    rooms = ROOMS.get(top)
    if rooms is None:
        return None
    within = ["/".join(folders[:depth]) for depth in range(len(folders), 0, -1)] or [""]
    room = next((room for room in within if room in rooms), None)
    return top, "/".join(folders) if room is None else room, None if room is None else rooms.index(room)


def face_of(path, target):
    """The header that the file is to include for the target of another room; None where it may include that."""
    other = room_of(target)
    if other is None or other[0] not in FACES or other[1] == "":
        return None
    target = pathlib.PurePath(target)
    if room_of(path) == other:
        return None
    inner = next((folder for folder in INNER_FACES if target.as_posix().startswith(folder + "/")), None)
    room = pathlib.PurePath(inner or f"{other[0]}/{other[1]}")
    face = room / f"{room.name}.h"
    return None if target == face else face.as_posix()


def included_from(root):
    """Our own headers, each with the folders of the sources that include it."""
    places = {}
    for path in files(root, ".h", ".cpp", ".cu"):
        if path.parts[0] in ("bench", "fixtures", "tests"):
            continue
        for _, target, _ in includes(pathlib.Path(root) / path):
            places.setdefault(target, set()).add(path.parent)
    return places


def light_headers(root):
    """The headers through which no heavy header may be reached."""
    places = included_from(root)
    for path in files(root, ".h"):
        private = {room_of(place / "_") or place for place in places.get(path.as_posix(), ())} == {
            room_of(path) or path.parent
        }
        if is_light(path) and not private:
            yield path


def heavy_include(root, header):
    """A heavy header that `header` reaches through our own, or None."""
    root, seen, pending = pathlib.Path(root), set(), [header.as_posix()]
    while pending:
        name = pending.pop()
        if HEAVY_HEADER.search(name):
            return name
        if name not in seen and (root / name).is_file():
            pending += [target for _, target, _ in includes(root / name)]
        seen.add(name)
    return None
