"""A real Chromium that tests look at the page with."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

__all__ = ["FAILED", "PATIENCE", "Browser", "find_chromium"]

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--window-size=1040,700",  # a small scene: every pixel of it is drawn by the processor
)  # fmt: skip

FAILED = "That did not work."  # what the page says of work that it gave up
PATIENCE = 120.0  # [s] for anything: other tests run beside these, and a page that is drawn without a GPU waits for its turn


def find_chromium() -> tuple[str, str] | None:
    """The browser and its driver; None: they are not both here."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One visitor: a browser with an empty profile, that has the page open."""

    def __init__(self, folder: Path, address: str, *flags: str, first: str = "Reconstruct") -> None:
        """`flags` of Chromium; `first`: words that the page has when it is there."""
        from selenium import webdriver

        browser, driver = find_chromium() or ("", "")
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        self.folder, self.address, self.downloads = folder, address, folder / "downloads"
        for flag in (*FLAGS, *flags, f"--user-data-dir={folder / 'profile'}"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self.driver.set_script_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        self.open(first)

    def open(self, first: str = "Reconstruct") -> None:
        self.driver.get(self.address)
        self.wait_for(first)

    @property
    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    def find(self, path: str):
        return self.driver.find_element("xpath", path)

    def wait_for(self, words: str, seconds: float = PATIENCE, gone: bool = False, unless: str = "") -> str:
        """The text of the page when it has these words, or has them no more; after the words `unless` they will not come."""
        end = time.monotonic() + seconds
        while (words in (text := self.text)) == gone:
            said = f"{words!r} {'stays' if gone else 'does not come'}; the page says:\n{text}"
            assert time.monotonic() < end, said
            assert not unless or unless not in text, said
            time.sleep(0.1)
        return text

    def wait_to_have(self, read: Callable[[], Any], wanted: Any, seconds: float = PATIENCE) -> None:
        """Until this is what is read, of what the server knows."""
        end = time.monotonic() + seconds
        while (had := read()) != wanted:
            assert time.monotonic() < end, f"{had}, and not {wanted}; the page says:\n{self.text}"
            time.sleep(0.05)

    def press(self, label: str, seconds: float = PATIENCE) -> None:
        """A button, as soon as it can be pressed."""
        self.wait_to_see(f"//button[normalize-space(.)={label!r}][not(@disabled)]", seconds).click()

    def unfold(self, label: str) -> None:
        """Open a folder of controls, or close it."""
        self.find(f"//div[normalize-space(text())={label!r}]").click()

    def turn_to(self, tab: str) -> None:
        self.find(f"//*[@role='tab'][normalize-space(.)={tab!r}]").click()

    def field(self, label: str, number: int = 1):
        """A box of a control that can be seen; hidden tabs have boxes of the same name."""
        path = f"//label[normalize-space(.)={label!r}]/following::input[not(@type='hidden')][{number}]"
        return next(each for each in self.driver.find_elements("xpath", path) if each.is_displayed())

    def choose(self, label: str, option: str) -> None:
        self.field(label).click()
        self.wait_to_see(f"//*[@role='option'][normalize-space(.)={option!r}]").click()

    def wait_to_see(self, path: str, seconds: float = PATIENCE):
        from selenium.common.exceptions import WebDriverException

        end = time.monotonic() + seconds
        while True:
            try:
                found = self.find(path)
                if found.is_displayed():
                    return found
            except WebDriverException:
                pass
            assert time.monotonic() < end, f"{path} is not to be seen"
            time.sleep(0.1)

    def type_numbers(self, label: str, *values: float) -> None:
        """Into the boxes of one control, one after the other."""
        from selenium.webdriver.common.keys import Keys

        for number, value in enumerate(values, 1):
            self.field(label, number).send_keys(Keys.CONTROL, "a")
            self.field(label, number).send_keys(str(value), Keys.TAB)

    def type_text(self, label: str, text: str) -> None:
        """Into a box, letter by letter, as people do."""
        from selenium.webdriver.common.keys import Keys

        self.field(label).send_keys(Keys.CONTROL, "a")
        for letter in text:
            self.field(label).send_keys(letter)
        self.field(label).send_keys(Keys.TAB)

    def drag_files(self, paths: list[Path], *acts: str) -> None:
        """Files from outside, over the middle of the page. Chromium's own acts are dragEnter, dragOver and drop."""
        size = self.driver.execute_script("return [innerWidth / 2, innerHeight / 2]")
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for act in acts:
            self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {"type": act, "x": size[0], "y": size[1], "data": data})

    def give(self, path: Path) -> None:
        self.find("//input[@type='file']").send_keys(str(path))

    def click_scene(self, x: float, y: float) -> None:
        """Click at these shares of the canvas."""
        from selenium.webdriver.common.action_chains import ActionChains

        canvas = self.find("//canvas")
        width, height = canvas.size["width"], canvas.size["height"]
        ActionChains(self.driver).move_to_element_with_offset(canvas, (x - 0.5) * width, (y - 0.5) * height).click().perform()

    def wait_for_file(self, name: str, seconds: float = PATIENCE) -> Path:
        path, end = self.downloads / name, time.monotonic() + seconds
        while not path.exists():
            assert time.monotonic() < end, f"{name} does not come; the page says:\n{self.text}"
            time.sleep(0.1)
        return path

    def read_logs(self) -> None:
        """Note what the console complained about, and which hosts were asked, since the last time."""
        self.complaints += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            url = message["params"].get("request", {}).get("url") or message["params"].get("url", "")
            if message["method"].startswith("Network.") and urlsplit(url).scheme in ("http", "https", "ws", "wss"):
                self.hosts.add(urlsplit(url).netloc)

    def quit(self) -> None:
        self.driver.quit()
