"""Target offer: the sheet to print that tells the camera of a photograph, in the paper that the visitor has."""

from collections.abc import Callable
from pathlib import Path

import viser

from anastylosis.detection import Target
from anastylosis.web.words import Translator


def offer_target(gui: viser.GuiApi, words: Translator, on_paper: Callable[[str], None]) -> viser.GuiButtonGroupHandle:
    """Offer a button a paper; `on_paper` hears which."""
    papers = {words(f"paper_{paper}"): paper for paper in Target.list_papers()}
    group = gui.add_button_group(words("target"), tuple(papers), hint=words("target_hint"))
    group.on_click(lambda event: on_paper(papers[group.value]))
    return group


def draw_sheet(folder: Path, paper: str) -> Path:
    """Draw the sheet as a file of a folder, once. Needs the extra `photo`."""
    path = folder / f"target-{paper}.pdf"
    if not path.exists():
        Target.choose(paper).draw(path)
    return path
