"""requirements/*.lock: every dependency is there with its hashes, and no file says where packages come from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from support.recipes import list_recipe, run_make

PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)(?: ;[^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE)
EXTRAS = {"user": ("web", "photo"), "dev": ("dev",)}


def read_pins(project: Path, name: str) -> dict[str, list[Version]]:
    pins: dict[str, list[Version]] = {}
    for package, version, _ in PIN.findall((project / "requirements" / f"{name}.lock").read_text(encoding="utf-8")):
        pins.setdefault(package, []).append(Version(version))
    return pins


@pytest.mark.parametrize("name", ["user", "dev", "torch", "torch-cpu"])
def test_a_lock_is_pins_with_hashes_and_nothing_else(project: Path, name: str) -> None:
    text = (project / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    left = PIN.sub("", text)
    assert re.fullmatch(r"#[^\n]*\n", left), f"{left:.300}"


@pytest.mark.parametrize("name", EXTRAS)
def test_every_dependency_is_locked_at_a_version_that_it_allows(project: Path, name: str) -> None:
    document = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    extras = document["project"]["optional-dependencies"]
    wanted = [*document["build-system"]["requires"], *document["project"]["dependencies"]]
    wanted += [word for extra in EXTRAS[name] for word in extras[extra]]
    pins = read_pins(project, name) | (read_pins(project, "torch") if name == "dev" else {})
    for requirement in map(Requirement, wanted):
        versions = pins.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement} is not in {name}.lock: run tools/write_locks.py"
        assert all(version in requirement.specifier for version in versions), f"{requirement}: run tools/write_locks.py"


def test_one_version_of_pytorch_and_of_all_that_both_locks_have(project: Path) -> None:
    user, dev, torch, cpu = (read_pins(project, name) for name in ("user", "dev", "torch", "torch-cpu"))
    assert user.items() <= dev.items()
    assert not dev.keys() & torch.keys()
    assert [version.public for version in cpu["torch"]] == [version.public for version in torch["torch"]]


@pytest.mark.parametrize(("command", "lock"), [("demo", "user"), ("test", "dev")])
def test_locked_commands_install_by_hash_alone_into_an_environment_of_their_own(project: Path, command: str, lock: str) -> None:
    words = ("-B", command, "PYTHON=python3")
    plain, locked = list_recipe(project, *words), list_recipe(project, *words, "LOCKED=1")
    assert not [line for line in plain if "requirements/" in line or "locked" in line]
    assert not [line for line in locked if re.search(r"\.venv(?!-locked)", line)]
    installs = [line for line in locked if " pip install " in line]
    assert "--require-hashes" in installs[0]
    assert f"requirements/{lock}.lock" in installs[0]
    for line in installs:
        assert "--no-deps" in line
        assert "--require-hashes" in line or line.endswith("--no-build-isolation --editable .")


def test_what_has_no_lock_is_refused(project: Path) -> None:
    done = run_make(project, "docs", "LOCKED=1")
    assert done.returncode == 2
    assert "no lock for docs; leave LOCKED out" in done.stderr
