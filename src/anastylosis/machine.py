"""Machine that this process runs on: what its system does in a way of its own, its cores, and how an extra is installed.

All that differs between Linux, macOS and Windows stands here, so that no other file asks which system it is. What a system
does not have is left out or done another way; nothing here raises because of that.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module, metadata
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = [
    "WINDOWS",
    "count_cores",
    "describe_signal",
    "free_standard_streams",
    "has_locks",
    "ignore_interrupt",
    "install_line",
    "interrupt_group",
    "limit_process",
    "lock_file",
    "measure_address_space",
    "measure_memory",
    "own_user",
    "start_deaf",
    "wait_for",
    "was_killed",
    "was_stopped_for_time",
]


def find_module(name: str) -> Any:
    """Return a module of the standard library that not every system has, or None."""
    try:
        return import_module(name)
    except ImportError:
        return None


WINDOWS = os.name == "nt"
fcntl, msvcrt, resource = map(find_module, ("fcntl", "msvcrt", "resource"))
LOCKED_BYTE = 2**31 - 2  # Windows locks bytes, for readers and writers too: one that files do not reach
GLANCE = 0.25  # [s] between two looks at a queue where waiting cannot be interrupted


def has_locks() -> bool:
    """Return whether files can be locked against other processes."""
    return bool(fcntl or msvcrt)


def lock_file(file: IO[Any] | int, *, wait: bool) -> None:
    """Lock a file until it is closed or its process ends; `OSError` when another has it, or the file system has no locks.

    Without `wait` at once; with it on Windows after ten seconds. Nothing is locked where a system has no locks.
    """
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    elif msvcrt and not isinstance(file, int):  # folders are not locked there
        place = file.tell()
        file.seek(LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(place)


@contextmanager
def start_deaf() -> Iterator[None]:
    """Start processes within that never hear Ctrl-C, not even while they import, where signals can be held back.

    A process inherits which signals are. The resource tracker, which multiprocessing starts beside the first process, would let
    them through again: it is started before. On Windows processes call `ignore_interrupt` as soon as they run.
    """
    hold = getattr(signal, "pthread_sigmask", None)
    if hold is None:
        yield
        return
    import_module("multiprocessing.resource_tracker").ensure_running()
    before = hold(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        hold(signal.SIG_SETMASK, before)


def ignore_interrupt() -> None:
    """Ignore Ctrl-C from here on, in a process that could not be started deaf."""
    if not hasattr(signal, "pthread_sigmask") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def interrupt_group() -> int | None:
    """Return the process group that keeps Ctrl-C from a child, as `subprocess` takes it; None where there are no groups."""
    return None if WINDOWS else 0


def wait_for(queue: "SimpleQueue[int]") -> int:
    """Return the next item; on Windows, where no signal interrupts waiting, look again and again."""
    if not WINDOWS:
        return queue.get()
    while True:
        with suppress(Empty):
            return queue.get(timeout=GLANCE)


def was_killed(code: int | None) -> bool:
    """Return whether an exit code says that the system killed a process, most often for want of memory."""
    return code is not None and hasattr(signal, "SIGKILL") and code == -signal.SIGKILL


def was_stopped_for_time(code: int) -> bool:
    """Return whether an exit code says that a process had used up its processor time."""
    return hasattr(signal, "SIGXCPU") and code == -signal.SIGXCPU


def describe_signal(code: int) -> str | None:
    """Return the name of the signal that ended a process; None if none did."""
    if code >= 0:  # Windows: the number of an exception is an exit code
        return None
    known = {int(each): each.name for each in signal.Signals}
    return known.get(-code, f"signal {-code}")


def limit_process(memory: int | None, seconds: float | None, *, files: bool = True) -> None:
    """Limit this process: address space in all [bytes], processor time in all [s], and with `files` False no files written.

    Within the limits it was started with. Windows has none of these, macOS does not enforce the first.
    """
    if resource is None:
        return
    wanted = {resource.RLIMIT_AS: memory, resource.RLIMIT_CPU: seconds}
    wanted |= {} if files else {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0}  # not even its memory after a crash
    for kind, value in wanted.items():
        if value is not None:
            most = resource.getrlimit(kind)[1]
            whole = -int(-value // 1)
            resource.setrlimit(kind, (whole if most == resource.RLIM_INFINITY else min(whole, most), most))


def measure_address_space() -> int:
    """Return the bytes of address space of this process; 0 where the system does not tell."""
    with suppress(OSError, AttributeError, ValueError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def measure_memory() -> int | None:
    """Return the memory of this machine [bytes]; None where the system does not tell."""
    with suppress(OSError, AttributeError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def own_user() -> int | None:
    """Return the number of the user of this process; None where users have none."""
    return os.getuid() if hasattr(os, "getuid") else None


def free_standard_streams() -> None:
    """Let standard streams show what their encoding has no character for as `\\xb1`: consoles of Windows lack many."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure and (stream.encoding or "").lower().replace("-", "") != "utf8":
            reconfigure(errors="backslashreplace")


def quote_words(*words: str) -> str:
    """Join the words of a command as this system's shell reads them."""
    return subprocess.list2cmdline(words) if WINDOWS else shlex.join(words)


def count_cores() -> int:
    """Count the cores this process may use, which a container can make fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def install_line(extra: str) -> str:
    """Return the line that installs an extra into this Python, from the checkout if it runs from one."""
    python, pip, checkout = Path(sys.executable), shutil.which("pip"), find_checkout()
    own = pip is not None and Path(pip).parent == python.parent  # an active environment: its pip is the first on the path
    command = ["pip"] if own else [seen_from_here(python), "-m", "pip"]
    if checkout is None:
        return quote_words(*command, "install", f"anastylosis[{extra}]")
    return quote_words(*command, "install", "-e", f"{seen_from_here(checkout)}[{extra}]")


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
