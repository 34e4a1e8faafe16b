"""Machine that this process runs on: its cores, and the line that adds an extra to its Python."""

import json
import os
import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["count_cores", "install_line"]


def count_cores() -> int:
    """Count the cores this process may use, which a container can make fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def install_line(extra: str) -> str:
    """Return the line that installs an extra into this Python, from the checkout if it runs from one."""
    python, pip, checkout = Path(sys.executable), shutil.which("pip"), find_checkout()
    own = pip is not None and Path(pip).parent == python.parent  # an active environment: its pip is the first on the path
    command = "pip" if own else f"{shlex.quote(seen_from_here(python))} -m pip"
    if checkout is None:
        return f"{command} install {shlex.quote(f'anastylosis[{extra}]')}"
    return f"{command} install -e {shlex.quote(f'{seen_from_here(checkout)}[{extra}]')}"


def find_checkout() -> Path | None:
    """Return the folder of an editable install, as PEP 610 records it; None of any other."""
    try:
        record = json.loads(metadata.distribution("anastylosis").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return None
    return Path(url2pathname(urlsplit(record["url"]).path)) if record.get("dir_info", {}).get("editable") else None


def seen_from_here(path: Path) -> str:
    """Return `path` as seen from the folder the user is in."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
