"""Inputs that nobody would write, made from inputs that somebody did: cut, joined, repeated, spoiled."""

import random
from collections.abc import Callable, Sequence

MAX_INPUT_BYTES = 16 * 1024
# What has broken parsers before: numbers at their edges, halves of pairs, empty and unending things.
_TOKENS: Sequence[bytes] = (
    *(b"0", b"-0", b"-1", b"1e999", b"1E-400", b"9223372036854775808", b"18446744073709551616"),
    *(b"null", b"true", b"NaN", b"[]", b"{}", b"\\", b'"', b'""'),
    *(b'"\\ud83d"', b'"\\ude00"', b'"\\u0000"', b"\\ud83d"),
    *(b"\x00", b"\xff", b"\xed\xa0\xbd", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\r\n", b"\n\n"),
    *(b"[" * 600, b'{"a":' * 600, b" " * 3_000),
    *(b'"turn":null', b'"turn":-1', b'"step":1.5', b'"surface":"replace"', b'"event_id":"e"'),
    *(b'"parent_call_id":"c1"', b'"parent_call_id":"c2"', b'"synthetic":true', b'"interrupted":true'),
    *(b"(\xb5/\xfd", b"\x1f\x8b", b"\x81\xa4type\xa4ping", b"\xdf\xff\xff\xff\xff", b"\xc7\x00\x05"),
)
Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(rng: random.Random, pool: Sequence[bytes]) -> bytes:
    """One input of the pool after one to six mutations; never longer than `MAX_INPUT_BYTES`."""
    made = rng.choice(pool)
    for _ in range(rng.randint(1, 6)):
        made = rng.choice(_MUTATIONS)(rng, made, pool)[:MAX_INPUT_BYTES]
    return made


def _slice(rng: random.Random, of: bytes) -> tuple[int, int]:
    begin = rng.randint(0, len(of))
    return begin, min(len(of), begin + rng.choice((1, 2, 4, 16, 64, 256)))


def _flip(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    if not of:
        return of
    at = rng.randrange(len(of))
    return of[:at] + bytes((of[at] ^ (1 << rng.randrange(8)),)) + of[at + 1 :]


def _overwrite(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _slice(rng, of)
    return of[:begin] + rng.randbytes(end - begin) + of[end:]


def _delete(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _slice(rng, of)
    return of[:begin] + of[end:]


def _repeat(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _slice(rng, of)
    return of[:end] + of[begin:end] * rng.choice((1, 2, 50)) + of[end:]


def _insert_token(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(of))
    return of[:at] + rng.choice(_TOKENS) + of[at:]


def _replace_value(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    """Put a token where a value stands: behind a colon, up to the next comma or brace."""
    colons = [at for at, byte in enumerate(of) if byte == ord(":")]
    if not colons:
        return of
    at = rng.choice(colons) + 1
    ends = [end for end in (of.find(b",", at), of.find(b"}", at)) if end >= 0]
    return of[:at] + rng.choice(_TOKENS) + of[min(ends, default=len(of)) :]


def _splice(rng: random.Random, of: bytes, pool: Sequence[bytes]) -> bytes:
    other = rng.choice(pool)
    return of[: rng.randint(0, len(of))] + other[rng.randint(0, len(other)) :]


def _swap_lines(rng: random.Random, of: bytes, pool: Sequence[bytes]) -> bytes:
    lines = [*of.split(b"\n"), rng.choice(rng.choice(pool).split(b"\n"))]
    rng.shuffle(lines)
    return b"\n".join(lines)


def _truncate(rng: random.Random, of: bytes, _: Sequence[bytes]) -> bytes:
    return of[: rng.randint(0, len(of))]


_MUTATIONS: Sequence[Mutation] = (
    _flip,
    _overwrite,
    _delete,
    _repeat,
    _insert_token,
    _insert_token,
    _replace_value,
    _replace_value,
    _splice,
    _swap_lines,
    _truncate,
)
