"""Downloads: the files of a reconstruction, each made when it is asked for."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from anastylosis.errors import CapacityExceeded
from anastylosis.progress import Execute, Progress
from anastylosis.report import build_story, film_rebuilding, film_reconstruction, write_results, write_tower
from anastylosis.translation import Language
from anastylosis.web.findings import Finding
from anastylosis.whole_file import write_whole

FILES = {
    "film": "reconstruction.mp4",
    "rebuild_film": "rebuild.mp4",
    "report": "report.html",
    "json": "reconstruction.json",
    "csv": "blocks.csv",
    "glb": "tower.glb",
    "zip": "everything.zip",
}
BYTES_MAX = 200_000_000  # of all files of one reconstruction together: it is sent from memory
PACKED = (".mp4", ".glb")  # ends of names: films do not get smaller, models hardly


def make_file(
    kind: str, finding: Finding, rank: int, folder: Path, execute: Execute, progress: Progress, language: Language = "en"
) -> Path | None:
    """Write a file into a folder, if it is not there; None: there is no such file of this reconstruction."""
    name = f"{rank + 1}-{FILES[kind]}" if kind in ("glb", "zip") else FILES[kind]
    # A report clears its folder of what earlier ones have left there; films take a minute to make.
    spoken = folder / language  # films and reports are of one language, tables and models of none
    path, found = (
        {"report": spoken / kind, "film": spoken, "rebuild_film": spoken, "zip": spoken}.get(kind, folder) / name,
        finding.found,
    )
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "zip":
        kinds = [each for each in FILES if each != "zip"]
        made = {each: make_file(each, finding, rank, folder, execute, progress, language) for each in kinds}
        write_zip(path, {FILES[each]: file for each, file in made.items() if file is not None})
    elif kind == "film":
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


def write_zip(path: Path, files: Mapping[str, Path]) -> None:
    """Write files, by their names in it, into one archive; from disk to disk, so none is in memory as a whole."""
    size = sum(file.stat().st_size for file in files.values())
    if size > BYTES_MAX:
        raise CapacityExceeded(
            f"the files have {size / 1e6:.0f} MB together; at most {BYTES_MAX / 1e6:.0f} are sent in one; take them one by one"
        )
    with write_whole(path) as part, zipfile.ZipFile(part, "w") as archive:
        for name, file in files.items():
            packed = zipfile.ZIP_STORED if name.endswith(PACKED) else zipfile.ZIP_DEFLATED
            archive.write(file, name, compress_type=packed)
