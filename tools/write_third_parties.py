"""Write THIRD_PARTY.md: what Anastylosis installs, under which licence, and what for; a test checks the names.

Licences are read from the metadata of what is installed; for what is not, pip is asked (`--dry-run`). Nothing is installed.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "THIRD_PARTY.md"
PURPOSES = {
    "av": "writing films (H.264)",
    "datasets": "tests: the export for Hugging Face",
    "distributed": "jobs on many machines",
    "duckdb": "tests: the queries that the pages show",
    "gymnasium": "the tower as an environment, for players that learn",
    "hatchling": "building the package",
    "hypothesis": "tests: searched examples",
    "import-linter": "tests: which room imports which",
    "matplotlib": "plots and dashboards",
    "mkdocs-material": "the documentation as a site",
    "mkdocstrings": "the API reference in it",
    "mujoco": "tests and benchmarks: another physics engine",
    "mypy": "types of the code",
    "numba": "compiled kernels",
    "numba-cuda": "kernels on an NVIDIA GPU",
    "numpy": "arrays",
    "onnx": "exporting trained nets",
    "onnxruntime": "running trained nets",
    "onnxscript": "exporting trained nets",
    "opencv-python-headless": "finding the printed target in photographs",
    "pillow": "reading and writing pictures, text on them",
    "polars": "tests: the queries that the pages show",
    "pyarrow": "datasets in Parquet",
    "pybullet": "benchmarks: another physics engine",
    "pytest": "tests",
    "pytest-xdist": "tests on many cores",
    "rapier3d": "benchmarks: another physics engine",
    "rich": "tables and progress in the terminal",
    "ruff": "format and lint of the code",
    "sapien": "benchmarks: another physics engine",
    "scikit-learn": "embeddings in evaluations of training",
    "scipy": "linear programmes, assignment, optimisation",
    "selenium": "tests: a browser that looks at the page",
    "tensorboard": "watching a training",
    "torch": "training nets",
    "typer": "the command line",
    "trimesh": "meshes with a texture, on the page",
    "viser": "the page in a browser",
}
INTRODUCTION = """\
# Third parties

*Written by `tools/write_third_parties.py` from what the packages say of themselves; do not edit. It is no legal advice.*

Anastylosis is under the [MIT licence](LICENSE). Its own files have one work of others in them: a cut of the fonts DejaVu
Sans, in `src/anastylosis/rendering/fonts/`, with [its licence](src/anastylosis/rendering/fonts/LICENSE). All else comes from
the package registry when pip installs it, each part under its own licence. Wheels carry libraries of others in them, which
the tables do not show: look into each wheel's folder `licenses`.

## Films: the wheel of PyAV carries GPL encoders

PyAV itself is under the BSD licence. Its wheel carries FFmpeg's libraries (LGPL, version 3 or later), linked with the
encoders **x264 and x265, which are under the GPL**, version 2 or later. Anastylosis uses x264 of them (`libx264`, in
`src/anastylosis/rendering/video.py`), for every film; of x265 it uses nothing. FFmpeg's libraries together with these
encoders can be passed on only as the GPL says, in version 3.

- **Who installs and uses it** owes nothing, and the films that it writes are not under the GPL.
- **Who publishes Anastylosis itself** (its source, its wheel) does not pass on PyAV's wheel; the MIT licence is all.
- **Who passes on an environment with that wheel in it** (an image of a container, an installer, a copy of `.venv`) passes on
  GPL software. Give the licences with it, and the source of FFmpeg, x264 and x265 as it was built, or a written offer of it;
  what is linked with them has to be under licences that go with the GPL. The MIT licence does.
- **Who does not want that** builds PyAV against an FFmpeg without these encoders (`pip install av --no-binary av`). Then
  what writes films ends with an error; `reconstruct --no-films` writes none.
- H.264 and H.265 are patented in some countries. A licence of the code is none of the patents.

## Training on Linux: NVIDIA's libraries

PyTorch as the registry has it for Linux brings the CUDA libraries of NVIDIA, which are not free software: read their licence
before you pass them on. PyTorch for the CPU alone brings none, and nothing but training, `make test` and the extra `gpu` asks
for any.
"""


def render_page(find: Callable[[Iterable[str]], Mapping[str, str]]) -> str:
    """Render the page; `find` gives the licence of each of these packages."""
    asked, brought = list_asked(), list_brought()
    licences = find([*asked, *brought])
    lines = [
        INTRODUCTION,
        "## What it asks for",
        "",
        "*Extra*: which installation asks for it; *always* is every one.\n",
        "| package | versions | extra | licence | what for |",
        "|---|---|---|---|---|",
    ]
    for name, (versions, extras) in asked.items():
        lines.append(f"| {name} | {versions or 'any'} | {', '.join(extras)} | {licences[name]} | {PURPOSES[name]} |")
    lines += [
        "",
        "## What these bring with them",
        "",
        "Of the packages that are always installed, and the extras `web` and `photo`, as",
        "[the lock](docs/how-to/install-locked-versions.md) has them.",
        "",
        "| package | licence |",
        "|---|---|",
        *(f"| {name} | {licences[name]} |" for name in brought),
    ]
    return "\n".join(lines) + "\n"


def list_asked() -> dict[str, tuple[str, list[str]]]:
    """List what pyproject.toml asks for: versions, and which extras ask."""
    document = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    project = document["project"]
    groups = {
        "always": project["dependencies"],
        **project["optional-dependencies"],
        "to build": document["build-system"]["requires"],
    }
    asked: dict[str, tuple[str, list[str]]] = {}
    for extra, words in groups.items():
        for requirement in map(Requirement, words):
            versions = ", ".join(sorted(map(str, requirement.specifier), reverse=True))
            asked.setdefault(canonicalize_name(requirement.name), (versions, []))[1].append(extra)
    return dict(sorted(asked.items()))


def list_brought() -> list[str]:
    """List what user.lock has beyond what pyproject.toml asks for."""
    lock = (PROJECT / "requirements" / "user.lock").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^([a-z0-9._-]+)==", lock, re.MULTILINE)) - list_asked().keys())


def find_licences(names: Iterable[str]) -> dict[str, str]:
    """Find the licence of each of these packages, in what is installed or from pip."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = name_licence(metadata.metadata(name).json)
        except metadata.PackageNotFoundError:
            found[name] = name_licence(ask_pip(name)) or name_licence(read_wheel(name))
    nameless = [name for name, licence in found.items() if not licence]
    if nameless:
        raise SystemExit(f"{', '.join(nameless)}: no licence is said; look into the wheels")
    return found


def ask_pip(name: str) -> Mapping[str, str | list[str]]:
    """Return the metadata of the version that pip would install, as far as this pip knows its fields."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        run_pip("install", "--dry-run", "--ignore-installed", "--no-deps", "--report", str(report), name)
        return dict(json.loads(report.read_text(encoding="utf-8"))["install"][0]["metadata"])


def read_wheel(name: str) -> Mapping[str, str | list[str]]:
    """Return the metadata in the wheel that pip would install. Needed for licences as SPDX, which pip knows since 24.3."""
    with tempfile.TemporaryDirectory() as folder:
        run_pip("download", "--no-deps", "--only-binary", ":all:", "--dest", folder, name)
        (wheel,) = Path(folder).glob("*.whl")
        (found,) = metadata.distributions(path=[str(wheel)])
        return found.metadata.json


def run_pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], check=True)


def name_licence(about: Mapping[str, str | list[str]]) -> str:
    """Name a licence: its SPDX expression, else the classifiers, else the first line of what is written, or nothing."""
    if expression := about.get("license_expression"):
        return str(expression)
    classifiers = [word.split(" :: ")[-1] for word in about.get("classifier", []) if word.startswith("License :: ")]
    named = ", ".join(word for word in classifiers if word != "OSI Approved")
    return named or str(about.get("license") or "").strip().split("\n")[0].replace("|", "/")


if __name__ == "__main__":
    PAGE.write_text(render_page(find_licences), encoding="utf-8")
