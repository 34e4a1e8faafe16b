"""`tools/write_limits_table.py`: the page has the table of the committed numbers, and every case has one."""

import math


def test_the_page_is_current(open_tool) -> None:
    tool = open_tool("write_limits_table")
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.render_page(page) == page


def test_every_case_is_measured(open_tool) -> None:
    tool = open_tool("write_limits_table")
    page = tool.PAGE.read_text(encoding="utf-8")
    for limit in tool.LIMITS:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {limit.case} |")]
        shown = [words.split("{}")[0].strip() for words, _ in limit.measured if f"{words.split('{}')[0]}" in row]
        assert shown, limit.case


def test_a_number_is_shown_with_its_interval_or_alone(open_tool) -> None:
    tool = open_tool("write_limits_table")
    key = ("s", "doubt", "said", "assign")
    limit = tool.Limit("case", "says", (("said {}", key), ("never measured {}", ("x", "y", "z", "w"))))
    row = {"value": 0.5, "low": 0.25, "high": 0.75}
    assert list(tool.render_measured(limit, {key: row})) == ["said 0.50 (0.25-0.75)"]
    assert list(tool.render_measured(limit, {key: row | {"low": math.nan, "high": math.nan}})) == ["said 0.50"]


def test_rows_are_those_of_evaluate(open_tool) -> None:
    """Each number has a split that `evaluate` or `evaluate-reconstruction` writes."""
    from anastylosis.report.evaluation import SURVEYS

    tool = open_tool("write_limits_table")
    splits = {key[0] for limit in tool.LIMITS for _, key in limit.measured}
    assert splits <= {*SURVEYS, "test"}
