# SPDX-License-Identifier: Apache-2.0
"""Where MXNet 1.x keeps some of its layers; all of them are `gluon.nn`'s."""

from hybridize.gluon.contrib import nn as nn
