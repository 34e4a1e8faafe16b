"""Refusal page: why a visitor gets no session, in every language, since nobody knows theirs yet."""

from html import escape

from anastylosis.web.access import QUERY, Refusal
from anastylosis.web.config import LANGUAGES
from anastylosis.web.words import Translator

HEAD = (
    '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>Anastylosis</title>"
)
STYLE = "body{font:16px/1.5 sans-serif;max-width:34em;margin:3em auto;padding:0 1em}h1{font-size:1.2em}section{margin-bottom:2em}"
SHOWN = 200  # characters of what was asked for


def describe_refusal(refusal: Refusal, words: Translator) -> str:
    """Describe a refusal as HTML."""
    return words(refusal.reason, asked=f"<b>{escape(refusal.asked[:SHOWN])}</b>")


def draw_refusal(refusal: Refusal) -> str:
    """Draw what the page has instead of its controls, as HTML."""
    each = [Translator(language) for language in LANGUAGES]
    return "".join(
        f'<p lang="{words.language}"><b>{words("refused")}</b><br>{describe_refusal(refusal, words)}</p>' for words in each
    )


def draw_page(refusal: Refusal) -> str:
    """Draw a whole page; where the token is missing it has a box for it."""
    sections = []
    for words in map(Translator, LANGUAGES):
        box = f'<label>{words("token")} <input name="{QUERY}" size="30" autocomplete="off"></label>'
        form = f'<form method="get">{box} <button>{words("enter")}</button></form>' if refusal.reason == "refused_token" else ""
        reason = describe_refusal(refusal, words)
        sections.append(f'<section lang="{words.language}"><h1>{words("refused")}</h1><p>{reason}</p>{form}</section>')
    return f"{HEAD}<style>{STYLE}</style></head><body>{''.join(sections)}</body></html>\n"
