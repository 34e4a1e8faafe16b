"""Settings of the page."""

from dataclasses import dataclass

from anastylosis.errors import InvalidConfig
from anastylosis.web.access import PublicUrl, choose_token

LANGUAGES = {"en": "English", "es": "Español"}
UPLOAD_MAX = 200_000_000  # [bytes] that any page takes: pictures are decoded in memory
SURVEY_MAX = 10_000_000  # [bytes] of an uploaded survey: a thousand for each of 10,000 blocks; ours take 370 as CSV, 520 as JSON


@dataclass(frozen=True, kw_only=True)
class PageConfig:
    """Address of the page, and limits on the work for one visitor."""

    host: str = "127.0.0.1"  # this machine alone
    port: int = 8080  # 0: any that is free
    public_url: str | None = None  # of a proxy before the page; None: browsers reach it at host and port
    token: str | None = None  # that visitors need; None: a random one where others can reach the page. "": none
    upload_max: int = 50_000_000  # [bytes] of a picture; a survey has SURVEY_MAX at most
    uploads_total: int = 400_000_000  # [bytes] of the files of all visitors together
    pixels_total: int = 256_000_000  # of the pictures of all visitors together; each takes three bytes
    language: str | None = None  # that the page begins in; None: the first of the browser's that it speaks, else English
    hypotheses: int = 12  # proposals that are re-simulated, unless the visitor says otherwise
    moves: int = 12  # pulls that are tried on the most probable state
    workers: int | None = None  # processes of a reconstruction; None: one a core, 2 at least. 1: a thread, for tests
    opening: bool = True  # visitors who have given nothing see the example, reconstructed
    visitors: int = 24  # at a time; each has pictures and frames in memory

    def __post_init__(self) -> None:
        if self.language is not None and self.language not in LANGUAGES:
            raise InvalidConfig(f"language is {self.language!r}; it is one of {', '.join(LANGUAGES)}")
        if not 0 <= self.port < 2**16:
            raise InvalidConfig(f"port is {self.port}; it is 0 to {2**16 - 1}")
        if not 0 < self.upload_max <= UPLOAD_MAX:
            raise InvalidConfig(f"uploads have up to {self.upload_max:,} bytes; it is 1 to {UPLOAD_MAX:,}")
        if self.public_url is not None:
            PublicUrl.parse(self.public_url)
        choose_token(self.token, reachable=False)
