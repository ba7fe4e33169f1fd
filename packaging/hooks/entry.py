"""Where the frozen program begins; the package's own entry can't be run as a script."""

import sys

from desktop_app.__main__ import main

sys.exit(main())
