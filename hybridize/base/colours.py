# SPDX-License-Identifier: Apache-2.0
"""Constants of changes of colours: brightness, hue, and how the colours of ImageNet spread."""

import numpy

LUMA = numpy.array([0.299, 0.587, 0.114], numpy.float32)
"""Weights of red, green and blue in the brightness that the eye sees (ITU-R BT.601)."""
TO_YIQ = numpy.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
"""Red, green and blue to brightness and two coordinates of colour, in which a change of hue is a rotation."""
DEVIATIONS = numpy.array([55.46, 4.794, 1.148])
"""Of ImageNet's colours along their principal directions."""
DIRECTIONS = numpy.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])
"""The principal directions of ImageNet's colours, each a column."""
