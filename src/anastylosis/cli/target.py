"""`anastylosis target`: the printed sheet for photographs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.new_file import Force, check_new_file
from anastylosis.cli.table import print_json
from anastylosis.errors import InvalidInput
from anastylosis.units import metres_to_millimetres


def target_command(
    out: Annotated[Path, typer.Option("--out", metavar="T.pdf", help="PDF page to write, in vectors and to scale.")],
    paper: Annotated[str, typer.Option(metavar="NAME", help="Paper size: a4, a3 or letter.")] = "a4",
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write the target to print and lay beside debris. Photographs of it need no camera file. Print it at 100 %, lay it flat."""
    from anastylosis.detection import Target

    if out.suffix.lower() != ".pdf":
        raise InvalidInput(f"--out is {out}; the target is a page that ends in .pdf")
    check_new_file(out, force)
    target = Target.choose(paper)
    out.parent.mkdir(parents=True, exist_ok=True)
    target.draw(out)
    if as_json:
        width, height = (round(metres_to_millimetres(side), 3) for side in target.page)
        square, marker = (round(metres_to_millimetres(side), 3) for side in (target.square, target.marker))
        print_json(
            {
                "files": [str(out)],
                "paper": target.paper,
                "page_width_mm": width,
                "page_height_mm": height,
                "columns": target.columns,
                "rows": target.rows,
                "square_mm": square,
                "marker_mm": marker,
                "ruler_mm": target.RULER_MM,
            }
        )
    else:
        print(f"{out} is written: print it at 100 % and measure its ruler, {target.RULER_MM} mm", file=sys.stderr)
