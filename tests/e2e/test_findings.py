"""What `anastylosis reconstruct` prints of its proposals: no two lines look alike, and no list ends without saying so."""

from anastylosis.report.reconstruction.findings import list_proposals
from anastylosis.report.reconstruction.naming import name_some

MANY = [f"L{layer:02}_0" for layer in range(10)]


def make_proposal(*removed: str) -> dict:
    return {"removed": list(removed), "pull": None}


def test_long_lists_are_told_apart() -> None:
    shared, *lines = list_proposals([make_proposal(*MANY, "L11_0"), make_proposal(*MANY, "L12_0"), make_proposal(*MANY)], 3)
    assert shared == f"  these 3       empty: {', '.join(MANY)}"
    assert [line.split("and empty: ")[1] for line in lines] == ["L11_0", "L12_0", "no other"]


def test_short_lists_and_single_ones_are_whole() -> None:
    lines = list_proposals([make_proposal("L01_0", "L02_0"), make_proposal()], 3)
    assert [line.split("  empty: ")[1] for line in lines] == ["L01_0, L02_0", "none"]
    (line,) = list_proposals([make_proposal(*MANY)], 3)
    assert line.endswith(f"  empty: {', '.join(MANY)}")


def test_some_names_and_how_many_more() -> None:
    assert name_some(MANY[:3], 2) == "L00_0, L01_0, L02_0"
    assert name_some(MANY, 2) == "L00_0, L01_0 and 8 more"
