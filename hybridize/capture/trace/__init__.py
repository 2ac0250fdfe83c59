# SPDX-License-Identifier: Apache-2.0
"""Recording: operations become nodes of a graph (`recording`), Python numbers stay data as long as they can
(`numbers`).
"""
