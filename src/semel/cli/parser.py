"""The command line: what there is, and what each part means."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from semel.cli import demo, fronting, guarding, keeping, scanning, serving
from semel.domain.plan import STEPS_MAX

EPILOG = """\
exit status:
  0  done
  1  something is open, was asked, or was refused
  2  the command was not understood
  3  the store cannot be used
"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command line; usage errors end the process with status 2."""
    parser = argparse.ArgumentParser(
        prog="semel",
        description="A model proposes a plan, a person says yes, every step runs exactly once.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _talking(commands)
    _deciding(commands)
    _looking(commands)
    _running(commands)
    return parser.parse_args(arguments)


if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - it has no public name


def _command(commands: "Commands", name: str, help: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=help, description=help)
    command.add_argument("--home", metavar="DIR", help="folder of the books (SEMEL_HOME, ./.semel)")
    command.add_argument(
        "--db", metavar="URL", help="database, sqlite:///path or postgresql://… (SEMEL_DB)"
    )
    command.add_argument("--lang", choices=("es", "en"), help="language (SEMEL_LANG, the person's)")
    command.add_argument("--json", action="store_true", help="one JSON value instead of text")
    return command


def _who(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    command.add_argument(
        "--as",
        dest="who",
        metavar="PERSON@ORG",
        type=person,
        required=required,
        help="who speaks, for example ana@carmona-demo"
        + ("" if required else "; without it, everything, as the operator"),
    )
    command.add_argument(
        "--conversation", default="main", metavar="C", help="which conversation (main)"
    )


def _words(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--words", metavar="WORDS", help="the typed words, where a plan asks for them"
    )


def person(text: str) -> tuple[str, str]:
    """``ana@carmona-demo`` as ``("ana", "carmona-demo")``."""
    name, _, org = text.rpartition("@")
    if not name.strip() or not org.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not PERSON@ORG, as in ana@carmona-demo")
    return name, org


def _talking(commands: "Commands") -> None:
    ask = _command(
        commands, "ask", "say what you want done; the offline planner makes a plan of it"
    )
    ask.add_argument("text", metavar="TEXT")
    _who(ask)
    ask.add_argument(
        "--message", metavar="M", help="id of the message; the same one is answered once"
    )

    act = _command(commands, "act", "propose a plan that a model wrote (JSON)")
    act.add_argument("file", metavar="PLAN.json|-", help="a file, or - for standard input")
    _who(act)
    act.add_argument("--message", metavar="M", help="id of the message that led to it")

    say = _command(commands, "say", "answer the pending question: only a clear yes confirms")
    say.add_argument("text", metavar="TEXT")
    _who(say)
    say.add_argument("--message", metavar="M", help="id of the message")

    confirm = _command(commands, "confirm", "say yes to the question that a token stands for")
    confirm.add_argument("token", metavar="TOKEN")
    _who(confirm)
    _words(confirm)


def _deciding(commands: "Commands") -> None:
    retry = _command(commands, "retry", "do what is left of a plan; what is done is not repeated")
    retry.add_argument("token", metavar="TOKEN", help="the retry_token of its outcome")
    _who(retry)
    _words(retry)

    undo = _command(commands, "undo", "take back what a plan did, last step first")
    undo.add_argument("token", metavar="TOKEN", help="the undo_token of its outcome")
    _who(undo)
    _words(undo)

    cancel = _command(
        commands, "cancel", "stop a plan: a question, one that waits, or what is left of one"
    )
    cancel.add_argument("plan", metavar="PLAN")
    _who(cancel)

    resolve = _command(commands, "resolve", "say what became of a step that is in doubt")
    resolve.add_argument("plan", metavar="PLAN")
    resolve.add_argument("position", metavar="POSITION", type=position, help="the step, from 1")
    answer = resolve.add_mutually_exclusive_group(required=True)
    answer.add_argument(
        "--happened", nargs="?", const="", metavar="ID", help="it happened; ID of what it made"
    )
    answer.add_argument(
        "--did-not", action="store_true", help="it did not: once nothing of it can still arrive"
    )
    answer.add_argument(
        "--send-anyway",
        metavar="WORDS",
        help='send it once more, perhaps twice in all: "ENVIAR OTRA VEZ" or "SEND AGAIN"',
    )
    answer.add_argument("--look", action="store_true", help="look once more whether it happened")
    _who(resolve)


def position(text: str) -> int:
    """A step's position, from 1."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= STEPS_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a step's position: 1 to {STEPS_MAX}")
    return int(text)


def record(text: str) -> tuple[str, str]:
    """``factura:2026-0001`` as ``("factura", "2026-0001")``."""
    kind, _, id_ = text.partition(":")
    if not kind.strip() or not id_.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KIND:ID, as in factura:2026-0001")
    return kind, id_


def _looking(commands: "Commands") -> None:
    plans = _command(commands, "plans", "list plans, newest first")
    _who(plans, required=False)
    show = _command(
        commands, "show", "one plan: its steps, its sends, and everything that happened"
    )
    show.add_argument("plan", metavar="PLAN")
    _who(show, required=False)
    trace = _command(commands, "trace", "from a record back to the sentence that led to it")
    trace.add_argument("record", metavar="KIND:ID", type=record, help="factura:2026-0001")
    _who(trace, required=False)
    audit = _command(
        commands, "audit", "verify that no row of any plan was edited, added or deleted"
    )
    audit.add_argument(
        "what", choices=("verify",), metavar="verify", help="hold rows against events"
    )
    _who(audit, required=False)


def _running(commands: "Commands") -> None:
    _command(commands, "seed", "make the demo world: organizations, people, contacts")
    sweep = _command(commands, "sweep", "resume what nobody finishes; let old questions expire")
    sweep.add_argument(
        "--until-quiet", action="store_true", help="go on until no plan is running any more"
    )
    keeping.add(commands, _command)
    scanning.add(commands)
    guarding.add(commands, _command)
    _who(serving.add(commands))
    fronting.add(commands)
    migrate = _command(commands, "migrate", "bring the database up to this program")
    migrate.add_argument(
        "--print",
        action="store_true",
        help="only print the SQL, for the migrations of an application that lends its transaction",
    )
    migrate.add_argument(
        "--dialect",
        choices=("sqlite", "postgres"),
        help="of the SQL that is printed (by default that of --db)",
    )
    demo.add(commands, _command)
