"""Edge stage: the composition root: parts and routes to one ASGI application."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from litestar import Litestar
from litestar.datastructures import State
from litestar.types import ASGIApp, ControllerRouterHandler

from api.edge import Edge
from api.http_admin import QuarantineList, Status, list_quarantine, status
from api.http_blobs import get_blob
from api.http_errors import on_exception
from api.http_events import Accepted, LogLine, append_events, read_log
from api.http_export import export_session
from api.http_interactions import Forwarded, answer_interaction
from api.http_metrics import metrics
from api.http_preferences import get_preferences, patch_preferences
from api.http_probes import Alive, Ready, livez, readyz, schema
from api.http_rows import RowTextPart, get_row_text
from api.http_search import SearchPage, search_session
from api.http_sessions import delete_session, get_session, list_sessions
from api.http_tickets import TicketGiven, create_ticket
from api.http_transcripts import OneSpec, OneTurn, get_transcript, get_turn, get_turn_spec
from api.listing import SessionEntry, SessionPage
from api.openapi import openapi_config
from api.page import PageFiles, asset, index, web_directory
from api.parts import Parts
from api.version import service_version
from projections.preferences import Preferences
from projections.transcript import Transcript

ROUTES: Final[Sequence[ControllerRouterHandler]] = (
    answer_interaction,
    append_events,
    asset,
    create_ticket,
    delete_session,
    export_session,
    get_blob,
    get_preferences,
    get_row_text,
    get_session,
    get_transcript,
    get_turn,
    get_turn_spec,
    index,
    list_quarantine,
    list_sessions,
    livez,
    patch_preferences,
    metrics,
    read_log,
    readyz,
    schema,
    search_session,
    status,
)
ANSWERS: Final[tuple[type[msgspec.Struct], ...]] = (
    Accepted,
    Alive,
    Forwarded,
    LogLine,
    OneSpec,
    OneTurn,
    Preferences,
    QuarantineList,
    Ready,
    RowTextPart,
    SearchPage,
    SessionEntry,
    SessionPage,
    Status,
    TicketGiven,
    Transcript,
)


def build_app(parts: Parts, socket: ASGIApp | None = None, *, page: Path | None = None) -> ASGIApp:
    """The application over its parts; it starts nothing and stops nothing.

    Args:
        parts: what the routes work with; already started.
        socket: the raw ASGI handler of WebSocket scopes at `/v1/ws`; None serves none.
        page: the directory of the browser client; None looks where it is installed.
    """
    routes = Litestar(
        route_handlers=ROUTES,
        exception_handlers={Exception: on_exception},
        logging_config=None,
        openapi_config=openapi_config(
            base_path=parts.door.base_path,
            needs_token=parts.authenticator.is_configured,
            version=service_version(),
        ),
        request_max_body_size=parts.limits.max_request_bytes,
        state=State({"parts": parts, "answers": ANSWERS, "page_files": PageFiles(page or web_directory())}),
    )
    return Edge(
        routes, socket, parts.door, parts.authenticator, metrics=parts.metrics, readiness=parts.readiness
    )
