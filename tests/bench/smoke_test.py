"""A bench prints what it should.

    smoke_test.py static PROGRAM GRAPHS FIXTURES
        static_bench measures every case of the two folders that refines, or says why it is not
        proved.
    smoke_test.py dynamic PROGRAM FIXTURES
        dynamic_bench measures, in both precisions, every fixture that has a case folder.

Runs each benchmark once. Says "no cases" when the folders have none, which is an error in CI.
"""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

# Per stage, counters that are never 0.
STATIC = {
    "import": ("sequential_ops", "distributed_ops", "time_per_op"),
    "lower": ("time_per_op",),
    "check": ("atoms", "time_per_op"),
    "relations": ("relations", "time_per_op"),
    "replay": ("claims", "probes"),
}
RUN = ("over_needed_runs", "over_one_run_each", "compared",
       "tolerance_min", "tolerance_median", "tolerance_max")
DYNAMIC = {"run/float32": RUN, "run/bfloat16": RUN}


def refining_cases(folder):
    """Names of the cases in `folder` whose known answer is that they refine, by case folder."""
    cases = {}
    for file in sorted(pathlib.Path(folder).glob("*/case.toml")):
        case = tomllib.loads(file.read_text())
        if case.get("verdict", {}).get("static") == "refines":
            cases[file.parent.name] = case["name"]
    return cases


def run(program, **variables):
    """The JSON that the program prints."""
    done = subprocess.run(
        [program, "--benchmark_min_time=0.000001", "--benchmark_format=json"],
        env={**os.environ, **variables}, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def problems_of(output, cases, stages):
    """What is missing or wrong in the program's output."""
    # Google Benchmark adds how it timed: "NAME/manual_time".
    measured = {entry["name"].removesuffix("/manual_time"): entry
                for entry in output.get("benchmarks", [])}
    problems = [f"{name}: {entry['error_message']}"
                for name, entry in measured.items() if entry.get("error_occurred")]
    for case in cases:
        for stage, counters in stages.items():
            entry = measured.get(f"{stage}/{case}")
            if entry is None:
                problems.append(f"{stage}/{case} is not measured")
            elif not entry.get("error_occurred"):
                problems += [f"{stage}/{case} does not count {counter}"
                             for counter in counters if not entry.get(counter)]
    if not measured:
        problems.append("nothing is measured")
    return problems


def main(bench, program, *folders):
    cases = {}
    for folder in folders:
        cases |= refining_cases(folder)
    if not cases:
        if os.environ.get("CI") == "true":
            print("no case folders in", *folders)
            return 1
        print("no cases")
        return 0
    if bench == "static":
        output = run(program, ASSAY_GRAPHS=folders[0], ASSAY_FIXTURE_CASES=folders[1])
        named = {key.removeprefix("not proved: ") for key in output["context"]}
        proved = [name for folder, name in cases.items() if not named & {folder, name}]
        problems = problems_of(output, proved, STATIC)
    else:
        problems = problems_of(run(program), cases.values(), DYNAMIC)
    print("\n".join(problems) or f"{len(cases)} cases measured or named")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
