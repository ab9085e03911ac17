"""What a person reads when her sentence became no plan."""

from .answers import NotUnderstood

_SENTENCES = """
can.es: Sé hacer, emitir y enviar por correo facturas, recordar su pago y apuntar su cobro; \
apuntar y borrar gastos; y crear y borrar contactos y cambiarles el email.
can.en: I can make, issue and email invoices, remind of their payment and record it; record and \
delete expenses; and add and delete contacts and change their email.
example.es: Por ejemplo: «Haz una factura a María Carmona por el diseño del logo, 500 € más IVA».
example.en: For example: "Make an invoice for María Carmona for the logo design, €500 plus VAT".
not_understood.es: No he entendido la frase, y no he hecho nada. {can} {example}
not_understood.en: I did not understand the sentence, and did nothing. {can} {example}
partly.es: No entiendo esta parte: «{detail}». No he preparado nada. {can} {example}
partly.en: I do not understand this part: "{detail}". Nothing is prepared. {can} {example}
currency.es: Solo manejo euros, y la frase dice «{detail}». {example}
currency.en: I only work in euros, and the sentence says "{detail}". {example}
no_contact.es: Falta decir a quién va la factura. {example}
no_contact.en: The sentence does not say who the invoice is for. {example}
no_concept.es: Falta decir por qué concepto es. {example}
no_concept.en: The sentence does not say what it is for. {example}
no_amount.es: Falta decir el importe, en euros. {example}
no_amount.en: The sentence does not say the amount, in euros. {example}
amount.es: No sé qué cantidad es «{detail}». Por ejemplo: «1.234,50 €».
amount.en: I cannot tell what number "{detail}" is. For example: "€1,234.50".
day.es: No sé qué día es «{detail}». Por ejemplo: «18/11/2026».
day.en: I cannot tell what day "{detail}" is. For example: "18/11/2026", day first.
unit_or_total.es: ¿Cuántas, y a cuánto cada una? «{detail}». Por ejemplo: «3 horas a 40 €».
unit_or_total.en: How many, and at what price each? "{detail}". For example: "3 hours at €40".
vat_included.es: Ese importe lleva el IVA dentro, y puede no salir de ninguna base exacta. Dime el \
importe sin IVA. {example}
vat_included.en: That amount has VAT in it, and no exact base may give it. Say the amount before \
VAT. {example}
vat_unclear.es: No sé si ese importe lleva IVA. Dime el importe sin IVA. {example}
vat_unclear.en: I cannot tell whether that amount has VAT in it. Say it before VAT. {example}
vat_unsaid.es: ¿El importe lleva el IVA dentro? Por ejemplo: «Apunta un gasto de Adobe, 72,59 € \
IVA incluido», o «más IVA».
vat_unsaid.en: Is VAT in the amount? For example: "Record an expense for Photoshop, €72.59 VAT \
included", or "plus VAT".
vat_rates.es: No sé el IVA de cada línea. Por ejemplo: «logo 500 € al 21 % y libro 80 € al 4 %».
vat_rates.en: I cannot tell each line's VAT. For example: "logo €500 at 21% and book €80 at 4%".
draft_sent.es: Un borrador ni se envía ni se recuerda: antes se emite. Si es lo que quieres, pide \
la factura. {example}
draft_sent.en: A draft is neither sent nor reminded of: it is issued first. If you want that, ask \
for the invoice. {example}
which_draft.es: No sé qué borrador es. {can} {example}
which_draft.en: I cannot tell which draft that is. {can} {example}
which_invoice.es: No sé qué factura es: falta su número. Por ejemplo: «la factura 2026-0001».
which_invoice.en: I cannot tell which invoice that is without its number. For example: "invoice \
2026-0001".
unknown_invoice.es: Ninguna factura emitida, o más de una, lleva el número «{detail}».
unknown_invoice.en: No issued invoice, or more than one, has the number "{detail}".
not_theirs.es: La factura {choices} no es de «{detail}». No he preparado nada.
not_theirs.en: Invoice {choices} is not for "{detail}". Nothing is prepared.
kept.es: Las facturas emitidas no se borran nunca, y borradores no sé borrar. No he hecho nada. \
{can}
kept.en: Issued invoices are never deleted, and drafts I cannot delete. I did nothing. {can}
reminder_days.es: ¿Cuántos días antes del vencimiento se lo recuerdo? Por ejemplo: «Recuérdale el \
pago de la 2026-0001 cinco días antes». O si es para ya: «Manda un recordatorio de la 2026-0001 \
ahora».
reminder_days.en: How many days before it is due? For example: "Remind them about invoice \
2026-0001 five days before it is due". Or at once: "Send a reminder for invoice 2026-0001 now".
days.es: Un recordatorio va de 1 a 60 días antes del vencimiento, días enteros y cada uno una vez, \
y la frase dice «{detail}».
days.en: A reminder goes from 1 to 60 days before an invoice is due, whole days and each one once, \
and the sentence says "{detail}".
which_expense.es: No sé qué gasto es. Por ejemplo: «Borra el gasto de Adobe», o «Borra los gastos \
de octubre».
which_expense.en: I cannot tell which expense that is. For example: "Delete the Adobe expense", or \
"Delete every expense from October".
no_expense.es: Ningún gasto encaja con «{detail}». No he preparado nada.
no_expense.en: No expense matches "{detail}". Nothing is prepared.
ambiguous_expense.es: ¿Qué gasto es «{detail}»? Puede ser: {choices}. Dime de qué día, de \
qué mes y año, o «los gastos» si son todos.
ambiguous_expense.en: Which expense is "{detail}"? It may be: {choices}. Say of which day, of \
which month and year, or "the expenses" if it is all of them.
too_many.es: Con «{detail}» encajan {choices} gastos, y de una vez borro 50 como mucho. Di un mes \
o un día.
too_many.en: {choices} expenses match "{detail}", and I delete 50 at once at most. Say a month or \
a day.
future.es: «{detail}» todavía no ha llegado. Dime el año. Por ejemplo: «Borra los gastos de \
diciembre de 2025».
future.en: "{detail}" has not come yet. Say the year. For example: "Delete the expenses from \
December 2025".
no_name.es: Falta decir cómo se llama el contacto. Por ejemplo: «Crea un contacto: Talleres \
Nuevos, email hola@nuevos.example».
no_name.en: The sentence does not say what the contact is called. For example: "Add a contact: New \
Works, email hello@newworks.example".
which_contact.es: No sé qué contacto es. Por ejemplo: «Borra el contacto Talleres Ruiz».
which_contact.en: I cannot tell which contact that is. For example: "Delete the contact Talleres \
Ruiz".
no_email.es: Falta decir la dirección de correo. Por ejemplo: «Cambia el email de María Carmona a \
maria@carmona.example».
no_email.en: The sentence does not say the email address. For example: "Change María Carmona's \
email to maria@carmona.example".
email.es: «{detail}» no es una dirección de correo. Por ejemplo: «maria@carmona.example».
email.en: "{detail}" is not an email address. For example: "maria@carmona.example".
unknown_contact.es: Ningún contacto se llama «{detail}». {example}
unknown_contact.en: No contact is called "{detail}". {example}
ambiguous_contact.es: ¿Quién es «{detail}»? Puede ser: {choices}. {example}
ambiguous_contact.en: Who is "{detail}"? It may be: {choices}. {example}
"""
_WORDING = dict(line.split(": ", 1) for line in _SENTENCES.strip().splitlines())
REASONS = frozenset(key.split(".")[0] for key in _WORDING) - {"can", "example"}
"""Every reason that there may be for making no plan."""


def sentence(no: NotUnderstood, locale: str) -> str:
    """What the person reads; her own words are quoted as they are."""
    language = "en" if locale.startswith("en") else "es"
    return _WORDING[f"{no.reason}.{language}"].format(
        can=_WORDING[f"can.{language}"],
        example=_WORDING[f"example.{language}"],
        detail=no.detail,
        choices=", ".join(no.choices),
    )
