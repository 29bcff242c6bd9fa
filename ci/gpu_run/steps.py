"""The steps of a run: what the table says, and doing it."""

import dataclasses
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib

LOG_BYTES = 200_000  # that are kept of one log: a quarter of them of its beginning
TOOLS = "/usr/local/cuda/bin"  # where they may be, though no shell looks there


class WrongInput(Exception):
    """What the user gave cannot be used: the table of steps, or the folder."""


@dataclasses.dataclass
class Step:
    """A step as the table has it; ci/gpu_run/steps.toml says what the fields mean."""

    name: str
    command: str
    seconds: int
    figure: str = "gtest"
    limit: str = ""
    gpus: int = 1
    tool: str = ""
    needs: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    shards: int = 1
    goes_on: bool = False


@dataclasses.dataclass
class Result:
    """What came of a step."""

    step: Step
    verdict: str  # passed, failed, timeout, skipped
    figure: str = ""
    seconds: float = 0

    @property
    def fine(self):
        return self.verdict in ("passed", "skipped")


def load(file, only=""):
    """The steps of a table in their order; with `only`, those, and what they need."""
    try:
        tables = tomllib.loads(file.read_text()).get("step", [])
        found = [Step(**table) for table in tables]
    except (OSError, tomllib.TOMLDecodeError, TypeError) as error:
        raise WrongInput(f"{file}: {error}") from error
    names = [step.name for step in found]
    for step in found:
        unknown = [need for need in step.needs if need not in names]
        if unknown:
            raise WrongInput(f"{file}: {step.name} needs {unknown[0]}, which is no step")
        if step.limit and not re.fullmatch(r"(>=|<=) [-+.e\d]+", step.limit):
            raise WrongInput(f"{file}: {step.name}: limit: {step.limit!r} is none")
        if step.figure != "gtest":
            try:
                re.compile(step.figure)
            except re.error as error:
                raise WrongInput(f"{file}: {step.name}: figure: {error}") from error
    wanted = [name for name in only.split(",") if name]
    for name in wanted:
        if name not in names:
            raise WrongInput(f"there is no step {name}: {', '.join(names)}")
    if not wanted:
        return found
    for step in reversed(found):
        if step.name in wanted:
            wanted += step.needs
    return [step for step in found if step.name in wanted]


def gtest_figure(text):
    """How many tests of all shards passed, and whether all did: a skipped one did not."""
    passed = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) test", text, re.M))
    skipped = sum(int(n) for n in re.findall(r"^\[  SKIPPED \] (\d+) test", text, re.M))
    failed = sum(int(n) for n in re.findall(r"^ ?\[  FAILED  \] (\d+) test", text, re.M))
    words = f"{passed} passed, {failed} failed"
    return words + (f", {skipped} skipped" if skipped else ""), passed > 0 and failed + skipped == 0


def within(figure, limit):
    """Whether a figure keeps a limit such as ">= 0.85" or "<= 360"."""
    if not limit:
        return True
    relation, bound = limit.split()
    value = float(figure)
    if not math.isfinite(value):
        return False
    return value >= float(bound) if relation == ">=" else value <= float(bound)


def search_path():
    return os.environ.get("PATH", "") + os.pathsep + TOOLS


def shortened(text):
    """The beginning and the end of a long log."""
    if len(text) <= LOG_BYTES:
        return text
    return f"{text[:LOG_BYTES // 4]}\n[...]\n{text[-LOG_BYTES * 3 // 4:]}"


def prepare(out):
    """An empty folder for a run, in place of what an earlier run has left there."""
    mark = out / "gpu.json"
    try:
        if out.is_dir() and any(out.iterdir()) and not mark.is_file():
            raise WrongInput(f"{out} has files that are not of a run: name another folder (--out)")
        for folder in ("logs", "cases"):
            shutil.rmtree(out / folder, ignore_errors=True)
            (out / folder).mkdir(parents=True)
        mark.write_text("{}\n")
    except OSError as error:
        raise WrongInput(f"{out} cannot be written: {error.strerror}") from error


class Run:
    """Does steps one after the other, within a time that they share."""

    def __init__(self, root, out, seconds, gpus):
        self.root, self.out, self.gpus = root, out.resolve(), gpus
        self.end = time.monotonic() + seconds
        self.usable = set()  # steps that left what others need
        prepare(self.out)

    def do_all(self, steps):
        """The results of all steps; those that an interrupt (Ctrl-C, SIGTERM) has kept from an end
        fail."""
        results = []
        try:
            for step in steps:
                results.append(self.do(step))
        except KeyboardInterrupt:
            print("[gpu] interrupted", file=sys.stderr, flush=True)
        return results + [Result(step, "failed", "interrupted") for step in steps[len(results):]]

    def do(self, step):
        """Does a step, and says how it went."""
        print(f"[gpu] {step.name} ...", file=sys.stderr, flush=True)
        reason = self.reason_to_skip(step)
        try:
            result = Result(step, "skipped", reason) if reason else self.run(step)
        except (OSError, ValueError, TypeError, LookupError) as error:
            result = Result(step, "failed", f"{type(error).__name__}: {error}")
        print(f"[gpu] {step.name}: {result.verdict} {result.figure} ({result.seconds:.0f} s)",
              file=sys.stderr, flush=True)
        return result

    def reason_to_skip(self, step):
        """Why a step is not for this machine; empty: it is."""
        if self.gpus == 0:
            return "no GPU"
        if self.gpus < step.gpus:
            return f"needs {step.gpus} GPUs"
        if step.tool and not shutil.which(step.tool, path=search_path()):
            return f"{step.tool} is not installed"
        return ""

    def run(self, step):
        missing = [need for need in step.needs if need not in self.usable]
        if missing:
            return Result(step, "failed", f"needs {missing[0]}, which did not pass")
        limit = min(step.seconds, self.end - time.monotonic())
        if limit < 1:
            return Result(step, "timeout", "no time was left")
        started = time.monotonic()
        codes, text = self.outputs(step, limit)
        seconds = time.monotonic() - started
        if None in codes:
            return Result(step, "timeout", f"after {limit:.0f} s", seconds)
        if step.goes_on or not any(codes):
            self.usable.add(step.name)
        figure, fine = self.judge(step, text, seconds)
        fine = fine and not any(codes)
        if any(codes) and not figure:
            figure = f"exit code {max(map(abs, codes))}"
        return Result(step, "passed" if fine else "failed", figure, seconds)

    @staticmethod
    def judge(step, text, seconds):
        """The figure of a step's output, and whether it keeps the limit."""
        if step.figure == "gtest":
            return gtest_figure(text)
        if step.figure == "seconds":
            return f"{seconds:.0f}", within(seconds, step.limit)
        found = re.findall(step.figure, text)
        if not found:
            return "", False
        return found[-1], within(found[-1], step.limit)

    def outputs(self, step, limit):
        """Exit codes of all shards, None of one that ran out of time, and what they printed."""
        log = self.out / "logs" / f"{step.name}.log"
        started, codes, text = [], [], ""
        end = time.monotonic() + limit
        try:
            for shard in range(step.shards):
                started.append(self.start(step, shard, limit))
            for process, _ in started:
                try:
                    codes.append(process.wait(max(0.1, end - time.monotonic())))
                except subprocess.TimeoutExpired:
                    codes.append(None)
                self.stop(process)
        finally:
            for process, part in started:
                self.stop(process)
                text += part.read_text(errors="replace")
                part.unlink()
            log.write_text(shortened(text))
        return codes, text

    def start(self, step, shard, limit):
        """One process of a step, a group of its own, and the file that it prints to."""
        places = {"out": self.out, "seconds": max(1, int(limit) - 15), "build": "build-gpu",
                  "jobs": os.cpu_count()}
        environment = {**os.environ, "PATH": search_path(), **step.environment,
                       "ASSAY_BUNDLES": str(self.out / "cases")}
        if step.shards > 1:
            environment |= {"GTEST_TOTAL_SHARDS": str(step.shards),
                            "GTEST_SHARD_INDEX": str(shard)}
        part = self.out / "logs" / f"{step.name}.{shard}"
        command = step.command.format(**{key: shlex.quote(str(value))
                                         for key, value in places.items()})
        with part.open("w") as stream:
            process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=self.root,
                                       env=environment, stdout=stream, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        return process, part

    @staticmethod
    def stop(process):
        """Ends what a process has left running."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # a driver holds it: nothing more can be done
            print("[gpu] a process does not end", file=sys.stderr, flush=True)
