# SPDX-License-Identifier: Apache-2.0
"""The world outside: whose code is whose (`trust`), opaque `objects`, and places that calls read again (`fed`)."""
