"""Session of a model from elsewhere: onnxruntime in a process of its own, with limits of memory and time.

What such a file does to onnxruntime, it does there: the process dies, is ended, and the owner says so in one line.
"""

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.machine import describe_signal, interrupt_group, was_stopped_for_time
from anastylosis.models.foreign_message import read_message, write_message

MODULE = "anastylosis.models.foreign_process"
ANSWER_MAX = 500_000_000  # bytes of all outputs of one run


@dataclass(frozen=True, kw_only=True)
class ForeignLimits:
    """Limits of one request: to open a file, or to run it."""

    memory: int = 1_000_000_000  # [bytes] of address space, beyond what the process has before it opens a file
    memory_for_file: int = 8  # [bytes] more for each byte of the file
    memory_for_input: int = 32  # and for each byte of the inputs: nets of ours take up to 32
    memory_for_thread: int = 100_000_000
    seconds: float = 10.0  # of processor time, for each thread
    input_per_second: float = 10e6  # [bytes] of the inputs, for which there is a second more
    patience: float = 6.0  # times as much may pass by the clock: a machine has other things to do

    def find_memory(self, file: int, given: int, threads: int) -> int:
        """Return the bytes for a file and inputs of so many bytes."""
        return self.memory + self.memory_for_file * file + self.memory_for_input * given + self.memory_for_thread * threads

    def find_seconds(self, given: int, threads: int) -> float:
        """Return the processor time for inputs of so many bytes."""
        return (self.seconds + given / self.input_per_second) * threads


LIMITS = ForeignLimits()
DYING = 1.0  # [s] for which the pipes of a process may be closed before it is gone


class End(NamedTuple):
    """One input or output of a net."""

    name: str
    type: str
    shape: list[int | str | None]


class ForeignProcess:
    """A process that opens files of one origin, one after the other. It ends with this object, and with Ctrl-C."""

    def __init__(self, limits: ForeignLimits = LIMITS) -> None:
        self.limits, self.opened, self.problem, self.late = limits, 0, "", False
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE],  # -P: else modules of the folder that the user is in come first
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
            process_group=interrupt_group(),  # Ctrl-C is for the owner, who ends it
        )  # fmt: skip
        weakref.finalize(self, end_process, self.process, os.getpid())

    def ask(
        self, words: Mapping[str, Any], arrays: Sequence[NDArray[Any]], *, memory: int, seconds: float
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Return the answer to one message; raise when there is none within the limits."""
        with self.lock:
            if self.problem:
                raise InvalidInput(self.problem)
            timer = threading.Timer(self.limits.patience * seconds, self.stop_late)
            timer.daemon = True
            timer.start()
            try:
                return self.exchange({"memory": memory, "seconds": seconds}, words, arrays)
            except (EOFError, BrokenPipeError) as error:
                self.problem = self.describe_end(seconds)
                raise InvalidInput(self.problem) from error
            except BaseException as error:  # not a message, or Ctrl-C: what is asked next would get this answer
                end_process(self.process, os.getpid())
                self.problem = str(error) if isinstance(error, ValueError) else "its process was stopped"
                if isinstance(error, ValueError):
                    raise InvalidInput(self.problem) from error
                raise
            finally:
                timer.cancel()

    def exchange(
        self, limits: Mapping[str, float], words: Mapping[str, Any], arrays: Sequence[NDArray[Any]]
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Send limits and a message, and read the answer."""
        given, answers = self.process.stdin, self.process.stdout
        assert isinstance(given, FileIO)
        assert isinstance(answers, FileIO)
        write_message(given, limits)
        write_message(given, words, arrays)
        return read_message(answers, ANSWER_MAX)

    def stop_late(self) -> None:
        """End the process, which has not answered in time."""
        self.late = True
        self.process.kill()

    def describe_end(self, seconds: float) -> str:
        """Describe why there is no answer."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(DYING)
        code = end_process(self.process, os.getpid())
        if self.late or was_stopped_for_time(code):
            return f"it takes more than {seconds:,.0f} s, and was stopped"
        if name := describe_signal(code):
            return f"its process died of {name}: it is damaged, too large, or made to do harm"
        return f"its process ended with exit code {code}"


def end_process(process: "subprocess.Popen[bytes]", owner: int) -> int:
    """End a process, whatever it is doing, and return its exit code; a copy of its owner (a fork) leaves it alone."""
    if os.getpid() != owner:
        return 0
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    process.kill()
    return process.wait()


class ForeignSession:
    """A session that is used as one of onnxruntime is."""

    def __init__(self, data: bytes, threads: int, process: ForeignProcess | None = None) -> None:
        self.process = process or ForeignProcess()
        self.size, self.threads = len(data), threads
        limits = self.process.limits
        found, _ = self.process.ask(
            {"threads": threads}, [np.frombuffer(data, np.uint8)],
            memory=limits.find_memory(self.size, 0, threads), seconds=limits.find_seconds(0, threads),
        )  # fmt: skip
        if "not_text" in found:
            raise InvalidInput("its names or its description are not text")
        if "error" in found:
            raise RuntimeError(found["error"])
        self.process.opened += 1
        self.number = self.process.opened
        self.inputs, self.outputs = ([End(*end) for end in found[name]] for name in ("inputs", "outputs"))

    def get_inputs(self) -> list[End]:
        """Return the inputs of the net."""
        return self.inputs

    def get_outputs(self) -> list[End]:
        """Return the outputs of the net."""
        return self.outputs

    def run(self, outputs: Sequence[str] | None, given: Mapping[str, Any]) -> list[NDArray[Any]]:
        """Return the named outputs, or all, for these inputs of floats."""
        if self.number != self.process.opened:
            raise RuntimeError("its process has opened another file since")
        names = [end.name for end in self.outputs] if outputs is None else list(outputs)
        arrays = [np.asarray(part, np.float32) for part in given.values()]
        size, limits = sum(part.nbytes for part in arrays), self.process.limits
        found, answers = self.process.ask(
            {"inputs": list(given), "outputs": names}, arrays,
            memory=limits.find_memory(self.size, size, self.threads), seconds=limits.find_seconds(size, self.threads),
        )  # fmt: skip
        if "error" in found:
            raise RuntimeError(found["error"])
        if len(answers) != len(names) or any(each.dtype != np.float32 for each in answers):
            raise RuntimeError("its process answers with other outputs")
        return answers
