"""Downloads: the files of a reconstruction, each made when it is asked for."""

from pathlib import Path

from anastylosis.progress import Execute, Progress
from anastylosis.report import build_story, film_rebuilding, film_reconstruction, write_results, write_tower
from anastylosis.translation import Language
from anastylosis.web.findings import Finding

FILES = {
    "film": "reconstruction.mp4",
    "rebuild_film": "rebuild.mp4",
    "report": "report.html",
    "json": "reconstruction.json",
    "csv": "blocks.csv",
    "glb": "tower.glb",
}


def make_file(
    kind: str, finding: Finding, rank: int, folder: Path, execute: Execute, progress: Progress, language: Language = "en"
) -> Path | None:
    """Write a file into a folder, if it is not there; None: there is no such file of this reconstruction."""
    name = f"{rank + 1}-{FILES[kind]}" if kind == "glb" else FILES[kind]
    # A report clears its folder of what earlier ones have left there; films take a minute to make.
    spoken = folder / language  # films and reports are of one language, tables and models of none
    path, found = {"report": spoken / kind, "film": spoken, "rebuild_film": spoken}.get(kind, folder) / name, finding.found
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "film":
        story = build_story(found)
        if story is None:
            return None
        film_reconstruction(path, found, finding.prediction, story, execute, progress, language)
    elif kind == "rebuild_film":
        film_rebuilding(path, found, execute, progress, language)
    elif kind == "report":
        title = f"{finding.given.name}: how it stood"
        write_results(found, path.parent, title, execute=execute, progress=progress, films=False, language=language)
    elif kind == "glb":
        about = {
            "probability": finding.document["hypotheses"][rank]["probability"],
            "rank": rank + 1,
            "given": finding.given.name,
        }
        write_tower(path, found, finding.choose(rank), about)
    else:
        found.write_tables(folder)
    return path
