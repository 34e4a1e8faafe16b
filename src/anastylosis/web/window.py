"""Window: how wide the page is for its visitor, in points, which panels are measured in. viser tells dots of the screen, of
which fine screens have two or three in a point."""

import json
from collections.abc import Callable

import viser

from anastylosis.web.script import run_script
from anastylosis.web.words import Translator

SIDE_WIDTH, MAIN_WIDTH, MAIN_LEAST = 330.0, 400.0, 300.0  # [points] of the panels; the main one is smaller where both would
PANELS = 0.62  # take more than this share of the window
WIDEST, DIGITS = 20_000, 5  # [points] more is no window; Python reads no numbers of thousands of digits
# A box that React looks after hears of what is typed, and of what a script says is.
SCRIPT = """
function fill(patience) {
  const label = [...document.querySelectorAll("label")].find((each) => each.textContent === LABEL);
  const box = label && label.parentElement.parentElement.parentElement.querySelector("input");
  if (box) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(box, String(window.innerWidth));
    box.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (patience > 0) {
    setTimeout(() => fill(patience - 1), 50);
  }
}
fill(200);
"""
# In windows of up to 576 points viser has all controls in a sheet of 20 em, which leaves a third of a telephone unused beside it.
SHEET = """
const style = document.createElement("style");
const sheet = "div[style*='; width: 20em'], div[style^='width: 20em']";  // and what is in it
style.textContent = `@media (max-width: 576px) { ${sheet} { width: 100vw !important } }`;
document.head.append(style);
"""


WARNING = """
const hide = () => {
  for (const title of document.querySelectorAll(".mantine-Notification-title")) {
    if (title.textContent.startsWith("Software WebGL")) title.closest(".mantine-Notification-root").style.display = "none";
  }
};
hide();
const watch = new MutationObserver(hide);
watch.observe(document.body, { childList: true, subtree: true });
setTimeout(() => watch.disconnect(), 60000);
"""
TURN = """
const tab = [...document.querySelectorAll("[role=tab]")].find((each) => each.textContent.trim() === NAME);
if (tab) tab.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
"""


def ask_width(client: viser.ClientHandle, words: Translator, on_width: Callable[[int], None]) -> viser.GuiInputHandle[str]:
    """Have the browser fill in a box, which goes when it has; `hear` is given the width [points]. The box is put where controls
    are
    being added: best into a folder that is closed."""
    box = client.gui.add_text(words("window"), "")

    @box.on_update
    def _(event: object) -> None:
        typed = box.value
        if len(typed) <= DIGITS and typed.isdecimal() and 0 < (width := int(typed)) <= WIDEST:
            box.remove()
            on_width(width)

    run_script(client, f"const LABEL = {json.dumps(words('window'))};\n{SCRIPT}")
    return box


def set_widths(main: viser.MainPanelHandle, side: viser.PanelHandle, window: int) -> None:
    """Set panels as wide as a window of so many points allows."""
    side.set_width(SIDE_WIDTH)
    main.set_width(min(max(PANELS * window - SIDE_WIDTH, MAIN_LEAST), MAIN_WIDTH))


def hide_warning(client: viser.ClientHandle) -> None:
    """Hide what viser says, in English, of browsers that draw without a graphics card: the page works there."""
    run_script(client, WARNING)


def turn_to_tab(client: viser.ClientHandle, name: str) -> None:
    """Turn to the tab of this name. viser's tabs listen to pointers, which drag them, and to keys."""
    run_script(client, f"const NAME = {json.dumps(name)};\n{TURN}")


def widen_sheet(client: viser.ClientHandle) -> None:
    """Widen the sheet of controls to the whole width of a telephone."""
    run_script(client, SHEET)
