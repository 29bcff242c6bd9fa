"""What this machine is: its GPUs, and the versions of what runs on them."""

import os
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
    fields = [[field.strip() for field in line.split(",")] for line in listed.splitlines()]
    return [dict(zip(("name", "driver", "memory"), one)) for one in fields if len(one) == 3]


def torch_versions(root):
    """Of torch, its CUDA and NCCL: from Python, which knows all three."""
    ask = "import torch; print(torch.__version__, torch.version.cuda, *torch.cuda.nccl.version())"
    deps = os.environ.get("ASSAY_DEPS", str(root / ".deps"))
    environment = dict(os.environ)
    answer = printed(["python3", "-c", ask], env=environment)
    if not answer:
        environment["PYTHONPATH"] = f"{deps}/wheels"
        answer = printed(["python3", "-c", ask], env=environment)
    words = answer.split()
    if len(words) < 3:
        return {"torch": "unknown", "cuda": "unknown", "nccl": "unknown"}
    return {"torch": words[0], "cuda": words[1], "nccl": ".".join(words[2:])}


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
