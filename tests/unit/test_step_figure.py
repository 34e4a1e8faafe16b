"""The figure of a step shows the functions that a step calls, in the order in which it calls them."""

import inspect
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from anastylosis.physics import step

TOOL = Path(__file__).parents[2] / "tools" / "draw_step.py"


def test_the_stages_of_the_figure_are_those_of_the_code(tmp_path: Path) -> None:
    spec = spec_from_file_location("draw_step", TOOL)
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    source = inspect.getsource(step)
    called = re.findall(r"\b([a-z_]+)\(", source[source.index("def advance") :])
    for _, _, names in (*tool.SUBSTEP, tool.BEFORE, tool.AFTER):
        assert set(names) <= set(called)
        places = [called.index(name) for name in names]
        assert places == sorted(places)
    tool.draw_step().savefig(tmp_path / "step.png")
    assert (tmp_path / "step.png").stat().st_size > 10_000
    assert tool.TARGET.exists()
