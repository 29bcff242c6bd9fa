"""What this machine is: its GPUs, and the versions of what runs on them."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

QUERY = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]


def printed(command, **options):
    """What a command prints; empty if it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def gpus():
    """Name, driver and memory of each GPU. ASSAY_GPU_QUERY stands in for nvidia-smi."""
    stand_in = os.environ.get("ASSAY_GPU_QUERY")
    listed = printed(["sh", "-c", stand_in] if stand_in is not None else QUERY)
    if not listed and stand_in is None:  # a container may have the device without the tool
        listed = "\n".join("unknown, unknown, unknown"
                           for _ in pathlib.Path("/dev").glob("nvidia[0-9]*"))
    fields = [[field.strip() for field in line.split(",")] for line in listed.splitlines()]
    return [dict(zip(("name", "driver", "memory"), one)) for one in fields if len(one) == 3]


def torch_folder(root):
    """Of the torch that the build takes: an installed one, or the wheels'."""
    found = importlib.util.find_spec("torch")
    if found and found.origin:
        return pathlib.Path(found.origin).parent
    return pathlib.Path(os.environ.get("ASSAY_DEPS", root / ".deps")) / "wheels/torch"


def text_of(file):
    return file.read_text() if file.is_file() else ""


def torch_versions(root):
    """Of torch, and of its CUDA and NCCL."""
    folder = torch_folder(root)
    version = text_of(folder / "version.py")
    header = text_of(folder.parent / "nvidia/nccl/include/nccl.h")
    nccl = [re.search(rf"#define NCCL_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    found = {"torch": re.search(r"__version__ = ['\"](.+?)['\"]", version),
             "cuda": re.search(r"cuda: .*= ['\"](.+?)['\"]", version)}
    return {**{name: match[1] if match else "unknown" for name, match in found.items()},
            "nccl": ".".join(part[1] for part in nccl) if all(nccl) else "unknown"}


def describe(root, found):
    """All that a figure depends on."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    release = re.search(r"release ([\d.]+)", printed([nvcc, "--version"]))
    description = {
        "gpus": [one["name"] for one in found],
        "memory": found[0]["memory"] if found else "none",
        "driver": found[0]["driver"] if found else "none",
        "nvcc": release[1] if release else "unknown",
        "cores": os.cpu_count(),
        "commit": printed(["git", "-C", str(root), "rev-parse", "--short", "HEAD"]) or "unknown",
    }
    return {**description, **(torch_versions(root) if found else {})}
