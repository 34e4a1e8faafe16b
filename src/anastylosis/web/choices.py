"""Choices: parts of the page that a visitor clicks, drawn as HTML; viser has no cards, and no button that stays pressed."""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import viser

from anastylosis.web.script import run_script

SCRIPT = Path(__file__).with_name("choices.js")
TEXT_MAX = 40  # characters: "rank:7 123" has less


class Card(NamedTuple):
    """One proposal to choose."""

    choice: str
    picture: str  # data address; "": none
    title: str
    lines: Sequence[str]  # texts below it
    share: float = 0.0  # of the width, for the line that says how probable it is


class Choices:
    """A box that nobody sees, and that hears what is clicked: `hear` is given the kind and the value of the choice."""

    def __init__(self, client: viser.ClientHandle, hear: Mapping[str, Callable[[str], None]]) -> None:
        self.hear = hear
        self.box = client.gui.add_text("choice", "")
        self.box.on_update(lambda event: self.choose(self.box.value))
        run_script(client, f"const BOX = {json.dumps(self.box._impl.uuid)};\n{SCRIPT.read_text(encoding='utf-8')}")

    def choose(self, text: str) -> None:
        """Pass on a choice; what is none of ours is no choice."""
        kind, _, value = text[:TEXT_MAX].partition(" ")[0].partition(":")
        if kind in self.hear:
            self.hear[kind](value)


def draw_buttons(kind: str, names: Mapping[str, str], chosen: str, label: str) -> str:
    """Draw a group of buttons of which one is pressed, as HTML. `names`: value -> words."""
    buttons = "".join(
        f'<button type="button" data-choose="{kind}:{value}" aria-pressed="{str(value == chosen).lower()}" '
        f'style="padding:.55em .6em;font-weight:{600 if value == chosen else 400}">{escape(name)}</button>'
        for value, name in names.items()
    )
    style = "display:grid;grid-template-columns:1fr 1fr;gap:.4em;padding:.3em .8em;font-size:.9em"
    return f'<div role="group" aria-label="{escape(label)}" style="{style}">{buttons}</div>'


def draw_cards(cards: Sequence[Card], chosen: str, label: str) -> str:
    """Draw cards of which one is chosen, as HTML."""
    drawn, quiet = [], "font-size:.85em;line-height:1.3"
    for card in cards:
        picture = f'<img alt="" src="{card.picture}" style="width:100%;display:block;border-radius:.2em">' if card.picture else ""
        lines = "".join(f'<div style="overflow-wrap:break-word">{escape(line)}</div>' for line in card.lines)
        bar = f'<div style="height:3px;width:{100 * card.share:.0f}%;background:#c07a3e;margin:.15em 0"></div>'
        drawn.append(
            f'<button type="button" data-choose="{card.choice}" aria-pressed="{str(card.choice == chosen).lower()}" '
            f'style="padding:.3em;vertical-align:top;display:block">{picture}'
            f'<div style="font-weight:600">{escape(card.title)}</div>'
            f'{bar}<div style="{quiet}">{lines}</div></button>'
        )
    style = "display:grid;grid-template-columns:repeat(auto-fill,minmax(8.2em,1fr));gap:.4em;align-items:start;margin-top:.3em"
    return f'<div role="group" aria-label="{escape(label)}" style="{style}">{"".join(drawn)}</div>'
