"""Pipeline: from pictures or a survey of a heap to ranked, checked proposals of how the tower stood.

This is the only conductor of a reconstruction. The command, the page, the evaluation and the front door all call it.
"""

from collections.abc import Mapping
from typing import Any

from anastylosis.assignment import choose_block_size, settle_frame
from anastylosis.executors import run_serial
from anastylosis.progress import Execute, Progress, no_progress
from anastylosis.reconstruction.building import order_building
from anastylosis.reconstruction.conclusion import ask_picture_net, conclude
from anastylosis.reconstruction.folder import describe_making
from anastylosis.reconstruction.observation import Source, find_flaws, observe, select_sound
from anastylosis.reconstruction.problem import Knowledge, ReconstructionConfig, pose_problem
from anastylosis.reconstruction.proposals import draw_towers, keep_standing
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.resimulation import rank, replay, try_moves
from anastylosis.reconstruction.retrieval import retrieve
from anastylosis.reconstruction.toolset import Toolset


def run_pipeline(
    source: Source,
    known: Knowledge,
    config: ReconstructionConfig,
    tools: Toolset,
    *,
    options: Mapping[str, Any] | None = None,
    execute: Execute = run_serial,
    progress: Progress = no_progress,
) -> Reconstruction:
    """Reconstruct how a tower stood, stage by stage.

    `options`: what the user asked for, as it is kept in the document. `execute` runs jobs, here or on all cores; the answer is
    the same. `progress` hears how far it is.
    """
    progress("blocks", 0, 1)
    observation = observe(source)
    survey = observation.detect(tools.open_detector()) if observation.survey is None else observation.survey
    progress("blocks", 1, 1)

    block = choose_block_size(survey, known.block)
    survey = settle_frame(survey, block, fit=known.fit_frame)
    flaws = find_flaws(survey, complete=known.complete, block=block)
    sound = select_sound(survey, flaws)
    assigner = tools.open_assigner(survey)
    friction = known.parse_friction(assigner.card.frictions)
    assignment = assigner.assign(
        survey.select(sound),
        known.layers,
        friction and friction.exact,
        complete=known.complete,
        block=block,
        fit_frame=known.fit_frame,
    )

    problem = pose_problem(assignment, tools.calibration, friction, config, complete=known.complete)
    drawn = draw_towers(problem)
    proposals, dropped = keep_standing(problem, drawn)  # by statics
    moves = try_moves(problem, proposals[0].state, execute, progress)
    fallen = replay(problem, proposals, moves, execute, progress)
    hypotheses = rank(problem, fallen)  # by how near each heap is to the surveyed one

    found = conclude(
        problem, survey, sound, flaws, hypotheses, moves,
        dropped=dropped,
        photos=observation.photos,
        inputs=(*observation.files, *observation.camera_files),
        reference=retrieve(tools.list_falls(), assignment, observation.name if config.lookup else None),
        prediction=ask_picture_net(survey, assignment.block_size) if config.picture_net else None,
        making=describe_making(observation, survey, tools, options or {}),
        warnings=observation.warnings,
    )  # fmt: skip
    return order_building(found, execute, progress) if config.assembly else found
