"""Lines about a compilation: which kernels, how many of how many; and parts that are compiled side by side."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest

from anastylosis import kernel as kernels
from anastylosis.errors import InvalidInput
from anastylosis.kernel import (
    CompilationLines,
    announce_compilation,
    compile_for,
    entry,
    follow_compilation,
    kernel,
    list_kernels,
)
from anastylosis.kernel_cache import KERNEL_ROOMS, PARTS, compile_kernels, warm_part
from anastylosis.physics import compilation


@kernel
def halve(value):
    return value / 2


@kernel
def quarter(value):
    return halve(halve(value))


@entry
def eighth(value):
    return halve(quarter(value))


def test_the_kernels_of_an_entry_are_all_that_it_calls() -> None:
    assert {each.__name__ for each in list_kernels([eighth])} == {"eighth", "quarter", "halve"}
    assert {each.__name__ for each in list_kernels([eighth], without=[quarter])} == {"eighth"}
    assert list_kernels([len]) == set()  # in the CUDA simulator kernels are plain functions


def test_the_step_needs_both_parts() -> None:
    parts = list_kernels([*compilation.CONTACTS, *compilation.SOLVERS])
    whole = list_kernels([compilation.advance])
    assert parts < whole
    assert len(parts) > len(whole) / 2  # what is compiled side by side is most of it


def test_lines_say_how_far_it_is(caplog, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "LINE_EVERY", 0.0)
    functions = [each.py_func for each in (halve, quarter)]
    lines = CompilationLines("test kernels", set(functions))
    with caplog.at_level(logging.WARNING):
        for function in (*functions, functions[0]):  # a second version of the first
            happened = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})
            lines.on_start(happened)
            lines.on_end(happened)
    begin = "compiling test kernels, once for this version: "
    assert caplog.messages == [f"{begin}{count} of 2 kernels" for count in (0, 1, 2)]


def test_lines_come_now_and_then(caplog) -> None:
    functions = {each.py_func for each in (halve, quarter, eighth)}
    lines = CompilationLines("test kernels", functions)
    with caplog.at_level(logging.WARNING):
        for function in list(functions):
            happened = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})
            lines.on_start(happened)
            lines.on_end(happened)
    assert [line.rpartition(": ")[2] for line in caplog.messages] == ["0 of 3 kernels", "3 of 3 kernels"]


def test_what_is_followed_is_not_announced_too(caplog, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "is_compiled", lambda room: False)
    announce_compilation.cache_clear()
    with caplog.at_level(logging.WARNING):
        with follow_compilation("test kernels", eighth):
            announce_compilation("nothing", "long")
        assert caplog.messages == []
        announce_compilation.cache_clear()
        announce_compilation("nothing", "long")
        assert caplog.messages == ["compiling the nothing kernels, once for this version: long ..."]
    announce_compilation.cache_clear()


def test_a_kernel_is_compiled_for_its_arguments_without_being_run() -> None:
    compile_for(eighth, 1.0)
    assert len(eighth.signatures) == 1
    assert eighth(8.0) == 1.0
    assert len(eighth.signatures) == 1  # the same types: nothing new


def test_parts_come_before_what_puts_them_together(monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.kernel_cache.is_compiled", lambda room: False)
    calls = []

    def execute(do, jobs):
        calls.append(list(jobs))
        return iter([(job, None) for job in jobs])

    compile_kernels(execute)
    assert calls == [[("physics", part) for part in PARTS["physics"]], [(room, None) for room in KERNEL_ROOMS]]
    monkeypatch.setattr("anastylosis.kernel_cache.is_compiled", lambda room: True)
    compile_kernels(execute)
    assert len(calls) == 2


@pytest.mark.parametrize("part", PARTS["physics"])
def test_a_part_is_kept_on_disk_for_the_step(part: str) -> None:
    warm_part(("physics", part))
    entries = compilation.CONTACTS if part == "contacts" else compilation.SOLVERS
    assert all(len(each.signatures) == 1 for each in entries)
    assert all(compilation.is_kept(each) for each in entries)
    assert all(Path(each.stats.cache_path).is_dir() for each in entries)


def test_there_is_no_other_part() -> None:
    with pytest.raises(InvalidInput, match="choose one of contacts, solvers"):
        warm_part(("physics", "friction"))
