"""Names to find something by. Two spellings that look the same must not have two budgets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from discreet import check
from discreet.errors import InputError

LONGEST_NAME = 200
# Default_Ignorable_Code_Point, which Python does not know: DerivedCoreProperties.txt of Unicode 14,
# 4,174 code points, with those that are kept free for characters to come
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
# besides the category Pd: of the property Dash (PropList.txt), and what looks like a hyphen-minus
# (confusables.txt of UTS #39), in lower case
DASHES = "\u02d7\u06d4\u2043\u2053\u2212\u2796\u2cbb"
BLANK = "\N{BRAILLE PATTERN BLANK}"  # no white space, but it looks like it
_INVISIBLE = re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in IGNORABLE) + "]")


def name(argument: str, value: object) -> str:
    """A name in Unicode's composed form, without outer spaces and format characters."""
    text = unicodedata.normalize("NFC", check.label(argument, value))
    if any(unicodedata.category(letter) in ("Cf", "Zl", "Zp") for letter in text):
        raise _invisible(argument, text)
    if text != text.strip():
        raise InputError(
            f"{argument} must not begin or end with a space, got {check.brief(value)}", argument
        )
    if len(text) > LONGEST_NAME:
        raise InputError(
            f"{argument} must have at most {LONGEST_NAME} characters, got {len(text)}", argument
        )
    return text


def require_visible(argument: str, text: str) -> None:
    """Refuse a new name with a character that is not seen; older ledgers have such names."""
    if _INVISIBLE.search(text) or not skeleton(text):
        raise _invisible(argument, text)


def _invisible(argument: str, text: str) -> InputError:
    return InputError(
        f"{argument} must not contain invisible characters, got {check.shorten(ascii(text))}",
        argument,
    )


def skeleton(text: str) -> str:
    """What a reader tells apart: names with one skeleton are one name.

    Without what is not seen; case and forms of letters folded as by a compatibility caseless match
    (The Unicode Standard, 3.13, D146); a run of dashes of any kind is one dash, and a run of white
    space one space.
    """
    folded = unicodedata.normalize("NFD", _INVISIBLE.sub("", text))
    for _ in range(2):
        folded = unicodedata.normalize("NFKD", folded.casefold())
    plain = "".join(map(_sign, folded))
    return re.sub("-+", "-", " ".join(plain.split()))


def _sign(letter: str) -> str:
    if letter in DASHES or unicodedata.category(letter) == "Pd":
        return "-"
    return " " if letter == BLANK else letter


def require_unlike(argument: str, text: str, others: Iterable[str]) -> None:
    """Refuse a new name that a reader would take for another one."""
    own = skeleton(text)
    for other in others:
        if skeleton(other) == own:
            raise InputError(
                f"{argument} {text!r} differs from {other!r} only by case, spaces, dashes, "
                "invisible characters or the form of letters",
                argument,
            )
