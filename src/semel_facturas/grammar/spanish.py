"""The phrases of Spanish, compared without accents or capitals."""

from .phrases import Language, Phrases, months, numbers

_ERASE = "borra|borrame|borrar|elimina|eliminar|quita|quitar|suprime|suprimir"
_MAIL = "correo|email|e-mail|mail"
_RECALL = "recuerdale|recuerdales|recuerdaselo|recuerdasela|recordarle|recordarselo|recordarsela"
_SEND = "envia|enviale|enviar|enviarle|manda|mandale|mandar|mandarle"

SPANISH = Language(
    thousands=".",
    openers=Phrases(f"""
@make = haz|hazle|hazme|haga|hagame|hacer|hacerle|hacerme|crea|creale|creame|crear
@make = @make|prepara|preparale|preparame|preparar|genera|generame|generar
@send = {_SEND}
@issue = emite|emitele|emiteme|emitir|emitirle
@can = puedes|podrias|quiero|quisiera|necesito
@note = apunta|apuntame|apuntar|registra|registrar|anota|anotame|anotar|anade|anadir|crea|crear
@client = contacto|cliente|clienta
@erase = {_ERASE}
create: [@can] @make una|otra|la [nueva] factura
create: me haces|creas|preparas|generas una|otra|la [nueva] factura
create: necesito|quiero|quisiera una|otra [nueva] factura
create: [una|otra] [nueva] factura
create: [@can] facturar|facturale|facturarle
draft: [@can] @make|deja|dejame un|otro|el borrador [de una|la factura]
draft: [@can] @make|deja|dejame un|otro|el borrador de factura
draft: me haces|preparas|dejas un|otro|el borrador [de una|la factura]
issue: [@can] @issue una|otra [nueva] factura
issue: [@can] @make y @issue una|otra|la factura
send: [@can] @send una|otra [nueva] factura
send: [@can] @make|@issue y @send una|otra|la factura
to: [@can] @send a|al
old: [@can] @send [la] [factura] <invoice>
which_invoice: [@can] @send la|esa|mi factura
which_draft: [@can] @issue|@send el|ese|este|mi|un borrador
which_draft: [@can] @issue la|esa|mi factura
expense: [@can] @note un|otro|el [nuevo] gasto
expense: [un|otro] [nuevo] gasto
remind: [@can] {_RECALL} [al|a [la] @client]
remind: [@can] @make|@send|programa|programar|pon|ponle|poner un|otro [nuevo] recordatorio [de pago]
now: [@can] @send ahora un|otro recordatorio [de pago]
unremind: [@can] @erase|cancela|cancelar|anula|anular el|los recordatorio|recordatorios
unremind: [@can] @erase|cancela|cancelar|anula|anular todos los recordatorios
paid: [@can] @note el|un|otro [nuevo] cobro|pago
paid: [@can] marca|marcar como pagada|cobrada
paid: [@can] marca|marcar [la] [factura] <invoice> como pagada|cobrada
paid: [la] [factura] <invoice> [ya] esta [ya] pagada|cobrada
paid: [ya] he|hemos cobrado
erase: [@can] @erase
contact: [@can] @make|@note|guarda un|otro|el [nuevo] @client [nuevo|nueva] [llamado|llamada]
contact: [@can] da|dar de alta un|otro|el [nuevo] @client [nuevo|nueva] [llamado|llamada]
contact: [un|otro] nuevo @client [llamado|llamada]
change: [@can] cambia|cambiale|cambiar|actualiza|actualizar|modifica|modificar|corrige|corregir
"""),
    clauses=Phrases(f"""
@it = enviasela|enviala|enviaselo|envialo|enviarsela|enviarla
@it = @it|mandasela|mandala|mandaselo|mandalo|mandarsela|mandarla
@send = {_SEND}
@mail = {_MAIL}
@client = cliente|clienta
@then = luego|despues|tambien
send: [@then] @it [por @mail [electronico]] [al|a [la] @client]
send: [@then] @it al|a [la] @client [por @mail [electronico]]
send: [@then] @it a|al [su] @mail [electronico]
send: [@then] @send [la factura] por @mail [electronico]
send: [@then] @send la factura
mail: por @mail [electronico]
issue: [@then] emitela|emitelo|emitirla|emitirlo
issue: [@then] emite|emitir la factura
issue: [@then] emite|emitir y
draft: como|en borrador
draft: solo|solamente el|un borrador
remind: [@then] {_RECALL} [al|a [la] @client]
remind: [@then] @send|programa|programale|pon|ponle un recordatorio
plus: mas|+ [el] iva [[al|del|a] <percent>]
plus: mas|+ [el|un] <percent> [de] iva
plus: iva aparte
plus: iva no incluido
rate: al|a <percent> [[de] iva]
rate: iva [al|del] <percent>
within: [con] [el] iva [ya] incluido|incluida|incl|inc [[al|del] <percent>]
within: [con] [el] iva [al|del] <percent> incluido|incl
within: incluido|incluyendo|incluye [el] iva
unclear: con|sin [el] iva [[al|del] <percent>]
unclear: con un|el <percent> [de] iva
unclear: exento|exenta de iva
due: [con] vencimiento [:] [el|al|del|a] <date>
due: [que] venza|vence|vencera [el] <date>
due: [con] vencimiento a|en <number> dias
due: [que] venza|vence|vencera a|en <number> dias
due: [pago|pagadera] a <number> dias
due: a pagar a|en <number> dias
money: [de|por|a|en] <money>
money: por valor|importe de <money>
bare: [de|por|a|en] <number>
each: cada uno|una
each: la|por hora|unidad|dia
each: /hora|/h|/unidad|/ud|/dia
skip: por favor
skip: porfa|gracias|hola|oye|buenas
skip: muchas gracias
skip: buenos|buenas dias|tardes|noches
date: [del|el|de|con|a] [fecha|dia] [de|del] <date>
object: una|otra [nueva] factura
old: [la] [factura] <invoice>
"""),
    parts=Phrases(f"""
@mail = {_MAIL}
@client = contacto|cliente|clienta
@about = de|del|por|sobre|en
invoice: [@about] [la] [factura] [numero] <invoice>
invoice: el|del pago|cobro de [la] [factura] [numero] <invoice>
invoice: que [me|nos] pague|paguen [la] [factura] [numero] <invoice>
now: ahora|ya [mismo]
now: inmediatamente
mail: por @mail [electronico]
money: [de|por|con] <money>
money: por valor|importe de <money>
tell: avisale|avisala|avisalo|avisales|avisarle [por @mail [electronico]]
tell: avisa|avisar al|a [la] @client [por @mail [electronico]]
one: el|ese|este|mi|un gasto
many: [todos] los|mis|esos|estos gastos
person: el|la|al|ese|esa|mi @client
kept: [todas] la|las|mi|mis|una|esa|esas factura|facturas
kept: [todos] el|los|mi|mis|un|ese|esos borrador|borradores
month: [@about] <month> [[de|del] <number>]
day: [de|del|en|con] [el] [dia|fecha] [de|del] <date>
label: el|su [nuevo] @mail [electronico]
label: la|su [nueva] direccion de @mail [electronico]
email: [con] [el|su] @mail [electronico] [:|es] <email>
email: [a|por|es] <email>
taxid: [con] [el|su] nif|cif|dni|nie [:|es] <taxid>
address: [con] [la|su] direccion [:]
address: domicilio [:]
term: [que] paga|pagan a|en <number> dias
term: [con] plazo [de pago] [de|a] <number> dias
term: [con] pago a <number> dias
skip: por favor
skip: porfa|gracias
skip: muchas gracias
"""),
    reminder=Phrases("""
@paid = pagada|cobrada|pagado|cobrado
@still = aun|todavia
days: <number> dias antes
days: un|el dia antes
days: <number> y <number> dias antes
days: <number> , <number> y <number> dias antes
days: con <number> dias de antelacion
weeks: una|<number> semana|semanas antes
deadline: de que venza
deadline: de vencer
deadline: del|de [su] vencimiento
deadline: de la fecha de vencimiento
payment: el|del|de pago|cobro
payment: que [me|nos] [la|lo] pague|paguen
payment: pagar|pagarla
unless: si [@still] no la|lo he marcado [como] @paid
unless: si [@still] no la|lo he cobrado
unless: si [@still] no esta|consta [marcada] [como] @paid [@still]
unless: si [@still] no [me|nos|la|lo] ha|han pagado [@still]
unless: si [@still] no se ha pagado|cobrado
unless: si [@still] no ha sido @paid
unless: si sigue sin pagar|pagarse|cobrar|cobrarse
unless: si sigue pendiente|impagada
unless: salvo|excepto si|que [ya] este|esta|haya|ha [sido] @paid
unless: a menos que [ya] este|haya [sido] @paid
unless: a no ser que [ya] este|haya [sido] @paid
"""),
    paying=Phrases("""
paid: [ya] [me|nos] [la|lo] ha|han pagado
paid: pago
"""),
    numbers=numbers(
        "dos,tres,cuatro,cinco,seis,siete,ocho,nueve,diez,once,doce,trece,catorce,quince,dieciseis,"
        "diecisiete,dieciocho,diecinueve,veinte,veintiun veintiuno veintiuna,veintidos,veintitres,"
        "veinticuatro,veinticinco,veintiseis,veintisiete,veintiocho,veintinueve,treinta"
    ),
    months=months(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    days={"hoy": 0, "ayer": -1, "anteayer": -2, "manana": 1},
    joins=frozenset({"y", "e"}),
    articles=frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas"}),
    to=frozenset({"a", "al", "para"}),
    about=frozenset({"por", "x", "de", "del", "para"}),
    by=frozenset({"en", "a"}),
    at=frozenset({"a"}),
)
