"""Guard: what the page does not let a browser do. This file, `server.py` and `script.py` know the inside of viser; `window.py`
and `drop.js` know the elements of its page. No other does.

viser takes uploads of any size. Not here.
"""

from collections.abc import Callable

import viser
from viser._messages import FileTransferPart, FileTransferPartAck, FileTransferStartUpload

from anastylosis.survey import SURVEY_ENDINGS
from anastylosis.web.allowance import Allowance
from anastylosis.web.config import SURVEY_MAX

UPLOADS_EACH = 2  # of the largest size, that one visitor may have here: one that is whole, and one on its way


def limit_uploads(client: viser.ClientHandle, most: int, shared: Allowance, refuse: Callable[[str, str], None]) -> None:
    """Refuse uploads that are too large, before they are taken in.

    Too large: more than `most` bytes, or than a survey has, or more than visitors `shared` have together. Uploads of another size
    than they announced are refused, too. `refuse` hears the name of the file and the key of the reason. viser keeps one until the
    next is whole.
    """
    connection, gui, whole = client._websock_connection, client.gui, set[str]()

    def begin(client_id: int, message: FileTransferStartUpload) -> None:
        if message.transfer_uuid in whole or message.transfer_uuid in gui._current_file_upload_states:
            return  # what is counted for it stays
        if not 0 <= message.size_bytes <= most or not 0 <= message.part_count <= max(message.size_bytes, 1):
            turn_away(message, "too_large")
        elif message.size_bytes > SURVEY_MAX and message.filename.lower().endswith(SURVEY_ENDINGS):
            turn_away(message, "survey_too_large")
        elif not shared.take(client.client_id, message.transfer_uuid, message.size_bytes, UPLOADS_EACH * most):
            turn_away(message, "crowded")
        else:
            gui._handle_file_transfer_start(client_id, message)
            if message.transfer_uuid not in gui._current_file_upload_states:  # for no button that there is, or of no parts
                shared.give_back(client.client_id, message.transfer_uuid)

    def turn_away(message: FileTransferStartUpload, why: str) -> None:
        connection.queue_message(  # for the browser it is over, or its button would wait for ever
            FileTransferPartAck(
                source_component_uuid=message.source_component_uuid,
                transfer_uuid=message.transfer_uuid,
                transferred_bytes=message.size_bytes,
                total_bytes=message.size_bytes,
            )
        )
        refuse(message.filename, why)

    def go_on(client_id: int, message: FileTransferPart) -> None:
        state = gui._current_file_upload_states.get(message.transfer_uuid)
        if state is not None and state["transferred_bytes"] + len(message.content) > state["total_bytes"]:
            gui._current_file_upload_states.pop(message.transfer_uuid, None)
            shared.give_back(client.client_id, message.transfer_uuid)
            refuse(state["filename"], "too_large")
            return
        gui._handle_file_transfer_part(client_id, message)
        if state is None or message.transfer_uuid in gui._current_file_upload_states:
            return
        if state["transferred_bytes"] < state["total_bytes"]:  # viser drops it, and keeps the one before
            shared.give_back(client.client_id, message.transfer_uuid)
            refuse(state["filename"], "cut_short")
        else:
            for earlier in whole:
                shared.give_back(client.client_id, earlier)
            whole.clear()
            whole.add(message.transfer_uuid)

    for kind, handler in ((FileTransferStartUpload, begin), (FileTransferPart, go_on)):
        connection.unregister_handler(kind)
        connection.register_handler(kind, handler)
