"""The phrases of English, compared without accents or capitals."""

from .phrases import Language, Phrases, months, numbers

_SEND = "send|email|e-mail|mail"
_HER = "her|him|them"

ENGLISH = Language(
    thousands=",",
    openers=Phrases(f"""
@please = [can|could|would|will] [you] [please]
@make = make|create|prepare|write|raise|generate|do
@send = {_SEND}
@an = an|a|another
@note = log|record|add|note|enter|register
@erase = delete|remove|erase
@client = contact|client|customer
create: @please @make [me|us] @an|the [new] invoice
create: i need|want [to @make] @an [new] invoice
create: @an [new] invoice
create: new invoice
bill: @please invoice|bill
draft: @please draft @an|the [new] invoice
draft: @please @make [me|us] @an|the draft [invoice]
draft: @please @make [me|us] @an|the draft of an|the invoice
issue: @please issue @an [new] invoice
issue: @please @make and issue @an|the [new] invoice
send: @please @send @an [new] invoice
send: @please @make|issue and @send @an|the [new] invoice
to: @please @send
for: @please @make
old: @please @send [the] [invoice] [number|no] <invoice>
which_invoice: @please @send the|that|this|my invoice
which_draft: @please issue|@send the|that|this|my draft
which_draft: @please issue the|that|this|my invoice
expense: @please @note|@make @an|the [new] expense
expense: [@an] [new] expense
remind: @please remind [{_HER}]
remind: @please remind the @client
remind: @please @send [{_HER}] @an [payment] reminder
remind: @please @make|schedule|set|add @an [new] [payment] reminder
unremind: @please @erase|cancel|stop [all] [the|any] reminder|reminders
unremind: @please @erase|cancel|stop every reminder
paid: @please @note @an|the [new] payment
paid: @please mark [the] [invoice] [number|no] <invoice> as paid
paid: @please mark as paid
paid: [the] [invoice] <invoice> is|was [now|already] paid
paid: [the] [invoice] <invoice> has [now|already] been paid
erase: @please @erase [all] [the|my|that|this]
every: @please @erase every|each
contact: @please @make|@note|save @an|the [new] @client [called|named]
contact: [a] new @client [called|named]
change: @please change|update|correct [the]
"""),
    clauses=Phrases(f"""
@send = {_SEND}
@mail = email|e-mail|mail
@her = {_HER}
@then = then|also
send: [@then] @send it [by|via @mail] [to @her]
send: [@then] @send it to @her [by|via @mail]
send: [@then] @send it to the client|customer [by|via @mail]
send: [@then] @send [@her] the invoice [by|via @mail]
mail: by|via @mail
issue: [@then] issue it|and
issue: [@then] issue the invoice
draft: as a draft
draft: only|just a|the draft
remind: [@then] remind @her
remind: [@then] remind the client|customer
remind: [@then] @send [@her] a [payment] reminder
remind: [@then] schedule|set|add a [payment] reminder
plus: plus|+ vat|iva [[at|of] <percent>]
plus: plus|+ <percent> vat|iva
plus: excluding|excl|ex|before vat|iva
plus: vat|iva extra|excluded|exclusive
plus: vat|iva not included
rate: at <percent> [vat|iva]
rate: vat|iva [at|of] <percent>
within: [with] vat|iva included|inclusive|incl|inc
within: [with] vat|iva [at|of] <percent> included
within: including|includes|incl|inc [the] vat|iva [[at|of] <percent>]
within: including|includes|incl|inc <percent> vat|iva
within: inclusive of vat|iva
unclear: with|without|no [<percent>] vat|iva
unclear: vat|iva exempt|free
unclear: exempt from vat|iva
due: due|payable [on|by] <date>
due: due date [:|of|is] <date>
due: with a due date of <date>
due: due|payable in|within <number> days
due: payment [due] in|within <number> days
due: net <number>
money: [for|of|at|@|worth] <money>
bare: [for|of|at|@] <number>
each: each|apiece
each: per|an|a hour|day|unit
each: /hour|/h|/hr|/unit|/day
skip: please|thanks|hi|hello|hey
skip: thank you
skip: many thanks
skip: hi|hello|hey there
skip: good morning|afternoon|evening
date: [dated|on|from|of] [the] <date>
object: an|another|a [new] invoice
old: [the] [invoice] [number|no] <invoice>
"""),
    parts=Phrases(f"""
@mail = email|e-mail|mail
@her = {_HER}
@client = contact|client|customer
@about = about|of|for|on|from|towards|regarding
@then = then|also
invoice: [@about] [the] [invoice] [number|no] <invoice>
invoice: [@about] [the] payment of|for [the] [invoice] [number|no] <invoice>
invoice: to pay [the] [invoice] [number|no] <invoice>
now: now|immediately
now: right now|away
mail: by|via @mail
money: [of|for|with] <money>
tell: [@then] let @her know [by|via @mail]
tell: [@then] let the @client know [by|via @mail]
tell: [@then] tell|notify|inform @her [by|via @mail]
tell: [@then] tell|notify|inform the @client [by|via @mail]
one: [the|my|that|this|an] expense
many: [all] [the|my|these|those] expenses
person: [the|my|that|this] @client
kept: [all] [the|my|an|that|this] invoice|invoices|draft|drafts
month: [of|from|in|for] <month> [[of] <number>]
day: [of|from|on|dated] [the] <date>
label: [the|her|his|their] [new] @mail [address] [of|for]
email: [with] [the] @mail [address] [:|is] <email>
email: [to|is] <email>
taxid: [with] tax|vat id|number [:|is] <taxid>
taxid: [with] nif|cif|vat [:|is] <taxid>
address: [with] [the] [postal] address [:]
term: [who] pays|paying|pay in|within <number> days
term: [with] payment [terms] [in|within|of|:] <number> days
term: net <number> [days]
skip: please|thanks
skip: thank you
skip: many thanks
"""),
    reminder=Phrases(f"""
@her = {_HER}
@she = she|he|they
@count = <number>|one|a
days: @count day|days before|earlier
days: the day before
days: <number> and <number> days before
days: <number> , <number> [,] and <number> days before
days: <number> days in advance
weeks: @count week|weeks before|earlier
deadline: it's|its due
deadline: it is|falls|becomes due
deadline: [the|its] due date
deadline: the deadline
deadline: the invoice|payment is|falls due
payment: of|about|for [the|its] payment|invoice
payment: about|of it
payment: to pay [it|me|us]
unless: if i haven't|havent|didn't [yet] marked|mark it [as] paid [yet]
unless: if i have|did not [yet] marked|mark it [as] paid [yet]
unless: if it isn't|isnt [marked] [as] paid [yet]
unless: if it is not [marked] [as] paid [yet]
unless: if it's not [marked] [as] paid [yet]
unless: if it hasn't|hasnt been [marked] [as] paid [yet]
unless: if it has not been [marked] [as] paid [yet]
unless: if it is [still] unpaid
unless: if it's [still] unpaid
unless: if @she hasn't|haven't|hasnt|havent paid [it|me|us] [yet]
unless: if @she has|have not paid [it|me|us] [yet]
unless: unless [it] is|it's [already] [marked] [as] paid
unless: unless it has [already] been [marked] [as] paid
unless: unless i've|i [have] [already] marked it [as] paid
unless: unless @she has|have [already] paid [it|me|us]
unless: unless she's|he's|they've [already] paid [it|me|us]
unless: unless paid
"""),
    paying=Phrases("""
paid: has|have [now|already|just] paid [me|us]
paid: paid [me|us]
"""),
    numbers=numbers(
        "two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,"
        "sixteen,seventeen,eighteen,nineteen,twenty,twenty-one,twenty-two,twenty-three,"
        "twenty-four,twenty-five,twenty-six,twenty-seven,twenty-eight,twenty-nine,thirty"
    ),
    months=months(
        "january february march april may june july august september october november december"
    ),
    days={"today": 0, "yesterday": -1, "tomorrow": 1},
    joins=frozenset({"and"}),
    articles=frozenset({"the", "a", "an"}),
    to=frozenset({"to", "for"}),
    about=frozenset({"for", "of"}),
    by=frozenset({"from", "at"}),
    at=frozenset({"at", "@"}),
)
