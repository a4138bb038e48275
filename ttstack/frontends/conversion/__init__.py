"""Shared parts of source dialects: conversion tables, and the driver of MLIR's dialect conversion."""

from ttstack.frontends.conversion.convert import SourceDialect, check, convert
from ttstack.frontends.conversion.source_op import SourceOp
from ttstack.frontends.conversion.table import ConversionRule, ConversionTable, join_tables

__all__ = ["ConversionRule", "ConversionTable", "SourceDialect", "SourceOp", "check", "convert", "join_tables"]
