"""Every state of a card, reached by a real flow; each is looked at by axe and pictured."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

from browser_desk import MARIA, Desk
from browser_look import Look, card, press, say, settle
from facturas_smtp import CUT, HANG, WAIT
from playwright.sync_api import Page, expect

from semel import Who

EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido, del 12/10/2026"
DRAFT = "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA"


def expense(concept: str, amount: str) -> dict[str, object]:
    return {
        "action": "gasto.crear",
        "input": {"concepto": concept, "importe": amount, "iva_incluido": True},
    }


def proposed(desk: Desk, *steps: dict[str, object], who: Who | None = None, text: str = "") -> str:
    """A plan that another channel of the same person has proposed."""
    message = desk.engine.new_id()
    outcome = desk.do(
        desk.engine.agent.act(
            who or desk.who(), {"steps": list(steps)}, message=message, sentence=text or None
        )
    )
    plan = getattr(outcome, "view", None)
    assert plan is not None, outcome.for_model("en").plain()
    return str(plan.plan)


def at(desk: Desk, page: Page, plan: str) -> Page:
    page.goto(f"{desk.address}/plans/{plan}")
    return page


def change(desk: Desk, text: str) -> None:
    """Somebody else changes a row of the books."""
    with closing(sqlite3.connect(desk.home / "books.db", timeout=30)) as books:
        assert books.execute(text).rowcount == 1
        books.commit()


def test_a_question_and_what_it_led_to(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    press(page, "confirm")
    done = look.reached(desk, page, "done")
    expect(done).to_contain_text("2026-0001")
    assert desk.mails() == 1


def test_a_plan_is_being_made(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    with desk.hold("commit:propose:before") as held:
        say(page, MARIA)
        assert held.reached.wait(WAIT)
        look.reached(desk, page, "building")
    expect(page.locator('section.card[data-state="awaiting"]')).to_be_visible()
    expect(page.locator('[data-state="building"]')).to_have_count(0)


def test_a_plan_that_lacks_something_asks_for_all_of_it(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, "Crea un contacto: Talleres Nuevos, email hola@nuevos.example, paga a 30 días")
    look.reached(desk, page, "done")
    say(page, "Haz una factura a Talleres Nuevos por un rótulo, 300 € más IVA, y envíasela")
    asked = look.reached(desk, page, "invalid")
    expect(asked).to_contain_text("NIF")
    assert len(desk.plans()) == 1


def test_a_look_alike_stands_beside_what_it_looks_like(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, DRAFT)
    look.reached(desk, page, "done")
    say(page, DRAFT)
    asked = look.reached(desk, page, "awaiting.duplicate")
    expect(asked.get_by_role("table")).to_contain_text("605,00 €")
    press(page, "confirm")
    expect(page.locator('section.card[data-state="done"]')).to_have_count(2)


def test_what_is_deleted_in_bulk_is_typed(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    for name in ("Adobe", "Correos", "Renfe"):
        proposed(desk, expense(name, "12.10"))
    say(page, "Borra los gastos de octubre")
    asked = look.reached(desk, page, "awaiting.typed")
    button = asked.locator('button[value="confirm"]')
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    expect(asked).to_be_visible()
    words = asked.locator('input[name="words"]')
    words.press_sequentially("BORRA")
    expect(button).to_have_attribute("aria-disabled", "true")
    words.press_sequentially("R")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()
    expect(page.locator('section.card[data-state="done"]').last).to_contain_text("3")


def test_a_question_whose_facts_have_changed_asks_again_with_both(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    change(desk, "UPDATE contacts SET email = 'nueva@carmona.example', version = version + 1"
                 " WHERE email = 'maria@carmona.example'")  # fmt: skip
    press(page, "confirm")
    again = look.reached(desk, page, "awaiting.changed")
    expect(again).to_contain_text("maria@carmona.example")
    expect(again).to_contain_text("nueva@carmona.example")
    assert desk.mails() == 0
    press(page, "confirm")
    look.reached(desk, page, "done")
    assert desk.mails() == 1


def test_a_yes_is_on_its_way(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    asked = look.reached(desk, page, "awaiting")
    with desk.hold("commit:confirm:before") as held:
        press(page, "confirm")
        assert held.reached.wait(WAIT)
        look.reached(desk, page, "confirming")
        for button in card(page).locator("button[name=do]").all():
            expect(button).to_have_attribute("aria-disabled", "true")
    expect(asked.page.locator('section.card[data-state="done"]')).to_be_visible()


def test_a_running_plan_says_which_step_it_is_at(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    with desk.hold("commit:local:before", 2) as held:
        press(page, "confirm")
        assert held.reached.wait(WAIT)
        running = look.reached(desk, page, "running")
        expect(running).to_contain_text("Paso 2 de 4")
        expect(running.get_by_role("progressbar")).to_have_attribute(
            "aria-valuetext", re.compile("Paso 2 de 4")
        )
    look.reached(desk, page, "done")


def test_a_cancel_in_the_middle_lets_the_step_in_flight_end(
    desk_with: Callable[..., Desk], look: Look
) -> None:
    desk = desk_with(BODY=HANG)
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    press(page, "confirm")
    assert desk.smtp is not None
    assert desk.smtp.hanging.wait(WAIT)
    expect(page.locator('section.card[data-state="running"]')).to_contain_text("Paso 3 de 4")
    press(page, "cancel")
    look.reached(desk, page, "cancelling")
    desk.let_go()
    ended = look.reached(desk, page, "cancelled_mid")
    expect(ended).to_contain_text("2026-0001")


def test_a_mail_that_is_refused_leaves_a_part_to_retry(
    desk_with: Callable[..., Desk], look: Look
) -> None:
    desk = desk_with(RCPT="550 no such mailbox")
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    press(page, "confirm")
    ended = look.reached(desk, page, "partial")
    expect(ended).to_contain_text("2026-0001")
    assert desk.smtp is not None
    desk.smtp.script["RCPT"] = "250 ok"
    press(page, "retry")
    done = look.reached(desk, page, "done")
    expect(done).to_contain_text("2026-0001")
    assert desk.smtp.heard.count("BODY") == 1


def test_a_mail_whose_answer_was_lost_is_in_doubt_and_a_person_says(
    desk_with: Callable[..., Desk], look: Look
) -> None:
    desk = desk_with(BODY=CUT)
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    press(page, "confirm")
    doubt = look.reached(desk, page, "in_doubt")
    expect(doubt.locator('button[name="do"][value="confirm"]')).to_have_count(0)
    settle(page)
    doubt.locator(
        'form:has(input[name="answer"][value="happened"]) button[value="resolve"]'
    ).click()
    expect(page.locator('section.card[data-state="in_doubt"]')).to_have_count(0)
    assert desk.smtp is not None
    assert desk.smtp.heard.count("BODY") == 1


def test_a_question_is_cancelled(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    press(page, "cancel")
    look.reached(desk, page, "cancelled")
    assert desk.mails() == 0


def test_a_question_expires(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    desk.clock.move(minutes=11)
    desk.sweep()
    look.reached(desk, page, "expired")


def test_a_yes_of_somebody_who_may_no_longer_is_refused(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    change(desk, "UPDATE people SET role = 'asesor' WHERE person = 'ana'")
    press(page, "confirm")
    look.reached(desk, page, "rejected")
    assert desk.mails() == 0


def test_what_was_done_is_taken_back(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, EXPENSE)
    look.reached(desk, page, "done")
    with desk.hold("commit:local:before") as held:
        press(page, "undo")
        assert held.reached.wait(WAIT)
        look.reached(desk, page, "undoing")
    look.reached(desk, page, "undone")


def test_what_somebody_has_changed_is_not_taken_back(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    plan = proposed(desk, expense("Adobe", "12.10"), expense("Correos", "24.20"))
    at(desk, page, plan)
    change(desk, "UPDATE expenses SET version = version + 1 WHERE concepto = 'Adobe'")
    press(page, "undo")
    told = look.reached(desk, page, "undo_partial")
    expect(told).to_contain_text("Correos")
    expect(told).to_contain_text("Adobe")


def test_a_question_gives_way_to_a_newer_one(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    send = [
        {"action": "factura.crear_borrador", "input": {
            "contacto": contact(desk), "lineas": [{"concepto": "Logo", "precio": "500"}]}},
        {"action": "factura.emitir", "input": {"factura": "$1"}},
    ]  # fmt: skip
    older = proposed(desk, *send)
    at(desk, page, older)
    look.reached(desk, page, "awaiting", axe=False)
    proposed(desk, *send)
    look.reached(desk, page, "superseded")


def contact(desk: Desk) -> str:
    with closing(sqlite3.connect(desk.home / "books.db", timeout=30)) as books:
        found = books.execute(
            "SELECT contact FROM contacts WHERE name = 'María Carmona'"
        ).fetchone()
    return str(found[0])


def test_without_a_line_the_card_says_so_and_asks_when_it_is_back(desk: Desk, look: Look) -> None:
    look.allowed.append("ERR_INTERNET_DISCONNECTED|Failed to load resource|ERR_")
    page = look.as_person(desk)
    say(page, MARIA)
    look.reached(desk, page, "awaiting")
    page.context.set_offline(True)
    look.reached(desk, page, "disconnected")
    page.context.set_offline(False)
    expect(page.locator('section.card[data-state="awaiting"]')).to_be_visible()
    press(page, "confirm")
    expect(page.locator('section.card[data-state="done"]')).to_be_visible()
    assert desk.mails() == 1
