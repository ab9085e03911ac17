"""Statements on questions, keys, events and effects."""

from pathlib import Path

from semel.ports import EngineTx, Row, Store, Value
from semel.testing._contract.base import Contract, ask, changed, equal
from semel.testing._contract.rows import (
    ENDED,
    LATER,
    NOW,
    ORG,
    OTHER,
    PARAMS,
    SOON,
    THEIRS,
)
from semel.testing._contract.world import call, everything, plan, seed


def question(store: Store, letter: str = "t", org: str = ORG) -> Row:
    """A question as it is."""
    return store.read(ask("confirmations.by_token", token_hash=letter * 64, org=org))[0]


class Questions(Contract):
    """A confirmation is bound to one person and used once."""

    def test_a_question_is_found_by_its_token_as_it_was_written(self, tmp_path: Path) -> None:
        given = dict(PARAMS["confirmations.insert"])
        given["created_at"] = given.pop("now")
        with self.seeded(tmp_path) as store:
            store.transact(ask("confirmations.insert"))
            equal(question(store), {**given, "used_at": None, "press": None, "revoked_at": None})
            for other in ({"org": OTHER}, {"token_hash": "u" * 64}, {"token_hash": None}):
                equal(store.read(ask("confirmations.by_token", **other)), [])

    def test_a_question_is_taken_once(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("confirmations.insert"))
            before = question(store)
            equal(store.transact(ask("confirmations.take")), [{"id": "c1"}])
            equal(changed(before, question(store)), {"used_at": NOW, "press": "press 1"})
            equal(store.transact(ask("confirmations.take")), [])
            equal(store.transact(ask("confirmations.revoke")), [])
            equal(changed(before, question(store)), {"used_at": NOW, "press": "press 1"})

    def test_a_question_is_taken_by_whom_it_is_meant_for(self, tmp_path: Path) -> None:
        wrong: tuple[dict[str, Value], ...] = (
            {"org": OTHER},
            {"id": "c2"},
            {"question": "undo"},
            {"person": "luis"},
            {"person": None},
            {"conversation": "other"},
            {"version": 2},
            {"epoch": 1},
            {"epoch": None},
            {"now": SOON},  # the very instant of its expiry is too late
            {"now": LATER},
            {"now": None},
        )
        with self.seeded(tmp_path) as store:
            store.transact(ask("confirmations.insert"))
            before = question(store)
            for other in wrong:
                equal(store.transact(ask("confirmations.take", **other)), [])
            equal(question(store), before)

    def test_a_revoked_question_is_not_taken(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("confirmations.insert"))
            store.transact(ask("confirmations.insert", id="c2", token_hash="u" * 64))
            before = question(store)
            rows = store.transact(ask("confirmations.revoke"))
            equal(sorted(str(row["id"]) for row in rows), ["c1", "c2"])
            equal(changed(before, question(store)), {"revoked_at": NOW})
            equal(store.transact(ask("confirmations.take")), [])
            equal(store.transact(ask("confirmations.revoke", now=LATER)), [])

    def test_the_live_question_is_the_newest_version_that_stands(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.read(ask("confirmations.live")), [])
            for number, version in ((1, 1), (2, 3), (4, 2), (3, 2)):
                hash = str(number) * 64
                more: dict[str, Value] = {
                    "id": f"c{number}", "token_hash": hash, "version": version
                }  # fmt: skip
                store.transact(ask("confirmations.insert", **more))
            equal(store.read(ask("confirmations.live")), [question(store, "2")])
            store.transact(ask("confirmations.take", id="c2", version=3))
            equal(store.read(ask("confirmations.live")), [question(store, "4")])
            store.transact(ask("confirmations.revoke"))
            equal(store.read(ask("confirmations.live")), [])

    def test_questions_of_different_kinds_stand_beside_each_other(self, tmp_path: Path) -> None:
        kinds = (("confirm", "r"), ("retry", "s"), ("undo", "t"))
        with self.seeded(tmp_path) as store:
            for version, (kind, letter) in enumerate(kinds, start=1):
                live = ask("confirmations.live", question=kind)
                equal(store.read(live), [])
                more: dict[str, Value] = {
                    "id": f"c-{kind}", "token_hash": letter * 64, "version": version
                }  # fmt: skip
                store.transact(ask("confirmations.insert", **more, question=kind, epoch=version))
                equal(store.read(live), [{**question(store, letter), "epoch": version}])
            equal(store.read(ask("confirmations.live", question=None)), [])
            take: dict[str, Value] = {"id": "c-retry", "version": 2, "epoch": 2}
            for wrong in ("confirm", "undo", None):
                equal(store.transact(ask("confirmations.take", **take, question=wrong)), [])
            taken = store.transact(ask("confirmations.take", **take, question="retry"))
            equal(taken, [{"id": "c-retry"}])
            for kind, left in (("confirm", 1), ("retry", 0), ("undo", 1)):
                equal(len(store.read(ask("confirmations.live", question=kind))), left)
            revoked = store.transact(ask("confirmations.revoke"))
            equal(sorted(str(row["id"]) for row in revoked), ["c-confirm", "c-undo"])

    def test_every_question_about_a_plan_in_the_order_they_were_put(self, tmp_path: Path) -> None:
        put = (("c3", NOW, "t"), ("c2", NOW, "u"), ("c1", LATER, "v"))

        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2")
            for id, now, letter in put:
                call(tx, "confirmations.insert", id=id, now=now, token_hash=letter * 64)
            call(tx, "confirmations.insert", id="c4", plan="p_2", token_hash="w" * 64)
            call(tx, "confirmations.take", id="c2")
            call(tx, "confirmations.revoke")

        with self.opened(tmp_path) as store:
            store.transact(work)
            rows = store.read(ask("confirmations.of_plan"))
            equal(rows, [question(store, letter) for letter in "utv"])
            for other in ({"org": OTHER}, {"plan": None}, {"plan": "p_404"}):
                equal(store.read(ask("confirmations.of_plan", **other)), [])


class Keys(Contract):
    """A key is a pointer to a plan; whoever writes it first owns the request."""

    def test_a_key_is_owned_by_whoever_comes_first(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2"))
            equal(store.read(ask("keys.find")), [])
            equal(store.transact(ask("keys.insert")), [{"plan": "p_1"}])
            for again in ("p_1", "p_2"):
                equal(store.transact(ask("keys.insert", plan=again)), [])
            # Losing writes nothing, so the plan that it would have pointed at need not be there.
            equal(store.transact(ask("keys.insert", plan="p_404")), [])
            equal(store.read(ask("keys.find")), [{"plan": "p_1"}])
            equal(store.read(ask("keys.find", key="1" * 64)), [])

    def test_a_key_moves_only_from_the_plan_that_was_read(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            for id in ("p_2", "p_3"):
                plan(tx, id, **ENDED)
            call(tx, "keys.insert")

        with self.seeded(tmp_path) as store:
            store.transact(more)
            equal(store.transact(ask("keys.move", old="p_3")), [])
            equal(store.transact(ask("keys.move", key="1" * 64)), [])
            equal(store.transact(ask("keys.move")), [{"plan": "p_2"}])
            equal(store.transact(ask("keys.move", plan="p_3")), [])
            equal(store.read(ask("keys.find")), [{"plan": "p_2"}])

    def test_the_requests_of_a_plan_are_listed_in_order(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.read(ask("keys.of_plan")), [])
            for digit in "921":
                store.transact(ask("keys.insert", key=digit * 64))
            rows = store.read(ask("keys.of_plan"))
            equal([row["key"] for row in rows], [digit * 64 for digit in "129"])
            made = PARAMS["keys.insert"]
            mine = {name: made[name] for name in ("org", "layer", "plan")}
            equal(rows[0], {**mine, "key": "1" * 64})
            equal(store.read(ask("keys.of_plan", org=OTHER)), [])


class Records(Contract):
    """What happened to a plan, and what it made."""

    def test_events_are_a_chain(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.read(ask("events.last")), [])
            for seq in (1, 2, 10):
                digest = str(seq % 9) * 64
                store.transact(ask("events.append", seq=seq, digest=digest, position=seq))
            equal(store.read(ask("events.last")), [{"seq": 10, "digest": "1" * 64}])
            rows = store.read(ask("events.of_plan"))
            equal([row["seq"] for row in rows], [1, 2, 10])
            equal(rows[0], {**PARAMS["events.append"], "position": 1})
            equal(store.read(ask("events.of_plan", org=OTHER)), [])

    def test_nothing_is_left_of_a_plan_that_is_not_there(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            equal(store.read(ask("plans.lost")), [])
            store.transact(everything)
            equal(store.read(ask("plans.lost")), [])

    def test_where_a_chain_ends_stands_on_its_plan_alone(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = store.read(ask("plans.find"))[0]
            equal(before["head"], None)
            equal(store.transact(ask("events.head", org=OTHER)), [])
            equal(store.read(ask("plans.find"))[0], before)
            equal(store.transact(ask("events.head")), [{"plan": "p_1"}])
            equal(store.read(ask("plans.find"))[0], {**before, "head": "k1:1:mac"})

    def test_what_a_plan_made_is_listed_in_order(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2")
            call(tx, "effects.insert", position=3, kind="aviso")
            call(tx, "effects.insert", id="f2")
            call(tx, "effects.insert", plan="p_2", version="2", label="2026-0002")
            call(tx, "effects.insert")

        with self.opened(tmp_path) as store:
            store.transact(work)
            made = store.read(ask("effects.of_plan"))
            equal([(row["position"], row["id"]) for row in made], [(1, "f1"), (1, "f2"), (3, "f1")])
            equal(made[0], PARAMS["effects.insert"])
            other = store.read(ask("effects.of_plan", plan="p_2"))
            equal([(row["plan"], row["version"]) for row in other], [("p_2", "2")])

    def test_the_plans_of_a_record_by_its_id_or_by_its_name(self, tmp_path: Path) -> None:
        made = (
            ("p_3", 1, "factura", "f1", "borrador"),
            ("p_1", 1, "factura", "f1", "borrador"),
            ("p_1", 2, "factura", "f1", "2026-0001"),
            ("p_2", 1, "factura", "f2", "2026-0002"),
            ("p_2", 1, "contacto", "f1", "María"),
            ("p_4", 1, "contacto", "c1", "2026-0001"),
            ("p_5", 1, "factura", "2026-0001", "otra"),
        )

        def work(tx: EngineTx) -> None:
            seed(tx)
            for number in range(2, 6):
                plan(tx, f"p_{number}")
            for id, position, kind, record, label in made:
                more: dict[str, Value] = {"kind": kind, "id": record, "label": label}
                call(tx, "effects.insert", plan=id, position=position, **more)
            plan(tx, THEIRS, org=OTHER)
            call(tx, "effects.insert", org=OTHER, plan=THEIRS, label="theirs")

        with self.opened(tmp_path) as store:
            store.transact(work)
            found = [{"plan": "p_1", "id": "f1"}, {"plan": "p_3", "id": "f1"}]
            equal(store.read(ask("effects.of_record")), found)
            for name, plans in (
                ("2026-0001", ["p_1", "p_3", "p_5"]),  # what it was called before counts too
                ("borrador", ["p_1", "p_3"]),
                ("2026-0002", ["p_2"]),
                ("María", []),
                ("f9", []),
                ("theirs", []),  # what it is called elsewhere says nothing here
                (None, []),
            ):
                rows = store.read(ask("effects.of_record", id=name))
                equal((name, [row["plan"] for row in rows]), (name, plans))
            for other in ({"kind": "pago"}, {"kind": None}):
                equal(store.read(ask("effects.of_record", **other)), [])
            theirs = [{"plan": THEIRS, "id": "f1"}]
            equal(store.read(ask("effects.of_record", org=OTHER)), theirs)

    def test_an_operator_finds_whose_a_record_is(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, THEIRS, org=OTHER)
            call(tx, "effects.insert", org=OTHER, plan=THEIRS, label="theirs")
            call(tx, "effects.insert", position=2)
            call(tx, "effects.insert", id="f2")
            call(tx, "effects.insert", kind="aviso", id="f3", label="aviso")

        with self.opened(tmp_path) as store:
            store.transact(work)
            for name, orgs in (
                ("f1", [ORG, OTHER]),
                ("f2", [ORG]),
                ("2026-0001", [ORG]),
                ("theirs", [OTHER]),
                ("f3", []),
                ("aviso", []),
                ("f9", []),
                (None, []),
            ):
                rows = store.read(ask("effects.orgs_of", id=name))
                equal((name, rows), (name, [{"org": org} for org in orgs]))
            equal(store.read(ask("effects.orgs_of", kind=None)), [])
