"""Signing what is sent to a receiver of the deployment, as the Standard Webhooks specification has it (ADR 0019)."""

import base64
import binascii
import hashlib
import hmac
from typing import Final

#: How a signing secret is written down: this, and its bytes in base64.
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - a name, not a secret
#: What the specification asks for.
MIN_SECRET_BYTES: Final = 24
MAX_SECRET_BYTES: Final = 64


def secret_bytes(text: str) -> bytes | None:
    """The key of a written secret; None where it is none.

    >>> secret_bytes("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")
    b'012345678901234567890123'
    """
    try:
        key = base64.b64decode(text.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    is_fit = text.startswith(SECRET_PREFIX) and MIN_SECRET_BYTES <= len(key) <= MAX_SECRET_BYTES
    return key if is_fit else None


def signature(key: bytes, delivery: str, timestamp_s: int, body: bytes) -> str:
    """The value of `webhook-signature`: a version, and the HMAC-SHA256 of id, time and body in base64."""
    signed = f"{delivery}.{timestamp_s}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
