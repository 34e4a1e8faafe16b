"""Files tab: a button for each file, the progress of the one being made, and the target to print."""

from collections.abc import Callable

import viser

from anastylosis.web.downloads import FILES
from anastylosis.web.target_offer import offer_target
from anastylosis.web.words import Translator, frame


class FilesTab:
    """Controls of the files tab. `download` hears which file is wanted, `send_target` on which paper the target is."""

    def __init__(
        self, gui: viser.GuiApi, words: Translator, download: Callable[[str], None], send_target: Callable[[str], None]
    ) -> None:
        gui.add_html(frame(words("downloads_intro")))
        self.buttons = {kind: gui.add_button(words(f"file_{kind}"), disabled=True) for kind in FILES}
        self.bar = gui.add_progress_bar(0.0, visible=False, animated=True)
        self.status = gui.add_html("")
        for kind, button in self.buttons.items():
            button.on_click(lambda event, kind=kind: download(kind))
        gui.add_html(frame(words("target_note")))
        self.target = offer_target(gui, words, send_target)
        self.target_status = gui.add_html("")

    def offer(self, ready: bool) -> None:
        """Enable or disable the buttons that ask for files."""
        for button in self.buttons.values():
            button.disabled = not ready

    def show_progress(self, words: str, share: float | None) -> None:
        """Show how much of a file is made, from 0 to 1; None: none is being made."""
        self.bar.visible = share is not None
        self.bar.value = 100 * min(share or 0.0, 1.0)
        self.status.content = frame(words)
