# SPDX-License-Identifier: Apache-2.0
"""From Python to graphs: conversion of source, recording, guards, and the callable that keeps the programs."""
