"""Passwords: what is acceptable, and how they are kept (argon2id) without a flood of sign-ins taking the memory.

Hashing runs in a few threads, so at most `hashes_at_once` times the memory of one hash is in use; who would wait behind
too many others is told to come back. An unknown user costs one hash as well, so time tells nobody who exists.
Called by `credentials`, `me`, `users` and `invitations`; nothing here touches data.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import DEFAULT_HASH_LENGTH, DEFAULT_RANDOM_SALT_LENGTH, PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION, Type

from argosy.kit.errors import Invalid, TooMany
from argosy.platform.identity.settings import IdentitySettings

T = TypeVar("T")
SHORTEST = 10
_WAITING = 64
_TRIED_FIRST = """
    1234567890 12345678910 123456789012 0123456789 1111111111 0000000000 1q2w3e4r5t 1q2w3e4r5t6y qwertyuiop
    qwerty1234 qwerty12345 qwerty123456 qwertyuiop123 asdfghjkl123 zxcvbnm123 1qaz2wsx3edc password12 password123
    password1234 password12345 passwordpassword password123! password1! password!1 p@ssword123 p@ssw0rd123 passw0rd123
    welcome123 welcome1234 welcome123! letmein123 letmein1234 iloveyou12 iloveyou123 iloveyou1234 sunshine123
    princess123 football123 baseball123 superman123 batman1234 dragon1234 monkey1234 master1234 shadow1234
    michael123 jennifer123 charlie123 trustno1trustno1 administrator administrator1 admin12345 admin123456 adminadmin
    adminadmin1 adminadmin123 changeme123 changeme1234 changemenow secret1234 secret12345 default123 default1234
    abcdefghij abcdefghijk abcd123456 abc1234567 abc123abc123 aaaaaaaaaa aa12345678 a123456789 a1234567890 q1w2e3r4t5
    q1w2e3r4t5y6 123qweasdzxc 1234qwerasdf qazwsxedcrfv asdfasdf123 testtest123 test123456 test1234567 testing1234
    kubernetes kubernetes1 kubernetes123 argosy1234 argosyargosy opensesame opensesame1 correcthorsebatterystaple
"""
_COMMON = frozenset(_TRIED_FIRST.split())


def check_acceptable(password: str, email: str) -> None:
    """Length and the lists that attackers try first; no rules about kinds of characters, which only annoy."""
    plain = _normal(password).casefold()
    address = email.casefold()
    if len(password) < SHORTEST:
        raise _unacceptable(f"the password is shorter than {SHORTEST} characters")
    if plain in (address, address.partition("@")[0], address[::-1]):
        raise _unacceptable("the password is the e-mail address")
    if plain in _COMMON or len(set(plain)) < 3:
        raise _unacceptable("the password is one of those that are tried first")


def unchanged() -> Invalid:
    return _unacceptable("this is the password that it is to replace")


def _unacceptable(why: str) -> Invalid:
    return Invalid(
        why,
        code="password.weak",
        cure="choose another, for example four random words",
        context={"field": "password"},
    )


def _normal(password: str) -> str:
    return unicodedata.normalize("NFC", password)


def _bytes(password: str) -> bytes:
    return _normal(password).encode("utf-8", "surrogatepass")


def _hash_of_nothing(settings: IdentitySettings) -> str:
    """In the form of a hash with today's parameters, so comparing with it costs the same; no password leads to it."""
    salt, found = (
        base64.b64encode(secrets.token_bytes(length)).rstrip(b"=").decode()
        for length in (DEFAULT_RANDOM_SALT_LENGTH, DEFAULT_HASH_LENGTH)
    )
    cost = f"m={settings.hash_memory_kib},t={settings.hash_rounds},p=1"
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${found}"


class Passwords:
    def __init__(self, settings: IdentitySettings) -> None:
        self._hasher = PasswordHasher(
            time_cost=settings.hash_rounds, memory_cost=settings.hash_memory_kib, parallelism=1, type=Type.ID
        )
        self._threads = ThreadPoolExecutor(settings.hashes_at_once, thread_name_prefix="argon2")
        self._under_way = 0
        self._most = settings.hashes_at_once + _WAITING
        self._nobodys = _hash_of_nothing(settings)
        self.hashes = 0  # computed since the start; tests read it to see that an unknown user costs one

    async def hash(self, password: str) -> str:
        return await self._in_thread(lambda: self._hasher.hash(_bytes(password)))

    async def verify(self, stored: str, password: str) -> bool:
        """`stored` empty: nobody's; costs the same and is never right."""
        against = stored or self._nobodys
        right = await self._in_thread(lambda: self._matches(against, password))
        return right and bool(stored)

    def outdated(self, stored: str) -> bool:
        """Made with other parameters than today's: hash again while the password is at hand."""
        return self._hasher.check_needs_rehash(stored)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._under_way >= self._most:
            raise TooMany(
                "too many sign-ins at once", retry_after=2, code="auth.busy", cure="try again in a moment"
            )
        self._under_way += 1
        self.hashes += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._under_way -= 1
