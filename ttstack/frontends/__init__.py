"""Frontends: conversion of text and models to TTIR modules."""
