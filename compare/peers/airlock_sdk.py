"""airlock-sdk: ``@guard`` on an automatic rule, with each of the effects it can be told of."""

import threading
from datetime import timedelta

import airlock
from airlock import Decision, Effect, Policy, Rule
from airlock.types import Verification

from compare.caller import Call, Said, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""

    def look(**_: object) -> tuple[Verification, object]:
        found = setting.world.find()
        return (Verification.PRESENT if found else Verification.ABSENT), found

    effect = {
        "plain": Effect(),
        "verify": Effect(verify=look),
        "key_param": Effect(key_param="key"),
    }[setting.variant]

    @airlock.guard("mail.send", effect=effect)
    def send(order: str, *, key: str | None = None) -> str:
        del order
        return setting.effect(key)

    wired = threading.local()

    def call() -> str:
        # What init() wires is a context variable, which a thread of its own starts without.
        if not getattr(wired, "yes", False):
            airlock.init(
                store=f"sqlite:///{setting.path('airlock.db')}",
                policy=Policy(rules=[Rule(match="mail.*", decision=Decision.AUTO)]),
                reconcile_after=timedelta(seconds=setting.lease),
            )
            wired.yes = True
        try:
            return send(setting.order)
        except airlock.CommitFailed as no:
            # "failed" is its word for an effect that it has proved not to have happened.
            raise Said(f"CommitFailed: {no.state}", denied=no.state == "failed") from no
        except airlock.PreconditionFailed as no:
            # Its sentence ends with "no side effect ran".
            raise Said("PreconditionFailed", denied=True) from no

    return call


if __name__ == "__main__":
    serve(prepare)
