"""`anastylosis doctor`: what this machine has, without loading any of it."""

import platform
import re
import time
from importlib import metadata
from typing import Annotated, Any

import typer

from anastylosis import __version__
from anastylosis.cli.table import print_json, print_rows
from anastylosis.executors import open_pool
from anastylosis.gpu import read_driver, reason_without_gpu
from anastylosis.kernel_cache import KERNEL_ROOMS, cache_directory, compile_kernels, is_compiled
from anastylosis.machine import count_cores, install_line, measure_memory


def doctor_command(
    warm: Annotated[bool, typer.Option("--warm", help="Compile the kernels now, unless they are compiled already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show what this machine has, and what is missing. Lists cores, GPU, versions, caches, and how to install each extra."""
    warm_seconds = warm_kernels() if warm else None
    machine = describe_machine()
    if warm_seconds is not None:
        machine["warm_up_seconds"] = round(warm_seconds, 2)
    packages, extras, gpu = describe_packages(), describe_extras(), describe_gpu()
    if as_json:
        print_json({"machine": machine, "gpu": gpu, "packages": packages, "extras": extras})
        return
    print_rows([{"machine": name.replace("_", " "), "value": value} for name, value in machine.items()])
    if gpu["devices"]:
        print_rows(gpu["devices"], headings={"name": "GPU", "memory_gb": "memory GB"})
    print_rows([{"on a GPU": row["path"], "on": "yes" if row["on"] else "no", "why not": row["missing"]} for row in gpu["paths"]])
    print_rows([{"package": row["name"], "version": row["version"]} for row in packages])
    print_rows([{"extra": row["name"], "missing": row["missing"], "to install it": row["install"]} for row in extras])


def warm_kernels() -> float:
    """Compile the kernels that are not, the rooms side by side; seconds it took."""
    start = time.perf_counter()
    with open_pool(min(count_cores(), len(KERNEL_ROOMS))) as execute:
        compile_kernels(execute)
    return time.perf_counter() - start


def describe_machine() -> dict[str, Any]:
    memory = measure_memory()
    return {
        "anastylosis": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": count_cores(),
        "memory_gb": None if memory is None else round(memory / 1e9, 1),
        "cuda_gpus": len(read_driver().gpus),
        "cuda_driver": read_driver().version,
        "kernel_cache": str(cache_directory("physics")),
        "kernels_compiled": is_compiled("physics"),
    }


def describe_gpu() -> dict[str, Any]:
    """Describe the driver, every GPU, and which parts of the work would use one; asks the driver itself, no numba, no torch."""
    driver = read_driver()
    devices = [
        {"name": gpu.name, "memory_gb": round(gpu.memory / 1e9, 1), "capability": ".".join(map(str, gpu.capability))}
        for gpu in driver.gpus
    ]
    physics, training = reason_without_gpu(), describe_missing_torch()
    paths = [
        {"path": "simulate --device cuda", "on": physics is None, "missing": physics},
        {"path": "render_worlds, in Python", "on": physics is None, "missing": physics},
        {"path": "train", "on": training is None, "missing": training},
    ]
    return {"driver_cuda": driver.version, "devices": devices, "paths": paths}


def describe_missing_torch() -> str | None:
    """Say why training cannot use a GPU, as far as visible without loading PyTorch; None if it can."""
    version = find_version("torch")
    if version is None:
        return f"PyTorch is not installed; run: {install_line('train')}"
    if version.endswith("+cpu"):
        return f"PyTorch {version} is a build without CUDA; install one with it"
    return None if read_driver().gpus else "no NVIDIA driver answers, or it finds no GPU"


def describe_packages() -> list[dict[str, Any]]:
    """Describe the packages of the base install, with their versions."""
    return [{"name": name, "version": find_version(name)} for name, extra in list_requirements() if extra is None]


def describe_extras() -> list[dict[str, Any]]:
    """Describe every extra: whether it is installed, what it lacks, and the line that installs it."""
    wanted: dict[str, list[str]] = {}
    for name, extra in list_requirements():
        if extra is not None:
            wanted.setdefault(extra, []).append(name)
    rows = []
    for extra, names in wanted.items():
        missing = [name for name in names if find_version(name) is None]
        install = install_line(extra) if missing else None
        rows.append({"name": extra, "installed": not missing, "missing": ", ".join(missing) or None, "install": install})
    return rows


def list_requirements() -> list[tuple[str, str | None]]:
    """List (package, extra or None) as pyproject.toml declares them."""
    found = []
    for line in metadata.requires("anastylosis") or []:
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        found.append((re.split(r"[^\w.-]", line, maxsplit=1)[0], extra[1] if extra else None))
    return found


def find_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
