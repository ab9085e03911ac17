"""The command line: what there is, and what each part means."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

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
    _looking(commands)
    _running(commands)
    return parser.parse_args(arguments)


if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - it has no public name


def _command(commands: "Commands", name: str, help: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=help, description=help)
    command.add_argument("--home", metavar="DIR", help="folder of the books (SEMEL_HOME, ./.semel)")
    command.add_argument("--db", metavar="URL", help="database, sqlite:///path (SEMEL_DB)")
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
    confirm.add_argument(
        "--words", metavar="WORDS", help="the typed words, where a plan asks for them"
    )


def _looking(commands: "Commands") -> None:
    plans = _command(commands, "plans", "list plans, newest first")
    _who(plans, required=False)
    show = _command(
        commands, "show", "one plan: its steps, its sends, and everything that happened"
    )
    show.add_argument("plan", metavar="PLAN")
    _who(show, required=False)


def _running(commands: "Commands") -> None:
    _command(commands, "seed", "make the demo world: organizations, people, contacts")
    sweep = _command(commands, "sweep", "resume what nobody finishes; let old questions expire")
    sweep.add_argument(
        "--until-quiet", action="store_true", help="go on until no plan is running any more"
    )
    _command(commands, "migrate", "bring the database up to this program")
    demo = _command(commands, "demo", "watch the product at work")
    demo.add_argument("--story", action="store_true", required=True, help="the scenes, each judged")
    demo.add_argument("--store", choices=("sqlite",), default="sqlite", help="where it is kept")
