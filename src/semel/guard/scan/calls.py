"""What a call in Python source does, by the name that it is called under."""

import builtins
import re
from collections.abc import Iterator
from fnmatch import translate

from semel.guard.scan.lexicon import these
from semel.guard.scan.tool import Kind

CALLS = [
    (
        Kind.WEBHOOK,
        (
            "boto3.lambda.invoke* boto3.stepfunctions.start_execution boto3.events.put_events"
            " boto3.sqs.send_message*"
        ),
    ),
    (
        Kind.MESSAGE,
        (
            "boto3.ses*.send* boto3.sns.publish* boto3.pinpoint.send* *.sendmail *.send_message"
            " *.send_mail *.send_mass_mail *.send_email *.send_raw_email *.send_templated_email"
            " *.send_sms *.send_text *.send_photo *.sendmessage *.chat_postmessage"
            " *.chat_schedulemessage *.reply_text *messages.create *messages.send *mail*.send"
            " *smtp*.send *twilio*.send* *slack*.send* *slack*.post* *telegram*.send*"
            " *whatsapp*.send* *sendgrid*.send* *resend*.send* bot.send* *.bot.send* *notifier.*"
            " send_mail send_email send_sms sendmail"
        ),
    ),
    (
        Kind.MONEY,
        (
            "*charge.create *charges.create *paymentintent.create *paymentintent.confirm"
            " *paymentintent.capture *payment_intents.create *payment_intents.confirm"
            " *payment_intents.capture *refund.create *refunds.create *transfer.create"
            " *transfers.create *payout.create *payouts.create *invoice.pay *invoices.pay"
            " *orders.capture *payment.create *payments.create *payment.execute *transaction.sale"
            " *gateway*.sale *gateway*.charge *gateway*.refund *gateway*.capture *gateway*.pay"
            " *paypal*.create *paypal*.pay *mollie*.create *redsys*.create *adyen*.payments*"
            " *.charge_card *.transfer_funds *.send_payment *.make_payment *.create_payment"
            " *.create_refund *.payout"
        ),
    ),
    (
        Kind.READ,
        (
            "boto3.client boto3.resource boto3.session boto3.*.get* boto3.*.list* boto3.*.describe*"
            " boto3.*.head* boto3.*.query boto3.*.scan boto3.*.batch_get* boto3.*.download*"
        ),
    ),
    (
        Kind.HARMLESS,
        (
            "boto3.*.put_object boto3.*.put_item boto3.*.upload_file* boto3.*.delete*"
            " boto3.*.copy_object boto3.*.tag*"
        ),
    ),
    (
        Kind.RESOURCE,
        (
            "boto3.*.create* boto3.*.run* boto3.*.start* boto3.*.register* boto3.*.import*"
            " boto3.*.allocate* boto3.*.request* boto3.*.publish* boto3.*.send* boto3.*.invoke*"
            " boto3.*.put* boto3.*.update* stripe.*.create *github*.create* *jira*.create*"
            " *jira*.add* *hubspot*.create* *notion*.create *notion*.append *salesforce*.create"
            " *trello*.add* *asana*.create* *linear*.create* *events.insert *files.create"
            " *drafts.create *permissions.create *documents.create *spreadsheets.create"
            " *values.append"
        ),
    ),
    (
        Kind.UNKNOWN,
        (
            "subprocess.* os.system os.popen os.exec* os.spawn* asyncio.create_subprocess_*"
            " eval exec *.delay *.apply_async *.enqueue *.send_task *.add_task"
            " *.send *.publish *.dispatch *.deliver *.notify"
        ),
    ),
    (
        Kind.HARMLESS,
        (
            "os.remove os.unlink os.rename os.replace os.makedirs os.mkdir os.rmdir os.chmod"
            " shutil.* *.write_text *.write_bytes *.unlink *.mkdir *.rmdir *.touch"
        ),
    ),
    (
        Kind.WRITE,
        (
            "*.add_all *.bulk_create *.bulk_insert* *.bulk_save_objects *.insert_one *.insert_many"
            " *.objects.create *.objects.acreate *.hincrby *.incrby *.incr *.lpush *.rpush *.xadd"
            " *.save *.asave *session.add *session.insert *db.add *db.insert *db.create *db.save"
            " *repo.add *repo.create *repository.add *repository.create *store.add *store.append"
            " *conn.insert *tx.insert"
        ),
    ),
    (
        Kind.HARMLESS,
        (
            "*.update_one *.update_many *.replace_one *.delete_one *.delete_many *.get_or_create"
            " *.update_or_create *.aupdate_or_create *.upsert *.hset *.setex *.set_many *.merge"
        ),
    ),
    (
        Kind.READ,
        (
            "*.fetchall *.fetchone *.fetchmany *.scalar *.scalars *.scalar_one* *.one *.one_or_none"
            " *.first *.all *.filter *.filter_by *.find_one *.find *.aggregate *.count_documents"
            " *.raise_for_status *.read_text *.read_bytes *.exists *.connect *.commit *.close"
            " *.cursor *.begin *.rollback *.flush *.login *.starttls *.quit *.create_engine"
            " *.create_pool redis.redis pymongo.mongoclient smtplib.smtp smtplib.smtp_ssl"
        ),
    ),
]
"""Calls by their whole names, without capitals; the first row that fits decides."""

_CALLS = [
    (kind, re.compile("|".join(translate(pattern) for pattern in patterns.split())))
    for kind, patterns in CALLS
]

PURE_MODULES = these(
    "json re math datetime decimal statistics itertools functools collections string textwrap"
    " hashlib hmac base64 uuid random secrets time calendar unicodedata copy operator enum typing"
    " dataclasses fractions html urllib.parse zoneinfo logging pathlib difflib bisect heapq struct"
    " date timedelta timezone Decimal Path logger log"
)
"""Modules and types whose functions change nothing but their arguments."""

MUTATORS = these(
    "append extend insert add update pop popitem remove discard clear setdefault sort reverse"
)
"""Methods that change what they are called on, which matters where that outlives the call."""

PURE_METHODS = frozenset(
    name for type_ in (str, bytes, dict, list, set, tuple, int, float) for name in dir(type_)
) - MUTATORS | {
    "isoformat",
    "strftime",
    "fromisoformat",
    "date",
    "json",
    "info",
    "debug",
    "warning",
}

_HTTP = (
    r"(?:requests|httpx|aiohttp|urllib3|niquests)(?:\.\w+)*"
    r"\.(get|head|options|post|put|patch|delete|request)"
)

_PURE_BUILTINS = frozenset(dir(builtins)) - these(
    "eval exec open input compile setattr delattr __import__ breakpoint"
)

NAME_MAX = 200
"""Characters of a call's name and, twenty times as many, of a text in it: more is no name."""

_INSERT = re.compile(
    r"\b(INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|MERGE\s+INTO)\b", re.IGNORECASE
)
_SAME = re.compile(
    r"ON\s+CONFLICT|ON\s+DUPLICATE\s+KEY|INSERT\s+OR\s+(?:REPLACE|IGNORE)|REPLACE\s+INTO"
    r"|MERGE\s+INTO|WHERE\s+NOT\s+EXISTS",
    re.IGNORECASE,
)
_UPDATE = re.compile(r"\bUPDATE\s+[\w.\"`\[\]]+\s+(?:AS\s+\w+\s+|\w+\s+)?SET\b", re.IGNORECASE)
_COUNTS = re.compile(r"([\w.]+)\s*=\s*(?:coalesce\(\s*)?\1\b[^=]*?[-+|]", re.IGNORECASE)
_DELETE = re.compile(
    r"\b(DELETE\s+FROM|TRUNCATE|DROP\s+TABLE|CREATE\s+TABLE|ALTER\s+TABLE)\b", re.IGNORECASE
)
_SELECT = re.compile(r"^\s*(?:SELECT|WITH|EXPLAIN|PRAGMA|SHOW)\b", re.IGNORECASE)


def called(name: str) -> Kind | None:
    """What a call under its whole name, ``smtplib.SMTP.sendmail``, does; None when unknown."""
    short = name[:NAME_MAX].lower()
    return next((kind for kind, pattern in _CALLS if pattern.fullmatch(short)), None)


def is_pure(name: str) -> bool:
    """Whether a call is known to change nothing outside its function."""
    root, _, rest = name.partition(".")
    if not rest:
        return root in _PURE_BUILTINS or root in PURE_MODULES
    return (
        root in PURE_MODULES
        or name.startswith("urllib.parse.")
        or name.rpartition(".")[2] in PURE_METHODS
        # How a file was opened says what writing to it does.
        or ".open." in f".{name}"
    )


def http(name: str) -> str | None:
    """The HTTP method of a call such as ``requests.post``; ``?`` where it is an argument."""
    found = re.fullmatch(_HTTP, name[:NAME_MAX])
    if found:
        method = found.group(1)
        return "?" if method == "request" else method.upper()
    if name.endswith((".post", ".patch")):
        # Whatever client it is, nothing else is called so.
        return name.rpartition(".")[2].upper()
    return None


def posted(url: str) -> Kind:
    """What a POST to an address makes, by the words of the address."""
    told = url.lower()
    for kind, words in (
        (Kind.WEBHOOK, r"hook|zapier"),
        (Kind.MONEY, r"charge|payment|refund|payout|transfer|\bpay\b|cobro|pago"),
        (Kind.MESSAGE, r"mail|message|sms|notif|slack|telegram|chat|mensaje|correo"),
    ):
        if re.search(words, told):
            return kind
    return Kind.RESOURCE


def statement(text: str) -> Iterator[tuple[Kind, str]]:
    """What SQL in a text does, with the words that say so; nothing when there is none."""
    text = text[: 20 * NAME_MAX]
    insert, update, delete = _INSERT.search(text), _UPDATE.search(text), _DELETE.search(text)
    if insert:
        same = _SAME.search(text)
        yield (Kind.HARMLESS, "INSERT that finds its row again") if same else (Kind.WRITE, "INSERT")
    if update:
        counts = _COUNTS.search(text, update.end())
        yield (
            (Kind.WRITE if counts else Kind.HARMLESS),
            "UPDATE that counts" if counts else "UPDATE",
        )
    if delete:
        yield Kind.HARMLESS, _words(delete.group())
    if not (insert or update or delete) and _SELECT.search(text):
        yield Kind.READ, "SELECT"


def _words(sql: str) -> str:
    return " ".join(sql.upper().split())
