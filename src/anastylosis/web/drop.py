"""Drop: files that a visitor drags onto the page; viser's upload button knows nothing of them."""

import json
from pathlib import Path

import viser

from anastylosis.web.script import run_script
from anastylosis.web.words import Translator

SCRIPT = Path(__file__).with_name("drop.js")


def take_drops(client: viser.ClientHandle, words: Translator) -> None:
    """Take files that are dropped on the page as uploads, limited as these; called again when the language changes."""
    texts = {"drop": words("drop"), "several": words("drop_several"), "folder": words("drop_folder"), "tab": words("tab_start")}
    run_script(client, f"const WORDS = {json.dumps(texts)};\n{SCRIPT.read_text(encoding='utf-8')}")
