"""Sizes of blocks in words."""

import pytest

from anastylosis.errors import AnastylosisError
from anastylosis.structure import BLOCK_SIZE, SHOP_BLOCK_SIZE, read_block_size


@pytest.mark.parametrize(
    "words",
    [
        "jenga",
        " Jenga ",
        "75x25x15mm",
        "75 x 25 x 15 mm",
        "75,25,15",
        "7.5x2.5x1.5cm",
        "0.075x0.025x0.015m",
        "15×25×75",
        "25x75x15MM",
    ],
)
def test_one_size_in_many_words(words) -> None:
    assert read_block_size(words) == pytest.approx(SHOP_BLOCK_SIZE)


def test_the_papers_size_has_its_exact_bits() -> None:
    assert read_block_size("paper") == BLOCK_SIZE


@pytest.mark.parametrize(
    "words", ["", "domino", "75x25", "75x25x15x3", "75x25x15in", "1e3x2x1", "-75x25x15", "9" * 5000, "0x0x0", "nanxnanxnan"]
)
def test_what_is_no_size_is_refused_in_one_line(words) -> None:
    with pytest.raises(AnastylosisError) as refused:
        read_block_size(words)
    assert len(str(refused.value)) < 250
    assert "\n" not in str(refused.value)
