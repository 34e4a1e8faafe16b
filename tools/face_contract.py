"""Contract of import-linter: a room imports from the faces of other rooms, not from the files behind them.

A face is a room's `__init__.py`. Its names are loaded on demand, so an import from a face is cheap. An exception in
`[tool.importlinter]` names two rooms, such as `training -> detection`: what trains a net opens the room that runs it.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class FaceContract(Contract):
    """Rooms of one package import from each other's faces only."""

    container = fields.StringField()
    exceptions = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """List the imports that go past a face."""
        package: Any = self.container
        rooms = graph.find_children(package)
        pairs = [str(each).split("->") for each in self.exceptions or ()]  # type: ignore[union-attr]
        open_rooms = {tuple(f"{package}.{name.strip()}" for name in pair) for pair in pairs}
        found = []
        for importer in sorted(graph.modules):
            own = find_room(importer, rooms)
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                room = find_room(imported, rooms)
                past = room is not None and imported != room and room != own
                if past and own is not None and (own, room) not in open_rooms:
                    found.append((importer, imported))
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["found"]:
            output.print_error(f"{importer} imports {imported}; import from the face of its room")


def find_room(module: str, rooms: set[str]) -> str | None:
    """Find the room that a module is in; None: it is the package itself."""
    return next((room for room in rooms if module == room or module.startswith(f"{room}.")), None)
