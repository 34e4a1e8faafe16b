"""Write the reconstruction that the page opens on, from the survey that ships.

python tools/write_opening.py [--workers 2]
"""

import argparse
from collections.abc import Sequence

from anastylosis.executors import open_pool
from anastylosis.progress import no_progress
from anastylosis.web.config import PageConfig
from anastylosis.web.findings import reconstruct
from anastylosis.web.observing import VisitorFacts
from anastylosis.web.opening import SHIPPED
from anastylosis.web.stored_finding import write_finding
from anastylosis.web.uploads import EXAMPLES


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(words)
    config, given = PageConfig(), EXAMPLES["survey"]
    facts = VisitorFacts(layers=given.layers, hypotheses=config.hypotheses)
    with open_pool(asked.workers) as execute:
        finding = reconstruct(given, facts, config.moves, execute, no_progress)
    write_finding(SHIPPED, finding)
    print(f"{SHIPPED.name}: {len(finding.found.hypotheses)} proposals, {SHIPPED.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
