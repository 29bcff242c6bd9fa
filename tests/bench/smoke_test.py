"""static_bench measures every case that refines, or says why it is not proved.

    smoke_test.py PROGRAM FOLDER...

Runs PROGRAM (static_bench) on the cases of the folders, each benchmark once. Says "no cases" when
there are none, which is an error in CI.
"""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

STAGES = ("import", "lower", "check", "relations", "replay")
COUNTERS = {
    "import": ("sequential_ops", "distributed_ops", "time_per_op"),
    "check": ("atoms", "time_per_op"),
    "replay": ("claims", "probes"),
}


def refining_cases(folder):
    """Folder and case names of the cases in `folder` whose known answer is that they refine."""
    for file in sorted(folder.glob("*/case.toml")):
        case = tomllib.loads(file.read_text())
        if case.get("verdict", {}).get("static") == "refines":
            yield file.parent.name, case["name"]


def run(program, graphs, fixtures):
    """The JSON that the program prints."""
    environment = {**os.environ, "ASSAY_GRAPHS": graphs, "ASSAY_FIXTURE_CASES": fixtures}
    done = subprocess.run(
        [program, "--benchmark_min_time=0.000001", "--benchmark_format=json"],
        env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def problems_of(output, cases):
    """What is missing or wrong in the program's output."""
    measured = {entry["name"]: entry for entry in output.get("benchmarks", [])}
    not_proved = {key.removeprefix("not proved: ") for key in output["context"]}
    problems = [f"{name}: {entry['error_message']}"
                for name, entry in measured.items() if entry.get("error_occurred")]
    for folder, name in cases:
        if folder in not_proved or name in not_proved:
            continue
        for stage in STAGES:
            entry = measured.get(f"{stage}/{name}")
            if entry is None:
                problems.append(f"{stage}/{name} is not measured")
                continue
            problems += [f"{stage}/{name} does not count {counter}"
                         for counter in COUNTERS.get(stage, ()) if not entry.get(counter)]
    if not measured:
        problems.append("no case proves")
    return problems


def main(program, graphs, fixtures):
    cases = [case for folder in (graphs, fixtures) for case in refining_cases(pathlib.Path(folder))]
    if not cases:
        if os.environ.get("CI") == "true":
            print(f"no case folders in {graphs} and {fixtures}")
            return 1
        print("no cases")
        return 0
    problems = problems_of(run(program, graphs, fixtures), cases)
    print("\n".join(problems) or f"{len(cases)} cases measured or listed as not proved")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
