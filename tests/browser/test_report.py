"""The report in a browser: its first screen on wide and narrow windows, and on A4."""

import base64
import re
from pathlib import Path

import pytest

from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.page import render_report
from anastylosis.web.opening import open_example
from support.browsers import Browser, find_chromium

A4 = (595, 842)  # [pt]


@pytest.mark.parametrize(("language", "first"), [("en", "The answer"), ("es", "La respuesta")])
def test_the_report_fits_every_window_and_prints_on_a4(tmp_path: Path, language: str, first: str) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium with its driver on this machine")
    finding = open_example()
    path = tmp_path / "report.html"
    lines = list_lines(finding.found, finding.prediction)
    path.write_text(render_report(finding.document, lines, {}, [], language), encoding="utf-8")
    browser = Browser(tmp_path, path.as_uri(), first=first)
    driver = browser.driver
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.find("//section/h2").is_displayed()
    tables = "return [...document.querySelectorAll('details')].map((each) => each.open)"
    assert False in driver.execute_script(tables)
    pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    boxes = re.findall(rb"/MediaBox ?\[([^\]]*)\]", pdf)
    assert boxes
    assert {tuple(round(float(side)) for side in box.split()[2:]) for box in boxes} == {A4}
    assert all(driver.execute_script(tables))  # what was folded is printed, too
    link = browser.find("//a[@download='paradata.json']").get_attribute("href")
    assert link.startswith("data:application/json;base64,")
    browser.quit()
