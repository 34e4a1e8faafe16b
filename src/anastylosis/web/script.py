"""Script: what the browser of a visitor is made to do that viser's own page does not."""

import viser
from viser._messages import RunJavascriptMessage


def run_script(client: viser.ClientHandle, source: str) -> None:
    """Run JavaScript in the page of this visitor; it may `return` early."""
    client._websock_connection.queue_message(RunJavascriptMessage(source))
