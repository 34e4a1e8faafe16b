"""Soak the page: visitors who come and go, upload, begin reconstructions and stop them. Measures the memory of the server.

    python tools/soak_page.py                            # 20 visitors at a time, 200 uploads: two minutes on two idle cores
    python tools/soak_page.py --visitors 10 --uploads 20 --warm 10

Fails when memory grows by more than a tenth from the upload `--warm` on, when a folder of a visitor is left, or when a visitor
does not get what it waits for. The first `--warm` uploads come to their end before the others begin, so that every net is
loaded. Memory is what the server holds of its own (RSS of anonymous pages), its workers apart.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from page_client import PageClient

GROWTH_MAX = 0.10
PATIENCE = 180.0  # [s] for an answer of the page, when all visitors ask at once
WORK = 900.0  # [s] for a reconstruction, behind those of the others
FINISHED, FIRST = 50, 10  # one in so many uploads is reconstructed to the end, from this one on
HYPOTHESES = 1  # proposals that are let fall again
STAY = 10  # uploads of a visitor before the next one comes
SERVE = "from anastylosis.cli import main; main()"
EXAMPLES = Path(__file__).parents[1] / "src" / "anastylosis" / "examples"
FILES = {"survey.csv": "a survey", "debris.png": "a picture"}  # what is given, and what the page says it is


class Soaked(NamedTuple):
    """What came of it."""

    memory: list[float]  # [MB] of the server, after each upload
    warm: int  # uploads before memory counts
    finished: int  # reconstructions that were not stopped
    left: list[str]  # folders
    code: int  # exit code of the server
    seconds: float

    @property
    def growth(self) -> float:
        """Return the share by which memory grew: the median of the last quarter beside that of the first after warming."""
        counted = self.memory[self.warm :]
        quarter = max(len(counted) // 4, 1)
        return median(counted[-quarter:]) / median(counted[:quarter]) - 1


class Crowd:
    """Visitors at a time, each in a thread of its own, until all uploads are done."""

    def __init__(self, address: str, process: int, visitors: int, first: int, uploads: int, finish: bool) -> None:
        """They give the uploads from `first` to `uploads`; `finish`: a few are reconstructed to the end."""
        self.address, self.process, self.uploads, self.finish = address, process, uploads, finish
        self.lock = threading.Lock()
        self.begun, self.finished = first, 0
        self.memory: list[float] = []
        self.trouble: list[str] = []
        self.threads = [threading.Thread(target=self.visit, args=(number,), daemon=True) for number in range(visitors)]

    def run(self) -> "Crowd":
        """Let them come; return when all have left."""
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()
        if self.trouble:
            raise SystemExit("\n".join(self.trouble))
        return self

    def take_number(self) -> int | None:
        """The number of the next upload; None: there are enough, or something went wrong."""
        with self.lock:
            if self.begun == self.uploads or self.trouble:
                return None
            self.begun += 1
            return self.begun - 1

    def visit(self, visitor: int) -> None:
        """One after the other, in the same place."""
        try:
            while (number := self.take_number()) is not None:
                with PageClient(self.address) as client:
                    client.wait_for("Nothing is given yet.", PATIENCE)
                    for _ in range(STAY):
                        self.upload(client, number)
                        if (number := self.take_number()) is None:
                            return
                    self.upload(client, number)
        except Exception as error:
            self.trouble.append(f"visitor {visitor}: {type(error).__name__}: {error}")

    def upload(self, client: PageClient, number: int) -> None:
        """Give a file, begin its reconstruction, and stop it; wait for the end of a few."""
        name = list(FILES)[number % 4 == 3]
        client.upload(f"{number}-{name}", (EXAMPLES / name).read_bytes())
        client.wait_for(f"{number}-{name}</b>: {FILES[name]}", PATIENCE)
        client.press("Reconstruct", PATIENCE)
        client.find("Stop", seconds=PATIENCE)
        if self.finish and number % FINISHED == FIRST:
            client.wait_for("Done. See the scene", WORK)
            self.finished += 1
        else:
            time.sleep(0.1 * (number % 7))  # while it waits in the line, or is being made
            client.press("Stop", PATIENCE)
            client.wait_for("Stopped", PATIENCE)
        with self.lock:
            self.memory.append(measure_memory(self.process))


def measure_memory(process: int) -> float:
    """Return the anonymous memory [MB] of a process: not files that are mapped, nor its children."""
    told = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in told.splitlines() if line.startswith("RssAnon:")) / 1024


def soak(visitors: int, uploads: int, warm: int, folder: Path, finish: bool = True) -> Soaked:
    """Start a page in this folder, send visitors, and end it."""
    began = time.monotonic()
    words = [sys.executable, "-c", SERVE, "serve", "--port", "0", "--no-browser", "--hypotheses", str(HYPOTHESES)]
    environment = os.environ | {"TMPDIR": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as page:
        try:
            assert page.stdout is not None
            address = page.stdout.readline().split()[0]
            crowds = [Crowd(address, page.pid, visitors, *part, finish).run() for part in ((0, warm), (warm, uploads))]
            left = wait_for_no_visitor(folder)
        finally:
            page.send_signal(signal.SIGTERM)
            page.communicate(timeout=60)
    left += [str(path) for path in folder.glob("anastylosis-*")]
    memory, finished = [each for crowd in crowds for each in crowd.memory], sum(crowd.finished for crowd in crowds)
    return Soaked(memory, warm, finished, left, page.returncode, time.monotonic() - began)


def wait_for_no_visitor(folder: Path, seconds: float = 30.0) -> list[str]:
    """Return folders of visitors that are still there when they all have left."""
    end = time.monotonic() + seconds
    while (left := [str(path) for path in folder.glob("anastylosis-page-*/visitor-*")]) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=20, help="at a time")
    parser.add_argument("--uploads", type=int, default=200)
    parser.add_argument("--warm", type=int, default=50, help="uploads before memory counts")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        done = soak(given.visitors, given.uploads, given.warm, Path(folder))
    for at in range(0, len(done.memory), max(len(done.memory) // 20, 1)):
        print(f"upload {at + 1:4d}: {done.memory[at]:7.1f} MB")
    print(f"{len(done.memory)} uploads, {done.finished} reconstructions finished, {done.seconds:.0f} s, exit code {done.code}")
    print(f"memory from upload {done.warm} on: {100 * done.growth:+.1f} % ({max(done.memory):.0f} MB at most)")
    print(f"folders left: {len(done.left)}", *done.left, sep="\n")
    if done.growth > GROWTH_MAX or done.left or done.code != 143:
        sys.exit(1)


if __name__ == "__main__":
    main()
