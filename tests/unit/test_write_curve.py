"""`tools/write_curve_table.py`: the page has the table of the committed numbers."""


def test_the_page_is_current(open_tool) -> None:
    tool = open_tool("write_curve_table")
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.render_page(page) == page


def test_a_line_a_training(open_tool) -> None:
    tool = open_tool("write_curve_table")
    rows = [
        {
            "preset": "assign", "episodes": n, "learned_from": n - 1, "split": split,
            "head": tool.HEADS[metric], "metric": metric, "value": 0.5, "low": 0.25, "high": 0.75,
        }
        for n in (1500, 3000)
        for split, metric in tool.COLUMNS
    ]  # fmt: skip
    lines = tool.render_curve({"epochs": 7, "rows": rows}).splitlines()
    assert lines[0] == "Each trained for 7 epochs."
    assert [line.count("|") for line in lines[2:]] == [10] * 4
    assert lines[4].startswith("| `assign` | 1,500 | 1,499 | 0.500 (0.250-0.750) | 0.500 (0.250-0.750) |")
