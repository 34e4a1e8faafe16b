"""The workshop: so much at a time, in the order in which it was asked for, and nothing for who has left."""

import threading

import pytest

from anastylosis.web.workshop import WAITING, Order, Workshop


@pytest.fixture
def shop():
    shop = Workshop(1, 1, "test")
    yield shop
    shop.close()


def test_orders_are_done_in_their_order_and_those_in_line_are_told(shop: Workshop) -> None:
    begun, go, over, done, told = threading.Event(), threading.Event(), threading.Event(), [], []
    shop.ask(Order(do=lambda execute, tell: (begun.set(), go.wait(10)), finish=lambda result: done.append("first")))
    assert begun.wait(10)
    shop.ask(
        Order(
            do=lambda execute, tell: "second", finish=lambda result: (done.append(result), over.set()),
            progress=lambda *said: told.append(said),
        )
    )  # fmt: skip
    go.set()
    assert over.wait(10)
    assert done == ["first", "second"]
    assert told[0] == (WAITING, 1, 1)
    assert told[-1] == (WAITING, 0, 0)


def test_nobody_hears_of_the_line_after_their_work_began(shop: Workshop) -> None:
    begun, go, over, told = threading.Event(), threading.Event(), threading.Event(), []

    def hear(what: str, place: int, total: int) -> None:
        if place:  # the place becomes free while this is being told
            go.set()
            over.wait(0.5)
        told.append(place)

    shop.ask(Order(do=lambda execute, tell: (begun.set(), go.wait(10))))
    assert begun.wait(10)
    shop.ask(Order(do=lambda execute, tell: None, progress=hear, finish=lambda result: (told.append("done"), over.set())))
    assert over.wait(10)
    assert told == [1, 0, "done"]


def test_a_page_that_cannot_be_told_ends_nothing(shop: Workshop) -> None:
    """viser raises when a control that was removed is written to; whoever else waits must not suffer from it."""
    go, over = threading.Event(), threading.Event()

    def broken(*said: object) -> None:
        raise RuntimeError("removed")

    shop.ask(Order(do=lambda execute, tell: go.wait(10)))
    shop.ask(Order(do=lambda execute, tell: None, progress=broken))
    shop.ask(Order(do=lambda execute, tell: None, finish=lambda result: over.set()))
    go.set()
    assert over.wait(10)


def test_what_goes_wrong_is_told_and_the_next_order_is_done(shop: Workshop) -> None:
    failed, over = [], threading.Event()

    def break_down(execute, tell):
        raise ValueError("no")

    shop.ask(Order(do=break_down, fail=failed.append))
    shop.ask(Order(do=lambda execute, tell: None, finish=lambda result: over.set()))
    assert over.wait(10)
    assert [str(error) for error in failed] == ["no"]


def test_work_ends_when_its_visitor_leaves(shop: Workshop) -> None:
    left, begun, over, steps = threading.Event(), threading.Event(), threading.Event(), []

    def work(execute, tell):
        for step in range(1000):
            tell("work", step, 1000)
            steps.append(step)
            begun.set()
            left.wait(10)

    shop.ask(Order(do=work, left=left))
    shop.ask(Order(do=lambda execute, tell: None, finish=lambda result: over.set()))
    assert begun.wait(10)
    left.set()
    assert over.wait(10)
    assert len(steps) == 1


def test_who_leaves_the_line_is_never_served(shop: Workshop) -> None:
    go, over, served = threading.Event(), threading.Event(), []
    gone = Order(do=lambda execute, tell: served.append(1))
    shop.ask(Order(do=lambda execute, tell: go.wait(10)))
    shop.ask(gone)
    gone.left.set()
    shop.ask(Order(do=lambda execute, tell: None, finish=lambda result: over.set()))
    go.set()
    assert over.wait(10)
    assert served == []


def test_closing_tells_whether_all_has_ended() -> None:
    shop, busy, begun, go = Workshop(2, 1, "quiet"), Workshop(1, 1, "busy"), threading.Event(), threading.Event()
    assert shop.close() is True
    busy.ask(Order(do=lambda execute, tell: (begun.set(), go.wait(60))))
    assert begun.wait(10)
    assert busy.close() is False
    go.set()
    assert busy.close() is True
