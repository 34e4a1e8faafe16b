"""The page in Spanish, as a visitor meets it who makes mistakes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from anastylosis.detection.camera.photograph import read_photograph
from anastylosis.web.uploads import EXAMPLES
from support.browsers import FAILED, Browser


@pytest.fixture(scope="module")
def hispanic(open_browser) -> Iterator[Browser]:
    browser: Browser = open_browser()
    browser.choose("Language", "Español")
    browser.wait_for("Aún no hay nada.")
    yield browser
    browser.read_logs()
    assert browser.complaints == []
    browser.quit()


def test_files_that_cannot_be_used_are_refused_in_spanish(hispanic: Browser, tmp_path: Path) -> None:
    (tmp_path / "piedras.csv").write_text("this,is\nno,survey\n")
    hispanic.give(tmp_path / "piedras.csv")
    text = hispanic.wait_for("La tabla no tiene las columnas de un levantamiento.")
    assert "Eso no funcionó." in text
    assert "En detalle, en inglés: piedras.csv" in text
    assert "Se aceptan fotos" in text
    assert FAILED not in text
    (tmp_path / "rota.png").write_bytes(EXAMPLES["picture"].path.read_bytes()[:5000])
    hispanic.give(tmp_path / "rota.png")
    hispanic.wait_for("La foto está dañada o incompleta.")
    (tmp_path / "grande.csv").write_bytes(b"x" * 1_000_001)
    hispanic.give(tmp_path / "grande.csv")
    hispanic.wait_for("grande.csv es muy grande: se aceptan hasta 1 MB.")


def test_a_picture_without_a_camera_is_answered_in_spanish(hispanic: Browser, tmp_path: Path) -> None:
    Image.fromarray(read_photograph(EXAMPLES["picture"].path)).save(tmp_path / "foto.jpg", quality=92)
    hispanic.give(tmp_path / "foto.jpg")
    hispanic.wait_for("foto.jpg: una foto; no se ve en ella el patrón impreso")
    hispanic.press("Reconstruir")
    hispanic.wait_for("El punto 1 aún no tiene píxel")
    hispanic.choose("Se sabe por", "la foto, o su patrón")
    hispanic.wait_for("Mida desde la esquina 0 de la hoja impresa")
    hispanic.press("Reconstruir")
    text = hispanic.wait_for("No se sabe desde dónde se tomó la foto.")
    assert "«cuatro puntos del piso»" in text


def test_numbers_that_cannot_be_are_refused_in_spanish(hispanic: Browser) -> None:
    hispanic.press("levantamiento")
    hispanic.wait_for("survey.csv: un levantamiento")
    hispanic.type_text("Rumbo [°]", "norte")
    hispanic.press("Reconstruir")
    hispanic.wait_for("«Rumbo [°]» dice «norte»; escriba un número")
    hispanic.type_text("Rumbo [°]", "0")
    hispanic.type_numbers("Niveles", 3)
    hispanic.press("Reconstruir")
    hispanic.wait_for("Hay más bloques de los que tiene una torre de tantos niveles.")
