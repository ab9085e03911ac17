"""Peers that the judge must see through, and two that it must not wrong; they install nothing.

A claim is a file that only one caller can create, as in any claim that is never given back.
"""

import threading

from compare.caller import Call, Said, Setting, serve


def prepare(setting: Setting) -> Call:
    return lambda: globals()[setting.variant](setting)


def claims(setting):
    """Never runs a body twice, and says so to whoever comes second."""
    try:
        setting.path("claim").open("x").close()
    except FileExistsError:
        raise Said("taken") from None
    return setting.effect()


def sends_twice(setting):
    """Runs the body again for good measure."""
    setting.effect()
    return setting.effect()


def claims_nothing(setting):
    """Runs the body for everybody."""
    return setting.effect()


def says_done(setting):
    """Claims, and tells whoever comes second that it is done, whatever became of the first."""
    try:
        setting.path("claim").open("x").close()
    except FileExistsError:
        raise Said("already_applied", done=True) from None
    return setting.effect()


def denies(setting):
    """Does it, and says that it did not."""
    setting.effect()
    raise Said("aborted", denied=True)


def makes_up(setting):
    """Does it, and returns what came out of something else."""
    setting.effect()
    return "the result of another call"


def returns_nothing(setting):
    """Has lost the result of what another one did."""
    setting.effect()


def hangs(setting):
    """Does it, and never answers."""
    setting.effect()
    threading.Event().wait()


def remembers_keys(setting):
    """Sends for everybody, to a world that knows the key."""
    return setting.effect("key")


def breaks(setting):
    """Raises what is no answer of a tool's."""
    raise SystemExit


if __name__ == "__main__":
    serve(prepare)
