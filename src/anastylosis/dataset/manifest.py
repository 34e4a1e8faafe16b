"""The manifest of a dataset: its levels, its seed, its code, and the hash of every finished file."""

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from anastylosis import __version__
from anastylosis.dataset.level import NAME, BlockSizes, Level, Player
from anastylosis.dataset.plan import Plan
from anastylosis.dataset.schema import SCHEMA
from anastylosis.errors import InvalidInput
from anastylosis.number import is_number, is_whole
from anastylosis.whole_file import write_whole

MANIFEST = "manifest.json"
BYTES_MAX = 10**8  # of a manifest that is read at all
DRAWN = ("layers", "friction", "policy", "rule")  # settings of an episode that its level draws: not those of the configuration
OPTIONAL = {"sizes"}  # not written where they are None: levels without them keep their identity
LEVEL_PARTS = {field.name for field in fields(Level)} - {"name"}
FIXED = ("seed", "shares", "shard")  # what all episodes of a dataset share


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The manifest as it is on disk."""

    code: str  # fingerprint of the code that plays
    seed: int
    shares: dict[str, float]
    shard: int
    levels: dict[str, dict[str, Any]]
    files: dict[str, str] = field(default_factory=dict)  # path within the dataset -> SHA-256
    schema: int = SCHEMA
    version: str = __version__

    @property
    def episodes(self) -> dict[str, int]:
        """The number of episodes that each level is to have."""
        return {name: level["episodes"] for name, level in self.levels.items()}

    @property
    def fingerprint(self) -> str:
        """A hash over the hashes of all files, as `sha256sum` lists them in the order of their paths."""
        lines = "".join(f"{self.files[path]}  {path}\n" for path in sorted(self.files))
        return hashlib.sha256(lines.encode()).hexdigest()

    def identify(self, level: str) -> str:
        """Return a short hash of all that decides what the episodes of a level are."""
        content = json.dumps([self.seed, self.levels[level] | {"episodes": 0}], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def plan_manifest(plan: Plan, code: str) -> Manifest:
    """Return the manifest of a dataset that is not begun yet."""
    plain = json.loads(json.dumps(asdict(plan)))
    levels = {level.pop("name"): level for level in plain["levels"]}
    for level in levels.values():
        for name in DRAWN:
            del level["config"][name]
        for name in OPTIONAL:
            if level[name] is None:
                del level[name]
    return Manifest(code=code, seed=plan.seed, shares=plain["shares"], shard=plan.shard, levels=levels)


def merge(found: Manifest, wanted: Manifest, folder: Path, begun: set[str]) -> Manifest:
    """Merge the manifest of a dataset with the wanted one; refuse what would be another dataset.

    Levels may come, and a level's number of episodes may rise; a lower number changes nothing. A level that was planned and not
    `begun`, perhaps by mistake, may be replaced.
    """
    for name in FIXED:
        was, now = getattr(found, name), getattr(wanted, name)
        if was != now:
            raise InvalidInput(f"{folder} was made with {name} {was}, not {now}; use that, or name another folder")
    levels = dict(found.levels)
    for name, level in wanted.levels.items():
        there = levels[name] if name in levels and name in begun else level
        if there | {"episodes": 0} != level | {"episodes": 0}:
            difference = describe_difference(there, level)
            raise InvalidInput(f"{folder} holds {name!r} episodes with {difference}; name another folder")
        levels[name] = level | {"episodes": max(level["episodes"], there["episodes"])}
    return replace(found, levels=levels)


def describe_difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Return the first thing in which two descriptions differ: `layers 8, not 7`."""
    was, now = flatten(found), flatten(wanted)
    missing = "nothing"  # told from None: a version may have settings that another has not
    names = (name for name in (now | was) if name != "episodes" and was.get(name, missing) != now.get(name, missing))
    name = next(names, None)
    return f"{name} {was.get(name, missing)}, not {now.get(name, missing)}" if name else "other settings"


def flatten(description: dict[str, Any], within: str = "") -> dict[str, Any]:
    """Flatten nested settings. Those of the configuration keep their own name, deeper ones become `engine.solver`."""
    flat: dict[str, Any] = {}
    for name, value in description.items():
        if isinstance(value, dict):
            flat |= flatten(value, "" if name == "config" else f"{within}{name}.")
        else:
            flat.setdefault(f"{within}{name}", value)
    return flat


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a dataset."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InvalidInput(f"{folder} is not a dataset; name a folder that `anastylosis simulate` has written")
    if path.stat().st_size > BYTES_MAX:
        raise InvalidInput(f"{path} has {path.stat().st_size:,} bytes; no more than {BYTES_MAX:,} are read")
    try:
        document = json.loads(path.read_text())
        schema = document["schema"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a manifest of ours; name another folder") from error
    if schema != SCHEMA:
        raise InvalidInput(f"{folder} has schema {schema}, and this version reads {SCHEMA}; simulate again into another folder")
    try:
        manifest = Manifest(**document)
        check_manifest(manifest)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InvalidInput(f"{path} is not a manifest of ours; name another folder") from error
    return manifest


def check_manifest(manifest: Manifest) -> None:
    """Raise unless every part is of the kind it has to be; a file on disk may say anything."""
    numbers = [manifest.seed, manifest.shard, *manifest.episodes.values()]
    texts = [manifest.code, manifest.version, *manifest.files, *manifest.files.values()]
    if not all(type(number) is int and number >= 0 for number in numbers) or not all(type(text) is str for text in texts):
        raise TypeError
    for name, level in manifest.levels.items():
        if not NAME.fullmatch(name):  # it becomes the name of files
            raise ValueError
        check_level(level)


def check_level(level: dict[str, Any]) -> None:
    """Raise unless a level of a manifest is described as `Level` describes it."""
    heights, weights = zip(*level["layers"], strict=True)
    players = [Player(**player) for player in level["players"]]
    weights += tuple(player.weight for player in players)
    texts = [text for player in players for text in (player.policy, player.rule)] + [level["split"] or ""]
    low, high = level["friction"]
    if level.keys() | OPTIONAL != LEVEL_PARTS or not players or not isinstance(level["config"], dict):
        raise ValueError
    if level.get("sizes") is not None:
        sizes = BlockSizes(**level["sizes"])
        if not all(is_number(end) for ends in (sizes.length, sizes.width, sizes.height) for end in ends):
            raise TypeError
    if not all(map(is_whole, heights)) or not all(isinstance(text, str) for text in texts):
        raise TypeError
    if not all(is_number(each) and 0 <= each < math.inf for each in (low, high, *weights)) or min(weights) == 0:
        raise ValueError


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write or replace the manifest."""
    with write_whole(folder / MANIFEST) as part:
        part.write_text(json.dumps(asdict(manifest), indent=1) + "\n")
