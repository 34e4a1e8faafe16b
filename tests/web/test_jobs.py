"""The job queue: a limited number at a time, in the order asked for, and nothing for who has left."""

import threading

import pytest

from anastylosis.web.jobs import WAITING, JobQueue, QueuedJob


@pytest.fixture
def queue():
    queue = JobQueue(1, 1, "test")
    yield queue
    queue.close()


def test_jobs_are_done_in_their_order_and_those_in_line_are_told(queue: JobQueue) -> None:
    begun, go, over, done, told = threading.Event(), threading.Event(), threading.Event(), [], []
    queue.ask(QueuedJob(do=lambda execute, progress: (begun.set(), go.wait(10)), finish=lambda result: done.append("first")))
    assert begun.wait(10)
    queue.ask(
        QueuedJob(
            do=lambda execute, progress: "second", finish=lambda result: (done.append(result), over.set()),
            progress=lambda *said: told.append(said),
        )
    )  # fmt: skip
    go.set()
    assert over.wait(10)
    assert done == ["first", "second"]
    assert told[0] == (WAITING, 1, 1)
    assert told[-1] == (WAITING, 0, 0)


def test_nobody_hears_of_the_line_after_their_work_began(queue: JobQueue) -> None:
    begun, go, over, told = threading.Event(), threading.Event(), threading.Event(), []

    def hear(what: str, place: int, total: int) -> None:
        if place:  # the place becomes free while this is being told
            go.set()
            over.wait(0.5)
        told.append(place)

    queue.ask(QueuedJob(do=lambda execute, progress: (begun.set(), go.wait(10))))
    assert begun.wait(10)
    queue.ask(
        QueuedJob(do=lambda execute, progress: None, progress=hear, finish=lambda result: (told.append("done"), over.set()))
    )
    assert over.wait(10)
    assert told == [1, 0, "done"]


def test_a_page_that_cannot_be_told_ends_nothing(queue: JobQueue) -> None:
    """viser raises when a control that was removed is written to; whoever else waits must not suffer from it."""
    go, over = threading.Event(), threading.Event()

    def broken(*said: object) -> None:
        raise RuntimeError("removed")

    queue.ask(QueuedJob(do=lambda execute, progress: go.wait(10)))
    queue.ask(QueuedJob(do=lambda execute, progress: None, progress=broken))
    queue.ask(QueuedJob(do=lambda execute, progress: None, finish=lambda result: over.set()))
    go.set()
    assert over.wait(10)


def test_what_goes_wrong_is_told_and_the_next_job_is_done(queue: JobQueue) -> None:
    failed, over = [], threading.Event()

    def break_down(execute, progress):
        raise ValueError("no")

    queue.ask(QueuedJob(do=break_down, fail=failed.append))
    queue.ask(QueuedJob(do=lambda execute, progress: None, finish=lambda result: over.set()))
    assert over.wait(10)
    assert [str(error) for error in failed] == ["no"]


def test_work_ends_when_its_visitor_leaves(queue: JobQueue) -> None:
    left, begun, over, steps = threading.Event(), threading.Event(), threading.Event(), []

    def work(execute, progress):
        for step in range(1000):
            progress("work", step, 1000)
            steps.append(step)
            begun.set()
            left.wait(10)

    queue.ask(QueuedJob(do=work, left=left))
    queue.ask(QueuedJob(do=lambda execute, progress: None, finish=lambda result: over.set()))
    assert begun.wait(10)
    left.set()
    assert over.wait(10)
    assert len(steps) == 1


def test_who_leaves_the_line_is_never_served(queue: JobQueue) -> None:
    go, over, served = threading.Event(), threading.Event(), []
    gone = QueuedJob(do=lambda execute, progress: served.append(1))
    queue.ask(QueuedJob(do=lambda execute, progress: go.wait(10)))
    queue.ask(gone)
    gone.left.set()
    queue.ask(QueuedJob(do=lambda execute, progress: None, finish=lambda result: over.set()))
    go.set()
    assert over.wait(10)
    assert served == []


def test_closing_tells_whether_all_has_ended() -> None:
    queue, busy, begun, go = JobQueue(2, 1, "quiet"), JobQueue(1, 1, "busy"), threading.Event(), threading.Event()
    assert queue.close() is True
    busy.ask(QueuedJob(do=lambda execute, progress: (begun.set(), go.wait(60))))
    assert begun.wait(10)
    assert busy.close() is False
    go.set()
    assert busy.close() is True
