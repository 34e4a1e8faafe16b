"""Process for models from elsewhere: opens a file with onnxruntime, runs it, and answers through its pipes, within limits.

`python -m anastylosis.models.foreign_process`, started by `foreign_session`. One file is open at a time.
"""

import os
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from anastylosis.machine import limit_process, measure_address_space
from anastylosis.models.foreign_message import read_message, write_message

SILENT = 4  # onnxruntime's own log: only what ends the process
ERROR_TEXT_MAX = 4000  # characters of an error
ANY = 1 << 50  # bytes that the owner may send: it has checked them


def open_onnxruntime(data: bytes, threads: int) -> Any:
    """Open a session of onnxruntime on these bytes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = SILENT
    options.add_session_config_entry("session.load_model_format", "ONNX")  # the one that was looked through
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    # Without "fallback": else it prints on stdout when it fails, and tries the same again.
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def main() -> None:
    """Answer messages until the pipe is closed."""
    given, answers = FileIO(0, closefd=False), FileIO(os.dup(1), "w")
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)  # what a library prints is no answer
    limit_process(None, None, files=False)
    begin, session = measure_address_space(), None
    with suppress(EOFError, BrokenPipeError):
        while True:
            limits, _ = read_message(given, 0)
            limit_process(begin + limits["memory"] if begin else None, time.process_time() + limits["seconds"])
            words, arrays = read_message(given, ANY)
            reply: dict[str, Any] = {}
            found: list[Any] = []
            try:
                if "threads" in words:
                    session = None  # before the next one takes memory
                    session = open_onnxruntime(arrays.pop().tobytes(), words["threads"])
                    reply = describe_ends(session)
                elif session is not None:
                    found = session.run(words["outputs"], dict(zip(words["inputs"], arrays, strict=True)))
                    found = [np.asarray(each, np.float32) for each in found]
            except Exception as error:  # onnxruntime's errors have no class in common but this
                reply, found = describe_error(error), []
            write_message(answers, reply, found)


def describe_ends(session: Any) -> dict[str, Any]:
    """Describe the inputs and outputs of a file: name, type and shape of each."""
    try:
        return {
            "inputs": [[each.name, each.type, list(each.shape or [])] for each in session.get_inputs()],
            "outputs": [[each.name, each.type, list(each.shape or [])] for each in session.get_outputs()],
        }
    except UnicodeDecodeError:  # onnxruntime decodes names when they are asked for
        return {"not_text": True}


def describe_error(error: Exception) -> dict[str, Any]:
    """Describe an error for the owner of this process."""
    return {"error": "it needs too much memory" if isinstance(error, MemoryError) else str(error)[:ERROR_TEXT_MAX]}


if __name__ == "__main__":
    main()
