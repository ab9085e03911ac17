"""karmasakshi-protocol: one sealed effect with one grant, which every caller commits.

Whoever comes after a crash probes first, where ``recover_ambiguous_commit`` is in use.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from karmasakshi.adapters.base import CommitResult, OutcomeProof, PreconditionResult
from karmasakshi.adapters.payment_simulator import (
    PaymentRequest,
    PaymentSimulator,
    PaymentSimulatorAdapter,
)
from karmasakshi.audit.journal import AuditJournal
from karmasakshi.crypto import Keyring, generate_signing_key
from karmasakshi.crypto.keys import load_signing_key_from_file, save_signing_key_to_file
from karmasakshi.domain.common import Principal
from karmasakshi.domain.enums import PrincipalType
from karmasakshi.domain.seal import SealedManifest
from karmasakshi.engine import EngineContext, KarmaSakshiEngine
from karmasakshi.grants.model import ExecutionGrant, ScopeConstraints
from karmasakshi.stores.lifecycle_sqlite import SQLiteLifecycleStore
from karmasakshi.stores.sqlite import SQLiteGrantStore

from compare.caller import Call, Said, Setting, serve


class Sender(PaymentSimulatorAdapter):
    """An adapter of ours: the shape of the simulator's effect, and our world for the effect."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(PaymentSimulator())
        self.setting = setting

    def validate_preconditions(self, manifest: object, context: object) -> PreconditionResult:
        """Nothing has to hold."""
        del manifest, context
        return PreconditionResult(satisfied=True)

    def commit(self, manifest: Any, grant: object, context: object) -> CommitResult:
        """Send it; what it raises is raised."""
        del grant, context
        value = self.setting.effect()
        return CommitResult(
            success=True, idempotency_key=manifest.idempotency_key, provider_reference=value
        )

    def verify(self, manifest: object, commit_result: object, context: object) -> OutcomeProof:
        """Look whether it was sent."""
        del manifest, commit_result, context
        found = self.setting.world.find()
        now = datetime(*time.gmtime()[:6], tzinfo=UTC)
        return OutcomeProof(
            matched_expected=found is not None, observed_at=now, observed_after_state_digest=found
        )


def prepare(setting: Setting) -> Call:
    """The sealed effect and its grant; the first process makes them."""
    path = setting.path("key")
    if not path.exists():
        save_signing_key_to_file(generate_signing_key("issuer"), path)
    key = load_signing_key_from_file(path, "issuer")
    engine = KarmaSakshiEngine(
        EngineContext(
            keyring=Keyring([key.verification_key()]),
            grant_store=SQLiteGrantStore(setting.path("grants.db")),
            lifecycle_store=SQLiteLifecycleStore(setting.path("lifecycle.db")),
            audit=AuditJournal(),
        )
    )
    adapter = Sender(setting)
    sealed_at, granted_at = setting.path("sealed.json"), setting.path("grant.json")
    if not granted_at.exists():
        agent = Principal(principal_id="agent", principal_type=PrincipalType.AGENT)
        human = Principal(principal_id="approver", principal_type=PrincipalType.HUMAN)
        asked = PaymentRequest(
            actor=agent,
            principal=human,
            source_account="shop",
            beneficiary="customer",
            amount_minor_units=100,
            currency="EUR",
            reference=setting.order,
            idempotency_key=setting.order,
        )
        made = engine.seal(engine.prepare(adapter, asked, context=None), key)
        now = datetime(*time.gmtime()[:6], tzinfo=UTC)
        grant = engine.authorize(
            made,
            issuer=human,
            subject=agent,
            audience=("payment.simulator",),
            allowed_effect_types=("payment.transfer",),
            scope=ScopeConstraints(recipients=("customer",)),
            not_before=now,
            expires_at=now + timedelta(minutes=5),
            signing_key=key,
        )
        sealed_at.write_text(made.model_dump_json(), encoding="utf-8")
        granted_at.write_text(grant.model_dump_json(), encoding="utf-8")
    sealed = SealedManifest.model_validate_json(sealed_at.read_text("utf-8"))
    granted = ExecutionGrant.model_validate_json(granted_at.read_text("utf-8"))

    failed: list[Exception] = []

    def call() -> str:
        # Its pages have this called before an outcome that nobody knows is tried again.
        if setting.variant == "probe" and (setting.recovers or failed):
            proof = engine.recover_ambiguous_commit(sealed.manifest, adapter, None)
            if proof.matched_expected:
                return str(proof.observed_after_state_digest)
        try:
            done = engine.commit(sealed, granted, adapter, context=None)
        except Exception as no:
            failed.append(no)
            raise
        if done.success and done.provider_reference:
            return str(done.provider_reference)
        raise Said(done.detail or "no success", done=done.success)

    return call


if __name__ == "__main__":
    serve(prepare)
