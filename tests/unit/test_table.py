"""Rows and documents on stdout."""

import json

import numpy as np

from anastylosis.cli.table import print_json, print_rows


def test_rows_are_tab_separated_off_a_terminal(capsys) -> None:
    print_rows([{"name": "drift", "value": 0.123456789, "passed": True}, {"name": "tilt", "value": None, "passed": False}])
    assert capsys.readouterr().out == "name\tvalue\tpassed\ndrift\t0.123457\tyes\ntilt\t-\tno\n"


def test_no_rows_print_nothing(capsys) -> None:
    print_rows([])
    assert capsys.readouterr().out == ""


def test_json_takes_numpy_and_turns_nan_into_null(capsys) -> None:
    print_json({"rows": [{"a": np.float64(1.5), "b": np.bool_(True), "c": float("nan"), "d": np.int64(3), "e": float("inf")}]})
    assert json.loads(capsys.readouterr().out) == {"rows": [{"a": 1.5, "b": True, "c": None, "d": 3, "e": None}]}
