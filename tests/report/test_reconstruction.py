"""What a reconstruction leaves to look at: films whose frames are counted, colours that mean what the legend says, one page."""

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import av
import numpy as np
import pytest

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.executors import run_serial
from anastylosis.geometry import measure_turns
from anastylosis.mechanics import measure_balance
from anastylosis.models import Prediction
from anastylosis.reconstruction.conclusion import warn_of_picture
from anastylosis.reconstruction.falls import Fall, read_library
from anastylosis.reconstruction.folder import describe_making
from anastylosis.reconstruction.observation import Observation
from anastylosis.reconstruction.pipeline import run_pipeline
from anastylosis.reconstruction.problem import Knowledge, ReconstructionConfig
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.retrieval import Reference, mirror_fall
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.rendering import STILL_VIEW
from anastylosis.rendering.draft import draft_upon
from anastylosis.rendering.overlay import Overlay, draw_overlay
from anastylosis.report.colour import PALETTE
from anastylosis.report.film import END_HOLD
from anastylosis.report.reconstruction.card import describe_balance, draw_card, draw_slots, list_words
from anastylosis.report.reconstruction.fates import describe_fate
from anastylosis.report.reconstruction.film import BACKWARDS, FORWARDS, STILLS, describe_end, film_reconstruction
from anastylosis.report.reconstruction.findings import list_findings
from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.naming import WHOLE_WORDS, break_lines
from anastylosis.report.reconstruction.page import render_report
from anastylosis.report.reconstruction.rebuilding import (
    RATE,
    START_HOLD,
    WAY,
    film_rebuilding,
    list_moves,
    show_moves,
    show_rebuilding,
    travel,
)
from anastylosis.report.reconstruction.scene import BlockScene, draw_run, draw_scene, find_moved
from anastylosis.report.reconstruction.shades import shade_blocks, shade_tower
from anastylosis.report.reconstruction.story import build_proposal_story, build_story, find_last, thin
from anastylosis.report.reconstruction.view import BAR, HEIGHT, WIDTH, choose_azimuth, choose_view, show_tower
from anastylosis.structure import jenga_tower
from support.heaps import small_fall, survey_of


def progress(what: str, done: int, total: int) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def found() -> Reconstruction:
    survey, _ = survey_of(small_fall())
    config = ReconstructionConfig(hypotheses=3, moves=6, seed=1)
    return run_pipeline(survey, Knowledge(layers=6, complete=True), config, Toolset(library=()))


@pytest.fixture(scope="module")
def prediction(found: Reconstruction):
    return found.prediction


def read_times(path: Path) -> tuple[list[Fraction], Fraction]:
    """When each picture of a film begins [s], and how long all of it is."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        begin = [packet.pts * stream.time_base for packet in packets]
        return begin, begin[-1] + packets[-1].duration * stream.time_base


def test_the_film_has_every_moment_forwards_and_backwards_at_its_rate(found, prediction, tmp_path: Path) -> None:
    story = build_story(found)
    assert story is not None
    film_reconstruction(tmp_path / "film.mp4", found, prediction, story, run_serial, progress)
    begin, end = read_times(tmp_path / "film.mp4")
    moments = len(story.moments)
    assert len(begin) == 2 * moments + STILLS + round(10 * END_HOLD)
    assert end == Fraction(moments + STILLS, FORWARDS) + Fraction(moments, BACKWARDS) + Fraction(END_HOLD)
    steps = np.diff([float(time) for time in begin])
    assert steps[: moments + STILLS - 1] == pytest.approx(1 / FORWARDS)
    assert steps[moments + STILLS : 2 * moments + STILLS - 1] == pytest.approx(1 / BACKWARDS)


def test_the_story_takes_out_what_was_gone_and_then_lets_it_fall(found) -> None:
    story = build_story(found)
    first, last = story.moments[0].scene, story.moments[-1]
    assert first.present.all()
    assert story.title.startswith("proposal 1 of ")
    gone = set(np.flatnonzero(~found.best.state.filled))
    assert set(last.scene.outlines) == gone
    assert last.falls
    before = next(moment for moment in story.moments if moment.falls)
    assert set(np.flatnonzero(~before.scene.present)) == gone
    assert all(slot not in gone for slot in story.last)
    rounds = [moment.round for moment in story.moments]
    assert list(dict.fromkeys(rounds)) == ["", *(f"round {number} of {len(gone) + 1}" for number in range(1, len(gone) + 2))]


def test_a_replay_that_brings_down_what_stands_says_so(found) -> None:
    still = found.pinned[found.pinned != UNASSIGNED]
    kept, lost = np.zeros((2, len(found.structure)), bool)
    lost[still[:2]] = True
    wrong, right = found.best._replace(came_down=lost), found.best._replace(came_down=kept)
    shown = build_proposal_story(replace(found, hypotheses=(wrong,)), 1, wrong).moments[-1]
    assert found.structure.ids[min(still[:2])] in shown.forwards
    assert {slot for slot, colour in shown.scene.colours.items() if colour == PALETTE.evidence} == set(still.tolist()) - set(
        still[:2]
    )
    assert "only 0 of its blocks came down" in describe_fate(found.describe_hypothesis(1, right), found.fallen)
    assert "2 that still stand came down too" in describe_fate(found.describe_hypothesis(1, wrong), found.fallen)


def test_films_list_and_rebuilding_are_of_one_first_proposal(found) -> None:
    story = build_story(found)
    assert found.best.fell
    assert story.rank == 1
    _, subtitle, caption = describe_end(found, story)
    assert subtitle.startswith(f"proposal 1 of {len(found.hypotheses)}, {found.best.probability:.0%}")
    assert all(name in caption for name in found.name_slots(~found.best.state.filled))
    moves, _, _ = show_rebuilding(found)
    assert {move.slot for move in moves} <= set(np.flatnonzero(found.best.state.filled))
    story = story._replace(rank=0, title="this very game, one")  # looked up: its end is the first proposal, and that is said
    assert "the fall before this was this very game, one" in describe_end(found, story)[1]


def test_towers_stand_upright_in_films_and_in_the_middle_in_the_end(found) -> None:
    """Also where the fall is wide, and the tower at the side of the picture."""
    tower = BlockScene.from_slots(found.structure)
    far = tower._replace(position=tower.position + np.array([0.0, 0.6, 0.0]))
    axis = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.27)])
    for settings in (choose_view([tower, far], 0.6), show_tower(found.structure, 0.6)):
        foot, top = settings.camera.project(axis)[0]
        assert np.degrees(np.arctan2(abs(top[0] - foot[0]), foot[1] - top[1])) < 2
    assert abs(foot[0] / settings.camera.width - 0.5) < 0.05


def test_words_of_a_film_end_before_the_bar() -> None:
    words = "Here the replay is wrong: " + ", ".join(f"L{layer:02d}_1" for layer in range(12)) + " still stand.\nOnly 2."
    lines = break_lines(words)
    assert lines.replace("\n", " ") == words.replace("\n", " ")
    plain = np.full((HEIGHT, WIDTH + BAR, 3), 255, np.uint8)
    written = draw_overlay(plain, Overlay(title="How it stood", subtitle=lines, caption=lines))
    assert np.flatnonzero((written != plain).any(axis=(0, 2))).max() < WIDTH
    why = break_lines("not proposal 1 of 32, 14%: 12 that still stand would fall")
    assert "\n" not in why  # the title has two lines below it, and hides no tower


def test_nothing_that_was_empty_is_cut_from_the_panel(found, prediction) -> None:
    gone = replace(found.assignment, num_removed=replace(found.assignment.num_removed, value=9.0))
    many = replace(found, assignment=gone)
    line = next(line for line in list_lines(many, prediction) if line.code == "removed_locs")
    assert line.value.split(", ") == [many.structure.ids[slot] for slot in many.emptiest]


def test_balance_in_words(found) -> None:
    """A whole tower has its weight over the middle of its foot, half a block's length from the edge."""
    whole = found.best._replace(state=found.best.state._replace(filled=np.ones(len(found.structure), bool)))
    half = 500 * found.structure.blocks.size.max()
    assert describe_balance(replace(found, hypotheses=(whole,))) == f"{half:.0f} mm inside the edge of its foot"


def test_one_wording_of_what_came_of_a_proposal(found) -> None:
    said = found.describe_hypothesis(1, next(each for each in found.hypotheses if each.fell))
    assert describe_fate(said | {"came_down": 10, "contradicts": [], "distance_mm": 21.7}, 12) == "fell again, its heap 22 mm off"
    assert describe_fate(said | {"fell": False}, 12) == "did not fall again"
    assert describe_fate(said | {"fell": False, "distance_mm": None}, 12) == "could not be simulated to the end"
    assert describe_fate(said | {"fell": None}, 12) == "was not let fall again"


def test_without_a_proposal_that_fell_the_retrieved_game_is_shown(found) -> None:
    assert build_story(replace(found, hypotheses=tuple(each._replace(fell=False) for each in found.hypotheses))) is None


@pytest.fixture(scope="module")
def short_game() -> Fall:
    """Of the library that ships, the game that is soonest played again."""
    return min(read_library(), key=lambda fall: (fall.layers, fall.rounds))


def test_a_game_that_ends_otherwise_than_its_record_is_not_shown(found, short_game) -> None:
    other = replace(short_game, lies=short_game.lies + 0.01)
    standing = replace(found, hypotheses=tuple(each._replace(fell=False) for each in found.hypotheses))
    assert build_story(replace(standing, reference=Reference(other, "lookup", 0.0, (1, 1)))) is None
    story = build_story(replace(found, reference=Reference(other, "lookup", 0.0, (1, 1))))
    assert story.title.startswith("proposal")


def test_a_mirrored_game_is_shown_mirrored(found, short_game) -> None:
    stories = [
        build_story(replace(found, reference=Reference(mirror_fall(short_game, *signs), "lookup", 0.0, signs)))
        for signs in ((1, 1), (-1, 1))
    ]
    plain, mirrored = (story.moments[-1].scene for story in stories)
    assert mirrored.position[:, 0] == pytest.approx(-plain.position[:, 0], abs=1e-6)
    assert mirrored.position[:, 1:] == pytest.approx(plain.position[:, 1:], abs=1e-6)
    assert short_game.name in stories[0].title
    lies = plain.position[plain.present]
    assert np.sort(lies[:, 0]) == pytest.approx(np.sort(short_game.lies[short_game.found, 0]), abs=1e-3)  # it ends as it ended


def test_every_block_is_put_up_and_ends_in_its_slot(found, tmp_path: Path) -> None:
    moves = list_moves(found)
    scenes = list(show_moves(found, moves))
    assert len(scenes) == 1 + len(moves) * len(WAY)
    assert scenes[0].position[: len(found.survey)] == pytest.approx(found.survey.position)
    for move in moves:
        if move.row != UNASSIGNED:
            assert scenes[-1].position[move.row] == pytest.approx(found.structure.position[move.slot])
            turned = measure_turns(scenes[-1].orientation[move.row], found.structure.orientation[move.slot])
            assert turned == pytest.approx(0, abs=1e-6)
    film_rebuilding(tmp_path / "rebuild.mp4", found, run_serial, progress)
    begin, end = read_times(tmp_path / "rebuild.mp4")
    assert len(begin) == round(10 * START_HOLD) + len(moves) * len(WAY) + round(10 * END_HOLD)
    assert end == Fraction(START_HOLD) + Fraction(len(moves) * len(WAY), RATE) + Fraction(END_HOLD)


def test_a_block_travels_above_both_ends_of_its_way() -> None:
    start, end = np.array([0.3, 0.0, 0.01]), np.array([0.0, 0.0, 0.2])
    upright = np.array([1.0, 0, 0, 0])
    half_turned = np.array([0.0, 0, 0, 1.0])
    place, turn = travel(start, upright, end, half_turned, 0.5)
    assert place[2] > 0.2
    assert turn == pytest.approx(upright)  # half a turn of a box is none
    place, turn = travel(start, upright, end, upright, 1.0)
    assert place == pytest.approx(end)


def test_evidence_is_told_from_inference(found) -> None:
    colours = shade_blocks(found)
    for block, row in enumerate(found.rows):
        assert (colours[int(row)] == PALETTE.evidence) == (found.pinned[block] != UNASSIGNED)
    best = found.best
    tower = shade_tower(found, best)
    assert set(tower) == set(np.flatnonzero(best.state.filled))
    assert all(tower[int(slot)] == PALETTE.evidence for slot in found.pinned[found.pinned != UNASSIGNED])
    unseen = set(tower) - set(best.state.slot.tolist())
    assert all(tower[slot] == PALETTE.not_found for slot in unseen)


def test_evidence_is_the_paler_the_less_certain_it_is(found, prediction) -> None:
    """And its probability is told: in the panel, on the page; nothing is said where all is certain."""
    still = found.rows[found.pinned != UNASSIGNED]
    sure = np.ones(len(found.survey))
    sure[still[:2]] = 0.9, 0.6
    doubted = replace(found, survey=replace(found.survey, certainty=sure))
    colours, slots = shade_blocks(doubted), found.pinned[found.pinned != UNASSIGNED]
    brightness = [sum(colours[int(row)]) for row in (still[2], *still[:2])]
    assert brightness == sorted(brightness)
    assert len(set(brightness)) == 3
    assert colours[int(still[2])] == PALETTE.evidence
    tower = shade_tower(doubted, doubted.best)
    assert [tower[int(slot)] for slot in slots[:3]] == [colours[int(row)] for row in still[:3]]
    least = f"{len(still)} still stand (least sure: {found.survey.ids[still[1]]}, 60%)"
    assert any(least in line.value for line in list_lines(doubted, prediction))
    assert not any("least sure" in line.value for line in list_lines(found, prediction))


def test_a_heap_that_the_picture_net_does_not_know_is_said(found: Reconstruction, prediction: Prediction) -> None:
    known, strange = (replace(prediction, unlikeness=score) for score in (0.7, 2.5))
    assert list(warn_of_picture(known)) == list(warn_of_picture(None)) == []
    assert "unlike any that the picture net has learned from (score 2.5;" in next(warn_of_picture(strange))
    doubt = "the net does not know such a heap, do not trust it"
    for said, each in ((False, known), (True, strange)):
        assert (doubt in "".join(line.value for line in list_lines(found, each) if line.code == "torque_risk")) == said
        assert (doubt in "".join(list_words(found, each))) == said


def test_stars_are_on_the_slots_most_probably_empty(found) -> None:
    stars = found.emptiest
    others = np.setdiff1d(np.arange(len(found.filled)), stars)
    assert len(stars) == round(found.assignment.num_removed.value)
    if len(stars):
        assert found.filled[stars].max() <= found.filled[others].min()


@pytest.mark.parametrize("layers", [1, 6, 18, 60])
def test_a_map_of_slots_is_as_high_as_it_may_be(layers: int) -> None:
    chart = draw_slots(np.linspace(0, 1, 3 * layers), np.array([0]), 300, 451)
    assert chart.dtype == np.uint8
    assert len(chart) <= 451
    assert chart.shape[1] == 300


def test_a_card_of_a_tower_that_is_too_high_has_no_map(found, prediction) -> None:
    picture = np.zeros((540, 640, 3), np.uint8)
    small, tall = (draw_card(picture, replace(found, filled=np.ones(3 * layers)), prediction) for layers in (6, 333))
    assert small.shape == tall.shape
    assert np.ptp(small[:, -300:]) > np.ptp(tall[:, -300:])


def test_edges_of_slots_that_blocks_hide_are_not_drawn() -> None:
    """In the middle of a whole course: nothing of it is seen. Of a slot at the side, something is."""
    tower = jenga_tower(3)
    settings = choose_view([BlockScene.from_slots(tower, np.ones(9, bool))], STILL_VIEW.azimuth)
    plain = draw_scene(settings, BlockScene.from_slots(tower, np.ones(9, bool)))
    scene = BlockScene.from_slots(tower, np.ones(9, bool))
    for slot, seen in ((4, False), (2, True)):
        other = tower.select([slot])
        inner = replace(other, blocks=replace(other.blocks, size=other.blocks.size * 0.5)) if not seen else other
        drawn = draw_scene(settings, scene._replace(outlines=(0,), slots=inner))
        assert (drawn != plain).any() == seen


def test_scenes_one_after_the_other_have_the_bits_of_scenes_one_by_one(found) -> None:
    """Blocks that move, come, change their colour; outlines; a fall, in which all moves; towers of other sizes."""
    story = build_story(found)
    assert story is not None
    moves = list(show_moves(found, list_moves(found)))[:7]
    colours = moves[-1]._replace(colours={**moves[-1].colours, 2: PALETTE.evidence})
    falls = [moment.scene for moment in story.moments]
    rebuilt = BlockScene.from_slots(found.structure, found.best.state.filled, shade_tower(found, found.best))
    scenes = [*moves, colours, *falls[:6], *falls[-2:], rebuilt]
    settings = choose_view(scenes, STILL_VIEW.azimuth, 320, 240)
    for one, other in zip(draw_run(settings, scenes), map(partial(draw_scene, settings), scenes), strict=True):
        assert (one == other).all()
    moved = find_moved(settings, moves[0], moves[1])
    assert moved is not None
    picture = draw_scene(settings, moves[0])
    assert draft_upon(picture, moves[1].size, moved, settings.camera, settings.look).stale.mean() < 0.5
    assert find_moved(settings._replace(shadows="soft"), moves[0], moves[1]) is None


def test_the_fall_is_seen_across_the_picture() -> None:
    survey, _ = survey_of(small_fall())
    for turn in np.radians([0, 50, 130, 200, 290]):
        position = survey.position.copy()
        position[:, :2] = 0.3 * np.array([np.cos(turn), np.sin(turn)])
        azimuth = choose_azimuth(replace(survey, position=position))
        assert abs(np.cos(azimuth - turn)) < np.sin(np.radians(36))
        assert 25 <= np.degrees(azimuth) % 90 <= 65  # two faces of a tower are seen
    position[:, :2] = 0.0
    assert choose_azimuth(replace(survey, position=position)) == STILL_VIEW.azimuth


def test_the_report_needs_no_other_file_and_escapes_names(found, prediction, tmp_path: Path) -> None:
    survey = tmp_path / "<b>heap.csv"
    survey.write_text("x")
    seen = Observation(survey=found.survey, files=(survey,))
    document = replace(found, making=describe_making(seen, found.survey, Toolset(), {})).as_document()
    page = render_report(document, list_lines(found, prediction), {}, ["reconstruction.mp4"])
    assert "<th>is there</th>" not in page
    document["blocks"][0]["certainty"] = 0.9
    assert "<th>is there</th>" in render_report(document, list_lines(found, prediction), {}, [])
    pull = document["moves"][0]
    assert f"The fatal pull: {pull['slot']} " in page
    assert "<b>heap" not in page
    assert "&lt;b&gt;heap.csv" in page
    assert not re.search(r"(src|href)=[\"'](?!data:)", page)
    for words in ("The question", "The evidence", "What would change the answer", "How to build it", "What this cannot tell"):
        assert f"<h2>{words}" in page
    assert all(f'<td data-head="block">{block["id"]}</td>' in page for block in document["blocks"])
    assert page.count(WHOLE_WORDS) == 1


def test_the_blocks_that_came_to_rest_last() -> None:
    from anastylosis.episode import EpisodeFrames

    position = np.zeros((5, 4, 3), np.float32)
    position[1:, 1, 2] = -0.1  # moves at once
    position[:4, 2, 2] = np.arange(4) * -0.1
    position[4, 2, 2] = -0.3
    position[:, 3, 2] = np.arange(5) * -0.1
    frames = EpisodeFrames(np.arange(5, dtype=np.float32), position, np.zeros((5, 4, 4), np.float32), np.ones((5, 4), bool))
    assert find_last(frames).tolist() == [3, 2, 1]


@pytest.mark.parametrize(("count", "step", "rows"), [(1, 2, [0]), (5, 2, [0, 2, 4]), (6, 2, [0, 2, 4, 5])])
def test_thinning_keeps_both_ends(count: int, step: int, rows: list[int]) -> None:
    assert thin(count, step) == rows


def test_a_plain_install_is_enough() -> None:
    """`make demo` installs no extra: nothing that only training, photographs or tests need may be imported."""
    code = """
import sys
for name in ("torch", "onnx", "sklearn", "cv2", "mujoco"):
    sys.modules[name] = None  # to import it raises
import anastylosis.cli.demo, anastylosis.report.reconstruction.results
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("first", [0, 1])
def test_list_panel_report_and_films_have_the_same_first_proposal(found, prediction, first: int) -> None:
    """All take the head of one list, whichever it is."""
    order = (found.hypotheses[first], *(each for rank, each in enumerate(found.hypotheses) if rank != first))
    swapped = replace(found, hypotheses=order, steps=())
    best, empty = order[0], found.name_slots(~order[0].state.filled)
    document, lines = swapped.as_document(), list_lines(swapped, prediction)
    assert document["hypotheses"][0]["removed"] == empty
    (listed,) = [line for line in list_findings(swapped, document) if line.startswith("  1. ")]
    assert f"{best.probability:.0%}" in listed
    assert f"pulled {best.pull.block} along {best.pull.axis}" in listed
    balance = measure_balance(found.structure.select(best.state.filled)).imbalance
    assert next(line.value for line in lines if line.code == "imbalance_score") == describe_balance(swapped)
    assert swapped.imbalance == pytest.approx(balance)  # of which the panel and the report speak
    report = render_report(document, lines, {}, [])
    proposals = report[report.index("The proposals, and how sure they are") :]
    row = re.search(r"<tr><td[^>]*>1</td>.*?</tr>", proposals).group()
    assert f"{best.probability:.0%}" in row
    assert ", ".join(empty) in row
    if best.fell:
        assert build_proposal_story(swapped, 1, best).moments[-1].scene.present.sum() == best.trial.filled.sum()
        assert all(name in describe_end(swapped, build_story(swapped))[2] for name in empty)
    moves, _, _ = show_rebuilding(swapped)
    assert {move.slot for move in moves} <= set(np.flatnonzero(best.state.filled))


def test_a_first_proposal_that_did_not_fall_again_is_said(found) -> None:
    stays = replace(found, hypotheses=tuple(each._replace(fell=False) for each in found.hypotheses))
    (first,) = [line for line in list_findings(stays, stays.as_document()) if line.startswith("  1. ")]
    assert "did not fall again" in first
    assert "did not fall again" in render_report(stays.as_document(), [], {}, [])


def test_the_height_that_the_blocks_speak_for_stands_beside_the_told_one(found, prediction) -> None:
    told = replace(found, assignment=replace(found.assignment, courses_given=True, courses_ranked=((9, 0.83), (6, 0.01))))
    said = "6 layers (told; by the blocks alone 9, 83%)"
    assert any(said in line for line in list_findings(told, told.as_document()))
    assert any(line.value == said.replace(" layers", "") for line in list_lines(told, prediction))
