# SPDX-License-Identifier: Apache-2.0
"""`hybridize migrate`: scripts written for MXNet Gluon, rewritten for hybridize; what needs a human is reported.

`edits` changes a text at positions of its syntax tree, so that comments and layout stay; `names` asks the package
itself what it has; `imports` rewrites import statements; `scopes` tells what a name stands for; `uses` looks at what is
done with the names of MXNet; `script` does one text, `notebook` the code cells of a notebook, `files` what the command
line names. Nothing of a script is run.
"""
