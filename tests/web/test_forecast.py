"""What stands under the pictures of the comparison."""

from anastylosis.web.findings import Finding
from anastylosis.web.forecast import name_story
from anastylosis.web.words import Words


def test_the_comparison_says_what_it_shows(finding: Finding) -> None:
    first = finding.choose(0)._replace(fell=True)
    told = [first, first._replace(fell=False), first._replace(trial=None)]
    assert first.trial is not None
    assert [Words("en")(name_story(each), rank=1) for each in told] == [
        "Proposal 1, fallen again", "Proposal 1: did not fall again", "A simulated fall that looks alike",
    ]  # fmt: skip
