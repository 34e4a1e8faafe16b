"""Write the lists of names in docs/reference/api: what each room shows, for mkdocstrings.

    python tools/write_api_pages.py

The words above a list stay. A room lists its `__all__`, functions first. Names of single files of a room stay below
these while they exist and the room does not show them; a name that is gone is left out, and said.
"""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

PAGES = Path(__file__).parents[1] / "docs" / "reference" / "api"
ENTRY = re.compile(r"^::: (\S+)$", re.MULTILINE)


def main() -> None:
    """Write every page anew."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        page.write_text(render_page(text), encoding="utf-8")


def render_page(text: str) -> str:
    """Return a page with its list as the room is now."""
    words, _, _ = text.partition("::: ")
    room = re.findall(r"^# `(\S+)`$", words, re.MULTILINE)[0]
    shown = sorted(getattr(import_module(room), "__all__", ()), key=lambda name: (not name[0].islower(), name.isupper(), name))
    others = [name for name in ENTRY.findall(text) if name.count(".") > room.count(".") + 1]
    kept = [name for name in others if name.rpartition(".")[2] not in shown and is_there(name)]
    return words + "\n".join(f"::: {name}" for name in [*(f"{room}.{name}" for name in shown), *kept]) + "\n"


def is_there(name: str) -> bool:
    """Tell whether a name can be imported; say so if not."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        print(f"{name} is gone")
        return False
    return True


if __name__ == "__main__":
    main()
