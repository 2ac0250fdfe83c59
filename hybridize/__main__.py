# SPDX-License-Identifier: Apache-2.0
"""`python -m hybridize`: the command `hybridize`, where its script is not installed."""

from hybridize.tools.command import main

if __name__ == "__main__":
    main()
