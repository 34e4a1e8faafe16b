"""`tools/write_ablation_table.py`: the page has the table of the committed numbers."""


def test_the_page_is_current(open_tool) -> None:
    tool = open_tool("write_ablation_table")
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.render_page(page) == page


def test_a_line_a_training(open_tool) -> None:
    tool = open_tool("write_ablation_table")
    rows = [
        {"split": split, "metric": metric, "value": 0.5, "low": 0.25, "high": 0.75}
        for split in tool.TRIALS
        for metric in tool.METRICS
    ]
    lines = tool.render_ablation({"plain": rows, "other": rows}).splitlines()
    assert [line for line in lines if line.startswith("**")] == [f"**{name}**" for name in tool.TRIALS.values()]
    assert [line.startswith("| plain | 0.50 (0.25-0.75) |") for line in lines].count(True) == 3
    assert {line.count("|") for line in lines if line.startswith("|")} == {5}
