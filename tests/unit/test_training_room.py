"""No command but `train` and `evaluate` reaches the training room, and none but these needs PyTorch. From the import graph."""

import grimp
import pytest

TRAINING = "anastylosis.training"
COMMANDS = (  # files of commands that train or evaluate, and what draws the pages of an evaluation
    "anastylosis.cli.evaluate",
    "anastylosis.cli.train",
    "anastylosis.cli.train_assign",
    "anastylosis.cli.train_detector",
    "anastylosis.cli.train_picture",
    "anastylosis.cli.training",
    "anastylosis.report.evaluation",
)
DOORS = ("anastylosis.cli", "anastylosis.__main__")  # they name every command; what a command needs is loaded when it runs
# Modules that load PyTorch when a user asks for tensors, never otherwise: `Dataset.as_torch`.
TENSORS = ("anastylosis.dataset.torch_samples",)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Every import of the package, also those inside functions."""
    return grimp.build_graph("anastylosis", include_external_packages=True, cache_dir=None)


def find_users(graph: grimp.ImportGraph, name: str) -> set[str]:
    """Return modules outside the training room that reach a module, directly or through others."""
    users = graph.find_downstream_modules(name, as_package=name == TRAINING)
    return {user for user in users if not user.startswith(TRAINING)}


def test_only_train_and_evaluate_reach_the_training_room(graph: grimp.ImportGraph) -> None:
    assert find_users(graph, TRAINING) <= {*COMMANDS, *DOORS}


def test_only_train_and_evaluate_need_torch(graph: grimp.ImportGraph) -> None:
    for module in TENSORS:
        if module in graph.modules:
            graph.remove_import(importer=module, imported="torch")
    assert "torch" in graph.modules
    assert find_users(graph, "torch") <= {*COMMANDS, *DOORS}


@pytest.mark.parametrize("module", COMMANDS)
def test_the_list_has_no_module_that_is_gone(graph: grimp.ImportGraph, module: str) -> None:
    assert module in graph.modules
