"""Results panel: shows a reconstruction in the 3-D scene, with the controls beside it."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import viser

from anastylosis.assignment import UNASSIGNED
from anastylosis.reconstruction import Reconstruction
from anastylosis.report import PALETTE, BlockScene
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.units import metres_to_millimetres
from anastylosis.web.animations import Animation, animate_debris, animate_fall, animate_rebuild, animate_tower
from anastylosis.web.findings import Finding, stays_up
from anastylosis.web.paint import WAYS, draw_legend, paint_animation
from anastylosis.web.scene_view import PRESETS, SceneView
from anastylosis.web.timeline import Timeline
from anastylosis.web.words import Translator, frame

VIEWS = ("debris", "fall", "tower", "rebuild")
LAYERS_ALL = 999


@dataclass
class Choice:
    """Choices of the visitor on what to see; they survive a change of language."""

    view: str = "debris"
    rank: int = 0
    way: str = "probability"
    layers: tuple[int, int] = (0, LAYERS_ALL)


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

    def build(self, words: Translator, follow: Callable[[int], None], plan: Callable[[int], None]) -> None:
        """Make the controls. `follow` hears which proposal is looked at, and lets it fall; `plan` plans how it is rebuilt.
        Both work elsewhere, and call `refresh` when there is something to show."""
        gui, choice = self.client.gui, self.choice
        self.words, self.follow, self.plan = words, follow, plan
        self.views = {words(f"view_{view}"): view for view in VIEWS}
        self.ways = {words(f"way_{way}"): way for way in WAYS}
        self.presets = {words(f"camera_{preset}"): preset for preset in PRESETS}
        self.whose = gui.add_html("")
        self.view = gui.add_dropdown(words("view"), tuple(self.views), initial_value=words(f"view_{choice.view}"), visible=False)
        self.rank = gui.add_dropdown(words("proposal"), ("-",), hint=words("proposal_hint"), visible=False)
        self.ranking = gui.add_html("")
        self.leave = gui.add_button(words("leave_play"), visible=False)
        self.timeline = Timeline(gui, words, self.show_moment)
        self.caption = gui.add_html(frame(words("stage_empty")))
        self.way = gui.add_dropdown(words("way"), tuple(self.ways), initial_value=words(f"way_{choice.way}"), visible=False)
        self.legend = gui.add_html("")
        self.layers = gui.add_multi_slider(words("layers_shown"), 0, 1, 1, initial_value=(0, 1), visible=False)
        self.cameras = gui.add_button_group(words("camera"), tuple(self.presets), visible=False)
        self.about = gui.add_html("")
        self.leave.on_click(lambda event: self.open(self.finding))
        by_hand(self.view, lambda: self.choose(view=self.views[self.view.value]))
        by_hand(self.rank, lambda: self.choose(rank=self.rank.options.index(self.rank.value)))
        by_hand(self.way, lambda: self.choose(way=self.ways[self.way.value]))
        by_hand(self.layers, lambda: self.choose(layers=tuple(int(each) for each in self.layers.value)))
        self.cameras.on_click(lambda event: self.scene_view.look(self.presets[self.cameras.value]))

    def open(self, finding: Finding | None) -> None:
        """Show a reconstruction as it is chosen to be seen; None: forget all that was."""
        self.finding, self.played, self.picked = finding, None, None
        for handle in (self.whose, self.view, self.rank, self.ranking, self.way, self.layers, self.cameras):
            handle.visible = finding is not None
        self.leave.visible = False
        if finding is None:
            self.animation = None
            self.scene_view.empty()
            return
        self.whose.content = frame(self.words("whose", name=f"<b>{escape(finding.given.name)}</b>"))
        top = finding.found.assignment.courses - 1
        low, high = self.choice.layers
        self.choice.layers = min(low, top), min(high, top)
        self.layers.max, self.layers.value = top, self.choice.layers
        self.rank.options = tuple(self.list_proposals(finding))
        self.rank.value = self.rank.options[self.choice.rank]
        self.view.value = self.words(f"view_{self.choice.view}")
        debris, tower = BlockScene.from_survey(finding.found.survey), BlockScene.from_slots(finding.found.structure)
        self.scene_view.measure(debris.surround(), tower.surround())
        self.scene_view.look("corner")
        self.load()

    def list_proposals(self, finding: Finding) -> Sequence[str]:
        """List the names of proposals to choose from: rank and probability."""
        chances = [each.probability for each in finding.proposals]
        return [f"{rank}." if np.isnan(chance) else f"{rank}.  {chance:.0%}" for rank, chance in enumerate(chances, 1)]

    def rank_proposals(self, finding: Finding) -> str:
        """Write the ranked list of proposals as HTML; the chosen one is bold.

        Each has a line as long as its probability (a bar would look like a button), whether it stayed up in simulation, and its
        empty slots.
        """
        shown = finding.proposals
        most = max((each.probability for each in shown if np.isfinite(each.probability)), default=1.0)
        lines = []
        for rank, each in enumerate(shown):
            empty = finding.found.name_slots(~each.state.filled)
            named = ", ".join(empty) or self.words("none")
            width = 0.0 if np.isnan(each.probability) else 100 * each.probability / most
            chance = "" if np.isnan(each.probability) else f"{each.probability:.0%}"
            weight = "bold" if rank == self.choice.rank else "normal"
            facts = [chance, self.words("stays_up") if stays_up(each) else "", f"{self.words('empty')}: {named}"]
            lines.append(
                f'<div style="font-weight:{weight};margin-top:.25em;padding-left:1.3em;text-indent:-1.3em">'
                f"{rank + 1}. {' · '.join(filter(None, facts))}</div>"
                f'<div style="height:3px;width:{width:.0f}%;background:#e0b48c"></div>'
            )
        others = 1 - sum(each.probability for each in shown)
        if np.isfinite(others):
            lines.append(
                f'<div style="margin-top:.25em;padding-left:1.3em">{max(others, 0):.0%} · {self.words("other_towers")}</div>'
            )
        notes, count = [self.words("slot_names")], len(finding.found.hypotheses)
        if any(map(stays_up, shown)):
            notes.insert(0, self.words("stays_up_means"))
        if count > len(shown):
            notes.insert(0, self.words("listed", shown=len(shown), count=count))
        return "".join(lines) + "".join(f'<div style="opacity:.75;margin-top:.25em">{note}</div>' for note in notes)

    def choose(self, **chosen: object) -> None:
        """Show something else, as the visitor chose."""
        changed = {name: value for name, value in chosen.items() if getattr(self.choice, name) != value}
        for name, value in changed.items():
            setattr(self.choice, name, value)
        if changed.keys() & {"view", "rank"}:
            self.load()
        elif changed:
            self.repaint()
        if "rank" in changed:
            self.follow(self.choice.rank)

    def load(self) -> None:
        """Show the animation that is chosen."""
        finding, rank = self.finding, self.choice.rank
        if finding is None:
            return
        found = finding.found
        self.played = None
        self.waits = True  # until there is something to play; before it is asked for, so that no answer comes too early
        self.ranking.content = frame(self.rank_proposals(finding))
        if self.choice.view == "debris":
            self.play(animate_debris(found, rank))
        elif self.choice.view == "tower":
            self.play(animate_tower(found, rank))
        elif self.choice.view == "rebuild":
            if rank in finding.plans:
                self.play(animate_rebuild(finding.plans[rank]))
            else:
                self.show_waiting()
                self.plan(rank)
        elif rank not in finding.stories:
            self.show_waiting()
        elif (story := finding.stories[rank]) is None:
            self.play(animate_tower(found, rank)._replace(captions=[("no_fall", {})]))
        else:
            self.play(animate_fall(found, rank, story, finding.find_falling()))

    def show_waiting(self) -> None:
        """Say that work is under way; the scene stays as it was and stands still."""
        self.timeline.pause()
        self.caption.content = frame(self.words("computing"))

    def is_shown(self, finding: Finding, view: str, rank: int) -> bool:
        """Return whether the scene shows this, or will once it is computed."""
        return self.finding is finding and self.played is None and (self.choice.view, self.choice.rank) == (view, rank)

    def refresh(self, finding: Finding, view: str, rank: int) -> None:
        """Load what the scene waited for."""
        if self.waits and self.is_shown(finding, view, rank):
            self.load()

    def play_with(self, animation: Animation, picked: Callable[[int], None], *, run: bool) -> None:
        """Put a tower on the scene that is played with; `picked` hears of the blocks that are clicked."""
        self.played = picked
        self.choice.layers = (0, LAYERS_ALL)
        # Blocks of a new tower are all as sure.
        for handle in (self.whose, self.view, self.rank, self.ranking, self.way, self.layers):
            handle.visible = False
        self.cameras.visible = True
        self.leave.visible = self.finding is not None
        self.play(animation, run=run)

    def play(self, animation: Animation, *, run: bool = False) -> None:
        """Put an animation on the scene, and run it if asked."""
        with self.lock:
            self.animation, self.moment, self.picked, self.waits = animation, 0, None, False
            self.colours = paint_animation(animation, self.found, self.choice.way)
        self.ask_click()
        self.show_legend()
        self.timeline.load(len(animation.scenes), animation.rate, animation.first)
        if run:
            self.timeline.play(1)

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
            wood = self.found is None and self.choice.way != "layer"
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
