"""The application in a process of its own, which a test kills."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

HERE = Path(__file__).parent
WAIT = 60.0


class Child:
    """Serves the application until it is killed or the block ends.

    Args:
        home: folder of its books.
        port: where it listens; 0 for any that is free.
        hold: a point, and which time it is passed, at which it stands still for ever.
    """

    def __init__(self, home: Path, *, port: int = 0, hold: tuple[str, int] | None = None) -> None:
        self.home, self.port = home, port
        self._hold = [hold[0], str(hold[1])] if hold else []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, HERE / "browser_child.py", self.home, str(self.port), *self._hold],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        limit = threading.Timer(WAIT, self._process.kill)
        limit.start()
        line = self._process.stdout.readline()
        limit.cancel()
        assert line.startswith("ready "), line
        self.port = int(line.rpartition(":")[2])
        return self

    def kill(self) -> None:
        """Die as by ``kill -9``."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(WAIT)

    def mails(self) -> int:
        return len(list((self.home / "mail").glob("*.eml")))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()


def main(home: str, port: str, point: str = "", occurrence: str = "0") -> None:
    """Serve, and stand still at a point."""
    sys.path.insert(0, str(HERE.parent / "facturas"))
    from browser_desk import Desk  # noqa: PLC0415 - the path leads to it only now

    from semel.runtime.points import arm  # noqa: PLC0415 - beside the one above

    passed = 0

    def hook(name: str) -> None:
        nonlocal passed
        passed += name == point
        if name == point and passed == int(occurrence):
            threading.Event().wait()

    desk = Desk(Path(home))
    desk.port = int(port)
    desk.start()
    if point:
        arm(hook)
    os.write(1, f"ready {desk.address}\n".encode())
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
