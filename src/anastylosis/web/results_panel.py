"""Results panel: shows a reconstruction in the 3-D scene, with the controls beside it."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import viser

from anastylosis.arrays import Floats
from anastylosis.assignment import UNASSIGNED
from anastylosis.reconstruction import Reconstruction
from anastylosis.report import PALETTE
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.units import metres_to_millimetres
from anastylosis.web.animations import Animation, animate_debris, animate_fall, animate_rebuild, animate_tower
from anastylosis.web.choices import Card, Choices, draw_buttons, draw_cards
from anastylosis.web.findings import Finding, stays_up
from anastylosis.web.paint import WAYS, draw_legend, paint_animation
from anastylosis.web.pictures import embed
from anastylosis.web.scene_view import PRESETS, SceneView
from anastylosis.web.thumbnails import find_differences
from anastylosis.web.timeline import Timeline
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.words import Translator, frame

VIEWS = ("fall", "tower", "rebuild", "debris")
LAYERS_ALL = 999
REACH = 0.5  # [m] what lies further from the middle than this, and than nine in ten, is not framed


@dataclass
class Choice:
    """Choices of the visitor on what to see; they survive a change of language."""

    view: str = "fall"
    rank: int = 0
    way: str = "wood"
    layers: tuple[int, int] = (0, LAYERS_ALL)
    preset: str = "corner"  # of the camera


class ResultsPanel:
    """The panel of one visitor."""

    def __init__(self, client: viser.ClientHandle, choice: Choice) -> None:
        self.client, self.choice = client, choice
        self.scene_view = SceneView(client, self.pick)
        self.lock = threading.RLock()
        self.finding: Finding | None = None
        self.animation: Animation | None = None
        self.played: Callable[[int], None] | None = None  # hears of clicks while a tower is played with
        self.moment = 0
        self.picked: int | None = None  # the block that was clicked
        self.waits = False  # what is chosen is not there yet; the scene shows what was before
        self.run = 0  # the way in which it will run when it is there

    def build(self, words: Translator, follow: Callable[[int], None], plan: Callable[[int], None]) -> None:
        """Make the controls. `follow` hears which proposal is looked at, and lets it fall; `plan` plans how it is rebuilt.
        Both work elsewhere, and call `refresh` when there is something to show."""
        gui, choice = self.client.gui, self.choice
        self.words, self.follow, self.plan = words, follow, plan
        self.ways = {words(f"way_{way}"): way for way in WAYS}
        self.presets = {words(f"camera_{preset}"): preset for preset in PRESETS}
        self.choices = Choices(self.client, {"view": self.choose_view, "rank": self.choose_rank})
        self.whose = gui.add_html("")
        self.modes = gui.add_html("", visible=False)
        self.leave = gui.add_button(words("leave_play"), visible=False)
        self.caption = gui.add_html(frame(words("stage_empty")))
        self.timeline = Timeline(gui, words, self.show_moment)
        self.ranking = gui.add_html("")
        self.way = gui.add_dropdown(words("way"), tuple(self.ways), initial_value=words(f"way_{choice.way}"), visible=False)
        self.legend = gui.add_html("")
        self.layers = gui.add_multi_slider(words("layers_shown"), 0, 1, 1, initial_value=(0, 1), visible=False)
        self.cameras = gui.add_button_group(words("camera"), tuple(self.presets), visible=False)
        self.about = gui.add_html("")
        self.leave.on_click(lambda event: self.open(self.finding))
        by_hand(self.way, lambda: self.choose(way=self.ways[self.way.value]))
        by_hand(self.layers, lambda: self.choose(layers=tuple(int(each) for each in self.layers.value)))
        self.cameras.on_click(lambda event: self.look(self.presets[self.cameras.value]))

    def open(self, finding: Finding | None, *, undo: bool = False) -> None:
        """Show a reconstruction as it is chosen to be seen; None: forget all that was. `undo`: run its fall backwards."""
        self.finding, self.played, self.picked = finding, None, None
        for handle in (self.whose, self.modes, self.ranking, self.way, self.layers, self.cameras):
            handle.visible = finding is not None
        self.leave.visible = False
        if finding is None:
            self.animation = None
            self.scene_view.empty()
            return
        key = "whose_example" if finding.given in EXAMPLES.values() else "whose"
        self.whose.content = frame(self.words(key, name=f"<b>{escape(finding.given.name)}</b>"))
        top = finding.found.assignment.courses - 1
        low, high = self.choice.layers
        self.choice.layers = min(low, top), min(high, top)
        self.layers.max, self.layers.value = top, self.choice.layers
        self.load(run=-1 if undo else 0)

    def draw_proposals(self, finding: Finding) -> str:
        """Draw the proposals as cards, as HTML: a small picture, how probable, whether it fell again, its empty slots."""
        words, shown = self.words, finding.proposals
        most = max((each.probability for each in shown if np.isfinite(each.probability)), default=1.0)
        cards = []
        for rank, each in enumerate(shown):
            empty = ", ".join(finding.found.name_slots(~each.state.filled)) or words("none")
            known = bool(np.isfinite(each.probability))
            picture = embed(finding.thumbnails[rank]) if rank < len(finding.thumbnails) else ""
            title = f"{rank + 1}. {each.probability:.0%}" if known else f"{rank + 1}."
            lines = [words("stays_up")] if stays_up(each) else []
            lines.append(f"{words('empty')}: {empty}")
            cards.append(Card(f"rank:{rank}", picture, title, lines, each.probability / most if known else 0.0))
        drawn = draw_cards(cards, f"rank:{self.choice.rank}", words("proposals"))
        notes, others = [words("cards_mean")], 1 - sum(each.probability for each in shown)
        if np.isfinite(others):
            notes.append(words("other_towers", chance=max(others, 0)))
        if len(finding.found.hypotheses) > len(shown):
            notes.append(words("listed", shown=len(shown), count=len(finding.found.hypotheses)))
        if stays_up(shown[0]):
            notes.insert(0, f"<b>{words('first_stays')}</b>")
        if any(map(stays_up, shown)):
            notes.append(words("stays_up_means"))
        notes.append(words("slot_names"))
        if len(shown) > 1:
            notes.append(words("outlines_mean"))
        said = "".join(f'<div style="opacity:.75;margin-top:.25em">{note}</div>' for note in notes)
        return f'<div style="font-weight:600">{words("proposals")}</div>{drawn}{said}'

    def draw_modes(self) -> str:
        """Draw what the scene can show, as HTML."""
        names = {view: self.words(f"view_{view}") for view in VIEWS}
        return draw_buttons("view", names, self.choice.view if self.played is None else "", self.words("view"))

    def choose(self, **chosen: object) -> None:
        """Show something else, as the visitor chose."""
        changed = {name: value for name, value in chosen.items() if getattr(self.choice, name) != value}
        for name, value in changed.items():
            setattr(self.choice, name, value)
        if changed.keys() & {"view", "rank"} or (self.played is not None and "view" in chosen):
            self.load(run=1)
        elif changed:
            self.repaint()
        if "rank" in changed:
            self.follow(self.choice.rank)

    def choose_view(self, view: str) -> None:
        """Show the scene in one of its modes; that of a tower that is played with has none."""
        if self.finding is not None and view in VIEWS:
            self.choose(view=view)

    def choose_rank(self, rank: str) -> None:
        """Look at another proposal."""
        if self.finding is not None and rank.isdecimal() and int(rank) < len(self.finding.proposals):
            self.choose(rank=int(rank))

    def look(self, preset: str) -> None:
        """Look from another side, now and at what is shown next."""
        self.choice.preset = preset
        self.scene_view.look(preset)

    def load(self, run: int = 0) -> None:
        """Show the animation that is chosen, and run it: forwards (1), backwards (-1) or not (0)."""
        finding, rank = self.finding, self.choice.rank
        if finding is None:
            return
        found = finding.found
        self.played = None
        self.waits = True  # until there is something to play; before it is asked for, so that no answer comes too early
        self.run = run
        for handle in (self.whose, self.modes, self.ranking, self.way, self.layers, self.cameras):
            handle.visible = True  # a tower may have been played with
        self.leave.visible = False
        self.modes.content, self.ranking.content = self.draw_modes(), frame(self.draw_proposals(finding))
        if self.choice.view == "debris":
            self.play(animate_debris(found, rank))
        elif self.choice.view == "tower":
            self.play(animate_tower(found, rank))
        elif self.choice.view == "rebuild":
            if rank in finding.plans:
                self.play(animate_rebuild(finding.plans[rank]), run=run)
            else:
                self.show_waiting()
                self.plan(rank)
        elif rank not in finding.stories:
            self.show_waiting()
        elif (story := finding.stories[rank]) is None:
            self.play(animate_tower(found, rank)._replace(captions=[("no_fall", {})]))
        else:
            self.play(animate_fall(found, rank, story, finding.find_falling()), run=run)

    def show_waiting(self) -> None:
        """Say that work is under way; the scene stays as it was and stands still."""
        self.timeline.pause()
        self.caption.content = frame(self.words("computing"))

    def is_shown(self, finding: Finding, view: str, rank: int) -> bool:
        """Return whether the scene shows this, or will once it is computed."""
        return self.finding is finding and self.played is None and (self.choice.view, self.choice.rank) == (view, rank)

    def refresh(self, finding: Finding, view: str, rank: int) -> None:
        """Load what the scene waited for."""
        with self.lock:  # nothing else comes on the scene between the question and the answer
            if self.waits and self.is_shown(finding, view, rank):
                self.load(run=self.run)

    def play_with(self, animation: Animation, picked: Callable[[int], None], *, run: bool, seen: bool = False) -> None:
        """Put something on the scene that is no reconstruction; `picked` hears of the blocks that are clicked.

        It is a tower to play with, or (`seen`) what lies in a survey that was given.
        """
        with self.lock:
            self.played = picked
        self.choice.layers = (0, LAYERS_ALL)
        # Blocks of a new tower are all as sure.
        for handle in (self.whose, self.modes, self.ranking, self.way, self.layers):
            handle.visible = False
        self.cameras.visible = True
        self.leave.visible = self.finding is not None
        self.play(animation, run=int(run), framed=not run)  # who pulls a block looks from where they like
        if seen:
            self.about.content = ""

    def play(self, animation: Animation, *, run: int = 0, framed: bool = True) -> None:
        """Put an animation on the scene, seen whole, and run it if asked: forwards (1) or backwards (-1) to how it stood."""
        with self.lock:
            self.animation, self.moment, self.picked, self.waits = animation, 0, None, False
            self.colours = paint_animation(animation, self.found, self.choice.way)
        self.ask_click()
        self.show_legend()
        if framed:
            self.frame_animation(animation)
        self.timeline.load(len(animation.scenes), animation.rate, len(animation.scenes) - 1 if run < 0 else animation.first)
        compared = self.found if self.choice.view == "tower" else None
        differing = np.zeros(0, np.int64) if compared is None else find_differences(compared, self.choice.rank)
        self.scene_view.show_differences(animation.scenes[0], differing)
        if run and len(animation.scenes) > 1:
            self.timeline.play(run, animation.first if run < 0 else None)

    def frame_animation(self, animation: Animation) -> None:
        """Turn the camera to all that an animation shows, from the side that the visitor chose."""
        scenes = [animation.scenes[number] for number in sorted({0, animation.first, len(animation.scenes) - 1})]
        self.scene_view.measure(*(keep_near(scene.surround(turned=False)) for scene in scenes))
        self.scene_view.look(self.choice.preset)

    @property
    def found(self) -> Reconstruction | None:
        """Return the reconstruction that is shown; None: a tower is played with."""
        return None if self.finding is None or self.played is not None else self.finding.found

    def show_moment(self, moment: int) -> None:
        with self.lock:
            if self.animation is None or moment >= len(self.animation.scenes):
                return
            self.moment = moment
            animation, scene = self.animation, self.animation.scenes[moment]
            colours = self.colours.copy()
            for row, colour in scene.colours.items():
                if colour == PALETTE.taken and not animation.heap and row < len(colours):  # all else is as the visitor chose
                    colours[row] = colour
            low, high = self.choice.layers
            layer = animation.slot // BLOCKS_PER_COURSE
            shown = (animation.slot == UNASSIGNED) | ((layer >= low) & (layer <= high))
            self.scene_view.show(scene, colours, shown, self.picked)
            key, values = animation.captions[moment]
        if not self.waits:  # what is said then is of what will be shown
            self.caption.content = frame(f"<b>{escape(self.words(key, **values))}</b>")

    def repaint(self) -> None:
        with self.lock:
            if self.animation is None:
                return
            self.colours = paint_animation(self.animation, self.found, self.choice.way)
        self.show_legend()
        self.show_moment(self.moment)

    def show_legend(self) -> None:
        if self.animation is not None:
            layers = int(self.animation.slot.max()) // BLOCKS_PER_COURSE + 1
            wood = self.found is None and self.choice.way != "layer"  # there is nothing to explain
            self.legend.content = "" if wood else frame(draw_legend(self.words, self.choice.way, layers, self.animation.heap))

    def pick(self, number: int) -> None:
        """Pick the block that was clicked."""
        animation = self.animation
        if animation is None or number >= len(animation.slot):
            return
        self.picked = number
        self.show_moment(self.moment)
        if self.played is not None:
            self.played(number)
        elif self.finding is not None:
            self.about.content = frame(self.describe(self.finding, animation, number))

    def ask_click(self) -> None:
        self.about.content = frame(self.words("click_hint" if self.played is None else "play_click"))

    def unpick(self) -> None:
        """Forget the block that was clicked."""
        with self.lock:
            if self.picked is None:
                return
            self.picked = None
        self.ask_click()
        self.show_moment(self.moment)

    def describe(self, finding: Finding, animation: Animation, number: int) -> str:
        """Describe a block: id, where it lies, where it stood by the chosen proposal, how sure."""
        words, found = self.words, finding.found
        slot, row = int(animation.slot[number]), int(animation.row[number])
        if row == UNASSIGNED:
            lines = [(words("slot"), found.structure.ids[slot]), (words("sure"), words("slot_filled", chance=found.filled[slot]))]
            return f"<b>{words('unseen_block')}</b>" + table(lines)
        facts, block = found.describe_block(row), np.flatnonzero(found.rows == row)
        place = metres_to_millimetres(1.0) * found.survey.position[row]
        lies = ", ".join(f"{each:.0f}" for each in place)
        lines = [(words("block"), facts["id"]), (words("lies"), f"{lies} mm")]
        stood = words("left_out") if slot == UNASSIGNED else found.structure.ids[slot]
        lines.append((words("stood"), f"{stood} ({words('of_proposal', rank=self.choice.rank + 1)})"))
        if slot != UNASSIGNED and len(block):
            basis = "inference" if found.pinned[block[0]] == UNASSIGNED else "evidence"
            lines.append((words("sure"), f"{found.placed[block[0], slot]:.0%}: {words('basis_' + basis)}"))
            lines.append((words("nine_in_ten"), ", ".join(found.find_set(int(block[0])))))
        others = [f"{each['slot']} {each['probability']:.0%}" for each in facts["alternatives"]]
        lines.append((words("slots_ranked"), ", ".join(others)))
        return table(lines)

    def close(self) -> None:
        self.timeline.pause()


def keep_near(points: Floats) -> Floats:
    """Keep the points (N, 3) in reach of the middle: one block that rolled away would make all others small."""
    apart = np.linalg.norm(points[:, :2] - np.median(points[:, :2], axis=0), axis=1)
    return points[apart <= max(REACH, float(np.quantile(apart, 0.9)))]


def by_hand(handle: viser.GuiInputHandle[Any], do: Callable[[], None]) -> None:
    """Call when a visitor changes a control; what we set ourselves, or viser does when options change, is no choice."""
    handle.on_update(lambda event: do() if event.client is not None else None)


def table(lines: Sequence[tuple[str, str]]) -> str:
    """Return names and values as HTML; values are escaped, for surveys are written by anybody."""
    cell = "padding:.1em .6em .1em 0;vertical-align:top"
    rows = (
        f'<tr><td style="{cell};opacity:.65">{name}</td><td style="{cell}">{escape(value)}</td></tr>' for name, value in lines
    )
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'
