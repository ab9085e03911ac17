"""holdpoint: ``@hold.guard`` that a rule approves; who comes after a crash calls ``recover()``."""

from typing import Any

from holdpoint import Action, HoldPoint, SQLiteStore

from compare.caller import Call, Said, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""
    hold = HoldPoint(
        store=SQLiteStore(str(setting.path("approvals.db"))),
        rules=[lambda *_: "approve"],
        lease=setting.lease,
    )
    how: dict[str, Any] = {}
    if setting.variant == "verify":
        how["verify"] = lambda *_: setting.world.find() is not None

    @hold.guard(kind="send", dedup_key=lambda payload: payload["order"], **how)
    def send(order: str) -> str:
        del order
        return setting.effect()

    def answer(action: Action[str]) -> str:
        if isinstance(action.result, str):
            return action.result
        # Where its verify has confirmed the effect, there is a placeholder for the result.
        said = action.error.type if action.error else action.status.value
        raise Said(said, done=action.status.value == "executed")

    def call() -> str:
        # Its pages have this called at the next start; what the report names is not asked for anew.
        found = hold.recover() if setting.recovers else None
        for action in (*found.resumed, *found.interrupted) if found else ():
            return answer(hold.get(action))
        return answer(send(order=setting.order))

    return call


if __name__ == "__main__":
    serve(prepare)
