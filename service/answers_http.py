"""Adapter: answers to an HTTP receiver of the deployment, signed as Standard Webhooks are (ADR 0019).

1. There is one address, the deployment's. Nothing of an event, a request or an answer of the receiver changes
   it: no redirect is followed, no proxy of the environment is asked, no cookie is kept.
2. The signature covers id, time and body, so that a receiver can refuse what is forged, altered or old.
3. Of the receiver's answer the status counts. Its body is not read: it cannot be great, slow or confusing.
"""

import asyncio
import secrets
from typing import Final

import httpx
import msgspec

from service.answers import Answer, AnswerRefused, AnswerUndelivered
from service.signing import signature

#: Readers answer one by one; what waits for a slow receiver is bounded.
_CONNECTIONS: Final = 16

_encode = msgspec.json.Encoder().encode


class HttpAnswers:
    """`answers.AnswerForwarder` on one address."""

    def __init__(self, url: str, key: bytes, timeout_ms: int) -> None:
        """Make a forwarder; it connects with the first answer.

        Args:
            url: the deployment's own, http or https.
            key: signs every answer.
            timeout_ms: for one answer as a whole, connecting included.
        """
        self._url = url
        self._key = key
        self._timeout_s = timeout_ms / 1000
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            trust_env=False,
            timeout=self._timeout_s,  # of each step; the whole exchange has the same limit, below
            limits=httpx.Limits(max_connections=_CONNECTIONS),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def forward(self, answer: Answer, now_ms: int) -> str:
        """Send it once."""
        delivery = f"msg_{secrets.token_urlsafe(18)}"
        body = _encode({"type": "interaction.answered", "timestamp_ms": now_ms, "data": answer})
        timestamp_s = now_ms // 1000
        headers = {
            "content-type": "application/json",
            "user-agent": "turnfold",
            "webhook-id": delivery,
            "webhook-timestamp": str(timestamp_s),
            "webhook-signature": signature(self._key, delivery, timestamp_s, body),
        }
        status = await self._sent(body, headers)
        if status >= 500 or status in (408, 425, 429):
            raise AnswerUndelivered(f"it answered with HTTP {status}")
        if not 200 <= status < 300:
            raise AnswerRefused(status)
        return delivery

    async def _sent(self, body: bytes, headers: dict[str, str]) -> int:
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream("POST", self._url, content=body, headers=headers) as reply,
            ):
                return reply.status_code
        except (TimeoutError, httpx.TimeoutException):
            raise AnswerUndelivered(f"it did not answer within {self._timeout_s:g} s") from None
        except httpx.HTTPError as error:
            # The kind alone: the words may hold the address, and the reader need not know it.
            raise AnswerUndelivered(f"it cannot be reached ({type(error).__name__})") from error
