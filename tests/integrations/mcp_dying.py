"""``semel``, killed by SIGKILL when it passes the point of its first argument."""

import sys

from semel.cli import main
from semel.testing import crash_at

if __name__ == "__main__":
    with crash_at(sys.argv[1]):
        sys.exit(main(sys.argv[2:]))
